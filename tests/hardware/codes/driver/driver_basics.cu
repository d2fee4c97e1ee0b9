/* The driver API: devices, contexts, modules, functions, launches. */
#include "try_driver.h"
#include <thread>
int main()
{
    TRY(cuInit(0));
    int v;
    OK(cuDriverGetVersion(&v));
    printf("%d\n", v >= 13000);
    int n;
    OK(cuDeviceGetCount(&n));
    printf("%d\n", n >= 1);
    CUdevice d;
    TRY(cuDeviceGet(&d, 0));
    TRY(cuDeviceGet(&d, 99));
    TRY(cuDeviceGet(&d, -1));
    OK(cuDeviceGet(&d, 0));
    char name[100];
    TRY(cuDeviceGetName(name, 100, d));
    char few[5];
    TRY(cuDeviceGetName(few, 5, d));
    int ma, mi;
    OK(cuDeviceGetAttribute(&ma, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, d));
    OK(cuDeviceGetAttribute(&mi, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, d));
    printf("%d.%d\n", ma, mi);
    TRY(cuDeviceComputeCapability(&ma, &mi, d));
    printf("%d.%d\n", ma, mi);
    CUdevprop dp;
    TRY(cuDeviceGetProperties(&dp, d));
    printf("%d %d %d %d %d %d\n", dp.maxThreadsPerBlock, dp.sharedMemPerBlock,
           dp.totalConstantMemory, dp.SIMDWidth, dp.regsPerBlock, dp.textureAlign);
    CUdevice_attribute list[] = {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING,

                                 CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED,
                                 CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR_V1,
                                 CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS_V1,
                                 CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS,
                                 CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH,
                                 CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED};
    for (auto a : list) {
        OK(cuDeviceGetAttribute(&v, a, d));
        printf("%d:%d ", (int)a, v);
    }
    puts("");
    CUcontext c, c2, x;
    TRY(cuCtxGetCurrent(&x));
    printf("%d\n", x != 0);
    CUdeviceptr p;
    TRY(cuMemAlloc(&p, 64));
    TRY(cuCtxSynchronize());
    TRY(cuCtxCreate(&c, 0, 0, d));
    unsigned f;
    TRY(cuCtxGetFlags(&f));
    printf("%u\n", f);
    TRY(cuCtxSetFlags(CU_CTX_SCHED_YIELD));
    TRY(cuCtxGetFlags(&f));
    printf("%u\n", f);
    CUdevice dd;
    TRY(cuCtxGetDevice(&dd));
    unsigned long long id, id2;
    TRY(cuCtxGetId(c, &id));
    TRY(cuCtxGetId(0, &id2));
    printf("%d\n", id == id2);
    int lo, hi;
    TRY(cuCtxGetStreamPriorityRange(&lo, &hi));
    printf("%d %d\n", lo, hi);
    CUfunc_cache fc;
    TRY(cuCtxGetCacheConfig(&fc));
    printf("%d\n", (int)fc);
    TRY(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
    TRY(cuCtxGetCacheConfig(&fc));
    printf("%d\n", (int)fc);
    TRY(cuCtxResetPersistingL2Cache());
    size_t lim;
    for (int i = 0; i < 10; i++) {
        lim = 7;
        CUresult r = cuCtxGetLimit(&lim, (CUlimit)i);
        printf("%d %s %zu\n", i, nm(r), lim);
    }
    CUmodule m, m2;
    TRY(cuModuleLoadData(&m, ptx));
    TRY(cuModuleLoadData(&m2, "nonsense"));
    char log[4096];
    CUjit_option o[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                        CU_JIT_MAX_REGISTERS, CU_JIT_OPTIMIZATION_LEVEL};
    void *ov[] = {log, (void *)4096, (void *)32, (void *)4};
    TRY(cuModuleLoadDataEx(&m2, ptx, 4, o, ov));
    unsigned cnt;
    TRY(cuModuleGetFunctionCount(&cnt, m));
    printf("%u\n", cnt);
    CUmoduleLoadingMode lm;
    TRY(cuModuleGetLoadingMode(&lm));
    printf("%d\n", (int)lm);
    CUfunction add, first, none;
    TRY(cuModuleGetFunction(&add, m, "add"));
    TRY(cuModuleGetFunction(&first, m, "first"));
    TRY(cuModuleGetFunction(&none, m, "missing"));
    const char *fn;
    TRY(cuFuncGetName(&fn, add));
    printf("%s\n", fn);
    CUmodule fm;
    TRY(cuFuncGetModule(&fm, add));
    printf("%d\n", fm == m);
    size_t off, sz;
    for (int i = 0; i < 5; i++) {
        CUresult r = cuFuncGetParamInfo(add, i, &off, &sz);
        printf("%s %zu %zu\n", nm(r), off, sz);
    }
    for (int a = 0; a < 18; a++) {
        if (a == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES) {
            continue; /* of memory that nobody uses */
        }
        v = -1;
        CUresult r = cuFuncGetAttribute(&v, (CUfunction_attribute)a, first);
        printf("%d %s%s\n", a, nm(r),
               a == 4 || a == 5 || a == 6 ? ""
               : v == -1                  ? " -1"
               : v == 0                   ? " 0"
                                          : " some");
    }
    TRY(cuFuncSetAttribute(first, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 70000));
    TRY(cuFuncSetAttribute(first, CU_FUNC_ATTRIBUTE_NUM_REGS, 70));
    TRY(cuFuncSetCacheConfig(first, CU_FUNC_CACHE_PREFER_SHARED));
    CUfunctionLoadingState ls;
    TRY(cuFuncIsLoaded(&ls, first));
    TRY(cuFuncLoad(first));
    TRY(cuFuncIsLoaded(&ls, first));
    printf("%d\n", (int)ls);
    CUdeviceptr g;
    TRY(cuModuleGetGlobal(&g, &sz, m, "scale"));
    printf("%zu\n", sz);
    int five = 5;
    TRY(cuMemcpyHtoD(g, &five, 4));
    TRY(cuModuleGetGlobal(&g, 0, m, "offset"));
    TRY(cuModuleGetGlobal(&g, 0, m, "nothing"));
    const int N = 1000;
    std::vector<int> h(N);
    for (int i = 0; i < N; i++)
        h[i] = i;
    CUdeviceptr a, b, cc;
    TRY(cuMemAlloc(&a, N * 4));
    TRY(cuMemAlloc(&b, N * 4));
    TRY(cuMemAlloc(&cc, N * 4));
    TRY(cuMemAlloc(&p, 0));
    TRY(cuMemcpyHtoD(a, h.data(), N * 4));
    TRY(cuMemsetD32(b, 2, N));
    TRY(cuMemsetD16(cc, 0x1234, N * 2));
    TRY(cuMemsetD8(cc, 1, N));
    TRY(cuMemsetD32(cc + 2, 1, 4));
    int nn = N;
    void *args[] = {&a, &b, &cc, &nn};
    TRY(cuLaunchKernel(add, 4, 1, 1, 256, 1, 1, 0, 0, args, 0));
    TRY(cuCtxSynchronize());
    TRY(cuMemcpyDtoH(h.data(), cc, N * 4));
    printf("%d %d %u\n", h[0], h[999], hash_(h.data(), N * 4));
    struct {
        CUdeviceptr a, b, c;
        int n;
    } buf = {a, b, cc, 500};
    size_t bs = 28;
    void *ex[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &buf, CU_LAUNCH_PARAM_BUFFER_SIZE, &bs,
                  CU_LAUNCH_PARAM_END};
    TRY(cuMemsetD32(b, 7, N));
    TRY(cuLaunchKernel(add, 4, 1, 1, 256, 1, 1, 0, 0, 0, ex));
    TRY(cuMemcpyDtoH(h.data(), cc, N * 4));
    printf("%d %d %u\n", h[0], h[999], hash_(h.data(), N * 4));
    bs = 32;
    TRY(cuLaunchKernel(add, 4, 1, 1, 256, 1, 1, 0, 0, 0, ex));
    TRY(cuLaunchKernel(add, 0, 1, 1, 256, 1, 1, 0, 0, args, 0));
    TRY(cuLaunchKernel(add, 1, 1, 1, 2560, 1, 1, 0, 0, args, 0));
    TRY(cuLaunchKernel(add, 1, 1, 1, 25, 1, 1, 1 << 20, 0, args, 0));
    TRY(cuLaunchKernel(add, 1, 1, 1, 25, 1, 1, 0, 0, args, ex));
    TRY(cuLaunchKernel(0, 1, 1, 1, 25, 1, 1, 0, 0, args, 0));
    TRY(cuLaunchKernel(add, 1, 1, 1, 25, 1, 1, 0, 0, 0, 0));
    CUlaunchConfig lc = {};
    lc.gridDimX = 4;
    lc.gridDimY = lc.gridDimZ = 1;
    lc.blockDimX = 256;
    lc.blockDimY = lc.blockDimZ = 1;
    TRY(cuLaunchKernelEx(&lc, add, args, 0));
    CUlaunchAttribute la = {};
    la.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    la.value.clusterDim.x = 2;
    la.value.clusterDim.y = la.value.clusterDim.z = 1;
    lc.attrs = &la;
    lc.numAttrs = 1;
    TRY(cuLaunchKernelEx(&lc, add, args, 0));
    la.value.clusterDim.x = 3;
    TRY(cuLaunchKernelEx(&lc, add, args, 0));
    TRY(cuLaunchCooperativeKernel(add, 4, 1, 1, 256, 1, 1, 0, 0, args));
    TRY(cuLaunchCooperativeKernel(add, 400000, 1, 1, 256, 1, 1, 0, 0, args));
    int nb, bz;
    TRY(cuOccupancyMaxActiveBlocksPerMultiprocessor(&nb, add, 256, 0));
    printf("%d\n", nb);
    TRY(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&nb, add, 1024, 0, 0));
    printf("%d\n", nb);
    TRY(cuOccupancyMaxPotentialBlockSize(&nb, &bz, add, 0, 0, 0));
    printf("%d %d\n", nb, bz);
    for (int most : {256, 300, 384, 500, 640, 768, 800, 1000, 2000}) {
        OK(cuOccupancyMaxPotentialBlockSize(&nb, &bz, add, 0, 0, most));
        printf("most %d\t%d %d\n", most, nb, bz);
    }
    TRY(cuCtxCreate(&c2, 0, CU_CTX_SCHED_SPIN, d));
    TRY(cuCtxPopCurrent(&x));
    printf("%d\n", x == c2);
    TRY(cuCtxPushCurrent(c2));
    TRY(cuLaunchKernel(add, 4, 1, 1, 256, 1, 1, 0, 0, args, 0));
    TRY(cuCtxDestroy(c2));
    TRY(cuCtxGetCurrent(&x));
    printf("%d\n", x == c);
    std::thread t([&] {
        CUcontext y;
        TRY(cuCtxGetCurrent(&y));
        printf("%d\n", y != 0);
        TRY(cuMemcpyDtoH(h.data(), cc, 4));
        TRY(cuCtxPushCurrent(c));
        TRY(cuMemcpyDtoH(h.data(), cc, 4));
        TRY(cuLaunchKernel(add, 4, 1, 1, 256, 1, 1, 0, 0, args, 0));
        TRY(cuCtxSynchronize());
        TRY(cuCtxPopCurrent(&y));
    });
    t.join();
    CUcontext pc;
    TRY(cuDevicePrimaryCtxRetain(&pc, d));
    int act;
    TRY(cuDevicePrimaryCtxGetState(d, &f, &act));
    printf("%u %d\n", f, act);
    TRY(cuDevicePrimaryCtxSetFlags(d, CU_CTX_SCHED_SPIN));
    TRY(cuDevicePrimaryCtxGetState(d, &f, &act));
    printf("%u %d\n", f, act);
    TRY(cuDevicePrimaryCtxRelease(d));
    TRY(cuDevicePrimaryCtxRelease(d));
    TRY(cuModuleUnload(m2));
    TRY(cuModuleUnload(m));
    TRY(cuMemFree(a));
    TRY(cuMemFree(a + 4));
    TRY(cuMemFree(0));
    TRY(cuCtxDetach(c));
    TRY(cuCtxGetCurrent(&x));
    printf("%d\n", x != 0);
    void *pf;
    CUdriverProcAddressQueryResult q;
    TRY(cuGetProcAddress("cuMemAlloc", &pf, 12000, 0, &q));
    printf("%d\n", (int)q);
    TRY(cuGetProcAddress("cuNothing", &pf, 12000, 0, &q));
    printf("%d\n", (int)q);
    TRY(cuGetProcAddress("cuLaunchKernelEx", &pf, 11000, 0, &q));
    printf("%d\n", (int)q);
    const char *s;
    TRY(cuGetErrorName((CUresult)12345, &s));
    TRY(cuGetErrorString((CUresult)2, &s));
    printf("%s\n", s);
    return 0;
}
