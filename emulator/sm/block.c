/* A block while it is resident: its warps, windows, memory, and what it finds when it begins. */
#include "block.h"
#include "access.h"
#include "l1.h"
#include "observer.h"

#include <stdlib.h>
#include <string.h>

/* What fresh shared memory holds: no useful number as an integer, a NaN as a float. */
#define SHARED_POISON 0xff

void sm_room_close(sm_room *r)
{
    sm_observe_close(&r->block);
    if (r->own_l1) {
        sm_l1_free(r->own_l1);
    }
    free(r->block.shared);
    if (r->local) {
        mem_private_gone(r->local);
    }
    free(r->local);
    free(r->windows);
    free(r->sched);
    free(r->warp);
    memset(r, 0, sizeof *r);
}

static uint64_t local_bytes(const sm_grid *g)
{
    const sm_launch *launch = g->launch;
    uint64_t bytes = (g->code->local_bytes + 15) / 16 * 16;
    if (g->unit->calls) {
        bytes += launch->stack_bytes ? launch->stack_bytes : 65536;
    }
    /* An odd multiple of 64 keeps the lanes' equal offsets out of one cache set. */
    return bytes ? ((bytes + 63) / 64 | 1) * 64 : 0;
}

static void set_up_warp(sm_room *r, uint32_t n)
{
    const sm_grid *g = r->block.grid;
    const uint32_t *dim = g->launch->block;
    sm_warp *w = &r->warp[n];
    w->index = n;
    w->block = &r->block;
    w->worker = r->worker;
    w->sched = &r->sched[n];
    w->lanes = 0;
    for (uint32_t l = 0; l < SM_LANES; l++) {
        const uint32_t t = n * SM_LANES + l;
        w->lanes |= (uint32_t)(t < r->block.thread_count) << l;
        w->tid[0][l] = t % dim[0];
        w->tid[1][l] = t / dim[0] % dim[1];
        w->tid[2][l] = t / dim[0] / dim[1];
    }
    w->local_stride = local_bytes(g);
    w->local = r->local ? r->local + n * SM_LANES * w->local_stride : NULL;
    sm_frame *f = &w->sched->base;
    f->code = g->code;
    f->window = r->windows + (size_t)n * g->code->window_bytes;
    memset(f->window, 0, g->code->const_offset);
    memcpy(f->window + g->code->const_offset, g->code->consts,
           g->code->window_bytes - g->code->const_offset);
    sm_fill_window(w, f, true);
}

bool sm_room_open(sm_room *r, sm_worker *k, sm_cluster *c, uint32_t rank)
{
    const sm_grid *g = k->grid;
    const uint32_t *dim = g->launch->block;
    memset(r, 0, sizeof *r);
    sm_block *b = &r->block;
    r->worker = k;
    b->grid = k->grid;
    b->cluster = c;
    b->rank = rank;
    b->shared_base = rank << SM_RANK_SHIFT;
    b->barriers = &r->barriers;
    b->thread_count = dim[0] * dim[1] * dim[2];
    b->warp_count = (b->thread_count + SM_LANES - 1) / SM_LANES;
    b->shared_bytes = g->shared_bytes;
    const uint64_t local = local_bytes(g) * SM_LANES * b->warp_count;
    r->warp = b->warp = aligned_alloc(64, b->warp_count * sizeof *r->warp);
    r->sched = calloc(b->warp_count, sizeof *r->sched);
    r->windows = aligned_alloc(64, (size_t)b->warp_count * g->code->window_bytes);
    r->local = local ? calloc(1, local) : NULL;
    if (r->local) {
        mem_private(r->local, local);
    }
    r->own_l1 = sm_l1_new();
    /* 64 more bytes: vector code may read a whole register's width at the end. */
    b->shared = aligned_alloc(64, (b->shared_bytes + 63) / 64 * 64 + 64);
    const bool observed = sm_observe_open(b);
    if (!r->warp || !r->sched || !r->windows || (local && !r->local) || !r->own_l1 || !b->shared ||
        !observed) {
        sm_room_close(r);
        return false;
    }
    memset(r->warp, 0, b->warp_count * sizeof *r->warp);
    for (uint32_t n = 0; n < b->warp_count; n++) {
        set_up_warp(r, n);
    }
    return true;
}

static uint64_t issued(const sm_worker *k)
{
    uint64_t sum = 0;
    const sm_unit *u = k->grid->unit;
    for (uint32_t c = 0; c < u->code_count; c++) {
        const sm_code *code = u->code[c];
        for (uint32_t n = 0; n < code->block_count; n++) {
            sum += k->visits[code->visit_base + n].times * code->block[n].insts;
        }
    }
    return sum;
}

static bool reads(const sm_unit *u, ptx_sreg first, ptx_sreg last)
{
    for (uint32_t c = 0; c < u->code_count; c++) {
        for (uint32_t n = 0; n < u->code[c]->fill_count; n++) {
            const ptx_sreg s = u->code[c]->fill[n].sreg;
            if (s >= first && s <= last) {
                return true;
            }
        }
    }
    return false;
}

bool sm_reads_clock(const sm_unit *u)
{
    return reads(u, PTX_SREG_clock, PTX_SREG_globaltimer_hi);
}

uint64_t sm_reserved_shared(const sm_unit *u)
{
    return reads(u, PTX_SREG_reserved_smem_offset_begin, PTX_SREG_reserved_smem_offset_1)
               ? SM_RESERVED_SHARED
               : 0;
}

#define ISSUE_CYCLES 4u /* a warp scheduler's pace for dependent instructions */
#define ISSUE_MORE                                                                  \
    37u /* and one more in so many, so that a loop that waits for a count of cycles \
           goes past it, as on a device, and does not end on it every time */

/* By the instructions that the block's worker issued since the block began. Equal programs read
 * equal clocks. */
uint64_t sm_read_clock(const sm_warp *w, ptx_sreg sreg)
{
    const sm_launch *launch = w->block->grid->launch;
    const double mhz = launch->clock_mhz > 0 ? launch->clock_mhz : 1000;
    const uint64_t issues = issued(w->worker) - w->worker->clock_start;
    const uint64_t cycles = ISSUE_CYCLES * issues + issues / ISSUE_MORE +
                            (uint64_t)((double)w->sched->slept * mhz / 1000);
    const uint64_t ns = launch->clock_base + (uint64_t)((double)cycles * 1000 / mhz);
    switch (sreg) {
    case PTX_SREG_clock:
        return (uint32_t)cycles;
    case PTX_SREG_clock_hi:
        return cycles >> 32;
    case PTX_SREG_clock64:
        return cycles;
    case PTX_SREG_globaltimer:
        return ns;
    case PTX_SREG_globaltimer_lo:
        return (uint32_t)ns;
    default:
        return ns >> 32;
    }
}

/* The L1 that the block finds. Blocks of a cluster are on several SMs at once, so that each has an
 * L1 of its own. */
static void take_l1(sm_room *r)
{
    const sm_block *b = &r->block;
    r->slot = b->cluster->count == 1 ? l1_enter(b->grid->l1, b->linear) : NULL;
    if (!r->slot) {
        sm_l1_begin(r->own_l1);
    }
}

void sm_room_begin(sm_room *r, uint64_t linear)
{
    sm_block *b = &r->block;
    const sm_grid *g = b->grid;
    const uint32_t *dim = g->launch->grid;
    b->linear = linear;
    b->id[0] = (uint32_t)(linear % dim[0]);
    b->id[1] = (uint32_t)(linear / dim[0] % dim[1]);
    b->id[2] = (uint32_t)(linear / dim[0] / dim[1]);
    memset(b->shared, SHARED_POISON, b->shared_bytes);
    memset(&r->barriers, 0, sizeof r->barriers);
    r->barriers.live = b->thread_count;
    take_l1(r);
    if (b->observed) {
        sm_observe_begin(b);
    }
    if (g->unit->clock) {
        r->worker->clock_start = issued(r->worker);
    }
    for (uint32_t n = 0; n < b->warp_count; n++) {
        sm_warp *w = &r->warp[n];
        sm_fill_window(w, &w->sched->base, false);
        sm_sched_start(w, g->code->insn);
    }
}
