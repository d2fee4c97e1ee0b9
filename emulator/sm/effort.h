/* How much each warp and each block does, kept while a grid runs: counters/work.h. What a basic
 * block adds to it stands in its entry (d, q, a, b, c). */
#ifndef WARPBOOK_EFFORT_H
#define WARPBOOK_EFFORT_H

#include "../core/code.h"
#include "../core/warp.h"

/* Fill in what basic blocks of CODE add, once they are all there. */
void sm_effort_translate(sm_code *code);

/* W enters the basic block at ENTRY, TIMES times. */
static inline void sm_effort_enter(sm_warp *w, const sm_insn *entry)
{
    const uint32_t *more = &entry->d;
    for (uint32_t k = 0; k < WORK_FIELDS; k++) {
        w->effort[k] += more[k];
    }
    if (__builtin_expect(entry->c != 0, 0)) {
        w->once |= entry->c;
    }
}

/* The running lanes of W enter the basic block at ENTRY: what is counted there. Returns the first
 * instruction of the block. */
static inline const sm_insn *sm_enter_block(sm_warp *w, const sm_insn *entry)
{
    struct sm_visits *v = &w->worker->visits[entry->imm];
    v->times++;
    v->lanes += sm_lane_count(w->mask);
    sm_effort_enter(w, entry);
    return entry + 1;
}

static inline void sm_effort_repeat(sm_warp *w, const sm_insn *entry, uint32_t times)
{
    const uint32_t *more = &entry->d;
    for (uint32_t k = 0; k < WORK_FIELDS; k++) {
        w->effort[k] += more[k] * times;
    }
}

/* Hand over what W has counted to its sums of 64 bits. */
void sm_effort_keep(sm_warp *w);

/* W stops for now. A time slice adds less than 2^31 to a number, so that one below 2^28 can wait.
 */
static inline void sm_effort_pause(sm_warp *w)
{
    uint32_t all = 0;
    for (uint32_t k = 0; k < WORK_FIELDS; k++) {
        all |= w->effort[k];
    }
    if (__builtin_expect(all >> 28, 0)) {
        sm_effort_keep(w);
    }
}

/* Block B has ended. */
void sm_effort_block(const sm_block *b);

/* To what is known of the launch adds what another worker did. */
void sm_effort_add(launch_work *to, const launch_work *from);

#endif
