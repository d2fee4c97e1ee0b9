/* Counters by launch, and the metrics that goals and predictions name (metrics.def). */
#ifndef WARPBOOK_METRICS_H
#define WARPBOOK_METRICS_H

#include "../base/table.h"

#include <stdbool.h>
#include <stddef.h>

/* The counters, by their field in emulator/counters/counters.def: the one file of the emulator that
 * the runner reads. */
typedef enum counted {
#define COUNTER(field, ...) COUNTED_##field,
#include "../../emulator/counters/counters.def"
#undef COUNTER
    COUNTED
} counted;

/* The counter's name in WARPBOOK_COUNTERS, which is also ncu's unless it begins with ptx__. */
extern const char *const counted_name[COUNTED];

/* The name of the counter whose field is the first word of *FIELDS; *FIELDS is moved on to the next
 * word. NULL at the end, or where there is no such counter. */
const char *counted_next(const char **fields);

typedef struct metric {
    const char *name;
    const char *above, *below; /* fields of counters whose quotient is the metric, blank-separated;
                                  `below` may be "" */
    const char *unit;
    const char *meaning, *best; /* what is counted, and what it is at best */
    const char *more, *less;    /* what a count above, or below, a prediction says */
} metric;

extern const metric metrics[];
extern const size_t metric_count;

const metric *metric_find(const char *name);

/* "sectors a load request", and "sector a load request" after 1. Into BUF, which it returns. */
const char *metric_unit(const metric *m, double value, char *buf, size_t size);

/* One sentence on how COUNTED differs from the number SAID; to be freed. */
char *metric_difference(const metric *m, double said, double found);

/* Whether the counted kernel FULL ("reduce<128>") is the one named NAME ("reduce" or
 * "reduce<128>"). */
bool kernel_is(const char *full, const char *name);

/* The labs' own helper kernels, such as the device's copy, are not the student's to mend, nor are a
 * library's. */
bool kernel_is_helper(const char *full);

/* A counter of a kernel, summed over launches: over all, or over the largest ones (by threads),
 * which are those of a measurement, where checks at odd sizes would blur a quotient. False where no
 * launch of the kernel has the counter. COUNTERS may be NULL. */
bool counter_sum(const table *counters, const char *kernel, const char *counter, bool largest,
                 double *out);

/* The mean of a counter over the kernel's largest launches. */
bool counter_mean(const table *counters, const char *kernel, const char *counter, double *out);

/* A metric of a kernel: a quotient over its largest launches, a sum over all its launches. False
 * where it was not counted. A quotient of nothing by nothing is 0. */
bool metric_value(const table *counters, const char *kernel, const metric *m, double *out);

/* Names of the kernels in the table, in the order of their first launch. */
const char **counted_kernels(const table *counters, arena *a, size_t *count);

#endif
