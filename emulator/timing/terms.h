/* The terms of a launch's modelled time: the times for which each part of the device is busy. */
#ifndef WARPBOOK_TIMING_TERMS_H
#define WARPBOOK_TIMING_TERMS_H

#include "timing.h"

typedef enum timing_term {
#define TERM(field, of_lines) TERM_##field,
#include "terms.def"
#undef TERM
    TERM_COUNT
} timing_term;

/* The largest term of T. OF_LINES: the largest term that source lines of the kernel cause;
 * TERM_COUNT if all such terms are 0. */
timing_term timing_largest_term(const launch_time *t, bool of_lines);

/* The name of TERM: the name of its field in launch_time. */
const char *timing_term_name(timing_term term);

#endif
