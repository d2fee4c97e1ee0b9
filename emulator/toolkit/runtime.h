/* The runtime API as toolkit 13 has it, whichever toolkit's headers are installed: 12.4 or newer.
 */
#pragma once

/* Each function that a header declares is exported by the file that defines it. */
#pragma GCC visibility push(default)
#include <cuda.h>
#if CUDA_VERSION < 13000
#include "runtime_hidden.h"
#endif
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#if CUDART_VERSION < 13000
#define TOOLKIT_HIDDEN_END
#include "runtime_hidden.h"
#include "runtime_newer.h"
#endif
#pragma GCC visibility pop

/* The version that the libraries say they are of: the headers' own, 13.0 with those of 12. */
#define TOOLKIT_VERSION (CUDART_VERSION < 13000 ? 13000 : CUDART_VERSION)
