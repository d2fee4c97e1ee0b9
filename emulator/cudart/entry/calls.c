/* Defines the functions for the per-thread default stream that calls.def lists. Each function calls
 * its plain counterpart, with NULL as the per-thread default stream. */
/* Declare deprecated runtime functions too, since programs still call them. */
#define CUDA_ENABLE_DEPRECATED
#include "../core/call.h"
#include "../streams/op.h"

RT_API cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
                                      size_t shared, cudaStream_t stream);

/* Define SECOND, which calls NAME with NULL as the per-thread default stream. */
#define PER_THREAD_VARIANT(name, second, params, args) \
    RT_API cudaError_t second params;                  \
    cudaError_t second params                          \
    {                                                  \
        rt_per_thread_default++;                       \
        cudaError_t e = name args;                     \
        rt_per_thread_default--;                       \
        return e;                                      \
    }
#define PER_THREAD_VARIANT_no(name, ...) /* the call has no such variant */
#define PER_THREAD_VARIANT_ptsz(name, params, args) \
    PER_THREAD_VARIANT(name, name##_ptsz, params, args)
#define PER_THREAD_VARIANT_ptds(name, params, args) \
    PER_THREAD_VARIANT(name, name##_ptds, params, args)

#define CALL(name, own, ...) PER_THREAD_VARIANT_##own(name, __VA_ARGS__)
#define STUB(name, own)      /* no code for such a row */
#define LINK(name)           /* no code for such a row */
#include "calls.def"
