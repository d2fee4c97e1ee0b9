/* The work of each warp and block, collected while a grid runs; counters/work.h defines the fields.
 * The entry of a basic block holds what the block adds, in d, q, a and b, and in c the waits of
 * sm_block_info.once. */
#ifndef WARPBOOK_EFFORT_H
#define WARPBOOK_EFFORT_H

#include "../core/code.h"
#include "../core/warp.h"

/* Fill in the entries of CODE's basic blocks, after the whole function has been translated. */
void sm_effort_translate(sm_code *code);

/* W enters the basic block at ENTRY once. */
static inline void sm_effort_enter(sm_warp *w, const sm_insn *entry)
{
    const uint32_t *more = &entry->d;
    for (uint32_t k = 0; k < WORK_FIELDS; k++) {
        w->effort[k] += more[k];
    }
    w->once |= entry->c;
}

static inline void sm_effort_repeat(sm_warp *w, const sm_insn *entry, uint32_t times)
{
    const uint32_t *more = &entry->d;
    for (uint32_t k = 0; k < WORK_FIELDS; k++) {
        w->effort[k] += more[k] * times;
    }
}

/* W stops running: move its 32-bit sums to 64-bit ones before they can overflow. */
void sm_effort_keep(sm_warp *w);
/* Block B has ended: add its work to the launch's. */
void sm_effort_block(const sm_block *b);

/* Add the work that another worker has collected. */
void sm_effort_add(launch_work *to, const launch_work *from);

#endif
