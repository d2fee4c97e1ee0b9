/* Drawing functions shared by all screens: styles, clipped text, lines, boxes. */
#pragma once

#include "../book/page.h"

#include <curses.h>

/* Set up the terminal with curses: keys without line buffering or echo, colours unless NO_COLOR is
 * set. endwin() restores the terminal. */
void paint_init(void);

/* The curses attributes of a style. */
chtype paint_attributes(style how);

/* The message that a screen shows; TEXT is owned, NULL: there is none. */
typedef struct screen_message {
    char *text;
    style how;
} screen_message;

void message_set(screen_message *m, style how, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Draw text at row Y and column X, clipped to COLUMNS; return its width in columns. In a locale
 * without UTF-8 the text is drawn in ASCII. */
int paint_text(int y, int x, chtype how, const char *text, int columns);
/* Draw a line of a page, starting at its column SKIP. */
void paint_line(const page_line *l, int y, int x, int columns, size_t skip);

void paint_fill(int y, int x, int columns, chtype what);
/* Draw a horizontal or a vertical line in the style STYLE_DIM. */
void paint_horizontal_line(int y, int x, int columns);
void paint_vertical_line(int y, int x, int rows);
/* Draw an empty box with a title. */
void paint_box(int y, int x, int rows, int columns, const char *title);

/* Say that the terminal, COLUMNS by ROWS, is too small for program NAME; ADVICE says what to do. */
void paint_too_small(const char *name, const char *advice, int columns, int rows, int need_columns,
                     int need_rows);
