/* What the rows of calls.def make by themselves: the calls of the per-thread default stream, and
 * one reference to each call, so that a row without a function does not link. */
/* Some of these calls are deprecated; programs make them all the same. */
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
