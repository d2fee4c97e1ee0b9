/* Stream capture: what the runtime returns, call by call, legal and not. */
#include "on_graphs.h"

#include <thread>

static void CUDART_CB callback(cudaStream_t, cudaError_t, void *) {}

static const char *status_name(cudaStreamCaptureStatus c)
{
    return c == cudaStreamCaptureStatusNone          ? "none"
           : c == cudaStreamCaptureStatusActive      ? "active"
           : c == cudaStreamCaptureStatusInvalidated ? "invalidated"
                                                     : "?";
}

/* What NAME's call returns while S captures, what becomes of the capture, and how it ends. */
static void capturing(const char *name, cudaStreamCaptureMode mode, cudaError_t (*call)())
{
    cudaGraph_t graph = NULL;
    char text[200];
    cudaError_t code = cudaStreamBeginCapture(s, mode);
    if (code) {
        SHOW(name, "begin: %s", cudaGetErrorName(code));
        return;
    }
    add<<<1, 1, 0, s>>>(d, 1);
    SAY(name, call());
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cudaStreamIsCapturing(s, &status);
    snprintf(text, sizeof text, "%s, the capture is", name);
    SHOW(text, "%s", status_name(status));
    snprintf(text, sizeof text, "%s, the end says", name);
    SAY(text, cudaStreamEndCapture(s, &graph));
    size_t nodes = 0;
    if (graph) {
        cudaGraphGetNodes(graph, NULL, &nodes);
        cudaGraphDestroy(graph);
    }
    snprintf(text, sizeof text, "%s, nodes", name);
    SHOW(text, "%s %zu", graph ? "graph" : "none", nodes);
    cudaGetLastError();
}

static void capture_calls(cudaStreamCaptureMode mode)
{
    set_up();
    static void *p;
    static float ms;
    static size_t a, b;
    static cudaStream_t made;
    static cudaEvent_t fresh;
    static int value;
    static cudaFuncAttributes attributes;
    static cudaPointerAttributes where;
    static cudaGraph_t graph;
    cudaEventCreate(&fresh);
    cudaEventRecord(f, t);
    cudaDeviceSynchronize();
    capturing("nothing more", mode, [] { return cudaSuccess; });
    capturing("cudaMalloc", mode, [] { return cudaMalloc(&p, 64); });
    capturing("cudaFree", mode, [] { return cudaFree(p); });
    capturing("cudaFree NULL", mode, [] { return cudaFree(NULL); });
    capturing("cudaMallocHost", mode, [] { return cudaMallocHost(&p, 64); });
    capturing("cudaFreeHost", mode, [] { return cudaFreeHost(p); });
    capturing("cudaMallocManaged", mode, [] { return cudaMallocManaged(&p, 64); });
    capturing("cudaHostRegister", mode, [] { return cudaHostRegister(h, sizeof h, 0); });
    cudaHostUnregister(h);
    cudaGetLastError();
    capturing("cudaMemcpy H2D", mode, [] { return cudaMemcpy(d, h, 16, cudaMemcpyHostToDevice); });
    capturing("cudaMemcpy D2H", mode, [] { return cudaMemcpy(h, d, 16, cudaMemcpyDeviceToHost); });
    capturing("cudaMemset", mode, [] { return cudaMemset(d, 0, 16); });
    capturing("cudaMemcpyToSymbol", mode, [] { return cudaMemcpyToSymbol(word, h, 16); });
    capturing("launch in the legacy stream", mode, [] {
        add<<<1, 1>>>(d, 1);
        return cudaGetLastError();
    });
    capturing("launch in the thread's stream", mode, [] {
        add<<<1, 1, 0, cudaStreamPerThread>>>(d, 1);
        return cudaGetLastError();
    });
    capturing("launch in another stream", mode, [] {
        add<<<1, 1, 0, t>>>(d, 1);
        return cudaGetLastError();
    });
    capturing("cudaMemcpyAsync pageable", mode,
              [] { return cudaMemcpyAsync(d, h, 16, cudaMemcpyHostToDevice, s); });
    capturing("cudaMemcpyAsync in another stream", mode,
              [] { return cudaMemcpyAsync(d, h, 16, cudaMemcpyHostToDevice, t); });
    capturing("cudaMemcpyToSymbolAsync", mode,
              [] { return cudaMemcpyToSymbolAsync(word, h, 16, 0, cudaMemcpyHostToDevice, s); });
    capturing("cudaMemcpy2DAsync", mode,
              [] { return cudaMemcpy2DAsync(d, 64, h, 8, 8, 2, cudaMemcpyHostToDevice, s); });
    capturing("cudaMemcpyAsync of 0 bytes", mode,
              [] { return cudaMemcpyAsync(d, h, 0, cudaMemcpyHostToDevice, s); });
    capturing("cudaMemcpyAsync wrong direction", mode,
              [] { return cudaMemcpyAsync(d, h, 16, cudaMemcpyDeviceToHost, s); });
    capturing("cudaMemcpyAsync null", mode,
              [] { return cudaMemcpyAsync(NULL, h, 16, cudaMemcpyHostToDevice, s); });
    capturing("cudaMemsetAsync", mode, [] { return cudaMemsetAsync(d, 0, 16, s); });
    capturing("cudaMemsetAsync of 0 bytes", mode, [] { return cudaMemsetAsync(d, 0, 0, s); });
    capturing("cudaMemset2DAsync", mode, [] { return cudaMemset2DAsync(d, 64, 0, 8, 2, s); });
    capturing("cudaLaunchHostFunc", mode,
              [] { return cudaLaunchHostFunc(s, host_function, NULL); });
    capturing("cudaStreamAddCallback", mode,
              [] { return cudaStreamAddCallback(s, callback, NULL, 0); });
    capturing("a launch that is refused", mode, [] {
        add<<<1, 2000, 0, s>>>(d, 1);
        return cudaGetLastError();
    });
    capturing("cudaDeviceSynchronize", mode, [] { return cudaDeviceSynchronize(); });
    capturing("cudaStreamSynchronize", mode, [] { return cudaStreamSynchronize(s); });
    capturing("cudaStreamSynchronize of another", mode, [] { return cudaStreamSynchronize(t); });
    capturing("cudaStreamSynchronize of the legacy one", mode,
              [] { return cudaStreamSynchronize(0); });
    capturing("cudaStreamQuery", mode, [] { return cudaStreamQuery(s); });
    capturing("cudaStreamQuery of another", mode, [] { return cudaStreamQuery(t); });
    capturing("cudaStreamQuery of the legacy one", mode, [] { return cudaStreamQuery(0); });
    capturing("cudaEventQuery of an outside event", mode, [] { return cudaEventQuery(f); });
    capturing("cudaEventSynchronize of an outside event", mode,
              [] { return cudaEventSynchronize(f); });
    capturing("cudaEventRecord", mode, [] { return cudaEventRecord(e, s); });
    capturing("cudaEventRecord external", mode,
              [] { return cudaEventRecordWithFlags(e, s, cudaEventRecordExternal); });
    capturing("cudaEventRecord in another stream", mode, [] { return cudaEventRecord(f, t); });
    capturing("cudaEventQuery of a captured event", mode, [] {
        cudaEventRecord(e, s);
        return cudaEventQuery(e);
    });
    capturing("cudaEventSynchronize of a captured event", mode, [] {
        cudaEventRecord(e, s);
        return cudaEventSynchronize(e);
    });
    capturing("cudaEventElapsedTime of captured events", mode, [] {
        cudaEventRecord(e, s);
        return cudaEventElapsedTime(&ms, e, e);
    });
    capturing("cudaStreamWaitEvent of an outside event", mode,
              [] { return cudaStreamWaitEvent(s, f, 0); });
    capturing("cudaStreamWaitEvent of a new event", mode,
              [] { return cudaStreamWaitEvent(s, fresh, 0); });
    capturing("cudaStreamWaitEvent external", mode,
              [] { return cudaStreamWaitEvent(s, f, cudaEventWaitExternal); });
    capturing("cudaStreamWaitEvent in the legacy stream", mode, [] {
        cudaEventRecord(e, s);
        return cudaStreamWaitEvent(0, e, 0);
    });
    capturing("a fork that is not joined", mode, [] {
        cudaEventRecord(e, s);
        cudaStreamWaitEvent(t, e, 0);
        add<<<1, 1, 0, t>>>(d, 1);
        return cudaGetLastError();
    });
    cudaStreamCaptureStatus status;
    SAY("after it the other stream", cudaStreamIsCapturing(t, &status));
    SHOW("after it the other stream is", "%s", status_name(status));
    capturing("a fork without work that is not joined", mode, [] {
        cudaEventRecord(e, s);
        return cudaStreamWaitEvent(t, e, 0);
    });
    capturing("a fork that is joined", mode, [] {
        cudaEventRecord(e, s);
        cudaStreamWaitEvent(t, e, 0);
        add<<<1, 1, 0, t>>>(d, 1);
        cudaEventRecord(f, t);
        return cudaStreamWaitEvent(s, f, 0);
    });
    capturing("an end in the forked stream", mode, [] {
        cudaEventRecord(e, s);
        cudaStreamWaitEvent(t, e, 0);
        add<<<1, 1, 0, t>>>(d, 1);
        return cudaStreamEndCapture(t, &graph);
    });
    capturing("cudaStreamDestroy of the forked stream", mode, [] {
        cudaStreamCreate(&made);
        cudaEventRecord(e, s);
        cudaStreamWaitEvent(made, e, 0);
        add<<<1, 1, 0, made>>>(d, 1);
        return cudaStreamDestroy(made);
    });
    capturing("begin twice", mode,
              [] { return cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); });
    capturing("cudaStreamCreate", mode, [] { return cudaStreamCreate(&made); });
    capturing("cudaStreamDestroy", mode, [] { return cudaStreamDestroy(made); });
    capturing("cudaEventCreate", mode, [] { return cudaEventCreate(&fresh); });
    capturing("cudaEventDestroy", mode, [] { return cudaEventDestroy(fresh); });
    capturing("cudaMemGetInfo", mode, [] { return cudaMemGetInfo(&a, &b); });
    capturing("cudaGetDevice", mode, [] { return cudaGetDevice(&value); });
    capturing("cudaSetDevice", mode, [] { return cudaSetDevice(0); });
    capturing("cudaDeviceGetAttribute", mode,
              [] { return cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0); });
    capturing("cudaFuncGetAttributes", mode,
              [] { return cudaFuncGetAttributes(&attributes, add); });
    capturing("cudaFuncSetAttribute", mode, [] {
        return cudaFuncSetAttribute(add, cudaFuncAttributeMaxDynamicSharedMemorySize, 1000);
    });
    capturing("cudaPointerGetAttributes", mode, [] { return cudaPointerGetAttributes(&where, d); });
    capturing("cudaMallocAsync", mode, [] { return cudaMallocAsync(&p, 64, s); });
    capturing("cudaMallocAsync and cudaFreeAsync", mode, [] {
        cudaMallocAsync(&p, 64, s);
        return cudaFreeAsync(p, s);
    });
    cudaMallocAsync(&p, 64, t);
    capturing("cudaFreeAsync of memory from outside", mode, [] { return cudaFreeAsync(p, s); });
    capturing("cudaMemPrefetchAsync", mode, [] {
        cudaMemLocation location = {cudaMemLocationTypeDevice, 0};
        return cudaMemPrefetchAsync(d, 64, location, 0, s);
    });
    capturing("cudaGraphCreate", mode, [] { return cudaGraphCreate(&graph, 0); });
    capturing("cudaStreamGetFlags", mode, [] {
        unsigned flags;
        return cudaStreamGetFlags(s, &flags);
    });
    capturing("cudaStreamSetAttribute", mode, [] {
        cudaLaunchAttributeValue v = {};
        v.priority = 0;
        return cudaStreamSetAttribute(s, cudaLaunchAttributePriority, &v);
    });
}

static void capture_global()
{
    capture_calls(cudaStreamCaptureModeGlobal);
}
static void capture_relaxed()
{
    capture_calls(cudaStreamCaptureModeRelaxed);
}
static void capture_thread_local()
{
    set_up();
    void *p;
    const cudaStreamCaptureMode local = cudaStreamCaptureModeThreadLocal;
    capturing("cudaMalloc", local, [] { return cudaMalloc((void **)&d, 64); });
    capturing("cudaMalloc by another thread", local, [] {
        cudaError_t code;
        std::thread([&code] { code = cudaMalloc((void **)&d, 64); }).join();
        return code;
    });
    capturing("end by another thread", local, [] {
        cudaError_t code;
        cudaGraph_t graph;
        std::thread([&] { code = cudaStreamEndCapture(s, &graph); }).join();
        return code;
    });
    capturing("cudaMalloc by another thread of a global capture", cudaStreamCaptureModeGlobal, [] {
        cudaError_t code;
        std::thread([&code] { code = cudaMalloc((void **)&d, 64); }).join();
        return code;
    });
    capturing("end by another thread of a global capture", cudaStreamCaptureModeGlobal, [] {
        cudaError_t code;
        cudaGraph_t graph;
        std::thread([&] { code = cudaStreamEndCapture(s, &graph); }).join();
        return code;
    });
    capturing("end by another thread of a relaxed capture", cudaStreamCaptureModeRelaxed, [] {
        cudaError_t code;
        cudaGraph_t graph;
        std::thread([&] { code = cudaStreamEndCapture(s, &graph); }).join();
        return code;
    });
    capturing("cudaMalloc by a relaxed thread", cudaStreamCaptureModeGlobal, [] {
        cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
        cudaThreadExchangeStreamCaptureMode(&mode);
        cudaError_t code = cudaMalloc((void **)&d, 64);
        cudaThreadExchangeStreamCaptureMode(&mode);
        return code;
    });
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    SAY("exchange", cudaThreadExchangeStreamCaptureMode(&mode));
    SHOW("exchange gives", "%d", (int)mode);
    SAY("exchange back", cudaThreadExchangeStreamCaptureMode(&mode));
    SHOW("exchange back gives", "%d", (int)mode);
    mode = (cudaStreamCaptureMode)7;
    SAY("exchange no such", cudaThreadExchangeStreamCaptureMode(&mode));
    (void)p;
}

static void capture_begins()
{
    set_up();
    cudaGraph_t graph = NULL, second = NULL;
    cudaStreamCaptureStatus status;
    unsigned long long id = 0;
    const cudaGraphNode_t *deps;
    const cudaGraphEdgeData *edges;
    size_t n = 99;
    const cudaStreamCaptureMode global = cudaStreamCaptureModeGlobal;
    SAY("begin in the legacy stream", cudaStreamBeginCapture(0, global));
    SAY("begin in cudaStreamLegacy", cudaStreamBeginCapture(cudaStreamLegacy, global));
    SAY("begin no such mode", cudaStreamBeginCapture(s, (cudaStreamCaptureMode)9));
    SAY("end without begin", cudaStreamEndCapture(s, &graph));
    SAY("end in the legacy stream", cudaStreamEndCapture(0, &graph));
    SAY("info without a capture", cudaStreamGetCaptureInfo(s, &status, &id));
    SHOW("info without a capture is", "%s", status_name(status));
    SAY("begin in the thread's stream", cudaStreamBeginCapture(cudaStreamPerThread, global));
    SAY("end in the thread's stream", cudaStreamEndCapture(cudaStreamPerThread, &graph));
    SAY("end null graph", (cudaStreamBeginCapture(s, global), cudaStreamEndCapture(s, NULL)));
    SAY("is it capturing", cudaStreamIsCapturing(s, &status));
    SHOW("after an end with null", "%s", status_name(status));
    SAY("end again", cudaStreamEndCapture(s, &graph));
    SAY("empty capture begins", cudaStreamBeginCapture(s, global));
    SAY("empty capture ends", cudaStreamEndCapture(s, &graph));
    SAY("empty capture's nodes", cudaGraphGetNodes(graph, NULL, &n));
    SHOW("empty capture has nodes", "%zu", n);
    SAY("is capturing null", cudaStreamIsCapturing(s, NULL));
    SAY("is the legacy stream capturing", cudaStreamIsCapturing(0, &status));
    SAY("begin", cudaStreamBeginCapture(s, global));
    SAY("is the legacy stream capturing now", cudaStreamIsCapturing(0, &status));
    SAY("the capture then", cudaStreamIsCapturing(s, &status));
    SHOW("the capture then is", "%s", status_name(status));
    SAY("info of the legacy stream", cudaStreamGetCaptureInfo(0, &status, &id));
    SAY("the capture's end", cudaStreamEndCapture(s, &graph));
    SAY("begin lone", cudaStreamBeginCapture(lone, global));
    SAY("legacy launch beside a non-blocking capture", ([] {
            add<<<1, 1>>>(d, 1);
            return cudaGetLastError();
        })());
    SAY("legacy query beside a non-blocking capture", cudaStreamIsCapturing(0, &status));
    SAY("end lone", cudaStreamEndCapture(lone, &graph));
    SAY("begin in s", cudaStreamBeginCapture(s, global));
    SAY("begin in t", cudaStreamBeginCapture(t, global));
    add<<<1, 1, 0, s>>>(d, 1);
    add<<<1, 1, 0, t>>>(d, 1);
    cudaEventRecord(e, s);
    SAY("t waits for s's capture", cudaStreamWaitEvent(t, e, 0));
    cudaStreamIsCapturing(s, &status);
    SHOW("then s is", "%s", status_name(status));
    cudaStreamIsCapturing(t, &status);
    SHOW("then t is", "%s", status_name(status));
    SAY("end s", cudaStreamEndCapture(s, &graph));
    SAY("end t", cudaStreamEndCapture(t, &second));
    SAY("wait for an event of an ended capture", cudaStreamWaitEvent(t, e, 0));
    SAY("query an event of an ended capture", cudaEventQuery(e));
    SAY("synchronize with an event of an ended capture", cudaEventSynchronize(e));
    SAY("begin with info", cudaStreamBeginCapture(s, global));
    SAY("info", cudaStreamGetCaptureInfo(s, &status, &id, &graph, &deps, &edges, &n));
    SHOW("info is", "%s %d %zu", status_name(status), id != 0, n);
    add<<<1, 1, 0, s>>>(d, 1);
    SAY("info after a launch",
        cudaStreamGetCaptureInfo(s, &status, &id, &graph, &deps, &edges, &n));
    SHOW("info after a launch is", "%s %d %zu", status_name(status), id != 0, n);
    cudaGraphNode_t node = deps ? deps[0] : NULL, added;
    SAY("info without edges", cudaStreamGetCaptureInfo(s, &status, &id, &graph, &deps, NULL, &n));
    SAY("add to the capture's graph", cudaGraphAddEmptyNode(&added, graph, &node, 1));
    SAY("update, set",
        cudaStreamUpdateCaptureDependencies(s, &added, NULL, 1, cudaStreamSetCaptureDependencies));
    SAY("update, add",
        cudaStreamUpdateCaptureDependencies(s, &node, NULL, 1, cudaStreamAddCaptureDependencies));
    SAY("info with two", cudaStreamGetCaptureInfo(s, &status, &id, &graph, &deps, NULL, &n));
    SHOW("info with two is", "%zu", n);
    SAY("update, no such flag", cudaStreamUpdateCaptureDependencies(s, &node, NULL, 1, 7));
    cudaGraph_t capture_graph = graph;
    SAY("destroy the capture's graph", cudaGraphDestroy(capture_graph));
    cudaStreamIsCapturing(s, &status);
    SHOW("then the capture is", "%s", status_name(status));
    SAY("its end", cudaStreamEndCapture(s, &graph));
    SAY("update without a capture", cudaStreamUpdateCaptureDependencies(t, &node, NULL, 0, 0));
    SAY("create", cudaGraphCreate(&graph, 0));
    SAY("capture to a graph", cudaStreamBeginCaptureToGraph(s, graph, NULL, NULL, 0, global));
    add<<<1, 1, 0, s>>>(d, 1);
    SAY("capture to a graph ends", cudaStreamEndCapture(s, &second));
    SHOW("it is the same graph", "%d", graph == second);
    SAY("nodes of it", cudaGraphGetNodes(graph, NULL, &n));
    SHOW("nodes of it are", "%zu", n);
    SAY("launch of a graph in a capture", ([&] {
            cudaGraphExec_t exec;
            cudaGraphInstantiate(&exec, graph, 0);
            cudaStreamBeginCapture(s, global);
            return cudaGraphLaunch(exec, s);
        })());
    SAY("end of it", cudaStreamEndCapture(s, &second));
    cudaGraphNode_t nodes[4];
    cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    n = 4;
    SAY("nodes of that", cudaGraphGetNodes(second, nodes, &n));
    if (n)
        cudaGraphNodeGetType(nodes[0], &type);
    SHOW("nodes of that are", "%zu of type %d", n, (int)type);
}

static void after_captures()
{
    set_up();
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec;
    float ms;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    add<<<1, 1, 0, s>>>(d, 1);
    cudaEventRecord(e, s);
    SAY("end", cudaStreamEndCapture(s, &graph));
    SAY("query its event", cudaEventQuery(e));
    SAY("synchronize with its event", cudaEventSynchronize(e));
    SAY("wait for its event", cudaStreamWaitEvent(t, e, 0));
    SAY("time of its event", cudaEventElapsedTime(&ms, e, e));
    SAY("record its event anew", cudaEventRecord(e, s));
    SAY("query it then", (cudaStreamSynchronize(s), cudaEventQuery(e)));
    SAY("instantiate", cudaGraphInstantiate(&exec, graph, 0));
    SAY("launch", cudaGraphLaunch(exec, s));
    SAY("begin", cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    SAY("launch in a relaxed capture after a launch", cudaGraphLaunch(exec, s));
    SAY("end", cudaStreamEndCapture(s, &graph));
    size_t n = 99;
    cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    cudaGraphNode_t nodes[4];
    if (graph) {
        n = 4;
        cudaGraphGetNodes(graph, nodes, &n);
        cudaGraphNodeGetType(nodes[0], &type);
    }
    SHOW("it has nodes", "%zu of type %d", n, (int)type);
    SAY("begin", cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    SAY("launch in a global capture after a launch", cudaGraphLaunch(exec, s));
    SAY("end", cudaStreamEndCapture(s, &graph));
    SAY("begin", cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    SAY("launch beside a capture", cudaGraphLaunch(exec, t));
    SAY("instantiate beside a capture", cudaGraphInstantiate(&exec, graph, 0));
    SAY("destroy beside a capture", cudaGraphExecDestroy(exec));
    SAY("end", cudaStreamEndCapture(s, &graph));
    SAY("begin", cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    SAY("destroy the stream", cudaStreamDestroy(s));
    SAY("synchronize", cudaDeviceSynchronize());
    SAY("begin in another", cudaStreamBeginCapture(t, cudaStreamCaptureModeGlobal));
    SAY("end", cudaStreamEndCapture(t, &graph));
}

int main(int argc, char **argv)
{
    static const section all[] = {{"capture, global", capture_global},
                                  {"capture, relaxed", capture_relaxed},
                                  {"capture, threads", capture_thread_local},
                                  {"capture, begin and end", capture_begins},
                                  {"capture, afterwards", after_captures}};
    return run_sections(all, sizeof all / sizeof *all, argc, argv);
}
