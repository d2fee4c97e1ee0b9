/* Speaker notes, shown in a second terminal while the slides are shown in the first. */
#pragma once

#include "../judge/desk.h"
#include "slides.h"

/* Write to the notes file that slide AT (from 0) of DECK is shown; DECK NULL: they have ended. */
void notes_write_current(const session *d, const slides *deck, size_t at);

/* Print the notes of the current slide whenever the slide changes, until the slides end. */
int notes_run(session *d);

/* The slides as JSON, for a hand-out (paper/book): a json_t*. */
void *notes_json(const slides *deck);
