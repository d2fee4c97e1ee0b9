/* The directory of a class's results:
 *
 *     STUDENT/LAB.json    the verdict on the last submission; written at once, by rename
 *     similar-LAB.json    which submissions are alike
 *     overrides.csv       the marker's (marks.h)
 *     late.csv            the late policy (marks.h)
 *     .seed               the inputs of all checks come from it; secret
 *     .cache/             verdicts by content
 *     .lock               held by the one who grades
 *
 * LAB.json has "student", "lab", "submission" (from, submitted, bytes), "graded" (when), "verdict",
 * "points" (null: none are given), "of", "summary", and "result", which is what `grade --json`
 * prints. */
#ifndef WARPBOOK_RESULTS_H
#define WARPBOOK_RESULTS_H

#include "../base/house.h"
#include "../book/chapter.h"

#include <jansson.h>
#include <stdint.h>

typedef struct results {
    arena memory;
    const char *dir;
    uint64_t seed;
    int lock; /* descriptor of the lock file; negative: the lock is not held */
} results;

/* Open DIR for grading: made where it is not there, with the seed SEED, or for 0 the one that it
 * has, or a new one. One process at a time. False with a sentence in ERR. */
bool results_open(results *r, const char *dir, uint64_t seed, char *err, size_t err_size);
/* Open DIR to read marks; SEED is 0. */
bool results_look(results *r, const char *dir, char *err, size_t err_size);
void results_close(results *r);

/* "labs-01-sum": a chapter's name in names of files; in A. */
char *results_lab(arena *a, const char *chapter_name);
/* The result of STUDENT in LAB (of results_lab); NULL: there is none that can be read. */
json_t *results_get(results *r, const char *student, const char *lab);
/* False with errno. A result that is there already, but for the time of "graded", is left alone. */
bool results_put(results *r, const char *student, const char *lab, json_t *result);

/* What was found for the same content: the value that results_remember was given, or NULL. Equal
 * hashes are not enough, CONTENT itself is compared. */
json_t *results_recall(results *r, const char *content);
bool results_remember(results *r, const char *content, json_t *value);

/* The report on similar submissions of LAB, DIR/similar-LAB.json (similar/similar.h): NULL, there
 * is none. False with errno. */
json_t *results_get_similar(results *r, const char *lab);
bool results_put_similar(results *r, const char *lab, json_t *report);

/* All results of LAB (NULL: of all labs), by student and lab: an array of what the files hold. */
json_t *results_all(results *r, const char *lab);

#endif
