/* Shortens a lesson's paragraphs to the points of a slide. */
#pragma once

#include <stdbool.h>

/* The point that the paragraph TEXT (Markdown) makes, in one line: its first sentence, and the next
 * one too if the first is a question or very short. INTRODUCES: also its last sentence, which leads
 * to the drawing below it. To be freed. */
char *point_of_paragraph(const char *text, bool introduces);

/* The words in bold with which the paragraph *TEXT begins, without their full stop; to be freed.
 * *TEXT moves behind them if they are no part of the sentence. NULL: it begins otherwise. */
char *run_in_heading(const char **text);

/* The first of TEXT's words in italics, or the first that links to the glossary, with a large
 * letter; to be freed. NULL: there is none. */
char *first_term(const char *text);

/* TEXT without the paths of the project's own tests, which say where from. To be freed. */
char *text_without_test_paths(const char *text);
