/* PTX of one registration: of one container, or of several that nvcc -rdc=true linked. */
#ifndef WARPBOOK_MERGE_H
#define WARPBOOK_MERGE_H

#include "fatbin.h"

#include <stdbool.h>

/* The whole text in *TEXT (malloc'ed, NUL-terminated). On failure MESSAGE says what to do. Of a
 * program whose kernels launch kernels, the toolkit's device runtime is left out: its functions are
 * this device's own (sm/syscalls.c). */
fatbin_status merge_text(const fatbin_wrapper *wrapper, uint32_t capability, char **text,
                         char *message, size_t message_size);

/* Need no module define a function of this name? The device has it, or refuses it by name when a
 * kernel that calls it is launched. */
bool merge_provided(const char *name);

#endif
