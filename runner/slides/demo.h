/* Shows chapters as slides on a terminal, for a lecture. */
#ifndef WARPBOOK_DEMO_H
#define WARPBOOK_DEMO_H

#include "../judge/desk.h"

/* Show chapters as slides; the solution (or the lab, if there is no solution) runs live. Returns an
 * exit code when the user quits. */
int demo_run(session *d, chapter **list, size_t count);

/* The command `demo`; returns an exit code. */
int cli_demo(session *d);

#endif
