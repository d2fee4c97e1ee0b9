/* The work of a basic block (counters/work.h), as far as the code alone determines it. */
#include "../build.h"
#include "../ptxas/facts.h"

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
    issue = raise_to_minimum(issue, y->pace_fma * info->inst_fma);
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

void compile_store_block_work(sm_code *code, const sm_program *p)
{
    const sm_fn enter = p->handlers->enter;
    for (uint32_t k = 0; k < code->insn_count; k++) {
        sm_insn *i = &code->insn[k];
        if (i->fn == enter) {
            const struct sm_block_info *info = &code->block[i->imm - code->visit_base];
            store_block_effort(info, &p->cycles, &i->d);
            i->c = info->once;
        }
    }
}
