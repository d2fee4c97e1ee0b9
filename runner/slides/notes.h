/* Speaker notes, shown in a second terminal while the slides are shown in the first. */
#ifndef WARPBOOK_NOTES_H
#define WARPBOOK_NOTES_H

#include "../book/page.h"
#include "slides.h"
#include "../judge/desk.h"

/* Write to the notes file that slide AT (from 0) of DECK is shown; DECK NULL: the slides have
 * ended. */
void notes_write_current(const session *d, const slides *deck, size_t at);

/* The notes of slide AT of a chapter's DECK, from its LESSON. */
void notes_make_page(page *p, const slides *deck, size_t at, const char *lesson, size_t width);

/* Print the notes of the current slide whenever the slide changes, until the slides end. */
int notes_run(session *d);

/* The slides of CHAPTERS as JSON, for a hand-out (paper/book --slides): a json_t*. */
void *notes_json(chapter *const *chapters, size_t count);

#endif
