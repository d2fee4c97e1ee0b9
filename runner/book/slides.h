/* A lesson in slides: one idea each. */
#ifndef WARPBOOK_SLIDES_H
#define WARPBOOK_SLIDES_H

#include "chapter.h"

typedef enum slide_kind {
    SLIDE_TITLE,
    SLIDE_TEXT,
    SLIDE_VOTE,    /* a prediction that the class votes on; it has text too */
    SLIDE_CODE,    /* a TODO region of the lab, and the function around it */
    SLIDE_ANSWER,  /* the same region of the solution */
    SLIDE_LIVE,    /* a slide on which the lab runs */
    SLIDE_PICTURE, /* picture number `picture` of the chapter */
} slide_kind;

typedef struct slide {
    slide_kind kind;
    chapter *c;
    const char *section;  /* heading of the section, such as "The idea", or NULL */
    const char *markdown; /* text of SLIDE_TEXT and SLIDE_VOTE */
    size_t picture;
    size_t prediction; /* SLIDE_VOTE: index of the prediction in the chapter */
    int todo;          /* SLIDE_CODE and SLIDE_ANSWER: number of the TODO region */
} slide;

typedef struct slides {
    arena memory;
    slide *list;
    size_t count;
} slides;

/* Add the slides of a chapter whose lesson is MARKDOWN (NULL: there is none). A slide is a
 * paragraph with the drawing, list or table that goes with it; hints are left out. The code,
 * TODO by TODO, and the run stand after `Your task`, the pictures after `What to look at`; without
 * these sections at the end. */
void slides_add(slides *s, chapter *c, const char *markdown);
void slides_free(slides *s);

#endif
