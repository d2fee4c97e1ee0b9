/* Graphs: what the runtime returns, call by call, legal and not. */
#include "on_graphs.h"

__global__ void other(int *p, int n)
{
    *p -= n;
}

static cudaKernelNodeParams kernel_params(int **p, int *n)
{
    static void *arguments[2];
    arguments[0] = p;
    arguments[1] = n;
    cudaKernelNodeParams k = {};
    k.func = (void *)add;
    k.gridDim = dim3(1);
    k.blockDim = dim3(1);
    k.kernelParams = arguments;
    return k;
}

static void building()
{
    set_up();
    cudaGraph_t g, child, clone;
    cudaGraphNode_t a, b, c, x, list[32];
    int n = 3;
    size_t count = 0;
    cudaKernelNodeParams k = kernel_params(&d, &n);
    SAY("create", cudaGraphCreate(&g, 0));
    SAY("create null", cudaGraphCreate(NULL, 0));
    SAY("create flags", cudaGraphCreate(&child, 1));
    SAY("create child", cudaGraphCreate(&child, 0));
    SAY("add kernel", cudaGraphAddKernelNode(&a, g, NULL, 0, &k));
    SAY("add kernel null node", cudaGraphAddKernelNode(NULL, g, NULL, 0, &k));
    SAY("add kernel null params", cudaGraphAddKernelNode(&x, g, NULL, 0, NULL));
    SAY("add kernel null graph", cudaGraphAddKernelNode(&x, NULL, NULL, 0, &k));
    cudaKernelNodeParams bad = k;
    bad.blockDim = dim3(2000);
    SAY("add kernel block 2000", cudaGraphAddKernelNode(&x, g, NULL, 0, &bad));
    bad = k;
    bad.gridDim = dim3(0);
    SAY("add kernel grid 0", cudaGraphAddKernelNode(&x, g, NULL, 0, &bad));
    bad = k;
    bad.func = NULL;
    SAY("add kernel no function", cudaGraphAddKernelNode(&x, g, NULL, 0, &bad));
    bad = k;
    bad.func = (void *)host_function;
    SAY("add kernel of a host function", cudaGraphAddKernelNode(&x, g, NULL, 0, &bad));
    bad = k;
    bad.sharedMemBytes = 300000;
    SAY("add kernel shared 300000", cudaGraphAddKernelNode(&x, g, NULL, 0, &bad));
    bad = k;
    bad.kernelParams = NULL;
    SAY("add kernel no arguments", cudaGraphAddKernelNode(&x, g, NULL, 0, &bad));
    SAY("nodes so far", cudaGraphGetNodes(g, NULL, &count));
    SHOW("nodes so far are", "%zu", count);
    SAY("add empty", cudaGraphAddEmptyNode(&b, g, &a, 1));
    cudaGraphNode_t same[] = {a, a};
    SAY("add with a dependency twice", cudaGraphAddEmptyNode(&x, g, same, 2));
    SAY("add with null dependencies", cudaGraphAddEmptyNode(&x, g, NULL, 1));
    SAY("add to another graph", cudaGraphAddEmptyNode(&c, child, NULL, 0));
    SAY("add with a dependency of another graph", cudaGraphAddEmptyNode(&x, g, &c, 1));
    SAY("edge again", cudaGraphAddDependencies(g, &a, &b, NULL, 1));
    SAY("edge to itself", cudaGraphAddDependencies(g, &a, &a, NULL, 1));
    SAY("edge that closes a circle", cudaGraphAddDependencies(g, &b, &a, NULL, 1));
    SAY("edges null", cudaGraphAddDependencies(g, NULL, NULL, NULL, 1));
    SAY("edges none", cudaGraphAddDependencies(g, NULL, NULL, NULL, 0));
    SAY("edge removed that is not there", cudaGraphRemoveDependencies(g, &b, &a, NULL, 1));
    SAY("edges", cudaGraphGetEdges(g, NULL, NULL, NULL, &count));
    SHOW("edges are", "%zu", count);
    SAY("edge removed", cudaGraphRemoveDependencies(g, &a, &b, NULL, 1));
    SAY("edge added", cudaGraphAddDependencies(g, &a, &b, NULL, 1));
    cudaGraphEdgeData edge = {};
    edge.from_port = 1;
    SAY("edge with a port to an empty node", cudaGraphAddDependencies(g, &a, &b, &edge, 1));
    count = 1;
    SAY("nodes into too few", cudaGraphGetNodes(g, list, &count));
    SHOW("nodes into too few gives", "%zu", count);
    count = 32;
    SAY("nodes into too many", cudaGraphGetNodes(g, list, &count));
    SHOW("nodes into too many gives", "%zu, the next %s", count, list[count] ? "kept" : "NULL");
    SAY("nodes null count", cudaGraphGetNodes(g, list, NULL));
    count = 32;
    SAY("roots", cudaGraphGetRootNodes(g, list, &count));
    SHOW("roots are", "%zu", count);
    count = 32;
    SAY("dependencies", cudaGraphNodeGetDependencies(b, list, NULL, &count));
    SHOW("dependencies are", "%zu", count);
    count = 32;
    SAY("dependents", cudaGraphNodeGetDependentNodes(a, list, NULL, &count));
    SHOW("dependents are", "%zu", count);
    cudaGraphNodeType type;
    SAY("type", cudaGraphNodeGetType(a, &type));
    SAY("type null", cudaGraphNodeGetType(a, NULL));
    SAY("type of null", cudaGraphNodeGetType(NULL, &type));

    cudaMemcpy3DParms m = {};
    m.srcPtr = make_cudaPitchedPtr(h, 16, 16, 1);
    m.dstPtr = make_cudaPitchedPtr(d, 16, 16, 1);
    m.extent = make_cudaExtent(16, 1, 1);
    m.kind = cudaMemcpyHostToDevice;
    SAY("add memcpy", cudaGraphAddMemcpyNode(&x, g, NULL, 0, &m));
    SAY("memcpy params", cudaGraphMemcpyNodeGetParams(x, &m));
    SAY("kernel params of a memcpy", cudaGraphKernelNodeGetParams(x, &bad));
    SAY("add memcpy 1D",
        cudaGraphAddMemcpyNode1D(&c, g, NULL, 0, d, h, 16, cudaMemcpyHostToDevice));
    cudaMemcpy3DParms back = {};
    SAY("memcpy 1D params", cudaGraphMemcpyNodeGetParams(c, &back));
    SHOW("memcpy 1D params are", "%zu %zu %zu, kind %d, pitch %zu %zu %zu", back.extent.width,
         back.extent.height, back.extent.depth, (int)back.kind, back.srcPtr.pitch,
         back.srcPtr.xsize, back.srcPtr.ysize);
    SAY("add memcpy 1D of nothing",
        cudaGraphAddMemcpyNode1D(&c, g, NULL, 0, d, h, 0, cudaMemcpyHostToDevice));
    SAY("add memcpy 1D null",
        cudaGraphAddMemcpyNode1D(&c, g, NULL, 0, NULL, h, 16, cudaMemcpyHostToDevice));
    SAY("add memcpy 1D no such kind",
        cudaGraphAddMemcpyNode1D(&c, g, NULL, 0, d, h, 16, (cudaMemcpyKind)77));
    SAY("add memcpy 1D host to host",
        cudaGraphAddMemcpyNode1D(&c, g, NULL, 0, h + 2, h, 8, cudaMemcpyHostToHost));
    SAY("add memcpy to symbol",
        cudaGraphAddMemcpyNodeToSymbol(&c, g, NULL, 0, word, h, 16, 0, cudaMemcpyHostToDevice));
    SAY("add memcpy to symbol too long",
        cudaGraphAddMemcpyNodeToSymbol(&c, g, NULL, 0, word, h, 20, 0, cudaMemcpyHostToDevice));
    SAY("add memcpy from symbol",
        cudaGraphAddMemcpyNodeFromSymbol(&c, g, NULL, 0, h, word, 16, 0, cudaMemcpyDeviceToHost));
    SAY("add memcpy from no symbol",
        cudaGraphAddMemcpyNodeFromSymbol(&c, g, NULL, 0, h, (const void *)h, 16, 0,
                                         cudaMemcpyDeviceToHost));
    cudaMemsetParams z = {};
    z.dst = d;
    z.elementSize = 4;
    z.width = 4;
    z.height = 1;
    SAY("add memset", cudaGraphAddMemsetNode(&c, g, NULL, 0, &z));
    cudaMemsetParams zz = z;
    zz.elementSize = 3;
    SAY("add memset of 3-byte elements", cudaGraphAddMemsetNode(&x, g, NULL, 0, &zz));
    zz = z;
    zz.dst = NULL;
    SAY("add memset null", cudaGraphAddMemsetNode(&x, g, NULL, 0, &zz));
    zz = z;
    zz.dst = h;
    SAY("add memset of host memory", cudaGraphAddMemsetNode(&x, g, NULL, 0, &zz));
    zz = z;
    zz.width = 0;
    SAY("add memset of nothing", cudaGraphAddMemsetNode(&x, g, NULL, 0, &zz));
    zz = z;
    zz.elementSize = 1;
    zz.value = 0x12345;
    SAY("add memset of a wide value", cudaGraphAddMemsetNode(&x, g, NULL, 0, &zz));
    zz = z;
    zz.height = 2;
    zz.pitch = 8;
    SAY("add memset of a narrow pitch", cudaGraphAddMemsetNode(&x, g, NULL, 0, &zz));
    SAY("memset params", cudaGraphMemsetNodeGetParams(c, &zz));
    cudaHostNodeParams hp = {host_function, NULL};
    SAY("add host", cudaGraphAddHostNode(&x, g, NULL, 0, &hp));
    cudaHostNodeParams none = {NULL, NULL};
    SAY("add host without a function", cudaGraphAddHostNode(&c, g, NULL, 0, &none));
    SAY("add child", cudaGraphAddChildGraphNode(&x, g, &b, 1, child));
    cudaGraph_t inner;
    SAY("the child's graph", cudaGraphChildGraphNodeGetGraph(x, &inner));
    SHOW("it is the same", "%d", inner == child);
    SAY("destroy a child's graph", cudaGraphDestroy(inner));
    SAY("add event record", cudaGraphAddEventRecordNode(&x, g, NULL, 0, e));
    SAY("add event wait", cudaGraphAddEventWaitNode(&c, g, NULL, 0, e));
    cudaEvent_t got;
    SAY("event of a record", cudaGraphEventRecordNodeGetEvent(x, &got));
    SAY("event of a wait as of a record", cudaGraphEventRecordNodeGetEvent(c, &got));
    SAY("set the event", cudaGraphEventRecordNodeSetEvent(x, f));
    SAY("clone", cudaGraphClone(&clone, g));
    SAY("find in clone", cudaGraphNodeFindInClone(&x, a, clone));
    SHOW("found in clone", "%s", x && x != a ? "another node" : "no");
    SAY("find in no clone", cudaGraphNodeFindInClone(&x, a, child));
    SAY("destroy a node", cudaGraphDestroyNode(b));
    cudaGraphExec_t exec, exec2;
    SAY("instantiate", cudaGraphInstantiate(&exec, g, 0));
    SAY("instantiate no such flag", cudaGraphInstantiate(&exec2, g, 1 << 20));
    SAY("instantiate with flag upload", cudaGraphInstantiate(&exec2, g, 2));
    SAY("instantiate an empty graph",
        (cudaGraphCreate(&child, 0), cudaGraphInstantiate(&exec2, child, 0)));
    SAY("launch an empty graph", cudaGraphLaunch(exec2, s));
    SAY("launch", cudaGraphLaunch(exec, s));
    SAY("launch in the legacy stream", cudaGraphLaunch(exec, 0));
    SAY("upload", cudaGraphUpload(exec, s));
    unsigned long long flags = 99;
    SAY("flags", cudaGraphExecGetFlags(exec, &flags));
    SHOW("flags are", "%llu", flags);
    SAY("synchronize", cudaStreamSynchronize(s));
    SAY("destroy exec", cudaGraphExecDestroy(exec));
    SAY("destroy", cudaGraphDestroy(g));
}

static void updating()
{
    set_up();
    cudaGraph_t g, g2;
    cudaGraphNode_t a, b, c, wrong;
    int n = 3;
    cudaKernelNodeParams k = kernel_params(&d, &n), k2 = k;
    cudaGraphCreate(&g, 0);
    cudaGraphAddKernelNode(&a, g, NULL, 0, &k);
    cudaMemsetParams z = {};
    z.dst = d;
    z.elementSize = 4;
    z.width = 4;
    z.height = 1;
    cudaGraphAddMemsetNode(&b, g, &a, 1, &z);
    cudaGraphAddMemcpyNode1D(&c, g, &b, 1, d, d + 8, 16, cudaMemcpyDeviceToDevice);
    cudaGraphExec_t exec;
    SAY("instantiate", cudaGraphInstantiate(&exec, g, 0));
    SAY("kernel params", cudaGraphExecKernelNodeSetParams(exec, a, &k));
    k2.func = (void *)other;
    SAY("kernel params, another function", cudaGraphExecKernelNodeSetParams(exec, a, &k2));
    SAY("kernel params of a memset", cudaGraphExecKernelNodeSetParams(exec, b, &k));
    k2.blockDim = dim3(5000);
    SAY("kernel params, block 5000", cudaGraphExecKernelNodeSetParams(exec, a, &k2));
    z.value = 7;
    SAY("memset params", cudaGraphExecMemsetNodeSetParams(exec, b, &z));
    z.width = 2;
    SAY("memset params, another width", cudaGraphExecMemsetNodeSetParams(exec, b, &z));
    z.height = 2;
    z.pitch = 64;
    SAY("memset params, two rows", cudaGraphExecMemsetNodeSetParams(exec, b, &z));
    SAY("memcpy params",
        cudaGraphExecMemcpyNodeSetParams1D(exec, c, d + 4, d + 8, 8, cudaMemcpyDeviceToDevice));
    SAY("memcpy params, another direction",
        cudaGraphExecMemcpyNodeSetParams1D(exec, c, d + 4, h, 8, cudaMemcpyHostToDevice));
    cudaHostNodeParams hp = {host_function, NULL};
    SAY("host params of a kernel", cudaGraphExecHostNodeSetParams(exec, a, &hp));
    cudaGraphCreate(&g2, 0);
    cudaGraphAddKernelNode(&wrong, g2, NULL, 0, &k);
    SAY("kernel params of another graph's node", cudaGraphExecKernelNodeSetParams(exec, wrong, &k));
    cudaGraphExecUpdateResultInfo info = {};
    SAY("update, fewer nodes", cudaGraphExecUpdate(exec, g2, &info));
    SHOW("update, fewer nodes says", "%d %s", (int)info.result,
         info.errorNode ? "node" : "no node");
    cudaGraphNode_t m;
    cudaGraphAddMemcpyNode1D(&m, g2, &wrong, 1, d, d + 8, 16, cudaMemcpyDeviceToDevice);
    cudaGraphAddMemcpyNode1D(&m, g2, &m, 1, d, d + 8, 16, cudaMemcpyDeviceToDevice);
    SAY("update, another type", cudaGraphExecUpdate(exec, g2, &info));
    SHOW("update, another type says", "%d %s", (int)info.result,
         info.errorNode ? "node" : "no node");
    SAY("update, the same", cudaGraphExecUpdate(exec, g, &info));
    SHOW("update, the same says", "%d %s", (int)info.result, info.errorNode ? "node" : "no node");
    SAY("set the graph's own", cudaGraphKernelNodeSetParams(a, &k));
    unsigned on = 9;
    SAY("enabled", cudaGraphNodeGetEnabled(exec, a, &on));
    SHOW("enabled is", "%u", on);
    SAY("disable", cudaGraphNodeSetEnabled(exec, a, 0));
    SAY("enabled now", cudaGraphNodeGetEnabled(exec, a, &on));
    SHOW("enabled now is", "%u", on);
    SAY("disable a memcpy", cudaGraphNodeSetEnabled(exec, c, 0));
    cudaLaunchAttributeValue v = {};
    SAY("attribute", cudaGraphKernelNodeGetAttribute(a, cudaLaunchAttributePriority, &v));
    SAY("attribute set", cudaGraphKernelNodeSetAttribute(a, cudaLaunchAttributePriority, &v));
    SAY("attribute of a memset",
        cudaGraphKernelNodeGetAttribute(b, cudaLaunchAttributePriority, &v));
    SAY("attribute no such", cudaGraphKernelNodeGetAttribute(a, (cudaLaunchAttributeID)77, &v));
    SAY("dot", cudaGraphDebugDotPrint(g, "/dev/null", 0));
    SAY("dot nowhere", cudaGraphDebugDotPrint(g, "/nowhere/at/all", 0));
    cudaGraphNodeParams generic = {};
    generic.type = cudaGraphNodeTypeKernel;
    generic.kernel.func = (void *)add;
    generic.kernel.gridDim = dim3(1);
    generic.kernel.blockDim = dim3(1);
    generic.kernel.kernelParams = k.kernelParams;
    SAY("add by type", cudaGraphAddNode(&m, g, NULL, NULL, 0, &generic));
    SAY("set by type", cudaGraphNodeSetParams(m, &generic));
    SAY("set another type", cudaGraphNodeSetParams(b, &generic));
    SAY("set in the exec by type", cudaGraphExecNodeSetParams(exec, a, &generic));
    generic.type = (cudaGraphNodeType)50;
    SAY("add no such type", cudaGraphAddNode(&m, g, NULL, NULL, 0, &generic));
    SAY("launch", cudaGraphLaunch(exec, s));
    SAY("synchronize", cudaStreamSynchronize(s));
    cudaGraphInstantiateParams ip = {};
    SAY("instantiate with parameters", cudaGraphInstantiateWithParams(&exec, g, &ip));
    SHOW("instantiate with parameters says", "%d", (int)ip.result_out);
    cudaUserObject_t object;
    SAY("user object",
        cudaUserObjectCreate(&object, NULL, host_function, 1, cudaUserObjectNoDestructorSync));
    SAY("user object without the flag", cudaUserObjectCreate(&object, NULL, host_function, 1, 0));
    SAY("user object for 0",
        cudaUserObjectCreate(&object, NULL, host_function, 0, cudaUserObjectNoDestructorSync));
}

static void memory_nodes()
{
    set_up();
    cudaGraph_t g;
    cudaGraphNode_t a, b, c;
    cudaGraphExec_t exec, two;
    cudaMemAllocNodeParams p = {};
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location.type = cudaMemLocationTypeDevice;
    p.bytesize = 1024;
    cudaGraphCreate(&g, 0);
    SAY("add allocation", cudaGraphAddMemAllocNode(&a, g, NULL, 0, &p));
    SHOW("it has an address", "%d", p.dptr != NULL);
    cudaMemAllocNodeParams q = p;
    q.bytesize = 0;
    SAY("add allocation of nothing", cudaGraphAddMemAllocNode(&b, g, NULL, 0, &q));
    cudaPointerAttributes where = {};
    SAY("attributes before a launch", cudaPointerGetAttributes(&where, p.dptr));
    SHOW("they are", "%d", (int)where.type);
    SAY("add free of no graph memory", cudaGraphAddMemFreeNode(&b, g, &a, 1, d));
    SAY("instantiate", cudaGraphInstantiate(&exec, g, 0));
    SAY("instantiate twice", cudaGraphInstantiate(&two, g, 0));
    SAY("clone", cudaGraphClone(&g, g));
    SAY("launch", cudaGraphLaunch(exec, s));
    SAY("launch again", cudaGraphLaunch(exec, s));
    SAY("memcpy to it", cudaMemcpy(p.dptr, h, 16, cudaMemcpyHostToDevice));
    SAY("free it", cudaFree(p.dptr));
    SAY("launch after the free", cudaGraphLaunch(exec, s));
    SAY("free it in a stream", cudaFreeAsync(p.dptr, s));
    SAY("free it twice", cudaFreeAsync(p.dptr, s));
    SAY("synchronize", cudaDeviceSynchronize());
    cudaGraphCreate(&g, 0);
    SAY("allocation", cudaGraphAddMemAllocNode(&a, g, NULL, 0, &p));
    SAY("free without the dependency", cudaGraphAddMemFreeNode(&b, g, NULL, 0, p.dptr));
    SAY("free", cudaGraphAddMemFreeNode(&b, g, &a, 1, p.dptr));
    SAY("free a second time", cudaGraphAddMemFreeNode(&c, g, &b, 1, p.dptr));
    void *got = NULL;
    SAY("free's parameter", cudaGraphMemFreeNodeGetParams(b, &got));
    SHOW("it is the address", "%d", got == p.dptr);
    SAY("instantiate", cudaGraphInstantiate(&exec, g, 0));
    SAY("launch", cudaGraphLaunch(exec, s));
    SAY("launch again", cudaGraphLaunch(exec, s));
    SAY("as a child", ([&] {
            cudaGraph_t outer;
            cudaGraphCreate(&outer, 0);
            return cudaGraphAddChildGraphNode(&c, outer, NULL, 0, g);
        })());
    SAY("destroy a node", cudaGraphDestroyNode(b));
    unsigned long long used = 0;
    SAY("used", cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    SAY("used no such", cudaDeviceGetGraphMemAttribute(0, (cudaGraphMemAttributeType)9, &used));
    SAY("set used", cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    used = 0;
    SAY("reset the most used",
        cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &used));
    SAY("trim", cudaDeviceGraphMemTrim(0));
    SAY("trim device 1000", cudaDeviceGraphMemTrim(1000));
    SAY("synchronize", cudaDeviceSynchronize());
}

int main(int argc, char **argv)
{
    static const section all[] = {
        {"building", building},
        {"updating", updating},
        {"memory nodes", memory_nodes},
        {"null: destroy", [] { SAY("destroy null", cudaGraphDestroy(NULL)); }},
        {"null: destroy exec", [] { SAY("destroy null exec", cudaGraphExecDestroy(NULL)); }},
        {"null: launch", [] { SAY("launch null", cudaGraphLaunch(NULL, 0)); }},
        {"null: event", [] {
             cudaGraph_t g;
             cudaGraphNode_t n;
             cudaGraphCreate(&g, 0);
             SAY("add event record null", cudaGraphAddEventRecordNode(&n, g, NULL, 0, NULL));
         }}};
    return run_sections(all, sizeof all / sizeof *all, argc, argv);
}
