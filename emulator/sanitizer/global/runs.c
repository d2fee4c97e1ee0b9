/* Fast paths of the race detector for global memory: lanes that access adjacent words. */
#include "actor.h"

#include <string.h>

/* Is no access of KIND recorded for COUNT cells from FIRST on? */
static inline bool are_cells_unaccessed(const san_page *p, san_cell kind, uint32_t first,
                                        uint32_t count)
{
    const san_ref *cells = p->cell[kind] ? p->cell[kind] + first : NULL;
    san_ref any = 0;
    for (uint32_t k = 0; cells && k < SM_LANES; k++)
        any |= cells[k];
    for (uint32_t k = SM_LANES; cells && k < count; k++)
        any |= cells[k];
    return any == 0;
}

/* Record a read of COUNT cells from FIRST on by successive lanes, 1 << SHIFT cells each; some of
 * the cells already have readers. */
static void record_adjacent_reads(san_checked_insn *a, san_page *p, uint32_t first, uint32_t count,
                                  uint32_t shift)
{
    san_ref *read = p->cell[SAN_LAST_READ] + first,
            *other = san_page_cells(a->at->launch->shadow, p, SAN_OTHER_READ);
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
            san_set_last_reader(a, k >> shift, p, first + k);
        }
    }
}

/* Are COUNT cells from FIRST on untouched (in KIND), or accessed by successive lanes, 1 << SHIFT
 * cells each, of this warp, or of this block before its last barrier? */
static bool are_cells_untouched_or_own(const san_checked_insn *a, const san_page *p, san_cell kind,
                                       uint32_t first, uint32_t count, uint32_t shift)
{
    const san_ref *cells = p->cell[kind] ? p->cell[kind] + first : NULL;
    if (!cells || cells[0] == 0)
        return !cells || are_cells_unaccessed(p, kind, first, count);
    san_ref off = cells[0] % SM_LANES;
    for (uint32_t k = 0; k < count; k++)
        off |= cells[k] ^ (cells[0] + (k >> shift));
    const san_record *r = san_shadow_record(a->at->launch->shadow, cells[0] / SM_LANES);
    const san_block *b = a->at->block;
    return off == 0 && r->block == b->id &&
           (r->warp == a->record.warp || r->time < b->common_until);
}

/* The number of consecutive lanes of MASK, from LANE on, whose addresses increase by STEP bytes
 * from lane to lane; at most MOST. */
static uint32_t count_adjacent_lanes(const sm_access *x, uint32_t mask, uint32_t lane,
                                     uint32_t step, uint64_t most)
{
    uint32_t n = 1;
    while (n < most && lane + n < SM_LANES && mask >> (lane + n) & 1 &&
           x->address[lane + n] == x->address[lane + n - 1] + step)
        n++;
    return n;
}

uint32_t san_record_reads_of_unwritten_pages(san_checked_insn *a, const sm_access *x)
{
    const uint32_t bytes = x->bytes;
    uint32_t left = 0;
    if (bytes & (bytes - 1))
        return x->mask;
    for (uint32_t m = x->mask, n; m;
         m = n < SM_LANES ? m & ~(((1u << n) - 1) << (uint32_t)__builtin_ctz(m)) : 0) {
        const uint32_t l = (uint32_t)__builtin_ctz(m);
        const uint64_t at = x->address[l], cap = (SAN_PAGE_BYTES - at % SAN_PAGE_BYTES) / bytes;
        san_page *p = san_shadow_page(a->at->launch->shadow, at, bytes < 4 ? bytes : 4);
        if (!p)
            return 0;
        const uint32_t cell = (uint32_t)(at % SAN_PAGE_BYTES) >> p->shift,
                       each = (uint32_t)__builtin_ctz(bytes >> p->shift);
        uint32_t same = 1;
        const uint32_t rest = sm_lane_count(m);
        n = x->layout == SM_LAYOUT_CONSECUTIVE && cap >= rest
                ? rest
                : count_adjacent_lanes(x, m, l, bytes, cap);
        if (n == 1 && (same = count_adjacent_lanes(x, m, l, 0, SM_LANES)) >
                          1) /* two readers represent all readers of a cell */
            n = same;
        if (!san_page_add_listed_read(a->at->launch->shadow, p, a->number, l, same > 1 ? 1 : n,
                                      cell, each) ||
            (same > 1 && !san_page_add_listed_read(a->at->launch->shadow, p, a->number, l + n - 1,
                                                   1, cell, each)))
            left |= n < SM_LANES ? ((1u << n) - 1) << l : SM_FULL;
    }
    return left;
}

bool san_record_adjacent_access(san_checked_insn *a, const sm_access *x)
{
    const uint32_t each = x->bytes / 4, count = SM_LANES * each;
    const uint32_t first = (uint32_t)(x->address[0] % SAN_PAGE_BYTES / 4);
    if (x->bytes < 4 || (each & (each - 1)) || first + count > SAN_PAGE_BYTES / 4)
        return false;
    san_page *p = san_shadow_page(a->at->launch->shadow, x->address[0], 4);
    const bool reads = x->effect == SM_READS;
    const uint32_t shift = (uint32_t)__builtin_ctz(each);
    if (!p || p->shift != 2)
        return false;
    san_page_list_to_cells(a->at->launch->shadow, p);
    if (!are_cells_untouched_or_own(a, p, SAN_LAST_WRITE, first, count, shift) ||
        !are_cells_untouched_or_own(a, p, SAN_LAST_STRONG, first, count, shift))
        return false;
    if (reads && !are_cells_unaccessed(p, SAN_LAST_READ, first, count)) {
        record_adjacent_reads(a, p, first, count, shift);
        return true;
    }
    if (!reads && (!are_cells_untouched_or_own(a, p, SAN_LAST_READ, first, count, shift) ||
                   !are_cells_untouched_or_own(a, p, SAN_OTHER_READ, first, count, shift)))
        return false;
    san_ref *cells =
        san_page_cells(a->at->launch->shadow, p, reads ? SAN_LAST_READ : SAN_LAST_WRITE);
    const san_ref base = a->number * SM_LANES;
    for (uint32_t k = 0; cells && each == 1 && k < SM_LANES; k++)
        cells[first + k] = base + k;
    for (uint32_t k = 0; cells && each > 1 && k < count; k++)
        cells[first + k] = base + (k >> shift);
    if (!reads && p->cell[SAN_LAST_STRONG])
        memset(p->cell[SAN_LAST_STRONG] + first, 0, count * sizeof(san_ref));
    return true;
}

/* --- accesses that give only the first address of each row of lanes --------------------------- */

/* Add a read of LANES adjacent lanes, BYTES bytes each from AT on, to the list of a page. */
static inline bool list_adjacent_reads(san_shadow *s, uint32_t record, uint64_t at, uint32_t bytes,
                                       uint32_t lane, uint32_t lanes)
{
    san_page *p = san_shadow_page(s, at, bytes < 4 ? bytes : 4);
    const uint32_t offset = (uint32_t)(at % SAN_PAGE_BYTES);
    return p && offset + lanes * bytes <= SAN_PAGE_BYTES &&
           san_page_add_listed_read(s, p, record, lane, lanes, offset >> p->shift,
                                    (uint32_t)__builtin_ctz(bytes >> p->shift));
}

/* Add the reads of access X to the lists of their pages, row by row. Rows of lanes with adjacent
 * addresses become one entry. */
static bool list_reads_by_row(san_shadow *s, uint32_t record, const sm_access *x)
{
    const uint64_t step = x->layout == SM_LAYOUT_ROWS ? x->bytes : 0;
    bool done = true;
    for (uint32_t row = 0, next; row < SM_ROWS && done; row = next) {
        const uint64_t at = x->address[row * SM_ROW];
        next = row + 1;
        while (next < SM_ROWS && x->address[next * SM_ROW] == at + (next - row) * SM_ROW * step)
            next++;
        const uint32_t lane = row * SM_ROW, lanes = (next - row) * SM_ROW;
        done = step ? list_adjacent_reads(s, record, at, x->bytes, lane, lanes)
                    : list_adjacent_reads(s, record, at, x->bytes, lane, 1) &&
                          list_adjacent_reads(s, record, at, x->bytes, lane + lanes - 1, 1);
    }
    return done;
}

/* Add the reads of access X, described by record number RECORD, to the lists of their pages. False:
 * a page has cells instead of a list. */
static __attribute__((noinline)) bool list_regular_reads(san_shadow *s, uint32_t record,
                                                         const sm_access *x)
{
    if (x->layout == SM_LAYOUT_SAME_ADDRESS) { /* two readers represent all readers of a cell */
        const uint64_t one = x->address[0];
        return list_adjacent_reads(s, record, one, x->bytes, 0, 1) &&
               list_adjacent_reads(s, record, one, x->bytes, SM_LANES - 1, 1);
    }
    return list_reads_by_row(s, record, x);
}

/* Record X if its lanes access adjacent words. False: they do not, or it needs a closer look. */
static __attribute__((noinline)) bool record_consecutive_access(san_resident_block *at,
                                                                const sm_access *x)
{
    san_checked_insn who;
    return x->layout == SM_LAYOUT_CONSECUTIVE &&
           (x->effect == SM_READS || !x->warp->block->copies) &&
           san_begin_access(&who, at, x, false, false, SAN_SYNCHRONISES) &&
           san_record_adjacent_access(&who, x);
}

bool san_record_regular_access(san_resident_block *at, const sm_access *x)
{
    san_shadow *s = at->launch->shadow;
    if (x->bytes & (x->bytes - 1))
        return false;
    if (x->effect == SM_READS) {
        const uint32_t record = san_shadow_add_weak_record(
            s, at->block->id, x->insn, *at->launch->now, x->warp->index, SM_READS);
        if (record && (x->layout == SM_LAYOUT_CONSECUTIVE
                           ? list_adjacent_reads(s, record, x->address[0], x->bytes, 0, SM_LANES)
                           : list_regular_reads(s, record, x)))
            return true;
    }
    return record_consecutive_access(at, x);
}
