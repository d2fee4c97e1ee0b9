/* Where a warp lets the others of its block come as far. On a device the warps of a block leave a
 * barrier within a few cycles of one another, and code with a race that this hides relies on it.
 * Here a warp runs on its own up to the next barrier. So it gives way:
 * - before its first late store, one to shared memory that comes long after loads of it with no
 *   barrier between: two sums over a block one after the other, each through the same words;
 * - before the load of a step, one of shared memory soon after a store to it: a sum over a block
 *   whose steps read what other warps have just stored. Where warps may be apart, as one of them
 *   may have loaded from global memory or gone through other code for long since the barrier, a
 *   device gives wrong sums, and no warp gives way. */
#include "../core/build.h"
#include "../ptx/traits.h"
#include "facts.h"

#include <stdlib.h>

/* What may be true where an instruction begins. */
enum {
    READ = 1,   /* since the last barrier the thread has loaded from shared memory */
    LONG = 2,   /* ... and after that done what takes long */
    STORED = 4, /* since the last barrier it has stored to shared memory */
    APART = 8   /* other warps may have come much less far since the barrier */
};

/* Instructions in a row without an access to shared memory that take long. */
#define LONG_ROW 64

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

static bool is_shared(const ptx_insn *in)
{
    return in->space == PTX_SPACE_SHARED;
}

/* What IN is where STATE holds. */
static uint8_t fact_of(const ptx_insn *in, uint8_t state)
{
    if (stores_shared(in) && state & LONG) {
        return SM_FACT_LATE;
    }
    const bool step = is_shared(in) && ptx_is_lane_load(in) && state & STORED && !(state & APART);
    return step ? SM_FACT_STEP : 0;
}

/* STATE behind IN; SLOW: by then warps may be apart. */
static uint8_t behind(const ptx_insn *in, uint8_t state, bool slow)
{
    const uint8_t fact = fact_of(in, state);
    if (is_barrier(in) || fact == SM_FACT_LATE) {
        return 0;
    }
    if (fact == SM_FACT_STEP) {
        state &= (uint8_t)~STORED;
    }
    if (takes_long(in)) {
        state |= state & READ ? LONG | APART : APART;
    }
    state |= slow ? APART : 0;
    state |= is_shared(in) && ptx_is_lane_store(in) ? STORED : 0;
    return reads_shared(in) ? state | READ : state;
}

/* slow[k]: instruction K ends a loop or a long row of instructions without an access to shared
 * memory. */
static void find_slow(const ptx_func *f, bool *slow)
{
    uint32_t first = 0; /* behind the last access or barrier */
    for (uint32_t k = 0; k < f->insn_count; k++) {
        const ptx_insn *in = &f->insns[k];
        const uint32_t to = ptx_branch_target(in);
        if (reads_shared(in) || stores_shared(in) || is_barrier(in)) {
            first = k + 1;
        }
        slow[k] = k >= first + LONG_ROW || (to != PTX_NOWHERE && to >= first && to <= k);
    }
}

/* True: STATE brought something new to instruction TO. */
static bool flows(uint8_t *at, uint32_t to, uint8_t state)
{
    const bool more = state & ~at[to];
    at[to] |= state;
    return more;
}

/* at[k]: what may be true where instruction K begins. */
static void follow(const ptx_func *f, const bool *slow, uint8_t *at)
{
    at[0] = APART;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t k = 0; k < f->insn_count; k++) {
            const ptx_insn *in = &f->insns[k];
            const uint8_t state = behind(in, at[k], slow[k]);
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
}

bool sm_find_turns(sm_translation *t, sm_facts *facts)
{
    const ptx_func *f = t->func;
    uint8_t *at = calloc(f->insn_count + 1u, sizeof *at);
    bool *slow = calloc(f->insn_count + 1u, sizeof *slow);
    if (at && slow) {
        find_slow(f, slow);
        follow(f, slow, at);
        for (uint32_t k = 0; k < f->insn_count; k++) {
            facts->of[k] |= fact_of(&f->insns[k], at[k]);
        }
    }
    const bool good = at && slow;
    free(at);
    free(slow);
    return good;
}
