/* The command `step`. */
#ifndef WARPBOOK_STEP_H
#define WARPBOOK_STEP_H

#include "../judge/desk.h"

int cli_step(session *d);

#endif
