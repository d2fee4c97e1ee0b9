// Calls that toolkit 12 has in another shape than 13, as a program built by 12 makes them. Prints what is wrong.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

static int wrong;
#define CHECK(what)                                             \
    do {                                                        \
        if (!(what)) {                                          \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #what);   \
            wrong = 1;                                          \
        }                                                       \
    } while (0)
#define OK(call) CHECK((call) == cudaSuccess)

// What follows a struct that is given must stay as it is: 13's structs are longer.
template <class T> struct guarded {
    T it;
    unsigned char after[256];
    guarded() { memset(this, 0x5a, sizeof *this); }
    bool whole() const
    {
        for (unsigned char c : after)
            if (c != 0x5a)
                return false;
        return true;
    }
};

static void properties()
{
    guarded<cudaDeviceProp> p;
    int clock, memory, major, optin;
    OK(cudaGetDeviceProperties(&p.it, 0));
    OK(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, 0));
    OK(cudaDeviceGetAttribute(&memory, cudaDevAttrMemoryClockRate, 0));
    OK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    OK(cudaDeviceGetAttribute(&optin, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    CHECK(p.whole() && p.it.clockRate == clock && p.it.memoryClockRate == memory && clock > 0);
    CHECK(p.it.warpSize == 32 && p.it.major == major && (int)p.it.sharedMemPerBlockOptin == optin);
    CHECK(p.it.maxThreadsDim[2] == 64 && p.it.clusterLaunch == 1 && p.it.maxTexture1DLinear > 0);
    CHECK(cudaGetDeviceProperties(&p.it, 7) == cudaErrorInvalidDevice && cudaGetLastError());
    int device = 7, version;
    OK(cudaChooseDevice(&device, &p.it));
    OK(cudaRuntimeGetVersion(&version));
    CHECK(device == 0 && version >= CUDART_VERSION && version < 13000);
    OK(cudaDriverGetVersion(&version));
    CHECK(version >= CUDART_VERSION);
}

static void memory()
{
    const size_t bytes = 1 << 20;
    int at = 7;
    float *m;
    OK(cudaMallocManaged(&m, bytes));
    OK(cudaMemAdvise(m, bytes, cudaMemAdviseSetReadMostly, 0));
    OK(cudaMemRangeGetAttribute(&at, sizeof at, cudaMemRangeAttributeReadMostly, m, bytes));
    CHECK(at == 1);
    OK(cudaMemPrefetchAsync(m, bytes, 0));
    OK(cudaMemRangeGetAttribute(&at, sizeof at, cudaMemRangeAttributeLastPrefetchLocation, m, bytes));
    CHECK(at == 0);
    OK(cudaMemPrefetchAsync(m, bytes, cudaCpuDeviceId));
    OK(cudaMemRangeGetAttribute(&at, sizeof at, cudaMemRangeAttributeLastPrefetchLocation, m, bytes));
    CHECK(at == cudaCpuDeviceId);
    CHECK(cudaMemPrefetchAsync(m, bytes, 7) == cudaErrorInvalidDevice && cudaGetLastError());
#if CUDART_VERSION >= 12020
    const cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    OK(cudaMemAdvise_v2(m, bytes, cudaMemAdviseSetPreferredLocation, here));
    OK(cudaMemPrefetchAsync_v2(m, bytes, here, 0));
#endif
    guarded<cudaPointerAttributes> a;
    OK(cudaPointerGetAttributes(&a.it, m));
    CHECK(a.whole() && a.it.type == cudaMemoryTypeManaged && a.it.device == 0);
    CHECK(a.it.devicePointer == m && a.it.hostPointer == m);
    OK(cudaFree(m));
}

__global__ void fetch(cudaTextureObject_t from, float *to)
{
    to[threadIdx.x] = tex1Dfetch<float>(from, threadIdx.x) + 1;
}

static void textures()
{
    float in[32], out[32], *d;
    for (int i = 0; i < 32; i++)
        in[i] = (float)i;
    OK(cudaMalloc(&d, 2 * sizeof in));
    OK(cudaMemcpy(d, in, sizeof in, cudaMemcpyDefault));
    cudaResourceDesc what = {};
    what.resType = cudaResourceTypeLinear;
    what.res.linear.devPtr = d;
    what.res.linear.desc = cudaCreateChannelDesc<float>();
    what.res.linear.sizeInBytes = sizeof in;
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    OK(cudaCreateTextureObject(&texture, &what, &how, NULL));
    guarded<cudaResourceDesc> again;
    OK(cudaGetTextureObjectResourceDesc(&again.it, texture));
    CHECK(again.whole() && again.it.resType == cudaResourceTypeLinear);
    CHECK(again.it.res.linear.devPtr == d && again.it.res.linear.sizeInBytes == sizeof in);
    fetch<<<1, 32>>>(texture, d + 32);
    OK(cudaMemcpy(out, d + 32, sizeof out, cudaMemcpyDefault));
    for (int i = 0; i < 32; i++)
        CHECK(out[i] == in[i] + 1);
    OK(cudaDestroyTextureObject(texture));
    OK(cudaFree(d));
}

static void graphs()
{
    char *d;
    size_t n;
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphNode_t node[2], from[2], to[2];
    const cudaGraphNode_t *after;
    cudaStreamCaptureStatus status;
    unsigned long long id;
    OK(cudaMalloc(&d, 128));
    OK(cudaStreamCreate(&s));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaMemsetAsync(d, 0, 64, s));
    OK(cudaStreamGetCaptureInfo(s, &status, &id, &g, &after, &n));
    CHECK(status == cudaStreamCaptureStatusActive && n == 1 && id);
    OK(cudaStreamUpdateCaptureDependencies(s, NULL, 0, cudaStreamSetCaptureDependencies));
    OK(cudaMemsetAsync(d + 64, 0, 64, s));
    OK(cudaStreamEndCapture(s, &g));
    n = 2;
    OK(cudaGraphGetNodes(g, node, &n));
    CHECK(n == 2);
    OK(cudaGraphGetEdges(g, NULL, NULL, &n));
    CHECK(n == 0);
    OK(cudaGraphAddDependencies(g, node, node + 1, 1));
    n = 2;
    OK(cudaGraphGetEdges(g, from, to, &n));
    CHECK(n == 1 && from[0] == node[0] && to[0] == node[1]);
    n = 2;
    OK(cudaGraphNodeGetDependencies(node[1], from, &n));
    CHECK(n == 1 && from[0] == node[0]);
    n = 2;
    OK(cudaGraphNodeGetDependentNodes(node[0], to, &n));
    CHECK(n == 1 && to[0] == node[1]);
    OK(cudaGraphRemoveDependencies(g, node, node + 1, 1));
    OK(cudaGraphGetEdges(g, NULL, NULL, &n));
    CHECK(n == 0);
    cudaGraphNodeParams fill = {};
    fill.type = cudaGraphNodeTypeMemset;
    fill.memset.dst = d;
    fill.memset.elementSize = 1;
    fill.memset.width = 64;
    fill.memset.height = 1;
    OK(cudaGraphAddNode(&to[0], g, node, 2, &fill));
    OK(cudaGraphGetEdges(g, NULL, NULL, &n));
    CHECK(n == 2);
    OK(cudaGraphDestroy(g));
    OK(cudaStreamDestroy(s));
    OK(cudaFree(d));
}

int main()
{
    properties();
    memory();
    textures();
    graphs();
    OK(cudaThreadSynchronize());
    OK(cudaThreadExit());
    printf(wrong ? "wrong\n" : "right\n");
    return wrong;
}
