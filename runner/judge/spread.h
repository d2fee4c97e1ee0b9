/* The median of a few measured numbers, and a confidence interval for the true median. */
#pragma once

#include <stddef.h>

typedef struct spread {
    double median, low, high; /* the median; both ends of its confidence interval */
    size_t count;             /* number of values */
} spread;

/* The median of COUNT >= 1 numbers and its confidence interval; sorts VALUES. For any distribution,
 * the true median lies above `high` with a probability of at most 1/1000, and below `low` likewise.
 * For 21 numbers, `low` and `high` are the fourth from either end. Fewer than ten numbers cannot
 * give this confidence: `low` and `high` are then the smallest and the largest. */
spread median_and_interval(double *values, size_t count);
