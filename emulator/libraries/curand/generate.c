/* The calls that generate. */
#include "curand.h"
#include "sequence.h"

#include <stdio.h>

static const char *const type_name[] = {
#define X(constant, name) #name,
    RAND_TYPES(X)
#undef X
};
static const struct {
    const char *name;
    size_t size;
} kinds[] = {
#define X(constant, name, number) {#name, sizeof(number)},
    RAND_KINDS(X)
#undef X
};

static curandStatus_t launch(curandGenerator_t g, enum rand_kind kind, rand_call *c, uint64_t turns)
{
    char name[64];
    const uint64_t threads = turns < g->sequences ? turns : g->sequences;
    const library_shape shape = {.grid = {(unsigned)((threads + RAND_THREADS - 1) / RAND_THREADS)},
                                 .block = {RAND_THREADS}};
    void *args[] = {c};
    snprintf(name, sizeof name, "%s_%s", type_name[g->type], kinds[kind].name);
    return library_launch(g->kernels, name, &shape, g->stream, args) ? CURAND_STATUS_LAUNCH_FAILURE
                                                                     : CURAND_STATUS_SUCCESS;
}

/* COUNT numbers of KIND at OUT. A sequence that has given a part of its turn goes on with it in the
 * next call. */
static curandStatus_t generate(curandGenerator_t g, enum rand_kind kind, void *out, size_t count,
                               double mean, double deviation)
{
    NEEDS(g);
    const unsigned length = (unsigned)rand_turn_length(g->type, (int)kind);
    if (length == 2 && count % 2)
        return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    if (count == 0)
        return CURAND_STATUS_SUCCESS;
    curandStatus_t status = g->states ? CURAND_STATUS_SUCCESS : rand_seed(g);
    if (status)
        return status;
    rand_call c = {.states = g->states,
                   .out = out,
                   .count = count,
                   .sequences = g->sequences,
                   .first = g->first,
                   .part = g->part,
                   .mean = mean,
                   .deviation = deviation,
                   .table = g->table};
    const uint64_t turns = rand_turns(g->type, (int)kind, &c);
    for (uint64_t turn = 0; g->on_host && turn < turns; turn++)
        rand_turn_of_call(g->type, (int)kind, kinds[kind].size,
                          &g->states[(g->first + turn) % g->sequences], &c, turn);
    if (!g->on_host)
        status = launch(g, kind, &c, turns);
    const uint64_t completed = (g->part + count) / length;
    g->turns += completed;
    g->first = (unsigned)((g->first + completed) % g->sequences);
    g->part = (unsigned)((g->part + count) % length);
    return status;
}

CURAND_CALL curandGenerate(curandGenerator_t g, unsigned *out, size_t count)
{
    return generate(g, RAND_BITS, out, count, 0, 0);
}

CURAND_CALL curandGenerateLongLong(curandGenerator_t g, unsigned long long *out, size_t count)
{
    (void)out;
    NEEDS(g);
    return count ? CURAND_STATUS_TYPE_ERROR : CURAND_STATUS_SUCCESS;
}

CURAND_CALL curandGenerateUniform(curandGenerator_t g, float *out, size_t count)
{
    return generate(g, RAND_UNIFORM, out, count, 0, 0);
}

CURAND_CALL curandGenerateUniformDouble(curandGenerator_t g, double *out, size_t count)
{
    return generate(g, RAND_UNIFORM_DOUBLE, out, count, 0, 0);
}

#define NORMALS(suffix, kind, number)                                                  \
    CURAND_CALL curandGenerate##suffix(curandGenerator_t g, number *out, size_t count, \
                                       number mean, number deviation)                  \
    {                                                                                  \
        return generate(g, kind, out, count, (double)mean, (double)deviation);         \
    }
NORMALS(Normal, RAND_NORMAL, float)
NORMALS(NormalDouble, RAND_NORMAL_DOUBLE, double)
NORMALS(LogNormal, RAND_LOG_NORMAL, float)
NORMALS(LogNormalDouble, RAND_LOG_NORMAL_DOUBLE, double)

CURAND_CALL curandGeneratePoisson(curandGenerator_t g, unsigned *out, size_t count, double lambda)
{
    NEEDS(g);
    if (!(lambda > 0 && lambda <= MOST_LAMBDA))
        return CURAND_STATUS_OUT_OF_RANGE;
    if (lambda >= LEAST_NORMAL_LAMBDA)
        return generate(g, RAND_POISSON_NORMAL, out, count, lambda, 0);
    if (lambda != g->lambda) {
        if (!g->on_host)
            cuStreamSynchronize(g->stream);
        rand_free_table(g->on_host, &g->table);
        g->lambda = 0;
        const curandStatus_t status = rand_make_table(g->on_host, lambda, &g->table);
        if (status)
            return status;
        g->lambda = lambda;
    }
    return generate(g, RAND_POISSON, out, count, lambda, 0);
}
