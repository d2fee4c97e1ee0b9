/* Attributes, launches, occupancy (Driver API, "Execution Control" and "Occupancy"). */
#include "cudriver.h"

#include <stdlib.h>

static cudaError_t get_function_attribute(int *value, CUfunction_attribute which,
                                          CUfunction function)
{
    struct cudaFuncAttributes a;
    uint32_t params;
    cudaError_t e = cu_runtime_table()->kernel(function, &params);
    e = e ? e : cudaFuncGetAttributes(&a, function);
    if (e)
        return e;
    switch ((int)which) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = a.maxThreadsPerBlock; break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = (int)a.sharedSizeBytes; break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = (int)a.constSizeBytes; break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = (int)a.localSizeBytes; break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = a.numRegs; break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION: *value = a.ptxVersion; break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = a.binaryVersion; break;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: *value = 0; break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = a.maxDynamicSharedSizeBytes;
        break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = a.preferredShmemCarveout;
        break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET: *value = a.clusterDimMustBeSet; break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH: *value = a.requiredClusterWidth; break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT: *value = a.requiredClusterHeight; break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH: *value = a.requiredClusterDepth; break;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
        *value = a.nonPortableClusterSizeAllowed;
        break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        *value = a.clusterSchedulingPolicyPreference;
        break;
    default: return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute which, CUfunction function)
{
    CU_CALL_WITHOUT_CONTEXT(value, get_function_attribute(value, which, function));
}

static cudaError_t set_function_attribute(CUfunction function, CUfunction_attribute which,
                                          int value)
{
    uint32_t params;
    cudaError_t e = cu_runtime_table()->kernel(function, &params);
    /* The attributes that can be set have the same numbers in both APIs. */
    return e ? e : cudaFuncSetAttribute(function, (enum cudaFuncAttribute)which, value);
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute which, int value)
{
    CU_CALL_WITHOUT_CONTEXT(true, set_function_attribute(function, which, value));
}

/* Build an array of pointers to the parameters in the buffer that EXTRA describes. */
static cudaError_t unpack_parameters(CUfunction function, void **extra, uint32_t params,
                                     void ***out)
{
    char *buffer = NULL;
    size_t size = 0;
    for (void **x = extra; *x != CU_LAUNCH_PARAM_END; x += 2)
        if (*x == CU_LAUNCH_PARAM_BUFFER_POINTER)
            buffer = x[1];
        else if (*x == CU_LAUNCH_PARAM_BUFFER_SIZE && x[1])
            size = *(size_t *)x[1];
        else
            return cudaErrorInvalidValue;
    void **args = malloc((params + 1) * sizeof *args);
    cudaError_t e = args && (buffer || !params) ? cudaSuccess
                    : args                      ? cudaErrorInvalidValue
                                                : cudaErrorMemoryAllocation;
    size_t end = 0;
    for (uint32_t i = 0; !e && i < params; i++) {
        size_t at, bytes;
        e = cudaFuncGetParamInfo(function, i, &at, &bytes);
        if (!e) {
            args[i] = buffer + at;
            end = at + bytes;
        }
    }
    if (!e && end != size) {
        /* A GPU's driver returns this code for a buffer of the wrong size. */
        e = cudaErrorLaunchOutOfResources;
    }
    if (e)
        free(args);
    else
        *out = args;
    return e;
}

/* The launch configuration of cuLaunchKernel and similar calls. */
typedef struct launch_request {
    dim3 grid, block;               /* blocks in the grid; threads in a block */
    unsigned shared;                /* bytes of dynamic shared memory */
    CUstream stream;                /* stream of the launch; NULL: the default stream */
    const CUlaunchAttribute *attrs; /* launch attributes */
    unsigned attr_count;            /* number of entries in `attrs` */
} launch_request;

static cudaError_t launch_function(CUfunction function, const launch_request *q, void **args,
                                   void **extra)
{
    uint32_t params = 0;
    void **unpacked = NULL;
    cudaError_t e = cu_runtime_table()->kernel_on(function, q->stream, &params);
    e = RT_INVALID_IF(e, args && extra);
    if (!e && extra)
        e = unpack_parameters(function, extra, params, &unpacked);
    const cudaLaunchConfig_t config = {.gridDim = q->grid,
                                       .blockDim = q->block,
                                       .dynamicSmemBytes = q->shared,
                                       .stream = q->stream,
                                       .attrs = (cudaLaunchAttribute *)(uintptr_t)q->attrs,
                                       .numAttrs = q->attr_count};
    e = e ? e : cudaLaunchKernelExC(&config, function, extra ? unpacked : args);
    free(unpacked);
    return e;
}

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                        unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                        unsigned int block_z, unsigned int shared, CUstream stream, void **args,
                        void **extra)
{
    const launch_request q = {.grid = {grid_x, grid_y, grid_z},
                              .block = {block_x, block_y, block_z},
                              .shared = shared,
                              .stream = stream};
    CU_CALL_ON(stream, true, launch_function(function, &q, args, extra));
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **args,
                          void **extra)
{
    if (!config)
        return CUDA_ERROR_INVALID_VALUE;
    const launch_request q = {.grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
                              .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
                              .shared = config->sharedMemBytes,
                              .stream = config->hStream,
                              .attrs = config->attrs,
                              .attr_count = config->numAttrs};
    CU_CALL_ON(q.stream, true, launch_function(function, &q, args, extra));
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                                   unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                                   unsigned int block_z, unsigned int shared, CUstream stream,
                                   void **args)
{
    const CUlaunchAttribute together = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
                                        .value = {.cooperative = 1}};
    const launch_request q = {.grid = {grid_x, grid_y, grid_z},
                              .block = {block_x, block_y, block_z},
                              .shared = shared,
                              .stream = stream,
                              .attrs = &together,
                              .attr_count = 1};
    CU_CALL_ON(stream, true, launch_function(function, &q, args, NULL));
}

/* --- the module and library of a function ----------------------------------------------------- */

static cudaError_t check_function(CUfunction function)
{
    uint32_t params;
    return cu_runtime_table()->kernel(function, &params);
}

CUresult cuFuncLoad(CUfunction function)
{
    CU_CALL_WITHOUT_CONTEXT(true, check_function(function));
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function)
{
    CU_CALL_WITHOUT_CONTEXT(state, check_function(function)
                                       ?: (*state = CU_FUNCTION_LOADING_STATE_LOADED, cudaSuccess));
}

/* --- occupancy -------------------------------------------------------------------------------- */

/* Store the block size with the highest occupancy (of several, the largest), and the size of the
 * grid that fills the device. */
static cudaError_t find_best_block(int *grid, int *block, CUfunction function,
                                   CUoccupancyB2DSize dynamic_of, size_t dynamic, int most,
                                   unsigned flags)
{
    struct cudaFuncAttributes a;
    int warp = 0, threads = 0, sms = 0, best = 0;
    cudaError_t e = check_function(function);
    e = e ? e : cudaFuncGetAttributes(&a, function);
    e = e ? e : cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, 0);
    e = e ? e : cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0);
    e = e ? e : cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    if (e)
        return e;
    most = most <= 0 || most > a.maxThreadsPerBlock ? a.maxThreadsPerBlock : most;
    for (int whole = (most + warp - 1) / warp * warp; !e && whole > 0; whole -= warp) {
        const int tried = whole < most ? whole : most;
        int blocks = 0;
        e = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
            &blocks, function, tried, dynamic_of ? dynamic_of(tried) : dynamic, flags);
        if (!e && blocks * tried > best) {
            best = blocks * tried;
            *grid = blocks * sms;
            *block = tried;
        }
        if (best == threads)
            break;
    }
    return e;
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction function,
                                                   CUoccupancyB2DSize dynamic_of, size_t dynamic,
                                                   int most, unsigned int flags)
{
    CU_CALL_IF(grid && block && most >= 0,
               find_best_block(grid, block, function, dynamic_of, dynamic, most, flags));
}

CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction function,
                                          CUoccupancyB2DSize dynamic_of, size_t dynamic, int most)
{
    return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, function, dynamic_of, dynamic,
                                                     most, CU_OCCUPANCY_DEFAULT);
}

static cudaLaunchConfig_t convert_launch_config(const CUlaunchConfig *c)
{
    return (cudaLaunchConfig_t){.gridDim = {c->gridDimX, c->gridDimY, c->gridDimZ},
                                .blockDim = {c->blockDimX, c->blockDimY, c->blockDimZ},
                                .dynamicSmemBytes = c->sharedMemBytes,
                                .stream = c->hStream,
                                .attrs = (cudaLaunchAttribute *)c->attrs,
                                .numAttrs = c->numAttrs};
}

static cudaError_t cluster_occupancy(int *out, CUfunction function, const CUlaunchConfig *c,
                                     bool size)
{
    const cudaLaunchConfig_t config = convert_launch_config(c);
    return size ? cudaOccupancyMaxPotentialClusterSize(out, function, &config)
                : cudaOccupancyMaxActiveClusters(out, function, &config);
}

CUresult cuOccupancyMaxActiveClusters(int *out, CUfunction function, const CUlaunchConfig *config)
{
    CU_CALL_IF(out && config && function, cluster_occupancy(out, function, config, false));
}

CUresult cuOccupancyMaxPotentialClusterSize(int *out, CUfunction function,
                                            const CUlaunchConfig *config)
{
    CU_CALL_IF(out && config && function, cluster_occupancy(out, function, config, true));
}
