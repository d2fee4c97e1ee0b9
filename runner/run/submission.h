/* Reads a submission: checks its text, and writes the text to compile. */
#pragma once

#include "../base/installation.h"
#include "../judge/verdict.h"

/* Paths of the copies of a submission under build/graded, a directory without other headers. In the
 * installation's arena. */
typedef struct submission_copies {
    const char *text;  /* text as handed in, with \n at the end of lines; messages quote it */
    const char *graft; /* the text that is compiled (graft.h) */
} submission_copies;

/* Take the submission TEXT (LENGTH bytes and a NUL), shown to people as FILE. False: it must not
 * run, and V says why. Fills `path`, `ignored` and `flaws` of V. */
bool submission_read(installation *h, const chapter *c, const char *file, const char *text,
                     size_t length, verdict *v, submission_copies *out);
