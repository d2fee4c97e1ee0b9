/* Building a lab and waiting for it, for commands that do one thing after another. */
#ifndef WARPBOOK_BUILD_NOW_H
#define WARPBOOK_BUILD_NOW_H

#include "build.h"

/* Wait for the stage's end; false where a signal came. */
bool stage_await(stage *g);

/* The program is there and current; else it is built. False with a sentence in ERR; the compiler's
 * message goes to stderr. *LACKS: the machine lacks what it takes. */
bool build_now(house *h, const target *t, bool *lacks, char *err, size_t err_size);

#endif
