#include "block.h"
#include "../clock/clock.h"
#include "../observe/observe.h"
#include "../profiler/l1.h"
#include "../sm/async/copies.h"
#include "../sm/sched.h"
#include "../sm/windows.h"

#include <stdlib.h>
#include <string.h>

/* The byte that fills new shared memory: an implausible integer, and NaN as a float. */
#define SHARED_POISON 0xff

void launch_block_storage_close(launch_block_storage *r)
{
    observe_block_close(&r->block);
    sm_copies_free(&r->block);
    if (r->own_l1)
        profiler_l1_free(r->own_l1);
    for (uint32_t n = 0; r->sched && n < r->block.warp_count; n++)
        free(r->sched[n].base.ready);
    clock_free(r->own_clock);
    free(r->block.shared);
    if (r->counted_bytes)
        mem_count_working_memory(-r->counted_bytes);
    if (r->local)
        mem_uncount_local_memory(r->local);
    free(r->local);
    free(r->windows);
    free(r->sched);
    free(r->warp);
    memset(r, 0, sizeof *r);
}

/* Bytes of the register windows and the shared memory of a block. */
static int64_t block_working_bytes(const launch_block_storage *r, const sm_grid *g)
{
    return (int64_t)((uint64_t)r->block.warp_count * g->code->window_bytes + r->block.shared_bytes);
}

static uint64_t local_bytes_per_lane(const sm_grid *g)
{
    /* Frames begin at multiples of 16 bytes: a small one may take twice what it takes on a GPU. */
    enum { STACK_WITHOUT_RECURSION = 65536, LARGEST_FRAME_RATIO = 2 };
    const uint64_t most = g->launch->stack_bytes, stack = sm_stack_limit(g) * LARGEST_FRAME_RATIO;
    uint64_t bytes = (g->code->local_bytes + 15) / 16 * 16;
    if (g->unit->recurses)
        bytes += stack;
    else if (g->unit->calls)
        bytes += most > STACK_WITHOUT_RECURSION ? most : STACK_WITHOUT_RECURSION;
    /* An odd multiple of 64 bytes, so that lanes' equal offsets are not all in one cache set. */
    return bytes ? ((bytes + 63) / 64 | 1) * 64 : 0;
}

/* Allocate the state of warp N of R. Returns false if the host is out of memory. */
static bool set_up_warp(launch_block_storage *r, uint32_t n)
{
    const sm_grid *g = r->block.grid;
    const uint32_t *dim = g->launch->block;
    sm_warp *w = &r->warp[n];
    w->index = n;
    w->block = &r->block;
    w->worker = r->worker;
    w->visits = r->worker->visits;
    w->sched = &r->sched[n];
    w->lanes = 0;
    for (uint32_t l = 0; l < SM_LANES; l++) {
        const uint32_t t = n * SM_LANES + l;
        w->lanes |= (uint32_t)(t < r->block.thread_count) << l;
        w->tid[0][l] = t % dim[0];
        w->tid[1][l] = t / dim[0] % dim[1];
        w->tid[2][l] = t / dim[0] / dim[1];
    }
    w->local_stride = local_bytes_per_lane(g);
    w->local = r->local ? r->local + n * SM_LANES * w->local_stride : NULL;
    sm_frame *f = &w->sched->base;
    f->code = g->code;
    f->window = r->windows + (size_t)n * g->code->window_bytes;
    memset(f->window, 0, g->code->const_offset);
    memcpy(f->window + g->code->const_offset, g->code->consts,
           g->code->window_bytes - g->code->const_offset);
    sm_fill_window(w, f, true);
    if (!g->unit->clock)
        return true;
    f->ready = calloc(g->code->func->reg_count + 1u, sizeof *f->ready);
    return f->ready != NULL;
}

bool launch_block_storage_open(launch_block_storage *r, sm_worker *k, sm_cluster *c, uint32_t rank)
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
    const uint64_t local = local_bytes_per_lane(g) * SM_LANES * b->warp_count;
    r->warp = b->warp = aligned_alloc(64, b->warp_count * sizeof *r->warp);
    r->sched = calloc(b->warp_count, sizeof *r->sched);
    r->windows = aligned_alloc(64, (size_t)b->warp_count * g->code->window_bytes);
    r->local = local ? calloc(1, local) : NULL;
    if (r->local)
        mem_count_local_memory(r->local, local);
    r->own_l1 = profiler_l1_new();
    r->own_clock = g->unit->clock ? clock_new(g) : NULL;
    /* 64 extra bytes: vector code may read a whole vector register at the end */
    b->shared = aligned_alloc(64, (b->shared_bytes + 63) / 64 * 64 + 64);
    const bool observed = observe_block_open(b);
    if (!r->warp || !r->sched || !r->windows || (local && !r->local) || !r->own_l1 || !b->shared ||
        !observed || (g->unit->clock && !r->own_clock)) {
        launch_block_storage_close(r);
        return false;
    }
    mem_count_working_memory(r->counted_bytes = block_working_bytes(r, g));
    memset(r->warp, 0, b->warp_count * sizeof *r->warp);
    for (uint32_t n = 0; n < b->warp_count; n++) {
        if (!set_up_warp(r, n)) {
            launch_block_storage_close(r);
            return false;
        }
    }
    return true;
}

static bool reads_special_register(const sm_unit *u, ptx_sreg first, ptx_sreg last)
{
    for (uint32_t c = 0; c < u->code_count; c++) {
        for (uint32_t n = 0; n < u->code[c]->fill_count; n++) {
            const ptx_sreg s = u->code[c]->fill[n].sreg;
            if (s >= first && s <= last)
                return true;
        }
    }
    return false;
}

uint64_t launch_reserved_shared_bytes(const sm_unit *u)
{
    return reads_special_register(u, PTX_SREG_reserved_smem_offset_begin,
                                  PTX_SREG_reserved_smem_offset_1)
               ? SM_RESERVED_SHARED_BYTES
               : 0;
}

/* Choose the modelled L1 cache of the block. Blocks of a cluster run on several SMs at the same
 * time, so each of them has an L1 of its own. */
static void choose_l1(launch_block_storage *r)
{
    const sm_block *b = &r->block;
    r->slot = b->cluster->count == 1 ? l1_slot_for_block(b->grid->l1, b->linear) : NULL;
    if (!r->slot)
        profiler_l1_empty(r->own_l1);
}

/* Choose the modelled SM clock of the block. A block with its own L1 also has its own clock. */
static void choose_clock(launch_block_storage *r)
{
    r->clock = r->slot ? clock_of_block(r->block.grid->clocks, r->block.linear) : NULL;
    if (!r->clock) {
        clock_reset(r->own_clock);
        r->clock = r->own_clock;
    }
}

void launch_block_storage_begin(launch_block_storage *r, uint64_t linear)
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
    sm_copies_discard(b);
    choose_l1(r);
    if (b->observed)
        observe_block_begins(b);
    for (uint32_t n = 0; n < b->warp_count; n++) {
        sm_warp *w = &r->warp[n];
        sm_fill_window(w, &w->sched->base, false);
        sm_sched_start_warp(w, g->code->insn);
    }
    if (g->unit->clock) {
        choose_clock(r);
        clock_begin_warps(b, clock_begin_block(r->clock, b->linear, b->warp_count));
    }
}
