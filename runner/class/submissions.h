/* Collects submissions: for each student the one text to grade, from files, directories with one
 * folder for each student, or archives of learning systems. */
#pragma once

#include "../book/chapter.h"
#include "roster.h"

typedef struct submission {
    const char *student;      /* name from the roster; otherwise the name of the folder or file */
    const roster_person *who; /* the student's entry in the roster; NULL: there is none */
    const char *from;         /* path of the file as shown to people: "class.zip:alice/lab.cu" */
    const char *text;         /* text to be graded; NULL: there is none, and PROBLEM says why */
    size_t length;            /* length of `text` in bytes */
    const char *problem;      /* what is wrong, the end of a sentence that begins with FROM: "is a
                                 link" */
    const char *note;         /* which of several texts was taken, a sentence; or NULL */
    int64_t submitted;        /* time of submission, seconds since 1970; 0: not known */
} submission;

typedef struct submissions {
    arena memory;       /* holds the submissions and their strings */
    submission *list;   /* submissions in the order of the given paths, and by name below each */
    size_t count;       /* number of submissions */
    bool named;         /* one of the paths was a directory or an archive of students, not a file */
    const char **notes; /* sentences for the person who grades */
    size_t note_count;  /* number of notes */
} submissions;

/* Collect the submissions in the files, directories and archives at PATHS, for the lab with the
 * text ORIGINAL. The roster R may be NULL. False with a sentence in ERR: a path cannot be read. */
bool submissions_collect(submissions *h, const char *const *paths, size_t count,
                         const char *original, roster *r, char *err, size_t err_size);
struct upload; /* the files of one submitted archive or directory (upload.h) */
/* Add the submissions in an upload, a whole class's or one student's. Messages call it CALLED. */
void submissions_add_upload(submissions *h, const struct upload *p, const char *called,
                            bool whole_class, const char *original, roster *r);
/* Keep only the text handed in last, for students with several texts. */
void submissions_keep_last(submissions *h);
void submissions_free(submissions *h);

/* Share of ORIGINAL's lines outside its TODO regions that TEXT contains: 0 to 1. */
double likeness_to_original(const char *text, const char *original);
