/* Tables for Poisson numbers: the square histogram of Marsaglia, Tsang and Wang. As many cells of
 * one width as numbers have a probability above 0; a cell whose number has less than the width is
 * filled up from the largest number that has more. */
#include "curand.h"

#include <math.h>
#include <stdlib.h>

static double probability(double lambda, unsigned k)
{
    return exp(-lambda + k * log(lambda) - lgamma(k + 1.0));
}

/* Make full cells of LENGTH probabilities P: at[j] becomes cell j's limit, other[j] what lies above
 * it. */
static void fill(double *p, double *at, unsigned *other, unsigned length)
{
    const double width = 1.0 / length;
    bool again = true;
    for (unsigned j = 0; j < length; j++) {
        at[j] = (j + 1) * width;
        other[j] = j;
    }
    for (unsigned giver = length - 1; again;) {
        again = false;
        for (unsigned j = 0; j < length; j++) {
            if (other[j] != j || p[j] >= width)
                continue;
            while (giver > 0 && p[giver] <= width)
                giver--;
            if (p[giver] <= width)
                return;
            at[j] = j * width + p[j];
            other[j] = giver;
            p[giver] -= width - p[j];
            again = true;
        }
    }
}

curandStatus_t rand_make_table(bool on_host, double lambda, rand_table *out)
{
    rand_table t = {.length = 1};
    while (probability(lambda, t.first) == 0)
        t.first++;
    while (probability(lambda, t.first + t.length) > 0)
        t.length++;
    double *p = malloc(t.length * sizeof *p), *at = malloc(t.length * sizeof *at);
    unsigned *other = malloc(t.length * sizeof *other);
    if (p && at && other) {
        for (unsigned j = 0; j < t.length; j++)
            p[j] = probability(lambda, t.first + j);
        fill(p, at, other, t.length);
        t.at = rand_memory(on_host, at, t.length * sizeof *at);
        t.other = rand_memory(on_host, other, t.length * sizeof *other);
    }
    free(p);
    free(at);
    free(other);
    *out = t;
    if (t.at && t.other)
        return CURAND_STATUS_SUCCESS;
    rand_free_table(on_host, out);
    return CURAND_STATUS_ALLOCATION_FAILED;
}

void rand_free_table(bool on_host, rand_table *table)
{
    rand_free(on_host, table->at);
    rand_free(on_host, table->other);
    *table = (rand_table){0};
}
