/* The terms of a launch's time as a list. */
#ifndef WARPBOOK_TIMING_TERMS_H
#define WARPBOOK_TIMING_TERMS_H

#include "timing.h"

typedef enum timing_term {
#define TERM(field, of_lines) TERM_##field,
#include "terms.def"
#undef TERM
    TERM_COUNT
} timing_term;

/* The largest term; OF_LINES: of those that lines of the kernel bring about, or TERM_COUNT if none
 * of them is above 0. */
timing_term timing_largest(const launch_time *t, bool of_lines);

/* Its name, as launch_time has it. */
const char *timing_term_name(timing_term term);

#endif
