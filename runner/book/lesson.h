/* Lessons: Markdown as lines that fit a width. */
#ifndef WARPBOOK_LESSON_H
#define WARPBOOK_LESSON_H

#include "page.h"

/* What is shown in place of a lesson's predict and plot comments, in their order; a missing one is
 * left out. May be NULL. */
typedef struct lesson_marks {
    const char *const *predictions;
    size_t prediction_count;
    const char *picture; /* text that is shown in place of each plot comment */
    /* What follows each question of the section `## Check yourself`, as Markdown; NULL: nothing. */
    const char *const *answers;
    size_t answer_count;
} lesson_marks;

/* Render MARKDOWN (CommonMark, and GitHub's tables) onto P. Code keeps its lines, however wide;
 * prose and tables fit WIDTH columns. Hints (the section `## Hints`) are left out: they come one by
 * one. */
void lesson_render(page *p, const char *markdown, size_t width, const lesson_marks *marks);

/* MARKDOWN without its lists of figures, and without comments on lines that hold text too. To be
 * freed. Renderers do this themselves. */
char *lesson_without_figures(const char *markdown);

/* Inline Markdown alone (a hint), wrapped; fenced code inside keeps its lines. */
void lesson_fragment(page *p, const char *markdown, size_t width);

#endif
