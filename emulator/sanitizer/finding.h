/* An error that the sanitizer found in host code, and the text of a report (also of kernels). */
#pragma once

#include "../core/chapters.h"
#include "caller.h"

#include <stddef.h>

enum {
    SAN_MAX_FINDINGS = 20, /* most errors that are reported, unless the user sets another number */
    SAN_FINDING_BYTES = 3000, /* size of the buffer for the text of a report */
    SAN_ADVICE_BYTES = 600    /* size of the buffer for a piece of advice */
};

/* One of the two calls that a finding names, and its source position. */
typedef struct san_call_position {
    san_host_position place; /* position in the source */
    const char *call; /* name of the API call, such as "cudaMalloc"; NULL: no call, or not known */
    uint64_t number;  /* number of the API call among the program's calls; 0: not known */
} san_call_position;

typedef struct san_finding {
    const char *kind; /* kind of error: a name in kinds.def, such as "host" */
    san_call_position at;
    san_call_position other; /* the other API call; valid if other_did is not NULL */
    const char *other_did;   /* what the other API call did; NULL: there is no other call */
    char sentence[900];      /* what is wrong; printed after the position and the kind */
    const char *fix;    /* how the error is usually corrected: without capital and full stop, which
                         * san_advice_text adds */
    const char *kernel; /* name of the kernel, for WARPBOOK_SUPPRESS; NULL: no kernel */
    uint64_t address;   /* address that host code accessed; 0: none */
    unsigned chapter;   /* chapter of the workbook that teaches this error; 0: no chapter */
} san_finding;

/* Fill OUT with the position of API call C. */
void san_call_position_of(const san_caller *c, san_call_position *out);

/* The position of W as text: "lab.cu:42", or "call 17, cudaMalloc in main()" without debug data. */
const char *san_call_position_text(const san_call_position *w, char *out, size_t size);

/* A source position, and what the report says about it. */
typedef struct san_note {
    const char *where;     /* the position as text: "lab.cu:42", or the function */
    const char *phrase;    /* what the report says about the position; NULL: no such note */
    const char *path;      /* the source file; NULL or line 0: not known */
    uint32_t line, column; /* position in the source file, from 1; 0: not known */
} san_note;

/* The parts of a report's text. */
typedef struct san_report_parts {
    const char
        *kind; /* kind of error, printed before the note on the first position; NULL: not printed */
    san_note at, other;
    const char *after; /* further sentences, each on its own line; NULL: none */
    const char *fix;
    unsigned chapter;    /* chapter of the workbook that teaches this error; 0: no chapter */
    const char *unnamed; /* advice that is printed if the source line of the first position is
                          * not known; NULL: none */
} san_report_parts;

/* Advice MEND as reports print it: a capital first and a full stop last. Returns OUT, or NULL if
 * there is no advice. */
const char *san_advice_text(const char *fix, char *out, size_t size);

/* Write the whole report for people, lines separated by newlines: the position, the kind and the
 * sentence; the source line with a caret below it, if the file can be read; the other position
 * in the same way; and how to correct the error. */
void san_compose_report(const san_report_parts *w, char *out, size_t size);
void san_finding_text(const san_finding *f, char *out, size_t size);

/* Are A and B the same error: of the same kind and at the same positions? */
bool san_is_same_finding(const san_finding *a, const san_finding *b);
