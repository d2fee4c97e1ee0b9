/* Chooses which snapshots to keep: many near the current moment, few far from it. */
#include "snapshots.h"

#include <string.h>

static void remove_snapshot_at(step_snapshots *s, uint32_t k)
{
    s->give_up(&s->list[k]);
    memmove(&s->list[k], &s->list[k + 1], (s->count - k - 1) * sizeof s->list[0]);
    s->count--;
}

void step_snapshots_add(step_snapshots *s, step_snapshot added)
{
    uint32_t at = 0;
    while (at < s->count && s->list[at].tick < added.tick)
        at++;
    if (at < s->count && s->list[at].tick == added.tick) {
        s->give_up(&s->list[at]);
        s->list[at] = added;
        return;
    }
    memmove(&s->list[at + 1], &s->list[at], (s->count - at) * sizeof s->list[0]);
    s->list[at] = added;
    s->count++;
    if (s->count > STEP_MAX_SNAPSHOTS)
        step_snapshots_remove_one(s);
}

bool step_snapshots_remove_one(step_snapshots *s)
{
    if (s->count < 3)
        return false;
    /* Removing snapshot k makes the way from k - 1 to k + 1 longer; the longer way matters less the
     * further it is from the current moment. Remove the snapshot with the least effect. */
    uint32_t least = 0;
    double best = 0;
    for (uint32_t k = 1; k + 1 < s->count; k++) {
        const double way = (double)(s->list[k + 1].tick - s->list[k - 1].tick);
        const uint64_t at = s->list[k].tick, far = at < s->now ? s->now - at : at - s->now;
        const double missed = way / ((double)far + 1);
        if (!least || missed < best) {
            least = k;
            best = missed;
        }
    }
    remove_snapshot_at(s, least);
    s->thinned++;
    return true;
}

void step_snapshots_remove_after(step_snapshots *s, uint64_t tick)
{
    while (s->count && s->list[s->count - 1].tick > tick)
        remove_snapshot_at(s, s->count - 1);
}

const step_snapshot *step_snapshots_before(const step_snapshots *s, uint64_t tick)
{
    const step_snapshot *best = NULL;
    for (uint32_t k = 0; k < s->count && s->list[k].tick <= tick; k++)
        best = &s->list[k];
    return best;
}
