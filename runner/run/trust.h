/* Checks that a lab's text can be graded: its checks, its times and its record must be the book's
 * own. That holds if the text outside the TODO regions is unchanged (pristine.h), and if no region
 * affects code outside itself: by a macro, by an unclosed bracket or comment, or by the name of
 * something that the checks, the record or the run's environment use. This is a guard against an
 * easy forgery, not a proof: an instructor should read the regions too. */
#pragma once

#include "../base/text.h"

typedef struct flaw {
    int line;             /* number of the line with the name, from 1 */
    const char *what;     /* the name that was found, such as "getenv" */
    const char *sentence; /* the sentence about it: "uses getenv, which ..." */
    bool device; /* it is assembly in the body of a kernel, which is not compiled for the host */
} flaw;

/* Names in the regions of TEXT that are not allowed there; in A. A name is allowed if the regions
 * of ORIGINAL (the solution's text, or the lab's original text; NULL: none) use it too. Each name
 * is reported once, at its first line. */
flaw *find_forbidden_names(const char *text, const char *original, arena *a, size_t *count);
