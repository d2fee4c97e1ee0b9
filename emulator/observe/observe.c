#include "../core/observer.h"

#include "../core/code.h"
#include "../ptx/traits.h"
#include "observe.h"

#include <stdlib.h>
#include <string.h>

/* --- memory order and scope of an instruction ------------------------------------------------- */

sm_order observe_order_of(const ptx_insn *in)
{
    const bool fence = ptx_traits_of(in)->sync == PTX_SYNC_fence;
    if (ptx_has_modifier(in, PTX_MOD_acq_rel) || ptx_has_modifier(in, PTX_MOD_sc))
        return SM_ACQ_REL;
    if (ptx_has_modifier(in, PTX_MOD_acquire))
        return SM_ACQUIRE;
    if (ptx_has_modifier(in, PTX_MOD_release))
        return SM_RELEASE;
    if (ptx_has_modifier(in, PTX_MOD_volatile))
        return SM_VOLATILE;
    const ptx_access access = ptx_traits_of(in)->access;
    const bool atomic = access == PTX_ACCESS_atom || access == PTX_ACCESS_red;
    return fence ? SM_ACQ_REL
           : atomic || ptx_has_modifier(in, PTX_MOD_relaxed) || ptx_has_modifier(in, PTX_MOD_mmio)
               ? SM_RELAXED
               : SM_WEAK;
}

sm_scope observe_scope_of(const ptx_insn *in)
{
    if (ptx_has_modifier(in, PTX_MOD_cta))
        return SM_SCOPE_CTA;
    if (ptx_has_modifier(in, PTX_MOD_cluster))
        return SM_SCOPE_CLUSTER;
    const bool system = ptx_has_modifier(in, PTX_MOD_sys) ||
                        ptx_has_modifier(in, PTX_MOD_volatile) ||
                        ptx_has_modifier(in, PTX_MOD_mmio);
    return system ? SM_SCOPE_SYS : SM_SCOPE_GPU;
}

bool observe_access_value(const sm_access *a, uint32_t lane, void *value)
{
    const uint32_t bytes = a->slot ? a->bytes / a->elements : 0;
    for (uint32_t k = 0; a->slot && k < a->elements; k++)
        memcpy((uint8_t *)value + k * bytes, a->warp->r + a->slot[k] + lane * a->lane_bytes, bytes);
    return a->slot != NULL;
}

/* --- calling the observers when launches and blocks begin and end ----------------------------- */

bool observe_launch_begins(sm_grid *g, const sm_observer *const *by)
{
    sm_observed *watch = g->observed;
    memset(watch, 0, SM_OBSERVERS * sizeof *watch);
    for (uint32_t k = 0, n = 0; by && n < SM_OBSERVERS && by[k]; k++) {
        if (by[k]->wants && !by[k]->wants(g))
            continue;
        watch[n] = (sm_observed){by[k], by[k]->launch_begins(g)};
        if (!watch[n++].state) {
            watch[n - 1].by = NULL;
            observe_free_reports(observe_launch_ends(g));
            return false;
        }
        g->sees |= by[k]->sees;
    }
    return true;
}

bool observe_wants_serial(const sm_observer *const *by)
{
    bool serial = false;
    for (uint32_t k = 0; by && k < SM_OBSERVERS && by[k]; k++)
        serial = serial || by[k]->serial;
    return serial;
}

void observe_launch_faults(sm_grid *g, const sm_fault *fault)
{
    for (uint32_t k = 0; k < SM_OBSERVERS && g->observed[k].by; k++)
        if (g->observed[k].by->launch_faults)
            g->observed[k].by->launch_faults(g->observed[k].state, fault);
}

sm_report *observe_launch_ends(sm_grid *g)
{
    sm_observed *watch = g->observed;
    sm_report *list = NULL, **end = &list;
    for (uint32_t k = 0; k < SM_OBSERVERS && watch[k].by; k++) {
        *end = watch[k].by->launch_ends(watch[k].state);
        while (*end)
            end = &(*end)->next;
        watch[k] = (sm_observed){0};
    }
    return list;
}

void observe_free_reports(sm_report *list)
{
    while (list) {
        sm_report *next = list->next;
        free(list);
        list = next;
    }
}

/* List the observers of B that see accesses, for each state space. */
static void list_seeing_observers(sm_block *b)
{
    for (uint32_t space = 0; space < SM_SEES_BIT_COUNT; space++) {
        uint32_t count = 0;
        memset(b->sees[space], 0, sizeof b->sees[space]);
        for (uint32_t k = 0; k < SM_OBSERVERS && b->observer[k].by; k++)
            if (b->observer[k].by->sees >> space & 1 && b->observer[k].by->access)
                b->sees[space][count++] = b->observer[k];
    }
}

bool observe_block_open(sm_block *b)
{
    const sm_observed *launch = b->grid->observed;
    for (uint32_t k = 0; k < SM_OBSERVERS && launch[k].by; k++) {
        const sm_observer *by = launch[k].by;
        void *state = by->block_opens(launch[k].state, b);
        if (!state) {
            observe_block_close(b);
            return false;
        }
        b->observer[k] = (sm_observed){by, state};
        b->observed = true;
        b->followed = b->followed || by->insn_begins;
    }
    list_seeing_observers(b);
    return true;
}

void observe_block_close(sm_block *b)
{
    for (uint32_t k = 0; k < SM_OBSERVERS && b->observer[k].by; k++) {
        b->observer[k].by->block_closes(b->observer[k].state);
        b->observer[k] = (sm_observed){0};
    }
    list_seeing_observers(b);
    b->observed = b->followed = false;
}

/* Call FUNCTION of every observer of block B whose table has FUNCTION. */
#define CALL_OBSERVERS(b, function, ...)                            \
    do {                                                            \
        const sm_observed *o_ = (b)->observer;                      \
        for (uint32_t k_ = 0; k_ < SM_OBSERVERS && o_[k_].by; k_++) \
            if (o_[k_].by->function)                                \
                o_[k_].by->function(o_[k_].state, ##__VA_ARGS__);   \
    } while (0)

void observe_block_begins(const sm_block *b)
{
    CALL_OBSERVERS(b, block_begins);
}

void observe_block_ends(const sm_block *b)
{
    CALL_OBSERVERS(b, block_ends);
}

static uint32_t sees_bit_of_space(ptx_space space)
{
    switch (space) {
    case PTX_SPACE_SHARED: return SM_SEES_SHARED;
    case PTX_SPACE_GLOBAL: return SM_SEES_GLOBAL;
    case PTX_SPACE_LOCAL: return SM_SEES_LOCAL;
    case PTX_SPACE_CONST: return SM_SEES_CONST;
    default: return 0;
    }
}

void observe_access(const sm_block *b, const sm_access *a)
{
    const uint32_t space = sees_bit_of_space(a->space);
    const sm_observed *o = space ? b->sees[__builtin_ctz(space)] : NULL;
    for (uint32_t k = 0; space && k < SM_OBSERVERS && o[k].by; k++)
        o[k].by->access(o[k].state, a);
}

/* A memory access of a single lane. */
typedef struct single_lane_access {
    sm_access access;           /* the access; its addresses are in `address` */
    uint64_t address[SM_LANES]; /* [lane] address of the access; only the accessing lane's is set */
} single_lane_access;

static void fill_single_access(single_lane_access *s, const sm_warp *w, const sm_insn *i,
                               uint32_t lane, ptx_space space, uint64_t address, uint32_t bytes,
                               sm_effect effect)
{
    s->address[lane] = address;
    s->access = (sm_access){.warp = w,
                            .insn = sm_site_insn(w, i),
                            .site = i->site,
                            .space = space,
                            .mask = 1u << lane,
                            .address = s->address,
                            .bytes = bytes,
                            .effect = effect};
}

void observe_lane_access(const sm_block *b, const sm_warp *w, const sm_insn *i, uint32_t lane,
                         uint64_t offset, uint32_t bytes, sm_effect effect)
{
    single_lane_access s;
    fill_single_access(&s, w, i, lane, PTX_SPACE_SHARED, offset, bytes, effect);
    observe_access(b, &s.access);
}

void observe_block_barrier(const sm_block *b)
{
    CALL_OBSERVERS(b, block_barrier);
}

void observe_cluster_barrier(const sm_block *b)
{
    CALL_OBSERVERS(b, cluster_barrier);
}

void observe_barrier_arrival(const sm_warp *w, uint32_t id)
{
    CALL_OBSERVERS(w->block, barrier_arrives, id, w->index, w->mask);
}

void observe_barrier_release(const sm_block *b, uint32_t id, uint32_t warps)
{
    CALL_OBSERVERS(b, barrier_releases, id, warps);
}

void observe_warp_barrier(const sm_warp *w, uint32_t lanes)
{
    CALL_OBSERVERS(w->block, warp_barrier, w->index, lanes);
}

void observe_fence(const sm_warp *w, const sm_insn *i)
{
    CALL_OBSERVERS(w->block, fence, w, sm_site_insn(w, i));
}

void observe_threads_arrive(const sm_warp *w, const sm_insn *i, uint32_t id, uint32_t expected)
{
    CALL_OBSERVERS(w->block, threads_arrive, w, sm_site_insn(w, i), id, expected);
}

void observe_barrier_completes(const sm_block *b, uint32_t id)
{
    CALL_OBSERVERS(b, barrier_completes, id);
}

void observe_lanes_wait(const sm_warp *w, const sm_insn *i, uint32_t member, uint32_t missing)
{
    CALL_OBSERVERS(w->block, lanes_wait, w, sm_site_insn(w, i), member, missing);
}

void observe_lanes_reconverge(const sm_warp *w, uint32_t member)
{
    CALL_OBSERVERS(w->block, lanes_complete, w, member);
}

void observe_lanes_exit(const sm_warp *w, uint32_t lanes)
{
    CALL_OBSERVERS(w->block, lanes_exit, w, lanes);
}

void observe_absent_lane(const sm_warp *w, const sm_insn *i, uint32_t lane, uint32_t source)
{
    CALL_OBSERVERS(w->block, reads_absent_lane, w, sm_site_insn(w, i), lane, source);
}

void observe_heap_free(const sm_warp *w, const sm_insn *i, uint32_t lane, uint64_t address)
{
    CALL_OBSERVERS(w->block, device_free, w, sm_site_insn(w, i), lane, address);
}

void observe_heap_alloc(const sm_warp *w, uint32_t lane, uint64_t address, uint64_t bytes)
{
    CALL_OBSERVERS(w->block, device_malloc, w, lane, address, bytes);
}

void observe_requests_work(const sm_warp *w, uint32_t lane, uint32_t request)
{
    CALL_OBSERVERS(w->block, requests_work, w, lane, request);
}

void observe_proxy_fence(const sm_warp *w)
{
    CALL_OBSERVERS(w->block, proxy_fence, w);
}

bool observe_insn_begins(const sm_warp *w, const sm_insn *i, uint32_t mask)
{
    const sm_observed *o = w->block->observer;
    for (uint32_t k = 0; k < SM_OBSERVERS && o[k].by; k++)
        if (o[k].by->insn_begins && !o[k].by->insn_begins(o[k].state, w, i, mask))
            return false;
    return true;
}

void observe_insn_ends(const sm_warp *w, const sm_insn *i, uint32_t mask, const uint8_t *window)
{
    CALL_OBSERVERS(w->block, insn_ends, w, i, mask, window);
}

uint32_t observe_warp_chosen(const sm_block *b, uint32_t next)
{
    const sm_observed *o = b->observer;
    for (uint32_t k = 0; k < SM_OBSERVERS && o[k].by; k++)
        if (o[k].by->warp_chosen)
            return o[k].by->warp_chosen(o[k].state, next);
    return next;
}

void observe_report(const sm_block *b, const sm_report *r)
{
    CALL_OBSERVERS(b, other_report, r);
}

void observe_copy_reads(const sm_block *b, const sm_warp *w, const sm_insn *i, uint32_t lane,
                        ptx_space space, uint64_t address, uint32_t bytes)
{
    single_lane_access s;
    fill_single_access(&s, w, i, lane, space, address, bytes, SM_READS);
    const sm_observed *o = b->observer;
    for (uint32_t k = 0; k < SM_OBSERVERS && o[k].by; k++)
        if (o[k].by->sees & sees_bit_of_space(space) && o[k].by->copy_reads)
            o[k].by->copy_reads(o[k].state, &s.access);
}

void observe_array_overrun(const sm_warp *w, const sm_insn *i, uint32_t lanes,
                           const uint64_t address[SM_LANES], uint32_t bytes, sm_effect effect)
{
    const sm_access a = {.warp = w,
                         .insn = sm_site_insn(w, i),
                         .site = i->site,
                         .space = PTX_SPACE_GLOBAL,
                         .mask = lanes,
                         .address = address,
                         .bytes = bytes,
                         .effect = effect};
    CALL_OBSERVERS(w->block, array_overrun, &a);
}

void observe_texture_reads(const sm_warp *w, const sm_insn *i, uint32_t lane, const uint64_t *texel,
                           uint32_t count, uint32_t bytes)
{
    single_lane_access s;
    if (count) {
        fill_single_access(&s, w, i, lane, PTX_SPACE_GLOBAL, texel[0], bytes, SM_READS);
        CALL_OBSERVERS(w->block, texture_reads, &s.access, texel, count);
    }
}

void observe_surface_writes(const sm_access *a)
{
    CALL_OBSERVERS(a->warp->block, surface_writes, a);
}

void observe_copy_issued(const sm_warp *w, void *issued[SM_OBSERVERS])
{
    const sm_observed *o = w->block->observer;
    for (uint32_t k = 0; k < SM_OBSERVERS && o[k].by; k++)
        issued[k] = o[k].by->copy_issued ? o[k].by->copy_issued(o[k].state, w) : NULL;
}

void observe_copy_lands(const sm_block *b, void *issued[SM_OBSERVERS], const sm_warp *w,
                        const sm_insn *i, uint32_t lane, ptx_space space, uint64_t address,
                        uint32_t bytes, sm_effect effect)
{
    single_lane_access s;
    fill_single_access(&s, w, i, lane, space, address, bytes, effect);
    const sm_observed *o = b->observer;
    for (uint32_t k = 0; k < SM_OBSERVERS && o[k].by; k++)
        if (o[k].by->sees & sees_bit_of_space(space) && o[k].by->copy_lands)
            o[k].by->copy_lands(o[k].state, issued[k], &s.access);
}

bool observe_needs_copied_bytes(const sm_block *b)
{
    bool any = false;
    for (uint32_t k = 0; k < SM_OBSERVERS && b->observer[k].by; k++)
        any = any || b->observer[k].by->copy_transfers;
    return any;
}

void observe_copied_bytes(const sm_copied *c)
{
    single_lane_access s;
    fill_single_access(&s, c->warp, c->insn, c->lane, c->from_space, c->from, c->bytes, SM_READS);
    for (uint32_t k = 0; k < SM_OBSERVERS && c->to_block->observer[k].by; k++) {
        const sm_observed *o = &c->to_block->observer[k];
        if (o->by->copy_transfers) {
            o->by->copy_transfers(o->state, c->from_block->observer[k].state, &s.access, c->space,
                                  c->to, c->reduces);
        }
    }
}

void observe_release_copy_objects(void *const issued[SM_OBSERVERS])
{
    for (uint32_t k = 0; k < SM_OBSERVERS; k++)
        free(issued[k]);
}

void observe_copies_land(const sm_warp *w, const sm_insn *i, uint32_t lanes,
                         const uint64_t offset[SM_LANES], uint32_t bytes, sm_landing why)
{
    const sm_access a = {.warp = w,
                         .insn = sm_site_insn(w, i),
                         .site = i->site,
                         .space = PTX_SPACE_SHARED,
                         .mask = lanes,
                         .address = offset,
                         .bytes = bytes,
                         .effect = SM_WRITES};
    CALL_OBSERVERS(w->block, copies_land, &a, why);
}
