/* Initialisation, devices and contexts: stacks, ownership, users of the primary context. */
#include "check.h"

#include <pthread.h>
#include <string.h>

static CUcontext shared_context;

static void *use_in_other_thread(void *unused)
{
    CUcontext now = shared_context;
    CUdeviceptr p;
    OK(cuCtxGetCurrent(&now));
    SO(now == NULL); /* each thread has its own stack */
    IS(ERROR_INVALID_CONTEXT, cuMemAlloc(&p, 16));
    IS(ERROR_INVALID_CONTEXT, cuCtxPopCurrent(&now));
    OK(cuCtxSetCurrent(shared_context)); /* current to two threads at once */
    OK(cuMemAlloc(&p, 16));
    OK(cuMemFree(p));
    return unused;
}

int main(void)
{
    int n = -1, version = 0, active = -1;
    unsigned flags = 1, api = 0;
    CUdevice device = -1;
    CUcontext a, b, c = NULL, primary, again;
    CUdeviceptr p, q, base;
    size_t total = 0, left, before, size;
    char name[256] = "";
    const char *text;
    CUuuid id;

    IS(ERROR_NOT_INITIALIZED, cuDeviceGetCount(&n));
    IS(ERROR_NOT_INITIALIZED, cuMemAlloc(&p, 16));
    IS(ERROR_NOT_INITIALIZED, cuCtxGetCurrent(&c));
    OK(cuDriverGetVersion(&version));
    SO(version >= CUDA_VERSION);
    OK(cuGetErrorName(CUDA_ERROR_NOT_FOUND, &text));
    SO(!strcmp(text, "CUDA_ERROR_NOT_FOUND"));
    OK(cuGetErrorString(CUDA_ERROR_NOT_FOUND, &text));
    SO(!strcmp(text, "named symbol not found"));
    IS(ERROR_INVALID_VALUE, cuGetErrorName((CUresult)12345, &text));
    SO(text == NULL);
    IS(ERROR_INVALID_VALUE, cuInit(1));
    OK(cuInit(0));
    OK(cuInit(0));

    OK(cuDeviceGetCount(&n));
    SO(n >= 1);
    IS(ERROR_INVALID_DEVICE, cuDeviceGet(&device, n));
    OK(cuDeviceGet(&device, 0));
    OK(cuDeviceGetName(name, sizeof name, device));
    SO(name[0]);
    OK(cuDeviceTotalMem(&total, device));
    SO(total > 1 << 20);
    OK(cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device));
    SO(n == 32);
    OK(cuDeviceGetUuid(&id, device));

    /* Without a current context memory cannot be allocated. */
    IS(ERROR_INVALID_CONTEXT, cuMemAlloc(&p, 16));
    IS(ERROR_INVALID_CONTEXT, cuCtxGetDevice(&device));
    IS(ERROR_INVALID_CONTEXT, cuCtxSynchronize());
    OK(cuCtxGetCurrent(&c));
    SO(c == NULL);
    IS(ERROR_INVALID_CONTEXT, cuCtxPopCurrent(&c));

    /* cuCtxCreate also pushes the context. */
    IS(ERROR_INVALID_DEVICE, cuCtxCreate(&a, NULL, 0, 999));
    OK(cuCtxCreate(&a, NULL, 0, device));
    OK(cuCtxCreate(&b, NULL, CU_CTX_SCHED_SPIN, device));
    SO(a != b);
    OK(cuCtxGetCurrent(&c));
    SO(c == b);
    OK(cuCtxGetApiVersion(b, &api));
    SO(api >= 3020);
    OK(cuCtxGetDevice(&device));
    SO(device == 0);
    OK(cuCtxPopCurrent(&c));
    SO(c == b);
    OK(cuCtxGetCurrent(&c));
    SO(c == a);
    OK(cuCtxPushCurrent(b));
    OK(cuCtxPushCurrent(b)); /* the same context may be pushed several times */
    OK(cuCtxPopCurrent(NULL));
    OK(cuCtxPopCurrent(NULL));
    OK(cuCtxSetCurrent(b)); /* replaces the top of the stack */
    OK(cuCtxPopCurrent(&c));
    SO(c == b);
    OK(cuCtxGetCurrent(&c));
    SO(c == NULL);

    shared_context = a;
    pthread_t thread;
    pthread_create(&thread, NULL, use_in_other_thread, NULL);
    pthread_join(thread, NULL);

    /* A context's memory is freed with it. */
    OK(cuCtxSetCurrent(a));
    OK(cuMemGetInfo(&before, &total));
    OK(cuMemAlloc(&p, 64 << 20));
    OK(cuCtxSetCurrent(b));
    OK(cuMemAlloc(&q, 64 << 20));
    OK(cuMemAlloc(&p, 64 << 20));
    OK(cuMemFree(p));
    OK(cuMemGetInfo(&left, &total));
    SO(left <= before - (128 << 20));
    OK(cuCtxDestroy(a)); /* not current, so the stack does not change */
    OK(cuMemGetAddressRange(&base, &size, q + 100));
    SO(base == q && size == 64 << 20);
    OK(cuCtxGetCurrent(&c));
    SO(c == b);
    OK(cuCtxDestroy(b)); /* current, so it is popped */
    OK(cuCtxGetCurrent(&c));
    SO(c == NULL);

    /* There is one primary context, with a count of its users. */
    OK(cuDevicePrimaryCtxGetState(device, &flags, &active));
    SO(flags == 0 && active == 0);
    IS(ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease(device));
    OK(cuDevicePrimaryCtxRetain(&primary, device));
    OK(cuDevicePrimaryCtxRetain(&again, device));
    SO(primary == again);
    OK(cuCtxGetCurrent(&c));
    SO(c == NULL); /* retaining does not make it current */
    OK(cuDevicePrimaryCtxGetState(device, &flags, &active));
    SO(active == 1);
    OK(cuCtxSetCurrent(primary));
    OK(cuMemGetInfo(&before, &total));
    OK(cuMemAlloc(&p, 64 << 20));
    OK(cuDevicePrimaryCtxRelease(device));
    OK(cuMemsetD8(p, 0, 64 << 20)); /* one user is left */
    OK(cuDevicePrimaryCtxRelease(device));
    OK(cuDevicePrimaryCtxGetState(device, &flags, &active));
    SO(active == 0);
    IS(ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease(device));
    OK(cuDevicePrimaryCtxRetain(&primary, device)); /* a new, empty primary context */
    OK(cuCtxSetCurrent(primary));
    OK(cuMemGetInfo(&left, &total));
    SO(left >= before);
    IS(ERROR_INVALID_CONTEXT, cuCtxDestroy(primary));
    OK(cuDevicePrimaryCtxRelease(device));
    return failures != 0;
}
