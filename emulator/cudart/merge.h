/* PTX of one registration: of one container, or of several that nvcc -rdc=true linked. */
#ifndef WARPBOOK_MERGE_H
#define WARPBOOK_MERGE_H

#include "fatbin.h"

/* The whole text in *TEXT (malloc'ed, NUL-terminated). On failure MESSAGE says what to do. Of a
 * program whose kernels launch kernels, the toolkit's device runtime is left out: its functions are
 * this device's own (sm/syscalls.c). */
fatbin_status merge_text(const fatbin_wrapper *wrapper, uint32_t capability, char **text,
                         char *message, size_t message_size);

#endif
