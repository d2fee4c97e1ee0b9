/* Pages: lines of text with a style for each byte. Panes of the screen display and scroll them. */
#pragma once

#include "../base/text.h"

#include <stdio.h>

typedef enum style {
    STYLE_NORMAL,    /* plain text */
    STYLE_TITLE,     /* title of a page */
    STYLE_HEADING,   /* heading of a section */
    STYLE_STRONG,    /* strong emphasis */
    STYLE_EMPH,      /* text with emphasis */
    STYLE_CODE,      /* source code */
    STYLE_DIM,       /* less important text, in gray */
    STYLE_GOOD,      /* a passed check, or a better value */
    STYLE_BAD,       /* a failed check, or a worse value */
    STYLE_NOTE,      /* something that the reader should look at or do */
    STYLE_TODO,      /* the student's part of a lab */
    STYLE_PICKED,    /* what the reader has selected */
    STYLE_KEYWORD,   /* code: a keyword or a type of C (syntax.def) */
    STYLE_CUDA,      /* code: a qualifier or a built-in of CUDA (syntax.def) */
    STYLE_LITERAL,   /* code: a number or a text in quotes */
    STYLE_COMMENT,   /* code: a comment */
    STYLE_DIRECTIVE, /* code: a line of the preprocessor */
    STYLE_LINK,      /* a word that links to the glossary */
    STYLE_COUNT      /* number of styles */
} style;

typedef struct page_line {
    const char *s;
    unsigned char *styles; /* style of each byte of the line */
    size_t len;            /* length of the line in bytes */
} page_line;

/* A link in the text of a page. The bytes of STYLE_LINK, blanks omitted, are the texts of its
 * links, one after another. */
typedef struct page_link {
    const char *target; /* what it links to */
    size_t length;      /* bytes of its text without blanks */
} page_link;

typedef struct page {
    arena memory;     /* arena that holds the lines */
    page_line *lines; /* [count] the lines of the page */
    size_t count;     /* number of lines */
    page_link *links; /* [link_count] the links of the page, in their order */
    size_t link_count;
} page;

void page_free(page *p);

/* Text with a style for each byte. Initialize it with zeros. */
typedef struct styled {
    sb text, styles; /* the text; a byte with the style of each of its bytes */
    sb links;        /* the links of the text: a line for each, "length target" */
} styled;

void styled_add(styled *t, style how, const char *s, size_t len);
void styled_puts(styled *t, style how, const char *s);
void styled_printf(styled *t, style how, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Add a text that links to TARGET. */
void styled_add_link(styled *t, const char *s, const char *target);
void styled_free(styled *t);

/* Add T as one line; T is empty afterwards. */
void page_add_line(page *p, styled *t);
/* Add T to the page, wrapped to WIDTH columns; FIRST precedes the first line, REST the others (in
 * STYLE_DIM).
 * in T breaks a line. T is empty afterwards. */
void page_wrap(page *p, styled *t, size_t width, const char *first, const char *rest);
/* Likewise a text in one style. */
void page_wrap_text(page *p, style how, const char *text, size_t width, const char *first,
                    const char *rest);
/* Add one line in one style. */
void page_line_add(page *p, style how, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void page_add_blank_line(page *p);
/* Add a blank line, unless the last line is blank or the page is empty. */
void page_ensure_blank(page *p);

/* Add untrusted text as lines: tabs become blanks, escape sequences are removed, other control
 * characters become '?'. */
void page_add_terminal_text(page *p, style how, const char *text);

/* Write all lines to F. COLOUR: with the terminal's colours. UTF8 false: ASCII text for symbols. */
void page_print(FILE *f, const page *p, bool colour, bool utf8);

/* Append the lines of MORE to P. */
void page_append(page *p, const page *more);

/* The index of the link whose text is at BYTE of LINE, or the first one after it; link_count: there
 * is none. *ON: it is there. */
size_t page_link_from(const page *p, size_t line, size_t byte, bool *on);

/* The lines of P as JSON, for another program to show: an array of lines, each an array of styles
 * and the texts that have them, as [style, text, style, text]. Links are omitted. */
struct json_t *page_json(const page *p);
/* Append the lines in JSON to P. Of what is no such line the rest is omitted. */
void page_add_json(page *p, const struct json_t *lines);

/* Width in columns of the widest line. */
size_t page_width(const page *p);
