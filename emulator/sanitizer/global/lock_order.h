/* Locks that threads take in opposite orders: two threads that have each taken one of them wait for
 * each other for ever. In this run they need not have met, so the order is what is checked: a
 * thread that takes a lock, while it holds another, makes an edge between the two. Edges that close
 * a circle are reported, unless one thread made them all, a barrier orders them, or another lock,
 * held by all of the threads, admits one at a time.
 *
 * A lock is a word that a compare-and-swap or an exchange takes in a loop that does nothing else. A
 * loop that gives back what it holds before it tries again is none. */
#pragma once

#include "locks.h"

typedef struct san_lock_order san_lock_order; /* the order of the locks of a launch */

san_lock_order *san_lock_order_new(const sm_grid *g); /* NULL: the host is out of memory */
void san_lock_order_free(san_lock_order *o);
/* Add what was found to LIST. */
sm_report *san_add_lock_order_reports(san_lock_order *o, sm_report *list);

/* LANE of A, a strong access that is about to happen, may take the lock KEY or release it. */
void san_lock_order_access(san_lock_order *o, san_locks *l, const sm_access *a, uint32_t lane,
                           uint64_t key);
