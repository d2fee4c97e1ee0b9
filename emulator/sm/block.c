/* A block while it is resident: its warps, shared memory and barriers, and whose turn it is. */
#include "../sanitizer/race.h"
#include "access.h"
#include "l1.h"
#include "sched.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What fresh shared memory holds: no useful number as an integer, a NaN as a float. */
#define SHARED_POISON 0xff

/* Turns of a block in which not all warps poll but none gets to its end either, after which another
 * block gets its turn all the same. A thread may look at much before it waits on, as those do that
 * go through all their nodes of a graph again and again: in code that may wait for another block, a
 * turn in which a warp used up its budget counts for many. */
#define LONG_TURN 256
#define POLL_TURN 128

struct sm_resident {
    sm_block block;
    sm_worker *worker;
    sm_warp *warp;
    struct sm_sched *sched;
    uint8_t *windows, *local;
    struct l1_slot *slot; /* the L1 of the block's SM; NULL: it uses its own */
    struct l1_model *own_l1;
    struct sm_barriers barriers;
};

void sm_resident_free(sm_resident *r)
{
    if (!r) {
        return;
    }
    if (r->block.race) {
        san_race_free(r->block.race);
    }
    if (r->own_l1) {
        sm_l1_free(r->own_l1);
    }
    free(r->block.shared);
    free(r->local);
    free(r->windows);
    free(r->sched);
    free(r->warp);
    free(r);
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

static void set_up_warp(sm_resident *r, uint32_t n)
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

sm_resident *sm_resident_new(sm_worker *k)
{
    const sm_grid *g = k->grid;
    const uint32_t *dim = g->launch->block;
    sm_resident *r = calloc(1, sizeof *r);
    if (!r) {
        return NULL;
    }
    sm_block *b = &r->block;
    r->worker = k;
    b->grid = k->grid;
    b->barriers = &r->barriers;
    b->thread_count = dim[0] * dim[1] * dim[2];
    b->warp_count = (b->thread_count + SM_LANES - 1) / SM_LANES;
    b->shared_bytes = g->shared_bytes;
    const uint64_t local = local_bytes(g) * SM_LANES * b->warp_count;
    r->warp = b->warp = aligned_alloc(64, b->warp_count * sizeof *r->warp);
    r->sched = calloc(b->warp_count, sizeof *r->sched);
    r->windows = aligned_alloc(64, (size_t)b->warp_count * g->code->window_bytes);
    r->local = local ? calloc(1, local) : NULL;
    r->own_l1 = sm_l1_new();
    /* 64 more bytes: vector code may read a whole register's width at the end. */
    b->shared = aligned_alloc(64, (b->shared_bytes + 63) / 64 * 64 + 64);
    b->race = g->reports ? san_race_new(b->shared_bytes, b->warp_count, g->reports) : NULL;
    if (!r->warp || !r->sched || !r->windows || (local && !r->local) || !r->own_l1 || !b->shared ||
        (g->reports && !b->race)) {
        sm_resident_free(r);
        return NULL;
    }
    memset(r->warp, 0, b->warp_count * sizeof *r->warp);
    for (uint32_t n = 0; n < b->warp_count; n++) {
        set_up_warp(r, n);
    }
    return r;
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

/* Instructions that the block's worker issued since the block began, four cycles each: a warp
 * scheduler's pace for dependent instructions. Equal programs read equal clocks. */
uint64_t sm_read_clock(const sm_warp *w, ptx_sreg sreg)
{
    const sm_launch *launch = w->block->grid->launch;
    const double mhz = launch->clock_mhz > 0 ? launch->clock_mhz : 1000;
    const uint64_t cycles = 4 * (issued(w->worker) - w->worker->clock_start) +
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

/* The L1 that the block finds. While this waits, no other block waits for one that this worker has:
 * each of them either was not there or shares its L1 no more. */
static void take_l1(sm_resident *r)
{
    const sm_grid *g = r->block.grid;
    bool wait;
    while (!(r->slot = l1_try(g->l1, r->block.linear, &wait)) && wait && !sm_faulted(g)) {
        sched_yield();
    }
    if (!r->slot) {
        sm_l1_begin(r->own_l1);
    }
}

void sm_resident_begin(sm_resident *r, uint64_t linear)
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
    if (b->race) {
        san_race_begin(b->race);
    }
    if (sm_reads_clock(g->unit)) {
        r->worker->clock_start = issued(r->worker);
    }
    for (uint32_t n = 0; n < b->warp_count; n++) {
        sm_warp *w = &r->warp[n];
        sm_fill_window(w, &w->sched->base, false);
        sm_sched_start(w, g->code->insn);
    }
}

/* --- barriers, PTX ISA 9.7.13.1 --- */

static void barrier_result(const sm_fragment *f, uint32_t ones, uint32_t voters)
{
    const sm_insn *i = f->pc;
    uint8_t *d = f->frame->window + i->d;
    if (i->mode == SM_BAR_POPC) {
        for (uint32_t r = f->mask; r; r &= r - 1) {
            ((uint32_t *)d)[__builtin_ctz(r)] = ones;
        }
    } else if (i->mode == SM_BAR_AND || i->mode == SM_BAR_OR) {
        const bool is = i->mode == SM_BAR_AND ? ones == voters : ones != 0;
        uint32_t *p = (uint32_t *)d;
        *p = (*p & ~f->mask) | (is ? f->mask : 0);
    }
}

static void release(sm_block *b, uint32_t id)
{
    sm_barrier *bar = &b->barriers->b[id];
    for (uint32_t n = 0; n < b->warp_count; n++) {
        struct sm_sched *s = b->warp[n].sched;
        for (uint32_t k = 0; k < s->count; k++) {
            sm_fragment *f = &s->frag[k];
            if (f->park != SM_AT_BARRIER || f->barrier != id) {
                continue;
            }
            barrier_result(f, bar->ones, bar->voters);
            s->runnable = true;
            f->park = SM_READY;
            f->pc++;
            for (uint32_t j = 0; j < k; j++) {
                sm_fragment *g = &s->frag[j];
                if (g->park == SM_READY && g->pc == f->pc && g->frame == f->frame) {
                    g->mask |= f->mask;
                    *f = s->frag[--s->count];
                    k--;
                    break;
                }
            }
        }
    }
    if (b->race && bar->expected == 0) {
        san_race_block_sync(b->race);
    }
    *bar = (sm_barrier){0};
    b->barriers->open &= ~(1u << id);
}

static bool complete(const sm_block *b, const sm_barrier *bar)
{
    return bar->arrived && bar->arrived >= (bar->expected ? bar->expected : b->barriers->live);
}

void sm_barrier_arrive(sm_warp *w, const sm_insn *i, uint32_t id, uint32_t expected, uint32_t ones,
                       uint32_t voters, bool wait)
{
    sm_block *b = w->block;
    sm_barrier *bar = &b->barriers->b[id];
    const uint32_t threads = (uint32_t)__builtin_popcount(w->mask);
    b->barriers->open |= 1u << id;
    bar->arrived += threads;
    bar->expected = expected;
    bar->ones += ones;
    bar->voters += voters;
    /* With a written number a warp counts whole, also where lanes of it are gone. */
    if (expected && w->mask == sm_alive(w)) {
        bar->arrived += SM_LANES - threads;
    }
    if (wait) {
        sm_lay_down(w, i, SM_AT_BARRIER)->barrier = id;
    }
    if (complete(b, bar)) {
        release(b, id);
    }
}

void sm_barrier_exit(sm_warp *w, uint32_t lanes)
{
    sm_block *b = w->block;
    b->barriers->live -= (uint32_t)__builtin_popcount(lanes);
    for (uint32_t open = b->barriers->open; open; open &= open - 1) {
        const uint32_t id = (uint32_t)__builtin_ctz(open);
        if (complete(b, &b->barriers->b[id])) {
            release(b, id);
        }
    }
}

/* --- turns --- */

static const char *waits_in(const sm_fragment *f, const ptx_insn *in, char *buf, size_t size)
{
    if (f->park == SM_AT_SYNC) {
        snprintf(buf, size, "%s for the lanes of mask 0x%08x",
                 ((const sm_sync_form *)f->pc->extra)->name, f->member);
    } else if (in->op == PTX_OP_bar && f->barrier == 0) {
        snprintf(buf, size, "__syncthreads() (barrier 0)");
    } else if (f->barrier == SM_BAR_CLUSTER) {
        snprintf(buf, size, "the barrier of the cluster");
    } else {
        snprintf(buf, size, "barrier %u", f->barrier);
    }
    return buf;
}

/* No thread can go on, and none of another block can help. */
static sm_block_state deadlock(sm_resident *r)
{
    const sm_block *b = &r->block;
    char text[1400];
    size_t used = (size_t)snprintf(
        text, sizeof text,
        "Deadlock in block (%u,%u,%u): no thread of it can go on, each waits for others.\n",
        b->id[0], b->id[1], b->id[2]);
    uint32_t rows = 0;
    for (uint32_t n = 0; n < b->warp_count; n++) {
        const sm_warp *w = &r->warp[n];
        for (uint32_t k = 0; k < w->sched->count && used < sizeof text; k++) {
            const sm_fragment *f = &w->sched->frag[k];
            if (f->park == SM_READY || ++rows > 6) {
                continue;
            }
            const ptx_insn *in = sm_site_insn(w, f->pc);
            char where[160], lanes[100], what[120];
            ptx_where(b->grid->unit->module, in, where, sizeof where);
            sm_lanes_text(f->mask, lanes, sizeof lanes);
            used +=
                (size_t)snprintf(text + used, sizeof text - used,
                                 "  %s: lanes %s of warp %u (threads from %u) wait in %s\n", where,
                                 lanes, n, n * SM_LANES, waits_in(f, in, what, sizeof what));
        }
    }
    if (used < sizeof text && rows > 6) {
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "  and %u more groups\n", rows - 6);
    }
    if (used < sizeof text) {
        snprintf(
            text + used, sizeof text - used,
            "Every thread that has not exited must reach the same barrier, and every lane of a "
            "member mask the same instruction.");
    }
    sm_stop_grid(b->grid, b, SM_FAULT_DEADLOCK, text);
    return SM_BLOCK_FAULT;
}

const sm_block *sm_resident_block(const sm_resident *r)
{
    return &r->block;
}

static uint64_t mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

static uint64_t mix_bytes(uint64_t h, const void *bytes, uint64_t count)
{
    uint64_t word = 0;
    for (uint64_t k = 0; k + 8 <= count; k += 8) {
        memcpy(&word, (const uint8_t *)bytes + k, 8);
        h = mix(h, word);
    }
    word = 0;
    if (count % 8) {
        memcpy(&word, (const uint8_t *)bytes + count / 8 * 8, count % 8);
    }
    return mix(h, word);
}

/* Frames may be part of several fragments: each is counted again, alike every time. */
static uint64_t mix_fragment(uint64_t h, const struct sm_sched *s, const sm_fragment *f)
{
    uint64_t older = 0;
    for (uint32_t k = 0; k < s->count; k++) {
        older += s->frag[k].turn < f->turn;
    }
    h = mix(mix(h, (uintptr_t)f->pc), (uint64_t)f->mask << 32 | f->member);
    h = mix(h, (uint64_t)f->park << 32 | (uint64_t)f->barrier << 16 | older);
    for (const sm_frame *at = f->frame; at; at = at->caller) {
        h = mix(mix(h, (uintptr_t)at), (uintptr_t)at->site);
        h = mix(mix(h, at->lanes), at->local_base);
        h = mix_bytes(h, at->window, at->code->const_offset);
        h = at->allocates ? mix_bytes(h, at->taken, sizeof at->taken) : h;
    }
    return h;
}

uint64_t sm_resident_print(const sm_resident *r, uint64_t h)
{
    const sm_block *b = &r->block;
    h = mix(h, b->linear);
    h = mix_bytes(h, b->shared, b->shared_bytes);
    h = mix_bytes(h, &r->barriers, sizeof r->barriers);
    for (uint32_t n = 0; n < b->warp_count; n++) {
        const sm_warp *w = &r->warp[n];
        const struct sm_sched *s = w->sched;
        h = mix(mix(h, s->print), (uint64_t)s->idle << 1 | s->runnable);
        h = mix(mix(h, (uint64_t)w->exited << 32 | w->carry), s->count);
        for (uint32_t k = 0; k < s->count; k++) {
            h = mix_fragment(h, s, &s->frag[k]);
        }
    }
    return h;
}

sm_block_state sm_resident_run(sm_resident *r)
{
    sm_block *b = &r->block;
    r->worker->l1 = r->slot ? l1_of(r->slot) : r->own_l1;
    const uint32_t poll_turn = b->grid->unit->polls ? POLL_TURN : 1;
    for (uint32_t turns = 0;;) {
        bool ran = false, polls = true, left = false, yielded = false;
        for (uint32_t n = 0; n < b->warp_count; n++) {
            sm_warp *w = &r->warp[n];
            struct sm_sched *s = w->sched;
            if (s->done) {
                continue;
            }
            if (!s->runnable) {
                left = true;
                continue;
            }
            sm_sched_run(w);
            if (sm_faulted(b->grid)) {
                return SM_BLOCK_FAULT;
            }
            ran = true;
            left = left || !s->done;
            yielded = yielded || s->yielded;
            polls = polls && s->yielded && s->idle;
        }
        if (!left) {
            if (r->slot) {
                l1_leave(r->slot);
            }
            return SM_BLOCK_DONE;
        }
        if (!ran) {
            return deadlock(r);
        }
        turns += yielded ? poll_turn : 1;
        if (polls || turns >= LONG_TURN) {
            if (r->slot) {
                l1_share_no_more(r->slot);
            }
            return SM_BLOCK_SPINS;
        }
    }
}
