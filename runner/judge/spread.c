#include "spread.h"

#include <math.h>
#include <stdlib.h>

static const double TAIL_PROBABILITY =
    0.001; /* probability that the true median lies above the interval, and that it lies below */

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* How many of COUNT sorted numbers the confidence interval leaves out at either end. The
 * probability that all but K numbers lie on one side of the true median equals that of K heads or
 * fewer in COUNT coin tosses. */
static size_t count_outside_interval(size_t count)
{
    double ways = 1, tosses = ldexp(1, (int)count), sum = 1;
    size_t k = 0;
    if (sum / tosses > TAIL_PROBABILITY)
        return 0;
    for (;; k++) {
        ways = ways * (double)(count - k) / (double)(k + 1); /* number of ways to get k + 1 heads */
        sum += ways;
        if (sum / tosses > TAIL_PROBABILITY)
            return k;
    }
}

spread median_and_interval(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_numbers);
    size_t out = count_outside_interval(count), half = count / 2;
    double median = count % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
    return (spread){median, values[out], values[count - 1 - out], count};
}
