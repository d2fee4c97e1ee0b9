/* Host threads that launches share: made when they are first wanted, asleep in between. */
#ifndef WARPBOOK_THREADS_H
#define WARPBOOK_THREADS_H

#include <stdint.h>

/* Call fn(arg, 0) here and fn(arg, 1) to fn(arg, COUNT - 1) on other threads, each at most once:
 * one whose thread has not come by the time that fn(arg, 0) returns is not called at all, so FN
 * must share out work that any of them can finish. Returns when all that began have returned. Calls
 * may overlap; a fork leaves the child with none of the threads and ready to make its own. */
void sm_threads_run(uint32_t count, void (*fn)(void *arg, uint32_t index), void *arg);

/* Threads that there are, awake or asleep. */
uint32_t sm_threads_made(void);

/* Cores that are online, at least 1. */
uint32_t sm_threads_cores(void);

#endif
