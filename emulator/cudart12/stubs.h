/* What the calls of toolkit 12 return that the emulator does not have. */
#pragma once

#include <stdatomic.h>

/* Print a line that names the call, unless the flag SAID is set. Returns cudaErrorNotSupported. */
int of_12_report_unsupported(const char *name, atomic_flag *said)
    __attribute__((visibility("hidden")));
