/* Shows chapters as slides on a terminal, for a lecture. */
#pragma once

#include "../judge/desk.h"
#include "slides.h"

/* Put the slides of the chapters that have a lab into DECK, in the order of the option --order.
 * False with a sentence on stderr. */
bool demo_open_slides(slides *deck, session *d, chapter *const *list, size_t count);

/* Show chapters as slides; the solution (or the lab, if there is no solution) runs live. Returns an
 * exit code when the user quits. */
int demo_run(session *d, chapter **list, size_t count);

/* The command `demo`; returns an exit code. */
int cli_demo(session *d);
