/* A limit on the run time of a repeated launch: a kernel that waited for data from the running host
 * never ends in a replay. */
#ifndef WARPBOOK_REPLAY_LIMIT_H
#define WARPBOOK_REPLAY_LIMIT_H

#include "replay.h"

/* Limit every later launch to SECONDS instead of limit_default; 0: use limit_default again. */
void limit_set(double seconds);
/* The limit in seconds for a launch with a modelled time of NS. DOUBTED: the recording warns that a
 * replay of the launch may differ. */
double limit_default(double ns, bool doubted);

/* Call limit_begin before replay_next runs a launch of kernel NAME, and limit_end afterwards. If
 * the launch exceeds its limit, the process prints a message that names the launch and exits with
 * status 1; another thread first calls OUT_OF_TIME, unless it is NULL. */
void limit_begin(replay *r, const char *name, void (*out_of_time)(void));
void limit_end(void);

#endif
