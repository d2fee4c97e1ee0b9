/* What a class handed in: of each student the one text that is graded, out of files, directories
 * with a folder a student, and archives of learning systems. */
#ifndef WARPBOOK_HANDIN_H
#define WARPBOOK_HANDIN_H

#include "../book/chapter.h"
#include "roster.h"

typedef struct handin {
    const char *student; /* name from the roster; otherwise the name of the folder or file */
    const person
        *who; /* entry of the roster; NULL: the student is not in it, or there is no roster */
    const char *from; /* where the file lies, for people: "class.zip:alice/lab.cu" */
    const char *text; /* text to be graded; NULL: there is none, and PROBLEM says why */
    size_t length;
    const char *problem; /* what is wrong, continuing the sentence that FROM begins: "is a link" */
    int64_t submitted;   /* seconds since 1970; 0: not known */
} handin;

typedef struct handins {
    arena memory;
    handin *list; /* submissions in the order of the given paths, and by name below each */
    size_t count;
    bool named;         /* one of the paths was a directory or an archive of students, not a file */
    const char **notes; /* sentences for the person who grades */
    size_t note_count;
} handins;

/* Collect what lies at PATHS for the lab whose text is ORIGINAL. R may be NULL. False with a
 * sentence in ERR: a path cannot be read at all. */
bool handins_collect(handins *h, const char *const *paths, size_t count, const char *original,
                     roster *r, char *err, size_t err_size);
/* Read one pile of files, of the file or directory CALLED, as it was handed in; for tests. */
struct pile;
void handins_sort(handins *h, const struct pile *p, const char *called, bool whole_class,
                  const char *original, roster *r);
/* Keep only the text handed in last, for students with several texts. */
void handins_last(handins *h);
void handins_free(handins *h);

/* How much of the text ORIGINAL outside its TODO regions TEXT has: 0 to 1. */
double handin_likeness(const char *text, const char *original);

#endif
