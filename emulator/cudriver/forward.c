/* The calls of forward.def. */
#define CUDA_ENABLE_DEPRECATED /* some are: programs make them all the same */
#include "cudriver.h"

#pragma GCC visibility push(default)
#include <cudaProfiler.h>
#include <cuda_profiler_api.h>
#pragma GCC visibility pop

#define SAME(driver, runtime) \
    _Static_assert(sizeof(driver) == sizeof(runtime), #driver " is no longer " #runtime)
SAME(CUmemLocation, struct cudaMemLocation);
SAME(CUmemAccessDesc, struct cudaMemAccessDesc);
SAME(CUmemPoolProps, struct cudaMemPoolProps);
SAME(CUgraphEdgeData, cudaGraphEdgeData);
SAME(CUDA_GRAPH_INSTANTIATE_PARAMS, cudaGraphInstantiateParams);
SAME(CUgraphExecUpdateResultInfo, cudaGraphExecUpdateResultInfo);
SAME(CUDA_HOST_NODE_PARAMS, struct cudaHostNodeParams);
SAME(CUDA_MEMSET_NODE_PARAMS, struct cudaMemsetParams);
SAME(CUDA_MEM_ALLOC_NODE_PARAMS, struct cudaMemAllocNodeParams);
SAME(CUlaunchAttribute, cudaLaunchAttribute);
SAME(CUlaunchAttributeValue, cudaLaunchAttributeValue);

#define FORWARD(name, params, ok, call) \
    CUresult name params                \
    {                                   \
        CU_CALL_IF(ok, call);           \
    }
#define BARE(name, params, ok, call) \
    CUresult name params             \
    {                                \
        CU_CALL_BARE(ok, call);      \
    }
#define ON(name, params, ok, call)    \
    CUresult name params              \
    {                                 \
        CU_CALL_ON(stream, ok, call); \
    }
#include "forward.def"
#undef FORWARD
#undef ON
#undef BARE
