/* A scanner for PTX statements in module scope: where each begins and ends, and what it declares
 * (PTX ISA 4.2, 5.4, 11). For the linker; only the parser checks the contents. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ptx_slice {
    const char *at; /* first character of the slice, in the PTX text */
    size_t length;  /* number of characters */
} ptx_slice;

/* Read the next word, bracket or sign at or after *P; comments and strings are skipped. Length
 * 0: end of the text. A word consists of letters, digits and _ $ . % */
ptx_slice ptx_next_word(const char **p);

bool ptx_slice_equals(ptx_slice w, const char *text);

typedef enum ptx_statement_kind {
    PTX_STATEMENT_OTHER,    /* another statement: .section, .alias, .pragma */
    PTX_STATEMENT_HEADER,   /* a statement of the header: .version, .target, .address_size */
    PTX_STATEMENT_FILE,     /* .file */
    PTX_STATEMENT_VARIABLE, /* declares a variable: fields name, space, size */
    PTX_STATEMENT_FUNCTION  /* declares a function (.func or .entry): field name */
} ptx_statement_kind;

typedef struct ptx_statement {
    ptx_statement_kind kind; /* what the statement is */
    const char *start, *end; /* first character of the statement; end of the statement */
    ptx_slice name;          /* name that the statement declares; length 0: none */
    ptx_slice linking;       /* .extern, .visible, .weak or .common; length 0: it is local */
    ptx_slice space;         /* state space of a variable: .global and so on */
    const char *head;        /* where the declaration ends: at the body, the first value or the ; */
    uint64_t size;           /* size of a variable in bytes; 0: no size given, as in x[] */
    bool is_entry, body;     /* the function is a kernel; the function has a body */
    unsigned number;         /* number of a .file statement */
} ptx_statement;

/* Read the statement at *P and move *P after it. False: end of the text. Ends on any input. */
bool ptx_next_statement(const char **p, ptx_statement *s);
