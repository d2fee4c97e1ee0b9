// Streams that capture: what becomes of calls, forks and joins, and what a capture forbids.
// toolkit: 13
#include "check.h"

__global__ void add(int *p, int n)
{
    *p += n;
}
__global__ void twice(int *p)
{
    *p *= 2;
}
__global__ void take(int *to, const int *a, const int *b)
{
    *to = *a + *b;
}
__device__ int word;

static int value(const int *d)
{
    int h = -1;
    OK(cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost));
    return h;
}

static int called;
static void CUDART_CB count(void *)
{
    called++;
}

int main()
{
    int *d, *e, *pinned;
    cudaStream_t s, t;
    cudaEvent_t fork, join;
    cudaGraph_t g;
    cudaGraphExec_t exec;
    const cudaStreamCaptureMode global = cudaStreamCaptureModeGlobal;
    OK(cudaMalloc(&d, 64));
    OK(cudaMalloc(&e, 64));
    OK(cudaMallocHost(&pinned, 64));
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreate(&t));
    OK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    OK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));

    // one stream: every kind of work becomes a node behind the one before
    OK(cudaMemset(d, 0, 64));
    OK(cudaStreamBeginCapture(s, global));
    *pinned = 5;
    OK(cudaMemcpyAsync(d, pinned, 4, cudaMemcpyHostToDevice, s));
    add<<<1, 1, 0, s>>>(d, 1);
    OK(cudaMemcpyToSymbolAsync(word, d, 4, 0, cudaMemcpyDeviceToDevice, s));
    OK(cudaMemcpyFromSymbolAsync(e, word, 4, 0, cudaMemcpyDeviceToDevice, s));
    OK(cudaMemsetAsync(d, 0, 4, s));
    OK(cudaLaunchHostFunc(s, count, NULL));
    cudaStreamCaptureStatus status;
    OK(cudaStreamIsCapturing(s, &status));
    CHECK(status == cudaStreamCaptureStatusActive);
    OK(cudaStreamIsCapturing(t, &status));
    CHECK(status == cudaStreamCaptureStatusNone);
    OK(cudaStreamEndCapture(s, &g));
    CHECK(called == 0);
    size_t n = 0, edges = 0;
    OK(cudaGraphGetNodes(g, NULL, &n));
    OK(cudaGraphGetEdges(g, NULL, NULL, NULL, &edges));
    CHECK(n == 6 && edges == 5);
    OK(cudaGraphInstantiate(&exec, g, 0));
    *pinned = 6; // nothing has run yet
    CHECK(value(d) == 0);
    OK(cudaGraphLaunch(exec, s));
    OK(cudaStreamSynchronize(s));
    CHECK(value(e) == 7 && value(d) == 0 && called == 1);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(g));

    // a fork and a join through events
    OK(cudaStreamBeginCapture(s, global));
    OK(cudaMemsetAsync(d, 0, 64, s));
    OK(cudaEventRecord(fork, s));
    OK(cudaStreamWaitEvent(t, fork, 0));
    add<<<1, 1, 0, s>>>(d, 1);
    add<<<1, 1, 0, t>>>(d + 1, 2);
    OK(cudaStreamIsCapturing(t, &status));
    CHECK(status == cudaStreamCaptureStatusActive);
    OK(cudaEventRecord(join, t));
    OK(cudaStreamWaitEvent(s, join, 0));
    take<<<1, 1, 0, s>>>(d + 2, d, d + 1);
    OK(cudaStreamEndCapture(s, &g));
    cudaGraphNode_t nodes[8];
    n = 8;
    OK(cudaGraphGetNodes(g, nodes, &n));
    CHECK(n == 4);
    OK(cudaGraphNodeGetDependencies(nodes[3], NULL, NULL, &edges));
    CHECK(edges == 2);
    OK(cudaGraphInstantiate(&exec, g, 0));
    OK(cudaGraphLaunch(exec, t));
    OK(cudaStreamSynchronize(t));
    CHECK(value(d + 2) == 3);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(g));

    // a fork without a join is refused; so is waiting; and all is well afterwards
    OK(cudaStreamBeginCapture(s, global));
    OK(cudaEventRecord(fork, s));
    OK(cudaStreamWaitEvent(t, fork, 0));
    add<<<1, 1, 0, t>>>(d, 1);
    EXPECT(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(s, &g));
    CHECK(g == NULL);
    OK(cudaStreamIsCapturing(t, &status));
    CHECK(status == cudaStreamCaptureStatusNone);
    OK(cudaStreamBeginCapture(s, global));
    EXPECT(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(s));
    EXPECT(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &g));
    OK(cudaStreamBeginCapture(s, global));
    void *p;
    EXPECT(cudaErrorStreamCaptureUnsupported, cudaMalloc(&p, 64));
    EXPECT(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &g));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    OK(cudaMalloc(&p, 64));
    OK(cudaStreamEndCapture(s, &g));
    OK(cudaGraphDestroy(g));
    OK(cudaFree(p));
    OK(cudaStreamBeginCapture(s, global));
    add<<<1, 1>>>(d, 1);
    EXPECT(cudaErrorStreamCaptureImplicit, cudaGetLastError());
    EXPECT(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &g));
    EXPECT(cudaErrorStreamCaptureUnsupported, cudaStreamBeginCapture(0, global));
    cudaGetLastError();
    OK(cudaMemset(d, 0, 64));
    add<<<1, 1, 0, s>>>(d, 1);
    OK(cudaStreamSynchronize(s));
    CHECK(value(d) == 1);

    // memory of the capture
    int *temp;
    OK(cudaStreamBeginCapture(s, global));
    OK(cudaMallocAsync((void **)&temp, 4, s));
    OK(cudaMemcpyAsync(temp, d, 4, cudaMemcpyDeviceToDevice, s));
    twice<<<1, 1, 0, s>>>(temp);
    OK(cudaMemcpyAsync(e, temp, 4, cudaMemcpyDeviceToDevice, s));
    OK(cudaFreeAsync(temp, s));
    OK(cudaStreamEndCapture(s, &g));
    OK(cudaGraphInstantiate(&exec, g, 0));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaStreamSynchronize(s));
    CHECK(value(e) == 2);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(g));

    // a loop that captures anew and updates, as programs do
    exec = NULL;
    OK(cudaMemset(d, 0, 64));
    for (int i = 1; i <= 5; i++) {
        OK(cudaStreamBeginCapture(s, global));
        add<<<1, 1, 0, s>>>(d, i);
        twice<<<1, 1, 0, s>>>(d);
        OK(cudaStreamEndCapture(s, &g));
        cudaGraphExecUpdateResultInfo info;
        if (!exec || cudaGraphExecUpdate(exec, g, &info)) {
            OK(cudaGraphInstantiate(&exec, g, 0));
        }
        OK(cudaGraphDestroy(g));
        OK(cudaGraphLaunch(exec, s));
    }
    OK(cudaStreamSynchronize(s));
    CHECK(value(d) == ((((1 * 2 + 2) * 2 + 3) * 2 + 4) * 2 + 5) * 2);
    OK(cudaGraphExecDestroy(exec));

    // nodes put in by hand between captured ones
    const cudaGraphNode_t *deps;
    unsigned long long id;
    OK(cudaStreamBeginCapture(s, global));
    add<<<1, 1, 0, s>>>(d, 1);
    OK(cudaStreamGetCaptureInfo(s, &status, &id, &g, &deps, NULL, &n));
    CHECK(n == 1 && id != 0);
    cudaGraphNode_t empty, before = deps[0];
    OK(cudaGraphAddEmptyNode(&empty, g, &before, 1));
    OK(cudaStreamUpdateCaptureDependencies(s, &empty, NULL, 1, cudaStreamSetCaptureDependencies));
    add<<<1, 1, 0, s>>>(d, 1);
    OK(cudaStreamEndCapture(s, &g));
    n = 0;
    OK(cudaGraphGetNodes(g, NULL, &n));
    CHECK(n == 3);
    OK(cudaGraphDestroy(g));

    // into the program's own graph, which is told to nobody at the end and stays
    OK(cudaMemset(d, 0, 64));
    OK(cudaGraphCreate(&g, 0));
    OK(cudaStreamBeginCaptureToGraph(s, g, NULL, NULL, 0, global));
    add<<<1, 1, 0, s>>>(d, 3);
    twice<<<1, 1, 0, s>>>(d);
    OK(cudaStreamEndCapture(s, NULL));
    OK(cudaGraphInstantiate(&exec, g, 0));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaStreamSynchronize(s));
    CHECK(value(d) == 6);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(g));
    OK(cudaFree(d));
    OK(cudaFree(e));
    OK(cudaFreeHost(pinned));
    return print_failures();
}
