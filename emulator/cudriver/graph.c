/* Kernel and copy nodes of graphs (Driver API, "Graph Management"), whose parameters differ between
 * driver API and runtime. calls.def defines the other calls. */
#include "copy.h"

#include <string.h>

static struct cudaKernelNodeParams convert_kernel_params(const CUDA_KERNEL_NODE_PARAMS *p)
{
    return (struct cudaKernelNodeParams){.func = p->func ? (void *)p->func : (void *)p->kern,
                                         .gridDim = {p->gridDimX, p->gridDimY, p->gridDimZ},
                                         .blockDim = {p->blockDimX, p->blockDimY, p->blockDimZ},
                                         .sharedMemBytes = p->sharedMemBytes,
                                         .kernelParams = p->kernelParams,
                                         .extra = p->extra};
}

static cudaError_t add_kernel_node(CUgraphNode *out, CUgraph graph, const CUgraphNode *after,
                                   size_t count, const CUDA_KERNEL_NODE_PARAMS *p)
{
    const struct cudaKernelNodeParams k = convert_kernel_params(p);
    return cudaGraphAddKernelNode(out, graph, after, count, &k);
}

CUresult cuGraphAddKernelNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *after,
                              size_t count, const CUDA_KERNEL_NODE_PARAMS *p)
{
    CU_CALL_WITHOUT_CONTEXT(p, add_kernel_node(out, graph, after, count, p));
}

static cudaError_t get_kernel_node_params(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *out)
{
    struct cudaKernelNodeParams k;
    cudaError_t e = cudaGraphKernelNodeGetParams(node, &k);
    if (!e) {
        *out = (CUDA_KERNEL_NODE_PARAMS){.func = (CUfunction)k.func,
                                         .gridDimX = k.gridDim.x,
                                         .gridDimY = k.gridDim.y,
                                         .gridDimZ = k.gridDim.z,
                                         .blockDimX = k.blockDim.x,
                                         .blockDimY = k.blockDim.y,
                                         .blockDimZ = k.blockDim.z,
                                         .sharedMemBytes = k.sharedMemBytes,
                                         .kernelParams = k.kernelParams,
                                         .extra = k.extra};
    }
    return e;
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *p)
{
    CU_CALL_WITHOUT_CONTEXT(p, get_kernel_node_params(node, p));
}

static cudaError_t set_kernel_node_params(CUgraphExec exec, CUgraphNode node,
                                          const CUDA_KERNEL_NODE_PARAMS *p)
{
    const struct cudaKernelNodeParams k = convert_kernel_params(p);
    if (!k.func)
        return cudaErrorInvalidValue;
    return exec ? cudaGraphExecKernelNodeSetParams(exec, node, &k)
                : cudaGraphKernelNodeSetParams(node, &k);
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p)
{
    CU_CALL_WITHOUT_CONTEXT(p, set_kernel_node_params(NULL, node, p));
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_KERNEL_NODE_PARAMS *p)
{
    CU_CALL_WITHOUT_CONTEXT(exec && p, set_kernel_node_params(exec, node, p));
}

/* --- copies ----------------------------------------------------------------------------------- */

static cudaError_t add_copy_node(CUgraphNode *out, CUgraph graph, const CUgraphNode *after,
                                 size_t count, const CUDA_MEMCPY3D *c)
{
    struct cudaMemcpy3DParms p;
    cudaError_t e = cu_convert_copy(c, &p);
    return e ? e : cudaGraphAddMemcpyNode(out, graph, after, count, &p);
}

CUresult cuGraphAddMemcpyNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *after,
                              size_t count, const CUDA_MEMCPY3D *c, CUcontext context)
{
    CU_CALL_WITHOUT_CONTEXT(c && context, add_copy_node(out, graph, after, count, c));
}

static cudaError_t set_copy_node_params(CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D *c)
{
    struct cudaMemcpy3DParms p;
    cudaError_t e = cu_convert_copy(c, &p);
    return e      ? e
           : exec ? cudaGraphExecMemcpyNodeSetParams(exec, node, &p)
                  : cudaGraphMemcpyNodeSetParams(node, &p);
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *c)
{
    CU_CALL_WITHOUT_CONTEXT(c, set_copy_node_params(NULL, node, c));
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D *c,
                                        CUcontext context)
{
    CU_CALL_WITHOUT_CONTEXT(exec && c && context, set_copy_node_params(exec, node, c));
}
