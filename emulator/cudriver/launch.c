/* Launches in the way from before CUDA 4 (Driver API, "Execution Control [DEPRECATED]"): block,
 * shared memory and parameters are kept with the function until a launch, in no special context or
 * thread. */
#define CUDA_ENABLE_DEPRECATED
#include "../base/list.h"
#include "../base/lock.h"
#include "cudriver.h"

#include <limits.h>
#include <pthread.h>

enum { MOST_PARAMETER_BYTES = 32764 }; /* CUDA C++ Programming Guide, __global__ */

typedef struct prepared_launch {
    CUfunction function;
    unsigned block[3], shared; /* threads in a block; bytes of dynamic shared memory */
    size_t bytes;              /* of `parameters` that a launch passes on; the rest is zero */
    uint8_t *parameters;       /* MOST_PARAMETER_BYTES, allocated */
} prepared_launch;

static struct {
    pthread_mutex_t lock;
    prepared_launch *list;
    size_t count;
} prepared = {.lock = PTHREAD_MUTEX_INITIALIZER};

static prepared_launch *find_or_add_launch(CUfunction function)
{
    for (size_t i = 0; i < prepared.count; i++)
        if (prepared.list[i].function == function)
            return &prepared.list[i];
    uint8_t *parameters = calloc(1, MOST_PARAMETER_BYTES);
    prepared_launch *p = parameters ? LIST_ADD(prepared.list, prepared.count) : NULL;
    if (p)
        *p = (prepared_launch){.function = function, .block = {1, 1, 1}, .parameters = parameters};
    else
        free(parameters);
    return p;
}

/* What is wrong with a call about FUNCTION whose other arguments are OK or not, in the order in
 * which an H200's driver looks (tests/hardware/codes/h200/every). */
static CUresult launch_call_error(CUfunction function, bool ok)
{
    CUmodule of;
    const CUresult r = cu_begin_call(true);
    if (r || !function)
        return r ? r : CUDA_ERROR_INVALID_HANDLE;
    return ok ? cuFuncGetModule(&of, function) : CUDA_ERROR_INVALID_VALUE;
}

/* Statements about P, the launch that is prepared of FUNCTION, which is checked, under the lock. */
#define PREPARE(function, ok, ...)                          \
    do {                                                    \
        const CUresult r = launch_call_error(function, ok); \
        if (r)                                              \
            return r;                                       \
        HOLD_LOCK(&prepared.lock);                          \
        prepared_launch *p = find_or_add_launch(function);  \
        if (!p)                                             \
            return CUDA_ERROR_OUT_OF_MEMORY;                \
        __VA_ARGS__;                                        \
        return CUDA_SUCCESS;                                \
    } while (0)

CUresult cuFuncSetBlockShape(CUfunction function, int x, int y, int z)
{
    PREPARE(function, x > 0 && y > 0 && z > 0, p->block[0] = (unsigned)x; p->block[1] = (unsigned)y;
            p->block[2] = (unsigned)z);
}

CUresult cuFuncSetSharedSize(CUfunction function, unsigned bytes)
{
    PREPARE(function, bytes < INT_MAX, p->shared = bytes);
}

CUresult cuParamSetSize(CUfunction function, unsigned bytes)
{
    PREPARE(function, true, p->bytes = bytes);
}

CUresult cuParamSetv(CUfunction function, int offset, void *from, unsigned bytes)
{
    PREPARE(function, from && offset >= 0 && (size_t)offset + bytes <= MOST_PARAMETER_BYTES,
            memcpy(p->parameters + offset, from, bytes));
}

CUresult cuParamSeti(CUfunction function, int offset, unsigned value)
{
    return cuParamSetv(function, offset, &value, sizeof value);
}

CUresult cuParamSetf(CUfunction function, int offset, float value)
{
    return cuParamSetv(function, offset, &value, sizeof value);
}

/* The bytes of FUNCTION's parameters. */
static size_t parameter_bytes(CUfunction function)
{
    size_t end = 0, at, bytes;
    for (size_t i = 0; !cuFuncGetParamInfo(function, i, &at, &bytes); i++)
        end = at + bytes;
    return end;
}

CUresult cuLaunchGridAsync(CUfunction function, int width, int height, CUstream stream)
{
    uint8_t parameters[MOST_PARAMETER_BYTES] = {0};
    const CUresult r = launch_call_error(function, width > 0 && height > 0);
    if (r)
        return r;
    pthread_mutex_lock(&prepared.lock);
    prepared_launch *p = find_or_add_launch(function);
    prepared_launch now = p ? *p : (prepared_launch){0};
    if (p && now.bytes <= MOST_PARAMETER_BYTES)
        memcpy(parameters, p->parameters, now.bytes);
    pthread_mutex_unlock(&prepared.lock);
    const size_t all = parameter_bytes(function);
    now.bytes = now.bytes > all ? now.bytes : all;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, parameters, CU_LAUNCH_PARAM_BUFFER_SIZE,
                     &now.bytes, CU_LAUNCH_PARAM_END};
    return p ? cuLaunchKernel(function, (unsigned)width, (unsigned)height, 1, now.block[0],
                              now.block[1], now.block[2], now.shared, stream, NULL, extra)
             : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuLaunchGrid(CUfunction function, int width, int height)
{
    return cuLaunchGridAsync(function, width, height, NULL);
}

CUresult cuLaunch(CUfunction function)
{
    return cuLaunchGrid(function, 1, 1);
}
