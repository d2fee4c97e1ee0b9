// The device as a program sees it: the profile's figures, and a name that says it is modelled.
// env: WARPBOOK_PROFILE=t4
// stdout: ^Tesla T4 .warpbook. 7.5
#include "check.h"

#include <cstring>

int main()
{
    int n, v;
    cudaDeviceProp p;
    OK(cudaGetDeviceCount(&n));
    CHECK(n == 1);
    OK(cudaSetDevice(0));
    OK(cudaGetDeviceProperties(&p, 0));
    printf("%s %d.%d\n", strstr(p.name, "Tesla") ? strstr(p.name, "Tesla") : p.name, p.major,
           p.minor);
    CHECK(p.multiProcessorCount == 40 && p.warpSize == 32 && p.maxThreadsPerBlock == 1024);
    CHECK(p.totalConstMem == 65536 && p.sharedMemPerBlock == 49152);
    CHECK(p.maxGridSize[1] == 65535 && p.maxThreadsDim[2] == 64);
    const struct {
        cudaDeviceAttr attr;
        int want;
    } same[] = {{cudaDevAttrMultiProcessorCount, p.multiProcessorCount},
                {cudaDevAttrComputeCapabilityMajor, p.major},
                {cudaDevAttrComputeCapabilityMinor, p.minor},
                {cudaDevAttrWarpSize, p.warpSize},
                {cudaDevAttrMaxSharedMemoryPerBlock, (int)p.sharedMemPerBlock},
                {cudaDevAttrMaxSharedMemoryPerBlockOptin, (int)p.sharedMemPerBlockOptin},
                {cudaDevAttrL2CacheSize, p.l2CacheSize},
                {cudaDevAttrGlobalMemoryBusWidth, p.memoryBusWidth},
                {cudaDevAttrMaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor},
                {cudaDevAttrConcurrentKernels, p.concurrentKernels}};
    for (auto &s : same) {
        OK(cudaDeviceGetAttribute(&v, s.attr, 0));
        CHECK(v == s.want);
    }
    OK(cudaDeviceGetAttribute(&v, cudaDevAttrClockRate, 0));
    CHECK(v > 100000);
    int driver, runtime;
    OK(cudaDriverGetVersion(&driver));
    OK(cudaRuntimeGetVersion(&runtime));
    CHECK(runtime >= CUDART_VERSION && runtime / 1000 == CUDART_VERSION / 1000 && driver >= runtime);
    size_t limit;
    OK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    OK(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
    CHECK(limit == 4096);
    OK(cudaDeviceCanAccessPeer(&v, 0, 0));
    CHECK(v == 0);
    return print_failures();
}
