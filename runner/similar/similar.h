/* How alike submissions are, by Debian's similarity-tester (sim_c): a report for the one who marks,
 * never a mark. Compared is what stands in the TODO regions, without the lines that the lab's own
 * text has there. sim_c reads what students wrote, so it runs in a sandbox. */
#ifndef WARPBOOK_SIMILAR_H
#define WARPBOOK_SIMILAR_H

#include "../book/chapter.h"
#include "../class/handin.h"

#include <jansson.h>

/* Percent from which a pair is told where nothing else is said. */
#define SIMILAR_ABOVE 60

typedef struct similar_pair {
    size_t a, b; /* numbers in the handins, a before b */
    int a_in_b;  /* percent of A's text that is like text in B */
    int b_in_a;
} similar_pair;

typedef struct similar_list {
    similar_pair *pairs; /* pairs, the most similar first */
    size_t count;
    size_t compared; /* number of submissions whose regions hold enough text to compare */
} similar_list;

/* The text of the regions of TEXT without blank lines and without the lines that the same region of
 * STARTER has; "" where TEXT has no regions. To be freed. */
char *similar_text(const char *text, const char *starter);

/* What sim_c prints with -p, as pairs of at least ABOVE percent; the files are called NUMBER.c. In
 * A. */
similar_list similar_read(arena *a, const char *output, int above);

typedef struct similar_options {
    int above;  /* the greater percentage of a pair must be at least this */
    bool boxed; /* run sim_c in a sandbox */
} similar_options;

typedef enum similar_end { SIMILAR_DONE, SIMILAR_LACKS, SIMILAR_FAILED } similar_end;

/* Compare all of H with one another; OUT in A. Else a sentence in ERR: LACKS, this machine has not
 * what it takes. */
similar_end similar_find(house *h, const chapter *c, const handins *all,
                         const similar_options *options, arena *a, similar_list *out, char *err,
                         size_t err_size);

/* The object that `similar --json` prints and that results keep. */
json_t *similar_json(const chapter *c, const handins *all, const similar_list *list, int above);

#endif
