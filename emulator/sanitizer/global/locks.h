/* Locks whose order hides a missing fence: one thread takes and releases a lock without the
 * fence that other threads execute. If this thread happens to come first or last, all its
 * accesses are ordered nevertheless, but in another run they are not. A thread holds a lock from
 * a compare-and-swap (san_takes_lock) until it writes the word again. Accesses without a fence
 * after the compare-and-swap race with all accesses under the same lock, and so do accesses
 * without a fence before the lock is released. A fence of block scope counts between threads of
 * one block only. A word that is never released is no lock. */
#pragma once

#include "../intent.h"
#include "global_report.h"
#include "happens_before.h"

/* Words of a launch that have been released as locks: a bit for each hash value of an address. */
typedef struct san_released_locks {
    uint64_t bits[64]; /* hash set of lock addresses */
} san_released_locks;

typedef struct san_locks san_locks; /* locks held by the threads of one resident block */

/* All locks that threads of a block hold, in the order in which they were taken. */
typedef struct san_held_list {
    struct {
        uint64_t key;    /* the lock */
        uint32_t thread; /* index in the block of the thread that took it */
    } list[256];
    uint32_t count; /* entries used in `list`; further locks are not noted */
    uint32_t epoch; /* barriers that the block has passed */
} san_held_list;

const san_held_list *san_locks_held(const san_locks *l);
/* THREAD holds the lock KEY from now on. Somebody writes KEY: nobody holds it any more. */
void san_locks_hold(san_locks *l, uint32_t thread, uint64_t key);
void san_locks_let_go(san_locks *l, uint64_t key);

/* New lock state of block B. RELEASED: words of the launch that have been released as locks. NULL:
 * the host is out of memory. */
san_locks *san_locks_new(const sm_block *b, san_released_locks *released);
void san_locks_free(san_locks *l);
/* Clear the state of all locks, because another block begins. */
void san_locks_forget_held(san_locks *l);
/* A barrier of all threads of the block. It counts as a fence of device scope, because the accesses
 * of all threads of the block are then ordered before the thread that holds the lock for them. */
void san_locks_barrier(san_locks *l);
/* LANES of WARP execute a fence of scope REACH. */
void san_locks_fence(san_locks *l, uint32_t warp, uint32_t lanes, san_scope reach);

/* Whether lane LANE of the compare-and-swap A of UNIT, which is about to execute, may take the
 * lock: no lower lane of A takes it, and its word holds the value that A expects, as far as both
 * are known.
 */
bool san_may_take_lock(const sm_unit *unit, const sm_access *a, uint32_t lane);
/* The bytes that LANE of A accesses in global memory or in the block's own shared memory, for the
 * host; NULL: not known. */
const void *san_word_of_lock(const sm_access *a, uint32_t lane);
/* THREAD executes a compare-and-swap that may take the lock KEY. */
void san_locks_take(san_locks *l, uint32_t thread, uint64_t key);
/* THREAD of W writes the word KEY. A lock released without a fence: the pending races are added to
 * R. */
void san_locks_write(san_locks *l, const sm_warp *w, uint32_t thread, uint64_t key, san_races *r);

/* Fill in the lock fields of R, a record of one access by THREAD. */
void san_locks_fill_record(const san_locks *l, uint32_t thread, san_record *r);
/* Access MINE touches bytes that OTHER has touched and is ordered after OTHER. Do they race
 * nevertheless, because only the order of a lock hides the race? If this depends on a fence
 * before the lock is released, the race is kept pending until the release. */
bool san_locks_hide_race(san_locks *l, const san_racing_access *mine,
                         const san_racing_access *other, uint64_t address, uint32_t bytes);
