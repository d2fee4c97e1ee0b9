/* Splits a lesson into slides: points and pictures. */
#pragma once

#include "../book/chapter.h"

typedef enum slide_kind {
    SLIDE_TITLE,    /* the title of a chapter */
    SLIDE_TEXT,     /* points of the lesson, or a drawing */
    SLIDE_VOTE,     /* a prediction that the class votes on; it has text too */
    SLIDE_CODE,     /* a TODO region of the lab, and the function around it */
    SLIDE_ANSWER,   /* the code of a TODO region in the solution */
    SLIDE_LIVE,     /* a slide on which the lab runs */
    SLIDE_ACCESS,   /* a picture of how lanes access memory, which is a code block of the lesson */
    SLIDE_PICTURE,  /* a plot of measurements; `picture` is its index in the chapter */
    SLIDE_DEBUGGER, /* a run in the debugger, command by command */
} slide_kind;

typedef struct slide {
    slide_kind kind; /* what the slide shows */
    chapter *c;
    size_t number;             /* index of the slide among those of its chapter */
    const char *section;       /* heading of the section, such as "The idea", or NULL */
    const char *heading;       /* heading of SLIDE_TEXT: no two in a row have the same */
    const char *markdown;      /* text of SLIDE_TEXT, SLIDE_VOTE, SLIDE_ACCESS and SLIDE_DEBUGGER */
    const char *notes;         /* SLIDE_TEXT: the lesson's paragraphs, for the speaker */
    size_t picture;            /* SLIDE_PICTURE: index of the picture in the chapter */
    size_t prediction;         /* SLIDE_VOTE: index of the prediction in the chapter */
    int todo;                  /* SLIDE_CODE and SLIDE_ANSWER: number of the TODO region */
    const char *commands_path; /* SLIDE_DEBUGGER: file for `warpbook step --commands` */
    bool of_solution;          /* SLIDE_DEBUGGER: the debugger runs the solution; else the lab */
} slide;

typedef struct slides {
    arena memory; /* arena that holds the slides */
    slide *list;  /* [count] the slides, in order */
    size_t count; /* number of slides */
} slides;

/* Add the slides of a chapter whose lesson is MARKDOWN (NULL: no lesson). A slide holds the
 * points that a few paragraphs make, or one with the drawing, list or table that belongs to it;
 * the paragraphs are its notes, and hints are omitted. Slides with the code of
 * each TODO and with the run follow the section `Your task`; pictures, and the debugger commands
 * in tests/book/walks for the chapter, follow `What to look at`. If such a section is missing, its
 * slides come at the end. */
void slides_add(slides *s, chapter *c, const char *markdown);
void slides_free(slides *s);
