/* A lesson in slides: one idea each. */
#ifndef WARPBOOK_SLIDES_H
#define WARPBOOK_SLIDES_H

#include "chapter.h"

typedef enum slide_kind {
    SLIDE_TITLE,
    SLIDE_TEXT,
    SLIDE_LIVE,    /* the lab runs here */
    SLIDE_PICTURE, /* picture number `picture` of the chapter */
} slide_kind;

typedef struct slide {
    slide_kind kind;
    chapter *c;
    const char *section;  /* "The idea", or NULL */
    const char *markdown; /* of SLIDE_TEXT */
    size_t picture;
} slide;

typedef struct slides {
    arena memory;
    slide *list;
    size_t count;
} slides;

/* Add the slides of a chapter whose lesson is MARKDOWN (NULL: there is none). A slide is a
 * paragraph with the drawing, list or table that goes with it; hints are left out. The run stands
 * after `Your task`, the pictures after `What to look at`; without these sections at the end. */
void slides_add(slides *s, chapter *c, const char *markdown);
void slides_free(slides *s);

#endif
