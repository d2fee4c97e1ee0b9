/* Sorts the lanes of a warp into groups by their position and state. */
#include "lane_groups.h"

#include "../../core/sched.h"

/* State of the lanes of fragment F, as PROTOCOL.md names it. FIRST: F runs next. */
static const char *lane_state_name(const sm_fragment *f, bool first)
{
    return f->wait_state == SM_AT_SYNC      ? "syncs"
           : f->wait_state == SM_AT_BARRIER ? "barrier"
           : f->waits                       ? "rejoins"
           : first                          ? "active"
                                            : "diverged";
}

/* The fragment (group of converged lanes) of a warp that will run next, for a warp that is not
 * running; UINT32_MAX: no fragment can run. */
static uint32_t fragment_that_runs_next(const struct sm_sched *s)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t k = 0; k < s->count; k++) {
        const sm_fragment *f = &s->frag[k];
        if (f->wait_state == SM_READY && !f->waits &&
            (best == UINT32_MAX || f->order > s->frag[best].order))
            best = k;
    }
    return best;
}

/* The lanes of fragment F, which is the FIRST of its warp to run, or a later one. */
static step_lane_group lane_group_of(const sm_fragment *f, bool first)
{
    return (step_lane_group){.state = lane_state_name(f, first),
                             .lanes = f->mask,
                             .at = f->pc,
                             .code = f->frame->code,
                             .window = f->frame->window};
}

uint32_t step_lane_groups(const sm_warp *w, step_lane_group group[STEP_MAX_LANE_GROUPS])
{
    const step_state *t = &step_worker_state;
    const struct sm_sched *s = w->sched;
    uint32_t n = 0, first = UINT32_MAX;
    if (w == t->w) {
        const step_lane_group here = {"active", w->mask & t->mask, t->i, s->frame->code, w->r};
        if (here.lanes)
            group[n++] = here;
        if (w->mask & ~t->mask) {
            group[n] = here;
            group[n].state = "guarded";
            group[n++].lanes = w->mask & ~t->mask;
        }
    } else {
        first = fragment_that_runs_next(s);
        if (first != UINT32_MAX)
            group[n++] = lane_group_of(&s->frag[first], true);
    }
    for (uint32_t k = 0; k < s->count; k++)
        if (k != first)
            group[n++] = lane_group_of(&s->frag[k], false);
    if (w->exited)
        group[n++] = (step_lane_group){.state = "exited", .lanes = w->exited};
    if (~w->lanes)
        group[n++] = (step_lane_group){.state = "absent", .lanes = ~w->lanes};
    return n;
}

const char *step_warp_state(const sm_warp *w)
{
    return w == step_worker_state.w ? "running"
           : w->sched->done         ? "done"
           : w->sched->runnable     ? "ready"
                                    : "waits";
}
