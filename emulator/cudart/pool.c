/* Stream-ordered allocation (Runtime API, "Stream Ordered Memory Allocator"). Memory is handed out
 * at the call and given back when the stream comes to it; pools only keep their numbers. */
#include "capture.h"

#include <stdlib.h>
#include <string.h>

typedef struct pool {
    uint64_t release_threshold;
    int reuse[3]; /* follow event dependencies, opportunistic, internal dependencies */
    struct pool *next;
} pool;

static pool standard = {.reuse = {1, 1, 1}};
static pool *current = &standard;
static pool *pools;

static pool *pool_of(cudaMemPool_t handle)
{
    if ((pool *)handle == &standard) {
        return &standard;
    }
    for (pool *p = pools; p; p = p->next) {
        if (p == (pool *)handle) {
            return p;
        }
    }
    return NULL;
}

static cudaError_t allocate(void **out, size_t size, rt_stream *s)
{
    if (!out) {
        return cudaErrorInvalidValue;
    }
    if (!s) {
        return cudaErrorInvalidResourceHandle;
    }
    *out = NULL;
    cudaError_t refused = rt_capture_admit(s);
    if (refused || !size) {
        return refused;
    }
    if (rt_capturing(s)) {
        struct cudaMemAllocNodeParams p = {
            .poolProps = {.allocType = cudaMemAllocationTypePinned,
                          .location = {.type = cudaMemLocationTypeDevice}},
            .bytesize = size};
        rt_work work;
        cudaError_t e = rt_work_alloc(&p, &work);
        e = e ? e : rt_capture_add(s, &work);
        *out = e ? NULL : p.dptr;
        return e;
    }
    uint64_t at = mem_alloc(size, 256, MEM_DEVICE, NULL);
    if (!at) { /* what other streams are about to free may be enough */
        cudaError_t e = rt_finish_all();
        at = e ? 0 : mem_alloc(size, 256, MEM_DEVICE, NULL);
        if (!at) {
            return e ? e : cudaErrorMemoryAllocation;
        }
    }
    *out = (void *)(uintptr_t)at;
    return cudaSuccess;
}

cudaError_t cudaMallocAsync(void **out, size_t size, cudaStream_t stream)
{
    cudaError_t e = rt_lock();
    return rt_unlock(e ? e : allocate(out, size, rt_stream_of(stream)));
}

cudaError_t cudaMallocFromPoolAsync(void **out, size_t size, cudaMemPool_t handle,
                                    cudaStream_t stream)
{
    cudaError_t e = rt_lock();
    if (!e && !pool_of(handle)) {
        e = cudaErrorInvalidValue;
    }
    return rt_unlock(e ? e : allocate(out, size, rt_stream_of(stream)));
}

static void run_free(rt_op *op)
{
    mem_free(*(uint64_t *)op->data);
}

cudaError_t cudaFreeAsync(void *p, cudaStream_t stream)
{
    cudaError_t e = rt_lock();
    rt_stream *s = rt_stream_of(stream);
    mem_range r;
    uint64_t at = (uint64_t)(uintptr_t)p;
    if (!e && !s) {
        e = cudaErrorInvalidResourceHandle;
    }
    e = e ? e : rt_capture_admit(s);
    if (!e && p && rt_capturing(s)) {
        rt_work work;
        e = rt_work_free(p, &work);
        return rt_unlock(e ? e : rt_capture_add(s, &work));
    }
    if (!e && rt_graph_memory_freed(at, &e)) {
        return rt_unlock(e);
    }
    if (!e && p && (!mem_find(at, &r) || r.base != at || r.kind != MEM_DEVICE)) {
        e = cudaErrorInvalidValue;
    }
    if (!e && p) {
        rt_op *op = rt_queue(s, RT_FREE, sizeof at, NULL);
        if (op) {
            *(uint64_t *)op->data = at;
            op->run = run_free;
        } else {
            e = cudaErrorMemoryAllocation;
        }
    }
    return rt_unlock(e);
}

/* --- pools --------------------------------------------------------------------------------------
 */

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *out, int device)
{
    cudaError_t e = rt_lock();
    if (!e && (!out || device)) {
        e = device ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    }
    if (!e) {
        *out = (cudaMemPool_t)&standard;
    }
    return rt_unlock(e);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *out, int device)
{
    cudaError_t e = rt_lock();
    if (!e && (!out || device)) {
        e = device ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    }
    if (!e) {
        *out = (cudaMemPool_t)current;
    }
    return rt_unlock(e);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t handle)
{
    cudaError_t e = rt_lock();
    pool *p = pool_of(handle);
    if (!e && (device || !p)) {
        e = device ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    }
    if (!e) {
        current = p;
    }
    return rt_unlock(e);
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *out, const struct cudaMemPoolProps *props)
{
    cudaError_t e = rt_lock();
    if (!e && (!out || !props || props->allocType != cudaMemAllocationTypePinned ||
               props->location.type != cudaMemLocationTypeDevice || props->location.id)) {
        e = cudaErrorInvalidValue;
    }
    if (!e) {
        pool *p = calloc(1, sizeof *p);
        if (p) {
            *p = standard;
            p->next = pools;
            pools = p;
            *out = (cudaMemPool_t)p;
        } else {
            e = cudaErrorMemoryAllocation;
        }
    }
    return rt_unlock(e);
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle)
{
    cudaError_t e = rt_lock();
    pool *p = pool_of(handle);
    if (!e && (!p || p == &standard)) {
        e = cudaErrorInvalidValue;
    }
    if (!e) {
        pool **at = &pools;
        while (*at != p) {
            at = &(*at)->next;
        }
        *at = p->next;
        current = current == p ? &standard : current;
        free(p);
    }
    return rt_unlock(e);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t handle, size_t keep)
{
    (void)keep; /* freed memory goes back at once */
    cudaError_t e = rt_lock();
    return rt_unlock(e ? e : pool_of(handle) ? cudaSuccess : cudaErrorInvalidValue);
}

static int *reuse_flag(pool *p, enum cudaMemPoolAttr attr)
{
    switch (attr) {
    case cudaMemPoolReuseFollowEventDependencies:
        return &p->reuse[0];
    case cudaMemPoolReuseAllowOpportunistic:
        return &p->reuse[1];
    case cudaMemPoolReuseAllowInternalDependencies:
        return &p->reuse[2];
    default:
        return NULL;
    }
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, enum cudaMemPoolAttr attr, void *value)
{
    cudaError_t e = rt_lock();
    pool *p = pool_of(handle);
    if (!e && (!p || !value)) {
        e = cudaErrorInvalidValue;
    }
    if (!e) {
        int *flag = reuse_flag(p, attr);
        if (flag) {
            *flag = *(int *)value;
        } else if (attr == cudaMemPoolAttrReleaseThreshold) {
            p->release_threshold = *(uint64_t *)value;
        } else {
            e = cudaErrorNotSupported;
        }
    }
    return rt_unlock(e);
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, enum cudaMemPoolAttr attr, void *value)
{
    cudaError_t e = rt_lock();
    pool *p = pool_of(handle);
    if (!e && (!p || !value)) {
        e = cudaErrorInvalidValue;
    }
    if (!e) {
        const int *flag = reuse_flag(p, attr);
        if (flag) {
            *(int *)value = *flag;
        } else if (attr == cudaMemPoolAttrReleaseThreshold) {
            *(uint64_t *)value = p->release_threshold;
        } else {
            e = cudaErrorNotSupported;
        }
    }
    return rt_unlock(e);
}
