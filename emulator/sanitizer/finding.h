/* A mistake that was found in host code, and the text of a report, which those of kernels share. */
#ifndef WARPBOOK_SANITIZER_FINDING_H
#define WARPBOOK_SANITIZER_FINDING_H

#include "caller.h"

#include <stddef.h>

enum { SAN_FINDINGS = 20, SAN_FINDING_BYTES = 3000 };

/* One side of a finding: a call of the program, and where it stands. */
typedef struct san_where {
    san_place place;
    const char *call; /* name of the call, such as "cudaMalloc"; NULL: no call, or not known */
    uint64_t number;  /* number of the call */
} san_where;

typedef struct san_finding {
    const char *kind; /* a name in kinds.def */
    san_where at;
    san_where other; /* the other place, and what was done there; other_did NULL: there is no other
                        place */
    const char *other_did;
    char sentence[900]; /* what is wrong; printed after the place and the kind */
    const char
        *mend; /* a sentence, without its full stop, that says what usually corrects the mistake */
    const char *kernel; /* name of the kernel, for WARPBOOK_SUPPRESS; NULL: no kernel */
    unsigned chapter;   /* chapter that teaches this mistake; 0: none does */
} san_finding;

/* Where the call C of the program stands. */
void san_where_of(const san_caller *c, san_where *out);

/* "lab.cu:42", or "call 17, cudaMalloc in main()" where there is no debug information. */
const char *san_where_text(const san_where *w, char *out, size_t size);

/* A place, and what is said of it. */
typedef struct san_note {
    const char *where; /* "lab.cu:42", or what is known instead */
    const char *says;  /* NULL: there is no such note */
    const char *path;  /* the source file; NULL or line 0: not known */
    uint32_t line, column;
} san_note;

/* The pieces of a report's text. */
typedef struct san_words {
    const char
        *kind; /* kind of mistake, printed before what is said of the first place; NULL: nothing */
    san_note at, other;
    const char *after; /* further sentences, each on a line of its own; NULL: none */
    const char *mend;
    unsigned chapter;    /* chapter that teaches this mistake; 0: none does */
    const char *unnamed; /* what to do if the first place is not known; NULL: nothing */
} san_words;

/* Writes the whole text for people, lines separated by newlines: the place, the kind and the
 * sentence; the source line with a caret below it, if the file can be read; the other place in the
 * same way; and how to correct the mistake. */
void san_words_text(const san_words *w, char *out, size_t size);
void san_finding_text(const san_finding *f, char *out, size_t size);

/* Are A and B the same mistake: of the same kind and between the same places? */
bool san_finding_same(const san_finding *a, const san_finding *b);

#endif
