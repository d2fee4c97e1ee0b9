/* Functions that the rows of calls.def define completely: driver calls with the same meaning as a
 * runtime call, and calls for the per-thread default stream. */
#define CUDA_ENABLE_DEPRECATED /* programs still call deprecated functions */
#include "cudriver.h"

#pragma GCC visibility push(default)
#include <cudaProfiler.h>
#include <cuda_profiler_api.h>
#pragma GCC visibility pop

#define ONE_LAYOUT(driver, runtime) \
    _Static_assert(sizeof(driver) == sizeof(runtime), #driver " is no longer " #runtime)
ONE_LAYOUT(CUmemLocation, struct cudaMemLocation);
ONE_LAYOUT(CUmemAccessDesc, struct cudaMemAccessDesc);
ONE_LAYOUT(CUmemPoolProps, struct cudaMemPoolProps);
ONE_LAYOUT(CUgraphEdgeData, cudaGraphEdgeData);
ONE_LAYOUT(CUDA_GRAPH_INSTANTIATE_PARAMS, cudaGraphInstantiateParams);
ONE_LAYOUT(CUgraphExecUpdateResultInfo, cudaGraphExecUpdateResultInfo);
ONE_LAYOUT(CUDA_HOST_NODE_PARAMS, struct cudaHostNodeParams);
ONE_LAYOUT(CUDA_MEMSET_NODE_PARAMS, struct cudaMemsetParams);
ONE_LAYOUT(CUDA_MEM_ALLOC_NODE_PARAMS, struct cudaMemAllocNodeParams);
ONE_LAYOUT(CUlaunchAttribute, cudaLaunchAttribute);
ONE_LAYOUT(CUlaunchAttributeValue, cudaLaunchAttributeValue);

static _Thread_local unsigned unused_counter; /* used if the process has loaded another libcudart */

/* From own_begin until own_end, a NULL stream means the per-thread default stream. */
static unsigned *own_begin(void)
{
    const rt_driver *d = cu_runtime_table();
    unsigned *own = d ? d->per_thread_default() : &unused_counter;
    ++*own;
    return own;
}

static void own_end(unsigned **own)
{
    --**own;
}

#define OWN_STREAM           unsigned *own __attribute__((cleanup(own_end), unused)) = own_begin()
#define EXPORTED             __attribute__((visibility("default"))) CUresult

#define DO_CURRENT(ok, call) CU_CALL_IF(ok, call)
#define DO_BARE(ok, call)    CU_CALL_BARE(ok, call)
#define DO_ON(ok, call)      CU_CALL_ON(stream, ok, call)

/* The second symbol of a CALL: calls the first one, with the per-thread default stream. */
#define AGAIN(symbol, second, params, args) \
    EXPORTED second params;                 \
    CUresult second params                  \
    {                                       \
        OWN_STREAM;                         \
        return symbol args;                 \
    }
#define AGAIN_no(symbol, ...)
#define AGAIN_ptsz(symbol, params, args) AGAIN(symbol, symbol##_ptsz, params, args)
#define AGAIN_ptds(symbol, params, args) AGAIN(symbol, symbol##_ptds, params, args)

/* The second symbol of a SAME row. */
#define PASS(second, context, params, ok, call) \
    EXPORTED second params;                     \
    CUresult second params                      \
    {                                           \
        OWN_STREAM;                             \
        DO_##context(ok, call);                 \
    }
#define PASS_no(symbol, context, params, ok, call)
#define PASS_ptsz(symbol, context, params, ok, call) PASS(symbol##_ptsz, context, params, ok, call)
#define PASS_ptds(symbol, context, params, ok, call) PASS(symbol##_ptds, context, params, ok, call)

#define CALL(name, version, since, own, ...)         AGAIN_##own(name##version, ##__VA_ARGS__)
#define SAME(name, version, since, own, context, params, ok, call) \
    CUresult name##version params                                  \
    {                                                              \
        DO_##context(ok, call);                                    \
    }                                                              \
    PASS_##own(name##version, context, params, ok, call)
#define STUB(name, version, since, own)
#include "calls.def"
