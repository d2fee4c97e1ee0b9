/* Finds dependent and overlapping loads, for the modelled clock.
 *
 * The depth of a load is the number of earlier loads of the same loop iteration through which its
 * address was computed. Only values in registers are followed, not values passed through shared or
 * local memory. Loads overlap as in the code of ptxas: ptxas moves loads up to where their
 * addresses are known, but not across a barrier or across a store that may write to the same
 * location. */
#include "../../ptx/traits.h"
#include "../compile.h"
#include "facts.h"

#include <stdlib.h>

enum { MAX_LOAD_DEPTH = COMPILE_MAX_WAIT_DEPTH };

/* A load of matrices from shared memory, by all lanes of a warp. */
static bool is_matrix_load(const ptx_insn *in)
{
    const ptx_traits *t = ptx_traits_of(in);
    return t->unit == PTX_UNIT_matrix && t->access == PTX_ACCESS_load &&
           in->space == PTX_SPACE_SHARED;
}

static bool is_load(const ptx_insn *in)
{
    return ptx_is_per_lane_load(in) || is_matrix_load(in) ||
           (ptx_is_per_lane_atomic(in) && ptx_is_result_operand(in, 0));
}

/* Mark in OF the registers with generic addresses of shared memory, of any block of the cluster:
 * those whose values come from `cvta.shared` or `mapa`, by copies and arithmetic. */
static void find_shared_addresses(const ptx_func *f, bool *of)
{
    for (uint32_t k = 0; k < f->insn_count; k++) {
        const ptx_insn *in = &f->insns[k];
        const ptx_result_meaning means = ptx_traits_of(in)->means;
        bool derived = (means == PTX_MEANS_peer_address && in->space == PTX_SPACE_NONE) ||
                       (means == PTX_MEANS_address && in->space == PTX_SPACE_SHARED &&
                        !ptx_has_modifier(in, PTX_MOD_to));
        if (ptx_traits_of(in)->access == PTX_ACCESS__ && ptx_traits_of(in)->flow == PTX_FLOW__)
            PTX_EACH_READ(r, in)
                derived |= r.operand != PTX_GUARD_OPERAND && of[r.reg];
        PTX_EACH_WRITTEN(r, in)
            of[r.reg] |= derived;
    }
}

/* Whether IN, a load, a store or an atomic, has a generic address that SHARED marks: the address is
 * operand 1 if operand 0 is the result, else operand 0. */
static bool is_at_shared_address(const ptx_insn *in, const bool *shared)
{
    const unsigned at = ptx_is_result_operand(in, 0) ? 1 : 0;
    return in->space == PTX_SPACE_NONE && in->operand_count > at && in->opd[at].count &&
           in->opd[at].v[0].kind == PTX_VAL_REG && shared[in->opd[at].v[0].reg];
}

static bool accesses_global(const ptx_insn *in, const bool *shared)
{
    return in->space == PTX_SPACE_GLOBAL ||
           (in->space == PTX_SPACE_NONE && !is_at_shared_address(in, shared));
}

/* Memory within the SM or the cluster: shared and local memory, and constants whose address is in a
 * register. */
static bool is_near_memory(const ptx_insn *in, const bool *shared)
{
    return in->space == PTX_SPACE_SHARED || in->space == PTX_SPACE_LOCAL ||
           is_at_shared_address(in, shared) ||
           (in->space == PTX_SPACE_CONST && in->operand_count > 1 && in->opd[1].count &&
            in->opd[1].v[0].kind == PTX_VAL_REG);
}

/* For each register, its depth: the number of loads of the current region (a loop, or the function
 * outside of loops) through which the register's value was computed. Counts either only loads of
 * global memory or only loads of memory within the SM. */
typedef struct load_depths {
    struct {
        uint32_t region; /* region to which `depth` belongs; in any other region the depth is 0 */
        uint32_t depth;  /* number of loads through which the value was computed */
    } * of;              /* [reg_count] the depth of each register */
    const bool *shared;  /* [reg_count] generic addresses of shared memory */
    uint32_t region;     /* the current region */
    bool near;           /* counts loads of memory within the SM, not of global memory */
} load_depths;

/* Raise the largest depth DEPTH to that of register REG. */
static void raise_max_depth(const load_depths *d, uint32_t reg, uint32_t *depth)
{
    if (d->of[reg].region == d->region && d->of[reg].depth > *depth)
        *depth = d->of[reg].depth;
}

/* The depth of IN's address, which is operand 1 of a load and operand 0 of a store. */
static uint32_t depth_of_address(load_depths *d, const ptx_insn *in)
{
    uint32_t depth = 0;
    for (uint32_t e = 0; e < in->opd[1].count; e++)
        if (in->opd[1].v[e].kind == PTX_VAL_REG)
            raise_max_depth(d, in->opd[1].v[e].reg, &depth);
    return depth;
}

/* Update the depths D for the results of instruction IN. */
static void update_load_depths(load_depths *d, const ptx_insn *in)
{
    if (ptx_traits_of(in)->flow == PTX_FLOW_call)
        return;
    uint32_t depth = 0;
    PTX_EACH_READ(r, in)
        if (r.operand != PTX_GUARD_OPERAND) /* a guard does not contribute to an address */
            raise_max_depth(d, r.reg, &depth);
    PTX_EACH_WRITTEN(r, in)
        if (in->guard != PTX_NO_REGISTER) /* it may leave the old value in the register */
            raise_max_depth(d, r.reg, &depth);
    depth += is_load(in) &&
             (d->near ? is_near_memory(in, d->shared) : accesses_global(in, d->shared)) &&
             depth < MAX_LOAD_DEPTH;
    PTX_EACH_WRITTEN(r, in) {
        d->of[r.reg].region = d->region;
        d->of[r.reg].depth = depth;
    }
}

/* The index of the innermost loop that contains instruction K; facts->loops: no loop. */
static uint32_t innermost_loop(const compile_facts *facts, uint32_t k)
{
    uint32_t best = facts->loops, span = UINT32_MAX;
    for (uint32_t n = 0; n < facts->loops; n++) {
        const compile_loop *x = &facts->loop[n];
        if (x->first <= k && k <= x->last && x->last - x->first < span) {
            best = n;
            span = x->last - x->first;
        }
    }
    return best;
}

static bool is_store(const ptx_insn *in, const bool *shared)
{
    return ptx_is_per_lane_store(in) && (accesses_global(in, shared) || is_near_memory(in, shared));
}

/* Compute the depths of the loads of one region: on how many loads, one after another, an address
 * depends. REGION: 2 * index of the loop (facts->loops: code outside all loops), plus 1 for
 * loads from memory within the SM. */
static void find_load_depths(const ptx_func *f, const compile_facts *facts, load_depths *d,
                             uint32_t region)
{
    const uint32_t of = region / 2;
    const bool loop = of < facts->loops;
    const uint32_t first = loop ? facts->loop[of].first : 0;
    const uint32_t last = loop ? facts->loop[of].last : f->insn_count - 1;
    uint32_t w = 0;
    d->region = region + 1;
    d->near = region % 2;
    for (uint32_t k = first; k <= last; k++) {
        while (w < facts->waits && facts->wait[w].insn < k)
            w++;
        compile_wait *wait = w < facts->waits && facts->wait[w].insn == k ? &facts->wait[w] : NULL;
        if (wait && wait->kind == COMPILE_WAIT_LOAD && wait->loop == of && wait->near == d->near)
            wait->depth = (uint8_t)depth_of_address(d, &f->insns[k]);
        update_load_depths(d, &f->insns[k]);
    }
}

/* The forward branches of a function. */
typedef struct forward_branches {
    struct {
        uint32_t from, to; /* branch at `from` to instruction `to` */
    } * of;
    uint32_t count; /* number of forward branches */
} forward_branches;

static bool find_forward_branches(const ptx_func *f, forward_branches *j)
{
    j->of = malloc((f->insn_count + 1u) * sizeof *j->of);
    for (uint32_t k = 0; j->of && k < f->insn_count; k++) {
        const uint32_t to = ptx_branch_target(&f->insns[k]);
        if (to != PTX_NO_TARGET && to > k) {
            j->of[j->count].from = k;
            j->of[j->count++].to = to;
        }
    }
    return j->of != NULL;
}

/* Can a warp reach instruction K without executing the earlier instruction BEFORE? */
static bool can_bypass(const forward_branches *j, uint32_t before, uint32_t k)
{
    for (uint32_t n = 0; n < j->count && j->of[n].from < before; n++)
        if (j->of[n].to > before && j->of[n].to <= k)
            return true;
    return false;
}

/* The first of the overlapping loads of a region, by depth. */
typedef struct first_loads {
    uint32_t of[MAX_LOAD_DEPTH + 1]; /* number of the load instruction plus 1; 0: none yet */
    uint32_t group_ends; /* number of barriers and stores that ended a group of such loads */
    bool stored, waited; /* a store, or a barrier, follows the loads */
} first_loads;

/* Mark loads that overlap with an earlier load. NEAR: loads of memory within the SM, else of global
 * memory. ONCE: also set compile_wait.once; the function is a kernel, and the loads read global
 * memory.
 */
static void mark_overlapping_loads(const compile_facts *facts, const forward_branches *j, bool near,
                                   bool once, first_loads *all)
{
    for (uint32_t k = 0; k < facts->waits; k++) {
        compile_wait *w = &facts->wait[k];
        first_loads *first = &all[w->loop];
        if (w->kind == COMPILE_WAIT_BARRIER) {
            first->waited = true;
        } else if (w->near != near) {
            continue;
        } else if (w->kind == COMPILE_WAIT_STORE) {
            first->stored = true;
        } else {
            if (first->waited || (first->stored && !w->constant))
                *first = (first_loads){.group_ends = first->group_ends + 1};
            if (once && w->loop == facts->loops)
                w->once = 1u << (3 * first->group_ends + w->depth) % 32;
            uint32_t *before = &first->of[w->depth];
            w->overlapped = *before && !can_bypass(j, *before - 1, w->insn);
            *before = w->overlapped ? *before : w->insn + 1;
        }
    }
}

/* Mark all loads that overlap with an earlier load, so that they add no wait. Returns false if the
 * host is out of memory. */
static bool mark_all_overlapping_loads(const ptx_func *f, const compile_facts *facts)
{
    const size_t regions = facts->loops + 1u;
    forward_branches j = {.count = 0};
    first_loads *all = calloc(2 * regions, sizeof *all);
    const bool good = all && find_forward_branches(f, &j);
    if (good) {
        mark_overlapping_loads(facts, &j, false, f->is_entry, all);
        mark_overlapping_loads(facts, &j, true, false, all + regions);
    }
    free(j.of);
    free(all);
    return good;
}

static bool is_waited_for(const ptx_insn *in, const bool *shared)
{
    return is_load(in) && (accesses_global(in, shared) || is_near_memory(in, shared));
}

/* Append what instruction K is to FACTS, if it is a load, a store or a barrier. */
static void add_wait(const ptx_func *f, compile_facts *facts, uint32_t k, const bool *shared)
{
    const ptx_insn *in = &f->insns[k];
    const bool load = is_waited_for(in, shared), barrier = ptx_is_barrier(in);
    if (load || is_store(in, shared) || barrier)
        facts->wait[facts->waits++] = (compile_wait){.kind = load      ? COMPILE_WAIT_LOAD
                                                             : barrier ? COMPILE_WAIT_BARRIER
                                                                       : COMPILE_WAIT_STORE,
                                                     .near = is_near_memory(in, shared),
                                                     .constant = ptx_has_modifier(in, PTX_MOD_nc),
                                                     .insn = k,
                                                     .loop = innermost_loop(facts, k)};
}

static bool find_waits(compile_translation *t, compile_facts *facts, const bool *shared)
{
    const ptx_func *f = t->func;
    uint32_t loads = 0, count = 0;
    for (uint32_t k = 0; k < f->insn_count; k++) {
        const ptx_insn *in = &f->insns[k];
        const bool load = is_waited_for(in, shared);
        loads += load;
        count += load || is_store(in, shared) || ptx_is_barrier(in);
    }
    if (loads == 0)
        return true;
    load_depths d = {.of = calloc(f->reg_count + 1u, sizeof *d.of), .shared = shared};
    facts->wait = compile_alloc_with_code(t, count * sizeof *facts->wait);
    const bool good = d.of && facts->wait;
    if (good) {
        for (uint32_t k = 0; k < f->insn_count; k++)
            add_wait(f, facts, k, shared);
        for (uint32_t region = 0; region < 2 * (facts->loops + 1u); region++)
            find_load_depths(f, facts, &d, region);
    }
    free(d.of);
    return good && mark_all_overlapping_loads(f, facts);
}

bool compile_find_memory_waits(compile_translation *t, compile_facts *facts)
{
    bool *shared = calloc(t->func->reg_count + 1u, sizeof *shared);
    if (shared)
        find_shared_addresses(t->func, shared);
    const bool good = shared && find_waits(t, facts, shared);
    free(shared);
    return good;
}

/* --- counting waits at the end of a launch --- */

/* The current group of overlapping loads of a loop body, or of the code outside all loops. */
typedef struct overlap_group {
    uint64_t most[MAX_LOAD_DEPTH + 1]; /* by depth: executions of the load executed most often */
    bool stored, waited;               /* a store, or a barrier, follows the loads */
} overlap_group;

/* End T, a group of overlapping loads, and return how often warps waited for it. ITERATIONS: the
 * number of iterations whose loads of depth 0 overlap. */
static uint64_t end_overlap_group(overlap_group *t, uint32_t iterations)
{
    uint64_t sum = (t->most[0] + iterations - 1) / iterations;
    t->most[0] = 0;
    for (uint32_t d = 1; d <= MAX_LOAD_DEPTH; d++) {
        sum += t->most[d];
        t->most[d] = 0;
    }
    t->stored = t->waited = false;
    return sum;
}

/* Kinds of waits to count: for shared, local or constant memory, for all accesses to
 * global memory, or only for those that miss L1. */
typedef enum { WAIT_NEAR, WAIT_GLOBAL, WAIT_BEYOND_L1 } wait_kind;

/* The number of waits for LOAD. A hit on a sector that another warp has in flight costs a full
 * miss; ALONE: no other warp loads. Atomics on global memory are executed at L2. */
static uint64_t times_waited(const sm_code *code, const compile_wait *load, const insn_stats *s,
                             wait_kind d, bool alone)
{
    if (ptx_is_per_lane_atomic(&code->func->insns[load->insn]))
        return code->facts->of[load->insn] & COMPILE_FACT_OLD_USED ? s->requests : 0;
    const uint64_t misses = alone ? s->far : 2 * s->far;
    return d == WAIT_BEYOND_L1 && misses < s->requests ? misses : s->requests;
}

/* The number of iterations of LOOP whose loads overlap. */
static uint32_t overlapping_iterations(const compile_facts *facts, uint32_t loop, wait_kind d)
{
    const bool unrolled = loop < facts->loops && facts->loop[loop].unrolled;
    return unrolled && d == WAIT_NEAR ? COMPILE_UNROLL_FACTOR : 1;
}

/* The number of waits of kind D in CODE, with overlapping loads counted once. PART: a zeroed
 * element for each loop, and one for the code outside. */
static uint64_t count_waits(const sm_code *code, const insn_stats *site, wait_kind d, bool alone,
                            overlap_group *part)
{
    const compile_facts *facts = code->facts;
    uint64_t sum = 0;
    for (uint32_t k = 0; k < facts->waits; k++) {
        const compile_wait *w = &facts->wait[k];
        const insn_stats *s = &site[w->insn];
        overlap_group *t = &part[w->loop];
        const uint32_t turns = overlapping_iterations(facts, w->loop, d);
        if (w->kind == COMPILE_WAIT_BARRIER) {
            t->waited = true;
        } else if (w->near != (d == WAIT_NEAR)) {
            continue;
        } else if (w->kind == COMPILE_WAIT_STORE) {
            t->stored = t->stored || s->requests;
        } else {
            const uint64_t waits = times_waited(code, w, s, d, alone);
            if (waits && (t->waited || (t->stored && !w->constant)))
                sum += end_overlap_group(t, turns);
            t->most[w->depth] = waits > t->most[w->depth] ? waits : t->most[w->depth];
        }
    }
    for (uint32_t n = 0; n <= facts->loops; n++)
        sum += end_overlap_group(&part[n], overlapping_iterations(facts, n, d));
    return sum;
}

void compile_count_memory_waits(const sm_code *code, const insn_stats *site, bool alone,
                                counters *out)
{
    overlap_group *part = code->facts->waits ? calloc(code->facts->loops + 1u, sizeof *part) : NULL;
    if (part) {
        out->v[CTR_near_rounds] += count_waits(code, site, WAIT_NEAR, alone, part);
        out->v[CTR_l1_rounds] += count_waits(code, site, WAIT_GLOBAL, alone, part);
        out->v[CTR_l2_rounds] += count_waits(code, site, WAIT_BEYOND_L1, alone, part);
    }
    free(part);
}

void compile_count_partial_stores(const sm_code *code, const insn_stats *site, counters *out)
{
    const ptx_func *f = code->func;
    for (uint32_t k = 0; k < f->insn_count; k++) {
        const ptx_insn *in = &f->insns[k];
        if (ptx_is_per_lane_store(in) && site[k].sectors > site[k].ideal &&
            (in->space == PTX_SPACE_GLOBAL || in->space == PTX_SPACE_NONE)) {
            out->v[CTR_st_part_sectors] += site[k].sectors;
            out->v[CTR_st_part_bytes] += site[k].lanes * ptx_type_bytes(in->type[0]) * in->vec;
        }
    }
}
