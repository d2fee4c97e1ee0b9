/* The per-thread default stream's names: the plain calls, with NULL meaning the thread's stream. */
/* Some of these calls are deprecated; programs make them all the same. */
#define CUDA_ENABLE_DEPRECATED
#include "../cudart.h"

RT_API cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
                                      size_t shared, cudaStream_t stream);

#define PTDS(name, suffix, params, args)       \
    RT_API cudaError_t name##_##suffix params; \
    cudaError_t name##_##suffix params         \
    {                                          \
        rt_per_thread_default++;               \
        cudaError_t e = name args;             \
        rt_per_thread_default--;               \
        return e;                              \
    }
#include "ptsz.def"
#undef PTDS
