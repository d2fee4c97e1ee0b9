/* Finds what wrote device memory while no kernel ran: copies, fills, the host, initial values. */
#include "step.h"
#include "worker.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Most writes that are remembered; older ones are forgotten. */
enum { WRITES_MOST = 1 << 18 };

typedef struct kept_write {
    step_write of;
    uint64_t tick;
} kept_write;

static kept_write *list;
static size_t count, room;

void step_wrote(const step_write *w)
{
    const step_state *s = &step_the;
    if (!s->on) {
        return;
    }
    if (count == WRITES_MOST) {
        memmove(list, list + WRITES_MOST / 2, WRITES_MOST / 2 * sizeof *list);
        count = WRITES_MOST / 2;
    }
    if (count == room) {
        kept_write *more = realloc(list, (2 * room + 64) * sizeof *list);
        if (!more) {
            return;
        }
        list = more;
        room = 2 * room + 64;
    }
    list[count++] = (kept_write){*w, s->launch_order ? s->base + s->count : 0};
}

/* Whether W contains the byte at ADDRESS; *AT becomes the byte's offset in the packed rows. */
static bool covers(const step_write *w, uint64_t address, uint64_t *at)
{
    for (uint64_t z = 0; z < w->depth; z++) {
        const uint64_t slice = w->base + z * w->slice, off = address - slice;
        const uint64_t y = w->height == 1 || !w->pitch ? 0 : off / w->pitch;
        const uint64_t x = off - y * w->pitch;
        if (address >= slice && y < w->height && x < w->width) {
            *at = (z * w->height + y) * w->width + x;
            return true;
        }
    }
    return false;
}

bool step_writes_find(uint64_t address, uint64_t *tick, char *out, size_t size)
{
    uint64_t at;
    for (size_t k = count; k-- > 0;) {
        if (covers(&list[k].of, address, &at)) {
            *tick = list[k].tick;
            snprintf(out, size, "%s", list[k].of.by);
            if (list[k].of.counts) {
                snprintf(out, size, "%s, byte %" PRIu64 " of it", list[k].of.by, at);
            }
            return true;
        }
    }
    return false;
}
