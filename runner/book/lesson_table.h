/* GitHub's tables, which CommonMark has as paragraphs. */
#ifndef WARPBOOK_LESSON_TABLE_H
#define WARPBOOK_LESSON_TABLE_H

#include "page.h"

#include <stdint.h>

/* Offset of the header row of a table in a paragraph's SOURCE; SIZE_MAX: there is none. */
size_t table_begins(const char *source);

/* Render the table that SOURCE is, in aligned columns; cells are wrapped where they must be. */
void table_render(page *p, const char *source, size_t width, const char *first, const char *rest);

/* Inline Markdown, in lesson.c. */
void lesson_inline(styled *t, const char *markdown);

#endif
