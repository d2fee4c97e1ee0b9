/* What the emulator reported of a run: the file of WARPBOOK_REPORTS, one JSON object a line
 * (CONTRIBUTING.md, "Reports"). Programs of students can write to that file too, so that nothing
 * in it is trusted: size, lines and nesting are bounded, control characters become '?'. */
#ifndef WARPBOOK_FINDINGS_H
#define WARPBOOK_FINDINGS_H

#include "../base/text.h"

enum {
    FINDINGS_MOST = 20,            /* most different findings that are kept */
    FINDINGS_BYTES = 4 << 20,      /* most bytes of the file that are read */
    FINDINGS_LINE_BYTES = 1 << 14, /* most bytes of a line; the emulator's longest has half of it */
    FINDINGS_DEPTH = 8,            /* greatest depth of nested objects and arrays */
};

/* A place in the source, and what a thread did there. NULL and 0 where it is not known. */
typedef struct finding_place {
    const char *file, *path; /* without directories; as the compiler noted it */
    int line, column;        /* from 1 */
    const char *who, *did;   /* who accessed it, "thread 3", and what was done, "wrote" */
    const char *source;      /* text of the source line: findings_quote */
} finding_place;

/* A row of mistakes.def. */
typedef struct mistake {
    const char *kind, *reason, *mend; /* mend: may be NULL */
    int chapter;                      /* chapter that teaches the mistake; 0: none does */
} mistake;

typedef struct finding {
    const char *kind; /* "race", "fault", "message", ...; never NULL */
    const char *text; /* what stderr has, its lines separated by newlines; never NULL */
    const char *kernel, *sentence, *missing, *mend;
    int chapter;          /* chapter that the report names; 0: it names none */
    const mistake *means; /* the kind of mistake; NULL: a message or a note, which is no mistake */
    finding_place at, other;
    size_t times; /* number of lines of the file that report it */
} finding;

typedef struct findings {
    finding *rows; /* the different findings in the order of the file */
    size_t count;
    const char *damage; /* a sentence on what could not be read, or NULL */
} findings;

/* What PATH holds; nothing where there is no such file. All text lives in A. */
findings findings_read(arena *a, const char *path);
/* The same of LEN bytes of text, of which there were MORE that were not read. */
findings findings_parse(arena *a, const char *bytes, size_t len, bool more);

/* Look up the lines that places name: in SOURCE, the lab's own text, and in headers of the folder
 * COMMON. Lines of other files are not shown, as a report may name any file. */
void findings_quote(arena *a, findings *f, const char *source, const char *common);
/* The first that is a mistake, or NULL. */
const finding *findings_mistake(const findings *f);
/* In one sentence: its own, or its text. */
const char *finding_sentence(const finding *f);
/* What usually mends it, or NULL. */
const char *finding_mend(arena *a, const finding *f);

#endif
