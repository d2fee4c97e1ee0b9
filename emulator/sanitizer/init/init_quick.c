/* Fast paths of initcheck for the most frequent case: accesses that touch only written bytes. */
#include "init_shadow.h"

#include "../clones.h"

/* The span of a warp's access is the distance in bytes from its lowest to its highest address. */
enum {
    MAX_SPAN_BYTES = 4096,   /* spans up to this are checked as one range of bytes */
    MIN_SCATTERED_SPAN = 512 /* in irregular accesses of a larger span, check each lane alone */
};

/* Does access A, by all lanes of a warp, touch only written bytes of memory range V? */
SAN_CLONES static bool are_all_lanes_written_in_range(const san_bit_range *v, const sm_access *a)
{
    uint64_t high = 0, missing = 0;
    for (uint32_t l = 0; l < SM_LANES; l++) {
        const uint64_t at = a->address[l] - v->base;
        high = at > high ? at : high;
    }
    if (high >= v->size)
        return false;
    for (uint32_t l = 0; l < SM_LANES; l++) {
        const uint64_t at = a->address[l] - v->base;
        missing |= ~v->bits[at / 64] >> at % 64;
    }
    if (!(missing & ((UINT64_C(1) << a->bytes) - 1)))
        return true;
    return false;
}

static bool are_bytes_of_all_lanes_written(san_init_block *p, const sm_access *a)
{
    const san_bit_range v = san_written_bits(p, a->space, a->address[__builtin_ctz(a->mask)]);
    bool all = v.bits;
    const bool rows = a->layout == SM_LAYOUT_ROWS;
    if (all && (rows || a->layout == SM_LAYOUT_SAME_IN_ROWS)) {
        const uint64_t bytes = rows ? SM_ROW * a->bytes : a->bytes;
        for (uint32_t l = 0; l < SM_LANES && all; l += SM_ROW) {
            const uint64_t at = a->address[l] - v.base;
            all = at < v.size && v.size - at >= bytes && san_are_all_bits_set(v.bits, at, bytes);
        }
        return all;
    }
    if (all && a->mask == SM_FULL)
        return are_all_lanes_written_in_range(&v, a);
    for (uint32_t m = a->mask; m && all; m &= m - 1) {
        const uint64_t at = a->address[__builtin_ctz(m)] - v.base, skip = at % 64;
        const uint64_t bytes = (UINT64_C(1) << a->bytes) - 1; /* aligned: in one word */
        all = at < v.size && (v.bits[at / 64] >> skip & bytes) == bytes;
    }
    return all;
}

/* Are all bytes that A touches written? False also if this is not known. */
bool san_all_bytes_are_written(san_init_block *p, const sm_access *a)
{
    uint64_t low = UINT64_MAX, high = 0;
    if (a->space == PTX_SPACE_SHARED && p->full)
        return true;
    const bool span = a->layout == SM_LAYOUT_CONSECUTIVE || a->layout == SM_LAYOUT_SAME_ADDRESS;
    if (span) {
        low = a->address[__builtin_ctz(a->mask)];
        high = a->address[31 - __builtin_clz(a->mask)];
    } else if (a->mask == SM_FULL) {
        for (uint32_t l = 0; l < SM_LANES; l++) {
            low = a->address[l] < low ? a->address[l] : low;
            high = a->address[l] > high ? a->address[l] : high;
        }
    } else {
        for (uint32_t m = a->mask; m; m &= m - 1) {
            const uint64_t at = a->address[__builtin_ctz(m)];
            low = at < low ? at : low;
            high = at > high ? at : high;
        }
    }
    high += a->bytes;
    if (!span && high - low > MIN_SCATTERED_SPAN && a->bytes <= 32)
        return are_bytes_of_all_lanes_written(p, a);
    if (high - low <= MAX_SPAN_BYTES) {
        const san_bit_range v = san_written_bits(p, a->space, low);
        if (v.bits && high - v.base <= v.size &&
            san_are_all_bits_set(v.bits, low - v.base, high - low))
            return true;
    }
    return !span && a->bytes <= 32 && are_bytes_of_all_lanes_written(p, a);
}

/* Are BYTES bytes written at the first address of each of the first ROWS rows of lanes of A? */
static __attribute__((noinline)) bool are_rows_written(san_init_block *p, const sm_access *a,
                                                       uint32_t rows, uint64_t bytes)
{
    if (a->space == PTX_SPACE_SHARED) {
        bool all = true; /* the bounds of the access have been checked before */
        for (uint32_t row = 0; row < rows && all; row++)
            all = san_are_all_bits_set(p->bits, a->address[row * SM_ROW], bytes);
        return all;
    }
    san_device_allocation *f = san_allocation_of(p, a->address[0]);
    bool all = f != NULL;
    for (uint32_t row = 0; row < rows && all; row++) {
        const uint64_t at = a->address[row * SM_ROW] - f->at;
        all = at < f->size && f->size - at >= bytes && san_is_all_written(f, at, bytes);
    }
    return all;
}

static __attribute__((noinline)) bool are_regular_bytes_written(san_init_block *p,
                                                                const sm_access *a)
{
    switch (a->layout) {
    case SM_LAYOUT_CONSECUTIVE: return are_rows_written(p, a, 1, SM_LANES * a->bytes);
    case SM_LAYOUT_SAME_ADDRESS: return are_rows_written(p, a, 1, a->bytes);
    case SM_LAYOUT_ROWS: return are_rows_written(p, a, SM_ROWS, SM_ROW * a->bytes);
    case SM_LAYOUT_SAME_IN_ROWS: return are_rows_written(p, a, SM_ROWS, a->bytes);
    default: return false;
    }
}

bool san_init_regular_access(void *block, const sm_access *a)
{
    san_init_block *p = block;
    if (p->carries || (a->effect != SM_READS && san_suspects_in_space(p, a->space)->count))
        return false;
    if (a->space == PTX_SPACE_SHARED && p->full)
        return true;
    if (a->space == PTX_SPACE_GLOBAL && a->layout == SM_LAYOUT_CONSECUTIVE && p->last) {
        const san_device_allocation *f = p->last; /* the most frequent case first */
        const uint64_t at = a->address[0] - f->at;
        if (at >= f->written_from && at < f->written_to &&
            f->written_to - at >= SM_LANES * a->bytes)
            return true;
    }
    return are_regular_bytes_written(p, a);
}
