/* Two arrays that a kernel carves from one shared array, and that overlap: what a race looks like
 * if no barrier is missing, but the place where one of them begins is wrong. */
#pragma once

#include "race_report.h"

/* Do the two accesses of report R, whose lines are known, reach their word through different
 * arrays: both store to an element of an array with a name of its own, or their elements differ in
 * type? Writes to OUT what follows a sentence about the two. */
bool san_describe_carved_arrays(const sm_report *r, const sm_grid *g,
                                const san_racing_thread *second, const san_racing_thread *first,
                                char *out, size_t size);
