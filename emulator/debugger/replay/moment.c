/* Saves the contents of device memory, so that a launch can be repeated from the same state. */
#include "../../cudart/core/state.h"
#include "../../memory/memory.h"
#include "../../memory/watcher.h"
#include "state.h"

#include <stdlib.h>
#include <string.h>

struct replay_saved_state {
    const mem_map *map;    /* allocations at that time */
    uint8_t **bytes;       /* [map->count] contents of each allocation */
    rt_device_state state; /* state of the emulated device */
    void *recent;          /* which data L2 may still hold; from mem_save_recent_use */
    rec_position at;       /* position of the next record in the recording */
    uint64_t changes, open, differences, compared,
        places;         /* the replay's fields of the same names */
    san_caller call;    /* the recorded call at that time */
    size_t batch_count; /* number of timed operations without times */
};

replay_saved_state *replay_save_state(replay *r)
{
    replay_saved_state *m = calloc(1, sizeof *m);
    const mem_map *map = m ? mem_take_snapshot() : NULL;
    if (!map) {
        free(m);
        return NULL;
    }
    m->map = map;
    m->bytes = calloc(map->count ? map->count : 1, sizeof *m->bytes);
    for (uint32_t k = 0; m->bytes && k < map->count; k++) {
        const mem_range *range = &map->range[k];
        m->bytes[k] = malloc((size_t)range->size);
        if (!m->bytes[k]) {
            replay_free_state(m);
            return NULL;
        }
        memcpy(m->bytes[k], (const void *)(uintptr_t)(range->base + (uint64_t)range->delta),
               (size_t)range->size);
    }
    if (!m->bytes) {
        replay_free_state(m);
        return NULL;
    }
    m->recent = mem_save_recent_use();
    m->state = rt.state;
    m->at = r->at;
    m->changes = r->changes;
    m->open = r->open;
    m->differences = r->differences;
    m->compared = r->compared;
    m->batch_count = r->batch_count;
    m->call = r->call;
    m->places = r->places;
    return m;
}

bool replay_restore_state(replay *r, const replay_saved_state *m)
{
    if (m->changes != r->changes || m->batch_count != r->batch_count)
        return false;
    for (uint32_t k = 0; k < m->map->count; k++) {
        const mem_range *range = &m->map->range[k];
        memcpy((void *)(uintptr_t)(range->base + (uint64_t)range->delta), m->bytes[k],
               (size_t)range->size);
    }
    mem_restore_recent_use(m->recent);
    rt.state = m->state;
    r->open = m->open;
    r->differences = m->differences;
    r->compared = m->compared;
    r->call = m->call;
    r->places = m->places;
    replay_set_position(r, m->at);
    return true;
}

void replay_free_state(replay_saved_state *m)
{
    if (!m)
        return;
    for (uint32_t k = 0; m->bytes && k < m->map->count; k++)
        free(m->bytes[k]);
    free(m->bytes);
    free(m->recent);
    mem_release_snapshot(m->map);
    free(m);
}
