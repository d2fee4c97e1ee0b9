/* Calls that fewer programs make: libraries, entry points, IPC, peers, pools, batches, limits,
 * attributes of streams and launches, occupancy, processes. What the runtime returns. */
#include "say.h"

#include <cuda_profiler_api.h>
#include <string>

__global__ void nothing(int *p)
{
    if (p)
        *p = 1;
}
__global__ void allocate(size_t size, void **out)
{
    *out = malloc(size);
}
__device__ int word[4];
__managed__ int shared_word;

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .global .align 4 .b8 table[16];\n"
                          ".visible .global .attribute(.managed) .align 4 .b8 both[8];\n"
                          ".visible .entry first(.param .u64 p)\n{\n ret;\n}\n"
                          ".visible .entry second()\n{\n ret;\n}\n";

static int *d;
static int h[4];
static cudaStream_t s;
static cudaEvent_t e;

static void set_up()
{
    cudaMalloc(&d, 4096);
    cudaStreamCreate(&s);
    cudaEventCreate(&e);
}

static void libraries()
{
    set_up();
    cudaLibrary_t lib = NULL, bad;
    cudaKernel_t k = NULL, list[4];
    void *p = NULL;
    size_t bytes = 0;
    unsigned count = 0;
    SAY("load", cudaLibraryLoadData(&lib, ptx, NULL, NULL, 0, NULL, NULL, 0));
    SAY("load null", cudaLibraryLoadData(NULL, ptx, NULL, NULL, 0, NULL, NULL, 0));
    SAY("load no code", cudaLibraryLoadData(&bad, NULL, NULL, NULL, 0, NULL, NULL, 0));
    SAY("load what is no PTX", cudaLibraryLoadData(&bad, ".version 7.0\n.target sm_70\nnonsense\n",
                                                   NULL, NULL, 0, NULL, NULL, 0));
    SAY("kernel of what is no PTX", cudaLibraryGetKernel(&k, bad, "first"));
    SAY("count of what is no PTX", cudaLibraryGetKernelCount(&count, bad));
    SAY("unload what is no PTX", cudaLibraryUnload(bad));
    SAY("load no file",
        cudaLibraryLoadFromFile(&bad, "/nowhere/at.all", NULL, NULL, 0, NULL, NULL, 0));
    SAY("kernel", cudaLibraryGetKernel(&k, lib, "first"));
    SAY("kernel that is not there", cudaLibraryGetKernel(&list[0], lib, "third"));
    SAY("kernel null", cudaLibraryGetKernel(NULL, lib, "first"));
    SAY("kernel no name", cudaLibraryGetKernel(&list[0], lib, NULL));
    SAY("count", cudaLibraryGetKernelCount(&count, lib));
    SHOW("count is", "%u", count);
    SAY("list", cudaLibraryEnumerateKernels(list, 4, lib));
    SAY("global", cudaLibraryGetGlobal(&p, &bytes, lib, "table"));
    SHOW("global has bytes", "%zu", bytes);
    SAY("global without a size", cudaLibraryGetGlobal(&p, NULL, lib, "table"));
    SAY("global without both", cudaLibraryGetGlobal(NULL, NULL, lib, "table"));
    SAY("global that is not there", cudaLibraryGetGlobal(&p, &bytes, lib, "none"));
    SAY("global that is managed", cudaLibraryGetGlobal(&p, &bytes, lib, "both"));
    SAY("managed", cudaLibraryGetManaged(&p, &bytes, lib, "both"));
    SHOW("managed has bytes", "%zu", bytes);
    SAY("managed that is not", cudaLibraryGetManaged(&p, &bytes, lib, "table"));
    SAY("managed that is not there", cudaLibraryGetManaged(&p, &bytes, lib, "none"));
    SAY("unified function", cudaLibraryGetUnifiedFunction(&p, lib, "first"));
    void *arguments[] = {&d};
    SAY("launch", cudaLaunchKernel((const void *)k, dim3(1), dim3(1), arguments, 0, 0));
    SAY("synchronize", cudaDeviceSynchronize());
    cudaFuncAttributes attributes;
    SAY("attributes", cudaFuncGetAttributes(&attributes, (const void *)k));
    SAY("kernel attribute",
        cudaKernelSetAttributeForDevice(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 1000, 0));
    SAY("kernel attribute device 1000",
        cudaKernelSetAttributeForDevice(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 1000,
                                        1000));
    SAY("kernel attribute too much",
        cudaKernelSetAttributeForDevice(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20,
                                        0));
    const char *name = NULL;
    SAY("name", cudaFuncGetName(&name, (const void *)k));
    SHOW("name is", "%s", name ? name : "NULL");
    size_t offset, size;
    SAY("parameter 0", cudaFuncGetParamInfo((const void *)k, 0, &offset, &size));
    SAY("parameter 1", cudaFuncGetParamInfo((const void *)k, 1, &offset, &size));
    SAY("cudaGetKernel", cudaGetKernel(&k, (const void *)nothing));
    SAY("cudaGetKernel of no kernel", cudaGetKernel(&k, (const void *)set_up));
    SAY("cudaGetKernel null", cudaGetKernel(NULL, (const void *)nothing));
    SAY("cudaGetKernel of null", cudaGetKernel(&k, (const void *)NULL));
    cudaFunction_t f;
    SAY("cudaGetFuncBySymbol", cudaGetFuncBySymbol(&f, (const void *)nothing));
    SAY("cudaGetFuncBySymbol of no kernel", cudaGetFuncBySymbol(&f, (const void *)set_up));
    SAY("unload", cudaLibraryUnload(lib));
    SAY("unload null", cudaLibraryUnload(NULL));
}

static void entry_points()
{
    void *f = NULL;
    cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSuccess;
    SAY("cuMemAlloc",
        cudaGetDriverEntryPointByVersion("cuMemAlloc", &f, 12000, cudaEnableDefault, &found));
    SHOW("cuMemAlloc is", "%d %s", (int)found, f ? "an address" : "NULL");
    SAY("cuNothing",
        cudaGetDriverEntryPointByVersion("cuNothing", &f, 12000, cudaEnableDefault, &found));
    SHOW("cuNothing is", "%d %s", (int)found, f ? "an address" : "NULL");
    SAY("cuNothing without a result",
        cudaGetDriverEntryPointByVersion("cuNothing", &f, 12000, cudaEnableDefault, NULL));
    SAY("cuDeviceGetUuid of 9.0",
        cudaGetDriverEntryPointByVersion("cuDeviceGetUuid", &f, 9000, cudaEnableDefault, &found));
    SHOW("cuDeviceGetUuid of 9.0 is", "%d %s", (int)found, f ? "an address" : "NULL");
    SAY("empty name", cudaGetDriverEntryPointByVersion("", &f, 12000, cudaEnableDefault, &found));
    SAY("flags 77", cudaGetDriverEntryPointByVersion("cuInit", &f, 12000, 77, &found));
}

static void sharing()
{
    set_up();
    cudaIpcMemHandle_t mem;
    cudaIpcEventHandle_t event;
    cudaEvent_t shared = NULL;
    void *p = NULL, *host = NULL;
    int value = 7;
    cudaMallocHost(&host, 64);
    SAY("memory handle of host memory", cudaIpcGetMemHandle(&mem, host));
    SAY("memory handle of the stack", cudaIpcGetMemHandle(&mem, h));
    SAY("event handle of a plain event", cudaIpcGetEventHandle(&event, e));
    memset(&mem, 0, sizeof mem);
    SAY("open a memory handle of zeros",
        cudaIpcOpenMemHandle(&p, mem, cudaIpcMemLazyEnablePeerAccess));
    SAY("open with flags 0", cudaIpcOpenMemHandle(&p, mem, 0));
    SAY("close what was not opened", cudaIpcCloseMemHandle(d));
    memset(&event, 0, sizeof event);
    SAY("open an event handle of zeros", cudaIpcOpenEventHandle(&shared, event));
    int can = 7;
    SAY("peer of itself", cudaDeviceCanAccessPeer(&can, 0, 0));
    SHOW("peer of itself is", "%d", can);
    SAY("peer 1000", cudaDeviceCanAccessPeer(&can, 0, 1000));
    SAY("enable peer itself", cudaDeviceEnablePeerAccess(0, 0));
    SAY("enable peer 1000", cudaDeviceEnablePeerAccess(1000, 0));
    SAY("enable peer flags", cudaDeviceEnablePeerAccess(0, 1));
    SAY("disable peer itself", cudaDeviceDisablePeerAccess(0));
    SAY("disable peer 1000", cudaDeviceDisablePeerAccess(1000));
    SAY("P2P attribute of itself",
        cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 0));
    SAY("P2P attribute 1000",
        cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 1000));
    SAY("copy to itself as a peer", cudaMemcpyPeer(d, 0, d + 16, 0, 16));
    SAY("copy to peer 1000", cudaMemcpyPeer(d, 1000, d + 16, 0, 16));
    cudaMemcpy3DPeerParms peer = {};
    peer.srcPtr = make_cudaPitchedPtr(d, 16, 16, 1);
    peer.dstPtr = make_cudaPitchedPtr(d + 16, 16, 16, 1);
    peer.extent = make_cudaExtent(16, 1, 1);
    SAY("copy 3D to itself as a peer", cudaMemcpy3DPeer(&peer));
    peer.dstDevice = 1000;
    SAY("copy 3D to peer 1000", cudaMemcpy3DPeer(&peer));
    cudaExternalMemory_t memory;
    cudaExternalMemoryHandleDesc desc = {};
    SAY("import external memory of nothing", cudaImportExternalMemory(&memory, &desc));
    cudaExternalSemaphore_t semaphore;
    cudaExternalSemaphoreHandleDesc sdesc = {};
    SAY("import an external semaphore of nothing", cudaImportExternalSemaphore(&semaphore, &sdesc));
    SAY("map no graphics resources", cudaGraphicsMapResources(0, NULL, 0));
}

static void attributes()
{
    set_up();
    cudaLaunchAttributeValue v = {};
    SAY("stream priority", cudaStreamGetAttribute(s, cudaLaunchAttributePriority, &v));
    SHOW("stream priority is", "%d", v.priority);
    v.priority = -3;
    SAY("set the stream's priority", cudaStreamSetAttribute(s, cudaLaunchAttributePriority, &v));
    int priority = 9;
    SAY("priority then", cudaStreamGetPriority(s, &priority));
    SHOW("priority then is", "%d", priority);
    v.priority = -99;
    SAY("set the stream's priority to -99",
        cudaStreamSetAttribute(s, cudaLaunchAttributePriority, &v));
    SAY("stream synchronisation policy",
        cudaStreamGetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, &v));
    v.syncPolicy = cudaSyncPolicyYield;
    SAY("set the policy", cudaStreamSetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, &v));
    v.syncPolicy = (cudaSynchronizationPolicy)77;
    SAY("set no such policy",
        cudaStreamSetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, &v));
    memset(&v, 0, sizeof v);
    SAY("access window", cudaStreamGetAttribute(s, cudaLaunchAttributeAccessPolicyWindow, &v));
    v.accessPolicyWindow.base_ptr = d;
    v.accessPolicyWindow.num_bytes = 4096;
    v.accessPolicyWindow.hitRatio = 0.5f;
    v.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    v.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    SAY("set the access window",
        cudaStreamSetAttribute(s, cudaLaunchAttributeAccessPolicyWindow, &v));
    v.accessPolicyWindow.hitRatio = 3;
    SAY("set a hit ratio of 3",
        cudaStreamSetAttribute(s, cudaLaunchAttributeAccessPolicyWindow, &v));
    v.accessPolicyWindow.hitRatio = 1;
    v.accessPolicyWindow.num_bytes = (size_t)1 << 40;
    SAY("set a window of 1 TiB",
        cudaStreamSetAttribute(s, cudaLaunchAttributeAccessPolicyWindow, &v));
    SAY("stream attribute cooperative",
        cudaStreamGetAttribute(s, cudaLaunchAttributeCooperative, &v));
    SAY("stream attribute no such", cudaStreamGetAttribute(s, (cudaLaunchAttributeID)77, &v));
    cudaStream_t t;
    cudaStreamCreate(&t);
    SAY("copy attributes", cudaStreamCopyAttributes(t, s));
    SAY("copy attributes to itself", cudaStreamCopyAttributes(t, t));
    SAY("copy attributes to the legacy stream", cudaStreamCopyAttributes(0, s));

    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute a[1] = {};
    config.gridDim = dim3(2);
    config.blockDim = dim3(32);
    config.attrs = a;
    config.numAttrs = 1;
    a[0].id = cudaLaunchAttributePriority;
    a[0].val.priority = -2;
    SAY("launch with a priority", cudaLaunchKernelEx(&config, nothing, (int *)NULL));
    a[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    a[0].val.programmaticStreamSerializationAllowed = 1;
    SAY("launch with programmatic serialization",
        cudaLaunchKernelEx(&config, nothing, (int *)NULL));
    a[0].id = cudaLaunchAttributeIgnore;
    SAY("launch with an ignored attribute", cudaLaunchKernelEx(&config, nothing, (int *)NULL));
    a[0].id = (cudaLaunchAttributeID)77;
    SAY("launch with no such attribute", cudaLaunchKernelEx(&config, nothing, (int *)NULL));
    a[0].id = cudaLaunchAttributeLaunchCompletionEvent;
    a[0].val.launchCompletionEvent.event = e;
    a[0].val.launchCompletionEvent.flags = 0;
    SAY("launch with a completion event that has a time",
        cudaLaunchKernelEx(&config, nothing, (int *)NULL));
    cudaEvent_t plain;
    cudaEventCreateWithFlags(&plain, cudaEventDisableTiming);
    a[0].val.launchCompletionEvent.event = plain;
    SAY("launch with a completion event", cudaLaunchKernelEx(&config, nothing, (int *)NULL));
    SAY("synchronize", cudaDeviceSynchronize());

    memset(a, 0, sizeof a);
    a[0].id = cudaLaunchAttributeClusterDimension;
    a[0].val.clusterDim.x = 2;
    a[0].val.clusterDim.y = a[0].val.clusterDim.z = 1;
    int clusters = -1;
    SAY("clusters", cudaOccupancyMaxActiveClusters(&clusters, nothing, &config));
    SHOW("clusters are", "%d", clusters);
    SAY("cluster size", cudaOccupancyMaxPotentialClusterSize(&clusters, nothing, &config));
    SHOW("cluster size is", "%d", clusters);
    config.numAttrs = 0;
    SAY("clusters without a size", cudaOccupancyMaxActiveClusters(&clusters, nothing, &config));
    SHOW("clusters without a size are", "%d", clusters);
    size_t bytes = 0;
    SAY("dynamic shared memory for 2 blocks",
        cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, nothing, 2, 256));
    SHOW("it is", "%zu", bytes);
    SAY("dynamic shared memory for 1000 blocks",
        cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, nothing, 1000, 256));
    SAY("dynamic shared memory for 0 blocks",
        cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, nothing, 0, 256));
    SAY("cluster attribute of a kernel",
        cudaFuncSetAttribute(nothing, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    SAY("cluster width of a kernel",
        cudaFuncSetAttribute(nothing, cudaFuncAttributeRequiredClusterWidth, 2));
    SAY("no such attribute of a kernel", cudaFuncSetAttribute(nothing, (cudaFuncAttribute)77, 1));
}

static void device_state()
{
    size_t value = 0;
    unsigned flags = 99;
    static const struct {
        const char *name;
        cudaLimit limit;
    } limits[] = {{"stack", cudaLimitStackSize},
                  {"printf", cudaLimitPrintfFifoSize},
                  {"heap", cudaLimitMallocHeapSize},
                  {"sync depth", cudaLimitDevRuntimeSyncDepth},
                  {"pending launches", cudaLimitDevRuntimePendingLaunchCount},
                  {"L2 fetch", cudaLimitMaxL2FetchGranularity},
                  {"persisting L2", cudaLimitPersistingL2CacheSize}};
    for (auto &l : limits) {
        std::string name = std::string("limit ") + l.name;
        value = 0;
        SAY(name.c_str(), cudaDeviceGetLimit(&value, l.limit));
        SHOW((name + " is").c_str(), "%zu", value);
    }
    static const struct {
        cudaLimit limit;
        const char *name;
        size_t value;
    } sets[] = {{cudaLimitStackSize, "stack 2000", 2000},
                {cudaLimitStackSize, "stack 0", 0},
                {cudaLimitStackSize, "stack 512 KiB", 512 << 10},
                {cudaLimitPrintfFifoSize, "printf 100", 100},
                {cudaLimitPrintfFifoSize, "printf 3000000", 3000000},
                {cudaLimitMallocHeapSize, "heap 100", 100},
                {cudaLimitMallocHeapSize, "heap 33554432", 33554432},
                {cudaLimitMaxL2FetchGranularity, "L2 fetch 100", 100},
                {cudaLimitMaxL2FetchGranularity, "L2 fetch 500", 500},
                {cudaLimitPersistingL2CacheSize, "persisting L2 1000000", 1000000},
                {cudaLimitPersistingL2CacheSize, "persisting L2 1 GiB", (size_t)1 << 30},
                {cudaLimitDevRuntimeSyncDepth, "sync depth 4", 4},
                {cudaLimitDevRuntimePendingLaunchCount, "pending launches 100", 100}};
    for (auto &l : sets) {
        std::string name = std::string("set limit ") + l.name;
        SAY(name.c_str(), cudaDeviceSetLimit(l.limit, l.value));
        cudaDeviceGetLimit(&value, l.limit);
        SHOW((name + " gives").c_str(), "%zu", value);
    }
    void **out;
    cudaMallocManaged(&out, sizeof *out);
    allocate<<<1, 1>>>((size_t)16 << 20, out);
    SAY("device malloc of 16 MiB of 32", cudaDeviceSynchronize());
    SHOW("device malloc of 16 MiB of 32 gives", "%s", *out ? "memory" : "NULL");
    allocate<<<1, 1>>>((size_t)32 << 20, out);
    SAY("device malloc of 32 MiB of 32", cudaDeviceSynchronize());
    SHOW("device malloc of 32 MiB of 32 gives", "%s", *out ? "memory" : "NULL");
    SAY("set the heap after a launch", cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20));
    cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize);
    SHOW("the heap then is", "%zu", value);
    SAY("device flags", cudaGetDeviceFlags(&flags));
    SHOW("device flags are", "%u", flags);
    SAY("set device flags", cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
    SAY("device flags then", cudaGetDeviceFlags(&flags));
    SHOW("device flags then are", "%u", flags);
    SAY("set two schedules", cudaSetDeviceFlags(cudaDeviceScheduleSpin | cudaDeviceScheduleYield));
    SAY("set flags 1024", cudaSetDeviceFlags(1024));
    SAY("reset persisting L2", cudaCtxResetPersistingL2Cache());
    SAY("profiler start", cudaProfilerStart());
    int list[] = {0};
    SAY("valid devices", cudaSetValidDevices(list, 1));
    list[0] = 1000;
    SAY("valid devices 1000", cudaSetValidDevices(list, 1));
    char id[32];
    int device = 9;
    SAY("bus id", cudaDeviceGetPCIBusId(id, sizeof id, 0));
    SAY("device of a bus id", cudaDeviceGetByPCIBusId(&device, id));
    SAY("bus id into too little", cudaDeviceGetPCIBusId(id, 3, 0));
    SAY("flush writes",
        cudaDeviceFlushGPUDirectRDMAWrites(cudaFlushGPUDirectRDMAWritesTargetCurrentDevice,
                                           cudaFlushGPUDirectRDMAWritesToOwner));
    SAY("width of a linear texture", ([&] {
            cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
            return cudaDeviceGetTexture1DLinearMaxWidth(&value, &desc, 0);
        })());
    SHOW("it is", "%zu", value);
}

static void memory()
{
    set_up();
    int *m = NULL, *p = NULL;
    cudaMallocManaged(&m, 1 << 20);
    cudaMemLocation here = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0},
                    far = {cudaMemLocationTypeDevice, 1000};
    SAY("advise read mostly", cudaMemAdvise(m, 1 << 20, cudaMemAdviseSetReadMostly, here));
    int value = 9;
    SAY("range attribute",
        cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, m, 1 << 20));
    SHOW("range attribute is", "%d", value);
    SAY("unset read mostly", cudaMemAdvise(m, 1 << 20, cudaMemAdviseUnsetReadMostly, here));
    SAY("preferred location", cudaMemAdvise(m, 1 << 20, cudaMemAdviseSetPreferredLocation, here));
    SAY("range attribute location",
        cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributePreferredLocation, m, 1 << 20));
    SHOW("range attribute location is", "%d", value);
    SAY("preferred location host",
        cudaMemAdvise(m, 1 << 20, cudaMemAdviseSetPreferredLocation, host));
    SAY("range attribute location",
        cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributePreferredLocation, m, 1 << 20));
    SHOW("range attribute location is now", "%d", value);
    SAY("accessed by", cudaMemAdvise(m, 1 << 20, cudaMemAdviseSetAccessedBy, here));
    int two[2] = {7, 7};
    SAY("range attribute accessed by",
        cudaMemRangeGetAttribute(two, 8, cudaMemRangeAttributeAccessedBy, m, 1 << 20));
    SHOW("range attribute accessed by is", "%d %d", two[0], two[1]);
    SAY("advise device memory", cudaMemAdvise(d, 4096, cudaMemAdviseSetReadMostly, here));
    SAY("advise host memory", cudaMemAdvise(h, 16, cudaMemAdviseSetReadMostly, here));
    SAY("advise nothing", cudaMemAdvise(m, 0, cudaMemAdviseSetReadMostly, here));
    SAY("advise too much", cudaMemAdvise(m, 1 << 21, cudaMemAdviseSetReadMostly, here));
    SAY("advise no such", cudaMemAdvise(m, 4096, (cudaMemoryAdvise)77, here));
    SAY("advise device 1000", cudaMemAdvise(m, 4096, cudaMemAdviseSetPreferredLocation, far));
    SAY("prefetch", cudaMemPrefetchAsync(m, 1 << 20, here, 0, s));
    SAY("last prefetch", (cudaStreamSynchronize(s),
                          cudaMemRangeGetAttribute(
                              &value, 4, cudaMemRangeAttributeLastPrefetchLocation, m, 1 << 20)));
    SHOW("last prefetch is", "%d", value);
    SAY("prefetch to the host", cudaMemPrefetchAsync(m, 1 << 20, host, 0, s));
    SAY("prefetch to device 1000", cudaMemPrefetchAsync(m, 1 << 20, far, 0, s));
    SAY("prefetch device memory", cudaMemPrefetchAsync(d, 4096, here, 0, s));
    SAY("prefetch flags", cudaMemPrefetchAsync(m, 1 << 20, here, 1, s));
    SAY("range attribute of device memory",
        cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, d, 4096));
    SAY("range attribute of 3 bytes",
        cudaMemRangeGetAttribute(&value, 3, cudaMemRangeAttributeReadMostly, m, 4096));
    SAY("attach", cudaStreamAttachMemAsync(s, m, 0, cudaMemAttachSingle));
    SAY("attach null", cudaStreamAttachMemAsync(s, (int *)NULL, 0, cudaMemAttachSingle));
    SAY("attach no such flag", cudaStreamAttachMemAsync(s, m, 0, 77));

    cudaMemPool_t pool = NULL, made = NULL;
    SAY("default pool", cudaDeviceGetDefaultMemPool(&pool, 0));
    SAY("default pool of a place",
        cudaMemGetDefaultMemPool(&made, &here, cudaMemAllocationTypePinned));
    SHOW("they are the same", "%d", made == pool);
    SAY("current pool of a place", cudaMemGetMemPool(&made, &here, cudaMemAllocationTypePinned));
    SAY("set a place's pool", cudaMemSetMemPool(&here, cudaMemAllocationTypePinned, pool));
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location = here;
    SAY("make a pool", cudaMemPoolCreate(&made, &props));
    unsigned long long number = 5;
    SAY("threshold", cudaMemPoolGetAttribute(made, cudaMemPoolAttrReleaseThreshold, &number));
    SHOW("threshold is", "%llu", number);
    SAY("allocate from it", cudaMallocFromPoolAsync((void **)&p, 1000, made, s));
    SAY("used", cudaMemPoolGetAttribute(made, cudaMemPoolAttrUsedMemCurrent, &number));
    SHOW("used is", "%llu", number);
    SAY("most used", cudaMemPoolGetAttribute(made, cudaMemPoolAttrUsedMemHigh, &number));
    SHOW("most used is", "%llu", number);
    SAY("reserved", cudaMemPoolGetAttribute(made, cudaMemPoolAttrReservedMemCurrent, &number));
    SHOW("reserved is", "%llu", number);
    SAY("free", cudaFreeAsync(p, s));
    SAY("used then", (cudaStreamSynchronize(s),
                      cudaMemPoolGetAttribute(made, cudaMemPoolAttrUsedMemCurrent, &number)));
    SHOW("used then is", "%llu", number);
    SAY("set used", cudaMemPoolSetAttribute(made, cudaMemPoolAttrUsedMemCurrent, &number));
    number = 0;
    SAY("reset the most used", cudaMemPoolSetAttribute(made, cudaMemPoolAttrUsedMemHigh, &number));
    number = 1;
    SAY("set the most used to 1",
        cudaMemPoolSetAttribute(made, cudaMemPoolAttrUsedMemHigh, &number));
    SAY("attribute no such", cudaMemPoolGetAttribute(made, (cudaMemPoolAttr)77, &number));
    cudaMemAccessFlags access;
    SAY("access", cudaMemPoolGetAccess(&access, made, &here));
    SHOW("access is", "%d", (int)access);
    cudaMemAccessDesc desc = {here, cudaMemAccessFlagsProtReadWrite};
    SAY("set access", cudaMemPoolSetAccess(made, &desc, 1));
    desc.flags = cudaMemAccessFlagsProtNone;
    SAY("take access away", cudaMemPoolSetAccess(made, &desc, 1));
    desc.location = far;
    SAY("set access of device 1000", cudaMemPoolSetAccess(made, &desc, 1));
    int fd = -1;
    SAY("export a pool that is not to be",
        cudaMemPoolExportToShareableHandle(&fd, made, cudaMemHandleTypePosixFileDescriptor, 0));
    cudaMemPoolPtrExportData data;
    cudaMallocFromPoolAsync((void **)&p, 1000, made, s);
    SAY("export a pointer", cudaMemPoolExportPointer(&data, p));
    SAY("trim", cudaMemPoolTrimTo(made, 0));
    SAY("destroy", cudaMemPoolDestroy(made));
    SAY("destroy the default", cudaMemPoolDestroy(pool));

    int *x, *y;
    cudaMalloc(&x, 64);
    cudaMalloc(&y, 64);
    void *dsts[] = {x, y};
    const void *srcs[] = {h, h};
    size_t sizes[] = {16, 8};
    cudaMemcpyAttributes attr = {};
    attr.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    size_t which[] = {0};
    SAY("batch", cudaMemcpyBatchAsync(dsts, srcs, sizes, 2, &attr, which, 1, s));
    SAY("batch of none", cudaMemcpyBatchAsync(dsts, srcs, sizes, 0, &attr, which, 1, s));
    SAY("batch in the legacy stream",
        cudaMemcpyBatchAsync(dsts, srcs, sizes, 2, &attr, which, 1, 0));
    SAY("batch null", cudaMemcpyBatchAsync(NULL, srcs, sizes, 2, &attr, which, 1, s));
    SAY("batch without attributes", cudaMemcpyBatchAsync(dsts, srcs, sizes, 2, NULL, NULL, 0, s));
    attr.srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
    SAY("batch without an order", cudaMemcpyBatchAsync(dsts, srcs, sizes, 2, &attr, which, 1, s));
    attr.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    which[0] = 1;
    SAY("batch whose attributes begin at 1",
        cudaMemcpyBatchAsync(dsts, srcs, sizes, 2, &attr, which, 1, s));
    sizes[1] = 0;
    which[0] = 0;
    SAY("batch with a copy of nothing",
        cudaMemcpyBatchAsync(dsts, srcs, sizes, 2, &attr, which, 1, s));
    void *ranges[] = {m};
    size_t range_sizes[] = {1 << 20}, at[] = {0};
    SAY("prefetch batch", cudaMemPrefetchBatchAsync(ranges, range_sizes, 1, &here, at, 1, 0, s));
    SAY("discard batch", cudaMemDiscardBatchAsync(ranges, range_sizes, 1, 0, s));
    SAY("discard and prefetch batch",
        cudaMemDiscardAndPrefetchBatchAsync(ranges, range_sizes, 1, &here, at, 1, 0, s));
    SAY("synchronize", cudaDeviceSynchronize());
}

static void processes()
{
    set_up();
    cudaDeviceSynchronize();
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        int count = 0;
        void *p;
        SAY("in a child, cudaGetDeviceCount", cudaGetDeviceCount(&count));
        SAY("in a child, cudaSetDevice", cudaSetDevice(0));
        SAY("in a child, cudaMalloc", cudaMalloc(&p, 64));
        SAY("in a child, cudaMemcpy", cudaMemcpy(d, h, 16, cudaMemcpyHostToDevice));
        nothing<<<1, 1>>>(NULL);
        SAY("in a child, launch", cudaGetLastError());
        SAY("in a child, cudaDeviceSynchronize", cudaDeviceSynchronize());
        SAY("in a child, cudaStreamSynchronize", cudaStreamSynchronize(s));
        SAY("in a child, cudaFree", cudaFree(d));
        SAY("in a child, cudaDeviceReset", cudaDeviceReset());
        fflush(stdout);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    SHOW("the child ended with", "%d", status);
    child = fork();
    if (!child) {
        exit(3);
    }
    waitpid(child, &status, 0);
    SHOW("a child that uses no CUDA ends with", "%d", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    SAY("the parent then", cudaDeviceSynchronize());
    nothing<<<1, 1>>>(NULL);
    SAY("the parent launches", cudaDeviceSynchronize());
    SAY("reset", cudaDeviceReset());
    SAY("after a reset, a stream", cudaStreamSynchronize(s));
    SAY("after a reset, an event", cudaEventQuery(e));
    SAY("after a reset, cudaFree", cudaFree(d));
    SAY("after a reset, cudaMemcpy", cudaMemcpy(h, d, 16, cudaMemcpyDeviceToHost));
    nothing<<<1, 1>>>(NULL);
    SAY("after a reset, launch", cudaGetLastError());
    SAY("after a reset, synchronize", cudaDeviceSynchronize());
}

static void errors_by_kernels()
{
    cudaGraph_t g;
    cudaGraphExec_t exec;
    set_up();
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    nothing<<<1, 1, 0, s>>>((int *)16);
    SAY("capture of a kernel that will fail", cudaStreamEndCapture(s, &g));
    SAY("instantiate", cudaGraphInstantiate(&exec, g, 0));
    SAY("launch", cudaGraphLaunch(exec, s));
    SAY("synchronize", cudaStreamSynchronize(s));
    SAY("launch again", cudaGraphLaunch(exec, s));
    SAY("destroy the graph", cudaGraphDestroy(g));
    SAY("destroy exec", cudaGraphExecDestroy(exec));
    SAY("create", cudaGraphCreate(&g, 0));
    SAY("begin", cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
}

int main(int argc, char **argv)
{
    static const section all[] = {
        {"libraries", libraries},   {"entry points", entry_points},          {"sharing", sharing},
        {"attributes", attributes}, {"device state", device_state},          {"memory", memory},
        {"processes", processes},   {"errors by kernels", errors_by_kernels}};
    return run_sections(all, sizeof all / sizeof *all, argc, argv);
}
