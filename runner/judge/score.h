/* Points: a verdict held against the rubric of its assignment. A goal is earned in full or not at
 * all, a check by the sizes that are right, a bandwidth by where it lies between its limits
 * (rubric.h); where a check fails or a mistake is reported, goals and bandwidths are not judged. A
 * modelled bandwidth earns its points as a measured one does, and is called modelled. */
#ifndef WARPBOOK_SCORE_H
#define WARPBOOK_SCORE_H

#include "verdict.h"

/* Score V, which is judged, against R: fills its points. A pass that has not all points becomes a
 * fail, so that "pass" is one word for one thing; the reason tells the points. A run that says
 * nothing of the lab (cancelled, or the machine lacks something) has no points, nor has a text that
 * is not graded: one with flaws, or one that differs from the book's outside its regions. */
void score_verdict(verdict *v, const rubric *r);

/* "95 of 100 points", "not graded", or NULL where V has no points. Into BUF. */
const char *score_words(const verdict *v, char *buf, size_t size);

#endif
