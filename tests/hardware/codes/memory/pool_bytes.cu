/* The bytes that a pool says are used and reserved, now and at most, at each step of allocating and
 * freeing; with what is freed held back by a host function that waits. */
#include "say.h"

#include <atomic>

static std::atomic<bool> open_gate;

static void wait_for_gate(void *)
{
    while (!open_gate) {
        usleep(1000);
    }
}

static void bytes(const char *what, cudaMemPool_t p)
{
    unsigned long long v[4] = {};
    const cudaMemPoolAttr a[4] = {cudaMemPoolAttrReservedMemCurrent, cudaMemPoolAttrReservedMemHigh,
                                  cudaMemPoolAttrUsedMemCurrent, cudaMemPoolAttrUsedMemHigh};
    for (int i = 0; i < 4; i++) {
        cudaMemPoolGetAttribute(p, a[i], &v[i]);
    }
    SHOW(what, "reserved %llu at most %llu used %llu at most %llu", v[0], v[1], v[2], v[3]);
}

static cudaMemPool_t pool;
static cudaStream_t s, t;

static void begin()
{
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaDeviceGetDefaultMemPool(&pool, 0);
    bytes("begin", pool);
}

static void *get(const char *what, size_t n, cudaStream_t stream)
{
    void *p = NULL;
    SAY(what, cudaMallocAsync(&p, n, stream));
    bytes(what, pool);
    return p;
}

static void put(const char *what, void *p, cudaStream_t stream)
{
    SAY(what, cudaFreeAsync(p, stream));
    bytes(what, pool);
}

static void synced(const char *what, cudaStream_t stream)
{
    SAY(what, cudaStreamSynchronize(stream));
    bytes(what, pool);
}

static void sizes()
{
    begin();
    const size_t sizes[] = {
        1,        4,       256,           511,     512,           513,     1000,     4096,
        65536,    1 << 20, (1 << 20) + 1, 2 << 20, (2 << 20) + 1, 3000000, 32 << 20, (32 << 20) + 1,
        100000000};
    for (size_t n : sizes) {
        char name[64];
        snprintf(name, sizeof name, "get %zu", n);
        void *p = get(name, n, s);
        snprintf(name, sizeof name, "freed %zu", n);
        put(name, p, s);
        snprintf(name, sizeof name, "freed and waited for %zu", n);
        synced(name, s);
    }
    void *few[40];
    for (int i = 0; i < 40; i++) {
        cudaMallocAsync(&few[i], 1000000, s);
    }
    bytes("40 of 1000000", pool);
    for (int i = 0; i < 40; i += 2) {
        cudaFreeAsync(few[i], s);
    }
    bytes("half of them freed", pool);
    synced("and waited for", s);
    for (int i = 1; i < 40; i += 2) {
        cudaFree(few[i]);
    }
    bytes("all freed", pool);
    SAY("device waited for", cudaDeviceSynchronize());
    bytes("device waited for", pool);
}

static void held_back()
{
    begin();
    open_gate = false;
    void *a = get("a", 1000000, s);
    SAY("gate", cudaLaunchHostFunc(s, wait_for_gate, NULL));
    put("a freed behind the gate", a, s);
    void *b = get("b on the same stream", 1000000, s);
    SHOW("the same address", "%d", a == b);
    void *c = get("c on another stream", 1000000, t);
    SHOW("the same address as b", "%d", c == b);
    put("b freed behind the gate", b, s);
    put("c freed on its stream", c, t);
    synced("the other stream waited for", t);
    SAY("trim", cudaMemPoolTrimTo(pool, 0));
    bytes("trimmed while the gate is shut", pool);
    unsigned long long zero = 0;
    SAY("high of used to 0", cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero));
    SAY("high of reserved to 0",
        cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReservedMemHigh, &zero));
    bytes("high set back while the gate is shut", pool);
    open_gate = true;
    while (cudaStreamQuery(s) == cudaErrorNotReady) {
    }
    cudaGetLastError();
    bytes("the gate is open and the stream is done", pool);
    synced("waited for", s);
    SAY("device waited for", cudaDeviceSynchronize());
    bytes("device waited for", pool);
}

static void thresholds()
{
    begin();
    const unsigned long long all[] = {0, 1 << 20, 40 << 20, ~0ull};
    for (unsigned long long keep : all) {
        char name[80];
        snprintf(name, sizeof name, "keep %llu", keep);
        SAY(name, cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
        void *a = get("36 MB", 36000000, s), *b = get("and 36 MB", 36000000, s);
        put("one freed", a, s);
        synced("waited for one", s);
        put("both freed", b, s);
        cudaEvent_t e;
        cudaEventCreate(&e);
        cudaEventRecord(e, s);
        SAY("event waited for", cudaEventSynchronize(e));
        bytes("event waited for", pool);
        synced("stream waited for", s);
        SAY("device waited for", cudaDeviceSynchronize());
        bytes("device waited for", pool);
        SAY("other stream waited for", cudaStreamSynchronize(t));
        bytes("other stream waited for", pool);
    }
    for (size_t n :
         {(size_t)100 << 20, (size_t)40 << 20, (size_t)33 << 20, (size_t)1 << 20, (size_t)0}) {
        SAY("trim", cudaMemPoolTrimTo(pool, n));
        char name[64];
        snprintf(name, sizeof name, "trimmed to %zu", n);
        bytes(name, pool);
    }
    unsigned long long zero = 0;
    SAY("high of used", cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero));
    SAY("high of reserved", cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReservedMemHigh, &zero));
    bytes("high set back", pool);
}

/* What is freed in one way and had in another. */
static void ways()
{
    begin();
    void *a = get("1 MB", 1000000, s);
    SAY("cudaFree", cudaFree(a));
    bytes("cudaFree", pool);
    a = get("1 MB on the null stream", 1000000, NULL);
    SAY("cudaFree of it", cudaFree(a));
    bytes("cudaFree of it", pool);
    a = get("1 MB again", 1000000, s);
    put("freed on another stream", a, t);
    synced("waited for its own", s);
    synced("waited for the other", t);
    void *plain;
    SAY("cudaMalloc", cudaMalloc(&plain, 1000000));
    bytes("cudaMalloc", pool);
    put("cudaMalloc'ed memory freed in order", plain, s);
    synced("waited for", s);
    a = get("1 MB, stream destroyed", 1000000, s);
    cudaFreeAsync(a, s);
    SAY("destroy the stream", cudaStreamDestroy(s));
    bytes("stream destroyed", pool);
    SAY("device waited for", cudaDeviceSynchronize());
    bytes("device waited for", pool);
}

static void own_pool()
{
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    cudaStreamCreate(&s);
    SAY("create", cudaMemPoolCreate(&pool, &props));
    bytes("created", pool);
    void *a, *b;
    SAY("100 bytes", cudaMallocFromPoolAsync(&a, 100, pool, s));
    bytes("100 bytes", pool);
    SAY("5 MB", cudaMallocFromPoolAsync(&b, 5000000, pool, s));
    bytes("5 MB", pool);
    put("100 bytes freed", a, s);
    synced("waited for", s);
    put("5 MB freed", b, s);
    SAY("destroy", cudaMemPoolDestroy(pool));
    cudaDeviceGetDefaultMemPool(&pool, 0);
    bytes("the default pool", pool);
}

static void in_graph()
{
    begin();
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    void *a;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
    SAY("allocate", cudaMallocAsync(&a, 1000000, s));
    cudaMemsetAsync(a, 0, 1000000, s);
    SAY("free", cudaFreeAsync(a, s));
    cudaStreamEndCapture(s, &graph);
    SAY("instantiate", cudaGraphInstantiate(&exec, graph, 0));
    bytes("instantiated", pool);
    SAY("launch", cudaGraphLaunch(exec, s));
    bytes("launched", pool);
    synced("waited for", s);
    for (int a = 0; a < 4; a++) {
        unsigned long long v = 0;
        cudaDeviceGetGraphMemAttribute(0, (cudaGraphMemAttributeType)a, &v);
        char name[32];
        snprintf(name, sizeof name, "graph memory %d", a);
        SHOW(name, "%llu", v);
    }
}

static const section sections[] = {{"sizes", sizes},           {"held back", held_back},
                                   {"thresholds", thresholds}, {"ways", ways},
                                   {"own pool", own_pool},     {"in a graph", in_graph}};

int main(int argc, char **argv)
{
    return run_sections(sections, sizeof sections / sizeof *sections, argc, argv);
}
