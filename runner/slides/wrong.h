/* A chapter's wrong versions, tests/book/wrong/NN-topic/NAME.todo: TODO regions that teach what
 * goes wrong. Hand-outs have none. */
#ifndef WARPBOOK_WRONG_H
#define WARPBOOK_WRONG_H

#include "../book/chapter.h"

typedef struct wrong_list {
    arena memory;
    const char **names; /* sorted names of the wrong versions, such as "no-barrier" */
    size_t count;
} wrong_list;

/* List the wrong versions of a chapter. The list is empty if there are none, or no solution to put
 * them in. */
void wrong_list_read(wrong_list *l, house *h, const chapter *c);
void wrong_list_free(wrong_list *l);

/* The solution with the regions of the wrong version NAME in place of its own, to be freed; NULL
 * with a sentence in ERR. */
char *wrong_text(house *h, const chapter *c, const char *name, char *err, size_t err_size);

/* The regions of the wrong version NAME as they are kept, without what else stands in its file, to
 * be freed; NULL: it cannot be read. */
char *wrong_regions(house *h, const chapter *c, const char *name);

/* The same from texts, for tests: SOLUTION with the regions of VERSION. */
char *wrong_join(const char *solution, const char *version, char *err, size_t err_size);

#endif
