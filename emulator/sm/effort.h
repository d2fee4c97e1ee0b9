/* The modelled work of each warp and block, collected while a grid runs; counters/work.h defines
 * the fields. The pseudo-instruction at the entry of a basic block contains the work that the block
 * adds (in its fields d, q, a and b) and its waits (in field c, from sm_block_info.once). */
#ifndef WARPBOOK_EFFORT_H
#define WARPBOOK_EFFORT_H

#include "../core/cycles.h"
#include "../core/sched.h"
#include "../core/warp.h"

#include <string.h>

/* Add the work of the basic block at ENTRY to warp W once. */
static inline void sm_effort_count_block(sm_warp *w, const sm_insn *entry)
{
    const uint32_t *more = &entry->d;
    for (uint32_t k = 0; k < WORK_FIELDS; k++)
        w->effort[k] += more[k];
    if (__builtin_expect(entry->c != 0, 0))
        w->once |= entry->c;
}

/* The running lanes of W enter the basic block at ENTRY: count its instructions and work. Returns
 * the first instruction of the block. */
static inline const sm_insn *sm_enter_block(sm_warp *w, const sm_insn *entry)
{
    struct sm_visits *v = &w->visits[entry->imm];
    v->times++;
    v->lanes += sm_lane_count(w->mask);
    sm_effort_count_block(w, entry);
    return entry + 1;
}

/* Add the work of TIMES more executions of the basic block at ENTRY to warp W. */
static inline void sm_effort_count_repeats(sm_warp *w, const sm_insn *entry, uint32_t times)
{
    const uint32_t *more = &entry->d;
    for (uint32_t k = 0; k < WORK_FIELDS; k++)
        w->effort[k] += more[k] * times;
}

/* Count TIMES executions of the loop of one basic block that begins at ENTRY, which were skipped.
 */
static inline void sm_effort_count_skipped(sm_warp *w, const sm_insn *entry, uint32_t times)
{
    struct sm_visits *v = &w->worker->visits[entry->imm];
    v->times += times;
    v->lanes += (uint64_t)times * sm_lane_count(w->mask);
    w->sched->budget -= (int32_t)times;
    sm_effort_count_repeats(w, entry, times);
}

/* Move the 32-bit sums of warp W's work to its 64-bit sums. */
void sm_effort_flush_sums(sm_warp *w);

/* Warp W stops running: move its 32-bit sums to the 64-bit sums if one of them is 2^28 or more. A
 * time slice adds less than 2^31 to each sum, so smaller ones cannot overflow. */
static inline void sm_effort_flush_large_sums(sm_warp *w)
{
    uint64_t two[WORK_FIELDS / 2];
    memcpy(two, w->effort, sizeof two);
    if (__builtin_expect((two[0] | two[1]) & UINT64_C(0xf0000000f0000000), 0))
        sm_effort_flush_sums(w);
}

/* Block B has ended: add its work to the work of the launch. */
void sm_effort_add_block_to_launch(const sm_block *b);

/* Add the work FROM that another host thread (worker) has collected. */
void sm_effort_add_launch(launch_work *to, const launch_work *from);

#endif
