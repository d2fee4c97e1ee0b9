/* Paint on the terminal what screens have in common: styles, text that is clipped, lines, boxes. */
#ifndef WARPBOOK_PAINT_H
#define WARPBOOK_PAINT_H

#include "../book/page.h"

#include <curses.h>

/* Take the terminal: keys one by one, no echo, colours unless NO_COLOR is set. endwin() gives it
 * back. */
void paint_begin(void);

/* The attributes of a style. */
chtype paint_look(style how);

/* Text at a place, clipped to COLUMNS; the columns that it took. In a locale without UTF-8 it is
 * written in ASCII. */
int paint_text(int y, int x, chtype how, const char *text, int columns);
/* A line of a page from column SKIP on. */
void paint_line(const page_line *l, int y, int x, int columns, size_t skip);

void paint_fill(int y, int x, int columns, chtype what);
/* Lines across and down, in the style STYLE_DIM. */
void paint_rule(int y, int x, int columns);
void paint_upright(int y, int x, int rows);
/* An empty box with a title. */
void paint_box(int y, int x, int rows, int columns, const char *title);

/* Say that the terminal, COLUMNS by ROWS, is smaller than what NAME needs; ADVICE: what to do
 * then. */
void paint_too_small(const char *name, const char *advice, int columns, int rows, int need_columns,
                     int need_rows);

#endif
