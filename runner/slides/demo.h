/* Chapters on a projector. */
#ifndef WARPBOOK_DEMO_H
#define WARPBOOK_DEMO_H

#include "../judge/desk.h"

/* Show chapters as slides on the terminal, step by step; the solution (where there is none, the
 * lab) runs live. Until somebody quits; an exit code. */
int demo_run(desk *d, chapter **list, size_t count);

#endif
