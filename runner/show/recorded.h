/* The figures that a lesson quotes from a GPU, to stand beside a run's. */
#ifndef WARPBOOK_RECORDED_H
#define WARPBOOK_RECORDED_H

#include "../base/house.h"
#include "../base/table.h"
#include "../judge/verdict.h"

/* The record that C's lesson quotes; NULL: there is none. table_free gives it back. */
table *recorded_read(house *h, const chapter *c);

/* The percentage of its own copy that variant NAME had there at sweep value X; NAN: none. */
double recorded_share(const table *t, const char *name, const char *x);
/* What the GPU is called, in one word ("H200"); valid as long as T. */
const char *recorded_device(const table *t);
/* Elements of the recorded copy; 0: not known. */
double recorded_elements(const table *t);

/* Why the recorded shares differ from those of V, a run of another size; NULL: the sizes are alike.
 * To be freed. */
char *recorded_note(const table *t, const verdict *v);

#endif
