/* Distributions for curand_discrete, which kernels of programs call: structures in the device's
 * memory, as curand_discrete.h has them. */
#include "curand.h"

#include <math.h>

enum { METHOD_TABLE = 5, METHOD_NORMAL = 7 };

typedef struct histogram {
    const double *at, *host_at;
    const unsigned *other, *host_other;
    unsigned host_made;
} histogram;

typedef struct shifted_histogram {
    histogram *cells, *host_cells;
    unsigned first, length, host_made;
} shifted_histogram;

typedef struct distribution {
    struct distribution *host_self;
    shifted_histogram *table, *host_table;
    double deviation, mean;
    int method;
    unsigned host_made;
} distribution;

CURAND_CALL curandCreatePoissonDistribution(double lambda, distribution **out)
{
    rand_table t = {0};
    distribution d = {0};
    if (!(lambda > 0 && lambda <= MOST_LAMBDA))
        return CURAND_STATUS_OUT_OF_RANGE;
    if (!library_has_context())
        return CURAND_STATUS_INITIALIZATION_FAILED;
    if (lambda >= LEAST_NORMAL_LAMBDA) {
        d.method = METHOD_NORMAL;
        d.mean = lambda;
        d.deviation = sqrt(lambda);
    } else {
        d.method = METHOD_TABLE;
        if (rand_make_table(false, lambda, &t))
            return CURAND_STATUS_ALLOCATION_FAILED;
        const histogram cells = {.at = t.at, .other = t.other};
        const shifted_histogram table = {.cells = rand_memory(false, &cells, sizeof cells),
                                         .first = t.first,
                                         .length = t.length};
        d.table = rand_memory(false, &table, sizeof table);
    }
    *out = rand_memory(false, &d, sizeof d);
    return *out ? CURAND_STATUS_SUCCESS : CURAND_STATUS_ALLOCATION_FAILED;
}

CURAND_CALL curandDestroyDistribution(distribution *at)
{
    distribution d;
    shifted_histogram table;
    histogram cells;
    if (!at || cuMemcpyDtoH(&d, (CUdeviceptr)at, sizeof d))
        return CURAND_STATUS_NOT_INITIALIZED;
    if (d.table && !cuMemcpyDtoH(&table, (CUdeviceptr)d.table, sizeof table) &&
        !cuMemcpyDtoH(&cells, (CUdeviceptr)table.cells, sizeof cells)) {
        rand_free(false, cells.at);
        rand_free(false, cells.other);
        rand_free(false, table.cells);
    }
    rand_free(false, d.table);
    rand_free(false, at);
    return CURAND_STATUS_SUCCESS;
}
