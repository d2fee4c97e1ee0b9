/* Letters of several rows of blocks, for headings and figures to be read from the last row. */
#pragma once

#include "../book/page.h"

/* Rows that large letters take. */
enum { LARGE_ROWS = 4 }; /* rows of the terminal that a large letter takes */

/* The least width of TEXT in large letters, in columns; 0: it has a character that they lack. */
size_t large_text_width(const char *text);
/* Append TEXT to P in large letters, LARGE_ROWS lines; the letters are twice as wide where COLUMNS
 * suffice for that. False, with nothing appended: the text is wider than COLUMNS, or has a
 * character that large letters lack. */
bool add_large_text(page *p, style how, const char *text, size_t columns);
