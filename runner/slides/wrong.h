/* Reads a chapter's wrong versions (tests/book/wrong/NN-topic/NAME.todo): TODO regions with a
 * typical mistake. Copies for students have none. */
#pragma once

#include "../book/chapter.h"

typedef struct wrong_version_list {
    arena memory;       /* arena that holds the names */
    const char **names; /* sorted names of the wrong versions, such as "no-barrier" */
    size_t count;       /* number of names */
} wrong_version_list;

/* List the deliberately wrong solutions that the book keeps for a chapter. Empty if it keeps none,
 * or if the chapter has no right solution. */
void wrong_version_list_read(wrong_version_list *l, installation *h, const chapter *c);
void wrong_version_list_free(wrong_version_list *l);

/* The solution with its TODO regions replaced by those of the wrong version NAME; the caller frees
 * it. NULL: failed, with a sentence in ERR. */
char *wrong_version_text(installation *h, const chapter *c, const char *name, char *err,
                         size_t err_size);

/* Only the TODO regions of the wrong version NAME, without the other lines of its file; the caller
 * frees them. NULL: the file cannot be read. */
char *wrong_version_regions(installation *h, const chapter *c, const char *name);

/* The text SOLUTION with the TODO regions of the text VERSION; not static only for tests. */
char *wrong_version_join(const char *solution, const char *version, char *err, size_t err_size);
