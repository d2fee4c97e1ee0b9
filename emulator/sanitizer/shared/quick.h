/* Racecheck's first look at accesses to shared memory: between two barriers of a block most of them
 * cannot race, because every word is only read, or touched by one thread, or updated atomically by
 * all. While that is so, accesses are noted and nothing else; once it is not, they are looked at
 * one by one, those noted first. */
#ifndef WARPBOOK_QUICK_H
#define WARPBOOK_QUICK_H

#include "../../core/observer.h"

typedef struct san_quick san_quick; /* the quick race check of one block */

/* Can it be used for B? Not where copies may land in the block's memory or threads of other blocks
 * see it: writes before a barrier matter then. */
bool san_quick_suits(const sm_block *b);

san_quick *san_quick_new(const sm_block *b); /* NULL: the host is out of memory */
void san_quick_free(san_quick *q);

/* A barrier of the block: what was noted is ordered before everything that follows. */
void san_quick_barrier(san_quick *q);

/* When something happened: by the clocks of its warp and of the launch (global/view.h). */
typedef struct san_times {
    uint32_t warp, launch;
} san_times;

/* A is noted, at TIMES. False, and it is not noted: it may race with an access
 * noted before, or it orders others, or there is no room for it. */
bool san_quick_note(san_quick *q, const sm_access *a, san_times times);

/* Call FN for each access noted since the barrier, in their order, and forget them all. */
typedef void san_quick_fn(void *context, const sm_access *a, san_times times);
void san_quick_replay(san_quick *q, san_quick_fn *fn, void *context);

#endif
