#include "happens_before.h"

#include "../../sm/cluster.h"
#include "sync_words.h"

#include <stdlib.h>
#include <string.h>

struct san_order {
    uint32_t now;         /* current time on the launch's clock */
    bool clusters;        /* the launch has thread block clusters */
    bool passes;          /* some thread has executed a fence or a release */
    san_sync_words words; /* memory words through which threads synchronise */
};

/* --- a launch --------------------------------------------------------------------------------- */

san_order *san_order_new(const sm_grid *g)
{
    san_order *o = calloc(1, sizeof *o);
    if (o) {
        o->now = 1;
        o->clusters = g->clusters;
    }
    return o;
}

void san_order_free(san_order *o)
{
    if (o)
        san_sync_words_free(&o->words);
    free(o);
}

const uint32_t *san_order_clock(const san_order *o)
{
    return &o->now;
}

uint32_t san_order_advance_clock(san_block *b)
{
    return ++b->order->now;
}

san_scope san_order_scope_of(const san_order *o, sm_scope scope)
{
    return scope == SM_SCOPE_CTA || (scope == SM_SCOPE_CLUSTER && !o->clusters) ? SAN_IN_BLOCK
                                                                                : SAN_IN_GRID;
}

/* --- a block ---------------------------------------------------------------------------------- */

static void move_view_ownership(san_view **to, san_view **from)
{
    san_view_merge_into(to, *from);
    san_view_drop(*from);
    *from = NULL;
}

static void clear_lane_state(san_lane *l)
{
    san_view_drop(l->knows);
    san_view_drop(l->reads);
    for (int r = 0; r < SAN_SCOPE_COUNT; r++) {
        san_view_drop(l->seen[r]);
        san_view_drop(l->taken[r]);
        san_view_drop(l->fenced[r]);
    }
    memset(l, 0, sizeof *l);
}

static void clear_warp_state(san_warp *w)
{
    for (uint32_t l = 0; w->lane && l < SM_LANES; l++)
        clear_lane_state(&w->lane[l]);
    free(w->lane);
    free(w->known_until);
    san_view_drop(w->knows);
    san_view_drop(w->reads);
    for (int r = 0; r < SAN_SCOPE_COUNT; r++) {
        san_view_drop(w->seen[r]);
        san_view_drop(w->fenced[r]);
    }
    memset(w, 0, sizeof *w);
}

static void clear_arrivals(san_block *b, uint32_t id)
{
    san_view_drop(b->arrived[id].knows);
    for (int r = 0; r < SAN_SCOPE_COUNT; r++) {
        san_view_drop(b->arrived[id].seen[r]);
        san_view_drop(b->arrived[id].fenced[r]);
    }
    memset(&b->arrived[id], 0, sizeof b->arrived[id]);
}

static void clear_block_state(san_block *b)
{
    for (uint32_t n = 0; n < b->of->warp_count; n++)
        clear_warp_state(&b->warp[n]);
    for (uint32_t k = 0; k < 16; k++)
        clear_arrivals(b, k);
    san_view_drop(b->knows);
    san_view_drop(b->reads);
    b->knows = b->reads = NULL;
    for (int r = 0; r < SAN_SCOPE_COUNT; r++) {
        san_view_drop(b->seen[r]);
        san_view_drop(b->fenced[r]);
        b->seen[r] = b->fenced[r] = NULL;
        b->seen_is_known[r] = false;
    }
    b->common_until = 0;
}

san_block *san_block_new(san_order *o, const sm_block *of)
{
    san_block *b = calloc(1, sizeof *b);
    if (!b || !(b->warp = calloc(of->warp_count, sizeof *b->warp))) {
        free(b);
        return NULL;
    }
    b->order = o;
    b->of = of;
    return b;
}

void san_block_free(san_block *b)
{
    clear_block_state(b);
    free(b->warp);
    free(b);
}

void san_block_begins(san_block *b)
{
    clear_block_state(b);
    b->id = b->of->linear;
}

/* The state of LANE, allocated at first use. NULL: the host is out of memory. */
static san_lane *lane_state(san_warp *w, uint32_t lane)
{
    if (!w->lane)
        w->lane = calloc(SM_LANES, sizeof *w->lane);
    return w->lane ? &w->lane[lane] : NULL;
}

/* --- barriers --------------------------------------------------------------------------------- */

/* Move the views of W's lanes to W itself: all its lanes are then ordered after these accesses, or
 * have seen them. */
static void gather_lane_views(san_warp *w)
{
    for (uint32_t l = 0; w->lane && l < SM_LANES; l++) {
        move_view_ownership(&w->knows, &w->lane[l].knows);
        move_view_ownership(&w->reads, &w->lane[l].reads);
        for (int r = 0; r < SAN_SCOPE_COUNT; r++) {
            move_view_ownership(&w->seen[r], &w->lane[l].seen[r]);
            move_view_ownership(&w->seen[r], &w->lane[l].taken[r]);
        }
    }
}

/* Let every lane of warp N release the accesses that a fence of any of its lanes has covered. */
static void gather_fenced_views(san_block *b, uint32_t n)
{
    san_warp *w = &b->warp[n];
    if (!w->fences_open)
        return;
    w->fences_open = false;
    const uint32_t exist = b->of->warp[n].lanes;
    for (int r = 0; r < SAN_SCOPE_COUNT; r++) {
        san_view_entry entry[SM_LANES];
        uint32_t count = 0, least = UINT32_MAX;
        for (uint32_t l = 0; l < SM_LANES; l++) {
            const uint32_t time = w->lane[l].fence_time[r];
            if (exist >> l & 1 && time < least)
                least = time;
            if (time) {
                entry[count++] = (san_view_entry){san_thread_owner(b->id, n * SM_LANES + l), time};
                san_view_merge_into(&w->fenced[r], w->lane[l].fenced[r]);
            }
        }
        bool same = least > 0;
        for (uint32_t k = 0; k < count; k++) {
            /* cppcheck-suppress uninitvar ; the first COUNT are filled */
            same = same && entry[k].until == least;
        }
        if (same) {
            entry[0] = (san_view_entry){san_warp_owner(b->id, n), least};
            count = 1;
        }
        if (count) {
            san_view *more = san_view_add_entries(w->fenced[r], entry, count);
            san_view_drop(w->fenced[r]);
            w->fenced[r] = more;
        }
    }
}

/* A barrier: all threads of B have now seen what the warp W has seen. */
static void move_seen_to_block(san_block *b, san_warp *w)
{
    for (int r = 0; r < SAN_SCOPE_COUNT; r++)
        move_view_ownership(&b->seen[r], &w->seen[r]);
}

/* A barrier: what a fence has acquired since the last one is known to its thread, now to all. */
static void drop_known_seen_views(san_block *b)
{
    for (int r = 0; r < SAN_SCOPE_COUNT; r++) {
        if (b->seen_is_known[r]) {
            san_view_drop(b->seen[r]);
            b->seen[r] = NULL;
        }
        b->seen_is_known[r] = false;
    }
}

static void merge_views_of_warps(san_block *b)
{
    drop_known_seen_views(b);
    for (uint32_t n = 0; n < b->of->warp_count; n++) {
        san_warp *w = &b->warp[n];
        gather_lane_views(w);
        gather_fenced_views(b, n);
        move_view_ownership(&b->knows, &w->knows);
        move_view_ownership(&b->reads, &w->reads);
        move_view_ownership(&b->fenced[0], &w->fenced[0]);
        move_view_ownership(&b->fenced[1], &w->fenced[1]);
        move_seen_to_block(b, w);
    }
    b->common_until = san_order_advance_clock(b);
}

void san_order_block_barrier(san_block *b)
{
    merge_views_of_warps(b);
}

/* A cluster barrier: later accesses of block B are ordered after the other blocks. */
void san_order_cluster_barrier(san_block *b)
{
    const sm_cluster *c = b->of->cluster;
    merge_views_of_warps(b);
    for (uint32_t k = 0; k < c->count; k++) {
        if (c->block[k] != b->of) {
            const san_view_entry other = {san_block_owner(c->block[k]->linear), b->common_until};
            san_view *more = san_view_add_entries(b->knows, &other, 1);
            san_view_drop(b->knows);
            b->knows = more;
        }
    }
}

/* Fill TO with the lanes of warp N that LANE met at barriers of some lanes. Returns a count. */
static uint32_t synced_lanes(const san_block *b, uint32_t n, uint32_t lane, san_view_entry to[])
{
    const san_warp *w = &b->warp[n];
    uint32_t count = 0;
    for (uint32_t k = 0; w->known_until && k < SM_LANES; k++) {
        const uint32_t until = w->known_until[lane * SM_LANES + k];
        if (until > w->common_until && until > b->common_until)
            to[count++] = (san_view_entry){san_thread_owner(b->id, n * SM_LANES + k), until};
    }
    return count;
}

/* Add to *V the lanes of its warp that LANE knows from barriers of some lanes only. */
static void add_synced_lanes(const san_block *b, uint32_t n, uint32_t lane, san_view **v)
{
    san_view_entry entry[SM_LANES];
    const uint32_t count = synced_lanes(b, n, lane, entry);
    if (count) {
        san_view *more = san_view_add_entries(*v, entry, count);
        san_view_drop(*v);
        *v = more;
    }
}

san_view *san_order_known_accesses(san_block *b, uint32_t n, uint32_t lanes)
{
    san_warp *w = &b->warp[n];
    san_view *v = san_view_merge(b->knows, w->knows);
    san_view_entry entry[SM_LANES + 2];
    uint32_t count = 0;
    if (b->common_until)
        entry[count++] = (san_view_entry){san_block_owner(b->id), b->common_until};
    const uint32_t now = b->order->now + 1;
    if (lanes == b->of->warp[n].lanes) {
        entry[count++] = (san_view_entry){san_warp_owner(b->id, n), now};
    } else {
        if (w->common_until)
            entry[count++] = (san_view_entry){san_warp_owner(b->id, n), w->common_until};
        SM_EACH_LANE(l, lanes)
            entry[count++] = (san_view_entry){san_thread_owner(b->id, n * SM_LANES + l), now};
    }
    for (uint32_t m = w->lane ? lanes : 0; m; m &= m - 1)
        san_view_merge_into(&v, w->lane[__builtin_ctz(m)].knows);
    for (uint32_t m = w->known_until ? lanes : 0; m; m &= m - 1)
        add_synced_lanes(b, n, (uint32_t)__builtin_ctz(m), &v);
    san_view *all = count ? san_view_add_entries(v, entry, count) : san_view_keep(v);
    san_view_drop(v);
    return all;
}

/* Add to *TO what LANES of W have seen by strong loads or locks of scope R. */
static void merge_seen_views(san_view **to, const san_warp *w, uint32_t lanes, int r)
{
    san_view_merge_into(to, w->seen[r]);
    for (uint32_t m = w->lane ? lanes : 0; m; m &= m - 1) {
        san_view_merge_into(to, w->lane[__builtin_ctz(m)].seen[r]);
        san_view_merge_into(to, w->lane[__builtin_ctz(m)].taken[r]);
    }
}

void san_order_barrier_arrive(san_block *b, uint32_t id, uint32_t warp, uint32_t lanes)
{
    san_warp *w = &b->warp[warp];
    gather_fenced_views(b, warp);
    san_view *past = san_order_known_accesses(b, warp, lanes);
    san_view_merge_into(&b->arrived[id].knows, past);
    san_view_drop(past);
    for (int r = 0; r < SAN_SCOPE_COUNT; r++) {
        san_view_merge_into(&b->arrived[id].fenced[r], w->fenced[r]);
        merge_seen_views(&b->arrived[id].seen[r], w, lanes, r);
    }
    san_order_advance_clock(b);
}

void san_order_barrier_release(san_block *b, uint32_t id, uint32_t warps)
{
    for (; warps; warps &= warps - 1) {
        san_warp *w = &b->warp[__builtin_ctz(warps)];
        san_view_merge_into(&w->knows, b->arrived[id].knows);
        for (int r = 0; r < SAN_SCOPE_COUNT; r++) {
            san_view_merge_into(&w->seen[r], b->arrived[id].seen[r]);
            san_view_merge_into(&w->fenced[r], b->arrived[id].fenced[r]);
        }
    }
    clear_arrivals(b, id);
    san_order_advance_clock(b);
}

/* A barrier of LANES of a warp: each lane now knows all that any of LANES knows of the warp. */
static void sync_some_lanes(san_warp *w, uint32_t lanes, uint32_t now)
{
    if (!w->known_until) {
        w->known_until = calloc((size_t)SM_LANES * SM_LANES, sizeof *w->known_until);
        if (!w->known_until)
            return;
    }
    uint32_t most[SM_LANES] = {0};
    for (uint32_t m = lanes; m; m &= m - 1) {
        const uint32_t *row = w->known_until + __builtin_ctz(m) * SM_LANES;
        for (uint32_t k = 0; k < SM_LANES; k++)
            most[k] = lanes >> k & 1 ? now : most[k] < row[k] ? row[k] : most[k];
    }
    for (uint32_t m = lanes; m; m &= m - 1)
        memcpy(w->known_until + __builtin_ctz(m) * SM_LANES, most, sizeof most);
}

/* Let each of LANES of W know and see what any of them knows and has seen. */
static void share_lane_views(san_warp *w, uint32_t lanes)
{
    san_view *known = NULL, *seen[SAN_SCOPE_COUNT] = {NULL};
    for (uint32_t m = w->lane ? lanes : 0; m; m &= m - 1)
        san_view_merge_into(&known, w->lane[__builtin_ctz(m)].knows);
    for (int r = 0; w->lane && r < SAN_SCOPE_COUNT; r++)
        merge_seen_views(&seen[r], w, lanes, r);
    for (uint32_t m = w->lane ? lanes : 0; m; m &= m - 1) {
        san_lane *l = &w->lane[__builtin_ctz(m)];
        san_view_merge_into(&l->knows, known);
        for (int r = 0; r < SAN_SCOPE_COUNT; r++)
            san_view_merge_into(&l->seen[r], seen[r]);
    }
    san_view_drop(known);
    for (int r = 0; r < SAN_SCOPE_COUNT; r++)
        san_view_drop(seen[r]);
}

void san_order_warp_barrier(san_block *b, uint32_t warp, uint32_t lanes)
{
    san_warp *w = &b->warp[warp];
    const uint32_t now = san_order_advance_clock(b);
    gather_fenced_views(b, warp);
    if ((lanes | b->of->warp[warp].exited) == b->of->warp[warp].lanes) {
        gather_lane_views(w);
        w->common_until = now;
        return;
    }
    sync_some_lanes(w, lanes, now);
    share_lane_views(w, lanes);
}

/* --- fences and strong operations ------------------------------------------------------------- */

/* The half of a fence that acquires: LANES of WARP know from now on what they have seen. */
static void acquire_at_fence(san_block *b, uint32_t warp, uint32_t lanes, san_scope reach)
{
    san_warp *w = &b->warp[warp];
    const bool all = lanes == b->of->warp[warp].lanes;
    for (int r = 0; r <= (int)reach; r++) {
        b->seen_is_known[r] = true;
        if (all) {
            move_view_ownership(&w->knows, &w->seen[r]);
            san_view_merge_into(&w->knows, b->seen[r]);
        }
        for (uint32_t m = lanes; m; m &= m - 1) {
            san_lane *l = &w->lane[__builtin_ctz(m)];
            move_view_ownership(&l->knows, &l->seen[r]);
            move_view_ownership(&l->knows, &l->taken[r]);
            if (!all) {
                san_view_merge_into(&l->knows, w->seen[r]);
                san_view_merge_into(&l->knows, b->seen[r]);
            }
        }
    }
}

/* The half that releases: what LANES of WARP know is ready for their next strong stores. */
static void release_at_fence(san_block *b, uint32_t warp, uint32_t lanes, san_scope reach)
{
    san_warp *w = &b->warp[warp];
    const uint32_t now = san_order_advance_clock(b);
    b->order->passes = w->fences_open = true;
    san_view *common = san_order_known_accesses(b, warp, 0);
    for (uint32_t m = lanes; m; m &= m - 1) {
        san_lane *l = &w->lane[__builtin_ctz(m)];
        for (int r = 0; r <= (int)reach; r++) {
            san_view_merge_into(&l->fenced[r], common);
            san_view_merge_into(&l->fenced[r], l->knows);
            add_synced_lanes(b, warp, (uint32_t)__builtin_ctz(m), &l->fenced[r]);
            l->fence_time[r] = now;
        }
    }
    san_view_drop(common);
}

void san_order_fence(san_block *b, uint32_t warp, uint32_t lanes, san_scope reach)
{
    if (!lane_state(&b->warp[warp], 0))
        return;
    acquire_at_fence(b, warp, lanes, reach);
    release_at_fence(b, warp, lanes, reach);
}

/* The accesses ordered before LANE's next release to threads within scope REACH. */
static san_view *released_view(san_block *b, uint32_t warp, uint32_t lane, int reach)
{
    san_warp *w = &b->warp[warp];
    san_view *v = san_view_merge(b->fenced[reach], w->fenced[reach]);
    if (w->lane && w->lane[lane].fence_time[reach]) {
        const san_view_entry own = {san_thread_owner(b->id, warp * SM_LANES + lane),
                                    w->lane[lane].fence_time[reach]};
        san_view_merge_into(&v, w->lane[lane].fenced[reach]);
        san_view *more = san_view_add_entries(v, &own, 1);
        san_view_drop(v);
        v = more;
    }
    return v;
}

/* When the accesses released through a word are ordered before a thread that reads the word. */
typedef enum {
    ACQUIRED_AT_ONCE,       /* when the thread reads the word */
    ACQUIRED_AT_FENCE,      /* after the reader's next fence */
    ACQUIRED_BY_TAKING_LOCK /* after its next fence: the reader took the word as a lock */
} acquire_moment;

static void acquire_word(san_block *b, uint32_t warp, uint32_t lane, const san_sync_word *w,
                         acquire_moment when)
{
    san_lane *l = lane_state(&b->warp[warp], lane);
    if (!l)
        return;
    san_view **later = when == ACQUIRED_BY_TAKING_LOCK ? l->taken : l->seen;
    san_view_merge_into(when == ACQUIRED_AT_ONCE ? &l->knows : &later[SAN_IN_GRID], w->all);
    san_view_merge_into(&l->reads, w->reads);
    for (uint32_t k = 0; k < w->own_count; k++) {
        if (w->own[k].block == b->id) {
            san_view_merge_into(when == ACQUIRED_AT_ONCE ? &l->knows : &later[SAN_IN_BLOCK],
                                w->own[k].view);
        }
    }
}

/* LANE stores to the word KEY: threads that read the word are then ordered after LANE's reads. */
static void release_reads(san_block *b, uint32_t warp, uint32_t lane, uint64_t key)
{
    san_warp *w = &b->warp[warp];
    san_sync_word *to = san_sync_word_add(&b->order->words, key);
    if (!to)
        return;
    san_sync_word_clear(to);
    to->reads = san_order_known_accesses(b, warp, 1u << lane);
    san_view_merge_into(&to->reads, b->reads);
    san_view_merge_into(&to->reads, w->reads);
    if (w->lane)
        san_view_merge_into(&to->reads, w->lane[lane].reads);
    b->order->passes = true;
    san_order_advance_clock(b);
}

void san_order_strong_access(san_block *b, uint32_t warp, uint32_t lane, uint64_t key, bool reads,
                             bool writes, bool takes, sm_order order, san_scope reach)
{
    san_order *o = b->order;
    const bool releases = writes && (order == SM_RELEASE || order == SM_ACQ_REL);
    if (!o->passes && (!writes || (reads && !releases)))
        return;
    san_sync_word *w = san_sync_word_find(&o->words, key);
    if (reads && w) {
        const bool acquires = order == SM_ACQUIRE || order == SM_ACQ_REL;
        const acquire_moment later = takes ? ACQUIRED_BY_TAKING_LOCK : ACQUIRED_AT_FENCE;
        acquire_word(b, warp, lane, w, acquires ? ACQUIRED_AT_ONCE : later);
    }
    if (!writes)
        return;
    if (releases && lane_state(&b->warp[warp], 0))
        release_at_fence(b, warp, 1u << lane, reach);
    if (!reads) /* a store to the word overwrites what other threads have released through it */
        release_reads(b, warp, lane, key);
    for (int r = 0; r < SAN_SCOPE_COUNT; r++) {
        san_view *v = released_view(b, warp, lane, r);
        w = v ? san_sync_word_add(&o->words, key) : NULL;
        san_view **to = !w ? NULL : r == SAN_IN_GRID ? &w->all : san_sync_word_of_block(w, b->id);
        if (to)
            san_view_merge_into(to, v);
        san_view_drop(v);
    }
}

static bool is_in_views(san_view *const view[], uint64_t block, uint32_t thread, uint32_t time)
{
    return san_view_contains(view[SAN_IN_BLOCK], block, thread, time) ||
           san_view_contains(view[SAN_IN_GRID], block, thread, time);
}

bool san_order_is_access_before(const san_block *b, uint32_t warp, uint32_t lane, bool strong,
                                uint64_t other_block, uint32_t other, uint32_t time, bool read)
{
    const san_warp *w = &b->warp[warp];
    if (other_block == b->id) {
        if (time < b->common_until)
            return true;
        if (other / SM_LANES == warp &&
            (other % SM_LANES == lane || time < w->common_until ||
             (w->known_until && time < w->known_until[lane * SM_LANES + other % SM_LANES])))
            return true;
    }
    const san_lane *l = w->lane ? &w->lane[lane] : NULL;
    if (read && (san_view_contains(b->reads, other_block, other, time) ||
                 san_view_contains(w->reads, other_block, other, time) ||
                 (l && san_view_contains(l->reads, other_block, other, time))))
        return true;
    return san_view_contains(b->knows, other_block, other, time) ||
           san_view_contains(w->knows, other_block, other, time) ||
           (l && (san_view_contains(l->knows, other_block, other, time) ||
                  (strong && is_in_views(l->seen, other_block, other, time)))) ||
           (strong && (is_in_views(b->seen, other_block, other, time) ||
                       is_in_views(w->seen, other_block, other, time)));
}

bool san_order_has_seen(const san_block *b, uint32_t warp, uint32_t lane, uint64_t other_block,
                        uint32_t other, uint32_t time)
{
    const san_warp *w = &b->warp[warp];
    const san_lane *l = w->lane ? &w->lane[lane] : NULL;
    return is_in_views(b->seen, other_block, other, time) ||
           is_in_views(w->seen, other_block, other, time) ||
           (l && (is_in_views(l->seen, other_block, other, time) ||
                  is_in_views(l->taken, other_block, other, time)));
}
