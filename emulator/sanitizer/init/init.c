#include "init.h"

#include "../../observe/observe.h"
#include "../../ptx/traits.h"
#include "init_shadow.h"

#include <stdlib.h>
#include <string.h>

/* --- checks of reads -------------------------------------------------------------------------- */

/* N bytes at AT of SPACE are written with unwritten bytes of SOURCE (see san_unwritten_values). */
static void note_moved(san_init_block *p, ptx_space space, uint64_t at, uint64_t n, uint64_t source)
{
    if (space == PTX_SPACE_GLOBAL) {
        if (san_allocation_of(p, at))
            san_note_copied_unwritten(p->last, at - p->last->at, n, source);
        return;
    }
    const int k = space == PTX_SPACE_LOCAL;
    const bool first = p->moved[k].to == 0;
    p->moved[k].source = first ? source : p->moved[k].source;
    p->moved[k].from = first || at < p->moved[k].from ? at : p->moved[k].from;
    p->moved[k].to = at + n > p->moved[k].to ? at + n : p->moved[k].to;
}

/* Where the unwritten bytes at ADDRESS were copied from: a device address, or 0. */
static uint64_t source_of_moved(san_init_block *p, ptx_space space, uint64_t address)
{
    if (space == PTX_SPACE_GLOBAL) {
        const san_device_allocation *f = san_allocation_of(p, address);
        const uint64_t at = f ? address - f->at : 0;
        return f && at >= f->copied_from && at < f->copied_to ? f->source : 0;
    }
    const int k = space == PTX_SPACE_LOCAL;
    return address >= p->moved[k].from && address < p->moved[k].to ? p->moved[k].source : 0;
}

static void add_suspect_read(san_init_block *p, const sm_access *a, uint32_t lane, uint64_t address,
                             uint32_t bytes)
{
    const uint16_t line_number = san_source_line_number(p->launch->lines, a);
    if (line_number != SAN_NO_LINE) {
        const san_suspect s = {.address = address,
                               .block = a->warp->block->linear,
                               .thread = a->warp->index * SM_LANES + lane,
                               .epoch = p->epoch,
                               .source = source_of_moved(p, a->space, address),
                               .line_number = line_number,
                               .bytes = (uint8_t)bytes,
                               .strong =
                                   a->effect == SM_READS && observe_order_of(a->insn) != SM_WEAK};
        san_suspects_add_read(san_suspects_in_space(p, a->space), &s);
    }
}

static uint16_t unwritten_byte_mask(san_init_block *p, ptx_space space, uint64_t address,
                                    uint32_t bytes)
{
    uint16_t out = 0;
    const san_bit_range v = san_written_bits(p, space, address);
    if (v.bits)
        for (uint32_t k = 0; k < bytes && k < 16; k++)
            out |= (uint16_t)(!san_is_any_bit_set(v.bits, address + k - v.base, 1) << k);
    return out;
}

static bool is_all_unwritten(san_init_block *p, ptx_space space, uint64_t address, uint32_t bytes)
{
    const san_bit_range v = san_written_bits(p, space, address);
    return v.bits && !san_is_any_bit_set(v.bits, address - v.base, bytes);
}

static san_unwritten_values *unwritten_values_of_register(san_init_block *p, const sm_access *a,
                                                          uint32_t element)
{
    const uint32_t number = a->warp->block == p->block
                                ? san_flow_register_number(&p->launch->flow, a->insn, element)
                                : 0;
    return number ? &p->carried[a->warp->index * p->launch->flow.count + number - 1] : NULL;
}

/* Check a load, element by element, because a vector load has several elements. */
static void check_load(san_init_block *p, const sm_access *a, bool written)
{
    const uint32_t elements = a->insn->vec ? a->insn->vec : 1, bytes = a->bytes / elements;
    for (uint32_t k = 0; k < elements; k++) {
        san_unwritten_values *c = unwritten_values_of_register(p, a, k);
        if (written && (!c || !c->some))
            continue;
        SM_EACH_LANE(lane, a->mask) {
            const uint64_t at = a->address[lane] + k * bytes;
            if (c) {
                c->bytes[lane] = written ? 0 : unwritten_byte_mask(p, a->space, at, bytes);
                if (c->bytes[lane] && !c->some) {
                    const uint64_t before = source_of_moved(p, a->space, at);
                    c->source = before ? before : a->space == PTX_SPACE_GLOBAL ? at : 0;
                }
                c->some = c->some || c->bytes[lane];
                p->carries = p->carries || c->some;
            } else if (is_all_unwritten(p, a->space, at, bytes) &&
                       !san_flow_may_drop_element(&p->launch->flow, a->insn, k)) {
                add_suspect_read(p, a, lane, at, bytes);
            }
        }
    }
}

static void on_copy_read(san_init_block *p, const sm_access *a, bool written)
{
    for (uint32_t m = a->mask; m; m &= m - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(m), have = p->copy.bytes[lane];
        const uint32_t bits =
            written ? 0 : unwritten_byte_mask(p, a->space, a->address[lane], a->bytes);
        p->copy.unwritten[lane] |= have < 16 ? (uint16_t)(bits << have) : 0;
        p->carries = p->carries || bits;
        p->copy.bytes[lane] += a->bytes;
    }
}

static void check_read_access(san_init_block *p, const sm_access *a)
{
    const bool written = san_all_bytes_are_written(p, a);
    if (ptx_traits_of(a->insn)->access == PTX_ACCESS_copy) {
        on_copy_read(p, a, written);
        return;
    }
    if (written && !p->carries)
        return;
    if (ptx_is_per_lane_load(a->insn)) {
        check_load(p, a, written);
        return;
    }
    SM_EACH_LANE(lane, written ? 0 : a->mask)
        if (is_all_unwritten(p, a->space, a->address[lane], a->bytes))
            add_suspect_read(p, a, lane, a->address[lane], a->bytes);
}

/* --- checks of writes ------------------------------------------------------------------------- */

/* Mark N bytes at ADDRESS as written, except those in NOT_WRITTEN (mask of the first 16 bytes). */
static void mark_written(san_init_block *p, ptx_space space, uint64_t address, uint64_t n,
                         uint16_t not_written)
{
    const san_bit_range v = san_written_bits(p, space, address);
    const uint64_t at = address - v.base, left = v.size - at;
    if (!v.bits)
        return;
    san_set_bits(v.bits, at, n < left ? n : left, true);
    for (uint32_t k = 0; not_written && k < 16; k++)
        if (not_written >> k & 1)
            san_unmark_bytes(p, space, address + k, 1);
}

static void mark_stored_value(san_init_block *p, const sm_access *a, uint32_t lane)
{
    san_suspects_mark_store(san_suspects_in_space(p, a->space), a->address[lane], a->bytes,
                            a->warp->block->linear, a->warp->index * SM_LANES + lane, p->epoch);
}

static bool stores_unwritten_value(san_init_block *p, const sm_access *a)
{
    bool some = false;
    for (uint32_t k = 0; k < a->elements; k++) {
        const san_unwritten_values *c = unwritten_values_of_register(p, a, k);
        some = some || (c && c->some);
    }
    return some;
}

static void check_store(san_init_block *p, const sm_access *a)
{
    const bool copies = ptx_traits_of(a->insn)->access == PTX_ACCESS_copy;
    if (!p->carries && !san_suspects_in_space(p, a->space)->count &&
        san_all_bytes_are_written(p, a)) {
        memset(&p->copy, 0, copies ? sizeof p->copy : 0);
        return;
    }
    const bool carry = !copies && ptx_is_per_lane_store(a->insn) && stores_unwritten_value(p, a);
    if (!carry && !copies && a->layout == SM_LAYOUT_CONSECUTIVE &&
        !san_suspects_in_space(p, a->space)->count) {
        mark_written(p, a->space, a->address[__builtin_ctz(a->mask)],
                     (uint64_t)__builtin_popcount(a->mask) * a->bytes, 0);
        return;
    }
    SM_EACH_LANE(lane, a->mask) {
        const uint64_t at = a->address[lane];
        mark_stored_value(p, a, lane);
        if (!carry) {
            mark_written(p, a->space, at, a->bytes, copies ? p->copy.unwritten[lane] : 0);
            p->copy.unwritten[lane] = 0;
            p->copy.bytes[lane] = 0;
            continue;
        }
        const uint32_t bytes = a->bytes / a->elements;
        for (uint32_t k = 0; k < a->elements; k++) {
            const san_unwritten_values *c = unwritten_values_of_register(p, a, k);
            mark_written(p, a->space, at + k * bytes, bytes, c ? c->bytes[lane] : 0);
            if (c && c->bytes[lane])
                note_moved(p, a->space, at + k * bytes, bytes, c->source);
        }
    }
}

static void check_atomic(san_init_block *p, const sm_access *a)
{
    const bool reads =
        ptx_is_per_lane_atomic(a->insn) && (!ptx_has_modifier(a->insn, PTX_MOD_exch) ||
                                            san_flow_is_result_used(&p->launch->flow, a->insn));
    if (san_all_bytes_are_written(p, a))
        return;
    SM_EACH_LANE(lane, a->mask) {
        if (reads && is_all_unwritten(p, a->space, a->address[lane], a->bytes))
            add_suspect_read(p, a, lane, a->address[lane], a->bytes);
        mark_written(p, a->space, a->address[lane], a->bytes, 0);
    }
}

static void check_memory_access(san_init_block *p, const sm_access *a)
{
    switch (a->effect) {
    case SM_READS: check_read_access(p, a); break;
    case SM_WRITES: check_store(p, a); break;
    case SM_UPDATES: check_atomic(p, a); break;
    }
}

/* Check an access to local memory. The threads' local memories form one contiguous range. */
static void handle_local_access(san_init_block *p, const sm_access *a)
{
    const uint64_t stride = a->warp->local_stride;
    uint64_t address[SM_LANES] = {0};
    if (!p->local) {
        p->local_bytes = stride * SM_LANES * p->block->warp_count;
        p->local = calloc(p->local_bytes / 64 + 2, sizeof *p->local);
    }
    SM_EACH_LANE(lane, a->mask)
        address[lane] = a->address[lane] + (a->warp->index * SM_LANES + lane) * stride;
    sm_access as_one = *a;
    as_one.address = address;
    as_one.layout = SM_LAYOUT_UNKNOWN;
    if (p->local)
        check_memory_access(p, &as_one);
}

static void check_observed_access(void *state, const sm_access *a)
{
    const san_init_block *p = state;
    if (p->full && !p->carries && a->effect == SM_READS && a->space == PTX_SPACE_SHARED)
        return; /* most frequent case: shared memory that has been written completely */
    if (a->space == PTX_SPACE_LOCAL)
        handle_local_access(state, a);
    else if (a->space == PTX_SPACE_GLOBAL || a->space == PTX_SPACE_SHARED)
        check_memory_access(state, a);
}

static void on_device_malloc(void *state, const sm_warp *w, uint32_t lane, uint64_t address,
                             uint64_t bytes)
{
    san_init_launch *l = ((san_init_block *)state)->launch;
    (void)w, (void)lane;
    if (!san_find_tracked_allocation(l->allocations, l->allocation_count, address)) {
        san_device_allocation **more =
            san_add_heap_of_device(address, l->allocations, &l->allocation_count);
        l->allocations = more ? more : l->allocations;
    }
    san_device_allocation *f =
        san_find_tracked_allocation(l->allocations, l->allocation_count, address);
    if (f)
        san_mark_unwritten(f, address - f->at, bytes);
}

/* Find the first 4-byte word, within BYTES bytes at AT, none of whose bytes has been written; *OUT:
 * its first byte within the range. False: there is none. */
static bool find_unwritten(san_init_block *p, ptx_space space, uint64_t at, uint32_t bytes,
                           uint64_t *out)
{
    const san_bit_range v = san_written_bits(p, space, at);
    if (!v.bits || san_are_all_bits_set(v.bits, at - v.base, bytes))
        return false;
    for (uint32_t k = 0; k < bytes; k += 4) {
        const uint32_t n = bytes - k < 4 ? bytes - k : 4;
        if (!san_is_any_bit_set(v.bits, at + k - v.base, n)) {
            *out = at + k;
            return true;
        }
    }
    return false;
}

static void on_copy_complete(void *state, void *issued, const sm_access *a)
{
    (void)issued;
    const uint32_t lane = (uint32_t)__builtin_ctz(a->mask);
    uint64_t at;
    if (a->effect == SM_UPDATES && find_unwritten(state, a->space, a->address[lane], a->bytes, &at))
        add_suspect_read(state, a, lane, at, 4);
    mark_stored_value(state, a, lane);
    mark_written(state, a->space, a->address[lane], a->bytes, 0);
}

/* An asynchronous copy transfers the bytes of READ to TO: bytes that were unwritten at the source
 * become unwritten there. If the copy REDUCES, it also reads the destination. */
static void on_copy_transfers_values(void *state, void *from_state, const sm_access *read,
                                     ptx_space space, uint64_t to, bool reduces)
{
    san_init_block *p = state, *source = from_state;
    const uint32_t lane = (uint32_t)__builtin_ctz(read->mask);
    const uint64_t at = read->address[lane];
    const san_bit_range from = san_written_bits(source, read->space, at);
    uint64_t first;
    if (!from.bits || san_are_all_bits_set(from.bits, at - from.base, read->bytes))
        return;
    if (reduces) {
        if (find_unwritten(source, read->space, at, read->bytes, &first))
            add_suspect_read(source, read, lane, first, 4);
        return;
    }
    for (uint32_t k = 0; k < read->bytes; k++)
        if (!san_is_any_bit_set(from.bits, at + k - from.base, 1))
            san_unmark_bytes(p, space, to + k, 1);
    p->full = p->full && space != PTX_SPACE_SHARED;
}

/* A filter reads texels that may have no weight: a fetch is suspicious if no texel has been
 * written. */
static void on_texture_read(void *state, const sm_access *a, const uint64_t *texel, uint32_t count)
{
    bool unwritten = true;
    for (uint32_t k = 0; k < count && unwritten; k++)
        unwritten = is_all_unwritten(state, a->space, texel[k], a->bytes);
    if (unwritten)
        add_suspect_read(state, a, (uint32_t)__builtin_ctz(a->mask), texel[0], a->bytes);
}

static void on_surface_write(void *state, const sm_access *a)
{
    SM_EACH_LANE(lane, a->mask) {
        mark_stored_value(state, a, lane);
        mark_written(state, a->space, a->address[lane], a->bytes, 0);
    }
}

static void handle_block_barrier(void *state)
{
    san_init_block *p = state;
    p->epoch++;
    p->full = p->full || san_are_all_bits_set(p->bits, 0, p->shared_bytes);
}

/* --- launches and blocks ---------------------------------------------------------------------- */

static void free_init_launch(san_init_launch *l)
{
    san_flow_clear(&l->flow);
    if (l->allocations)
        san_release_tracked_allocations(l->allocations, l->allocation_count);
    san_suspects_free(&l->suspects);
    free(l);
}

static void *on_launch_begin(const sm_grid *g)
{
    san_init_launch *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->grid = g;
    l->allocations = san_take_tracked_allocations(&l->allocation_count);
    l->lines = san_reading_lines_new(g);
    if (!l->allocations || !l->lines || !san_flow_analyse(&l->flow, g->launch->kernel)) {
        free(l->lines);
        free_init_launch(l);
        return NULL;
    }
    return l;
}

static sm_report *on_launch_end(void *state)
{
    san_init_launch *l = state;
    san_suspects_report_remaining(&l->suspects, l->lines, l->allocations, l->allocation_count);
    sm_report *found = san_take_init_reports(l->lines);
    free_init_launch(l);
    return found;
}

static void report_suspects_of_block(san_init_block *p)
{
    san_suspects_report_remaining(&p->suspects[0], p->launch->lines, NULL, 0);
    san_suspects_report_remaining(&p->suspects[1], p->launch->lines, NULL, 0);
}

static void on_block_close(void *state)
{
    san_init_block *p = state;
    report_suspects_of_block(p);
    san_suspects_free(&p->suspects[0]);
    san_suspects_free(&p->suspects[1]);
    free(p->bits);
    free(p->local);
    free(p->carried);
    free(p);
}

static void *on_block_open(void *state, const sm_block *b)
{
    san_init_launch *l = state;
    san_init_block *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->launch = l;
    p->block = b;
    p->shared_bytes = b->shared_bytes;
    p->bits = calloc(b->shared_bytes / 64 + 2, sizeof *p->bits);
    p->carried = calloc((size_t)b->warp_count * l->flow.count + 1, sizeof *p->carried);
    if (!p->bits || !p->carried) {
        on_block_close(p);
        return NULL;
    }
    return p;
}

static void on_block_begin(void *state)
{
    san_init_block *p = state;
    const uint64_t own = p->launch->grid->reserved_at;
    memset(p->bits, 0, (p->shared_bytes / 64 + 2) * sizeof *p->bits);
    if (p->carries) {
        memset(p->carried, 0,
               (size_t)p->block->warp_count * p->launch->flow.count * sizeof *p->carried);
    }
    memset(&p->copy, 0, sizeof p->copy);
    memset(&p->moved, 0, sizeof p->moved);
    p->epoch = 0;
    p->full = p->carries = false;
    if (own < p->shared_bytes) /* shared memory after `own` bytes is the device's */
        san_set_bits(p->bits, own, p->shared_bytes - own, true);
}

static void on_block_end(void *state)
{
    report_suspects_of_block(state);
    free(((san_init_block *)state)->local);
    ((san_init_block *)state)->local = NULL;
}

const sm_observer san_init_observer = {.serial = true,
                                       .sees = SM_SEES_GLOBAL | SM_SEES_SHARED | SM_SEES_LOCAL,
                                       .launch_begins = on_launch_begin,
                                       .launch_ends = on_launch_end,
                                       .block_opens = on_block_open,
                                       .block_closes = on_block_close,
                                       .block_begins = on_block_begin,
                                       .block_ends = on_block_end,
                                       .access = check_observed_access,
                                       .regular_access = san_init_regular_access,
                                       .block_barrier = handle_block_barrier,
                                       .cluster_barrier = handle_block_barrier,
                                       .device_malloc = on_device_malloc,
                                       .copy_lands = on_copy_complete,
                                       .copy_transfers = on_copy_transfers_values,
                                       .texture_reads = on_texture_read,
                                       .surface_writes = on_surface_write};
