#include "shape.h"

#include "../base/list.h"
#include "../profiler/count.h"

#include <stdlib.h>
#include <string.h>

/* --- the cost of a request -------------------------------------------------------------------- */

/* Copy the addresses of the active lanes to PACKED without gaps. Returns how many lanes are active.
 */
static uint32_t pack_active_addresses(const sm_access *a, uint64_t packed[SM_LANES])
{
    uint32_t n = 0;
    for (uint32_t m = a->mask; m; m &= m - 1)
        packed[n++] = a->address[__builtin_ctz(m)];
    return n;
}

/* The low 32 bits of each lane's address; inactive lanes get the address of the first active lane.
 * */
static void take_low_address_bits(const sm_access *a, uint32_t offset[SM_LANES])
{
    const uint64_t first = a->address[__builtin_ctz(a->mask)];
    for (uint32_t l = 0; l < SM_LANES; l++)
        offset[l] = (uint32_t)(a->mask >> l & 1 ? a->address[l] : first);
}

/* Store the cost of request A to shared memory in C. */
static void add_shared_cost(const sm_access *a, acc_cost *c)
{
    uint32_t offset[SM_LANES];
    take_low_address_bits(a, offset);
    const profiler_wavefront_cost words =
        profiler_shared_wavefronts(offset, a->mask, a->bytes, a->effect == SM_READS);
    const profiler_wavefront_cost p =
        a->effect == SM_UPDATES ? profiler_atomic_wavefronts(offset, a->mask, a->bytes) : words;
    c->cost = p.wavefronts;
    c->ideal = p.wavefronts - p.conflicts;
    c->conflicts = words.conflicts;
}

/* Store the cost of request A to global memory in C. PACKED: addresses of the active lanes. */
static void add_global_cost(const sm_access *a, const uint64_t *packed, acc_cost *c)
{
    const profiler_global_request_cost s =
        profiler_cost_of_global_request(packed, c->lanes, a->bytes);
    c->cost = a->effect == SM_UPDATES ? profiler_atomic_sectors(packed, c->lanes) : s.sectors;
    c->ideal = s.ideal;
}

acc_cost acc_cost_of(const sm_access *a)
{
    uint64_t packed[SM_LANES];
    acc_cost c = {.lanes = pack_active_addresses(a, packed)};
    const uint32_t distinct = profiler_count_distinct(packed, c.lanes);
    c.used = distinct * a->bytes;
    switch (a->space) {
    case PTX_SPACE_SHARED: add_shared_cost(a, &c); break;
    case PTX_SPACE_CONST:
        c.cost = distinct;
        c.ideal = 1;
        break;
    case PTX_SPACE_LOCAL:
        c.used = c.lanes * a->bytes; /* in local memory no two lanes access the same bytes */
        c.cost = profiler_cost_of_local_request(a->address, a->mask, a->bytes).sectors;
        c.ideal = (c.lanes * (a->bytes < 4 ? 4 : a->bytes) + 31) / 32;
        c.ideal = c.ideal < c.cost ? c.ideal : c.cost;
        break;
    default: add_global_cost(a, packed, &c);
    }
    return c;
}

/* The number of lanes that shared memory serves in one pass: 32, or 16 for accesses of 8 bytes, or
 * 8 for 16 bytes. A load whose neighbouring lanes read the same words serves twice as many, as in
 * profiler_shared_wavefronts. */
static uint32_t lanes_per_pass(const sm_access *a)
{
    const uint32_t lanes = a->bytes <= 4 ? SM_LANES : a->bytes == 8 ? 16 : 8;
    if (a->effect == SM_READS && lanes < SM_LANES) {
        uint32_t offset[SM_LANES];
        take_low_address_bits(a, offset);
        const profiler_wavefront_cost p =
            profiler_shared_wavefronts(offset, a->mask, a->bytes, true);
        const profiler_wavefront_cost parts =
            profiler_shared_wavefronts(offset, a->mask, a->bytes, false);
        return p.wavefronts < parts.wavefronts ? 2 * lanes : lanes;
    }
    return lanes;
}

/* --- groups of requests ----------------------------------------------------------------------- */

/* The group of S for requests with cost C. NULL: the host is out of memory. */
static acc_request_group *find_or_add_request_group(acc_insn_requests *s, const acc_cost *c)
{
    for (uint32_t k = s->count; k-- > 0;) {
        acc_request_group *p = &s->group[k];
        if (p->each.cost == c->cost && p->each.lanes == c->lanes)
            return p;
    }
    acc_request_group *p = LIST_ADD(s->group, s->count);
    if (p)
        *p = (acc_request_group){.each = *c, .block = UINT64_MAX};
    return p;
}

/* Whether warp WARP of block BLOCK precedes, in the grid, the warp whose addresses a group keeps.
 * */
static bool is_earlier_warp(uint64_t block, uint32_t warp, const acc_request_group *group)
{
    return block != group->block ? block < group->block : warp < group->warp;
}

bool acc_add_request(acc_insn_requests *s, const sm_access *a, const acc_cost *c)
{
    acc_request_group *p = find_or_add_request_group(s, c);
    if (!p)
        return false;
    s->insn = a->insn;
    s->space = a->space;
    s->effect = a->effect;
    s->bytes = a->bytes;
    s->requests++;
    s->cost += c->cost;
    s->ideal += c->ideal;
    s->conflicts += c->conflicts;
    s->used += c->used;
    p->requests++;
    if (is_earlier_warp(a->warp->block->linear, a->warp->index, p)) {
        p->each = *c;
        p->block = a->warp->block->linear;
        p->warp = a->warp->index;
        p->mask = a->mask;
        p->served = a->space == PTX_SPACE_SHARED ? lanes_per_pass(a) : 0;
        memcpy(p->address, a->address, sizeof p->address);
    }
    return true;
}

bool acc_merge_requests(acc_insn_requests *to, const acc_insn_requests *from)
{
    for (uint32_t k = 0; k < from->count; k++) {
        const acc_request_group *f = &from->group[k];
        acc_request_group *p = find_or_add_request_group(to, &f->each);
        if (!p)
            return false;
        const uint64_t requests = p->requests + f->requests;
        if (is_earlier_warp(f->block, f->warp, p))
            *p = *f;
        p->requests = requests;
    }
    if (from->insn) {
        to->insn = from->insn;
        to->space = from->space;
        to->effect = from->effect;
        to->bytes = from->bytes;
    }
    to->requests += from->requests;
    to->cost += from->cost;
    to->ideal += from->ideal;
    to->conflicts += from->conflicts;
    to->used += from->used;
    return true;
}

/* Order of qsort: the group with the largest total cost first. */
static int compare_by_total_cost(const void *x, const void *y)
{
    const acc_request_group *a = x, *b = y;
    const uint64_t s = a->requests * a->each.cost, t = b->requests * b->each.cost;
    if (s != t)
        return s > t ? -1 : 1;
    if (a->each.cost != b->each.cost)
        return a->each.cost > b->each.cost ? -1 : 1;
    return a->each.lanes > b->each.lanes ? -1 : a->each.lanes < b->each.lanes;
}

void acc_sort_request_groups(acc_insn_requests *s)
{
    if (s->count)
        qsort(s->group, s->count, sizeof *s->group, compare_by_total_cost);
}

void acc_free_requests(acc_insn_requests *s)
{
    free(s->group);
    *s = (acc_insn_requests){0};
}
