/* Locks whose order hides a missing fence: one thread takes and gives a lock without the fence that
 * the others have. Where it came first, or last, by chance, all it did is ordered nevertheless; in
 * another run it is not.
 *
 * A thread holds a lock from a compare-and-swap on (san_takes_lock) until it writes the word again.
 * What it does without a fence behind the compare-and-swap is bare: it races with whatever else is
 * done with the same lock. What it does with no fence before it gives the lock back does so too.
 * Words that are never given back are no locks. */
#ifndef WARPBOOK_SANITIZER_LOCKS_H
#define WARPBOOK_SANITIZER_LOCKS_H

#include "global_report.h"

/* Words of a launch that have been given back, by a hash. */
typedef struct san_given {
    uint64_t bits[64];
} san_given;

typedef struct san_locks san_locks; /* locks held by the threads of one resident block */

/* GIVEN is of the launch. NULL: the host is out of memory. */
san_locks *san_locks_new(const sm_block *b, san_given *given);
void san_locks_free(san_locks *l);
/* Forget all locks, as another block begins. */
void san_locks_clear(san_locks *l);
/* All threads meet; lanes of a warp have a fence. */
void san_locks_barrier(san_locks *l);
void san_locks_fence(san_locks *l, uint32_t warp, uint32_t lanes);

/* THREAD tries to take the lock KEY. */
void san_locks_take(san_locks *l, uint32_t thread, uint64_t key);
/* THREAD of W writes the word KEY; if that gives a lock back without a fence, R is told. */
void san_locks_write(san_locks *l, const sm_warp *w, uint32_t thread, uint64_t key, san_races *r);

/* Fill in R, a record of what THREAD alone does. */
void san_locks_note(const san_locks *l, uint32_t thread, san_record *r);
/* MINE, by a thread that may hold a lock, touches what OTHER has touched and is ordered after it.
 * Does it race all the same? What depends on the fence before the lock is given is kept until then.
 */
bool san_locks_hide(san_locks *l, const san_racer *mine, const san_racer *other, uint64_t address,
                    uint32_t bytes);

#endif
