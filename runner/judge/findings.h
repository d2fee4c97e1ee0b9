/* Reads the emulator's reports about a run (races, faults, leaks) from the file named by
 * WARPBOOK_REPORTS: one JSON object per line (docs/FORMATS.md). A student's program can
 * write to that file too, so nothing in it is trusted: size, lines and nesting depth are limited,
 * and control characters become '?'. */
#pragma once

#include "../base/text.h"

enum {
    FINDINGS_MAX_COUNT = 20,       /* largest number of different findings that are kept */
    FINDINGS_BYTES = 4 << 20,      /* largest number of bytes of the file that are read */
    FINDINGS_LINE_BYTES = 1 << 14, /* longest line in bytes; twice the emulator's longest line */
    FINDINGS_DEPTH = 8,            /* greatest depth of nested objects and arrays */
};

/* A source location, and what a thread did there. Unknown fields are NULL or 0. */
typedef struct finding_location {
    const char *file, *path; /* file: base name; path: full path as the compiler recorded it */
    int line, column;        /* position in the file, counted from 1 */
    const char *who, *did;   /* which thread accessed memory ("thread 3"), and how ("wrote") */
    const char *source;      /* text of the source line, filled in by findings_quote */
} finding_location;

/* A kind of mistake: a row of mistakes.def. */
typedef struct mistake {
    const char *kind;         /* name of the kind, such as "race" */
    const char *reason, *fix; /* why a lab with it does not pass; how to fix it, or NULL */
    int chapter; /* number of the chapter that teaches how to avoid the mistake; 0: none does */
} mistake;

typedef struct finding {
    const char *kind; /* "race", "fault", "message", ...; never NULL */
    const char *text; /* the report as printed to stderr, lines separated by newlines; never NULL */
    const char *kernel, *sentence; /* kernel's name; report in one sentence; NULL: unknown */
    const char *missing;           /* missing call, such as "__syncthreads()", or NULL */
    const char *fix;               /* how to fix the mistake, or NULL */
    int chapter;                   /* chapter that the report names; 0: the report names none */
    const mistake *mistake_row;    /* row of mistakes.def for the kind; NULL: this is a message or a
                                      note, not a mistake */
    finding_location at, other;
    size_t times;       /* how often the file reports this finding */
    const char *moment; /* what a link to its moment in the page of the run ends with, or NULL */
} finding;

typedef struct findings {
    finding *rows;      /* the different findings in the order of the file */
    size_t count;       /* number of findings */
    const char *damage; /* a sentence that says which part of the file could not be read, or NULL */
} findings;

/* The findings in the file PATH; empty if the file does not exist. Arena A owns all text. */
findings findings_read(arena *a, const char *path);
/* The findings in LEN bytes of a reports file. MORE: the file continues after these bytes. */
findings findings_parse(arena *a, const char *bytes, size_t len, bool more);

/* Fill in the text of the source lines that the findings name: those of the lab, the file
 * SOURCE, from TEXT, its text as it was run, and from headers in the directory COMMON. Lines of
 * other files are not shown, because a report may name any file. */
void findings_quote(arena *a, findings *f, const char *source, const char *text,
                    const char *common);
/* The first finding that is a mistake, or NULL. A leak only if there is no other: it comes first in
 * the file of a judged run, and explains nothing. */
const finding *findings_first_mistake(const findings *f);
/* Whether memory was not freed, the one mistake that makes no result wrong. */
bool finding_is_leak(const finding *f);
/* The reported mistake in one sentence; the report's whole text if it has no such sentence. */
const char *finding_sentence(const finding *f);
/* How the mistake is usually fixed, or NULL. */
const char *finding_fix(arena *a, const finding *f);
