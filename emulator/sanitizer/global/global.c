#include "global.h"

#include "../../core/code.h"
#include "../../sm/cluster.h"

#include "global_report.h"
#include "order.h"
#include "readers.h"
#include "shadow.h"
#include "touched.h"

#include <stdlib.h>
#include <string.h>

typedef struct launch {
    const sm_grid *grid;
    uint64_t heap_from, heap_to; /* what device code has allocated lies in there */
    uint8_t *site;               /* [sites] 1 + sm_order of an instruction that has been executed */
    san_order *order;
    san_shadow *shadow;
    san_races *races;
} launch;

typedef struct place {
    launch *launch;
    san_block *block;
} place;

/* The lanes of one instruction, as they are looked at. */
typedef struct actor {
    place *at;
    const sm_access *access;
    san_record record;
    uint32_t number; /* of the record */
    uint32_t known;  /* a record all of which is ordered before all of these; 0: none yet */
    uint32_t own;    /* a record of the same warp; 0: none yet */
    struct {
        uint32_t read, other; /* records of a cell's readers, */
        bool keeps;           /* and whether the other one stays */
    } last;
} actor;

/* --- two accesses ------------------------------------------------------------------------------
 */

/* Is it ordered before what LANE does now? */
static bool is_before(actor *a, uint32_t lane, san_ref ref)
{
    const uint32_t number = ref / SM_LANES;
    if (number == a->known || (number == a->own && ref % SM_LANES == lane)) {
        return true;
    }
    const san_record *r = san_shadow_record(a->at->launch->shadow, number);
    const san_block *b = a->at->block;
    if (r->block == b->id && r->time < b->floor) {
        a->known = number;
        return true;
    }
    if (r->block == b->id && r->warp == a->record.warp) {
        a->own = number;
    }
    return san_block_before(b, a->record.warp, lane, a->record.strong, r->block,
                            r->warp * SM_LANES + ref % SM_LANES, r->time, r->effect == SM_READS);
}

/* Do strong operations of both synchronise, as far as their scopes go? */
static bool both_strong(const actor *a, const san_record *r)
{
    return a->record.strong && r->strong &&
           (r->block == a->record.block || !(r->in_block || a->record.in_block));
}

/* Do LANE and REF's plain store leave the same value in the bytes of the cell at ADDRESS? */
static bool same_value(const actor *a, uint32_t lane, san_ref ref, uint64_t address, uint32_t bytes)
{
    const sm_access *access = a->access;
    uint8_t mine[32], theirs[32];
    const uint64_t begins = access->address[lane];
    const uint32_t skip = address < begins ? 0 : (uint32_t)(address - begins);
    const uint32_t from = address < begins ? (uint32_t)(begins - address) : 0;
    uint32_t n = bytes - from;
    n = skip + n > access->bytes ? access->bytes - skip : n;
    if (access->bytes > sizeof mine || !sm_access_value(access, lane, mine)) {
        return false;
    }
    if (ref / SM_LANES == a->number) { /* of the same instruction, which has written nothing yet */
        const uint32_t other = ref % SM_LANES;
        const uint64_t there = address + from;
        if (!(access->mask >> other & 1) || there < access->address[other] ||
            there + n > access->address[other] + access->bytes) {
            return false;
        }
        sm_access_value(access, other, theirs);
        return memcmp(mine + skip, theirs + (there - access->address[other]), n) == 0;
    }
    const void *now = sm_generic_host(access->warp, lane, address + from, n);
    return now && memcmp(mine + skip, now, n) == 0;
}

static void report(actor *a, uint32_t lane, san_ref ref, uint64_t address, uint32_t bytes)
{
    const san_racer second = {a->record, lane};
    const san_racer first = {*san_shadow_record(a->at->launch->shadow, ref / SM_LANES),
                             ref % SM_LANES};
    san_races_add(a->at->launch->races, a->access->warp, &second, &first, address, bytes);
}

/* Does LANE, which writes or reads, race with the write REF? */
static void check_write(actor *a, uint32_t lane, san_ref ref, uint64_t address, uint32_t bytes)
{
    if (!ref || is_before(a, lane, ref)) {
        return;
    }
    const san_record *r = san_shadow_record(a->at->launch->shadow, ref / SM_LANES);
    if (both_strong(a, r)) {
        return;
    }
    const bool stores = a->record.effect == SM_WRITES && r->effect == SM_WRITES;
    if (!stores || !same_value(a, lane, ref, address, bytes)) {
        report(a, lane, ref, address, bytes);
    }
}

/* Does LANE, which writes, race with the read REF? */
static void check_read(actor *a, uint32_t lane, san_ref ref, uint64_t address, uint32_t bytes)
{
    if (ref && !is_before(a, lane, ref) &&
        !both_strong(a, san_shadow_record(a->at->launch->shadow, ref / SM_LANES))) {
        report(a, lane, ref, address, bytes);
    }
}

static inline san_ref cell_of(const san_page *p, san_cell kind, uint32_t cell)
{
    return p->cell[kind] ? p->cell[kind][cell] : 0;
}

static inline void set_cell(actor *a, san_page *p, san_cell kind, uint32_t cell, san_ref ref)
{
    san_ref *cells = san_page_cells(a->at->launch->shadow, p, kind);
    if (cells) {
        cells[cell] = ref;
    }
}

/* Does OTHER stay the second reader, where WAS gives way to A? */
static bool keeps_other(actor *a, san_ref was, san_ref other)
{
    if (a->last.read != was / SM_LANES || a->last.other != other / SM_LANES) {
        a->last.read = was / SM_LANES;
        a->last.other = other / SM_LANES;
        a->last.keeps = san_reader_stays(a->at->launch->shadow, &a->record, was, other);
    }
    return a->last.keeps;
}

/* Keep the last reader, and another one of another block, warp or at least lane. */
static void note_read(actor *a, uint32_t lane, san_page *p, uint32_t cell)
{
    const san_ref mine = a->number * SM_LANES + lane;
    san_ref *read = san_page_cells(a->at->launch->shadow, p, SAN_READ);
    if (!read) {
        return;
    }
    const san_ref was = read[cell];
    if (!was || was / SM_LANES == a->known || was == mine) {
        read[cell] = mine;
        return;
    }
    /* One that is not ordered for a lane is taken to be so for all: the other one is kept longer.
     */
    const bool apart = a->last.read == was / SM_LANES;
    if (was / SM_LANES != a->number && !apart && is_before(a, lane, was)) {
        read[cell] = mine;
        return;
    }
    if (a->record.strong && !san_shadow_record(a->at->launch->shadow, was / SM_LANES)->strong) {
        return;
    }
    if (p->shift && !keeps_other(a, was, cell_of(p, SAN_OTHER, cell))) {
        set_cell(a, p, SAN_OTHER, cell, was);
    }
    read[cell] = mine;
}

static void look_at(actor *a, uint32_t lane, san_page *p, uint32_t cell)
{
    const uint32_t bytes = 1u << p->shift;
    const uint64_t address = p->number * SAN_PAGE + ((uint64_t)cell << p->shift);
    check_write(a, lane, cell_of(p, SAN_WROTE, cell), address, bytes);
    check_write(a, lane, cell_of(p, SAN_STRONG, cell), address, bytes);
    if (a->record.effect == SM_READS) {
        note_read(a, lane, p, cell);
        return;
    }
    check_read(a, lane, cell_of(p, SAN_READ, cell), address, bytes);
    check_read(a, lane, cell_of(p, SAN_OTHER, cell), address, bytes);
    if (!a->record.strong && p->cell[SAN_STRONG]) {
        p->cell[SAN_STRONG][cell] = 0;
    }
    set_cell(a, p, a->record.strong ? SAN_STRONG : SAN_WROTE, cell, a->number * SM_LANES + lane);
}

/* --- lanes side by side ------------------------------------------------------------------------
 */

/* Has nobody done KIND to COUNT cells from FIRST on? */
static inline bool is_fresh(const san_page *p, san_cell kind, uint32_t first, uint32_t count)
{
    const san_ref *cells = p->cell[kind] ? p->cell[kind] + first : NULL;
    san_ref any = 0;
    for (uint32_t k = 0; cells && k < SM_LANES; k++) {
        any |= cells[k];
    }
    for (uint32_t k = SM_LANES; cells && k < count; k++) {
        any |= cells[k];
    }
    return any == 0;
}

/* COUNT cells from FIRST on are read by lane after lane, 1 << SHIFT cells each; some had readers.
 */
static void read_again(actor *a, san_page *p, uint32_t first, uint32_t count, uint32_t shift)
{
    san_ref *read = p->cell[SAN_READ] + first,
            *other = san_page_cells(a->at->launch->shadow, p, SAN_OTHER);
    const san_ref base = a->number * SM_LANES;
    for (uint32_t k = 0; other && k < count; k++) {
        const san_ref was = read[k], mine = base + (k >> shift);
        const san_ref another = other[first + k];
        if (!was || was == mine || was / SM_LANES == a->known) {
            read[k] = mine;
        } else if (was / SM_LANES == a->last.read && another / SM_LANES == a->last.other) {
            other[first + k] = a->last.keeps ? another : was;
            read[k] = mine;
        } else {
            note_read(a, k >> shift, p, first + k);
        }
    }
}

/* Are COUNT cells from FIRST on fresh, or had lane after lane of this warp, or of the block before
 * a barrier, 1 << SHIFT cells each? */
static bool is_own(const actor *a, const san_page *p, san_cell kind, uint32_t first, uint32_t count,
                   uint32_t shift)
{
    const san_ref *cells = p->cell[kind] ? p->cell[kind] + first : NULL;
    if (!cells || cells[0] == 0) {
        return !cells || is_fresh(p, kind, first, count);
    }
    san_ref off = cells[0] % SM_LANES;
    for (uint32_t k = 0; k < count; k++) {
        off |= cells[k] ^ (cells[0] + (k >> shift));
    }
    const san_record *r = san_shadow_record(a->at->launch->shadow, cells[0] / SM_LANES);
    const san_block *b = a->at->block;
    return off == 0 && r->block == b->id && (r->warp == a->record.warp || r->time < b->floor);
}

/* The lanes of MASK from LANE on, without a gap, whose addresses follow one another by STEP bytes;
 * at most MOST. */
static uint32_t side_by_side(const sm_access *x, uint32_t mask, uint32_t lane, uint32_t step,
                             uint64_t most)
{
    uint32_t n = 1;
    while (n < most && lane + n < SM_LANES && mask >> (lane + n) & 1 &&
           x->address[lane + n] == x->address[lane + n - 1] + step) {
        n++;
    }
    return n;
}

/* Note what lanes read in pages that nobody has written. Returns those that read others. */
static uint32_t list_reads(actor *a, const sm_access *x)
{
    const uint32_t bytes = x->bytes;
    uint32_t left = 0;
    if (bytes & (bytes - 1)) {
        return x->mask;
    }
    for (uint32_t m = x->mask, n; m;
         m = n < SM_LANES ? m & ~(((1u << n) - 1) << (uint32_t)__builtin_ctz(m)) : 0) {
        const uint32_t l = (uint32_t)__builtin_ctz(m);
        const uint64_t at = x->address[l], room = (SAN_PAGE - at % SAN_PAGE) / bytes;
        san_page *p = san_shadow_page(a->at->launch->shadow, at, bytes < 4 ? bytes : 4);
        if (!p) {
            return 0;
        }
        const uint32_t cell = (uint32_t)(at % SAN_PAGE) >> p->shift,
                       each = (uint32_t)__builtin_ctz(bytes >> p->shift);
        uint32_t same = 1;
        const uint32_t rest = (uint32_t)__builtin_popcount(m);
        n = x->layout == SM_SIDE_BY_SIDE && room >= rest ? rest
                                                         : side_by_side(x, m, l, bytes, room);
        if (n == 1 && (same = side_by_side(x, m, l, 0, SM_LANES)) > 1) { /* two stand for all */
            n = same;
        }
        if (!san_page_reads(a->at->launch->shadow, p, a->number, l, same > 1 ? 1 : n, cell, each) ||
            (same > 1 &&
             !san_page_reads(a->at->launch->shadow, p, a->number, l + n - 1, 1, cell, each))) {
            left |= n < SM_LANES ? ((1u << n) - 1) << l : SM_FULL;
        }
    }
    return left;
}

/* All lanes access words side by side that nobody else has written or, where they write, touched.
 * False: it is not that easy, and nothing has been done. */
static bool touch_run(actor *a, const sm_access *x)
{
    const uint32_t each = x->bytes / 4, count = SM_LANES * each;
    const uint32_t first = (uint32_t)(x->address[0] % SAN_PAGE / 4);
    if (x->bytes < 4 || (each & (each - 1)) || first + count > SAN_PAGE / 4) {
        return false;
    }
    san_page *p = san_shadow_page(a->at->launch->shadow, x->address[0], 4);
    const bool reads = x->effect == SM_READS;
    const uint32_t shift = (uint32_t)__builtin_ctz(each);
    if (!p || p->shift != 2) {
        return false;
    }
    san_page_settle(a->at->launch->shadow, p);
    if (!is_own(a, p, SAN_WROTE, first, count, shift) ||
        !is_own(a, p, SAN_STRONG, first, count, shift)) {
        return false;
    }
    if (reads && !is_fresh(p, SAN_READ, first, count)) {
        read_again(a, p, first, count, shift);
        return true;
    }
    if (!reads && (!is_own(a, p, SAN_READ, first, count, shift) ||
                   !is_own(a, p, SAN_OTHER, first, count, shift))) {
        return false;
    }
    san_ref *cells = san_page_cells(a->at->launch->shadow, p, reads ? SAN_READ : SAN_WROTE);
    const san_ref base = a->number * SM_LANES;
    for (uint32_t k = 0; cells && each == 1 && k < SM_LANES; k++) {
        cells[first + k] = base + k;
    }
    for (uint32_t k = 0; cells && each > 1 && k < count; k++) {
        cells[first + k] = base + (k >> shift);
    }
    if (!reads && p->cell[SAN_STRONG]) {
        memset(p->cell[SAN_STRONG] + first, 0, count * sizeof(san_ref));
    }
    return true;
}

/* LANE touches BYTES bytes at ADDRESS. */
static void touch(actor *a, uint32_t lane, uint64_t address, uint64_t bytes)
{
    for (uint64_t at = address; at < address + bytes;) {
        const uint64_t next = (at / SAN_PAGE + 1) * SAN_PAGE;
        const uint64_t end = next < address + bytes ? next : address + bytes;
        san_page *p = san_shadow_page(a->at->launch->shadow, at, bytes < 4 ? (uint32_t)bytes : 4);
        if (!p) {
            return;
        }
        san_page_settle(a->at->launch->shadow, p);
        for (uint64_t c = at % SAN_PAGE >> p->shift; c <= (end - 1) % SAN_PAGE >> p->shift; c++) {
            look_at(a, lane, p, (uint32_t)c);
        }
        at = end;
    }
}

/* --- what is told ------------------------------------------------------------------------------
 */

static bool begin(actor *a, place *at, const sm_access *access, bool strong, bool in_block)
{
    *a = (actor){.at = at,
                 .access = access,
                 .record = {.block = at->block->id,
                            .insn = access->insn,
                            .time = san_order_now(at->launch->order),
                            .warp = (uint16_t)access->warp->index,
                            .effect = (uint8_t)access->effect,
                            .strong = strong,
                            .in_block = in_block}};
    a->number = san_shadow_note(at->launch->shadow, &a->record);
    return a->number != 0;
}

/* Keys of words in shared memory stand apart from device addresses. */
static uint64_t key_of(const sm_access *a, uint64_t address)
{
    return a->space == PTX_SPACE_SHARED ? UINT64_C(1) << 63 | a->warp->block->linear << 24 | address
                                        : address;
}

/* mbarrier operations release when they arrive and acquire when they test. */
static sm_order order_of(const sm_access *a)
{
    const sm_order order = sm_order_of(a->insn);
    return order == SM_WEAK && a->effect == SM_UPDATES ? SM_ACQ_REL : order;
}

static void access_weak(place *at, const sm_access *a)
{
    actor who;
    if (!begin(&who, at, a, false, false)) {
        return;
    }
    const bool run = a->layout == SM_SIDE_BY_SIDE;
    const uint32_t mask = a->effect == SM_READS ? list_reads(&who, a) : a->mask;
    if (run && mask == SM_FULL && touch_run(&who, a)) {
        return;
    }
    for (uint32_t m = mask; m; m &= m - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(m);
        touch(&who, lane, a->address[lane], a->bytes);
    }
}

/* Lanes go one after another: what one passes on the next may find. */
static void access_strong(place *at, const sm_access *a, sm_order order)
{
    const bool alone = a->space == PTX_SPACE_SHARED && a->warp->block->cluster->count == 1;
    const san_reach reach =
        alone ? SAN_IN_BLOCK : san_reach_of(at->launch->order, sm_scope_of(a->insn));
    for (uint32_t m = a->mask; m; m &= m - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(m);
        actor who;
        if (a->space == PTX_SPACE_GLOBAL) {
            if (!begin(&who, at, a, true, reach == SAN_IN_BLOCK)) {
                return;
            }
            touch(&who, lane, a->address[lane], a->bytes);
        }
        san_block_strong(at->block, a->warp->index, lane, key_of(a, a->address[lane]),
                         a->effect != SM_WRITES, a->effect != SM_READS, order, reach);
    }
}

static void on_access(void *state, const sm_access *a)
{
    uint8_t *known = &((place *)state)->launch->site[a->site];
    if (!*known) {
        *known = (uint8_t)(1 + order_of(a));
    }
    const sm_order order = (sm_order)(*known - 1);
    if (order != SM_WEAK) {
        access_strong(state, a, order);
    } else if (a->space == PTX_SPACE_GLOBAL) {
        access_weak(state, a);
    }
}

static void copies(void *state, const sm_access *a)
{
    const uint32_t lane = (uint32_t)__builtin_ctz(a->mask);
    actor who;
    if (a->space == PTX_SPACE_GLOBAL && begin(&who, state, a, a->effect == SM_UPDATES, false)) {
        touch(&who, lane, a->address[lane], a->bytes);
    }
}

static void copy_lands(void *state, void *issued, const sm_access *a)
{
    (void)issued;
    copies(state, a);
}

static void heap_gives(void *state, const sm_warp *w, uint32_t lane, uint64_t address,
                       uint64_t bytes)
{
    (void)w, (void)lane;
    launch *l = ((place *)state)->launch;
    san_shadow_forget(l->shadow, address, bytes);
    l->heap_from = !l->heap_to || address < l->heap_from ? address : l->heap_from;
    l->heap_to = address + bytes > l->heap_to ? address + bytes : l->heap_to;
}

static void fence(void *state, const sm_warp *w, const ptx_insn *in)
{
    place *at = state;
    san_block_fence(at->block, w->index, w->mask, san_reach_of(at->launch->order, sm_scope_of(in)));
}

static void block_barrier(void *state)
{
    san_block_barrier(((place *)state)->block);
}

static void cluster_barrier(void *state)
{
    san_block_cluster(((place *)state)->block);
}

static void barrier_arrives(void *state, uint32_t id, uint32_t warp, uint32_t lanes)
{
    san_block_arrives(((place *)state)->block, id, warp, lanes);
}

static void barrier_releases(void *state, uint32_t id, uint32_t warps)
{
    san_block_releases(((place *)state)->block, id, warps);
}

static void warp_barrier(void *state, uint32_t warp, uint32_t lanes)
{
    san_block_warp(((place *)state)->block, warp, lanes);
}

/* --- the observer ------------------------------------------------------------------------------
 */

static void launch_free(launch *l)
{
    san_order_free(l->order);
    san_shadow_free(l->shadow);
    free(l->site);
    free(l);
}

static void *launch_begins(const sm_grid *g)
{
    launch *l = calloc(1, sizeof *l);
    if (!l) {
        return NULL;
    }
    l->grid = g;
    l->site = calloc(g->unit->site_count + 1, sizeof *l->site);
    l->order = san_order_new(g);
    l->shadow = san_shadow_new();
    l->races = san_races_new();
    if (!l->site || !l->order || !l->shadow || !l->races) {
        if (l->races) {
            sm_reports_free(san_races_take(l->races));
        }
        launch_free(l);
        return NULL;
    }
    return l;
}

static __thread san_touched *followed_by;

void san_global_follow(san_touched *t)
{
    followed_by = t;
}

static sm_report *launch_ends(void *state)
{
    launch *l = state;
    if (followed_by) {
        san_touched_launch(followed_by, l->shadow, l->grid->unit->module, l->heap_from, l->heap_to);
    }
    sm_report *found = san_races_take(l->races);
    launch_free(l);
    return found;
}

static void *block_opens(void *state, const sm_block *b)
{
    launch *l = state;
    place *p = calloc(1, sizeof *p);
    if (p && !(p->block = san_block_new(l->order, b))) {
        free(p);
        return NULL;
    }
    if (p) {
        p->launch = l;
    }
    return p;
}

static void block_closes(void *state)
{
    place *p = state;
    san_block_free(p->block);
    free(p);
}

static void block_begins(void *state)
{
    san_block_begins(((place *)state)->block);
}

const sm_observer san_global_races = {.serial = true,
                                      .sees = SM_SEES_GLOBAL | SM_SEES_SHARED,
                                      .launch_begins = launch_begins,
                                      .launch_ends = launch_ends,
                                      .block_opens = block_opens,
                                      .block_closes = block_closes,
                                      .block_begins = block_begins,
                                      .access = on_access,
                                      .fence = fence,
                                      .block_barrier = block_barrier,
                                      .cluster_barrier = cluster_barrier,
                                      .barrier_arrives = barrier_arrives,
                                      .barrier_releases = barrier_releases,
                                      .warp_barrier = warp_barrier,
                                      .heap_gives = heap_gives,
                                      .copy_reads = copies,
                                      .copy_lands = copy_lands};
