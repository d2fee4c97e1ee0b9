/* The set of valid handles, as a hash table with open addressing. A removed handle keeps its slot,
 * with RT_HANDLE_NONE as its kind. */
#include "handle.h"

#include "state.h"

#include <stdint.h>
#include <stdlib.h>

/* A slot of the hash table. */
typedef struct rt_handle_slot {
    const void *p;       /* the handle; NULL: the slot is free */
    rt_handle_kind kind; /* what the handle refers to; RT_HANDLE_NONE: it was removed */
} handle_slot;

static handle_slot *find_handle_slot(const void *p)
{
    size_t i =
        (size_t)(((uintptr_t)p >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (rt.handles.size - 1);
    while (rt.handles.table[i].p && rt.handles.table[i].p != p)
        i = (i + 1) & (rt.handles.size - 1);
    return &rt.handles.table[i];
}

static bool grow_handle_table(void)
{
    handle_slot *old = rt.handles.table;
    const size_t before = rt.handles.size;
    size_t live = 0;
    for (size_t i = 0; i < before; i++)
        live += old[i].kind != RT_HANDLE_NONE;
    const size_t want = live * 4 < 64 ? 64 : before * (live * 2 >= before ? 2 : 1);
    handle_slot *bigger = calloc(want, sizeof *bigger);
    if (!bigger)
        return false;
    rt.handles.table = bigger;
    rt.handles.size = want;
    rt.handles.used = live;
    for (size_t i = 0; i < before; i++)
        if (old[i].kind != RT_HANDLE_NONE)
            *find_handle_slot(old[i].p) = old[i];
    free(old);
    return true;
}

bool rt_handle_add(const void *p, rt_handle_kind what)
{
    if (rt.handles.used * 4 >= rt.handles.size * 3 && !grow_handle_table())
        return false;
    handle_slot *s = find_handle_slot(p);
    rt.handles.used += !s->p;
    *s = (handle_slot){p, what};
    return true;
}

void rt_handle_remove(const void *p)
{
    if (rt.handles.size && p) {
        handle_slot *s = find_handle_slot(p);
        if (s->p)
            s->kind = RT_HANDLE_NONE;
    }
}

bool rt_handle_is_valid(const void *p, rt_handle_kind what)
{
    return p && rt.handles.size && find_handle_slot(p)->kind == what;
}
