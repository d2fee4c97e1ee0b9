/* For the chapter about who owns memory: where pages were prefetched to, what a pool has handed
 * out, and times of work that needs a preparation. Include it after lab.h. */
#ifndef WARPBOOK_LAB_MEMORY_H
#define WARPBOOK_LAB_MEMORY_H

#include "lab_measure.h"

/* Toolkits before 13 name the place by a number. */
#if CUDART_VERSION < 13000
static inline cudaError_t cudaMemPrefetchAsync(const void *p, size_t bytes, cudaMemLocation to,
                                               unsigned int, cudaStream_t stream)
{
    int device = to.type == cudaMemLocationTypeDevice ? to.id : cudaCpuDeviceId;
    return cudaMemPrefetchAsync(p, bytes, device, stream);
}
static inline cudaError_t cudaMemAdvise(const void *p, size_t bytes, cudaMemoryAdvise advice,
                                        cudaMemLocation at)
{
    int device = at.type == cudaMemLocationTypeDevice ? at.id : cudaCpuDeviceId;
    return cudaMemAdvise(p, bytes, advice, device);
}
#endif

/* False, with a message: the device does not move pages of managed memory on demand, as under
 * Windows, so that there is nothing to prefetch. WHAT is left out. */
static inline bool lab_pages_move(const char *what)
{
    int move = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&move, cudaDevAttrConcurrentManagedAccess, 0));
    if (!move)
        printf("  %s is left out: here pages of managed memory are not moved on demand.\n", what);
    return move;
}

/* Where the program last asked for the pages of BYTES bytes of managed memory to be: the device's
 * number, cudaCpuDeviceId, or cudaInvalidDeviceId if it did not ask so for all of them. */
static inline int lab_pages_at(const void *p, size_t bytes)
{
    const size_t page = 4096, last = bytes - 1;
    int first = cudaInvalidDeviceId, place = first;
    for (size_t at = 0; at < last + page; at += page) {
        const char *byte = (const char *)p + (at < last ? at : last);
        CUDA_CHECK(cudaMemRangeGetAttribute(&place, sizeof place,
                                            cudaMemRangeAttributeLastPrefetchLocation, byte, 1));
        first = at == 0 ? place : first;
        if (place != first)
            return cudaInvalidDeviceId;
    }
    return place;
}

/* What the device's own memory pool hands out from now on. */
struct lab_pool_use {
    lab_pool_use(void) : pool(NULL), before(0)
    {
        uint64_t zero = 0; /* sets the greatest use back to the present one */
        CUDA_CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
        CUDA_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero));
        before = used(cudaMemPoolAttrUsedMemCurrent);
    }

    uint64_t most(void) const // bytes that were in use at a time, at most, beyond those before
    {
        return used(cudaMemPoolAttrUsedMemHigh) - before;
    }

    uint64_t left(void) const // bytes that have not been given back
    {
        return used(cudaMemPoolAttrUsedMemCurrent) - before;
    }

  private:
    cudaMemPool_t pool; /* the device's default pool */
    uint64_t before;    /* bytes that were in use at the start */

    uint64_t used(cudaMemPoolAttr which) const
    {
        uint64_t bytes = 0;
        CUDA_CHECK(cudaMemPoolGetAttribute(pool, which, &bytes));
        return bytes;
    }
};

#endif
