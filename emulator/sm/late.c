/* Late stores: those to shared memory that come long after loads of it, with no barrier between.
 * On a device the warps of a block leave a barrier within a few cycles of one another, so that such
 * a store never overtakes another warp's loads behind the same barrier, and code relies on that:
 * two sums over a block one after the other, each through the same words. Here a warp runs on its
 * own up to the next barrier; so before its first late store it lets the others come as far. */
#include "../ptx/traits.h"
#include "build.h"
#include "facts.h"

#include <stdlib.h>

/* What may be true where an instruction begins. */
enum {
    READ = 1, /* since the last barrier the thread has loaded from shared memory */
    LONG = 2  /* ... and after that done what takes long */
};

/* By the lanes, or by the warp for them; not by what goes on its own way. */
static bool accesses_shared(const ptx_insn *in)
{
    const ptx_unit unit = ptx_traits_of(in)->unit;
    return (unit == PTX_UNIT_lsu || unit == PTX_UNIT_matrix || unit == PTX_UNIT_sums) &&
           ptx_may_access(in, PTX_SPACE_SHARED);
}

static bool reads_shared(const ptx_insn *in)
{
    return accesses_shared(in) && ptx_traits_of(in)->access == PTX_ACCESS_load;
}

static bool stores_shared(const ptx_insn *in)
{
    return accesses_shared(in) && ptx_changes_memory(in);
}

/* Exchanges between lanes, and global memory. */
static bool takes_long(const ptx_insn *in)
{
    const ptx_traits *t = ptx_traits_of(in);
    const bool exchanges = t->sync == PTX_SYNC_lanes && (!t->unit || t->unit == PTX_UNIT_shuffle);
    const bool gives = ptx_is_lane_load(in) || (ptx_is_lane_atomic(in) && ptx_is_result(in, 0));
    return t->flow == PTX_FLOW_call || exchanges || (gives && ptx_may_access(in, PTX_SPACE_GLOBAL));
}

static bool is_barrier(const ptx_insn *in)
{
    return in->guard == PTX_NOREG && ptx_is_block_barrier(in) && !ptx_has(in, PTX_MOD_arrive);
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
            const uint32_t to = ptx_branch_target(in);
            if (to != PTX_NOWHERE) {
                again |= flows(at, to, state) && to <= k;
            }
            for (uint32_t n = 0; n < in->target_count; n++) {
                again |= flows(at, in->targets[n], state) && in->targets[n] <= k;
            }
            if (!ptx_never_goes_on(in)) {
                flows(at, k + 1, state);
            }
        }
    }
    free(at);
    return true;
}
