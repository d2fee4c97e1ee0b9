/* Speaker notes: what the lecturer reads in a second terminal while slides are shown in the first.
 */
#ifndef WARPBOOK_NOTES_H
#define WARPBOOK_NOTES_H

#include "../book/page.h"
#include "../book/slides.h"
#include "../judge/desk.h"

/* Say which slide is shown, AT (from 0) of DECK; NULL: none any more. */
void notes_tell(const desk *d, const slides *deck, size_t at);

/* The notes of slide AT of a chapter's DECK, from its LESSON. */
void notes_page(page *p, const slides *deck, size_t at, const char *lesson, size_t width);

/* Print the notes of the slide that is shown, each time that another is; to the slides' end. */
int notes_run(desk *d);

/* The slides of CHAPTERS as JSON, for a hand-out (paper/book --slides): a json_t*. */
void *notes_json(chapter *const *chapters, size_t count);

#endif
