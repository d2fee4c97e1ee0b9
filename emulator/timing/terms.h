/* The terms of a launch's time, one for each part of the device. */
#ifndef WARPBOOK_TIMING_TERMS_H
#define WARPBOOK_TIMING_TERMS_H

#include "timing.h"

/* Name of the largest term, one of launch_time's fields. OF_LINES, or NULL if none is above 0: of
 * those that lines of the kernel bring about, which the start of the launch and of its blocks are
 * not. */
const char *timing_largest(const launch_time *t, bool of_lines);

#endif
