/* Stream-ordered allocation (Runtime API, "Stream Ordered Memory Allocator"). A call allocates at
 * once; memory is freed when the stream reaches the free. A pool only keeps statistics. */
#include "pool.h"
#include "../checks/checks.h"
#include "../core/state.h"
#include "../graphs/capture.h"
#include "release.h"

#include <stdlib.h>

typedef rt_pool pool;

/* An allocation from a pool that has not been freed yet. */
typedef struct rt_pool_alloc {
    uint64_t at, size;           /* address and size in bytes of the allocation */
    uint64_t pool_offset;        /* where it would lie in a pool of consecutive bytes */
    struct rt_pool_alloc *after; /* next allocation of the pool in the order of `pool_offset` */
    pool *from;                  /* pool it came from; NULL: the pool was destroyed */
    rt_op *freeing_op;           /* operation that will free it in stream order; NULL: none */
    uint64_t stream;             /* id of the stream that issued the operation `freeing_op` */
    struct rt_pool_alloc *next;  /* next in the same hash bucket */
} pool_alloc;

/* The data of an operation of cudaFreeAsync. If the same stream has allocated the memory again, the
 * operation notes that nobody has written it since. */
typedef struct pool_free {
    uint64_t at;            /* address of the memory to free; 0: none */
    uint64_t used_at, size; /* memory that was allocated again: address, bytes; 0: none */
    san_caller by;          /* source position of the call that allocated it again */
} pool_free;

/* A pool reserves memory in multiples of this size (bytes). */
#define POOL_CHUNK_BYTES (UINT64_C(32) << 20)

static bool is_default_pool(const pool *p)
{
    return p == &rt.pools.standard || p == &rt.pools.of_host || p == &rt.pools.of_managed;
}

rt_pool *rt_pool_of(cudaMemPool_t handle)
{
    if (is_default_pool((pool *)handle))
        return (pool *)handle;
    for (pool *p = rt.pools.made; p; p = p->next)
        if (p == (pool *)handle)
            return p;
    return NULL;
}

static pool_alloc **find_link_to_pool_alloc(uint64_t at)
{
    pool_alloc **p = &rt.pools.allocations[at / 256 * UINT64_C(0x9E3779B97F4A7C15) >> 54];
    while (*p && (*p)->at != at)
        p = &(*p)->next;
    return p;
}

bool rt_pool_holds(uint64_t at)
{
    return *find_link_to_pool_alloc(at);
}

bool rt_pool_hides_from_device(uint64_t at)
{
    const pool_alloc *a = *find_link_to_pool_alloc(at);
    return a && a->from && a->from->kind == MEM_PINNED && !a->from->open_to_device;
}

static void raise_to_maximum(uint64_t now, uint64_t *ever)
{
    *ever = now > *ever ? now : *ever;
}

static uint64_t round_up_to_chunks(uint64_t size)
{
    return (size + POOL_CHUNK_BYTES - 1) / POOL_CHUNK_BYTES * POOL_CHUNK_BYTES;
}

/* The lowest offset at which SIZE bytes are free in the pool; *BEFORE: the link at which to insert
 * the allocation. */
static uint64_t find_free_offset(pool *p, uint64_t size, pool_alloc ***before)
{
    uint64_t place = 0;
    *before = &p->held;
    while (**before && (**before)->pool_offset < place + size) {
        place = ((**before)->pool_offset + (**before)->size + RT_ALLOCATION_ALIGNMENT - 1) /
                RT_ALLOCATION_ALIGNMENT * RT_ALLOCATION_ALIGNMENT;
        *before = &(**before)->after;
    }
    return place;
}

/* Bytes of all chunks that hold at least part of an allocation. */
static uint64_t pool_bytes_in_use(const pool *p)
{
    uint64_t bytes = 0, end = 0;
    for (const pool_alloc *i = p->held; i; i = i->after) {
        const uint64_t first = i->pool_offset / POOL_CHUNK_BYTES * POOL_CHUNK_BYTES,
                       last = round_up_to_chunks(i->pool_offset + i->size);
        bytes += last > end ? last - (first > end ? first : end) : 0;
        end = last > end ? last : end;
    }
    return bytes;
}

static void record_pool_allocation(pool *p, pool_alloc *new, uint64_t at, uint64_t size)
{
    pool_alloc **end = find_link_to_pool_alloc(at), **before;
    const uint64_t place = find_free_offset(p, size, &before);
    *new = (pool_alloc){
        .at = at, .size = size, .pool_offset = place, .after = *before, .from = p, .next = *end};
    *end = *before = new;
    p->used += size;
    raise_to_maximum(p->used, &p->used_high);
    raise_to_maximum(pool_bytes_in_use(p), &p->reserved);
    raise_to_maximum(p->reserved, &p->reserved_high);
}

void rt_pool_count_freed(uint64_t at)
{
    pool_alloc **p = find_link_to_pool_alloc(at), *gone = *p;
    if (gone) {
        *p = gone->next;
        pool_alloc **held = gone->from ? &gone->from->held : NULL;
        while (held && *held != gone)
            held = &(*held)->after;
        if (held) /* as on an H200, cudaFree does not reduce the used bytes of the pool */
            *held = gone->after;
        rt_op_unref(gone->freeing_op);
        free(gone);
    }
}

/* Free in stream order: the call reduces the used bytes at once; OP frees the memory when the
 * stream reaches it. */
static void free_after_op(uint64_t at, rt_op *op)
{
    pool_alloc *gone = *find_link_to_pool_alloc(at);
    if (gone && gone->from && !gone->freeing_op) {
        gone->from->used -= gone->size;
        gone->freeing_op = rt_op_ref(op);
        gone->stream = op->stream;
    }
}

/* Reuse memory that a queued operation of the same stream will free: no other work of the stream
 * runs in between. Returns its address, or 0. */
static uint64_t reuse_memory_of_pending_free(pool *p, uint64_t size, uint64_t stream)
{
    for (unsigned b = 0; b < RT_POOL_HASH_BUCKETS; b++) {
        for (pool_alloc *i = rt.pools.allocations[b]; i; i = i->next) {
            if (i->from == p && i->size == size && i->freeing_op && i->stream == stream &&
                i->freeing_op->state == RT_PENDING) {
                pool_free *f = i->freeing_op->data;
                *f = (pool_free){.used_at = i->at, .size = size};
                rt_find_position_of_call(&f->by);
                rt_op_unref(i->freeing_op);
                i->freeing_op = NULL;
                p->used += size;
                raise_to_maximum(p->used, &p->used_high);
                return i->at;
            }
        }
    }
    return 0;
}

/* Release unused chunks down to LEAST reserved bytes. */
static void release_unused_chunks(pool *p, uint64_t least)
{
    const uint64_t bytes = pool_bytes_in_use(p), want = least > bytes ? least : bytes;
    p->reserved = want < p->reserved ? want : p->reserved;
}

void rt_pools_release_unused(void)
{
    release_unused_chunks(&rt.pools.standard, rt.pools.standard.release_threshold /
                                                  POOL_CHUNK_BYTES * POOL_CHUNK_BYTES);
    for (pool *p = rt.pools.made; p; p = p->next)
        release_unused_chunks(p, p->release_threshold / POOL_CHUNK_BYTES * POOL_CHUNK_BYTES);
}

void rt_reset_pools(void)
{
    for (unsigned b = 0; b < RT_POOL_HASH_BUCKETS; b++)
        while (rt.pools.allocations[b])
            rt_pool_count_freed(rt.pools.allocations[b]->at);
    while (rt.pools.made) {
        pool *next = rt.pools.made->next;
        free(rt.pools.made);
        rt.pools.made = next;
    }
    rt.pools = (rt_pools_state)RT_POOLS_AT_START;
}

/* Memory is allocated in the order of the stream S: mark the place with an operation that does
 * nothing, for the search for work of other streams that uses the memory without this order. */
static void note_order_of_allocation(rt_stream *s, uint64_t at, uint64_t size)
{
    rt_op *op = rt_is_allocation_order_checked() ? rt_queue_op(s, RT_FREE, 0, NULL) : NULL;
    if (op) {
        op->to = at;
        op->to_bytes = size;
        rt_race_check_allocation(op);
    }
}

/* Memory of the pool's kind. 0: there is not enough. */
static uint64_t allocate_of_kind(mem_kind kind, size_t size)
{
    void *at = NULL;
    if (kind == MEM_DEVICE)
        return mem_alloc(size, RT_ALLOCATION_ALIGNMENT, kind, NULL);
    return rt_allocate_host_memory(&at, size, cudaHostAllocMapped, kind) ? 0
                                                                         : (uint64_t)(uintptr_t)at;
}

static cudaError_t allocate_from_pool(void **out, size_t size, pool *from, rt_stream *s)
{
    if (!out)
        return cudaErrorInvalidValue;
    if (!s)
        return cudaErrorInvalidResourceHandle;
    *out = NULL;
    cudaError_t refused = rt_capture_check_work(s);
    if (refused || !size)
        return refused;
    if (rt_is_capturing(s)) {
        struct cudaMemAllocNodeParams p = {
            .poolProps = {.allocType = cudaMemAllocationTypePinned,
                          .location = {.type = cudaMemLocationTypeDevice}},
            .bytesize = size};
        rt_node_work work;
        if (from->kind != MEM_DEVICE) {
            rt_print_message(
                "cudaMallocFromPoolAsync: graphs that allocate from a pool of the host "
                "or of managed memory are not supported");
            return cudaErrorNotSupported;
        }
        cudaError_t e = rt_make_alloc_work(&p, s->tips->node, s->tips->count, &work);
        e = e ? e : rt_capture_add_node(s, &work);
        *out = e ? NULL : p.dptr;
        return e;
    }
    uint64_t at = reuse_memory_of_pending_free(from, size, s->id);
    if (at) {
        *out = (void *)(uintptr_t)at;
        rt_note_allocation(*out, size);
        return cudaSuccess;
    }
    if (from->limit && round_up_to_chunks(from->used + size) > round_up_to_chunks(from->limit))
        return cudaErrorMemoryAllocation;
    pool_alloc *new = malloc(sizeof *new);
    at = new ? allocate_of_kind(from->kind, size) : 0;
    if (new && !at) { /* frees that are queued in other streams may release enough memory */
        cudaError_t e = rt_finish_all();
        at = e ? 0 : allocate_of_kind(from->kind, size);
        if (e) {
            free(new);
            return e;
        }
    }
    if (!at) {
        free(new);
        return cudaErrorMemoryAllocation;
    }
    record_pool_allocation(from, new, at, size);
    note_order_of_allocation(s, at, size);
    *out = (void *)(uintptr_t)at;
    if (from->kind == MEM_DEVICE)
        rt_note_unwritten_memory(*out, size);
    return cudaSuccess;
}

cudaError_t cudaMallocAsync(void **out, size_t size, cudaStream_t stream)
{
    cudaError_t e = rt_lock();
    return rt_unlock(e ? e : allocate_from_pool(out, size, rt.pools.current, rt_stream_of(stream)));
}

cudaError_t cudaMallocFromPoolAsync(void **out, size_t size, cudaMemPool_t handle,
                                    cudaStream_t stream)
{
    cudaError_t e = rt_lock();
    e = RT_INVALID_IF(e, !rt_pool_of(handle));
    return rt_unlock(e ? e
                       : allocate_from_pool(out, size, rt_pool_of(handle), rt_stream_of(stream)));
}

static void run_pool_free(rt_op *op)
{
    const pool_free *f = op->data;
    rt_take_lock_again();
    if (f->at) {
        rt_race_check_free(op);
        rt_race_check_address_reuse(f->at);
        rt_pool_count_freed(f->at);
        rt_note_queued_free_done(f->at);
    } else if (f->used_at) {
        rt_note_memory_allocated_again(f->used_at, f->size, &f->by);
    }
    const bool host = rt_release_host_memory(f->at);
    rt_release_lock();
    if (!host)
        mem_free_range(f->at);
}

cudaError_t cudaFreeAsync(void *p, cudaStream_t stream)
{
    cudaError_t e = rt_lock();
    rt_stream *s = rt_stream_of(stream);
    mem_range r;
    uint64_t at = (uint64_t)(uintptr_t)p;
    e = RT_ERROR_IF(e, !s, cudaErrorInvalidResourceHandle);
    e = e ? e : rt_capture_check_work(s);
    if (!e && p && rt_is_capturing(s)) {
        rt_node_work work;
        e = rt_make_free_work(p, &work);
        return rt_unlock(e ? e : rt_capture_add_node(s, &work));
    }
    if (!e && rt_graph_memory_free(at, &e))
        return rt_unlock(e);
    if (!e && p &&
        (!mem_find_range(at, &r) || r.base != at ||
         (r.kind != MEM_DEVICE && !*find_link_to_pool_alloc(at)))) {
        rt_report_bad_free("cudaFreeAsync", p);
        e = cudaErrorInvalidValue;
    }
    if (!e && p) {
        rt_op *op = rt_queue_op(s, RT_FREE, sizeof(pool_free), NULL);
        e = op ? cudaSuccess : cudaErrorMemoryAllocation;
        if (op) {
            *(pool_free *)op->data = (pool_free){.at = at};
            op->to = at;
            op->to_bytes = r.size;
            op->run = run_pool_free;
            free_after_op(at, op);
            rt_note_queued_free(p);
        }
    }
    return rt_unlock(e);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *out, int device)
{
    cudaError_t e = rt_lock();
    if (!e && (!out || device))
        e = device ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    return RT_UNLOCK_WITH(e, out, (cudaMemPool_t)&rt.pools.standard);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *out, int device)
{
    cudaError_t e = rt_lock();
    if (!e && (!out || device))
        e = device > 0 ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    return RT_UNLOCK_WITH(e, out, (cudaMemPool_t)rt.pools.current);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t handle)
{
    cudaError_t e = rt_lock();
    pool *p = rt_pool_of(handle);
    if (!e && (device || !p))
        e = device > 0 ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    if (!e)
        rt.pools.current = p;
    return rt_unlock(e);
}

/* The kind of memory of a pool with PROPS, as an H200 takes them. Returns false if it does not. */
static bool find_kind_of_pool(const struct cudaMemPoolProps *props, mem_kind *kind)
{
    const struct cudaMemLocation *l = &props->location;
    const bool managed = props->allocType == cudaMemAllocationTypeManaged;
    *kind = managed ? MEM_MANAGED : l->type == cudaMemLocationTypeDevice ? MEM_DEVICE : MEM_PINNED;
    switch (l->type) {
    case cudaMemLocationTypeNone: return managed;
    case cudaMemLocationTypeDevice:
    case cudaMemLocationTypeHost:
    case cudaMemLocationTypeHostNuma:
        return !l->id && (managed || props->allocType == cudaMemAllocationTypePinned);
    default: return false;
    }
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *out, const struct cudaMemPoolProps *props)
{
    cudaError_t e = rt_lock();
    mem_kind kind = MEM_DEVICE;
    e = RT_INVALID_IF(e, !out || !props || !find_kind_of_pool(props, &kind));
    if (!e && props->handleTypes) {
        rt_print_message("cudaMemPoolCreate: pools that processes share are not supported");
        e = cudaErrorNotSupported;
    }
    if (!e) {
        pool *p = calloc(1, sizeof *p);
        if (p) {
            *p = (pool){
                .kind = kind, .reuse = {1, 1, 1}, .limit = props->maxSize, .next = rt.pools.made};
            rt.pools.made = p;
            *out = (cudaMemPool_t)p;
            rt_note_object(RT_POOL_OBJECT, (uintptr_t)p);
        } else {
            e = cudaErrorMemoryAllocation;
        }
    }
    return rt_unlock(e);
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle)
{
    cudaError_t e = rt_lock();
    pool *p = rt_pool_of(handle);
    e = RT_INVALID_IF(e, !p || is_default_pool(p));
    if (!e) {
        rt_note_object_destroyed(RT_POOL_OBJECT, (uintptr_t)p);
        pool **at = &rt.pools.made;
        while (*at != p)
            at = &(*at)->next;
        *at = p->next;
        rt.pools.current = rt.pools.current == p ? &rt.pools.standard : rt.pools.current;
        for (unsigned b = 0; b < RT_POOL_HASH_BUCKETS; b++)
            for (pool_alloc *i = rt.pools.allocations[b]; i; i = i->next)
                i->from = i->from == p ? NULL : i->from; /* the allocation outlives its pool */
        free(p);
    }
    return rt_unlock(e);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t handle, size_t least)
{
    cudaError_t e = rt_lock();
    pool *p = rt_pool_of(handle);
    e = RT_INVALID_IF(e, !p);
    if (!e) { /* only the statistics of the pool change, because freed memory has been returned to
                 the device already */
        release_unused_chunks(p, least > UINT64_MAX - POOL_CHUNK_BYTES ? least
                                                                       : round_up_to_chunks(least));
    }
    return rt_unlock(e);
}

static int *reuse_flag(pool *p, enum cudaMemPoolAttr attr)
{
    switch (attr) {
    case cudaMemPoolReuseFollowEventDependencies: return &p->reuse[0];
    case cudaMemPoolReuseAllowOpportunistic: return &p->reuse[1];
    case cudaMemPoolReuseAllowInternalDependencies: return &p->reuse[2];
    default: return NULL;
    }
}

static uint64_t *pool_statistic(pool *p, enum cudaMemPoolAttr attr)
{
    switch (attr) {
    case cudaMemPoolAttrUsedMemCurrent: return &p->used;
    case cudaMemPoolAttrUsedMemHigh: return &p->used_high;
    case cudaMemPoolAttrReservedMemCurrent: return &p->reserved;
    case cudaMemPoolAttrReservedMemHigh: return &p->reserved_high;
    default: return NULL;
    }
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, enum cudaMemPoolAttr attr, void *value)
{
    cudaError_t e = rt_lock();
    pool *p = rt_pool_of(handle);
    e = RT_INVALID_IF(e, !p || !value);
    if (!e) {
        int *flag = reuse_flag(p, attr);
        if (flag)
            *flag = *(int *)value;
        else if (attr == cudaMemPoolAttrReleaseThreshold)
            p->release_threshold = *(uint64_t *)value;
        else if (!*(uint64_t *)value && attr == cudaMemPoolAttrUsedMemHigh)
            p->used_high = p->used;
        else if (!*(uint64_t *)value && attr == cudaMemPoolAttrReservedMemHigh)
            p->reserved_high = p->reserved;
        else
            e = cudaErrorInvalidValue;
    }
    return rt_unlock(e);
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, enum cudaMemPoolAttr attr, void *value)
{
    cudaError_t e = rt_lock();
    pool *p = rt_pool_of(handle);
    e = RT_INVALID_IF(e, !p || !value);
    if (!e) {
        const int *flag = reuse_flag(p, attr);
        if (flag)
            *(int *)value = *flag;
        else if (attr == cudaMemPoolAttrReleaseThreshold)
            *(uint64_t *)value = p->release_threshold;
        else if (pool_statistic(p, attr))
            *(uint64_t *)value = *pool_statistic(p, attr);
        else
            e = cudaErrorInvalidValue;
    }
    return rt_unlock(e);
}
