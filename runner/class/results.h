/* The directory of a class's results:
 *
 *     STUDENT/LAB.json    the verdict on the last submission; replaced atomically, by rename
 *     STUDENT/LAB.run.html the run as a page, if a mistake was reported
 *     similar-LAB.json    report on similar submissions
 *     overrides.csv       changes to marks, written by the marker (marks.h)
 *     late.csv            the late policy (marks.h)
 *     nicknames.csv       who is on the scoreboard (marks.h)
 *     .seed               secret seed of the inputs of all checks
 *     .cache/             verdicts, found by the content of a submission
 *     .lock               locked by the process that grades
 *
 * A verdict in .cache/ has the page of its run, too. LAB.json has "student", "lab", "submission"
 * (from, submitted, bytes), "graded" (when), "verdict", "points" (null: none are given), "of"
 * (points possible), "summary", and "result" (the output of `grade --json`). */
#pragma once

#include "../base/installation.h"
#include "../book/chapter.h"

#include <jansson.h>
#include <stdint.h>

typedef struct results {
    arena memory;    /* holds the paths of result files */
    const char *dir; /* path of the directory with the results of a class */
    uint64_t seed;   /* seed of the labs' inputs */
    int lock;        /* descriptor of the lock file; negative: the lock is not held */
} results;

/* Open DIR for grading; it is created if it does not exist. SEED: the seed to use; 0: the stored
 * one, or a new one. Only one process can grade at a time. False with a sentence in ERR. */
bool results_open(results *r, const char *dir, uint64_t seed, char *err, size_t err_size);
/* Open DIR only to read marks; the seed is 0 then. */
bool results_open_for_reading(results *r, const char *dir, char *err, size_t err_size);
void results_close(results *r);

/* A chapter's name in the form used for file names, such as "labs-01-sum"; in A. */
char *results_lab_name(arena *a, const char *chapter_name);
/* The stored result of STUDENT in LAB (as named by results_lab_name); NULL: there is none, or it
 * cannot be read. */
json_t *results_read_one(results *r, const char *student, const char *lab);
/* The number that OBJECT, a part of a result, has as NAME; NAN: none. */
double results_number(json_t *object, const char *name);
/* Store a result. A stored result that is equal except for the time "graded" is not rewritten.
 * False with errno: it failed. */
bool results_write_one(results *r, const char *student, const char *lab, json_t *result);

/* Path of the page of the run in which a mistake of STUDENT's submission to LAB was found, below
 * the directory DIR; in A. */
char *results_page_path(arena *a, const char *dir, const char *student, const char *lab);
/* Store that page; NULL: remove an earlier one. False with errno: it failed. */
bool results_write_page(results *r, const char *student, const char *lab, const char *page);

/* The value that results_write_cached stored for CONTENT; NULL: there is none. The whole CONTENT is
 * compared, not only its hash. */
json_t *results_read_cached(results *r, const char *content);
bool results_write_cached(results *r, const char *content, json_t *value);

/* Read and write the report on similar submissions of LAB, DIR/similar-LAB.json
 * (similar/similar.h). NULL: there is no report. False with errno: writing failed. */
json_t *results_read_similarity(results *r, const char *lab);
bool results_write_similarity(results *r, const char *lab, json_t *report);

/* All results of LAB (NULL: of all labs), sorted by student and lab: an array of the contents of
 * the result files. */
json_t *results_read_all(results *r, const char *lab);
