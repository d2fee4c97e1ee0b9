/* What cudaDeviceReset puts back. */
#pragma once

/* The functions that cudaDeviceReset calls. resets.def says what each one does; its order is the
 * order of calls. */
#define RESET(subject, state, meaning) void rt_reset_##subject(void);
#include "resets.def"
#undef RESET
