/* Finds what wrote device memory while no kernel ran: copies, fills, the host, initial values. */
#include "step.h"
#include "worker.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Most writes that are remembered; older ones are forgotten. */
enum { MAX_NOTED_WRITES = 1 << 18 };

typedef struct kept_write {
    step_write of;
    uint64_t tick; /* when the write happened */
} kept_write;

static kept_write *noted_writes;
static size_t write_count, room; /* entries used in `noted_writes`; its capacity */

void step_note_write(const step_write *w)
{
    const step_state *s = &step_worker_state;
    if (!s->on) {
        return;
    }
    if (write_count == MAX_NOTED_WRITES) {
        memmove(noted_writes, noted_writes + MAX_NOTED_WRITES / 2,
                MAX_NOTED_WRITES / 2 * sizeof *noted_writes);
        write_count = MAX_NOTED_WRITES / 2;
    }
    if (write_count == room) {
        kept_write *more = realloc(noted_writes, (2 * room + 64) * sizeof *noted_writes);
        if (!more) {
            return;
        }
        noted_writes = more;
        room = 2 * room + 64;
    }
    noted_writes[write_count++] = (kept_write){*w, s->launch_order ? s->base + s->count : 0};
}

/* Whether W contains the byte at ADDRESS; *AT becomes the byte's offset in the packed rows. */
static bool offset_in_write(const step_write *w, uint64_t address, uint64_t *at)
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
    for (size_t k = write_count; k-- > 0;) {
        if (offset_in_write(&noted_writes[k].of, address, &at)) {
            *tick = noted_writes[k].tick;
            snprintf(out, size, "%s", noted_writes[k].of.by);
            if (noted_writes[k].of.counts) {
                snprintf(out, size, "%s, byte %" PRIu64 " of it", noted_writes[k].of.by, at);
            }
            return true;
        }
    }
    return false;
}
