/* Reads the measurements on a GPU that a lesson quotes, to compare a run with them. */
#pragma once

#include "../base/installation.h"
#include "../base/table.h"
#include "../judge/verdict.h"

/* The recorded run that chapter C's lesson quotes; NULL: none. Free it with table_free. */
table *recorded_run_read(installation *h, const chapter *c);

/* The bandwidth of variant NAME at sweep value X in the recorded run, in percent of that run's
 * device copy; NAN: not recorded. */
double recorded_percent_of_copy(const table *t, const char *name, const char *x);
/* The name of the GPU in one word ("H200"); valid as long as T. */
const char *recorded_gpu_name(const table *t);
/* Number of elements in the recorded run; 0: unknown. */
double recorded_element_count(const table *t);

/* A sentence on why the recorded percentages differ from those of V, a run with another number of
 * elements; NULL: the sizes are similar. The caller frees it. */
char *recorded_size_note(const table *t, const verdict *v);
