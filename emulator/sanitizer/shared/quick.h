/* Racecheck's quick check of accesses to shared memory. Between two barriers of a block most
 * accesses cannot race, because every word is only read, or accessed by one thread, or updated
 * atomically by all threads. While this holds, accesses are only logged. When it ceases to hold,
 * all accesses are checked one by one, the logged ones first. */
#pragma once

#include "../../core/observer.h"

typedef struct san_quick_check san_quick_check; /* the quick race check of one block */

/* Can the quick check be used for B? It cannot if asynchronous copies may write to the block's
 * memory or threads of other blocks see it, because then writes before a barrier matter. */
bool san_quick_check_applies(const sm_block *b);

san_quick_check *san_quick_check_new(const sm_block *b); /* NULL: the host is out of memory */
void san_quick_check_free(san_quick_check *q);

/* A barrier of the block: all accesses added before are ordered before everything that follows. */
void san_quick_check_barrier(san_quick_check *q);

/* The time of an access, by the clocks of its warp and of the launch (global/view.h). */
typedef struct san_times {
    uint32_t warp, launch; /* time on the warp's clock; time on the launch's clock */
} san_times;

/* Add access A, at TIMES. False, and A is not added: it may race with an earlier access, or it
 * may synchronise threads, or the log is full. */
bool san_quick_check_access(san_quick_check *q, const sm_access *a, san_times times);

/* Add access A of all lanes, which holds only the address of the first lane of each row.
 * SAN_NOT_CHECKED: A is not added, san_quick_check_access() must check it. SAN_MAY_RACE: A is not
 * added, and the quick check cannot be used until the next barrier. */
typedef enum {
    SAN_NO_RACE,     /* the access is added: it cannot race */
    SAN_MAY_RACE,    /* the access may race */
    SAN_NOT_CHECKED  /* the quick check cannot decide */
} san_quick_verdict; /* result of the quick check of an access */
san_quick_verdict san_quick_check_regular(san_quick_check *q, const sm_access *a, san_times times);

/* Call FN for each access added since the last barrier, in order, and clear the log. */
typedef void san_quick_fn(void *context, const sm_access *a, san_times times);
void san_quick_check_replay(san_quick_check *q, san_quick_fn *fn, void *context);
