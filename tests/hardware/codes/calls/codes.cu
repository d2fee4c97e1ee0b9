// alone: SAY is its own
/* What the runtime returns for calls that it refuses, and some that it does not: one line a call,
 * "name<TAB>code". tests/hardware/codes/record-codes keeps what NVIDIA's own library says on a GPU;
 * tests/hardware/codes/run-codes holds the emulator to it. Only calls whose outcome is defined are here. */
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void nothing(int *p)
{
    if (p)
        *p = 1;
}
__global__ void __launch_bounds__(128) narrow(int *p)
{
    if (p)
        *p = 1;
}
__global__ void staticShared(int *p)
{
    __shared__ int big[12000];
    big[threadIdx.x] = 1;
    __syncthreads();
    if (p)
        *p = big[(threadIdx.x + 1) % blockDim.x];
}
__device__ int word[4];
__constant__ float table[4];

#define SAY(name, call)                                    \
    do {                                                   \
        cudaError_t code_ = (call);                        \
        cudaGetLastError();                                \
        printf("%s\t%s\n", name, cudaGetErrorName(code_)); \
    } while (0)
#define LAUNCH(name, ...)                                                \
    do {                                                                 \
        __VA_ARGS__;                                                     \
        printf("%s\t%s\n", name, cudaGetErrorName(cudaGetLastError()));  \
        SAY(name " then synchronize", cudaDeviceSynchronize());          \
    } while (0)

int main()
{
    int *d = NULL, host[4] = {}, count = 0, value = 0;
    size_t bytes = 0;
    void *p = NULL;
    cudaStream_t s;
    cudaEvent_t a, b;
    cudaDeviceProp prop;
    cudaFuncAttributes attributes;
    cudaPointerAttributes where;
    SAY("cudaMalloc", cudaMalloc(&d, 4096));
    SAY("cudaMalloc 0 bytes", cudaMalloc(&p, 0));
    printf("cudaMalloc 0 bytes gives\t%s\n", p ? "an address" : "NULL");
    SAY("cudaMalloc null pointer", cudaMalloc((void **)NULL, 4));
    SAY("cudaMalloc far too much", cudaMalloc(&p, (size_t)1 << 50));
    SAY("cudaFree NULL", cudaFree(NULL));
    SAY("cudaFree of a host address", cudaFree(host));
    SAY("cudaFree inside an allocation", cudaFree(d + 4));
    SAY("cudaFreeHost NULL", cudaFreeHost(NULL));
    SAY("cudaFreeHost of malloc", cudaFreeHost(host));
    SAY("cudaGetDevice", cudaGetDevice(&value));
    SAY("cudaGetDevice null", cudaGetDevice(NULL));
    SAY("cudaGetDeviceCount null", cudaGetDeviceCount(NULL));
    SAY("cudaGetDeviceCount", cudaGetDeviceCount(&count));
    SAY("cudaSetDevice too high", cudaSetDevice(count));
    SAY("cudaSetDevice negative", cudaSetDevice(-1));
    SAY("cudaGetDeviceProperties too high", cudaGetDeviceProperties(&prop, count));
    SAY("cudaDeviceGetAttribute no such", cudaDeviceGetAttribute(&value, (cudaDeviceAttr)9999, 0));
    SAY("cudaDeviceGetAttribute too high",
        cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, count));

    SAY("cudaMemcpy H2D", cudaMemcpy(d, host, 16, cudaMemcpyHostToDevice));
    SAY("cudaMemcpy default", cudaMemcpy(d, host, 16, cudaMemcpyDefault));
    SAY("cudaMemcpy null source", cudaMemcpy(d, NULL, 16, cudaMemcpyHostToDevice));
    SAY("cudaMemcpy null target", cudaMemcpy(NULL, host, 16, cudaMemcpyHostToDevice));
    SAY("cudaMemcpy nothing to null", cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice));
    SAY("cudaMemcpy no such kind", cudaMemcpy(d, host, 16, (cudaMemcpyKind)77));
    SAY("cudaMemcpy D2D of host", cudaMemcpy(d, host, 16, cudaMemcpyDeviceToDevice));
    SAY("cudaMemcpy H2D of device", cudaMemcpy(d, d + 8, 16, cudaMemcpyHostToDevice));
    SAY("cudaMemcpy D2H to device", cudaMemcpy(d, d + 8, 16, cudaMemcpyDeviceToHost));
    SAY("cudaMemset", cudaMemset(d, 1, 16));
    SAY("cudaMemset null", cudaMemset(NULL, 1, 16));
    SAY("cudaMemset host", cudaMemset(host, 1, 16));
    SAY("cudaMemcpy2D narrow pitch",
        cudaMemcpy2D(d, 8, host, 16, 16, 1, cudaMemcpyHostToDevice));
    SAY("cudaMemcpyToSymbol", cudaMemcpyToSymbol(word, host, sizeof host));
    SAY("cudaMemcpyToSymbol too long", cudaMemcpyToSymbol(word, host, sizeof host + 4));
    SAY("cudaMemcpyToSymbol past the end",
        cudaMemcpyToSymbol(word, host, 8, 12, cudaMemcpyHostToDevice));
    SAY("cudaMemcpyToSymbol of no symbol", cudaMemcpyToSymbol((const void *)host, host, 4));
    SAY("cudaMemcpyToSymbol constant", cudaMemcpyToSymbol(table, host, sizeof table));
    SAY("cudaMemcpyFromSymbol wrong direction",
        cudaMemcpyFromSymbol(host, word, 4, 0, cudaMemcpyHostToDevice));
    SAY("cudaGetSymbolAddress", cudaGetSymbolAddress(&p, word));
    SAY("cudaGetSymbolAddress of no symbol", cudaGetSymbolAddress(&p, (const void *)host));
    SAY("cudaGetSymbolSize", cudaGetSymbolSize(&bytes, word));
    SAY("cudaMemcpy to a __device__ variable's shadow",
        cudaMemcpy((void *)&word, host, 16, cudaMemcpyHostToDevice));

    LAUNCH("launch", nothing<<<1, 32>>>(d));
    LAUNCH("launch grid 0", nothing<<<0, 32>>>(d));
    LAUNCH("launch block 0", nothing<<<1, 0>>>(d));
    LAUNCH("launch block 1025", nothing<<<1, 1025>>>(d));
    LAUNCH("launch block z 65", nothing<<<1, dim3(1, 1, 65)>>>(d));
    LAUNCH("launch grid y 65536", nothing<<<dim3(1, 65536), 1>>>(d));
    LAUNCH("launch shared 49153", nothing<<<1, 32, 49153>>>(d));
    LAUNCH("launch shared 300000", nothing<<<1, 32, 300000>>>(d));
    LAUNCH("launch static 48000 and 2000", staticShared<<<1, 32, 2000>>>(d));
    LAUNCH("launch over __launch_bounds__", narrow<<<1, 256>>>(d));
    SAY("cudaFuncSetAttribute shared 100000",
        cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
    LAUNCH("launch shared 100000 opted in", nothing<<<1, 32, 100000>>>(d));
    LAUNCH("launch shared 100001 opted for less", nothing<<<1, 32, 100001>>>(d));
    SAY("cudaFuncSetAttribute shared 300000",
        cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 300000));
    SAY("cudaFuncSetAttribute shared -1",
        cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
    SAY("cudaFuncSetAttribute carveout 101",
        cudaFuncSetAttribute(nothing, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
    SAY("cudaFuncGetAttributes", cudaFuncGetAttributes(&attributes, nothing));
    SAY("cudaFuncGetAttributes of no kernel",
        cudaFuncGetAttributes(&attributes, (const void *)main));
    void *arguments[] = {&d};
    SAY("cudaLaunchKernel of no kernel",
        cudaLaunchKernel((const void *)main, dim3(1), dim3(1), arguments, 0, 0));
    SAY("cudaLaunchKernel null", cudaLaunchKernel((const void *)NULL, dim3(1), dim3(1), arguments,
                                                  0, 0));
    SAY("cudaOccupancy block 0",
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, nothing, 0, 0));
    SAY("cudaOccupancy block 2048",
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, nothing, 2048, 0));

    SAY("cudaStreamCreate", cudaStreamCreate(&s));
    SAY("cudaStreamCreate null", cudaStreamCreate(NULL));
    SAY("cudaStreamCreateWithFlags no such",
        cudaStreamCreateWithFlags((cudaStream_t *)&p, 99));
    SAY("cudaStreamQuery idle", cudaStreamQuery(s));
    SAY("cudaStreamDestroy default", cudaStreamDestroy(0));
    SAY("cudaEventCreate", cudaEventCreate(&a));
    SAY("cudaEventCreate second", cudaEventCreate(&b));
    SAY("cudaEventCreateWithFlags no such", cudaEventCreateWithFlags((cudaEvent_t *)&p, 0x80));
    float ms = 0;
    SAY("cudaEventQuery never recorded", cudaEventQuery(a));
    SAY("cudaEventSynchronize never recorded", cudaEventSynchronize(a));
    SAY("cudaEventElapsedTime never recorded", cudaEventElapsedTime(&ms, a, b));
    SAY("cudaEventRecord", cudaEventRecord(a));
    SAY("cudaEventElapsedTime half recorded", cudaEventElapsedTime(&ms, a, b));
    SAY("cudaEventRecord second", cudaEventRecord(b));
    SAY("cudaEventSynchronize", cudaEventSynchronize(b));
    SAY("cudaEventElapsedTime", cudaEventElapsedTime(&ms, a, b));
    SAY("cudaEventElapsedTime null", cudaEventElapsedTime(NULL, a, b));
    SAY("cudaEventRecord null", cudaEventRecord(NULL));
    cudaEvent_t untimed;
    SAY("cudaEventCreateWithFlags untimed",
        cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    SAY("cudaEventRecord untimed", cudaEventRecord(untimed));
    SAY("cudaEventElapsedTime untimed", cudaEventElapsedTime(&ms, a, untimed));
    SAY("cudaStreamWaitEvent", cudaStreamWaitEvent(s, a, 0));
    SAY("cudaStreamWaitEvent null", cudaStreamWaitEvent(s, NULL, 0));

    SAY("cudaHostAlloc no such flag", cudaHostAlloc(&p, 64, 0x100));
    SAY("cudaMallocHost", cudaMallocHost(&p, 64));
    void *device = NULL;
    SAY("cudaHostGetDevicePointer", cudaHostGetDevicePointer(&device, p, 0));
    SAY("cudaHostGetDevicePointer flags", cudaHostGetDevicePointer(&device, p, 1));
    SAY("cudaHostGetDevicePointer of malloc", cudaHostGetDevicePointer(&device, host, 0));
    SAY("cudaHostRegister null", cudaHostRegister(NULL, 64, 0));
    SAY("cudaHostUnregister of malloc", cudaHostUnregister(host));
    SAY("cudaPointerGetAttributes of the stack", cudaPointerGetAttributes(&where, host));
    printf("cudaPointerGetAttributes of the stack gives\t%d\n", (int)where.type);
    SAY("cudaPointerGetAttributes of cudaMalloc", cudaPointerGetAttributes(&where, d));
    printf("cudaPointerGetAttributes of cudaMalloc gives\t%d\n", (int)where.type);
    SAY("cudaPointerGetAttributes of cudaMallocHost", cudaPointerGetAttributes(&where, p));
    printf("cudaPointerGetAttributes of cudaMallocHost gives\t%d\n", (int)where.type);
    SAY("cudaMallocManaged 0 bytes", cudaMallocManaged((void **)&p, 0));
    SAY("cudaMallocManaged no such flag", cudaMallocManaged((void **)&p, 64, 77));
    SAY("cudaMallocPitch 0 wide", cudaMallocPitch(&p, &bytes, 0, 4));
    SAY("cudaMemGetInfo null", cudaMemGetInfo(NULL, NULL));
    SAY("cudaDeviceSetLimit no such", cudaDeviceSetLimit((cudaLimit)99, 1));
    SAY("cudaDeviceGetLimit no such", cudaDeviceGetLimit(&bytes, (cudaLimit)99));
    SAY("cudaDeviceSetCacheConfig", cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    SAY("cudaDeviceCanAccessPeer itself", cudaDeviceCanAccessPeer(&value, 0, 0));
    SAY("cudaDeviceEnablePeerAccess itself", cudaDeviceEnablePeerAccess(0, 0));
    SAY("cudaChooseDevice", cudaChooseDevice(&value, &prop));
    SAY("cudaFree", cudaFree(d));
    SAY("cudaFree twice", cudaFree(d));
    printf("name of 700\t%s\n", cudaGetErrorName((cudaError_t)700));
    printf("name of 12345\t%s\n", cudaGetErrorName((cudaError_t)12345));
    printf("words for 1\t%s\n", cudaGetErrorString((cudaError_t)1));
    printf("words for 9\t%s\n", cudaGetErrorString((cudaError_t)9));
    printf("words for 700\t%s\n", cudaGetErrorString((cudaError_t)700));
    printf("words for 12345\t%s\n", cudaGetErrorString((cudaError_t)12345));
    SAY("cudaDeviceReset", cudaDeviceReset());
    return 0;
}
