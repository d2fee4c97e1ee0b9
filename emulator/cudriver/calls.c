/* Functions that the rows of calls.def define completely: driver calls with the same meaning as a
 * runtime call, and calls for the per-thread default stream. */
#define CUDA_ENABLE_DEPRECATED    /* cuda.h then declares deprecated functions too, which programs \
                                     still call */
#include "cudriver.h"

#pragma GCC visibility push(default)
#include <cudaProfiler.h>
#pragma GCC visibility pop

/* Check that a struct of the driver API has the size of the runtime's struct. */
#define ASSERT_SAME_LAYOUT(driver, runtime)           \
    _Static_assert(sizeof(driver) == sizeof(runtime), \
                   #driver " no longer has the size of " #runtime)
ASSERT_SAME_LAYOUT(CUmemLocation, struct cudaMemLocation);
ASSERT_SAME_LAYOUT(CUmemAccessDesc, struct cudaMemAccessDesc);
ASSERT_SAME_LAYOUT(CUipcMemHandle, cudaIpcMemHandle_t);
ASSERT_SAME_LAYOUT(CUipcEventHandle, cudaIpcEventHandle_t);
ASSERT_SAME_LAYOUT(CUmemPoolProps, struct cudaMemPoolProps);
ASSERT_SAME_LAYOUT(CUgraphEdgeData, cudaGraphEdgeData);
ASSERT_SAME_LAYOUT(CUDA_GRAPH_INSTANTIATE_PARAMS, cudaGraphInstantiateParams);
ASSERT_SAME_LAYOUT(CUgraphExecUpdateResultInfo, cudaGraphExecUpdateResultInfo);
ASSERT_SAME_LAYOUT(CUDA_HOST_NODE_PARAMS, struct cudaHostNodeParams);
ASSERT_SAME_LAYOUT(CUDA_MEMSET_NODE_PARAMS, struct cudaMemsetParams);
ASSERT_SAME_LAYOUT(CUDA_MEM_ALLOC_NODE_PARAMS, struct cudaMemAllocNodeParams);
ASSERT_SAME_LAYOUT(CUlaunchAttribute, cudaLaunchAttribute);
ASSERT_SAME_LAYOUT(CUlaunchAttributeValue, cudaLaunchAttributeValue);

static _Thread_local unsigned unused_counter; /* stands for the runtime's counter if the process has
                                                 loaded another libcudart */

/* From begin_per_thread_default until end_per_thread_default, a NULL stream means the per-thread
 * default stream. */
static unsigned *begin_per_thread_default(void)
{
    const rt_driver *d = cu_runtime_table();
    unsigned *own = d ? d->per_thread_default() : &unused_counter;
    ++*own;
    return own;
}

static void end_per_thread_default(unsigned **own)
{
    --**own;
}

/* Until the end of the block, a NULL stream means the per-thread default stream. */
#define USE_PER_THREAD_DEFAULT                                               \
    unsigned *own __attribute__((cleanup(end_per_thread_default), unused)) = \
        begin_per_thread_default()
#define EXPORTED_RESULT              __attribute__((visibility("default"))) CUresult

#define CALL_NEEDS_CURRENT(ok, call) CU_CALL_IF(ok, call)
#define CALL_NEEDS_NONE(ok, call)    CU_CALL_WITHOUT_CONTEXT(ok, call)
#define CALL_NEEDS_STREAM(ok, call)  CU_CALL_ON(stream, ok, call)

/* For a row CALL: a second symbol, which calls it with NULL as the per-thread default stream. */
#define PER_THREAD_VARIANT(symbol, second, params, args) \
    EXPORTED_RESULT second params;                       \
    CUresult second params                               \
    {                                                    \
        USE_PER_THREAD_DEFAULT;                          \
        return symbol args;                              \
    }
#define PER_THREAD_VARIANT_no(symbol, ...) /* the call has no such variant */
#define PER_THREAD_VARIANT_ptsz(symbol, params, args) \
    PER_THREAD_VARIANT(symbol, symbol##_ptsz, params, args)
#define PER_THREAD_VARIANT_ptds(symbol, params, args) \
    PER_THREAD_VARIANT(symbol, symbol##_ptds, params, args)

/* For a row SAME: a second symbol, which calls with NULL as the per-thread default stream. */
#define RUNTIME_VARIANT(second, context, params, ok, call) \
    EXPORTED_RESULT second params;                         \
    CUresult second params                                 \
    {                                                      \
        USE_PER_THREAD_DEFAULT;                            \
        CALL_NEEDS_##context(ok, call);                    \
    }
#define RUNTIME_VARIANT_no(symbol, context, params, ok, call) /* the call has no such variant */
#define RUNTIME_VARIANT_ptsz(symbol, context, params, ok, call) \
    RUNTIME_VARIANT(symbol##_ptsz, context, params, ok, call)
#define RUNTIME_VARIANT_ptds(symbol, context, params, ok, call) \
    RUNTIME_VARIANT(symbol##_ptds, context, params, ok, call)

#define CALL(name, version, since, own, ...) PER_THREAD_VARIANT_##own(name##version, ##__VA_ARGS__)
#define SAME(name, version, since, own, context, params, ok, call) \
    EXPORTED_RESULT name##version params;                          \
    CUresult name##version params                                  \
    {                                                              \
        CALL_NEEDS_##context(ok, call);                            \
    }                                                              \
    RUNTIME_VARIANT_##own(name##version, context, params, ok, call)
#define STUB(name, version, since, own) /* no code for such a row */
#include "calls.def"
