/* PTX text at module scope, seen from afar: words, and where statements begin, end and what they
 * declare (PTX ISA 4.2, 5.4, 11). For joining texts; the parser judges what they say. */
#ifndef WARPBOOK_PTX_STATEMENTS_H
#define WARPBOOK_PTX_STATEMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ptx_slice {
    const char *at; /* in the text */
    size_t length;
} ptx_slice;

/* The next word, bracket or sign from *P on, comments and strings left out; length 0 at the end of
 * the text. A word holds letters, digits and _ $ . % */
ptx_slice ptx_next_word(const char **p);

bool ptx_slice_is(ptx_slice w, const char *text);

typedef enum ptx_statement_kind {
    PTX_STATEMENT_OTHER,    /* .section, .alias, .pragma */
    PTX_STATEMENT_HEADER,   /* .version, .target, .address_size */
    PTX_STATEMENT_FILE,     /* .file */
    PTX_STATEMENT_VARIABLE, /* name, space, size */
    PTX_STATEMENT_FUNCTION  /* .func or .entry: name */
} ptx_statement_kind;

typedef struct ptx_statement {
    ptx_statement_kind kind;
    const char *start, *end;
    ptx_slice name;      /* length 0: it declares nothing */
    ptx_slice linking;   /* .extern, .visible, .weak or .common; length 0: the text's own */
    ptx_slice space;     /* of a variable: .global ... */
    const char *head;    /* end of what declares: before the body, the first value or the ; */
    uint64_t size;       /* of a variable, bytes; 0: left open */
    bool is_entry, body; /* of a function */
    unsigned number;     /* of .file */
} ptx_statement;

/* Read the statement at *P; false at the end of the text. Ends on any text. */
bool ptx_next_statement(const char **p, ptx_statement *s);

#endif
