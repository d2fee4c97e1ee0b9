/* A set of pointers, as a hash table with open addressing; a removed entry leaves a tombstone. */
#include "handle.h"

#include <stdint.h>
#include <stdlib.h>

typedef struct slot {
    const void *p;  /* NULL: the slot is free */
    rt_handle what; /* RT_HANDLE_NONE: a tombstone */
} slot;

static slot *table;
static size_t size, used; /* slots (a power of two), and how many of them are not free */

static slot *find(const void *p)
{
    size_t i = (size_t)(((uintptr_t)p >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (size - 1);
    while (table[i].p && table[i].p != p) {
        i = (i + 1) & (size - 1);
    }
    return &table[i];
}

static bool grow(void)
{
    slot *old = table;
    const size_t before = size;
    size_t live = 0;
    for (size_t i = 0; i < before; i++) {
        live += old[i].what != RT_HANDLE_NONE;
    }
    const size_t want = live * 4 < 64 ? 64 : before * (live * 2 >= before ? 2 : 1);
    slot *bigger = calloc(want, sizeof *bigger);
    if (!bigger) {
        return false;
    }
    table = bigger;
    size = want;
    used = live;
    for (size_t i = 0; i < before; i++) {
        if (old[i].what != RT_HANDLE_NONE) {
            *find(old[i].p) = old[i];
        }
    }
    free(old);
    return true;
}

bool rt_handle_add(const void *p, rt_handle what)
{
    if (used * 4 >= size * 3 && !grow()) {
        return false;
    }
    slot *s = find(p);
    used += !s->p;
    *s = (slot){p, what};
    return true;
}

void rt_handle_remove(const void *p)
{
    if (size && p) {
        slot *s = find(p);
        if (s->p) {
            s->what = RT_HANDLE_NONE;
        }
    }
}

bool rt_handle_is(const void *p, rt_handle what)
{
    return p && size && find(p)->what == what;
}
