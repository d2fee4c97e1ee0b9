/* Is a launch faster on one host thread than on all? It is where the blocks of all threads update
 * the same words of global memory, so that their cache lines move between the cores. How much that
 * costs depends on the addresses, on the machine and on the minute, so the launch tries it: for
 * some clusters all threads run, then the first one alone while the others pause. Rates are work
 * per CPU time of a thread, so other programs change them little. If one thread alone did as well
 * twice, the others pause, and are tried again later; they go on if they do better twice. What was
 * found is kept for the next launches of the kernel (sm_threads_habit).
 *
 * Which thread runs a block changes no result and no counter. */
#pragma once

#include "../core/code.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
    LAUNCH_TRIAL_WINDOW_NS = 50000,   /* least CPU time for which a thread's rate is measured */
    LAUNCH_TRIAL_REST_NS = 5000000,   /* CPU time of the first thread between two trials, doubled by
                                         each trial with the same result */
    LAUNCH_TRIAL_LEAST_CLUSTERS = 64, /* a smaller grid is not tried */
    LAUNCH_TRIAL_MOST_LAUNCHES = 63 /* most launches in a row of a kernel that begin without one */
};

typedef enum launch_trial_phase {
    LAUNCH_TRIAL_OFF,      /* all threads run, until the launch ends */
    LAUNCH_TRIAL_TOGETHER, /* all threads run, and their rates are measured */
    LAUNCH_TRIAL_ALONE,    /* the first thread runs and is measured, the others pause */
    LAUNCH_TRIAL_REST      /* as the last trial has found it, until the next one */
} launch_trial_phase;

typedef struct launch_trial {
    pthread_mutex_t lock;   /* guards all below */
    pthread_cond_t changed; /* signalled when another phase begins */
    sm_threads_habit *habit;
    uint32_t workers;               /* number of host threads of the launch */
    uint64_t clusters;              /* of the launch */
    atomic_uint phase;              /* launch_trial_phase */
    atomic_bool alone;              /* LAUNCH_TRIAL_REST: one thread runs, the others pause */
    uint32_t epoch;                 /* number of phases that have begun */
    uint32_t others;                /* trials in a row that say other than before */
    uint32_t repeats;               /* how often this trial was repeated */
    uint32_t present, full, paused; /* number of threads that have run a cluster in this phase,
                                       whose rate is known, and that pause */
    double together;                /* sum of the rates of all threads that ran together */
    uint64_t rest;                  /* CPU time of the first thread between two trials, in ns */
    uint64_t since;                 /* its CPU time when this rest began; 0: not known yet */
    uint64_t before, last; /* clusters that it had taken, and its CPU time, at its last look */
    uint64_t longest;      /* longest CPU time of one of its clusters */
    uint64_t every;        /* in a rest it looks after so many clusters */
    struct launch_trial_thread {
        atomic_ullong taken;       /* clusters that the thread has taken */
        uint32_t epoch, passes;    /* the phase for which the rest is valid; looks in this phase */
        uint64_t work, ns, before; /* work, CPU time and clusters when its measurement began */
        bool open, full;           /* the measurement has begun; it has ended */
    } * of;                        /* [workers] the threads */
} launch_trial;

/* Prepare a launch of CLUSTERS clusters on WORKERS threads. HABIT NULL: nothing is tried. */
void launch_trial_begin(launch_trial *t, sm_threads_habit *habit, uint32_t workers,
                        uint64_t clusters);
void launch_trial_end(launch_trial *t);

/* Thread INDEX, which has done WORK in NS of CPU time, is about to take a cluster, and none of its
 * clusters has begun. Returns false if it must pause and ask again. */
bool launch_trial_pass(launch_trial *t, uint32_t index, uint64_t work, uint64_t ns);

/* Thread INDEX pauses until another phase begins. If the first thread takes no cluster for long,
 * the trial ends. */
void launch_trial_pause(launch_trial *t, uint32_t index);

/* All threads run from now on: a thread waits for others, or has no cluster left. */
void launch_trial_stop(launch_trial *t);

/* Must thread INDEX, which has taken TAKEN clusters, call launch_trial_pass? A look at its clock
 * takes as long as a small block, so in a rest the first thread looks after several clusters. */
static inline bool launch_trial_looks(launch_trial *t, uint32_t index, uint64_t taken)
{
    const unsigned phase = atomic_load_explicit(&t->phase, memory_order_relaxed);
    if (phase == LAUNCH_TRIAL_OFF)
        return false;
    atomic_store_explicit(&t->of[index].taken, taken, memory_order_relaxed);
    if (phase != LAUNCH_TRIAL_REST)
        return true;
    return index ? atomic_load_explicit(&t->alone, memory_order_relaxed) : taken % t->every == 0;
}

/* Does one thread run until the next trial, so that the others need not come? */
static inline bool launch_trial_runs_one(const launch_trial *t)
{
    return atomic_load(&t->phase) == LAUNCH_TRIAL_REST && atomic_load(&t->alone);
}
