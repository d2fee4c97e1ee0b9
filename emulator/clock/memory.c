/* Latency of a warp's memory requests: which cache holds each line, and how many lines and passes a
 * request needs. */
#include "../core/machine_step.h"
#include "../core/sched.h"
#include "../profiler/count.h"
#include "../profiler/l1.h"
#include "clock.h"
#include "sm_clock.h"

/* A memory request of a warp. */
typedef struct memory_request {
    uint32_t bytes, lanes;      /* bytes that each lane accesses; number of active lanes */
    uint64_t address[SM_LANES]; /* addresses of the active lanes, in lane order */
    uint32_t mask;              /* active lanes */
} memory_request;

/* Store the address of each active lane for instruction M in R. */
static void read_addresses(const sm_warp *w, const sm_insn *m, memory_request *r)
{
    const uint8_t *slot = w->r + m->a;
    SM_EACH_LANE(l, r->mask) {
        r->address[r->lanes++] = m->mode & SM_M_ADDR32
                                     ? (uint32_t)(((const uint32_t *)slot)[l] + (uint32_t)m->imm)
                                     : ((const uint64_t *)slot)[l] + m->imm;
    }
}

/* Reserve the path to L1 and shared memory for PASSES passes from cycle T on. Returns the cycle at
 * which the passes begin. */
static uint64_t reserve_memory_path(sm_warp *w, uint64_t t, uint32_t passes)
{
    sm_warp_clock *c = &w->sched->clock;
    c->l1_path = later_cycle(c->l1_path, t) + passes * w->block->grid->cycles->shared_pass;
    return clock_calendar_reserve(&w->worker->clock->l1_path, t, passes);
}

/* Reserve the path to L1 and shared memory for a store of PASSES passes, issued at cycle T. It
 * stays at the head of the queue for at least BUSY cycles, and the warp issues its next store no
 * sooner than LEAST cycles after T. */
static uint64_t queue_store(sm_warp *w, uint64_t t, uint32_t passes, uint32_t busy, uint32_t least)
{
    sm_warp_clock *c = &w->sched->clock;
    const uint64_t begins = later_cycle(c->l1_path, t);
    const uint64_t at = reserve_memory_path(w, t, passes);
    c->l1_path = later_cycle(c->l1_path, begins + busy);
    c->leaves[c->stored++ % SM_STORE_QUEUE_SLOTS] = c->l1_path;
    c->next_store = t + least;
    return at;
}

/* --- cycles of accesses to shared memory ------------------------------------------------------ */

static bool is_atomic(const sm_step *s)
{
    return s->kind == SM_STEP_ATOMIC || s->reduces;
}

static bool is_float_addition(const ptx_insn *in)
{
    const ptx_type t = in->type_count ? in->type[0] : PTX_b32;
    return ptx_has_modifier(in, PTX_MOD_add) && (t == PTX_f32 || t == PTX_f64 || t == PTX_f16x2);
}

/* Lanes that update the same word are served one after another. An atomic addition of floats in
 * shared memory is a compare-and-swap loop. */
static uint64_t shared_atomic_done_cycle(sm_warp *w, const sm_step *s,
                                         const profiler_wavefront_cost *p, uint64_t t)
{
    const sm_cycles *y = w->block->grid->cycles;
    const uint32_t more = p->wavefronts - 1;
    t = reserve_memory_path(w, t, p->wavefronts);
    if (is_float_addition(s->in))
        return t + y->shared_atomic_float + more * y->shared_atomic_float_again;
    return t + y->shared_atomic +
           more * (ptx_has_modifier(s->in, PTX_MOD_cas) ? y->shared_atomic_swap : y->shared_pass);
}

/* The cycle at which the results of request R to shared memory, issued at cycle T, are ready. */
static uint64_t shared_access_done_cycle(sm_warp *w, const sm_step *s, const memory_request *r,
                                         uint64_t t)
{
    const sm_cycles *y = w->block->grid->cycles;
    const bool load = s->kind == SM_STEP_LOAD;
    uint32_t offset[SM_LANES] = {0}, n = 0;
    for (uint32_t left = r->mask; left; left &= left - 1)
        offset[__builtin_ctz(left)] = (uint32_t)r->address[n++];
    if (is_atomic(s)) {
        const profiler_wavefront_cost p = profiler_atomic_wavefronts(offset, r->mask, r->bytes);
        return shared_atomic_done_cycle(w, s, &p, t);
    }
    const profiler_wavefront_cost p = profiler_shared_wavefronts(offset, r->mask, r->bytes, load);
    t = load ? reserve_memory_path(w, t, p.wavefronts)
             : queue_store(w, t, p.wavefronts, 0, y->shared_store);
    return t + y->shared_load + (p.wavefronts - 1) * y->shared_pass;
}

/* --- cycles of loads from constant memory ----------------------------------------------------- */

/* The cycle at which the results of load R from constant memory, issued at cycle T, are ready. */
static uint64_t constant_load_done_cycle(sm_warp *w, const memory_request *r, uint64_t t)
{
    const sm_cycles *y = w->block->grid->cycles;
    uint32_t worst = 0;
    for (uint32_t k = 0; k < r->lanes; k++) {
        const bool had = clock_recent_set_add(&w->worker->clock->constants, r->address[k] / 64);
        const uint32_t miss = l1_const_peek(w->worker->l1, r->address[k]);
        const uint32_t wait = !miss ? 0 : had ? y->constant_far : y->constant_miss;
        worst = wait > worst ? wait : worst;
    }
    const uint32_t ways = profiler_count_distinct(r->address, r->lanes);
    return t + y->constant_load + (ways - 1) * y->constant_way + worst;
}

/* --- cycles of accesses to global memory ------------------------------------------------------ */

uint32_t clock_l1_miss_latency(sm_warp *w, uint64_t line)
{
    sm_clock *c = w->worker->clock;
    const sm_cycles *y = w->block->grid->cycles;
    const bool had = clock_recent_set_add(&c->lines, line);
    const bool there = had || mem_recently_used(line * 128, w->block->grid->launch->l2_bytes);
    const bool mapped = clock_recent_set_add(&c->pages, line / 8 / y->tlb_page_kb) ||
                        mem_ever_used(line * 128, y->tlb_page_kb * UINT64_C(1024));
    return (there ? y->l2_load : y->dram_load) + (mapped ? 0 : y->tlb_miss);
}

/* Wavefronts of request R to L1, which has the same banks as shared memory. */
static uint32_t l1_passes(const memory_request *r, bool load)
{
    uint32_t offset[SM_LANES] = {0}, n = 0;
    for (uint32_t left = r->mask; left; left &= left - 1) {
        offset[__builtin_ctz(left)] =
            (uint32_t)(r->address[n++] - (r->address[0] & ~UINT64_C(127)));
    }
    return profiler_shared_wavefronts(offset, r->mask, r->bytes > 16 ? 16 : r->bytes, load)
        .wavefronts;
}

/* The 128-byte lines that a request accesses. */
typedef struct line_set {
    uint32_t count;                     /* number of lines */
    uint32_t sectors;                   /* number of accessed sectors in all lines */
    uint32_t sectors_of_line[SM_LANES]; /* [count] of each line a mask of the accessed sectors */
    uint64_t line[SM_LANES];            /* [count] addresses of the lines, divided by 128 */
} line_set;

/* Store the lines and sectors that request R accesses in G. */
static void collect_lines(const memory_request *r, line_set *g)
{
    for (uint32_t k = 0; k < r->lanes; k++) {
        for (uint64_t at = r->address[k] / 32; at <= (r->address[k] + r->bytes - 1) / 32; at++) {
            uint32_t n = 0;
            while (n < g->count && g->line[n] != at / 4)
                n++;
            if (n == SM_LANES)
                continue;
            if (n == g->count) {
                g->line[g->count] = at / 4;
                g->sectors_of_line[g->count++] = 0;
            }
            g->sectors_of_line[n] |= 1u << at % 4;
        }
    }
    for (uint32_t n = 0; n < g->count; n++)
        g->sectors += (uint32_t)__builtin_popcount(g->sectors_of_line[n]);
}

/* The cycle at which the results of load R from global memory, issued at cycle T, are ready. */
static uint64_t global_load_done_cycle(sm_warp *w, const sm_insn *m, const memory_request *r,
                                       uint64_t t)
{
    const sm_cycles *y = w->block->grid->cycles;
    sm_clock *c = w->worker->clock;
    line_set g = {0};
    collect_lines(r, &g);
    const uint32_t passes = l1_passes(r, true);
    t = reserve_memory_path(w, t, passes);
    const uint64_t more = (passes - 1) * y->shared_pass + (g.count - 1) / y->l1_lines;
    uint64_t done = t + y->l1_load;
    for (uint32_t n = 0; n < g.count; n++) {
        const bool past = m->mode & SM_M_BYPASS;
        uint64_t until = t + y->l1_load;
        if (past || l1_would_miss(w->worker->l1, g.line[n], g.sectors_of_line[n])) {
            until = t + clock_l1_miss_latency(w, g.line[n]);
            c->lines_in_flight[g.line[n] % MAX_LINES_IN_FLIGHT].line = g.line[n];
            c->lines_in_flight[g.line[n] % MAX_LINES_IN_FLIGHT].until = until;
        } else if (c->lines_in_flight[g.line[n] % MAX_LINES_IN_FLIGHT].line == g.line[n]) {
            until = later_cycle(until, c->lines_in_flight[g.line[n] % MAX_LINES_IN_FLIGHT].until);
        }
        done = later_cycle(done, until);
    }
    return done + more;
}

/* The cycle at which store R to global memory, issued at cycle T, has reached L2. */
static uint64_t global_store_done_cycle(sm_warp *w, const sm_step *s, const memory_request *r,
                                        uint64_t t)
{
    const sm_cycles *y = w->block->grid->cycles;
    sm_clock *c = w->worker->clock;
    line_set g = {0};
    collect_lines(r, &g);
    const uint32_t busy = g.sectors > y->global_store ? g.sectors : y->global_store;
    t = s->reduces ? queue_store(w, t, 1, 0, y->global_red)
                   : queue_store(w, t, l1_passes(r, false), busy, 1);
    for (uint32_t n = 0; n < g.count; n++)
        clock_recent_set_add(&c->lines, g.line[n]);
    return t + y->l2_load;
}

/* The cycle at which the results of atomics R on global memory, issued at cycle T, are ready. */
static uint64_t global_atomic_done_cycle(sm_warp *w, const memory_request *r, uint64_t t)
{
    const sm_cycles *y = w->block->grid->cycles;
    line_set g = {0};
    collect_lines(r, &g);
    const uint32_t again = r->lanes - profiler_count_distinct(r->address, r->lanes);
    t = reserve_memory_path(w, t, 1);
    uint32_t far = 0;
    for (uint32_t n = 0; n < g.count; n++) {
        const uint32_t wait = clock_l1_miss_latency(w, g.line[n]);
        far = wait > far ? wait : far;
    }
    return t + far - y->l2_load + y->atomic + again * y->atomic_again + (g.sectors - 1);
}

/* --- choosing the function by state space ----------------------------------------------------- */

/* The state space that request R accesses; generic ones in R become addresses in it. */
static ptx_space resolve_space(const sm_insn *m, const sm_step *s, memory_request *r)
{
    if (!(m->mode & SM_M_GENERIC))
        return s->in->space;
    const uint64_t window = r->address[0] & SM_WINDOW_MASK;
    for (uint32_t k = 0; k < r->lanes; k++) {
        r->address[k] &=
            window == SM_SHARED_WINDOW || window == SM_LOCAL_WINDOW ? ~SM_WINDOW_MASK : UINT64_MAX;
    }
    return window == SM_SHARED_WINDOW  ? PTX_SPACE_SHARED
           : window == SM_LOCAL_WINDOW ? PTX_SPACE_LOCAL
           : window == SM_PARAM_WINDOW ? PTX_SPACE_PARAM
                                       : PTX_SPACE_GLOBAL;
}

uint64_t clock_access_done_cycle(sm_warp *w, const sm_step *s, const sm_insn *m, uint32_t mask,
                                 uint64_t t)
{
    const sm_cycles *y = w->block->grid->cycles;
    memory_request r = {.mask = mask, .bytes = m->mode & SM_M_BYTES};
    read_addresses(w, m, &r);
    switch (resolve_space(m, s, &r)) {
    case PTX_SPACE_SHARED: return shared_access_done_cycle(w, s, &r, t);
    case PTX_SPACE_CONST: return constant_load_done_cycle(w, &r, t);
    case PTX_SPACE_LOCAL: return reserve_memory_path(w, t, 1) + y->l1_load;
    case PTX_SPACE_PARAM: return t + y->latency_alu;
    default:
        return s->kind == SM_STEP_ATOMIC  ? global_atomic_done_cycle(w, &r, t)
               : s->kind == SM_STEP_STORE ? global_store_done_cycle(w, s, &r, t)
                                          : global_load_done_cycle(w, m, &r, t);
    }
}
