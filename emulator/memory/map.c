/* Snapshots of the list of live allocations. The first request after a change makes a snapshot;
 * later requests share it until the next change. */
#include "../base/lock.h"
#include "state.h"
#include "watcher.h"

#include <stdlib.h>

/* A snapshot with its reference count. */
typedef struct shared_map {
    mem_map map;      /* the first member, so that a mem_map pointer is also a shared_map pointer */
    uint64_t users;   /* number of references to the snapshot */
    uint64_t changes; /* value of mem_state_shared.changes when the snapshot was made */
    mem_range range[]; /* [map.count] copies of the live ranges, sorted by address */
} shared_map;

/* The newest snapshot of each kind: of all live ranges, and of what kernels may access. Each holds
 * a reference (`users`); guarded by mem_state_shared.lock. */
static shared_map *last_map, *last_kernel_map;

static void drop_shared_map(shared_map *m)
{
    if (m && __atomic_sub_fetch(&m->users, 1, __ATOMIC_ACQ_REL) == 0)
        free(m);
}

static shared_map *new_shared_map(bool for_kernel)
{
    const mem_list *live = &mem_state_shared.live;
    shared_map *m = malloc(sizeof *m + live->count * sizeof *m->range);
    if (!m)
        return NULL;
    for (size_t k = 0; k < live->count; k++) {
        mem_range *r = &m->range[k];
        *r = live->range[k];
        if (for_kernel) {
            r->base += r->front;
            r->size -= r->front + r->back;
        } else {
            r->front = r->back = 0;
        }
    }
    m->map = (mem_map){.count = (uint32_t)live->count, .range = m->range};
    m->users = 1;
    m->changes = mem_state_shared.changes;
    return m;
}

static const mem_map *reuse_or_make_map(shared_map **last, bool for_kernel)
{
    HOLD_LOCK(&mem_state_shared.lock);
    if (!*last || (*last)->changes != mem_state_shared.changes) {
        drop_shared_map(*last);
        *last = new_shared_map(for_kernel);
    }
    shared_map *m = *last;
    if (m)
        __atomic_add_fetch(&m->users, 1, __ATOMIC_RELAXED);
    return m ? &m->map : NULL;
}

const mem_map *mem_take_snapshot(void)
{
    return reuse_or_make_map(&last_map, false);
}

const mem_map *mem_take_kernel_snapshot(void)
{
    return mem_has_guard_zones() ? reuse_or_make_map(&last_kernel_map, true) : mem_take_snapshot();
}

void mem_release_snapshot(const mem_map *map)
{
    drop_shared_map((shared_map *)(uintptr_t)map);
}

static const mem_range *report_found_range(const mem_range *r)
{
    if (mem_current_watcher && r->delta == 0)
        mem_current_watcher->host_range(r);
    return r;
}

const mem_range *mem_find_of_overflowed_index(const mem_map *map, uint32_t bytes, uint64_t *address)
{
    enum { MULTIPLES = 16 /* most overflows that are looked for */ };
    for (uint64_t k = 1; bytes && k <= MULTIPLES; k++) {
        const uint64_t meant = *address + (k * bytes << 32);
        const size_t at = mem_first_above(map->range, map->count, meant);
        const mem_range *r = at ? &map->range[at - 1] : NULL;
        if (r && meant - r->base < r->size && meant - r->base >= (uint64_t)bytes << 31) {
            *address = meant;
            return r;
        }
    }
    return NULL;
}

const mem_range *mem_find_in_snapshot(const mem_map *map, uint64_t address)
{
    size_t at = mem_first_above(map->range, map->count, address);
    if (at == 0 || address - map->range[at - 1].base >= map->range[at - 1].size)
        return NULL;
    return report_found_range(&map->range[at - 1]);
}

const mem_range *mem_find_guarded_in_snapshot(const mem_map *map, uint64_t address)
{
    const size_t above = mem_first_above(map->range, map->count, address);
    for (size_t k = above ? above - 1 : 0; k <= above && k < map->count; k++) {
        const mem_range *r = &map->range[k];
        if (address - (r->base - r->front) < r->front + r->size + r->back)
            return report_found_range(r);
    }
    return NULL;
}
