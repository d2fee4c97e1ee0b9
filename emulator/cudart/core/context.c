/* The device's contexts, each thread's stack of them, and which owns which memory (context.h). */
#include "context.h"
#include "../../memory/memory.h"
#include "../checks/checks.h"
#include "state.h"

#include <stdlib.h>

#define MAX_CONTEXT_STACK_DEPTH 256 /* maximum number of contexts that a thread can push */

/* Device memory that was allocated while a context of cuCtxCreate was current. */
typedef struct rt_owned_memory {
    uint64_t address;             /* first address of the device memory */
    const rt_context *owner;      /* the context that owns the memory */
    struct rt_owned_memory *next; /* next in the list of such memory */
} owned_memory;

/* A context that cuCtxCreate made. */
typedef struct rt_context_node {
    rt_context context;           /* the context */
    struct rt_context_node *next; /* next in the list of such contexts */
} context_node;

/* A thread has its own context stack (cuCtxPushCurrent) and its own state of the current call. */
static __thread rt_context *context_stack[MAX_CONTEXT_STACK_DEPTH];
static __thread unsigned context_count; /* number of contexts on this thread's stack */
static __thread bool is_driver_call;    /* the driver API makes the current call of the runtime */
static __thread cudaError_t
    saved_last_error; /* last error to restore after the driver API's call */

RT_API double __cudaWarpbookHostMs(void);

/* Milliseconds of host time that context creation would have cost so far: the profile's context_ms
 * for each context created. The emulator does not sleep for this time. */
double __cudaWarpbookHostMs(void)
{
    rt_take_lock_again();
    double ms = rt.contexts.host_ms;
    rt_release_lock();
    return ms;
}

static void init_context(rt_context *c)
{
    c->live = true;
    rt.contexts.host_ms += rt.profile.context_ms;
}

rt_context *rt_context_new(unsigned flags)
{
    context_node *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->context.flags = flags;
    m->next = rt.contexts.made;
    rt.contexts.made = m;
    init_context(&m->context);
    return &m->context;
}

bool rt_is_context(const rt_context *c)
{
    if (c == &rt.contexts.primary)
        return true;
    for (const context_node *m = rt.contexts.made; m; m = m->next)
        if (&m->context == c)
            return true;
    return false;
}

void rt_context_destroy(rt_context *c)
{
    rt_finish_all();
    rt_destroy_streams_of_context(c);
    rt_destroy_modules_of_context(c);
    for (owned_memory **p = &rt.contexts.owned_memory_list; *p;) {
        owned_memory *h = *p;
        if (h->owner == c) {
            *p = h->next;
            rt_note_free((const void *)(uintptr_t)h->address);
            mem_free_range(h->address);
            free(h);
        } else {
            p = &h->next;
        }
    }
    c->live = false;
    if (rt_context_current() == c)
        rt_context_pop();
}

/* --- the context stack of a thread ------------------------------------------------------------ */

rt_context *rt_context_current(void)
{
    return context_count ? context_stack[context_count - 1] : NULL;
}

bool rt_context_push(rt_context *c)
{
    if (context_count == MAX_CONTEXT_STACK_DEPTH)
        return false;
    context_stack[context_count++] = c;
    return true;
}

rt_context *rt_context_pop(void)
{
    return context_count ? context_stack[--context_count] : NULL;
}

bool rt_context_set(rt_context *c)
{
    if (c && !context_count)
        return rt_context_push(c);
    if (c)
        context_stack[context_count - 1] = c;
    else
        rt_context_pop();
    return true;
}

/* --- the primary context ---------------------------------------------------------------------- */

void rt_primary_context_use_by_runtime(void)
{
    if (!rt.contexts.primary.live)
        init_context(&rt.contexts.primary);
    rt.contexts.runtime_uses = true;
}

void rt_primary_context_retain(void)
{
    if (!rt.contexts.primary.live)
        init_context(&rt.contexts.primary);
    rt.contexts.retains++;
}

bool rt_primary_context_release(void)
{
    if (!rt.contexts.retains)
        return false;
    rt.contexts.retains--;
    return true;
}

void rt_primary_context_destroy(void)
{
    rt.contexts.primary.live = false;
    rt.contexts.runtime_uses = false;
}

bool rt_primary_context_is_unused(void)
{
    return rt.contexts.primary.live && !rt.contexts.retains && !rt.contexts.runtime_uses;
}

cudaError_t rt_context_make_current(void)
{
    rt_context *c = rt_context_current();
    if (is_driver_call)
        return cudaSuccess; /* the driver API has checked the context already */
    if (c && !c->primary)
        return c->live ? cudaSuccess : cudaErrorContextIsDestroyed;
    if (!c)
        rt_context_push(&rt.contexts.primary);
    rt_primary_context_use_by_runtime();
    return cudaSuccess;
}

void *rt_current_owner_context(void)
{
    rt_context *c = rt_context_current();
    return c && !c->primary ? c : NULL;
}

void rt_begin_driver_call(void)
{
    is_driver_call = true;
    saved_last_error = rt_swap_last_error(cudaSuccess);
}

void rt_end_driver_call(void)
{
    is_driver_call = false;
    rt_swap_last_error(saved_last_error);
}

/* --- memory ----------------------------------------------------------------------------------- */

void rt_note_owned_memory(uint64_t address)
{
    const rt_context *c = rt_current_owner_context();
    owned_memory *h = c && address ? malloc(sizeof *h) : NULL;
    if (h) { /* if malloc failed, the memory has no owner and stays until the program frees it */
        *h = (owned_memory){address, c, rt.contexts.owned_memory_list};
        rt.contexts.owned_memory_list = h;
    }
}

void rt_drop_memory_owner(uint64_t address)
{
    for (owned_memory **p = &rt.contexts.owned_memory_list; *p; p = &(*p)->next) {
        if ((*p)->address == address) {
            owned_memory *h = *p;
            *p = h->next;
            free(h);
            return;
        }
    }
}

rt_context *rt_memory_owner(uint64_t address)
{
    for (const owned_memory *h = rt.contexts.owned_memory_list; h; h = h->next)
        if (h->address == address)
            return rt_without_const(h->owner);
    return NULL;
}
