/* The lists of cp.async copies in flight, one list for each warp of a block, and when the copies
 * are completed. */
#include "copies.h"

#include "../../base/list.h"
#include "../../core/observer.h"
#include "../../observe/observe.h"
#include "../fault.h"

#include <stdlib.h>
#include <string.h>

typedef struct copy_queue {
    sm_copy *list; /* [count] copies in the order of issue */
    uint32_t count;
    uint32_t committed[SM_LANES]; /* number of groups that each lane has committed */
} copy_queue;

/* The cp.async copies in flight of a block. */
struct sm_copies {
    uint32_t arrivals; /* number of mbarrier arrivals in all queues that wait for copies */
    copy_queue warp[]; /* [warp_count] the copies of each warp */
};

/* The queue of warp W; NULL: no warp of the block has issued a copy. */
static copy_queue *copy_queue_of(const sm_warp *w)
{
    struct sm_copies *c = w->block->copies;
    return c ? &c->warp[w->index] : NULL;
}

static bool complete_older_copies(sm_warp *w, copy_queue *q);

sm_copy *sm_copies_add(sm_warp *w, const sm_insn *i, uint32_t bytes)
{
    sm_block *b = w->block;
    if (!b->copies)
        b->copies = calloc(1, sizeof *b->copies + b->warp_count * sizeof b->copies->warp[0]);
    copy_queue *q = copy_queue_of(w);
    if (q && q->count >= SM_MAX_COPIES && !complete_older_copies(w, q))
        return NULL;
    sm_copy *c = q ? LIST_ADD(q->list, q->count) : NULL;
    if (!c) {
        sm_stop_grid(b->grid, b, SM_FAULT_MEMORY,
                     "The host is out of memory: no room for asynchronous copies in flight.");
        return NULL;
    }
    c->insn = i;
    c->from_low = c->from_high = 0;
    c->lanes = 0;
    c->bytes = bytes;
    memset(c->group, 0, sizeof c->group);
    w->block->copies->arrivals += bytes == 0;
    return c;
}

void sm_copies_commit(sm_warp *w)
{
    copy_queue *q = copy_queue_of(w);
    for (uint32_t m = q ? w->mask : 0; m; m &= m - 1) {
        const uint32_t l = (uint32_t)__builtin_ctz(m), group = ++q->committed[l];
        for (uint32_t k = q->count; k > 0 && !q->list[k - 1].group[l]; k--)
            q->list[k - 1].group[l] = group;
    }
}

/* --- landing ---------------------------------------------------------------------------------- */

static void complete_copy(sm_warp *w, sm_copy *c, uint32_t lanes, sm_landing why)
{
    if (w->block->observed)
        observe_copies_land(w, c->insn, lanes, c->offset, c->bytes, why);
    SM_EACH_LANE(l, lanes)
        memcpy(w->block->shared + c->offset[l], c->data[l], c->bytes);
    w->worker->shared_changes++;
}

static bool arrive_at_mbarrier(sm_warp *w, const sm_copy *c, uint32_t lanes)
{
    bool good = true;
    for (uint32_t m = lanes; m && good; m &= m - 1) {
        const uint32_t l = (uint32_t)__builtin_ctz(m);
        const sm_mbarrier at = {w->block, c->offset[l]};
        good = sm_mbarrier_arrive(w, c->insn, l, &at, 1, false, false);
    }
    w->worker->shared_changes++;
    return good;
}

/* Selects the copies of a warp that become visible now: in lane l the list entries before before[l]
 * or, if BEFORE is NULL, the groups up to last[l] of the lanes LANES. */
typedef struct due_copies {
    const uint32_t *before; /* [SM_LANES] index of the first list entry that is not due; or NULL */
    const uint32_t *last;   /* [SM_LANES] number of the last group that is due */
    uint32_t lanes;         /* lanes whose copies may become visible */
    sm_landing why;         /* why the copies become visible */
} due_copies;

static uint32_t lanes_with_due_copy(const due_copies *d, const sm_copy *c, uint32_t k)
{
    uint32_t lanes = 0;
    SM_EACH_LANE(l, c->lanes & d->lanes) {
        const bool is = d->before ? k < d->before[l] : c->group[l] && c->group[l] <= d->last[l];
        lanes |= (uint32_t)is << l;
    }
    return lanes;
}

/* Complete the copies that D selects. An arrival waits for earlier copies of its lane. */
static bool complete_due_copies(sm_warp *w, copy_queue *q, const due_copies *d)
{
    uint32_t kept = 0,
             left = 0; /* number of list entries that stay in flight; lanes with such copies */
    bool good = true;
    for (uint32_t k = 0; k < q->count; k++) {
        sm_copy *c = &q->list[k];
        const uint32_t lanes = !good      ? 0
                               : c->bytes ? lanes_with_due_copy(d, c, k)
                                          : c->lanes & ~left;
        c->lanes &= ~lanes;
        if (c->bytes)
            left |= c->lanes;
        if (lanes && c->bytes)
            complete_copy(w, c, lanes, d->why);
        else if (lanes)
            good = arrive_at_mbarrier(w, c, lanes);
        if (c->lanes && kept++ != k)
            q->list[kept - 1] = *c;
        w->block->copies->arrivals -= !c->lanes && !c->bytes;
    }
    q->count = kept;
    return good;
}

static bool complete_older_copies(sm_warp *w, copy_queue *q)
{
    uint32_t before[SM_LANES];
    for (uint32_t l = 0; l < SM_LANES; l++)
        before[l] = q->count / 2;
    const due_copies d = {.before = before, .lanes = SM_FULL, .why = SM_LANDS_WITHOUT_WAIT};
    return complete_due_copies(w, q, &d);
}

bool sm_copies_complete_groups(sm_warp *w, const uint32_t keep[SM_LANES])
{
    copy_queue *q = copy_queue_of(w);
    uint32_t last[SM_LANES] = {0};
    if (!q || !q->count)
        return true;
    SM_EACH_LANE(l, w->mask)
        last[l] = q->committed[l] > keep[l] ? q->committed[l] - keep[l] : 0;
    const due_copies d = {.last = last, .lanes = w->mask, .why = SM_LANDS_AT_WAIT};
    return complete_due_copies(w, q, &d);
}

bool sm_copies_complete_for_mbarrier(const sm_mbarrier *m)
{
    sm_block *b = m->block;
    bool good = true;
    for (uint32_t n = 0; b->copies && b->copies->arrivals && n < b->warp_count && good; n++) {
        copy_queue *q = &b->copies->warp[n];
        uint32_t before[SM_LANES] = {0}, lanes = 0;
        for (uint32_t k = 0; k < q->count; k++) {
            SM_EACH_LANE(l, q->list[k].bytes ? 0 : q->list[k].lanes) {
                const bool here = q->list[k].offset[l] == m->offset;
                before[l] = here ? k : before[l];
                lanes |= (uint32_t)here << l;
            }
        }
        const due_copies d = {.before = before, .lanes = lanes, .why = SM_LANDS_AT_MBARRIER};
        good = !lanes || complete_due_copies(&b->warp[n], q, &d);
    }
    return good;
}

/* --- looking at copies in flight -------------------------------------------------------------- */

static bool copy_reads_from(const sm_copy *c, uint64_t address, uint32_t bytes, uint32_t *lane)
{
    if (address >= c->from_high || address + bytes <= c->from_low)
        return false;
    SM_EACH_LANE(l, c->lanes) {
        if (address < c->from[l] + c->from_bytes[l] && c->from[l] < address + bytes) {
            *lane = l;
            return true;
        }
    }
    return false;
}

bool sm_copies_find_copy_reading(const sm_block *b, uint64_t address, uint32_t bytes,
                                 sm_lane_copy *out)
{
    for (uint32_t n = 0; b->copies && n < b->warp_count; n++) {
        const copy_queue *q = &b->copies->warp[n];
        for (uint32_t k = 0; k < q->count; k++) {
            uint32_t lane;
            if (copy_reads_from(&q->list[k], address, bytes, &lane)) {
                *out = (sm_lane_copy){&q->list[k], &b->warp[n], lane};
                return true;
            }
        }
    }
    return false;
}

void sm_copies_visit_all(const sm_block *b, sm_copy_visitor *fn, void *context)
{
    for (uint32_t n = 0; b->copies && n < b->warp_count; n++) {
        const copy_queue *q = &b->copies->warp[n];
        for (uint32_t k = 0; k < q->count; k++)
            if (q->list[k].bytes)
                fn(context, &b->warp[n], &q->list[k]);
    }
}

/* --- blocks ----------------------------------------------------------------------------------- */

void sm_copies_discard(sm_block *b)
{
    for (uint32_t n = 0; b->copies && n < b->warp_count; n++)
        b->copies->warp[n].count = 0;
    if (b->copies)
        b->copies->arrivals = 0;
}

void sm_copies_free(sm_block *b)
{
    for (uint32_t n = 0; b->copies && n < b->warp_count; n++)
        free(b->copies->warp[n].list);
    free(b->copies);
    b->copies = NULL;
}
