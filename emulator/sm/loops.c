/* Loops, as far as the code alone tells: where they are, in which of them threads may wait for
 * others (waits.h), and whether a thread can see which blocks have run before its own. */
#include "facts.h"

#include <stdlib.h>

/* Where the branch goes back to; SM_NO_LOOP: IN, the instruction with index K, ends no loop. */
#define SM_NO_LOOP UINT32_MAX
static uint32_t back_to(const ptx_insn *in, uint32_t k)
{
    const bool bra = in->op == PTX_OP_bra && in->operand_count && in->opd[0].count &&
                     in->opd[0].v[0].kind == PTX_VAL_LABEL;
    return bra && in->opd[0].v[0].target <= k ? in->opd[0].v[0].target : SM_NO_LOOP;
}

static bool of_all_blocks(const ptx_insn *in)
{
    return in->space == PTX_SPACE_GLOBAL || in->space == PTX_SPACE_NONE;
}

static bool is_strong_load(const ptx_insn *in)
{
    return in->op == PTX_OP_ld && (ptx_has(in, PTX_MOD_volatile) || ptx_has(in, PTX_MOD_relaxed) ||
                                   ptx_has(in, PTX_MOD_acquire) || ptx_has(in, PTX_MOD_mmio));
}

/* Does it want to know what others have written, each time anew? FACT: of facts.h. */
static bool asks(const ptx_insn *in, uint8_t fact)
{
    return is_strong_load(in) || (in->op == PTX_OP_atom && fact & SM_FACT_OLD_USED);
}

static bool looks(const ptx_insn *in, uint8_t fact)
{
    return asks(in, fact) || in->op == PTX_OP_mbarrier_test__wait ||
           in->op == PTX_OP_mbarrier_try__wait;
}

static bool is_fence(const ptx_insn *in)
{
    return in->op == PTX_OP_membar || in->op == PTX_OP_fence || in->op == PTX_OP_nanosleep;
}

static bool is_load(const ptx_insn *in)
{
    return (in->op == PTX_OP_ld || in->op == PTX_OP_ldu) &&
           (of_all_blocks(in) || in->space == PTX_SPACE_SHARED);
}

/* How many instructions before one do what; of a loop, the difference between its ends. */
typedef struct tally {
    uint32_t calls, looks, loads, global_loads, fences;
} tally;

static void count(tally *to, const ptx_insn *in, uint8_t fact)
{
    to->calls += in->op == PTX_OP_call;
    to->looks += looks(in, fact);
    to->loads += is_load(in);
    to->global_loads += is_load(in) && of_all_blocks(in);
    to->fences += is_fence(in);
}

static tally between(const tally *before, const sm_loop *l)
{
    const tally *a = &before[l->first], *b = &before[l->last + 1];
    return (tally){b->calls - a->calls, b->looks - a->looks, b->loads - a->loads,
                   b->global_loads - a->global_loads, b->fences - a->fences};
}

/* Threads may wait in a loop that looks at memory which others write, by an instruction that a
 * compiler leaves there: a look, or an ordinary load beside a fence. */
static void judge(sm_facts *facts, const tally *before)
{
    for (uint32_t n = 0; n < facts->loops; n++) {
        const sm_loop *l = &facts->loop[n];
        const tally in = between(before, l);
        if (in.calls || !(in.looks || (in.loads && in.fences))) {
            continue;
        }
        facts->of[l->last] |= SM_FACT_WAITS;
        for (uint32_t k = l->first; k <= l->last; k++) {
            facts->of[k] |= SM_FACT_IN_WAIT;
        }
        facts->sees_order |= in.global_loads && in.fences;
    }
}

bool sm_find_loops(sm_translation *t, sm_facts *facts)
{
    const ptx_func *f = t->func;
    uint32_t loops = 0;
    for (uint32_t k = 0; k < f->insn_count; k++) {
        loops += back_to(&f->insns[k], k) != SM_NO_LOOP;
    }
    facts->loop = sm_code_alloc(t, (loops + 1u) * sizeof *facts->loop);
    tally *before = calloc(f->insn_count + 1u, sizeof *before);
    if (!facts->loop || !before) {
        free(before);
        return false;
    }
    for (uint32_t k = 0; k < f->insn_count; k++) {
        const ptx_insn *in = &f->insns[k];
        const uint32_t first = back_to(in, k);
        if (first != SM_NO_LOOP) {
            facts->loop[facts->loops++] = (sm_loop){first, k};
        }
        before[k + 1] = before[k];
        count(&before[k + 1], in, facts->of[k]);
        facts->polls |= of_all_blocks(in) && (is_strong_load(in) || in->op == PTX_OP_atom);
        facts->sees_order |= of_all_blocks(in) && asks(in, facts->of[k]);
    }
    judge(facts, before);
    free(before);
    return true;
}
