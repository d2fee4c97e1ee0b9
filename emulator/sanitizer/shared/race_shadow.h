/* What the files of racecheck share: the shadow of a block's shared memory, and who accesses it. */
#ifndef WARPBOOK_RACE_SHADOW_H
#define WARPBOOK_RACE_SHADOW_H

#include "../../core/observer.h"
#include "quick.h"
#include "race_report.h"
#include "race_word.h"

/* A word that has been released. A warp that acquires it is ordered after behind[w] releases of
 * each warp w. */
typedef struct flag {
    uint32_t word;
    uint32_t *behind; /* [warps] */
} flag;

/* The last fence.proxy.async that a thread executed. */
typedef struct fence {
    moment when;
    uint32_t number; /* number of the fence in its block; 0: none */
} fence;

typedef struct race_shadow {
    uint64_t words;
    uint32_t warps;
    /* Advances at every barrier of the cluster, and at the start of a block. */
    uint32_t cluster_time;
    uint32_t block_time; /* advances at every block-wide barrier */
    uint32_t *warp_time; /* [warps] */
    uint32_t *releases;  /* [warps] number of the warp's next release, from 1 */
    /* [warps][warps] the first warp is ordered after that many releases of the second. */
    uint32_t *behind;
    /* [SM_BAR_COUNT][warps] releases of the threads that have arrived at a barrier. */
    uint32_t *arrived;
    fence *fence;                   /* [warps][SM_LANES] */
    uint32_t fences, fences_before; /* proxy fences so far; and when the block began */
    flag *flags;
    size_t flag_count, flag_room;
    san_reports *reports;
    san_quick *quick;  /* while it says that nothing can race, cells are not up to date */
    bool exact;        /* cells are kept up to date until the next barrier of the block */
    bool always_exact; /* cells are always kept up to date */
    uint32_t in_vain;  /* successive barriers after which quick did not last until the next one */
    cell cell[];
} race_shadow;

typedef struct actor {
    const sm_warp *w;
    uint32_t thread, warp; /* numbers within the cluster */
    moment now;            /* for a copy: when it was issued, without a warp's clock */
    /* Releases of each warp of w's block that it is ordered after; NULL: none. */
    const uint32_t *behind;
    const sm_access
        *access; /* the access that is about to happen; NULL: the access is another one */
} actor;

/* The shadow of B's shared memory. */
race_shadow *san_race_shadow_of(const sm_block *b);
/* Reset all clocks. */
void san_race_restart(race_shadow *race);
/* A thread as actor. The clocks are those of its own block; the cluster's clock is the same in all
 * blocks. */
actor san_race_actor(const sm_warp *w, uint32_t lane);
/* Whether the access of THREAD at time THEN is ordered before what A does now. The clocks may have
 * advanced since a copy was issued, so for a copy they are compared by order. */
bool san_race_ordered(const actor *a, const moment *then, uint32_t thread);
/* A accesses BYTES bytes from OFFSET on by AT: checked against what the shadow says, and noted. */
void san_race_access(race_shadow *race, const actor *a, const ptx_insn *at, uint64_t offset,
                     uint32_t bytes, sm_effect how);

/* Is a cp.async to C on its way that has not been waited for? */
static inline bool san_in_flight(const race_shadow *race, const cell *c)
{
    return c->in_flight && c->fences >= race->fences_before;
}

/* --- race_copies.c: what observers are told of asynchronous copies --- */

void san_race_proxy_fence(void *state, const sm_warp *w);
void *san_race_copy_issued(void *state, const sm_warp *w);
void san_race_copy_reads(void *state, const sm_access *by);
void san_race_copy_lands(void *state, void *issued, const sm_access *by);
void san_race_copies_land(void *state, const sm_access *by, bool waited);

#endif
