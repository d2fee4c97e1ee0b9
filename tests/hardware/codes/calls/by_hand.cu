/* Graphs made by hand: children, memory nodes, host nodes, captures with forks, updates, edits. */
#include "try.h"
__global__ void add(int *p, int k)
{
    atomicAdd(p, k);
}
__global__ void scale(int *p, int n, int k)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        p[i] = p[i] * k + i;
}
static int calls;
static void CUDART_CB host(void *p)
{
    calls += *(int *)p;
}
int main()
{
    int *d;
    OK(cudaMalloc(&d, 1024));
    OK(cudaMemset(d, 0, 1024));
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    cudaGraph_t child, g;
    OK(cudaGraphCreate(&child, 0));
    int k = 3;
    void *args[] = {&d, &k};
    cudaKernelNodeParams kp = {};
    kp.func = (void *)add;
    kp.gridDim = dim3(2);
    kp.blockDim = dim3(32);
    kp.kernelParams = args;
    cudaGraphNode_t c1, c2;
    OK(cudaGraphAddKernelNode(&c1, child, 0, 0, &kp));
    k = 4;
    OK(cudaGraphAddKernelNode(&c2, child, &c1, 1, &kp));
    OK(cudaGraphCreate(&g, 0));
    cudaGraphNode_t n1, n2, n3, n4, n5, al, fr;
    OK(cudaGraphAddChildGraphNode(&n1, g, 0, 0, child));
    cudaHostNodeParams hp = {host, &k};
    OK(cudaGraphAddHostNode(&n2, g, &n1, 1, &hp));
    cudaMemAllocNodeParams ap = {};
    ap.poolProps.allocType = cudaMemAllocationTypePinned;
    ap.poolProps.location.type = cudaMemLocationTypeDevice;
    ap.bytesize = 4096;
    OK(cudaGraphAddMemAllocNode(&al, g, &n1, 1, &ap));
    printf("dptr %d\n", ap.dptr != 0);
    cudaMemsetParams mp = {};
    mp.dst = ap.dptr;
    mp.elementSize = 4;
    mp.width = 256;
    mp.height = 1;
    mp.value = 5;
    OK(cudaGraphAddMemsetNode(&n3, g, &al, 1, &mp));
    int *q = (int *)ap.dptr, n = 256, m = 7;
    void *sa[] = {&q, &n, &m};
    kp.func = (void *)scale;
    kp.gridDim = dim3(1);
    kp.kernelParams = sa;
    OK(cudaGraphAddKernelNode(&n4, g, &n3, 1, &kp));
    int h[256] = {};
    OK(cudaGraphAddMemcpyNode1D(&n5, g, &n4, 1, h, q, 1024, cudaMemcpyDeviceToHost));
    OK(cudaGraphAddMemFreeNode(&fr, g, &n5, 1, q));
    size_t cnt;
    OK(cudaGraphGetNodes(g, 0, &cnt));
    printf("nodes %zu\n", cnt);
    OK(cudaGraphGetEdges(g, 0, 0, 0, &cnt));
    printf("edges %zu\n", cnt);
    OK(cudaGraphGetRootNodes(g, 0, &cnt));
    printf("roots %zu\n", cnt);
    std::vector<cudaGraphNode_t> nodes(10);
    cnt = 10;
    OK(cudaGraphGetNodes(g, nodes.data(), &cnt));
    for (size_t i = 0; i < cnt; i++) {
        cudaGraphNodeType t;
        OK(cudaGraphNodeGetType(nodes[i], &t));
        printf("%d ", (int)t);
    }
    puts("");
    cudaGraphExec_t x;
    OK(cudaGraphInstantiate(&x, g, 0));
    for (int i = 0; i < 3; i++) {
        OK(cudaGraphLaunch(x, s));
        OK(cudaStreamSynchronize(s));
        printf("%d %d %d %d\n", h[0], h[100], calls, hash_(h, 1024));
    }
    int v;
    OK(cudaMemcpy(&v, d, 4, cudaMemcpyDeviceToHost));
    printf("%d\n", v);
    TRY(cudaGraphInstantiate(&x, g, 0));
    cudaGraph_t cl;
    TRY(cudaGraphClone(&cl, g));
    cudaGraph_t got;
    TRY(cudaGraphChildGraphNodeGetGraph(n1, &got));
    OK(cudaGraphGetNodes(got, 0, &cnt));
    printf("child %zu\n", cnt);
    // captured, with a fork, then updated
    cudaStream_t s2;
    OK(cudaStreamCreate(&s2));
    cudaEvent_t e1, e2;
    OK(cudaEventCreate(&e1));
    OK(cudaEventCreate(&e2));
    cudaGraphExec_t y = 0;
    for (int it = 0; it < 3; it++) {
        OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
        OK(cudaMemsetAsync(d, 0, 1024, s));
        OK(cudaEventRecord(e1, s));
        OK(cudaStreamWaitEvent(s2, e1));
        add<<<1, 32, 0, s>>>(d, it + 1);
        add<<<1, 32, 0, s2>>>(d + 1, it + 2);
        OK(cudaEventRecord(e2, s2));
        OK(cudaStreamWaitEvent(s, e2));
        scale<<<1, 32, 0, s>>>(d, 4, 2 + it);
        if (it == 2)
            add<<<1, 1, 0, s>>>(d + 2, 9);
        cudaGraph_t cg;
        OK(cudaStreamEndCapture(s, &cg));
        OK(cudaGraphGetNodes(cg, 0, &cnt));
        size_t ed;
        OK(cudaGraphGetEdges(cg, 0, 0, 0, &ed));
        printf("captured %zu %zu\n", cnt, ed);
        if (y) {
            cudaGraphExecUpdateResultInfo info;
            cudaError_t u = cudaGraphExecUpdate(y, cg, &info);
            printf("update %s %d\n", cudaGetErrorName(u), (int)info.result);
            cudaGetLastError();
            if (u) {
                OK(cudaGraphExecDestroy(y));
                y = 0;
            }
        }
        if (!y)
            OK(cudaGraphInstantiate(&y, cg, 0));
        OK(cudaGraphLaunch(y, s));
        OK(cudaStreamSynchronize(s));
        int r[4];
        OK(cudaMemcpy(r, d, 16, cudaMemcpyDeviceToHost));
        printf("%d %d %d %d\n", r[0], r[1], r[2], r[3]);
        OK(cudaGraphDestroy(cg));
    }
    // wrong things while capturing
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    void *bad;
    TRY(cudaMalloc(&bad, 10));
    TRY(cudaStreamSynchronize(s));
    TRY(cudaMemcpy(h, d, 4, cudaMemcpyDeviceToHost));
    cudaStreamCaptureStatus st;
    TRY(cudaStreamIsCapturing(s, &st));
    printf("%d\n", (int)st);
    cudaGraph_t cg;
    TRY(cudaStreamEndCapture(s, &cg));
    printf("%d\n", cg != 0);
    TRY(cudaStreamEndCapture(s, &cg));
    TRY(cudaDeviceSynchronize());
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    OK(cudaEventRecord(e1, s));
    OK(cudaStreamWaitEvent(s2, e1));
    add<<<1, 1, 0, s2>>>(d, 1);
    TRY(cudaStreamEndCapture(s, &cg));
    TRY(cudaStreamIsCapturing(s2, &st));
    printf("%d\n", (int)st);
    // single node edits
    cudaGraphExec_t z;
    cudaGraph_t e;
    OK(cudaGraphCreate(&e, 0));
    kp.func = (void *)add;
    kp.kernelParams = args;
    k = 1;
    OK(cudaGraphAddKernelNode(&n1, e, 0, 0, &kp));
    OK(cudaGraphAddKernelNode(&n2, e, &n1, 1, &kp));
    OK(cudaGraphInstantiate(&z, e, 0));
    k = 50;
    TRY(cudaGraphExecKernelNodeSetParams(z, n1, &kp));
    TRY(cudaGraphNodeSetEnabled(z, n2, 0));
    unsigned en;
    TRY(cudaGraphNodeGetEnabled(z, n2, &en));
    printf("%u\n", en);
    OK(cudaMemset(d, 0, 4));
    OK(cudaGraphLaunch(z, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaMemcpy(&v, d, 4, cudaMemcpyDeviceToHost));
    printf("%d\n", v);
    TRY(cudaGraphRemoveDependencies(e, &n1, &n2, 0, 1));
    TRY(cudaGraphRemoveDependencies(e, &n1, &n2, 0, 1));
    TRY(cudaGraphAddDependencies(e, &n1, &n1, 0, 1));
    TRY(cudaGraphAddDependencies(e, &n1, &n2, 0, 1));
    TRY(cudaGraphAddDependencies(e, &n2, &n1, 0, 1));
    TRY(cudaGraphDestroyNode(n1));
    OK(cudaGraphGetNodes(e, 0, &cnt));
    printf("%zu\n", cnt);
    unsigned long long fl;
    TRY(cudaGraphExecGetFlags(z, &fl));
    printf("%llu\n", fl);
    TRY(cudaGraphUpload(z, s));
    TRY(cudaGraphExecDestroy(z));
    TRY(cudaGraphDestroy(e));
    TRY(cudaDeviceGraphMemTrim(0));
    unsigned long long used;
    TRY(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    printf("%llu\n", used);
    return 0;
}
