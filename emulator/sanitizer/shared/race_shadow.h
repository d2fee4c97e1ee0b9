/* Declarations shared by the files of racecheck: the shadow of a block's shared memory, and the
 * thread or copy that accesses it. */
#pragma once

#include "../../core/observer.h"
#include "quick.h"
#include "race_flight.h"
#include "race_report.h"
#include "race_word.h"

/* A memory word through which warps release and acquire. A warp that acquires it is ordered
 * after the first ordered_after[w] releases of each warp w. */
typedef struct release_flag {
    uint32_t word;           /* number of the word in shared memory */
    uint32_t *ordered_after; /* [warps] each warp's releases that an acquiring warp is ordered
                                after */
} release_flag;

/* The last fence.proxy.async that a thread executed. */
typedef struct thread_proxy_fence {
    access_time when; /* time of the fence */
    uint32_t number;  /* number of the fence in its block; 0: none */
} thread_proxy_fence;

typedef struct race_shadow {
    uint64_t words; /* words of shared memory */
    uint32_t warps; /* warps of the block */
    /* The cluster's clock: advances at every barrier of the cluster, and when a block starts. */
    uint32_t cluster_time;       /* time of the cluster's clock */
    uint32_t began;              /* time of the cluster's clock when the block began */
    uint32_t block_time;         /* the block's clock: advances at every block-wide barrier */
    uint32_t *warp_time;         /* [warps] each warp's clock: advances at __syncwarp */
    const uint32_t *launch_time; /* the launch's clock; NULL: there is none */
    uint32_t *releases;          /* [warps] number of the warp's next release, from 1 */
    /* [warps][warps] The first warp is ordered after this number of releases of the second. */
    uint32_t *ordered_after;
    /* [SM_BAR_COUNT][warps] Each warp's releases before the threads at a barrier. */
    uint32_t *arrived;              /* releases before each barrier */
    thread_proxy_fence *fence;      /* [warps][SM_LANES] last proxy fence of each thread */
    uint32_t fences, fences_before; /* proxy fences so far; those when the block began */
    release_flag *flags;            /* words used for release and acquire */
    size_t flag_count;
    race_launch *launch;   /* receives the races */
    const sm_block *block; /* the block whose shared memory this shadow describes */
    san_quick_check
        *quick; /* quick check; while it finds that nothing can race, `cell` is not up to date */
    bool exact; /* `cell` is kept up to date until the next barrier of the block */
    bool always_exact; /* `cell` is always kept up to date */
    uint32_t
        failed_checks; /* number of successive barrier intervals in which the quick check failed */
    word_state cell[]; /* [words] last accesses to each word of shared memory */
} race_shadow;

typedef struct racing_actor {
    const sm_warp *w;
    uint32_t thread, warp; /* numbers within the cluster */
    access_time now; /* time of the access; for a copy: time of its issue, without a warp's clock */
    /* Number of releases of each warp of w's block that the actor is ordered after; NULL: none. */
    const uint32_t *ordered_after;
    const sm_access *access; /* the access that is about to happen; NULL: not known */
} racing_actor;

/* The shadow of B's shared memory. */
race_shadow *san_race_shadow_of(const sm_block *b);
/* Forget all accesses and fences in RACE, and set the clocks of block and cluster to 1. */
void san_race_reset_clocks(race_shadow *race);
/* LANE of W as a racing_actor, which makes an access. Its block and warp clocks are those of its
 * own block; the cluster's clock is the same in all blocks. */
racing_actor san_race_actor(const sm_warp *w, uint32_t lane);
/* Is the access of THREAD at time THEN ordered before A's current access? The clocks may have
 * advanced since a copy was issued, so for a copy they are compared by order. */
bool san_race_is_ordered(const racing_actor *a, const access_time *then, uint32_t thread);
/* Check and record an access: A accesses BYTES bytes from OFFSET on by AT, with effect HOW. */
void san_race_access(race_shadow *race, const racing_actor *a, const ptx_insn *at, uint64_t offset,
                     uint32_t bytes, sm_effect how);

/* Is a cp.async that writes C in flight, and no thread has waited for it? */
static inline bool san_is_copy_in_flight(const race_shadow *race, const word_state *c)
{
    return c->in_flight && c->fences >= race->fences_before;
}

/* --- race_copies.c: observer functions for asynchronous copies -------------------------------- */

void san_race_proxy_fence(void *state, const sm_warp *w);
void *san_race_copy_issued(void *state, const sm_warp *w);
void san_race_copy_reads(void *state, const sm_access *by);
void san_race_copy_completes(void *state, void *issued, const sm_access *by);
void san_race_copies_complete(void *state, const sm_access *by, sm_landing why);

/* --- race_flight.c: cp.async copies for which no thread waits --------------------------------- */

void san_race_block_ends(void *state);
void san_race_note_copy_wait(race_shadow *race, sm_landing why);
