/* A limit on the run time of a repeated launch: a kernel that waited for data from the running host
 * never ends in a replay. */
#pragma once

#include "replay.h"

/* Limit every later launch to SECONDS instead of default_launch_time_limit; 0: use
 * default_launch_time_limit again. */
void set_launch_time_limit(double seconds);
/* The limit in seconds for a launch with a modelled time of NS. DOUBTED: the recording warns that a
 * replay of the launch may differ. */
double default_launch_time_limit(double ns, bool doubted);

/* Call begin_launch_time_limit before replay_repeat_next runs a launch of kernel NAME, and
 * end_launch_time_limit afterwards. If the launch exceeds its limit, the process names it and exits
 * with status 1; another thread first calls OUT_OF_TIME, unless it is NULL. */
void begin_launch_time_limit(replay *r, const char *name, void (*out_of_time)(void));
void end_launch_time_limit(void);
