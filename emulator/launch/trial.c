#include "trial.h"

#include "../base/lock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LEAST_GAIN    1.1     /* of all threads over one; if it is less, one goes on */
#define MOST_GAIN     1.1     /* of a thread over itself alone; if it is more, it was disturbed */
#define OTHERS        2u      /* trials in a row that must say other than before */
#define MOST_REPEATS  5u      /* trials after which the last one decides */
#define LEAST_WINDOWS 8u      /* a launch that ends within so many measurements is not tried */
#define MOST_PASSES   1000u   /* looks of the first thread after which no result is waited for */
#define LOOK_NS       200000u /* CPU time after which the first thread looks in a rest */
#define MOST_CLUSTERS 64u     /* or after so many clusters */
#define LONGEST_REST  (128 * (uint64_t)LAUNCH_TRIAL_REST_NS)
/* A thread that pauses gives the first one this time for a cluster, or that of so many clusters. */
#define LEAST_PATIENCE_NS UINT64_C(100000000)
#define PATIENT_CLUSTERS  8u
#define NS_PER_SECOND     UINT64_C(1000000000)

/* Begin PHASE; call this function with the lock held. */
static void begin_phase(launch_trial *t, launch_trial_phase phase)
{
    atomic_store(&t->phase, phase);
    t->epoch++;
    t->present = t->full = t->paused = 0;
    t->since = 0;
    if (phase == LAUNCH_TRIAL_TOGETHER)
        t->together = 0;
    pthread_cond_broadcast(&t->changed);
}

/* Keep the result for the rest of this launch and for later ones. */
static void decide(launch_trial *t, bool alone)
{
    const bool same = atomic_load(&t->habit->alone) == alone;
    const uint32_t skipped = same ? 2 * atomic_load(&t->habit->skipped) + 1 : 1;
    const uint32_t most = LAUNCH_TRIAL_MOST_LAUNCHES;
    atomic_store(&t->habit->alone, alone);
    atomic_store(&t->habit->skipped, skipped < most ? skipped : most);
    atomic_store(&t->habit->left, skipped < most ? skipped : most);
    const bool longer = t->alone == alone && t->rest < LONGEST_REST;
    t->rest = t->alone != alone ? LAUNCH_TRIAL_REST_NS : longer ? 2 * t->rest : t->rest;
    t->alone = alone;
    t->others = t->repeats = 0;
    begin_phase(t, LAUNCH_TRIAL_REST);
}

/* Measure thread R. Returns true when its rate is known: *RATE. */
static bool measure(struct launch_trial_thread *r, uint64_t work, uint64_t ns, double *rate)
{
    if (!r->open) {
        r->open = true;
        r->work = work;
        r->ns = ns;
        r->before = r->taken;
        return false;
    }
    if (r->full || ns - r->ns < LAUNCH_TRIAL_WINDOW_NS)
        return false;
    r->full = true;
    *rate = (double)(work - r->work) / (double)(ns - r->ns);
    return true;
}

/* Too little of the grid is left for a trial to pay. */
static bool is_nearly_done(const launch_trial *t)
{
    uint64_t taken = 0, window = 0;
    for (uint32_t k = 0; k < t->workers; k++) {
        taken += t->of[k].taken;
        window += t->of[k].taken - t->of[k].before;
    }
    return taken + LEAST_WINDOWS * window > t->clusters;
}

static void run_together(launch_trial *t, struct launch_trial_thread *r, uint64_t work, uint64_t ns)
{
    double rate;
    t->present += r->passes == 2;
    if (t->present < t->workers || !measure(r, work, ns, &rate))
        return;
    t->together += rate;
    if (++t->full < t->workers)
        return;
    if (is_nearly_done(t))
        decide(t, t->alone);
    else
        begin_phase(t, LAUNCH_TRIAL_ALONE);
}

static void run_alone(launch_trial *t, uint64_t work, uint64_t ns)
{
    double rate;
    if (t->paused < t->workers - 1 || !measure(&t->of[0], work, ns, &rate))
        return;
    const bool disturbed = t->together > MOST_GAIN * t->workers * rate;
    const bool lost = t->together < LEAST_GAIN * rate;
    const bool other = lost != atomic_load(&t->alone);
    t->others = other ? t->others + 1 : 0;
    if ((disturbed || (other && t->others < OTHERS)) && ++t->repeats < MOST_REPEATS)
        begin_phase(t, LAUNCH_TRIAL_TOGETHER);
    else
        decide(t, lost);
}

static void rest(launch_trial *t, uint64_t ns)
{
    t->since = t->since ? t->since : ns;
    if (ns - t->since >= t->rest)
        begin_phase(t, LAUNCH_TRIAL_TOGETHER);
}

static void time_clusters(launch_trial *t, uint64_t ns)
{
    const uint64_t taken = t->of[0].taken, more = taken - t->before;
    const uint64_t each = more ? (ns - t->last) / more : 0;
    t->longest = each > t->longest ? each : t->longest;
    t->every = t->longest ? LOOK_NS / t->longest : 1;
    t->every = t->every < 1 ? 1 : t->every > MOST_CLUSTERS ? MOST_CLUSTERS : t->every;
    t->before = taken;
    t->last = ns;
}

bool launch_trial_pass(launch_trial *t, uint32_t index, uint64_t work, uint64_t ns)
{
    HOLD_LOCK(&t->lock);
    struct launch_trial_thread *r = &t->of[index];
    if (r->epoch != t->epoch) {
        r->epoch = t->epoch;
        r->passes = 0;
        r->open = r->full = false;
    }
    r->passes++;
    const launch_trial_phase phase = atomic_load(&t->phase);
    if (index) {
        if (phase == LAUNCH_TRIAL_TOGETHER)
            run_together(t, r, work, ns);
        t->paused += phase == LAUNCH_TRIAL_ALONE && r->passes == 1;
        return phase != LAUNCH_TRIAL_ALONE && !launch_trial_runs_one(t);
    }
    time_clusters(t, ns);
    if (phase == LAUNCH_TRIAL_REST)
        rest(t, ns);
    else if (phase != LAUNCH_TRIAL_OFF && r->passes > MOST_PASSES)
        decide(t, t->alone);
    else if (phase == LAUNCH_TRIAL_TOGETHER)
        run_together(t, r, work, ns);
    else if (phase == LAUNCH_TRIAL_ALONE)
        run_alone(t, work, ns);
    return true;
}

void launch_trial_stop(launch_trial *t)
{
    if (atomic_load_explicit(&t->phase, memory_order_relaxed) == LAUNCH_TRIAL_OFF)
        return;
    HOLD_LOCK(&t->lock);
    begin_phase(t, LAUNCH_TRIAL_OFF);
}

void launch_trial_pause(launch_trial *t, uint32_t index)
{
    HOLD_LOCK(&t->lock);
    const uint32_t epoch = t->of[index].epoch;
    while (t->epoch == epoch) {
        const uint64_t taken = t->of[0].taken, clusters = PATIENT_CLUSTERS * t->longest;
        const uint64_t ns = clusters > LEAST_PATIENCE_NS ? clusters : LEAST_PATIENCE_NS;
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        const uint64_t end = (uint64_t)until.tv_nsec + ns;
        until.tv_sec += (time_t)(end / NS_PER_SECOND);
        until.tv_nsec = (long)(end % NS_PER_SECOND);
        const int late = pthread_cond_timedwait(&t->changed, &t->lock, &until);
        if (late == ETIMEDOUT && t->epoch == epoch && t->of[0].taken == taken)
            begin_phase(t, LAUNCH_TRIAL_OFF);
    }
}

void launch_trial_begin(launch_trial *t, sm_threads_habit *habit, uint32_t workers,
                        uint64_t clusters)
{
    memset(t, 0, sizeof *t);
    pthread_mutex_init(&t->lock, NULL);
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&t->changed, &clock);
    pthread_condattr_destroy(&clock);
    if (!habit || workers < 2 || clusters < LAUNCH_TRIAL_LEAST_CLUSTERS)
        return;
    t->habit = habit;
    t->workers = workers;
    t->clusters = clusters;
    t->rest = LAUNCH_TRIAL_REST_NS;
    t->every = 1;
    t->alone = atomic_load(&habit->alone);
    t->of = calloc(workers, sizeof *t->of);
    const uint32_t left = atomic_load(&habit->left);
    if (left)
        atomic_store(&habit->left, left - 1);
    if (t->of)
        t->phase = left ? LAUNCH_TRIAL_REST : LAUNCH_TRIAL_TOGETHER;
}

void launch_trial_end(launch_trial *t)
{
    pthread_cond_destroy(&t->changed);
    pthread_mutex_destroy(&t->lock);
    free(t->of);
}
