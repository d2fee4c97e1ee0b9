/* Generators and their settings. */
#include "curand.h"

#include <stdlib.h>
#include <string.h>

void *rand_memory(bool on_host, const void *from, size_t size)
{
    CUdeviceptr memory = 0;
    void *copy = on_host ? malloc(size) : NULL;
    if (copy)
        return memcpy(copy, from, size);
    if (on_host || cuMemAlloc(&memory, size))
        return NULL;
    if (!cuMemcpyHtoD(memory, from, size) && !cuCtxSynchronize()) /* for any stream */
        return (void *)memory;
    cuMemFree(memory);
    return NULL;
}

void rand_free(bool on_host, const void *memory)
{
    if (on_host)
        free((void *)(uintptr_t)memory);
    else if (memory)
        cuMemFree((CUdeviceptr)memory);
}

static curandStatus_t create(curandGenerator_t *out, int type, bool on_host)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    const int name[] = {
        [RAND_XORWOW] = PSEUDO_XORWOW, [RAND_MRG] = PSEUDO_MRG, [RAND_PHILOX] = PSEUDO_PHILOX};
    int kind = 0;
    if (!on_host && !library_has_context())
        return CURAND_STATUS_INITIALIZATION_FAILED;
    if (type == PSEUDO_MTGP32 || type == PSEUDO_MT19937 ||
        (type >= QUASI_FIRST && type <= QUASI_LAST))
        return library_report_missing("a generator of type MTGP32, MT19937 or Sobol", &said);
    while (kind < RAND_TYPE_COUNT && name[kind] != (type == PSEUDO_DEFAULT ? PSEUDO_XORWOW : type))
        kind++;
    if (kind == RAND_TYPE_COUNT)
        return CURAND_STATUS_TYPE_ERROR;
    curandGenerator_t g = calloc(1, sizeof *g);
    if (!g || (!on_host && cuModuleLoadData(&g->kernels, library_kernels))) {
        free(g);
        return CURAND_STATUS_ALLOCATION_FAILED;
    }
    g->type = kind;
    g->on_host = on_host;
    g->order = ORDER_DEFAULT;
    *out = g;
    return CURAND_STATUS_SUCCESS;
}

CURAND_CALL curandCreateGenerator(curandGenerator_t *out, int type)
{
    return create(out, type, false);
}

CURAND_CALL curandCreateGeneratorHost(curandGenerator_t *out, int type)
{
    return create(out, type, true);
}

static void forget_states(curandGenerator_t g)
{
    if (!g->on_host)
        cuStreamSynchronize(g->stream);
    rand_free(g->on_host, g->states);
    g->states = NULL;
}

CURAND_CALL curandDestroyGenerator(curandGenerator_t g)
{
    NEEDS(g);
    forget_states(g);
    rand_free_table(g->on_host, &g->table);
    if (g->kernels)
        cuModuleUnload(g->kernels);
    free(g);
    return CURAND_STATUS_SUCCESS;
}

CURAND_CALL curandSetStream(curandGenerator_t g, CUstream stream)
{
    NEEDS(g);
    g->stream = stream;
    return CURAND_STATUS_SUCCESS;
}

CURAND_CALL curandSetPseudoRandomGeneratorSeed(curandGenerator_t g, unsigned long long seed)
{
    NEEDS(g);
    if (seed != g->seed)
        forget_states(g);
    g->seed = seed;
    return CURAND_STATUS_SUCCESS;
}

CURAND_CALL curandSetGeneratorOffset(curandGenerator_t g, unsigned long long offset)
{
    NEEDS(g);
    forget_states(g);
    g->offset = offset;
    g->turns = 0;
    return CURAND_STATUS_SUCCESS;
}

CURAND_CALL curandSetGeneratorOrdering(curandGenerator_t g, int order)
{
    NEEDS(g);
    if (order < ORDER_BEST || order > ORDER_DYNAMIC ||
        (order == ORDER_SEEDED && g->type != RAND_XORWOW) || (order == ORDER_DYNAMIC && g->on_host))
        return CURAND_STATUS_OUT_OF_RANGE;
    if (order != g->order)
        forget_states(g);
    g->order = order;
    return CURAND_STATUS_SUCCESS;
}

CURAND_CALL curandSetQuasiRandomGeneratorDimensions(curandGenerator_t g, unsigned dimensions)
{
    (void)dimensions;
    NEEDS(g);
    return CURAND_STATUS_TYPE_ERROR;
}

CURAND_CALL curandGenerateSeeds(curandGenerator_t g)
{
    NEEDS(g);
    forget_states(g);
    return rand_seed(g);
}

CURAND_CALL curandGetVersion(int *version)
{
    *version = library_version;
    return CURAND_STATUS_SUCCESS;
}

CURAND_CALL curandGetProperty(int which, int *value)
{
    return library_property(which, 1000, value) ? CURAND_STATUS_SUCCESS
                                                : CURAND_STATUS_OUT_OF_RANGE;
}
