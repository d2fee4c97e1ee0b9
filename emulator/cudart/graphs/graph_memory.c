/* Memory that graphs allocate and free (Programming Guide, "Graph Memory Nodes"). An allocation
 * gets its address when its node is created. A launch makes the allocation live; a free node,
 * cudaFree or cudaFreeAsync ends that. The addresses are released when no node refers to them. */
#include "../../memory/memory.h"
#include "../checks/checks.h"
#include "../core/state.h"
#include "graph.h"

#include <stdlib.h>

/* Graph memory is reserved in multiples of this size. */
#define MEMORY_CHUNK_BYTES (UINT64_C(2) << 20)

/* Device memory that an allocation node of a graph allocates. */
struct rt_graph_memory {
    uint64_t at;                  /* device address of the allocation */
    uint64_t size;                /* size of the allocation in bytes */
    unsigned refs;                /* number of references to the allocation */
    bool live;                    /* allocated by a launch and not freed yet */
    bool has_free;                /* a graph node frees this allocation */
    bool is_address_reused;       /* a later allocation of the same graph reuses the address */
    rt_graph_memory *root;        /* the allocation whose addresses it reuses; NULL: it owns them */
    san_caller by;                /* source position of the call that made the allocation node */
    struct rt_graph_memory *next; /* next in the list of all such allocations */
};

static uint64_t round_up_to_memory_chunks(uint64_t size)
{
    return (size + MEMORY_CHUNK_BYTES - 1) / MEMORY_CHUNK_BYTES * MEMORY_CHUNK_BYTES;
}

uint64_t rt_graph_memory_address(const rt_graph_memory *m)
{
    return m->at;
}

bool rt_graph_memory_is_live(const rt_graph_memory *m)
{
    return m->live;
}

void rt_graph_memory_ref(rt_graph_memory *m)
{
    m->refs++;
}

static void release_graph_memory(rt_graph_memory *m)
{
    if (m->refs || m->live)
        return;
    for (rt_graph_memory **p = &rt.graphs.memory; *p; p = &(*p)->next) {
        if (*p == m) {
            *p = m->next;
            break;
        }
    }
    if (m->root) {
        rt_graph_memory_unref(m->root);
    } else {
        rt_note_queued_free_done(m->at);
        mem_free_range(m->at);
    }
    free(m);
}

void rt_graph_memory_unref(rt_graph_memory *m)
{
    m->refs--;
    release_graph_memory(m);
}

static void set_graph_memory_live(rt_graph_memory *m, bool live)
{
    m->live = live;
}

/* The memory of an operation that allocates or frees graph memory. Contents become undefined. */
typedef struct memory_op {
    uint64_t at;   /* device address of the memory */
    uint64_t size; /* size of the memory in bytes */
    san_caller by; /* source position of the call that made the allocation node */
} memory_op;

static void run_memory_op(rt_op *op)
{
    const memory_op *o = op->data;
    rt_take_lock_again();
    rt_note_memory_allocated_again(o->at, o->size, &o->by);
    rt_release_lock();
}

bool rt_graph_memory_queue_op(rt_graph_memory *m, bool live, rt_stream *s)
{
    set_graph_memory_live(m, live);
    rt_op *op = rt_queue_op(s, RT_EVENT_WAIT, sizeof(memory_op), NULL);
    if (op) {
        *(memory_op *)op->data = (memory_op){m->at, m->size, m->by};
        op->run = run_memory_op;
    }
    return op;
}

static uint64_t live_graph_bytes(void)
{
    uint64_t sum = 0;
    for (const rt_graph_memory *m = rt.graphs.memory; m; m = m->next) {
        /* Among allocations that share an address, at most one is live. */
        sum += m->live ? round_up_to_memory_chunks(m->size) : 0;
    }
    return sum;
}

uint64_t rt_graph_temporary_bytes(const rt_graph *g)
{
    uint64_t sum = 0;
    for (const rt_node *n = g->has_memory ? g->first : NULL; n; n = n->next)
        if (n->work.type == cudaGraphNodeTypeMemAlloc && !n->work.alloc.memory->live &&
            !n->work.alloc.memory->root)
            sum += round_up_to_memory_chunks(n->work.alloc.memory->size);
    return sum;
}

void rt_graph_memory_reserve(uint64_t temporary_bytes)
{
    const uint64_t need = live_graph_bytes() + temporary_bytes;
    rt.graphs.footprint = need > rt.graphs.footprint ? need : rt.graphs.footprint;
    for (size_t i = 0; i < 2; i++) {
        rt.graphs.footprint_high[i] = rt.graphs.footprint > rt.graphs.footprint_high[i]
                                          ? rt.graphs.footprint
                                          : rt.graphs.footprint_high[i];
    }
}

void rt_graph_memory_trim(uint64_t temporary_bytes)
{
    const uint64_t need = live_graph_bytes() + temporary_bytes;
    rt.graphs.footprint = need < rt.graphs.footprint ? need : rt.graphs.footprint;
}

/* The allocation at address AT: the live one if there are several, else the newest. */
static rt_graph_memory *find_graph_memory(uint64_t at)
{
    rt_graph_memory *found = NULL;
    for (rt_graph_memory *m = rt.graphs.memory; m && !(found && found->live); m = m->next)
        if (m->at == at && (!found || m->live))
            found = m;
    return found;
}

bool rt_graph_memory_is_unused(uint64_t at)
{
    bool any = false, live = false;
    for (const rt_graph_memory *m = rt.graphs.memory; m; m = m->next) {
        if (at - m->at < m->size) {
            any = true;
            live = live || m->live;
        }
    }
    return any && !live;
}

bool rt_graph_memory_free(uint64_t at, cudaError_t *e)
{
    rt_graph_memory *m = find_graph_memory(at);
    if (!m)
        return false;
    *e = m->live ? cudaSuccess : cudaErrorInvalidValue;
    set_graph_memory_live(m, false);
    release_graph_memory(m);
    return true;
}

static bool graph_allocates(const rt_graph *g, const rt_graph_memory *m)
{
    const rt_node *n = g->first;
    while (n && !(n->work.type == cudaGraphNodeTypeMemAlloc && n->work.alloc.memory == m))
        n = n->next;
    return n != NULL;
}

/* Find memory of the same graph and size that is freed before all nodes that depend on DEPS: a new
 * allocation there reuses its address. */
static rt_graph_memory *find_reusable_memory(rt_node *const *deps, size_t n, uint64_t size)
{
    for (size_t i = 0; i < n; i++)
        if (!deps || !rt_handle_is_valid(deps[i], RT_HANDLE_NODE) ||
            deps[i]->graph != deps[0]->graph)
            return NULL; /* the error is returned when the node is added */
    const rt_graph *g = n ? deps[0]->graph : NULL;
    rt_node **open = g ? malloc(g->count * sizeof(void *)) : NULL;
    rt_graph_memory *found = NULL;
    size_t count = 0;
    for (rt_node *i = open ? g->first : NULL; i; i = i->next)
        i->mark = 0;
    for (size_t i = 0; open && i < n; i++) {
        count += !deps[i]->mark;
        open[count - 1] = deps[i];
        deps[i]->mark = 1;
    }
    while (count && !found) {
        const rt_node *at = open[--count];
        rt_graph_memory *m =
            at->work.type == cudaGraphNodeTypeMemFree ? at->work.alloc.memory : NULL;
        if (m && !m->is_address_reused && m->size >= size &&
            round_up_to_memory_chunks(m->size) == round_up_to_memory_chunks(size) &&
            graph_allocates(g, m))
            found = m;
        for (uint32_t i = 0; i < at->dep_count; i++) {
            if (!at->dep[i]->mark) {
                at->dep[i]->mark = 1;
                open[count++] = at->dep[i];
            }
        }
    }
    free(open);
    return found;
}

cudaError_t rt_make_alloc_work(struct cudaMemAllocNodeParams *p, rt_node *const *deps, size_t n,
                               rt_node_work *out)
{
    if (!p || !p->bytesize || p->poolProps.allocType != cudaMemAllocationTypePinned ||
        p->poolProps.location.type != cudaMemLocationTypeDevice || p->poolProps.location.id ||
        p->poolProps.handleTypes)
        return cudaErrorInvalidValue;
    rt_graph_memory *m = calloc(1, sizeof *m);
    rt_graph_memory *before = m ? find_reusable_memory(deps, n, p->bytesize) : NULL;
    const uint64_t at = before ? before->at
                        : m    ? mem_alloc(p->bytesize, RT_ALLOCATION_ALIGNMENT, MEM_DEVICE, NULL)
                               : 0;
    if (!at) {
        free(m);
        return cudaErrorMemoryAllocation;
    }
    *m = (rt_graph_memory){.at = at, .size = p->bytesize, .refs = 1, .next = rt.graphs.memory};
    rt.graphs.memory = m;
    if (rt.sanitize)
        rt_find_position_of_call(&m->by);
    if (before) {
        before->is_address_reused = true;
        m->root = before->root ? before->root : before;
        rt_graph_memory_ref(m->root);
    }
    p->dptr = (void *)(uintptr_t)at;
    *out = (rt_node_work){.type = cudaGraphNodeTypeMemAlloc, .alloc = {*p, m}};
    /* The list belongs to the caller, and there is one device that can be granted access. */
    out->alloc.params.accessDescs = NULL;
    out->alloc.params.accessDescCount = 0;
    return cudaSuccess;
}

cudaError_t rt_make_free_work(const void *at, rt_node_work *out)
{
    /* find the newest allocation at this address that no graph node frees */
    rt_graph_memory *m = rt.graphs.memory;
    while (m && (m->at != (uint64_t)(uintptr_t)at || m->has_free))
        m = m->next;
    if (!m)
        return cudaErrorInvalidValue;
    m->has_free = true;
    rt_graph_memory_ref(m);
    *out = (rt_node_work){.type = cudaGraphNodeTypeMemFree, .alloc = {.memory = m}};
    return cudaSuccess;
}

/* --- calls ------------------------------------------------------------------------------------ */

static uint64_t *attribute_value_of(enum cudaGraphMemAttributeType attr)
{
    switch (attr) {
    case cudaGraphMemAttrUsedMemCurrent: return &rt.graphs.footprint;
    case cudaGraphMemAttrUsedMemHigh: return &rt.graphs.footprint_high[0];
    case cudaGraphMemAttrReservedMemCurrent: return &rt.graphs.footprint;
    case cudaGraphMemAttrReservedMemHigh: return &rt.graphs.footprint_high[1];
    default: return NULL;
    }
}

static cudaError_t lock_and_check_device(int device)
{
    cudaError_t e = rt_lock();
    return e ? e : device ? cudaErrorInvalidDevice : cudaSuccess;
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr,
                                           void *value)
{
    cudaError_t e = lock_and_check_device(device);
    const uint64_t *count = attribute_value_of(attr);
    e = RT_INVALID_IF(e, !count || !value);
    if (!e)
        *(uint64_t *)value = *count;
    return rt_unlock(e);
}

/* The only valid value is 0: it resets a maximum to the current value. */
cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr,
                                           void *value)
{
    cudaError_t e = lock_and_check_device(device);
    if (!e && (!value || *(uint64_t *)value ||
               (attr != cudaGraphMemAttrUsedMemHigh && attr != cudaGraphMemAttrReservedMemHigh)))
        e = cudaErrorInvalidValue;
    if (!e)
        *attribute_value_of(attr) = rt.graphs.footprint;
    return rt_unlock(e);
}

cudaError_t cudaDeviceGraphMemTrim(int device)
{
    cudaError_t e = lock_and_check_device(device);
    if (!e)
        rt_graph_memory_trim(rt_temporary_bytes_of_launches(NULL));
    return rt_unlock(e);
}
