/* Paths for temporary files of a unit test, below TMPDIR; tests/run sets a separate TMPDIR for each
 * suite. */
#ifndef TEST_SCRATCH_H
#define TEST_SCRATCH_H

#include <stdio.h>
#include <stdlib.h>

/* A template $TMPDIR/NAME for mkdtemp, mkstemp or mkstemps, which modify it. */
static inline char *scratch_template(const char *name)
{
    static char path[4096];
    const char *tmp = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/%s", tmp && *tmp ? tmp : "/tmp", name);
    return path;
}

#endif
