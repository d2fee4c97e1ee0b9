// alone: it prints names of kernels
/* Libraries of device code that a program loads: kernels, variables, launches, graphs. */
#include "try.h"
static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .global .align 4 .u32 scale = "
    "3;\n.visible .const .align 4 .u32 c = 4;\n.visible .entry k(.param .u64 o, .param .u32 v)\n{ "
    ".reg .b32 %r<4>; .reg .b64 %d; ld.param.u32 %r1,[v]; ld.global.u32 %r2,[scale]; mul.lo.u32 "
    "%r1,%r1,%r2; ld.param.u64 %d,[o]; st.global.u32 [%d],%r1; ret; }\n.visible .entry e() "
    ".maxntid 64,1,1 { ret; }\n";
__global__ void mine(int *o, int v)
{
    *o = v + 1;
}
int main()
{
    cudaLibrary_t L;
    TRY(cudaLibraryLoadData(&L, ptx, 0, 0, 0, 0, 0, 0));
    unsigned n;
    TRY(cudaLibraryGetKernelCount(&n, L));
    printf("%u\n", n);
    cudaKernel_t k, e, ks[4];
    TRY(cudaLibraryGetKernel(&k, L, "k"));
    TRY(cudaLibraryGetKernel(&e, L, "zz"));
    TRY(cudaLibraryGetKernel(&e, L, "e"));
    TRY(cudaLibraryEnumerateKernels(ks, 2, L));
    printf("%d\n", (ks[0] == k || ks[1] == k));
    TRY(cudaLibraryEnumerateKernels(ks, 9, L));
    void *p;
    size_t sz;
    TRY(cudaLibraryGetGlobal(&p, &sz, L, "scale"));
    printf("%zu\n", sz);
    TRY(cudaLibraryGetGlobal(&p, &sz, L, "nope"));
    TRY(cudaLibraryGetGlobal(&p, &sz, L, "scale"));
    int v = 10;
    TRY(cudaMemcpy(p, &v, 4, cudaMemcpyHostToDevice));
    int *o;
    OK(cudaMalloc(&o, 64));
    int w = 5;
    void *args[] = {&o, &w};
    TRY(cudaLaunchKernel((const void *)k, dim3(1), dim3(1), args, 0, 0));
    OK(cudaMemcpy(&v, o, 4, cudaMemcpyDeviceToHost));
    printf("%d\n", v);
    cudaFuncAttributes a;
    TRY(cudaFuncGetAttributes(&a, (const void *)e));
    printf("%d %zu\n", a.maxThreadsPerBlock, a.sharedSizeBytes);
    TRY(cudaKernelSetAttributeForDevice(e, cudaFuncAttributeMaxDynamicSharedMemorySize, 70000, 0));
    TRY(cudaFuncGetAttributes(&a, (const void *)e));
    printf("%d\n", a.maxDynamicSharedSizeBytes);
    const char *nm;
    TRY(cudaFuncGetName(&nm, (const void *)k));
    printf("%s\n", nm);
    TRY(cudaFuncGetName(&nm, (const void *)mine));
    printf("%s\n", nm);
    size_t off, ps;
    for (int i = 0; i < 3; i++) {
        TRY(cudaFuncGetParamInfo((const void *)k, i, &off, &ps));
        printf("%zu %zu\n", off, ps);
    }
    cudaKernel_t mk;
    TRY(cudaGetKernel(&mk, (const void *)mine));
    TRY(cudaLaunchKernel((const void *)mk, dim3(1), dim3(1), args, 0, 0));
    OK(cudaMemcpy(&v, o, 4, cudaMemcpyDeviceToHost));
    printf("%d\n", v);
    cudaFunction_t fn;
    TRY(cudaGetFuncBySymbol(&fn, (const void *)mine));
    TRY(cudaLaunchKernel((const void *)e, dim3(1), dim3(65), 0, 0, 0));
    TRY(cudaLaunchKernel((const void *)e, dim3(1), dim3(64), 0, 0, 0));
    TRY(cudaDeviceSynchronize());
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    cudaGraph_t g;
    OK(cudaGraphCreate(&g, 0));
    cudaKernelNodeParams kp = {};
    kp.func = (void *)k;
    kp.gridDim = dim3(1);
    kp.blockDim = dim3(1);
    kp.kernelParams = args;
    cudaGraphNode_t nd;
    TRY(cudaGraphAddKernelNode(&nd, g, 0, 0, &kp));
    cudaGraphExec_t x;
    TRY(cudaGraphInstantiate(&x, g, 0));
    TRY(cudaGraphLaunch(x, s));
    TRY(cudaStreamSynchronize(s));
    OK(cudaMemcpy(&v, o, 4, cudaMemcpyDeviceToHost));
    printf("%d\n", v);
    int bl;
    TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&bl, (const void *)e, 64, 0));
    printf("%d\n", bl);
    void *sym;
    TRY(cudaGetSymbolAddress(&sym, (const void *)0));
    void *dep;
    cudaDriverEntryPointQueryResult q;
    TRY(cudaGetDriverEntryPointByVersion("cuMemAlloc", &dep, 12000, cudaEnableDefault, &q));
    printf("%d %d\n", (int)q, dep != 0);
    TRY(cudaGetDriverEntryPointByVersion("cuNoSuch", &dep, 12000, cudaEnableDefault, &q));
    printf("%d %d\n", (int)q, dep != 0);
    TRY(cudaLibraryUnload(L));
    TRY(cudaDeviceSynchronize());
    return 0;
}
