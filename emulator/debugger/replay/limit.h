/* A limit on the time that a launch may take when it is repeated: a kernel that waited for what the
 * host wrote meanwhile waits for ever in a replay. */
#ifndef WARPBOOK_REPLAY_LIMIT_H
#define WARPBOOK_REPLAY_LIMIT_H

#include "replay.h"

/* Seconds for every launch from now on, instead of limit_usual; 0: that again. */
void limit_set(double seconds);
/* The seconds for a launch that was modelled to take NS; DOUBTED: the recording says that it cannot
 * be repeated for certain. */
double limit_usual(double ns, bool doubted);

/* The launch that replay_next would do begins, in kernel NAME; has ended. A launch that does not
 * end in time ends the process with status 1, after a sentence on stderr that names it;
 * OUT_OF_TIME, if it is not NULL, is called before, on another thread. */
void limit_begin(replay *r, const char *name, void (*out_of_time)(void));
void limit_end(void);

#endif
