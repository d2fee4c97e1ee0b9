/* Compares submissions with Debian's similarity-tester (sim_c). The result is a report for the
 * instructor and does not change a mark. Only the text of the TODO regions is compared, without
 * lines that the original lab has there. sim_c reads untrusted files, so it runs in a sandbox. */
#pragma once

#include "../book/chapter.h"
#include "../class/submissions.h"

#include <jansson.h>

/* Default of the smallest percentage at which a pair is reported. */
#define SIMILAR_DEFAULT_PERCENT 60 /* percent of a text that another text has too */

typedef struct similar_pair {
    size_t a, b; /* indices of the two submissions in the list of all submissions, a < b */
    int a_in_b;  /* percentage of a's text that is similar to text in b */
    int b_in_a;  /* percentage of b's text that is similar to text in a */
} similar_pair;

typedef struct similar_list {
    similar_pair *pairs; /* [count] pairs of submissions, the most similar pair first */
    size_t count;        /* number of pairs */
    size_t compared;     /* number of submissions whose regions hold enough text to compare */
} similar_list;

/* The text of the TODO regions of TEXT, without blank lines and without lines that the same region
 * of STARTER has; "" if TEXT has no regions. The caller frees it. */
char *text_to_compare(const char *text, const char *starter);

/* Parse the output of sim_c -p for files named NUMBER.c: pairs of at least ABOVE percent, in A. */
similar_list similar_parse_output(arena *a, const char *output, int above);

typedef struct similar_options {
    int min_percent; /* a pair is reported if the greater of its two percentages is at least this */
    bool boxed;      /* run sim_c in a sandbox */
} similar_options;

/* How a comparison of submissions ended: done, this machine lacks a program, or failed. */
typedef enum similar_end { SIMILAR_DONE, SIMILAR_LACKS, SIMILAR_FAILED } similar_end;

/* Compare ALL submissions with each other; the pairs of OUT are in arena A. SIMILAR_LACKS (this
 * machine lacks a program) and SIMILAR_FAILED: a sentence is in ERR. */
similar_end similar_find(installation *h, const chapter *c, const submissions *all,
                         const similar_options *options, arena *a, similar_list *out, char *err,
                         size_t err_size);

/* The JSON object that `similar --json` prints and that is stored with the results. */
json_t *similar_json(const chapter *c, const submissions *all, const similar_list *list, int above);
