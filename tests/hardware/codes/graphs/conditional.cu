/* Conditional nodes of graphs: IF, WHILE and SWITCH, what the runtime returns and what runs. */
#include "say.h"

__global__ void add(int *p, int n)
{
    atomicAdd(p, n);
}
__global__ void set(cudaGraphConditionalHandle h, unsigned value)
{
    cudaGraphSetConditional(h, value);
}
/* Counts P down and asks for another turn until it is 0. */
__global__ void turn(cudaGraphConditionalHandle h, int *p)
{
    cudaGraphSetConditional(h, --*p > 0);
}
__global__ void choose(cudaGraphConditionalHandle h, const int *p)
{
    cudaGraphSetConditional(h, *p);
}
static void CUDART_CB host_function(void *) {}

static int *d; /* [64] */
static int h[64];
static cudaStream_t s;
static cudaGraph_t g;
static cudaGraphExec_t x;

static void set_up()
{
    cudaMalloc(&d, sizeof h);
    cudaMemset(d, 0, sizeof h);
    cudaStreamCreate(&s);
    cudaGraphCreate(&g, 0);
}
static cudaGraph_t fresh()
{
    cudaGraphCreate(&g, 0);
    return g;
}

static cudaGraphConditionalHandle handle_of(cudaGraph_t graph, unsigned value, unsigned flags)
{
    cudaGraphConditionalHandle handle = 0;
    cudaGraphConditionalHandleCreate(&handle, graph, value, flags);
    return handle;
}

/* A conditional node behind AFTER (or nothing); its bodies stay in PARAMS. */
static cudaError_t conditional(cudaGraphNode_t *node, cudaGraph_t graph, cudaGraphNode_t after,
                               cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type,
                               unsigned size, cudaGraph_t *body)
{
    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
    p.conditional.handle = handle;
    p.conditional.type = type;
    p.conditional.size = size;
    cudaError_t e = cudaGraphAddNode(node, graph, &after, NULL, after ? 1 : 0, &p);
    for (unsigned k = 0; k < size && !e; k++) {
        body[k] = p.conditional.phGraph_out[k];
    }
    return e;
}

static cudaError_t kernel(cudaGraphNode_t *node, cudaGraph_t graph, cudaGraphNode_t after, void *f,
                          void **args)
{
    cudaKernelNodeParams k = {};
    k.func = f;
    k.gridDim = dim3(1);
    k.blockDim = dim3(1);
    k.kernelParams = args;
    return cudaGraphAddKernelNode(node, graph, &after, after ? 1 : 0, &k);
}
static cudaError_t adds(cudaGraphNode_t *node, cudaGraph_t graph, cudaGraphNode_t after, int *p,
                        int n)
{
    void *args[] = {&p, &n};
    return kernel(node, graph, after, (void *)add, args);
}

/* Instantiate G and launch it TIMES times; then the first WORDS words. */
static void launches(const char *name, int times, int words)
{
    char text[200];
    snprintf(text, sizeof text, "%s: instantiate", name);
    cudaError_t e = cudaGraphInstantiate(&x, g, 0);
    cudaGetLastError();
    SHOW(text, "%s", cudaGetErrorName(e));
    if (e) {
        return;
    }
    for (int k = 0; k < times; k++) {
        snprintf(text, sizeof text, "%s: launch %d", name, k);
        SAY(text, cudaGraphLaunch(x, s));
        snprintf(text, sizeof text, "%s: wait %d", name, k);
        SAY(text, cudaStreamSynchronize(s));
        SAY("copy", cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
        snprintf(text, sizeof text, "%s: words %d", name, k);
        char list[200] = "";
        for (int w = 0; w < words; w++) {
            snprintf(list + strlen(list), sizeof list - strlen(list), " %d", h[w]);
        }
        SHOW(text, "%s", list);
    }
    snprintf(text, sizeof text, "%s: destroy", name);
    SAY(text, cudaGraphExecDestroy(x));
}

static void handles()
{
    set_up();
    cudaGraphConditionalHandle a = 0, b = 0;
    SAY("handle", cudaGraphConditionalHandleCreate(&a, g, 0, 0));
    SAY("handle with default",
        cudaGraphConditionalHandleCreate(&b, g, 1, cudaGraphCondAssignDefault));
    SHOW("handles differ", "%d %d %d", a != 0, b != 0, a != b);
    SAY("handle null", cudaGraphConditionalHandleCreate(NULL, g, 0, 0));
    SAY("handle of no graph", cudaGraphConditionalHandleCreate(&a, NULL, 0, 0));
    SAY("handle flags 2", cudaGraphConditionalHandleCreate(&a, g, 0, 2));
    SAY("handle default without the flag", cudaGraphConditionalHandleCreate(&a, g, 5, 0));
    SAY("instantiate with unused handles", cudaGraphInstantiate(&x, g, 0));
    cudaGraphInstantiateParams p = {};
    SAY("instantiate with params", cudaGraphInstantiateWithParams(&x, g, &p));
    SHOW("instantiate result", "%d %d", (int)p.result_out, p.errNode_out != NULL);
    SAY("destroy", cudaGraphDestroy(g));
    SAY("handle of a destroyed graph", cudaGraphConditionalHandleCreate(&a, g, 0, 0));
}

static void nodes()
{
    set_up();
    cudaGraphNode_t n = NULL, m = NULL;
    cudaGraph_t body[8] = {}, other;
    cudaGraphCreate(&other, 0);
    const cudaGraphConditionalHandle a = handle_of(g, 0, 0), b = handle_of(other, 0, 0);
    SAY("if of size 0", conditional(&n, g, NULL, a, cudaGraphCondTypeIf, 0, body));
    SAY("if of size 3", conditional(&n, g, NULL, a, cudaGraphCondTypeIf, 3, body));
    SAY("while of size 2", conditional(&n, g, NULL, a, cudaGraphCondTypeWhile, 2, body));
    SAY("while of size 0", conditional(&n, g, NULL, a, cudaGraphCondTypeWhile, 0, body));
    SAY("switch of size 0", conditional(&n, g, NULL, a, cudaGraphCondTypeSwitch, 0, body));
    SAY("no such type", conditional(&n, g, NULL, a, (cudaGraphConditionalNodeType)3, 1, body));
    SAY("handle 0", conditional(&n, g, NULL, 0, cudaGraphCondTypeIf, 1, body));
    SAY("handle of another graph", conditional(&n, g, NULL, b, cudaGraphCondTypeIf, 1, body));
    size_t count = 9;
    SAY("nodes so far", cudaGraphGetNodes(g, NULL, &count));
    SHOW("nodes so far are", "%zu", count);
    SAY("if", conditional(&n, g, NULL, a, cudaGraphCondTypeIf, 1, body));
    SAY("if again with the same handle",
        conditional(&m, g, NULL, a, cudaGraphCondTypeIf, 1, body + 1));
    cudaGraphNodeType type = cudaGraphNodeTypeCount;
    SAY("type", cudaGraphNodeGetType(n, &type));
    SHOW("type is", "%d", (int)type);
    cudaGraph_t child = NULL;
    SAY("as a child graph", cudaGraphChildGraphNodeGetGraph(n, &child));
    SAY("body's nodes", cudaGraphGetNodes(body[0], NULL, &count));
    SHOW("body's nodes are", "%zu", count);
    SAY("destroy the body", cudaGraphDestroy(body[0]));
    SAY("handle of the body",
        cudaGraphConditionalHandleCreate(&(cudaGraphConditionalHandle &)*h, body[0], 0, 0));
    SAY("clone", cudaGraphClone(&child, g));
    SAY("as a child", cudaGraphAddChildGraphNode(&m, other, NULL, 0, g));
    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
    p.conditional.handle = a;
    p.conditional.type = cudaGraphCondTypeIf;
    p.conditional.size = 1;
    SAY("set the params", cudaGraphNodeSetParams(n, &p));
    SAY("dot", cudaGraphDebugDotPrint(g, "/dev/null", 0));
    SAY("destroy the node", cudaGraphDestroyNode(n));
    SAY("body after that", cudaGraphGetNodes(body[0], NULL, &count));
    SAY("instantiate after that", cudaGraphInstantiate(&x, g, 0));
}

/* What may stand in a body, one a graph: when it is added and when it is instantiated. */
static void bodies()
{
    set_up();
    static float from[4];
    cudaEvent_t e;
    cudaEventCreate(&e);
    for (int kind = 0; kind < 13; kind++) {
        static const char *const names[] = {"nothing",
                                            "empty",
                                            "kernel",
                                            "memset",
                                            "copy in the device",
                                            "copy from the host",
                                            "host",
                                            "event record",
                                            "event wait",
                                            "alloc",
                                            "child",
                                            "child with a host function",
                                            "two empty"};
        fresh();
        cudaGraphNode_t n, m;
        cudaGraph_t body, child;
        const cudaGraphConditionalHandle a = handle_of(g, 1, cudaGraphCondAssignDefault);
        conditional(&n, g, NULL, a, cudaGraphCondTypeIf, 1, &body);
        char text[100];
        snprintf(text, sizeof text, "body: %s", names[kind]);
        cudaMemsetParams fill = {};
        fill.dst = d;
        fill.value = 3;
        fill.elementSize = 4;
        fill.width = 2;
        fill.height = 1;
        cudaHostNodeParams host = {host_function, NULL};
        cudaMemAllocNodeParams alloc = {};
        alloc.poolProps.allocType = cudaMemAllocationTypePinned;
        alloc.poolProps.location.type = cudaMemLocationTypeDevice;
        alloc.bytesize = 64;
        cudaGraphCreate(&child, 0);
        switch (kind) {
        case 0:
            SAY(text, cudaSuccess);
            break;
        case 1:
            SAY(text, cudaGraphAddEmptyNode(&m, body, NULL, 0));
            break;
        case 2:
            SAY(text, adds(&m, body, NULL, d, 1));
            break;
        case 3:
            SAY(text, cudaGraphAddMemsetNode(&m, body, NULL, 0, &fill));
            break;
        case 4:
            SAY(text, cudaGraphAddMemcpyNode1D(&m, body, NULL, 0, d + 8, d, 16,
                                               cudaMemcpyDeviceToDevice));
            break;
        case 5:
            SAY(text, cudaGraphAddMemcpyNode1D(&m, body, NULL, 0, d + 8, from, 16,
                                               cudaMemcpyHostToDevice));
            break;
        case 6:
            SAY(text, cudaGraphAddHostNode(&m, body, NULL, 0, &host));
            break;
        case 7:
            SAY(text, cudaGraphAddEventRecordNode(&m, body, NULL, 0, e));
            break;
        case 8:
            SAY(text, cudaGraphAddEventWaitNode(&m, body, NULL, 0, e));
            break;
        case 9:
            SAY(text, cudaGraphAddMemAllocNode(&m, body, NULL, 0, &alloc));
            break;
        case 10:
            adds(&m, child, NULL, d, 1);
            SAY(text, cudaGraphAddChildGraphNode(&m, body, NULL, 0, child));
            break;
        case 11:
            cudaGraphAddHostNode(&m, child, NULL, 0, &host);
            SAY(text, cudaGraphAddChildGraphNode(&m, body, NULL, 0, child));
            break;
        default:
            cudaGraphAddEmptyNode(&m, body, NULL, 0);
            SAY(text, cudaGraphAddEmptyNode(&m, body, NULL, 0));
        }
        size_t count = 0;
        cudaGraphGetNodes(body, NULL, &count);
        snprintf(text, sizeof text, "body: %s, nodes", names[kind]);
        SHOW(text, "%zu", count);
        cudaMemset(d, 0, sizeof h);
        snprintf(text, sizeof text, "body: %s", names[kind]);
        launches(text, 1, 2);
    }
}

static void ifs()
{
    set_up();
    cudaGraphNode_t n, m;
    cudaGraph_t body[2], inner[1];
    for (unsigned value = 0; value < 4; value++) {
        char text[100];
        fresh();
        conditional(&n, g, NULL, handle_of(g, value, cudaGraphCondAssignDefault),
                    cudaGraphCondTypeIf, 2, body);
        adds(&m, body[0], NULL, d, 1);
        adds(&m, body[1], NULL, d + 1, 1);
        adds(&m, g, n, d + 2, 1);
        snprintf(text, sizeof text, "if or else, default %u", value);
        launches(text, 2, 3);
    }
    /* Set by a kernel before the node, and by one in its body for the next launch. */
    for (unsigned flags = 0; flags < 2; flags++) {
        cudaMemset(d, 0, sizeof h);
        fresh();
        cudaGraphConditionalHandle a = handle_of(g, 1, flags);
        unsigned one = 1, zero = 0;
        void *args[] = {&a, &one}, *off[] = {&a, &zero};
        kernel(&m, g, NULL, (void *)set, args);
        conditional(&n, g, m, a, cudaGraphCondTypeIf, 1, body);
        adds(&m, body[0], NULL, d, 1);
        kernel(&m, body[0], m, (void *)set, off);
        launches(flags ? "if, set before, default" : "if, set before", 3, 1);
    }
    /* One inside another, with a handle of the outer graph and one of the body. */
    for (int of_body = 0; of_body < 2; of_body++) {
        cudaMemset(d, 0, sizeof h);
        fresh();
        cudaGraphConditionalHandle a = handle_of(g, 1, 1);
        conditional(&n, g, NULL, a, cudaGraphCondTypeIf, 1, body);
        cudaGraphConditionalHandle b = handle_of(of_body ? body[0] : g, 1, 1);
        SAY("one inside another", conditional(&n, body[0], NULL, b, cudaGraphCondTypeIf, 1, inner));
        SAY("its kernel", adds(&m, inner[0], NULL, d, 1));
        launches(of_body ? "nested, handle of the body" : "nested, handle of the graph", 2, 1);
    }
    /* Two launches in flight, and a change of the graph after instantiation. */
    cudaMemset(d, 0, sizeof h);
    fresh();
    conditional(&n, g, NULL, handle_of(g, 1, 1), cudaGraphCondTypeIf, 1, body);
    adds(&m, body[0], NULL, d, 1);
    SAY("instantiate", cudaGraphInstantiate(&x, g, 0));
    SAY("later node in the body", adds(&m, body[0], NULL, d + 1, 1));
    SAY("upload", cudaGraphUpload(x, s));
    SAY("launch", cudaGraphLaunch(x, s));
    SAY("launch", cudaGraphLaunch(x, s));
    cudaStreamSynchronize(s);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    SHOW("two launches", "%d %d", h[0], h[1]);
    cudaGraphExec_t second;
    SAY("instantiate a second time", cudaGraphInstantiate(&second, g, 0));
    cudaGraphExecUpdateResultInfo info = {};
    SAY("update by itself", cudaGraphExecUpdate(x, g, &info));
    SHOW("update says", "%d", (int)info.result);
    SAY("destroy the graph", cudaGraphDestroy(g));
    SAY("launch without the graph", cudaGraphLaunch(x, s));
    SAY("wait", cudaStreamSynchronize(s));
    SAY("destroy", cudaGraphExecDestroy(x));
}

static void whiles()
{
    set_up();
    cudaGraphNode_t n, m;
    cudaGraph_t body[2];
    int ten = 10;
    cudaMemcpy(d, &ten, 4, cudaMemcpyHostToDevice);
    cudaGraphConditionalHandle a = handle_of(g, 1, cudaGraphCondAssignDefault);
    int *p = d;
    void *args[] = {&a, &p};
    conditional(&n, g, NULL, a, cudaGraphCondTypeWhile, 1, body);
    adds(&m, body[0], NULL, d + 1, 1);
    kernel(&m, body[0], m, (void *)turn, args);
    adds(&m, g, n, d + 2, 1);
    launches("while", 2, 3);
    /* Never: the value is zero from the start. */
    fresh();
    a = handle_of(g, 0, cudaGraphCondAssignDefault);
    conditional(&n, g, NULL, a, cudaGraphCondTypeWhile, 1, body);
    kernel(&m, body[0], NULL, (void *)turn, args);
    adds(&m, g, n, d + 2, 1);
    launches("while of zero", 1, 3);
    /* A loop in a loop: the inner one's value is its default at each launch of the graph only. */
    cudaMemset(d, 0, sizeof h);
    int three = 3;
    cudaMemcpy(d, &three, 4, cudaMemcpyHostToDevice);
    fresh();
    a = handle_of(g, 1, cudaGraphCondAssignDefault);
    conditional(&n, g, NULL, a, cudaGraphCondTypeWhile, 1, body);
    cudaGraphConditionalHandle b = handle_of(g, 1, cudaGraphCondAssignDefault);
    cudaMemsetParams fill = {};
    fill.dst = d + 1;
    fill.value = 4;
    fill.elementSize = 4;
    fill.width = 1;
    fill.height = 1;
    unsigned one = 1;
    int *q = d + 1;
    void *again[] = {&b, &one}, *inner[] = {&b, &q};
    cudaGraphNode_t w;
    cudaGraphAddMemsetNode(&m, body[0], NULL, 0, &fill);
    kernel(&m, body[0], m, (void *)set, again);
    conditional(&w, body[0], m, b, cudaGraphCondTypeWhile, 1, body + 1);
    adds(&m, body[1], NULL, d + 2, 1);
    kernel(&m, body[1], m, (void *)turn, inner);
    kernel(&m, body[0], w, (void *)turn, args);
    launches("while in while", 1, 3);
    /* Filled by a capture. */
    cudaMemset(d, 0, sizeof h);
    cudaMemcpy(d, &ten, 4, cudaMemcpyHostToDevice);
    fresh();
    a = handle_of(g, 1, cudaGraphCondAssignDefault);
    conditional(&n, g, NULL, a, cudaGraphCondTypeWhile, 1, body);
    cudaGraph_t captured = NULL;
    SAY("capture to the body",
        cudaStreamBeginCaptureToGraph(s, body[0], NULL, NULL, 0, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, s>>>(d + 1, 2);
    turn<<<1, 1, 0, s>>>(a, d);
    SAY("end it", cudaStreamEndCapture(s, &captured));
    SHOW("it is the body", "%d", captured == body[0]);
    launches("captured while", 1, 2);
    /* The node itself, added while a stream captures. */
    cudaMemset(d, 0, sizeof h);
    cudaMemcpy(d, &ten, 4, cudaMemcpyHostToDevice);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaStreamCaptureStatus status;
    const cudaGraphNode_t *deps;
    size_t count;
    cudaStreamGetCaptureInfo(s, &status, NULL, &g, &deps, NULL, &count);
    SAY("handle of a capture", cudaGraphConditionalHandleCreate(&a, g, 1, 1));
    SAY("node of a capture", conditional(&n, g, NULL, a, cudaGraphCondTypeWhile, 1, body));
    kernel(&m, body[0], NULL, (void *)turn, args);
    cudaStreamUpdateCaptureDependencies(s, &n, NULL, 1, cudaStreamSetCaptureDependencies);
    add<<<1, 1, 0, s>>>(d + 1, 2);
    SAY("end of the capture", cudaStreamEndCapture(s, &g));
    launches("while in a capture", 1, 2);
}

static void switches()
{
    set_up();
    cudaGraphNode_t n, m;
    cudaGraph_t body[3];
    cudaGraphConditionalHandle a = handle_of(g, 0, 0);
    const int *p = d + 8;
    void *args[] = {&a, &p};
    SAY("choice", kernel(&m, g, NULL, (void *)choose, args));
    SAY("switch", conditional(&n, g, m, a, cudaGraphCondTypeSwitch, 3, body));
    for (int k = 0; k < 3; k++) {
        adds(&m, body[k], NULL, d + k, 1);
    }
    adds(&m, g, n, d + 3, 1);
    SAY("instantiate", cudaGraphInstantiate(&x, g, 0));
    for (int value : {0, 1, 2, 3, -1, 7, 1}) {
        cudaMemcpy(d + 8, &value, 4, cudaMemcpyHostToDevice);
        cudaGraphLaunch(x, s);
        cudaStreamSynchronize(s);
        cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
        char text[50];
        snprintf(text, sizeof text, "switch %d", value);
        SHOW(text, "%d %d %d %d", h[0], h[1], h[2], h[3]);
    }
}

int main(int argc, char **argv)
{
    static const section all[] = {{"handles", handles}, {"nodes", nodes},   {"bodies", bodies},
                                  {"ifs", ifs},         {"whiles", whiles}, {"switches", switches}};
    return run_sections(all, sizeof all / sizeof all[0], argc, argv);
}
