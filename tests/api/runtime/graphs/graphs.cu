// Graphs built by hand: order, copies, updates, children, memory, events; a missing edge shows.
// toolkit: 13
#include "check.h"

#include <cstring>

__global__ void add(int *p, int n)
{
    *p += n;
}
__global__ void twice(int *p)
{
    *p *= 2;
}
__global__ void ramp(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i] = i;
    }
}
__device__ int word[4];

static int called;
static void CUDART_CB count(void *data)
{
    called += *(int *)data;
}
static int destroyed;
static void CUDART_CB destroy(void *)
{
    destroyed++;
}

static int value(const int *d)
{
    int h = -1;
    OK(cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost));
    return h;
}

static cudaGraphNode_t kernel(cudaGraph_t g, cudaGraphNode_t after, const void *f, int *p, int n)
{
    void *args[] = {&p, &n};
    cudaKernelNodeParams k = {};
    k.func = (void *)f;
    k.gridDim = k.blockDim = dim3(1);
    k.kernelParams = args; // copied by the call: both are gone after it
    cudaGraphNode_t node = NULL;
    OK(cudaGraphAddKernelNode(&node, g, after ? &after : NULL, after ? 1 : 0, &k));
    return node;
}

static int *d;
static cudaStream_t s;

static void order()
{
    cudaGraph_t g;
    cudaGraphExec_t exec;
    OK(cudaGraphCreate(&g, 0));
    cudaMemsetParams zero = {};
    zero.dst = d;
    zero.elementSize = 4;
    zero.width = 1;
    zero.height = 1;
    zero.value = 3;
    cudaGraphNode_t a, b, c;
    OK(cudaGraphAddMemsetNode(&a, g, NULL, 0, &zero));
    b = kernel(g, a, (const void *)twice, d, 0);
    c = kernel(g, b, (const void *)add, d, 5);
    OK(cudaGraphInstantiate(&exec, g, 0));
    for (int i = 0; i < 3; i++) {
        OK(cudaGraphLaunch(exec, s));
    }
    OK(cudaStreamSynchronize(s));
    CHECK(value(d) == 3 * 2 + 5);

    // the graph's own nodes may change or go: what was instantiated stays
    OK(cudaGraphDestroyNode(c));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaStreamSynchronize(s));
    CHECK(value(d) == 11);
    size_t n = 0;
    OK(cudaGraphGetNodes(g, NULL, &n));
    CHECK(n == 2);
    OK(cudaGraphExecDestroy(exec));

    // without the edge the later node runs first: the mistake shows
    OK(cudaGraphRemoveDependencies(g, &a, &b, NULL, 1));
    OK(cudaGraphInstantiate(&exec, g, 0));
    OK(cudaMemset(d, 0, 4));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaDeviceSynchronize());
    CHECK(value(d) == 3);
    OK(cudaGraphExecDestroy(exec));
    // an edge against the order of making
    OK(cudaGraphAddDependencies(g, &b, &a, NULL, 1));
    OK(cudaGraphInstantiate(&exec, g, 0));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaDeviceSynchronize());
    CHECK(value(d) == 3);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(g));
}

static void stream_order()
{
    // a launch comes after what the stream holds, and before what follows
    cudaGraph_t g;
    cudaGraphExec_t exec;
    OK(cudaGraphCreate(&g, 0));
    kernel(g, NULL, (const void *)twice, d, 0);
    OK(cudaGraphInstantiate(&exec, g, 0));
    OK(cudaGraphDestroy(g)); // not needed any more
    OK(cudaMemsetAsync(d, 0, 4, s));
    add<<<1, 1, 0, s>>>(d, 4);
    OK(cudaGraphLaunch(exec, s));
    add<<<1, 1, 0, s>>>(d, 1);
    OK(cudaGraphLaunch(exec, s));
    OK(cudaStreamSynchronize(s));
    CHECK(value(d) == (4 * 2 + 1) * 2);
    // launches of one executable graph follow one another, in whichever streams
    cudaStream_t t;
    OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    OK(cudaMemset(d, 0, 4));
    add<<<1, 1>>>(d, 1);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 8; i++) {
        OK(cudaGraphLaunch(exec, i % 2 ? s : t));
    }
    OK(cudaDeviceSynchronize());
    CHECK(value(d) == 256);
    OK(cudaGraphLaunch(exec, 0));
    CHECK(value(d) == 512);
    OK(cudaStreamDestroy(t));
    OK(cudaGraphExecDestroy(exec));
}

static void kinds()
{
    cudaGraph_t g, inner;
    cudaGraphExec_t exec;
    cudaGraphNode_t in, sym, out, host, child, rec;
    static int from[4] = {1, 2, 3, 4}, to[4], more = 2;
    cudaEvent_t e;
    OK(cudaEventCreate(&e));
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphCreate(&inner, 0));
    kernel(inner, kernel(inner, NULL, (const void *)add, d, 10), (const void *)twice, d, 0);
    OK(cudaGraphAddMemcpyNode1D(&in, g, NULL, 0, d, from, 16, cudaMemcpyHostToDevice));
    OK(cudaGraphAddChildGraphNode(&child, g, &in, 1, inner));
    kernel(inner, NULL, (const void *)add, d, 1000); // the child was copied
    OK(cudaGraphAddMemcpyNodeToSymbol(&sym, g, &child, 1, word, d, 16, 0, cudaMemcpyDeviceToDevice));
    OK(cudaGraphAddMemcpyNodeFromSymbol(&out, g, &sym, 1, to, word, 16, 0, cudaMemcpyDeviceToHost));
    cudaHostNodeParams h = {count, &more};
    OK(cudaGraphAddHostNode(&host, g, &out, 1, &h));
    OK(cudaGraphAddEventRecordNode(&rec, g, &host, 1, e));
    OK(cudaGraphInstantiate(&exec, g, 0));
    called = 0;
    from[1] = 77; // read when the graph runs
    OK(cudaGraphLaunch(exec, s));
    CHECK(to[0] == 0);
    OK(cudaEventSynchronize(e));
    CHECK(to[0] == 22 && to[1] == 77 && to[3] == 4);
    CHECK(called == 2);
    cudaGraphNodeType type;
    OK(cudaGraphNodeGetType(child, &type));
    CHECK(type == cudaGraphNodeTypeGraph);

    // generic nodes, and a copy in three dimensions
    cudaGraphNodeParams p = {};
    p.type = cudaGraphNodeTypeMemset;
    p.memset.dst = d + 8;
    p.memset.elementSize = 2;
    p.memset.value = 0x0102;
    p.memset.width = 3;
    p.memset.height = 2;
    p.memset.pitch = 8;
    OK(cudaMemset(d + 8, 0, 16));
    cudaGraph_t g2;
    OK(cudaGraphCreate(&g2, 0));
    cudaGraphNode_t m;
    OK(cudaGraphAddNode(&m, g2, NULL, NULL, 0, &p));
    cudaMemcpy3DParms box = {};
    static unsigned short rows[8];
    box.srcPtr = make_cudaPitchedPtr(d + 8, 8, 8, 2);
    box.dstPtr = make_cudaPitchedPtr(rows, 8, 8, 2);
    box.extent = make_cudaExtent(6, 2, 1);
    box.kind = cudaMemcpyDeviceToHost;
    OK(cudaGraphAddMemcpyNode(&out, g2, &m, 1, &box));
    cudaGraphExec_t exec2;
    OK(cudaGraphInstantiate(&exec2, g2, 0));
    OK(cudaGraphLaunch(exec2, s));
    OK(cudaStreamSynchronize(s));
    CHECK(rows[0] == 0x0102 && rows[2] == 0x0102 && rows[3] == 0 && rows[6] == 0x0102);
    OK(cudaGraphExecDestroy(exec2));
    OK(cudaGraphDestroy(g2));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(g));
    OK(cudaGraphDestroy(inner));
    OK(cudaEventDestroy(e));
}

static void updates()
{
    cudaGraph_t g, g2;
    cudaGraphExec_t exec;
    OK(cudaGraphCreate(&g, 0));
    cudaGraphNode_t a = kernel(g, NULL, (const void *)add, d, 3);
    cudaGraphNode_t b = kernel(g, a, (const void *)twice, d, 0);
    OK(cudaGraphInstantiate(&exec, g, 0));
    int n = 7;
    void *args[] = {&d, &n};
    cudaKernelNodeParams k;
    OK(cudaGraphKernelNodeGetParams(a, &k));
    CHECK(k.func == (void *)add && *(int *)k.kernelParams[1] == 3);
    k.kernelParams = args;
    OK(cudaGraphExecKernelNodeSetParams(exec, a, &k));
    OK(cudaMemset(d, 0, 4));
    OK(cudaGraphLaunch(exec, s));
    n = 1000; // was copied
    OK(cudaStreamSynchronize(s));
    CHECK(value(d) == 14);
    OK(cudaGraphKernelNodeGetParams(a, &k));
    CHECK(*(int *)k.kernelParams[1] == 3); // the graph's own stays

    // a node that is switched off
    OK(cudaGraphNodeSetEnabled(exec, b, 0));
    OK(cudaMemset(d, 0, 4));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaStreamSynchronize(s));
    CHECK(value(d) == 7);
    OK(cudaGraphNodeSetEnabled(exec, b, 1));

    // another graph of the same shape
    OK(cudaGraphCreate(&g2, 0));
    cudaGraphNode_t c = kernel(g2, NULL, (const void *)add, d, 100);
    kernel(g2, c, (const void *)twice, d, 0);
    cudaGraphExecUpdateResultInfo info;
    OK(cudaGraphExecUpdate(exec, g2, &info));
    CHECK(info.result == cudaGraphExecUpdateSuccess);
    OK(cudaMemset(d, 0, 4));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaStreamSynchronize(s));
    CHECK(value(d) == 200);
    // and of another: nothing changes
    kernel(g2, c, (const void *)twice, d, 0);
    EXPECT(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(exec, g2, &info));
    CHECK(info.result == cudaGraphExecUpdateErrorTopologyChanged);
    cudaGetLastError();
    OK(cudaMemset(d, 0, 4));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaStreamSynchronize(s));
    CHECK(value(d) == 200);

    // a clone knows its nodes
    cudaGraph_t clone;
    cudaGraphNode_t twin;
    OK(cudaGraphClone(&clone, g));
    OK(cudaGraphNodeFindInClone(&twin, b, clone));
    size_t deps = 0;
    OK(cudaGraphNodeGetDependencies(twin, NULL, NULL, &deps));
    CHECK(deps == 1 && twin != b);
    OK(cudaGraphDestroy(clone));

    // a circle cannot be instantiated
    cudaGraph_t loop;
    OK(cudaGraphCreate(&loop, 0));
    cudaGraphNode_t x, y;
    OK(cudaGraphAddEmptyNode(&x, loop, NULL, 0));
    OK(cudaGraphAddEmptyNode(&y, loop, &x, 1));
    if (cudaGraphAddDependencies(loop, &y, &x, NULL, 1) == cudaSuccess) {
        cudaGraphExec_t bad;
        EXPECT(cudaErrorInvalidValue, cudaGraphInstantiate(&bad, loop, 0));
    }
    cudaGetLastError();
    OK(cudaGraphDestroy(loop));

    // objects that a graph keeps
    cudaUserObject_t object;
    OK(cudaUserObjectCreate(&object, NULL, destroy, 1, cudaUserObjectNoDestructorSync));
    OK(cudaGraphRetainUserObject(g, object, 1, cudaGraphUserObjectMove));
    OK(cudaGraphDestroy(g));
    CHECK(destroyed == 1);
    OK(cudaGraphDestroy(g2));
    OK(cudaGraphExecDestroy(exec));
}

static unsigned long long footprint()
{
    unsigned long long used = 1;
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    return used;
}

static cudaGraphExec_t passing(bool freed, void **at)
{
    cudaGraph_t g;
    cudaGraphExec_t exec;
    cudaGraphNode_t a, f;
    cudaMemAllocNodeParams p = {};
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location.type = cudaMemLocationTypeDevice;
    p.bytesize = 64 << 20;
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphAddMemAllocNode(&a, g, NULL, 0, &p));
    *at = p.dptr;
    if (freed) {
        a = kernel(g, a, (const void *)ramp, (int *)p.dptr, 1);
        OK(cudaGraphAddMemFreeNode(&f, g, &a, 1, p.dptr));
    }
    OK(cudaGraphInstantiate(&exec, g, 0));
    OK(cudaGraphDestroy(g));
    return exec;
}

// Launches one after another share memory, launches beside one another do not, and what they leave
// allocated nobody else has.
static void footprints()
{
    const unsigned long long each = 64 << 20;
    cudaGraphExec_t exec[3];
    void *at[3];
    cudaStream_t other;
    OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    for (int i = 0; i < 3; i++) {
        exec[i] = passing(true, &at[i]);
    }
    CHECK(footprint() == 0);
    OK(cudaGraphLaunch(exec[0], s));
    OK(cudaGraphLaunch(exec[0], s));
    OK(cudaGraphLaunch(exec[1], s));
    CHECK(footprint() == each);
    OK(cudaGraphLaunch(exec[2], other));
    CHECK(footprint() == 2 * each);
    OK(cudaDeviceSynchronize());
    CHECK(footprint() == 2 * each);
    OK(cudaDeviceGraphMemTrim(0));
    CHECK(footprint() == 0);
    for (int i = 0; i < 3; i++) {
        OK(cudaGraphExecDestroy(exec[i]));
        exec[i] = passing(false, &at[i]);
        OK(cudaGraphLaunch(exec[i], s));
        CHECK(footprint() == (i + 1) * each);
    }
    OK(cudaStreamSynchronize(s));
    OK(cudaDeviceGraphMemTrim(0));
    CHECK(footprint() == 3 * each);
    for (int i = 0; i < 3; i++) {
        OK(cudaFree(at[i]));
    }
    CHECK(footprint() == 3 * each);
    OK(cudaDeviceGraphMemTrim(0));
    CHECK(footprint() == 0);
    for (int i = 0; i < 3; i++) {
        OK(cudaGraphExecDestroy(exec[i]));
    }
    OK(cudaStreamDestroy(other));
}

static void memory()
{
    cudaGraph_t g;
    cudaGraphExec_t exec;
    cudaGraphNode_t a, k, c, f;
    cudaMemAllocNodeParams p = {};
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location.type = cudaMemLocationTypeDevice;
    p.bytesize = 4096;
    static int back[1024];
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphAddMemAllocNode(&a, g, NULL, 0, &p));
    int *at = (int *)p.dptr, n = 1024;
    void *args[] = {&at, &n};
    cudaKernelNodeParams kp = {};
    kp.func = (void *)ramp;
    kp.gridDim = dim3(4);
    kp.blockDim = dim3(256);
    kp.kernelParams = args;
    OK(cudaGraphAddKernelNode(&k, g, &a, 1, &kp));
    OK(cudaGraphAddMemcpyNode1D(&c, g, &k, 1, back, at, sizeof back, cudaMemcpyDeviceToHost));
    OK(cudaGraphAddMemFreeNode(&f, g, &c, 1, at));
    OK(cudaGraphInstantiate(&exec, g, 0));
    for (int i = 0; i < 2; i++) {
        memset(back, 0, sizeof back);
        OK(cudaGraphLaunch(exec, s));
        OK(cudaStreamSynchronize(s));
        CHECK(back[1023] == 1023);
    }
    // what a launch took stays with the graphs until it is trimmed, as on an H200
    CHECK(footprint() == 2 << 20);
    OK(cudaGraphExecDestroy(exec));
    CHECK(footprint() == 2 << 20);
    OK(cudaDeviceGraphMemTrim(0));
    CHECK(footprint() == 0);
    OK(cudaGraphDestroy(g));

    // memory that outlives the launch, until the program frees it
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphAddMemAllocNode(&a, g, NULL, 0, &p));
    OK(cudaGraphInstantiate(&exec, g, 0));
    OK(cudaGraphLaunch(exec, s));
    EXPECT(cudaErrorInvalidValue, cudaGraphLaunch(exec, s));
    cudaGetLastError();
    OK(cudaMemset(p.dptr, 1, 4096));
    OK(cudaFreeAsync(p.dptr, s));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaFree(p.dptr));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(g));
}

// An allocation behind the free of another one in the same graph gets its address, as on an H200.
static void addresses()
{
    cudaGraph_t g;
    cudaGraphExec_t exec;
    cudaGraphNode_t a, k, f, b, k2, c, last;
    cudaMemAllocNodeParams p = {};
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location.type = cudaMemLocationTypeDevice;
    p.bytesize = 4096;
    static int back[1024];
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphAddMemAllocNode(&a, g, NULL, 0, &p));
    void *first = p.dptr;
    k = kernel(g, a, (const void *)ramp, (int *)first, 1);
    OK(cudaGraphAddMemAllocNode(&b, g, &k, 1, &p));
    CHECK(p.dptr != first); // that is still in use
    void *other = p.dptr;
    OK(cudaGraphAddMemFreeNode(&f, g, &k, 1, first));
    OK(cudaGraphAddMemAllocNode(&b, g, NULL, 0, &p));
    CHECK(p.dptr != first && p.dptr != other); // not behind it
    void *third = p.dptr;
    OK(cudaGraphAddMemAllocNode(&b, g, &f, 1, &p));
    CHECK(p.dptr == first);
    int *at = (int *)p.dptr;
    OK(cudaGraphAddMemAllocNode(&c, g, &b, 1, &p));
    CHECK(p.dptr != first); // once only
    void *fourth = p.dptr;
    k2 = kernel(g, b, (const void *)ramp, at, 1);
    OK(cudaGraphAddMemcpyNode1D(&c, g, &k2, 1, back, at, sizeof back, cudaMemcpyDeviceToHost));
    OK(cudaGraphAddMemFreeNode(&last, g, &c, 1, at));
    OK(cudaGraphInstantiate(&exec, g, 0));
    for (int i = 0; i < 2; i++) {
        OK(cudaGraphLaunch(exec, s));
        OK(cudaStreamSynchronize(s));
        EXPECT(cudaErrorInvalidValue, cudaFree(first));
        cudaGetLastError();
        OK(cudaFree(other));
        OK(cudaFree(third));
        OK(cudaFree(fourth));
    }
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(g));
}

static void large()
{
    cudaGraph_t g;
    cudaGraphExec_t exec;
    OK(cudaGraphCreate(&g, 0));
    cudaGraphNode_t last = NULL;
    for (int i = 0; i < 3000; i++) {
        last = kernel(g, last, (const void *)add, d, 1);
    }
    OK(cudaGraphInstantiate(&exec, g, 0));
    OK(cudaMemset(d, 0, 4));
    for (int i = 0; i < 2; i++) {
        OK(cudaGraphLaunch(exec, s));
    }
    OK(cudaStreamSynchronize(s));
    CHECK(value(d) == 6000);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(g));
}

static void times()
{
    // what depends on nothing runs beside it; events give modelled times
    cudaEvent_t a, b;
    float ms = 0;
    cudaGraph_t g;
    cudaGraphExec_t exec;
    OK(cudaEventCreate(&a));
    OK(cudaEventCreate(&b));
    OK(cudaGraphCreate(&g, 0));
    for (int i = 0; i < 4; i++) {
        kernel(g, NULL, (const void *)twice, d + 64 * i, 0);
    }
    OK(cudaGraphInstantiate(&exec, g, 0));
    OK(cudaEventRecord(a, s));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaEventRecord(b, s));
    OK(cudaEventSynchronize(b));
    OK(cudaEventElapsedTime(&ms, a, b));
    CHECK(ms > 0);
    OK(cudaGraphDebugDotPrint(g, "/dev/null", cudaGraphDebugDotFlagsVerbose));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(g));
}

int main()
{
    OK(cudaMalloc(&d, 4096));
    OK(cudaMemset(d, 0, 4096));
    OK(cudaStreamCreate(&s));
    order();
    stream_order();
    kinds();
    updates();
    footprints();
    memory();
    addresses();
    large();
    times();
    OK(cudaFree(d));
    // a reset device has no graphs left
    cudaGraph_t g;
    OK(cudaGraphCreate(&g, 0));
    OK(cudaDeviceReset());
    EXPECT(cudaErrorInvalidValue, cudaGraphDestroy(g));
    return print_failures();
}
