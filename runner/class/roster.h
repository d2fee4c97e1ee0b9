/* Reads the roster: the students of a class, from a learning system's CSV file or one written by
 * hand. */
#pragma once

#include "csv.h"

#include <stdint.h>

typedef struct roster_person {
    const char *student;              /* identifier under which results are filed */
    const char *name;                 /* name as people write it; "" if it is not known */
    const char *first, *last, *email; /* first name, last name, email address */
    int64_t submitted; /* time of submission, seconds since 1970; 0: the roster does not say */
    const char **keys; /* words, such as a login, by which the student's files and folders are
                          known */
    size_t key_count;  /* number of words in `keys` */
    bool seen;         /* the student has handed in something */
} roster_person;

typedef struct roster {
    arena memory;          /* holds the students and their strings */
    roster_person *people; /* [count] the students */
    size_t count;          /* number of students */
} roster;

/* Read a roster. Columns are found by name: student (or id, username, login, SIS login ID, ...),
 * name, first name, last name, email, folder, github, submitted. False with a sentence in ERR. */
bool roster_read(roster *r, const char *path, char *err, size_t err_size);
void roster_free(roster *r);

/* The person who owns the file or folder CALLED: one of the person's keys is equal to this name, or
 * to a part of it in the format of a learning system (Moodle's NAME_ID_assignsubmission_file_,
 * Canvas's nameletters_ID_ID_file). NULL: no person or several persons match. */
roster_person *roster_find_by_name(roster *r, const char *called);

/* TEXT reduced to letters and digits in lower case; bytes of other alphabets are kept. In A. */
char *comparable_name(arena *a, const char *text);

/* Parse a time: 2026-11-20 23:59[:59] in the time zone of this machine (TZ), or with Z or an
 * offset, or T instead of the blank; a date alone means its last second. 0: TEXT is not a time. */
int64_t parse_time(const char *text);
/* Format a time as 2026-11-20T23:59:00Z, or "" for 0, into BUF. */
const char *time_to_text(int64_t time, char buf[32]);
