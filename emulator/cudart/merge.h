/* PTX of one registration: of one container, or of several that nvcc -rdc=true linked. */
#ifndef WARPBOOK_MERGE_H
#define WARPBOOK_MERGE_H

#include "fatbin.h"

/* The whole text in *TEXT (malloc'ed, NUL-terminated). On failure MESSAGE says what to do. */
fatbin_status merge_text(const fatbin_wrapper *wrapper, uint32_t capability, char **text,
                         char *message, size_t message_size);

/* Join COUNT texts into one module, as the device linker would: one header; names that a text keeps
 * to itself, and its copies of weak functions, get a suffix of their own; of a weak variable the
 * first stays; numbers of source files follow one another. Malloc'ed; NULL when memory is out. */
char *merge_ptx(const char *const *texts, size_t count);

#endif
