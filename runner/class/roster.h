/* The roster: who is in the class, as a CSV file of the learning system or of one's own. */
#ifndef WARPBOOK_ROSTER_H
#define WARPBOOK_ROSTER_H

#include "csv.h"

#include <stdint.h>

typedef struct person {
    const char *student; /* identifier under which results are filed */
    const char *name;    /* name as people write it; "" if it is not known */
    const char *first, *last, *email;
    int64_t submitted; /* seconds since 1970; 0: the roster does not say */
    const char **keys; /* words with which names of files and folders are compared */
    size_t key_count;
    bool seen; /* the student has handed in something */
} person;

typedef struct roster {
    arena memory;
    person *people;
    size_t count;
} roster;

/* The columns are found by their names: student (or id, username, login, SIS login ID, ...), name,
 * first name, last name, email, folder, github, submitted. False with a sentence in ERR. */
bool roster_read(roster *r, const char *path, char *err, size_t err_size);
void roster_free(roster *r);

/* Whose the file or folder CALLED is: one of the keys is that name, or is a part of it as learning
 * systems write it (Moodle's NAME_ID_assignsubmission_file_, Canvas's nameletters_ID_ID_file).
 * NULL: nobody's, or that of more than one. */
person *roster_find(roster *r, const char *called);
person *roster_student(roster *r, const char *student);

/* A time as 2026-11-20 23:59[:59] (of this machine's time zone, TZ), or with Z or an offset after
 * it, T in place of the blank, or a date alone (its last second). 0: it is none. */
int64_t time_parse(const char *text);
/* As 2026-11-20T23:59:00Z, "" for 0. Into BUF. */
const char *time_words(int64_t time, char buf[32]);

#endif
