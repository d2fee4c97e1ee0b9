/* Pages: lines of text with a style for each byte, which panes show and scroll. */
#ifndef WARPBOOK_PAGE_H
#define WARPBOOK_PAGE_H

#include "../base/text.h"

#include <stdio.h>

typedef enum style {
    STYLE_NORMAL,
    STYLE_TITLE,
    STYLE_HEADING,
    STYLE_STRONG,
    STYLE_EMPH,
    STYLE_CODE,
    STYLE_DIM,
    STYLE_GOOD,
    STYLE_BAD,
    STYLE_NOTE,   /* something that the reader should look at or do */
    STYLE_TODO,   /* the student's part of a lab */
    STYLE_PICKED, /* what the reader has chosen */
    STYLE_COUNT
} style;

typedef struct page_line {
    const char *s;
    unsigned char *styles; /* style of each byte */
    size_t len;
} page_line;

typedef struct page {
    arena memory;
    page_line *lines;
    size_t count;
} page;

void page_free(page *p);

/* Text whose bytes have styles; zero-initialise. */
typedef struct styled {
    sb text, styles;
} styled;

void styled_add(styled *t, style how, const char *s, size_t len);
void styled_puts(styled *t, style how, const char *s);
void styled_printf(styled *t, style how, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void styled_free(styled *t);

/* Add T as one line; T is empty afterwards. */
void page_push(page *p, styled *t);
/* Add T wrapped to WIDTH columns, the first line after FIRST, the others after REST (styled
 * STYLE_DIM); \n in T breaks a line. T is empty afterwards. */
void page_wrap(page *p, styled *t, size_t width, const char *first, const char *rest);
/* One line in one style. */
void page_line_add(page *p, style how, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void page_blank(page *p);
/* Blank line, unless the last one is blank or there is none. */
void page_gap(page *p);

/* Text from outside as lines: tabs become blanks, escape sequences go, other control characters
 * become '?'. */
void page_text(page *p, style how, const char *text);

/* All lines to F, as a terminal's colours where COLOUR, without UTF-8 where not UTF8. */
void page_print(FILE *f, const page *p, bool colour, bool utf8);

/* The lines of MORE after those of P. */
void page_append(page *p, const page *more);

/* Columns of the widest line. */
size_t page_width(const page *p);

#endif
