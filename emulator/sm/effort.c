/* The modelled work of each warp and block. A warp's time is the length of its dependency chains
 * plus its waits. The part of it that depends on the code alone is known for each basic block and
 * added at the block's entry, which costs almost nothing. Effects of addresses (sectors, misses,
 * conflicts) are spread evenly over requests and chains. */
#include "effort.h"

#include "../compile/ptxas/facts.h"
#include "../core/handlers.h"
#include "sched.h"

#include <string.h>

_Static_assert(
    WORK_FIELDS == 4,
    "the instruction at a block's entry stores the work in its four fields d, q, a and b");

static uint32_t raise_to_minimum(uint32_t x, uint32_t least)
{
    return x > least ? x : least;
}

/* Store the approximate cycles of a basic block. They only divide the launch's time, which the
 * counters determine, among warps and blocks. */
static void store_block_effort(const struct sm_block_info *info, const sm_cycles *y,
                               uint32_t *effort)
{
    const uint32_t all = info->inst + info->inst_more;
    const uint32_t made = all > info->inst_folded ? all - info->inst_folded : 0;
    const uint32_t plain = made > info->tensor_inst ? made - info->tensor_inst : 0;
    uint32_t issue = raise_to_minimum(made, y->pace_alu * info->inst_alu);
    issue = raise_to_minimum(issue,
                             raise_to_minimum(y->pace_double * info->inst_f64, info->imul_cycles));
    effort[WORK_ISSUE] = raise_to_minimum(issue, y->pace_special * info->inst_special) +
                         y->launch.diverge * info->branch_parts;
    effort[WORK_CHAIN] = raise_to_minimum(y->launch.next * plain, info->chain_cycles) +
                         y->launch.matrix * info->tensor_chain +
                         y->launch.release * (info->barriers + info->cluster_barriers) +
                         y->launch.near_load * info->near_parts / COMPILE_UNROLL_FACTOR;
    effort[WORK_ROUNDS] = info->far_rounds;
    effort[WORK_REQUESTS] = info->requests;
}

void compile_store_block_work(sm_code *code, const sm_cycles *y)
{
    const sm_fn enter = exec_handlers()->enter;
    for (uint32_t k = 0; k < code->insn_count; k++) {
        sm_insn *i = &code->insn[k];
        if (i->fn == enter) {
            const struct sm_block_info *info = &code->block[i->imm - code->visit_base];
            store_block_effort(info, y, &i->d);
            i->c = info->once;
        }
    }
}

void sm_effort_flush_sums(sm_warp *w)
{
    for (uint32_t k = 0; k < WORK_FIELDS; k++) {
        w->sched->effort[k] += w->effort[k];
        w->effort[k] = 0;
    }
}

/* Compute all work of warp W, which has ended. The sums in W are not reset. */
static void sum_warp_work(const sm_warp *w, uint64_t effort[WORK_FIELDS])
{
    for (uint32_t k = 0; k < WORK_FIELDS; k++) {
        effort[k] = w->sched->effort[k] + w->effort[k];
    }
    if (w->once) {
        effort[WORK_ROUNDS] += (uint32_t)__builtin_popcount(w->once);
    }
}

static uint64_t estimated_cycles(const uint64_t effort[WORK_FIELDS])
{
    return effort[WORK_CHAIN] + WORK_CYCLES_PER_WAIT * effort[WORK_ROUNDS];
}

/* Whether block A takes longer than block B. This is a total order, so the result does not depend
 * on the order of comparisons. */
static bool is_longer_block(const block_work *a, const block_work *b)
{
    const float x = a->of[WORK_CHAIN] + WORK_CYCLES_PER_WAIT * a->of[WORK_ROUNDS];
    const float y = b->of[WORK_CHAIN] + WORK_CYCLES_PER_WAIT * b->of[WORK_ROUNDS];
    if (x != y) {
        return x > y;
    }
    for (uint32_t k = 0; k < WORK_FIELDS; k++) {
        if (a->of[k] != b->of[k]) {
            return a->of[k] > b->of[k];
        }
    }
    return false;
}

void sm_effort_add_block_to_launch(const sm_block *b)
{
    launch_work *sum = &b->warp->worker->work;
    uint64_t longest = 0, all[WORK_FIELDS] = {0}, effort[WORK_FIELDS];
    uint64_t most[WORK_FIELDS] = {0};
    for (uint32_t n = 0; n < b->warp_count; n++) {
        sum_warp_work(&b->warp[n], effort);
        const uint64_t now = estimated_cycles(effort);
        sum->waiting += effort[WORK_ROUNDS] != 0;
        for (uint32_t k = 0; k < WORK_FIELDS; k++) {
            all[k] += effort[k];
        }
        if (n == 0 || now > longest) {
            memcpy(most, effort, sizeof most);
            longest = now;
        }
    }
    const block_work work = {.of = {[WORK_ISSUE] = (float)all[WORK_ISSUE],
                                    [WORK_CHAIN] = (float)most[WORK_CHAIN],
                                    [WORK_ROUNDS] = (float)most[WORK_ROUNDS],
                                    [WORK_REQUESTS] = (float)all[WORK_REQUESTS]}};
    for (uint32_t k = 0; k < WORK_FIELDS; k++) {
        sum->all[k] += all[k];
    }
    sum->blocks++;
    sum->warps += b->warp_count;
    sum->chain += most[WORK_CHAIN];
    sum->rounds += most[WORK_ROUNDS];
    if (is_longer_block(&work, &sum->longest)) {
        sum->longest = work;
    }
    if (b->grid->work) {
        b->grid->work[b->linear] = work;
    }
}

void sm_effort_add_launch(launch_work *to, const launch_work *from)
{
    for (uint32_t k = 0; k < WORK_FIELDS; k++) {
        to->all[k] += from->all[k];
    }
    to->blocks += from->blocks;
    to->warps += from->warps;
    to->waiting += from->waiting;
    to->chain += from->chain;
    to->rounds += from->rounds;
    if (is_longer_block(&from->longest, &to->longest)) {
        to->longest = from->longest;
    }
}
