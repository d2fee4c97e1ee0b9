/* A place for temporary files of a unit test: below TMPDIR, of which tests/run gives each suite its
 * own. */
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
