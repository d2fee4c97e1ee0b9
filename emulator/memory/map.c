/* Snapshots of the list of live allocations. The first request after a change makes a snapshot;
 * later requests share it until the next change. */
#include "state.h"
#include "watcher.h"

#include <stdlib.h>
#include <string.h>

typedef struct shared_map {
    mem_map map;    /* the first member, so that a mem_map pointer is also a shared_map pointer */
    uint64_t users; /* reference count */
    mem_range range[];
} shared_map;

static shared_map *current_map; /* counted in its own `users`; guarded by mem_state_shared.lock */

static void drop_map(shared_map *m)
{
    if (m && __atomic_sub_fetch(&m->users, 1, __ATOMIC_ACQ_REL) == 0) {
        free(m);
    }
}

const mem_map *mem_map_take(void)
{
    pthread_mutex_lock(&mem_state_shared.lock);
    if (!current_map || mem_state_shared.changed) {
        size_t count = mem_state_shared.live.count;
        shared_map *m = malloc(sizeof *m + count * sizeof *m->range);
        if (m) {
            if (count > 0) {
                memcpy(m->range, mem_state_shared.live.range, count * sizeof *m->range);
            }
            m->map = (mem_map){.count = (uint32_t)count, .range = m->range};
            m->users = 1;
            drop_map(current_map);
            current_map = m;
            mem_state_shared.changed = false;
        }
    }
    shared_map *m = mem_state_shared.changed ? NULL : current_map;
    if (m) {
        __atomic_add_fetch(&m->users, 1, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&mem_state_shared.lock);
    return m ? &m->map : NULL;
}

void mem_map_release(const mem_map *map)
{
    drop_map((shared_map *)(uintptr_t)map);
}

const mem_range *mem_map_find(const mem_map *map, uint64_t address)
{
    size_t at = mem_first_above(map->range, map->count, address);
    if (at == 0 || address - map->range[at - 1].base >= map->range[at - 1].size) {
        return NULL;
    }
    if (mem_watched && map->range[at - 1].delta == 0) {
        mem_watched->host_range(&map->range[at - 1]);
    }
    return &map->range[at - 1];
}
