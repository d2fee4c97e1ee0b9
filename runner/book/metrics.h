/* Counters of each launch, and the metrics that goals and predictions use (metrics.def). */
#pragma once

#include "../base/table.h"

#include <stdbool.h>
#include <stddef.h>

/* The counters, by their field name in emulator/counters/counters.def, the only file of the
 * emulator that the runner includes. */
typedef enum counter_id {
#define COUNTER(field, ...) COUNTED_##field,
#include "../../emulator/counters/counters.def"
#undef COUNTER
    COUNTER_ID_COUNT /* number of counters */
} counter_id;

/* The counter's name in WARPBOOK_COUNTERS; it is also ncu's name unless it begins with ptx__. */
extern const char *const counter_names[COUNTER_ID_COUNT];

/* The name of the counter whose field is the first word of *FIELDS; *FIELDS then points to the next
 * word. NULL: no word is left, or no such counter exists. */
const char *counter_next_name(const char **fields);

typedef struct metric {
    const char *name;        /* name in lessons and rubrics, such as "load_sectors_per_request" */
    const char *numerator;   /* names of counters that are added, with blanks between them */
    const char *denominator; /* counters whose sum divides that of `numerator`; "": no division */
    const char *unit;        /* unit of the value, in the plural form: "sectors per load request" */
    const char *meaning, *best; /* what the metric counts, and its best possible value, in words */
    const char *if_above;       /* explanation of a count that is above the student's prediction */
    const char *if_below;       /* explanation of a count that is below the student's prediction */
} metric;

extern const metric metric_table[]; /* [metric_count] the rows of metrics.def */
extern const size_t metric_count;   /* number of metrics */

const metric *metric_find(const char *name);

/* What METRIC counted, for a value that is shown as NUMBER: "1 sector per load request", "4 sectors
 * a load request". Written to BUF, which is returned. */
const char *metric_value_in_words(const metric *m, const char *number, char *buf, size_t size);

/* A sentence on how the value FOUND differs from the predicted value SAID; to be freed. */
char *metric_difference(const metric *m, double said, double found);

/* True: the launched kernel FULL ("reduce<128>") has the name NAME ("reduce" or "reduce<128>"). */
bool is_kernel_named(const char *full, const char *name);
/* The same of the name VARIANT of a row, which may go on with /SUFFIX. */
bool is_variant_of_kernel(const char *variant, const char *full);

/* True: a helper kernel of the labs, such as the device's copy, or a kernel of a library. The
 * student cannot change these. */
bool kernel_is_helper(const char *full);

/* Sum of a counter over launches of a kernel: over ALL, or over those that goals are about. These
 * are the launches that a row KERNEL of the record timed, else a row KERNEL/WHAT, else any row
 * (judge/timed.h); of a kernel that no row timed, and of ncu's counters, those with the most
 * threads. False: no launch of the kernel has the counter. COUNTERS may be NULL. */
bool counter_sum(const table *counters, const char *kernel, const char *counter, bool all,
                 double *out);

/* Sum of a counter over the launches that goals are about, for each row that timed some of them. */
bool counter_mean(const table *counters, const char *kernel, const char *counter, double *out);

/* Value of a metric for a kernel: a quotient is computed over the launches that goals are about, a
 * sum over all launches. NAN: it divides by 0. False: no counter value exists. */
bool metric_value(const table *counters, const char *kernel, const metric *m, double *out);

/* Names of the kernels in the table, in the order of their first launch. */
const char **kernels_in_counters(const table *counters, arena *a, size_t *count);
