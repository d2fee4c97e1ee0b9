/* A place for a unit test's files: below TMPDIR, as tests/run gives every suite one of its own. */
#ifndef TEST_SCRATCH_H
#define TEST_SCRATCH_H

#include <stdio.h>
#include <stdlib.h>

/* A template for mkdtemp, mkstemp or mkstemps, to be changed by it: $TMPDIR/NAME. */
static inline char *scratch_template(const char *name)
{
    static char path[4096];
    const char *tmp = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/%s", tmp && *tmp ? tmp : "/tmp", name);
    return path;
}

#endif
