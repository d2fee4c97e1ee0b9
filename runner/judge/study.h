/* Hints, one by one. */
#ifndef WARPBOOK_STUDY_H
#define WARPBOOK_STUDY_H

#include "state.h"

/* The first TODO with a hint that was not shown yet, else the last one; NULL: no TODO. */
todo *hint_todo(state *s, chapter *c);
/* The next hint of the TODO (the last one again when all have been shown), remembered as shown;
 * its number from 1 in *NUMBER. NULL: there are no hints. */
const char *hint_next(state *s, const chapter *c, const todo *t, size_t *number);

#endif
