/* Vectorised tests on the addresses of a warp's lanes. The fast paths (reach_often.h)
 * and address resolution (reach.c) begin with these tests. */
#ifndef WARPBOOK_REACH_LANES_H
#define WARPBOOK_REACH_LANES_H

#include "reach.h"

#include "../../core/observer.h"

static inline sm_effect access_effect(exec_access_op how)
{
    return how == EXEC_LOAD ? SM_READS : how == EXEC_STORE ? SM_WRITES : SM_UPDATES;
}

static inline uint32_t lowest_lane(uint32_t mask)
{
    return (uint32_t)__builtin_ctz(mask);
}

static inline uint32_t highest_lane(uint32_t mask)
{
    return 31 - (uint32_t)__builtin_clz(mask);
}

/* Are the set bits of MASK consecutive? */
static inline bool is_consecutive(uint32_t mask)
{
    uint32_t up = mask + (mask & -mask);
    return (up & (up - 1)) == 0;
}

/* Compute the lanes' addresses; inactive lanes get the address of the first active lane. */
static inline void lane_addresses(const sm_warp *w, const sm_insn *i, uint32_t mask, uint64_t bias,
                                  uint64_t at[SM_LANES])
{
    const uint64_t add = i->imm + bias;
    if (i->mode & SM_M_ADDR32) {
        const uint32_t *a = SM_R(const uint32_t, w, i->a);
        for (uint32_t l = 0; l < SM_LANES; l++)
            at[l] = (uint64_t)(uint32_t)(a[l] + (uint32_t)i->imm) + bias;
    } else {
        const uint64_t *a = SM_R(const uint64_t, w, i->a);
        for (uint32_t l = 0; l < SM_LANES; l++)
            at[l] = a[l] + add;
    }
    if (mask != SM_FULL) {
        const uint64_t first = at[lowest_lane(mask)];
        for (uint32_t l = 0; l < SM_LANES; l++)
            at[l] = mask >> l & 1 ? at[l] : first;
    }
}

/* Zero if the distance between adjacent lanes is always D. */
static inline uint64_t uneven_distance64(const uint64_t *a, uint64_t d)
{
    uint64_t off = 0;
    for (uint32_t l = 0; l < SM_LANES; l++)
        off |= (a[l] - a[0]) ^ l * d;
    return off;
}

/* Zero if the lanes are adjacent with BYTES bytes each (APART), or all at one address. */
static inline uint64_t uneven_pattern64(const uint64_t *a, uint32_t bytes, bool apart)
{
    const uint32_t shift = (uint32_t)__builtin_ctz(bytes);
    const uint64_t some = apart ? UINT64_MAX : 0;
    uint64_t off = 0;
    for (uint32_t l = 0; l < SM_LANES; l++)
        off |= (a[l] - a[0]) ^ ((uint64_t)l << shift & some);
    return off;
}

static inline uint32_t uneven_distance32(const uint32_t *a, uint32_t d)
{
    uint32_t off = 0;
    for (uint32_t l = 0; l < SM_LANES; l++)
        off |= (a[l] - a[0]) ^ l * d;
    return off;
}

/* Zero if the active lanes access adjacent bytes, in lane order. */
static inline uint64_t differs_from_contiguous(const uint64_t at[SM_LANES], uint32_t mask,
                                               uint32_t bytes)
{
    uint64_t off = 0;
    if (mask == SM_FULL) {
        for (uint32_t l = 0; l < SM_LANES; l++)
            off |= (at[l] - at[0]) ^ (uint64_t)l * bytes;
    } else {
        const uint32_t first = lowest_lane(mask);
        const uint64_t base = at[first] - (uint64_t)first * bytes;
        for (uint32_t l = 0; l < SM_LANES; l++)
            off |= ((at[l] - base) ^ (uint64_t)l * bytes) & -(uint64_t)(mask >> l & 1);
    }
    return off;
}

static inline uint64_t differs_from_one_address(const uint64_t at[SM_LANES])
{
    uint64_t off = 0;
    for (uint32_t l = 0; l < SM_LANES;
         l++) /* lane 0 is included, so that whole vectors are compared */
        off |= at[l] ^ at[0];
    return off;
}

/* Is the distance between adjacent active lanes always the same? */
static inline bool is_even_distance(const uint64_t at[SM_LANES], uint32_t mask, int64_t *distance)
{
    if (!is_consecutive(mask) || (mask & (mask - 1)) == 0)
        return false;
    const uint32_t first = lowest_lane(mask), last = highest_lane(mask);
    const uint64_t d = at[first + 1] - at[first];
    uint64_t off = 0;
    if (at[last] - at[first] != (last - first) * d)
        return false;
    if (mask == SM_FULL)
        for (uint32_t l = 0; l < SM_LANES; l++)
            off |= (at[l] - at[0]) ^ l * d;
    else
        for (uint32_t l = first + 1; l <= last; l++)
            off |= (at[l] - at[l - 1]) ^ d;
    *distance = (int64_t)d;
    return off == 0;
}

/* The most words in a bank if 32 lanes access one word each, and adjacent lanes are WORDS apart. */
static inline uint32_t gcd_with_32(uint32_t words)
{
    return words % 32 ? words & -words : 32;
}

/* The memo, a record of the pattern of the lanes' addresses, that an earlier instruction with the
 * same address registers has filled in for instruction I; NULL: none. */
static inline const sm_address_memo *usable_address_memo(const sm_warp *w, const sm_insn *i)
{
    const uint32_t k = (i->memo & SM_MEMO_INDEX_MASK) - 1;
    return i->memo & SM_MEMO_KNOWN && w->memo_live >> k & 1 ? &w->memo[k] : NULL;
}

/* The memo in which instruction I records the pattern of its addresses for later instructions with
 * the same address registers; NULL: none. */
static inline sm_address_memo *memo_to_fill(sm_warp *w, const sm_insn *i)
{
    const uint32_t k = (i->memo & SM_MEMO_INDEX_MASK) - 1;
    if (i->memo == 0)
        return NULL;
    w->memo_live |= 1u << k;
    return &w->memo[k];
}

static inline void clear_address_memo(sm_warp *w, const sm_insn *i)
{
    w->memo_live &= i->memo ? ~(1u << ((i->memo & SM_MEMO_INDEX_MASK) - 1)) : UINT32_MAX;
}

static inline void record_largest_stride(insn_stats *s, int64_t distance)
{
    if (distance == s->stride)
        return;
    const uint64_t now = distance < 0 ? -(uint64_t)distance : (uint64_t)distance;
    const uint64_t was = s->stride < 0 ? -(uint64_t)s->stride : (uint64_t)s->stride;
    if (now > was || (now == was && distance > s->stride))
        s->stride = distance;
}

static inline void count_even_request(insn_stats *s, int64_t distance)
{
    s->even++;
    record_largest_stride(s, distance);
}

static inline void count_insn_request(insn_stats *s, uint32_t lanes, uint32_t sectors,
                                      uint32_t ideal)
{
    s->requests++;
    s->lanes += lanes;
    s->sectors += sectors;
    s->ideal += ideal;
}

#endif
