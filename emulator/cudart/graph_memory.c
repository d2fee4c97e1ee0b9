/* Memory that graphs allocate and free (Programming Guide, "Graph Memory Nodes"). Its address is
 * known when the node is made; a launch brings it to life, and a free node, cudaFree or
 * cudaFreeAsync ends that. The bytes stay ours until no node is left that names them. */
#include "graph.h"

#include <stdlib.h>

#define CHUNK (UINT64_C(2) << 20) /* bytes: what a device reserves memory in */

struct rt_graph_memory {
    uint64_t at, size;
    unsigned refs;
    bool live;
    bool has_free; /* a node frees it */
    struct rt_graph_memory *next;
};

static rt_graph_memory *all;
static struct {
    uint64_t used, used_most, reserved, reserved_most; /* bytes */
} counts;

static uint64_t chunks(uint64_t size)
{
    return (size + CHUNK - 1) / CHUNK * CHUNK;
}

uint64_t rt_graph_memory_address(const rt_graph_memory *m)
{
    return m->at;
}

bool rt_graph_memory_live(const rt_graph_memory *m)
{
    return m->live;
}

void rt_graph_memory_ref(rt_graph_memory *m)
{
    m->refs++;
}

static void release(rt_graph_memory *m)
{
    if (m->refs || m->live) {
        return;
    }
    rt_graph_memory **p = &all;
    while (*p != m) {
        p = &(*p)->next;
    }
    *p = m->next;
    counts.reserved -= chunks(m->size);
    mem_free(m->at);
    free(m);
}

void rt_graph_memory_unref(rt_graph_memory *m)
{
    m->refs--;
    release(m);
}

void rt_graph_memory_set(rt_graph_memory *m, bool live)
{
    if (m->live != live) {
        m->live = live;
        counts.used += live ? m->size : -m->size;
        counts.used_most = counts.used > counts.used_most ? counts.used : counts.used_most;
    }
}

static rt_graph_memory *find(uint64_t at)
{
    rt_graph_memory *m = all;
    while (m && m->at != at) {
        m = m->next;
    }
    return m;
}

bool rt_graph_memory_asleep(uint64_t at)
{
    const rt_graph_memory *m = all;
    while (m && at - m->at >= m->size) {
        m = m->next;
    }
    return m && !m->live;
}

bool rt_graph_memory_freed(uint64_t at, cudaError_t *e)
{
    rt_graph_memory *m = find(at);
    if (!m) {
        return false;
    }
    *e = m->live ? cudaSuccess : cudaErrorInvalidValue;
    rt_graph_memory_set(m, false);
    release(m);
    return true;
}

cudaError_t rt_work_alloc(struct cudaMemAllocNodeParams *p, rt_work *out)
{
    if (!p || !p->bytesize || p->poolProps.allocType != cudaMemAllocationTypePinned ||
        p->poolProps.location.type != cudaMemLocationTypeDevice || p->poolProps.location.id ||
        p->poolProps.handleTypes) {
        return cudaErrorInvalidValue;
    }
    rt_graph_memory *m = calloc(1, sizeof *m);
    const uint64_t at = m ? mem_alloc(p->bytesize, 256, MEM_DEVICE, NULL) : 0;
    if (!at) {
        free(m);
        return cudaErrorMemoryAllocation;
    }
    *m = (rt_graph_memory){.at = at, .size = p->bytesize, .refs = 1, .next = all};
    all = m;
    counts.reserved += chunks(m->size);
    counts.reserved_most =
        counts.reserved > counts.reserved_most ? counts.reserved : counts.reserved_most;
    p->dptr = (void *)(uintptr_t)at;
    *out = (rt_work){.type = cudaGraphNodeTypeMemAlloc, .alloc = {*p, m}};
    out->alloc.params.accessDescs = NULL; /* the caller's; there is one device */
    out->alloc.params.accessDescCount = 0;
    return cudaSuccess;
}

cudaError_t rt_work_free(const void *at, rt_work *out)
{
    rt_graph_memory *m = find((uint64_t)(uintptr_t)at);
    if (!m || m->has_free) {
        return cudaErrorInvalidValue;
    }
    m->has_free = true;
    rt_graph_memory_ref(m);
    *out = (rt_work){.type = cudaGraphNodeTypeMemFree, .alloc = {.memory = m}};
    return cudaSuccess;
}

/* --- calls --------------------------------------------------------------------------------------
 */

static uint64_t *count_of(enum cudaGraphMemAttributeType attr)
{
    switch (attr) {
    case cudaGraphMemAttrUsedMemCurrent:
        return &counts.used;
    case cudaGraphMemAttrUsedMemHigh:
        return &counts.used_most;
    case cudaGraphMemAttrReservedMemCurrent:
        return &counts.reserved;
    case cudaGraphMemAttrReservedMemHigh:
        return &counts.reserved_most;
    default:
        return NULL;
    }
}

static cudaError_t begin(int device)
{
    cudaError_t e = rt_lock();
    return e ? e : device ? cudaErrorInvalidDevice : cudaSuccess;
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr,
                                           void *value)
{
    cudaError_t e = begin(device);
    const uint64_t *count = count_of(attr);
    if (!e && (!count || !value)) {
        e = cudaErrorInvalidValue;
    }
    if (!e) {
        *(uint64_t *)value = *count;
    }
    return rt_unlock(e);
}

/* A high mark may be set to 0: it begins again at what there is. */
cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr,
                                           void *value)
{
    cudaError_t e = begin(device);
    if (!e && (!value || *(uint64_t *)value ||
               (attr != cudaGraphMemAttrUsedMemHigh && attr != cudaGraphMemAttrReservedMemHigh))) {
        e = cudaErrorInvalidValue;
    }
    if (!e) {
        *count_of(attr) = attr == cudaGraphMemAttrUsedMemHigh ? counts.used : counts.reserved;
    }
    return rt_unlock(e);
}

/* What no node names goes back at once, so there is nothing to trim. */
cudaError_t cudaDeviceGraphMemTrim(int device)
{
    return rt_unlock(begin(device));
}
