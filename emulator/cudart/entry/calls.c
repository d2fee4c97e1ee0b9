/* The functions for the per-thread default stream that the rows of calls.def define: each calls its
 * plain counterpart, with NULL standing for that stream. */
/* Some of these calls are deprecated, but programs still make them. */
#define CUDA_ENABLE_DEPRECATED
#include "../cudart.h"

RT_API cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
                                      size_t shared, cudaStream_t stream);

#define AGAIN(name, second, params, args) \
    RT_API cudaError_t second params;     \
    cudaError_t second params             \
    {                                     \
        rt_per_thread_default++;          \
        cudaError_t e = name args;        \
        rt_per_thread_default--;          \
        return e;                         \
    }
#define AGAIN_no(name, ...)
#define AGAIN_ptsz(name, params, args) AGAIN(name, name##_ptsz, params, args)
#define AGAIN_ptds(name, params, args) AGAIN(name, name##_ptds, params, args)

#define CALL(name, own, ...)           AGAIN_##own(name, __VA_ARGS__)
#define STUB(name, own)
#define LINK(name)
#include "calls.def"
