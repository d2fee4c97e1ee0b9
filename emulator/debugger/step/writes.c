/* Finds what wrote device memory while no kernel ran: copies, fills, the host, initial values. */
#include "step.h"

#include "../../base/list.h"
#include "worker.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_REMEMBERED_WRITES = 1 << 18 }; /* most writes remembered; older ones are forgotten */

typedef struct remembered_write {
    step_write of; /* the memory and the writer */
    uint64_t tick; /* number of the moment at which the write happened */
} remembered_write;

static remembered_write *remembered_writes; /* [write_count] writes, oldest first */
static size_t write_count, write_capacity;  /* entries used in `remembered_writes`; its capacity */

void step_note_write(const step_write *w)
{
    const step_state *s = &step_worker_state;
    if (!s->on)
        return;
    if (write_count == MAX_REMEMBERED_WRITES) {
        memmove(remembered_writes, remembered_writes + MAX_REMEMBERED_WRITES / 2,
                MAX_REMEMBERED_WRITES / 2 * sizeof *remembered_writes);
        write_count = MAX_REMEMBERED_WRITES / 2;
    }
    if (!LIST_GROW(remembered_writes, write_capacity, write_count))
        return;
    remembered_writes[write_count++] =
        (remembered_write){*w, s->launch_order ? s->base + s->insn_count : 0};
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

bool step_find_write_outside_kernels(uint64_t address, uint64_t *tick, char *out, size_t size)
{
    uint64_t at;
    for (size_t k = write_count; k-- > 0;) {
        if (offset_in_write(&remembered_writes[k].of, address, &at)) {
            *tick = remembered_writes[k].tick;
            snprintf(out, size, "%s", remembered_writes[k].of.by);
            if (remembered_writes[k].of.counts)
                snprintf(out, size, "%s, byte %" PRIu64 " of it", remembered_writes[k].of.by, at);
            return true;
        }
    }
    return false;
}
