/* Renders the tables of a lesson. */
#pragma once

#include "page.h"

#include <cmark-gfm.h>

/* Render TABLE in aligned columns, at most WIDTH columns of text after FIRST or REST; cells are
 * wrapped where they must be. */
void table_render(page *p, cmark_node *table, size_t width, const char *first, const char *rest);

/* Add the inline text of NODE, a paragraph or a cell. In lesson.c. */
void lesson_add_inline_text(styled *t, cmark_node *node);
