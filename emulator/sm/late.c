/* Late stores: those to shared memory that come long after loads of it, with no barrier between.
 * On a device the warps of a block leave a barrier within a few cycles of one another, so that such
 * a store never overtakes another warp's loads behind the same barrier, and code relies on that:
 * two sums over a block one after the other, each through the same words. Here a warp runs on its
 * own up to the next barrier; so before its first late store it lets the others come as far. */
#include "build.h"
#include "facts.h"

#include <stdlib.h>

/* What may be true where an instruction begins. */
enum {
    READ = 1, /* since the last barrier the thread has loaded from shared memory */
    LONG = 2  /* ... and after that done what takes long */
};

static bool maybe_shared(const ptx_insn *in)
{
    return in->space == PTX_SPACE_SHARED || in->space == PTX_SPACE_NONE;
}

static bool reads_shared(const ptx_insn *in)
{
    return (in->op == PTX_OP_ld && maybe_shared(in)) || in->op == PTX_OP_ldmatrix;
}

static bool stores_shared(const ptx_insn *in)
{
    return ((in->op == PTX_OP_st || in->op == PTX_OP_atom || in->op == PTX_OP_red) &&
            maybe_shared(in)) ||
           in->op == PTX_OP_stmatrix;
}

/* Exchanges between lanes, and global memory. */
static bool takes_long(const ptx_insn *in)
{
    switch (in->op) {
    case PTX_OP_shfl:
    case PTX_OP_vote:
    case PTX_OP_match:
    case PTX_OP_redux:
    case PTX_OP_call:
        return true;
    case PTX_OP_ld:
    case PTX_OP_atom:
        return in->space == PTX_SPACE_GLOBAL || in->space == PTX_SPACE_NONE;
    default:
        return false;
    }
}

static bool is_barrier(const ptx_insn *in)
{
    return in->guard == PTX_NOREG && (in->op == PTX_OP_bar || in->op == PTX_OP_barrier) &&
           !ptx_has(in, PTX_MOD_warp) && !ptx_has(in, PTX_MOD_arrive);
}

/* STATE behind IN; *late: IN is a late store. */
static uint8_t behind(const ptx_insn *in, uint8_t state, bool *late)
{
    *late = stores_shared(in) && state & LONG;
    if (is_barrier(in) || *late) {
        return 0;
    }
    if (takes_long(in) && state & READ) {
        state |= LONG;
    }
    return reads_shared(in) ? state | READ : state;
}

static bool never_goes_on(const ptx_insn *in)
{
    return in->op == PTX_OP_bra || in->op == PTX_OP_brx || in->op == PTX_OP_ret ||
           in->op == PTX_OP_exit;
}

/* True: STATE brought something new to instruction TO. */
static bool flows(uint8_t *at, uint32_t to, uint8_t state)
{
    const bool more = state & ~at[to];
    at[to] |= state;
    return more;
}

bool sm_find_late_stores(sm_translation *t, sm_facts *facts)
{
    const ptx_func *f = t->func;
    uint8_t *at = calloc(f->insn_count + 1u, sizeof *at);
    if (!at) {
        return false;
    }
    for (bool again = true; again;) {
        again = false;
        for (uint32_t k = 0; k < f->insn_count; k++) {
            const ptx_insn *in = &f->insns[k];
            bool late;
            const uint8_t state = behind(in, at[k], &late);
            facts->of[k] |= late ? SM_FACT_LATE : 0;
            const bool jumps = in->op == PTX_OP_bra && in->operand_count && in->opd[0].count &&
                               in->opd[0].v[0].kind == PTX_VAL_LABEL;
            if (jumps) {
                const uint32_t to = in->opd[0].v[0].target;
                again |= flows(at, to, state) && to <= k;
            }
            for (uint32_t n = 0; n < in->target_count; n++) {
                again |= flows(at, in->targets[n], state) && in->targets[n] <= k;
            }
            if (in->guard != PTX_NOREG || !never_goes_on(in)) {
                flows(at, k + 1, state);
            }
        }
    }
    free(at);
    return true;
}
