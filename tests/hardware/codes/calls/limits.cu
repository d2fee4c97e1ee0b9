/* Limits by number, those of the driver API too, and the device's flags as calls change them. */
#include "say.h"

#include <cooperative_groups.h>

__global__ void nothing(int *) {}
__global__ void together(int *)
{
    cooperative_groups::this_grid().sync();
}
__global__ void says()
{
    printf("");
}
__global__ void deep(int *out, int n)
{
    int room[200];
    for (int i = 0; i < 200; i++)
        room[i] = n * i;
    *out = room[n % 200];
}

static void show_limits(const char *when)
{
    for (int k = 0; k <= 12; k++) {
        char name[80];
        size_t value = 12345;
        snprintf(name, sizeof name, "%s limit %d", when, k);
        cudaError_t e = cudaDeviceGetLimit(&value, (cudaLimit)k);
        cudaGetLastError();
        SHOW(name, "%d %zu", (int)e, value);
    }
}

static void limits()
{
    show_limits("first");
    for (int k = 0; k <= 10; k++) {
        static const size_t values[] = {0, 1, 65, 4096, 1000001, (size_t)1 << 31, ~(size_t)0};
        for (size_t wanted : values) {
            size_t value = 12345;
            char name[80];
            snprintf(name, sizeof name, "limit %d to %zu", k, wanted);
            cudaError_t set = cudaDeviceSetLimit((cudaLimit)k, wanted);
            cudaError_t got = cudaDeviceGetLimit(&value, (cudaLimit)k);
            cudaGetLastError();
            SHOW(name, "%d %d %zu", (int)set, (int)got, value);
        }
    }
    SAY("reset", cudaDeviceReset());
    show_limits("after a reset");
    nothing<<<1, 1>>>(NULL);
    SAY("wait", cudaDeviceSynchronize());
    show_limits("after a kernel");
    says<<<1, 1>>>();
    SAY("wait for printf", cudaDeviceSynchronize());
    show_limits("after printf");
    for (int k = 0; k <= 8; k++) {
        char name[80];
        size_t value = 12345;
        snprintf(name, sizeof name, "later limit %d to 5000000", k);
        cudaError_t set = cudaDeviceSetLimit((cudaLimit)k, 5000000);
        cudaDeviceGetLimit(&value, (cudaLimit)k);
        cudaGetLastError();
        SHOW(name, "%d %zu", (int)set, value);
    }
}

static void show_flags(const char *when)
{
    unsigned flags = 12345;
    cudaError_t e = cudaGetDeviceFlags(&flags);
    cudaGetLastError();
    SHOW(when, "%d %u", (int)e, flags);
}

static void flags()
{
    show_flags("first");
    cudaFree(0);
    show_flags("with a context");
    void *p;
    cudaMalloc(&p, 64);
    show_flags("after cudaMalloc");
    nothing<<<1, 1>>>(NULL);
    show_flags("after a launch");
    cudaDeviceSynchronize();
    show_flags("after a kernel");
    cudaMallocHost(&p, 64);
    show_flags("after cudaMallocHost");
    cudaHostAlloc(&p, 64, cudaHostAllocMapped);
    show_flags("after mapped memory");
    int *q = NULL;
    deep<<<1, 1>>>((int *)p, 3);
    cudaDeviceSynchronize();
    show_flags("after local memory");
    void *args[] = {&q};
    SAY("cooperative", cudaLaunchCooperativeKernel((void *)together, 1, 32, args, 0, 0));
    show_flags("after a cooperative launch");
    cudaDeviceSynchronize();
    show_flags("after a cooperative kernel");
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaLaunchCooperativeKernel((void *)together, 1, 32, args, 0, s);
    cudaDeviceSynchronize();
    show_flags("after another");
    static const unsigned sets[] = {0, 1, 2, 4, 8, 16, 3, 5, 24, 32, 64, 128, 256, 31, 63, 0};
    for (unsigned set : sets) {
        char name[80];
        snprintf(name, sizeof name, "set %u", set);
        SAY(name, cudaSetDeviceFlags(set));
        snprintf(name, sizeof name, "flags after %u", set);
        show_flags(name);
    }
    SAY("reset", cudaDeviceReset());
    show_flags("after a reset");
    cudaFree(0);
    show_flags("with a context again");
}

static void flags_of_local_memory()
{
    cudaSetDeviceFlags(cudaDeviceLmemResizeToMax);
    show_flags("set before");
    cudaFree(0);
    show_flags("set, with a context");
    cudaSetDeviceFlags(cudaDeviceScheduleSpin);
    show_flags("another");
}

static void flags_of_cooperation()
{
    int *q = NULL;
    void *args[] = {&q};
    SAY("cooperative first", cudaLaunchCooperativeKernel((void *)together, 1, 32, args, 0, 0));
    show_flags("after a cooperative launch first");
    cudaDeviceSynchronize();
    show_flags("after it");
    SAY("set", cudaSetDeviceFlags(cudaDeviceScheduleSpin));
    show_flags("after setting");
}

static void flags_of_limits()
{
    cudaFree(0);
    show_flags("without limits");
    cudaDeviceSetLimit(cudaLimitStackSize, 4096);
    show_flags("after the stack");
    cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20);
    show_flags("after the heap");
    cudaInitDevice(0, cudaDeviceScheduleYield, cudaInitDeviceFlagsAreValid);
    show_flags("after cudaInitDevice");
}

int main(int argc, char **argv)
{
    static const section sections[] = {{"limits", limits},
                                       {"flags", flags},
                                       {"flags of local memory", flags_of_local_memory},
                                       {"flags of cooperation", flags_of_cooperation},
                                       {"flags of limits", flags_of_limits}};
    return run_sections(sections, sizeof sections / sizeof sections[0], argc, argv);
}
