#include "global.h"

#include "../../sm/cluster.h"

#include "../../observe/observe.h"
#include "../intent.h"
#include "../reports.h"
#include "../shared/race_flight.h"
#include "../value.h"
#include "actor.h"
#include "read_only.h"
#include "touched.h"

#include <stdlib.h>

/* --- comparing two accesses ------------------------------------------------------------------- */

/* Is the access REF ordered before LANE's current access? */
static bool is_access_before(san_checked_insn *a, uint32_t lane, san_ref ref)
{
    const uint32_t number = ref / SM_LANES;
    if (number == a->known || (number == a->own && ref % SM_LANES == lane))
        return true;
    const san_record *r = san_shadow_record(a->at->launch->shadow, number);
    const san_block *b = a->at->block;
    if (r->block == b->id && r->time < b->common_until) {
        a->known = number;
        return true;
    }
    if (r->block == b->id && r->warp == a->record.warp)
        a->own = number;
    return san_order_is_access_before(b, a->record.warp, lane, a->record.strong, r->block,
                                      r->warp * SM_LANES + ref % SM_LANES, r->time,
                                      r->effect == SM_READS);
}

/* Are both accesses strong, with scopes that include each other's threads? */
static bool are_both_strong_in_scope(const san_checked_insn *a, const san_record *r)
{
    if (!a->record.strong || !r->strong)
        return false;
    const bool block = r->block == a->record.block;
    return (block && r->warp == a->record.warp) ||
           ((block || !(r->in_block || a->record.in_block)) &&
            !san_intents_race(a->record.intent, r->intent));
}

/* Do LANE's store and REF's store leave the same value in the bytes of the cell at ADDRESS? */
static bool stores_same_value(const san_checked_insn *a, uint32_t lane, san_ref ref,
                              uint64_t address, uint32_t bytes)
{
    bool same;
    return ref / SM_LANES == a->number && /* REF is of the same instruction, now or earlier, and */
                   san_do_stores_overlap(a->access, lane, ref % SM_LANES, address, bytes, &same)
               ? same
               : san_stores_same_value(a->access, lane, address, bytes);
}

/* Is REF ordered before LANE's current access to the cell at ADDRESS in this and every run? */
static bool is_before_in_every_run(san_checked_insn *a, uint32_t lane, san_ref ref,
                                   uint64_t address, uint32_t bytes)
{
    if (!is_access_before(a, lane, ref))
        return false;
    if (!a->record.lock)
        return true;
    const san_record *r = san_shadow_record(a->at->launch->shadow, ref / SM_LANES);
    const san_block *b = a->at->block;
    const san_racing_access mine = {a->record, lane}, other = {*r, ref % SM_LANES};
    return (r->block == b->id && r->time < b->common_until) ||
           !san_locks_hide_race(a->at->locks, &mine, &other, address, bytes);
}

/* Report a race between LANE and REF. NOTE: both store the same value. */
static void report_race(san_checked_insn *a, uint32_t lane, san_ref ref, uint64_t address,
                        uint32_t bytes, bool note)
{
    const san_racing_access second = {a->record, lane};
    const san_racing_access first = {*san_shadow_record(a->at->launch->shadow, ref / SM_LANES),
                                     ref % SM_LANES};
    san_report_global_race(a->at->launch->races, a->access->warp, &second, &first, address, bytes,
                           note);
}

/* Report a race if LANE's current access (read or write) races with the write REF. */
static void check_against_write(san_checked_insn *a, uint32_t lane, san_ref ref, uint64_t address,
                                uint32_t bytes)
{
    if (!ref || is_before_in_every_run(a, lane, ref, address, bytes) ||
        san_is_l2_load_after(a, lane, ref))
        return;
    const san_record *r = san_shadow_record(a->at->launch->shadow, ref / SM_LANES);
    const bool one_store = r->insn == a->record.insn && r->warp == a->record.warp &&
                           r->block == a->record.block && r->intent == SAN_VOLATILE_ON_DATA;
    if (are_both_strong_in_scope(a, r) &&
        !(one_store && san_do_stores_differ(a->access, lane, ref % SM_LANES, address, bytes)))
        return;
    const bool note = a->record.effect == SM_WRITES && r->effect == SM_WRITES &&
                      stores_same_value(a, lane, ref, address, bytes);
    if (!note || san_wants_notes())
        report_race(a, lane, ref, address, bytes, note);
}

/* Report a race if LANE's current write races with the read REF. */
static void check_against_read(san_checked_insn *a, uint32_t lane, san_ref ref, uint64_t address,
                               uint32_t bytes)
{
    if (ref && !is_before_in_every_run(a, lane, ref, address, bytes) &&
        !are_both_strong_in_scope(a, san_shadow_record(a->at->launch->shadow, ref / SM_LANES)))
        report_race(a, lane, ref, address, bytes, false);
}

static inline void set_shadow_cell(san_checked_insn *a, san_page *p, san_cell kind, uint32_t cell,
                                   san_ref ref)
{
    san_ref *cells = san_page_cells(a->at->launch->shadow, p, kind);
    if (cells)
        cells[cell] = ref;
}

/* A lane of A replaces WAS as the last reader of a shadow cell. Does OTHER remain the recorded
 * second reader, or does WAS take its place? */
static bool keeps_second_reader(san_checked_insn *a, san_ref was, san_ref other)
{
    if (a->last.read != was / SM_LANES || a->last.other != other / SM_LANES) {
        a->last.read = was / SM_LANES;
        a->last.other = other / SM_LANES;
        a->last.keeps =
            san_should_keep_second_reader(a->at->launch->shadow, &a->record, was, other);
    }
    return a->last.keeps;
}

void san_set_last_reader(san_checked_insn *a, uint32_t lane, san_page *p, uint32_t cell)
{
    const san_ref mine = a->number * SM_LANES + lane;
    san_ref *read = san_page_cells(a->at->launch->shadow, p, SAN_LAST_READ);
    if (!read)
        return;
    const san_ref was = read[cell];
    if (!was || was / SM_LANES == a->known || was == mine) {
        read[cell] = mine;
        return;
    }
    /* If one lane is not ordered after WAS, assume this of all lanes: the second reader is then
     * kept longer than necessary. */
    const bool apart = a->last.read == was / SM_LANES;
    if (was / SM_LANES != a->number && !apart && is_access_before(a, lane, was)) {
        read[cell] = mine;
        return;
    }
    const san_record *r = san_shadow_record(a->at->launch->shadow, was / SM_LANES);
    if (a->record.strong && (!r->strong || r->intent > a->record.intent))
        return;
    if (p->shift && !keeps_second_reader(a, was, san_shadow_cell(p, SAN_OTHER_READ, cell)))
        set_shadow_cell(a, p, SAN_OTHER_READ, cell, was);
    read[cell] = mine;
}

static void check_shadow_cell(san_checked_insn *a, uint32_t lane, san_page *p, uint32_t cell)
{
    const uint32_t bytes = 1u << p->shift;
    const uint64_t address = p->number * SAN_PAGE_BYTES + ((uint64_t)cell << p->shift);
    const bool answered = a->record.effect == SM_READS &&
                          a->record.intent == SAN_VOLATILE_ON_DATA &&
                          san_has_lane_tested_cell(a, lane, p, cell);
    const san_ref strong = san_shadow_cell(p, SAN_LAST_STRONG, cell);
    check_against_write(a, lane, san_shadow_cell(p, SAN_LAST_WRITE, cell), address, bytes);
    if (!answered && !san_is_handover_store(a, lane, p, cell, strong))
        check_against_write(a, lane, strong, address, bytes);
    if (a->record.effect == SM_READS) {
        if (!answered)
            san_set_last_reader(a, lane, p, cell);
        return;
    }
    check_against_read(a, lane, san_shadow_cell(p, SAN_LAST_READ, cell), address, bytes);
    check_against_read(a, lane, san_shadow_cell(p, SAN_OTHER_READ, cell), address, bytes);
    if (!a->record.strong && p->cell[SAN_LAST_STRONG])
        p->cell[SAN_LAST_STRONG][cell] = 0;
    set_shadow_cell(a, p, a->record.strong ? SAN_LAST_STRONG : SAN_LAST_WRITE, cell,
                    a->number * SM_LANES + lane);
}

/* Check LANE's access to BYTES bytes at ADDRESS. */
static void check_accessed_bytes(san_checked_insn *a, uint32_t lane, uint64_t address,
                                 uint64_t bytes)
{
    for (uint64_t at = address; at < address + bytes;) {
        const uint64_t next = (at / SAN_PAGE_BYTES + 1) * SAN_PAGE_BYTES;
        const uint64_t end = next < address + bytes ? next : address + bytes;
        san_page *p = san_shadow_page(a->at->launch->shadow, at, bytes < 4 ? (uint32_t)bytes : 4);
        if (!p)
            return;
        san_page_list_to_cells(a->at->launch->shadow, p);
        for (uint64_t c = at % SAN_PAGE_BYTES >> p->shift;
             c <= (end - 1) % SAN_PAGE_BYTES >> p->shift; c++)
            check_shadow_cell(a, lane, p, (uint32_t)c);
        at = end;
    }
}

/* --- accesses and synchronisation reported by the emulator ------------------------------------ */

bool san_begin_access(san_checked_insn *a, san_resident_block *at, const sm_access *access,
                      bool strong, bool in_block, san_intent intent)
{
    *a = (san_checked_insn){.at = at,
                            .access = access,
                            .record = {.block = at->block->id,
                                       .insn = access->insn,
                                       .time = *at->launch->now,
                                       .warp = (uint16_t)access->warp->index,
                                       .effect = (uint8_t)access->effect,
                                       .strong = strong,
                                       .in_block = in_block,
                                       .intent = (uint8_t)intent}};
    if ((access->mask & (access->mask - 1)) == 0) {
        const uint32_t lane = (uint32_t)__builtin_ctz(access->mask);
        san_locks_fill_record(at->locks, access->warp->index * SM_LANES + lane, &a->record);
    }
    a->number = san_shadow_add_record(at->launch->shadow, &a->record);
    return a->number != 0;
}

/* The key of a word for the happens-before state. Keys of words in shared memory differ from all
 * device addresses. */
static uint64_t sync_word_key(const sm_access *a, uint64_t address)
{
    return a->space == PTX_SPACE_SHARED ? UINT64_C(1) << 63 | a->warp->block->linear << 24 | address
                                        : address;
}

/* The memory order of an access. An mbarrier's arrival releases, its test acquires. */
static sm_order memory_order_of(const sm_access *a)
{
    const sm_order order = observe_order_of(a->insn);
    return order != SM_WEAK || a->effect != SM_UPDATES ? order
           : san_tests_mbarrier(a->insn)               ? SM_ACQUIRE
                                                       : SM_ACQ_REL;
}

static void on_weak_access(san_resident_block *at, const sm_access *a)
{
    san_checked_insn who;
    if (!san_begin_access(&who, at, a, false, false, SAN_SYNCHRONISES))
        return;
    const bool run = a->layout == SM_LAYOUT_CONSECUTIVE;
    const uint32_t mask =
        a->effect == SM_READS ? san_record_reads_of_unwritten_pages(&who, a) : a->mask;
    if (run && mask == SM_FULL && san_record_adjacent_access(&who, a))
        return;
    SM_EACH_LANE(lane, mask)
        check_accessed_bytes(&who, lane, a->address[lane], a->bytes);
}

/* Handle a strong access. The lanes execute in order: one may acquire what a lower one released. */
static void on_strong_access(san_resident_block *at, const sm_access *a, sm_order order,
                             san_intent intent)
{
    const bool takes = order == SM_RELAXED && san_takes_lock(a->insn);
    const bool writes = a->effect != SM_READS && !san_tests_mbarrier(a->insn);
    const bool alone = a->space == PTX_SPACE_SHARED && a->warp->block->cluster->count == 1;
    const san_scope reach =
        alone ? SAN_IN_BLOCK : san_order_scope_of(at->launch->order, observe_scope_of(a->insn));
    SM_EACH_LANE(lane, a->mask) {
        san_checked_insn who;
        if (a->space == PTX_SPACE_GLOBAL) {
            if (!san_begin_access(&who, at, a, true, reach == SAN_IN_BLOCK, intent))
                return;
            check_accessed_bytes(&who, lane, a->address[lane], a->bytes);
        }
        const uint32_t thread = a->warp->index * SM_LANES + lane;
        const uint64_t key = sync_word_key(a, a->address[lane]);
        if (order == SM_RELEASE || order == SM_ACQ_REL)
            san_locks_fence(at->locks, a->warp->index, 1u << lane, reach);
        if (takes && san_may_take_lock(at->launch->grid->unit, a, lane))
            san_locks_take(at->locks, thread, key);
        else if (writes && !takes)
            san_locks_write(at->locks, a->warp, thread, key, at->launch->races);
        san_lock_order_access(at->launch->lock_order, at->locks, a, lane, key);
        san_order_strong_access(at->block, a->warp->index, lane, key, a->effect != SM_WRITES,
                                writes, takes, order, reach);
    }
    const uint32_t last = 31u - (uint32_t)__builtin_clz(a->mask);
    san_uses_add(at->launch->uses, at->block, a, last, sync_word_key(a, a->address[last]));
}

static void check_global_access(void *state, const sm_access *a)
{
    const san_resident_block *at = state;
    const san_launch *l = at->launch;
    uint8_t *known = &l->insn_info[a->site];
    if (!*known) {
        const sm_order order = memory_order_of(a);
        const san_intent intent =
            order != SM_WEAK ? san_intent_of(l->grid->unit, a->insn) : SAN_SYNCHRONISES;
        *known = (uint8_t)((1 + order) | intent << SAN_INTENT_SHIFT);
        at->launch->reads_read_only |= ptx_has_modifier(a->insn, PTX_MOD_nc);
    }
    if (a->effect != SM_READS && a->space == PTX_SPACE_GLOBAL && a->warp->block->copies)
        san_race_source_written(a);
    const sm_order order = (sm_order)((*known & ((1 << SAN_INTENT_SHIFT) - 1)) - 1);
    if (order != SM_WEAK)
        on_strong_access(state, a, order, (san_intent)(*known >> SAN_INTENT_SHIFT));
    else if (a->space == PTX_SPACE_GLOBAL)
        on_weak_access(state, a);
}

static bool check_regular_access(void *state, const sm_access *a)
{
    const san_launch *l = ((san_resident_block *)state)->launch;
    if (l->insn_info[a->site] != ((1 + SM_WEAK) | SAN_SYNCHRONISES << SAN_INTENT_SHIFT))
        return false;
    return a->space == PTX_SPACE_SHARED || san_record_regular_access(state, a);
}

static void on_async_copy(void *state, const sm_access *a)
{
    const uint32_t lane = (uint32_t)__builtin_ctz(a->mask);
    san_checked_insn who;
    if (a->space == PTX_SPACE_GLOBAL &&
        san_begin_access(&who, state, a, a->effect == SM_UPDATES, false, SAN_ATOMIC_ON_DATA))
        check_accessed_bytes(&who, lane, a->address[lane], a->bytes);
}

static void on_copy_complete(void *state, void *issued, const sm_access *a)
{
    (void)issued;
    on_async_copy(state, a);
}

/* A texture or surface instruction reads BYTES bytes at ADDRESS: its cache may still lack whatever
 * the launch has written there (Programming Guide, "Texture and Surface Memory"). */
static void check_texture_fetch(san_checked_insn *a, uint32_t lane, uint64_t address,
                                uint32_t bytes)
{
    san_page *p = san_shadow_page(a->at->launch->shadow, address, bytes < 4 ? bytes : 4);
    if (!p)
        return;
    san_page_list_to_cells(a->at->launch->shadow, p);
    const uint32_t size = 1u << p->shift;
    for (uint64_t at = address; at < address + bytes && at / SAN_PAGE_BYTES == p->number;
         at += size) {
        const uint32_t cell = (uint32_t)(at % SAN_PAGE_BYTES >> p->shift);
        const san_ref wrote = san_shadow_cell(p, SAN_LAST_WRITE, cell);
        const san_ref ref = wrote ? wrote : san_shadow_cell(p, SAN_LAST_STRONG, cell);
        if (ref)
            report_race(a, lane, ref, at, size, false);
        san_set_last_reader(a, lane, p, cell);
    }
}

static void on_texture_read(void *state, const sm_access *a, const uint64_t *texel, uint32_t count)
{
    const uint32_t lane = (uint32_t)__builtin_ctz(a->mask);
    san_checked_insn who;
    if (san_begin_access(&who, state, a, false, false, SAN_TEXTURE_READ))
        for (uint32_t k = 0; k < count; k++)
            check_texture_fetch(&who, lane, texel[k], a->bytes);
}

static void on_surface_write(void *state, const sm_access *a)
{
    san_checked_insn who;
    if (san_begin_access(&who, state, a, a->effect == SM_UPDATES, false, SAN_ATOMIC_ON_DATA))
        SM_EACH_LANE(lane, a->mask)
            check_accessed_bytes(&who, lane, a->address[lane], a->bytes);
}

static void on_runtime_request(void *state, const sm_warp *w, uint32_t lane, uint32_t request)
{
    san_add_runtime_request(state, w, lane, request);
}

static void on_device_malloc(void *state, const sm_warp *w, uint32_t lane, uint64_t address,
                             uint64_t bytes)
{
    (void)w, (void)lane;
    san_launch *l = ((san_resident_block *)state)->launch;
    san_shadow_forget(l->shadow, address, bytes);
    l->heap_from = !l->heap_to || address < l->heap_from ? address : l->heap_from;
    l->heap_to = address + bytes > l->heap_to ? address + bytes : l->heap_to;
}

/* Receives the bytes that the next launch of this host thread touches; NULL: not recorded. */
static __thread san_touched *touched_by_launch;

void san_global_record_touched(san_touched *t)
{
    touched_by_launch = t;
}

static void on_memory_fence(void *state, const sm_warp *w, const ptx_insn *in)
{
    san_resident_block *at = state;
    if (san_note_grid_dependency(at->launch, touched_by_launch, in))
        return;
    const san_scope reach = san_order_scope_of(at->launch->order, observe_scope_of(in));
    san_locks_fence(at->locks, w->index, w->mask, reach);
    san_order_fence(at->block, w->index, w->mask, reach);
}

static void on_block_barrier(void *state)
{
    san_locks_barrier(((san_resident_block *)state)->locks);
    san_order_block_barrier(((san_resident_block *)state)->block);
}

static void on_cluster_barrier(void *state)
{
    san_locks_barrier(((san_resident_block *)state)->locks);
    san_order_cluster_barrier(((san_resident_block *)state)->block);
}

static void on_barrier_arrive(void *state, uint32_t id, uint32_t warp, uint32_t lanes)
{
    san_order_barrier_arrive(((san_resident_block *)state)->block, id, warp, lanes);
}

static void on_barrier_release(void *state, uint32_t id, uint32_t warps)
{
    san_order_barrier_release(((san_resident_block *)state)->block, id, warps);
}

static void on_warp_barrier(void *state, uint32_t warp, uint32_t lanes)
{
    san_order_warp_barrier(((san_resident_block *)state)->block, warp, lanes);
}

static void free_race_launch(san_launch *l)
{
    san_free_runtime_requests(l);
    san_order_free(l->order);
    san_shadow_free(l->shadow);
    san_uses_free(l->uses);
    san_lock_order_free(l->lock_order);
    free(l->insn_info);
    free(l);
}

static void *on_launch_begin(const sm_grid *g)
{
    san_launch *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->grid = g;
    l->insn_info = calloc(g->unit->site_count + 1, sizeof *l->insn_info);
    l->order = san_order_new(g);
    l->now = l->order ? san_order_clock(l->order) : NULL;
    l->shadow = san_shadow_new();
    l->races = san_races_new();
    l->uses = san_uses_new();
    l->lock_order = san_lock_order_new(g);
    if (!l->lock_order || !l->insn_info || !l->order || !l->shadow || !l->races || !l->uses) {
        if (l->races)
            observe_free_reports(san_take_race_reports(l->races));
        free_race_launch(l);
        return NULL;
    }
    return l;
}

static sm_report *on_launch_end(void *state)
{
    san_launch *l = state;
    if (touched_by_launch) {
        san_touched_add_launch(touched_by_launch, l->shadow, l->grid->unit->module, l->heap_from,
                               l->heap_to);
        san_add_touched_after_requests(l, touched_by_launch);
    }
    sm_report *found = san_add_read_only_reports(l, san_take_race_reports(l->races));
    found = san_add_lock_order_reports(l->lock_order, found);
    free_race_launch(l);
    return found;
}

static void *on_block_open(void *state, const sm_block *b)
{
    san_launch *l = state;
    san_resident_block *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->launch = l;
    p->locks = san_locks_new(b, &l->released);
    p->block = p->locks ? san_block_new(l->order, b) : NULL;
    if (!p->block) {
        san_locks_free(p->locks);
        free(p);
        return NULL;
    }
    return p;
}

const san_resident_block *san_resident_block_of(const sm_block *b)
{
    for (uint32_t k = 0; k < SM_OBSERVERS; k++)
        if (b->observer[k].by && b->observer[k].by->block_opens == on_block_open)
            return b->observer[k].state;
    return NULL;
}

const uint32_t *san_launch_clock(const sm_block *b)
{
    const san_resident_block *p = san_resident_block_of(b);
    return p ? p->launch->now : NULL;
}

bool san_is_ordered_before_lane(const sm_warp *w, uint32_t lane, uint64_t other_block,
                                uint32_t other, uint32_t time, bool read)
{
    const san_resident_block *p = san_resident_block_of(w->block);
    return p && time &&
           san_order_is_access_before(p->block, w->index, lane, false, other_block, other, time,
                                      read);
}

static void on_block_close(void *state)
{
    san_resident_block *p = state;
    san_block_free(p->block);
    san_locks_free(p->locks);
    free(p);
}

static void on_block_begin(void *state)
{
    san_locks_forget_held(((san_resident_block *)state)->locks);
    san_block_begins(((san_resident_block *)state)->block);
}

const sm_observer san_global_race_observer = {.serial = true,
                                              .sees = SM_SEES_GLOBAL | SM_SEES_SHARED,
                                              .launch_begins = on_launch_begin,
                                              .launch_ends = on_launch_end,
                                              .block_opens = on_block_open,
                                              .block_closes = on_block_close,
                                              .block_begins = on_block_begin,
                                              .access = check_global_access,
                                              .regular_access = check_regular_access,
                                              .fence = on_memory_fence,
                                              .block_barrier = on_block_barrier,
                                              .cluster_barrier = on_cluster_barrier,
                                              .barrier_arrives = on_barrier_arrive,
                                              .barrier_releases = on_barrier_release,
                                              .warp_barrier = on_warp_barrier,
                                              .device_malloc = on_device_malloc,
                                              .requests_work = on_runtime_request,
                                              .copy_reads = on_async_copy,
                                              .copy_lands = on_copy_complete,
                                              .texture_reads = on_texture_read,
                                              .surface_writes = on_surface_write};
