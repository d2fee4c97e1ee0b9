/* Finds the PTX text of one registered fat binary, which holds one container, or several that nvcc
 * -rdc=true linked. */
#pragma once

#include "fatbin.h"

#include <stdbool.h>

/* Store the PTX text in *TEXT (malloc'ed, NUL-terminated). On failure MESSAGE says what to do. The
 * toolkit's device runtime is omitted: sm/syscalls.c and device_side/ implement its functions. */
fatbin_status merge_text(const fatbin_wrapper *wrapper, uint32_t capability, char **text,
                         char *message, size_t message_size);

/* Does a function of this name need no definition in the program? The device then provides it, or
 * rejects it by name when a kernel that calls it is launched. */
bool merge_is_function_provided(const char *name);
