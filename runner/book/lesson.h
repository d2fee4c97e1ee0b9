/* Renders lessons: Markdown text as lines that fit a given width. */
#pragma once

#include "page.h"

/* Text shown for a lesson's comments, in their order: a prediction's below its question, the
 * picture's in place of the first plot comment. Others are omitted. May be NULL. */
typedef struct lesson_insertions {
    const char *const
        *predictions; /* [prediction_count] text shown below the question of each predict comment */
    size_t prediction_count; /* number of entries of `predictions` */
    const char *picture;     /* text that is shown in place of the first plot comment */
    /* Markdown text shown after each question of the section `## Check yourself`; NULL: nothing. */
    const char *const *answers; /* [answer_count] text shown below each question */
    size_t answer_count;        /* number of entries of `answers` */
    bool links; /* words of paragraphs that link to the glossary are links of the page */
} lesson_insertions;

/* Render MARKDOWN (CommonMark with GitHub's tables) to page P. Lines of code are not wrapped; prose
 * and tables fit WIDTH columns. The section `## Hints` is omitted: hints are shown one by one. */
void lesson_render(page *p, const char *markdown, size_t width,
                   const lesson_insertions *insertions);

/* MARKDOWN without its lists of figures, and without comments on lines that also hold text. To be
 * freed. lesson_render does this itself. */
char *lesson_without_figures(const char *markdown);

/* Render inline Markdown only (a hint), wrapped to WIDTH; lines of fenced code are not wrapped. */
void lesson_render_hint(page *p, const char *markdown, size_t width);
