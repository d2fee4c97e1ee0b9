// toolkit: 13
// stderr: cudaGraphSetConditional\(0x[0-9a-f]+\): that is no handle of a conditional node, or its graph has been destroyed
// A kernel that sets what is no condition, and one whose loop ends by a fault, end with the code of
// a bad address; a loop of ten thousand turns keeps no memory of them.
#include "check.h"

__global__ void set(cudaGraphConditionalHandle h, unsigned value)
{
    cudaGraphSetConditional(h, value);
}

__global__ void turn(cudaGraphConditionalHandle h, int *p)
{
    cudaGraphSetConditional(h, --*p > 0);
}

int main()
{
    cudaGraph_t g;
    cudaGraphConditionalHandle h;
    cudaGraphNode_t n, m;
    cudaGraphExec_t x;
    int *p;
    CHECK(cudaMallocManaged(&p, sizeof *p) == cudaSuccess);
    *p = 10000;
    CHECK(cudaGraphCreate(&g, 0) == cudaSuccess);
    CHECK(cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault) == cudaSuccess);
    cudaGraphNodeParams c = {cudaGraphNodeTypeConditional};
    c.conditional.handle = h;
    c.conditional.type = cudaGraphCondTypeWhile;
    c.conditional.size = 1;
    CHECK(cudaGraphAddNode(&n, g, NULL, NULL, 0, &c) == cudaSuccess);
    void *args[] = {&h, &p};
    cudaKernelNodeParams k = {};
    k.func = (void *)turn;
    k.gridDim = k.blockDim = dim3(1);
    k.kernelParams = args;
    CHECK(cudaGraphAddKernelNode(&m, c.conditional.phGraph_out[0], NULL, 0, &k) == cudaSuccess);
    CHECK(cudaGraphInstantiate(&x, g, 0) == cudaSuccess);
    CHECK(cudaGraphLaunch(x, 0) == cudaSuccess);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(*p == 0);
    /* Destroyed while its launch waits: the launch comes first. */
    *p = 3;
    CHECK(cudaGraphLaunch(x, 0) == cudaSuccess);
    CHECK(cudaGraphExecDestroy(x) == cudaSuccess);
    CHECK(*p == 0);
    CHECK(cudaGraphDestroy(g) == cudaSuccess);
    set<<<1, 1>>>(h, 1);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    return 0;
}
