/* For labs with clusters or bulk copies: a build for an older GPU stops with one sentence. */
#ifndef WARPBOOK_LAB_SM_90_H
#define WARPBOOK_LAB_SM_90_H
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 900
#error This lab needs a GPU of sm_90 (Hopper) or newer. Without one: --device emulator, or nvcc -arch=sm_90 and ./warpbook exec.
#endif

/* Toolkits before 13 have not all of cuda::ptx. Where one has these, it has them for types, and the
 * compiler prefers that. */
#if defined CUDART_VERSION && CUDART_VERSION < 13000
#include <stdint.h>

namespace cuda::ptx
{

template <class Barrier> __device__ inline void mbarrier_init(Barrier *at, uint32_t count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;"
                 :
                 : "r"((uint32_t)__cvta_generic_to_shared(at)), "r"(count)
                 : "memory");
}

template <class Space> __device__ inline void fence_proxy_async(Space)
{
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
}

template <class To, class From, class T>
__device__ inline void cp_async_bulk(To, From, T *to, const T *from, uint32_t bytes, uint64_t *full)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];"
                 :
                 : "r"((uint32_t)__cvta_generic_to_shared(to)), "l"(__cvta_generic_to_global(from)),
                   "r"(bytes), "r"((uint32_t)__cvta_generic_to_shared(full))
                 : "memory");
}

} // namespace cuda::ptx
#endif
#endif
