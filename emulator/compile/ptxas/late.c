/* Finds the instructions at which a warp lets the other warps of its block catch up. On a GPU the
 * warps of a block leave a barrier within a few cycles of each other, and therefore some races in
 * kernels have no effect. The emulator runs each warp to the next barrier, so the races would have
 * an effect. To avoid this, a warp lets the other warps run:
 * - before a late store to shared memory, long after loads from it and without a barrier between:
 *   for instance two successive block-wide reductions in the same words;
 * - before a load from shared memory soon after a store to it, which is a step of a reduction that
 *   reads what other warps have just stored. If warps may have drifted apart since the barrier
 * (global loads, much other code), a GPU computes wrong sums, and the emulator does not wait
 * either. */
#include "../../ptx/traits.h"
#include "facts.h"

#include <stdlib.h>

/* The state before an instruction, as bits; each may be true on one of the paths to the
 * instruction. */
enum {
    STATE_READ = 1,            /* the thread has loaded from shared memory since the last barrier */
    STATE_SLOW_SINCE_READ = 2, /* slow code has run after a load from shared memory */
    STATE_STORED = 4,          /* the thread has stored to shared memory since the last barrier */
    STATE_DRIFTED = 8          /* other warps may be far behind since the last barrier */
};

/* Code of LONG_LATENCY_CYCLES instructions without an access to shared memory is slow. */
#define LONG_LATENCY_CYCLES 64

/* Does IN access shared memory, by lanes or by the whole warp? Asynchronous accesses are excluded.
 */
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

/* Is IN slow: a lane exchange or an access to global memory? */
static bool has_long_latency(const ptx_insn *in)
{
    const ptx_traits *t = ptx_traits_of(in);
    const bool exchanges = t->sync == PTX_SYNC_lanes && (!t->unit || t->unit == PTX_UNIT_shuffle);
    const bool gives =
        ptx_is_per_lane_load(in) || (ptx_is_per_lane_atomic(in) && ptx_is_result_operand(in, 0));
    return t->flow == PTX_FLOW_call || exchanges || (gives && ptx_may_access(in, PTX_SPACE_GLOBAL));
}

static bool is_barrier(const ptx_insn *in)
{
    return in->guard == PTX_NO_REGISTER && ptx_is_block_barrier(in) &&
           !ptx_has_modifier(in, PTX_MOD_arrive);
}

static bool is_shared(const ptx_insn *in)
{
    return in->space == PTX_SPACE_SHARED;
}

/* The COMPILE_FACT_* bit of instruction IN if the state before it is STATE; 0: none. */
static uint8_t catch_up_fact(const ptx_insn *in, uint8_t state)
{
    if (stores_shared(in) && state & STATE_SLOW_SINCE_READ)
        return COMPILE_FACT_LATE_STORE;
    const bool step = is_shared(in) && ptx_is_per_lane_load(in) && state & STATE_STORED &&
                      !(state & STATE_DRIFTED);
    return step ? COMPILE_FACT_STEP_LOAD : 0;
}

/* The state after IN if the state before it is STATE. SLOW: warps may have drifted apart after IN.
 */
static uint8_t memory_state_after(const ptx_insn *in, uint8_t state, bool slow)
{
    const uint8_t fact = catch_up_fact(in, state);
    if (is_barrier(in) || fact == COMPILE_FACT_LATE_STORE)
        return 0;
    if (fact == COMPILE_FACT_STEP_LOAD)
        state &= (uint8_t)~STATE_STORED;
    if (has_long_latency(in))
        state |= state & STATE_READ ? STATE_SLOW_SINCE_READ | STATE_DRIFTED : STATE_DRIFTED;
    state |= slow ? STATE_DRIFTED : 0;
    state |= is_shared(in) && ptx_is_per_lane_store(in) ? STATE_STORED : 0;
    return reads_shared(in) ? state | STATE_READ : state;
}

/* Set slow[k] if instruction K ends a loop, or ends a long sequence of instructions without an
 * access to shared memory. */
static void find_slow_instructions(const ptx_func *f, bool *slow)
{
    uint32_t first = 0; /* first instruction after the last shared-memory access or barrier */
    for (uint32_t k = 0; k < f->insn_count; k++) {
        const ptx_insn *in = &f->insns[k];
        const uint32_t to = ptx_branch_target(in);
        if (reads_shared(in) || stores_shared(in) || is_barrier(in))
            first = k + 1;
        slow[k] =
            k >= first + LONG_LATENCY_CYCLES || (to != PTX_NO_TARGET && to >= first && to <= k);
    }
}

/* Add the bits of STATE to the state of instruction TO. Returns true if this changes the state. */
static bool merge_memory_state(uint8_t *at, uint32_t to, uint8_t state)
{
    const bool more = state & ~at[to];
    at[to] |= state;
    return more;
}

/* Compute at[k], the state before instruction K, by a forward data-flow analysis. */
static void find_memory_states(const ptx_func *f, const bool *slow, uint8_t *at)
{
    at[0] = STATE_DRIFTED;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t k = 0; k < f->insn_count; k++) {
            const ptx_insn *in = &f->insns[k];
            const uint8_t state = memory_state_after(in, at[k], slow[k]);
            const uint32_t to = ptx_branch_target(in);
            if (to != PTX_NO_TARGET)
                again |= merge_memory_state(at, to, state) && to <= k;
            for (uint32_t n = 0; n < in->target_count; n++)
                again |= merge_memory_state(at, in->targets[n], state) && in->targets[n] <= k;
            if (!ptx_never_falls_through(in))
                merge_memory_state(at, k + 1, state);
        }
    }
}

bool compile_find_catch_up_points(compile_translation *t, compile_facts *facts)
{
    const ptx_func *f = t->func;
    uint8_t *at = calloc(f->insn_count + 1u, sizeof *at);
    bool *slow = calloc(f->insn_count + 1u, sizeof *slow);
    if (at && slow) {
        find_slow_instructions(f, slow);
        find_memory_states(f, slow, at);
        for (uint32_t k = 0; k < f->insn_count; k++)
            facts->of[k] |= catch_up_fact(&f->insns[k], at[k]);
    }
    const bool good = at && slow;
    free(at);
    free(slow);
    return good;
}
