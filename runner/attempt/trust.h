/* Whether a lab's text can be graded: its checks, its times and its record must be the book's own.
 * They are where the text outside the TODO regions is (pristine.h), and where no region reaches out
 * of itself: with a macro, with a bracket or a comment that it leaves open, or with the name of
 * something that the checks, the record or the run's environment are made of. That is a guard
 * against an easy forgery, not a proof: an instructor should read the regions too. */
#ifndef WARPBOOK_TRUST_H
#define WARPBOOK_TRUST_H

#include "../base/text.h"

typedef struct flaw {
    int line;             /* line of the text, from 1 */
    const char *what;     /* the name that was found, such as "getenv" */
    const char *sentence; /* the sentence about it: "uses getenv, which ..." */
} flaw;

/* Names in the regions of TEXT that are not allowed there; in A. What the regions of ORIGINAL (the
 * solution's text, or the lab's own first one; NULL: none) do likewise is allowed. Each thing is
 * named once, at its first line. */
flaw *trust_flaws(const char *text, const char *original, arena *a, size_t *count);

#endif
