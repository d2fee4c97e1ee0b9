/* The median of a few measured numbers, and the interval in which the true median lies. */
#ifndef WARPBOOK_SPREAD_H
#define WARPBOOK_SPREAD_H

#include <stddef.h>

typedef struct spread {
    double median, low, high; /* low <= median <= high */
    size_t count;             /* number of values */
} spread;

/* The spread of COUNT numbers, at least one; sorts VALUES. Whatever the numbers' distribution, the
 * true median lies above `high` once in a thousand times at most, and below `low` as seldom: for 21
 * numbers these are the fourth from either end. Fewer than ten do not tell as much: then they are
 * the least and the greatest. */
spread spread_of(double *values, size_t count);

#endif
