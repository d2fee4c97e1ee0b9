/* A run that was looked at for its memory accesses (look.h), with the text that ran: what `warpbook
 * plot --access` and `--heat`, and the screen's key `a`, draw. */
#ifndef WARPBOOK_SEEN_H
#define WARPBOOK_SEEN_H

#include "heat.h"
#include "look.h"

typedef struct seen_run {
    target t;
    look files;
    requests r;
    char *source;
    const char *file;  /* the source's name in the table */
    const char *title; /* title above its picture, if two are side by side */
    bool hides;        /* hide the code that the student is to write, as in a lesson */
} seen_run;

/* Read what the run left in S->files. False with a sentence in ERR. */
bool seen_read(seen_run *s, char *err, size_t err_size);
void seen_free(seen_run *s);

/* The name of what KERNEL accesses, as the source says it: "in" for "argument 2". NULL: unknown. */
const char *seen_memory(seen_run *s, const char *kernel, const char *memory);
/* The text of R's line, or the TODO region that hides it. */
const char *seen_line(seen_run *s, const request *r);

/* Add the card of R in CARD_WIDE columns or CARD_NARROW. */
void seen_card(page *p, seen_run *s, const request *r, size_t columns);
/* Whether KERNEL is one of the source, and the one named ONLY where that is not NULL. */
bool seen_kernel(const seen_run *s, const char *kernel, const char *only);
/* Add the maps of the kernels of the source, or of the one named ONLY, each with what its lines
 * spend. */
void seen_heat(page *p, seen_run *s, const heat *h, const char *only, size_t width);

#endif
