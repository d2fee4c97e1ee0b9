#include "follow.h"

#include "../observe/observe.h"
#include "sched.h"

/* Lanes of the running fragment whose guard predicate G (@p or @!p) is true. */
static uint32_t guarded_lanes(const sm_warp *w, const sm_insn *g)
{
    uint32_t predicate;
    __builtin_memcpy(&predicate, w->r + g->a, sizeof predicate);
    return w->mask & (predicate ^ (uint32_t)g->imm);
}

void sm_run_observed(sm_warp *w, const sm_insn *i)
{
    const sm_fn guard = w->block->grid->unit->program->handlers->guard;
    while (i) {
        const sm_insn *does = i;
        uint32_t mask = w->mask;
        if (i->fn == guard) {
            mask = guarded_lanes(w, i);
            does = i + 1;
        } else if (i->flags & SM_I_SKIPS) {
            /* skip the guarded instruction if no lane executes it */
            mask = guarded_lanes(w, i) == w->mask ? 0 : SM_FULL;
        }
        const bool told = does->flags & SM_I_PTX || (i->flags & SM_I_SKIPS && !mask);
        if (!told) {
            i = i->fn(w, i);
            continue;
        }
        if (!observe_insn_begins(w, does, mask)) {
            sm_make_fragment_wait(w, i, SM_READY);
            return;
        }
        const uint8_t *window = w->r;
        i = i->fn(w, i);
        observe_insn_ends(w, does, mask, window);
    }
}
