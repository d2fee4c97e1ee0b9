/* Mistakes that programs make, and the errors that they find: each kind of call, what stays, what a
 * thread keeps to itself, and the words for every number. */
#include "try.h"
#include <cstdlib>
#include <cuda_runtime.h>
#include <thread>
#include <vector>
#define SHOWE(x)                                                                        \
    do {                                                                                \
        cudaError_t e_ = (x);                                                           \
        const int peeked_ = cudaPeekAtLastError(), last_ = cudaGetLastError();          \
        printf("%s\t%s, last %d, then %d\n", #x, cudaGetErrorName(e_), peeked_, last_); \
        fflush(stdout);                                                                 \
    } while (0)
__global__ void fill(int *p, int n, int v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = v;
}
__global__ void bounds(int *p)
{
    __shared__ int s[32];
    s[threadIdx.x] = 1;
    p[threadIdx.x] = s[31 - threadIdx.x];
}
template <int N> __global__ void big(float *o)
{
    __shared__ float s[N];
    s[threadIdx.x] = 1;
    o[threadIdx.x] = s[threadIdx.x];
}
__global__ void __launch_bounds__(128) limited(int *p)
{
    p[threadIdx.x] = 1;
}
static bool strcmp_(const char *n)
{
    return n[0] != 0x75;
}
int main()
{
    int *d;
    SHOWE(cudaMalloc(&d, 1000 * 4));
    fill<<<4, 256>>>(d, 1000, 7);
    SHOWE(cudaGetLastError());
    SHOWE(cudaDeviceSynchronize());
    fill<<<0, 256>>>(d, 1000, 7);
    SHOWE(cudaPeekAtLastError());
    SHOWE(cudaGetLastError());
    fill<<<1, 0>>>(d, 1000, 7);
    SHOWE(cudaGetLastError());
    fill<<<1, 2000>>>(d, 1000, 7);
    SHOWE(cudaGetLastError());
    fill<<<dim3(1, 70000), 1>>>(d, 1000, 7);
    SHOWE(cudaGetLastError());
    fill<<<dim3(1, 1, 70000), 1>>>(d, 1000, 7);
    SHOWE(cudaGetLastError());
    fill<<<1, dim3(1, 1, 65)>>>(d, 1000, 7);
    SHOWE(cudaGetLastError());
    fill<<<1, dim3(32, 33)>>>(d, 1000, 7);
    SHOWE(cudaGetLastError());
    fill<<<1, 32, 60000>>>(d, 1000, 7);
    SHOWE(cudaGetLastError());
    SHOWE(cudaFuncSetAttribute(fill, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
    fill<<<1, 32, 60000>>>(d, 1000, 7);
    SHOWE(cudaGetLastError());
    fill<<<1, 32, 200000>>>(d, 1000, 7);
    SHOWE(cudaGetLastError());
    SHOWE(cudaFuncSetAttribute(fill, cudaFuncAttributeMaxDynamicSharedMemorySize, 300000));
    SHOWE(cudaFuncSetAttribute(fill, cudaFuncAttributePreferredSharedMemoryCarveout, 200));
    SHOWE(cudaFuncSetAttribute(fill, (cudaFuncAttribute)77, 1));
    limited<<<1, 256>>>(d);
    SHOWE(cudaGetLastError());
    limited<<<1, 128>>>(d);
    SHOWE(cudaGetLastError());
    SHOWE(cudaMemcpy(d, d + 500, 2000, cudaMemcpyDeviceToDevice));
    SHOWE(cudaMemcpy(d, d, 0, cudaMemcpyDeviceToDevice));
    SHOWE(cudaMemcpy(NULL, d, 4, cudaMemcpyDeviceToHost));
    SHOWE(cudaMemcpy(NULL, NULL, 0, cudaMemcpyDefault));
    int h[1000];
    SHOWE(cudaMemcpy(h, d, 4000, (cudaMemcpyKind)9));
    SHOWE(cudaMemcpy(h, h + 10, 40, cudaMemcpyHostToHost));
    SHOWE(cudaMemcpy(h, h + 10, 40, cudaMemcpyDeviceToDevice));
    SHOWE(cudaMemcpy(h, h + 10, 40, cudaMemcpyHostToDevice));
    SHOWE(cudaMemcpy(h, h + 10, 40, cudaMemcpyDeviceToHost));
    SHOWE(cudaMemcpy(h, d, 4000, cudaMemcpyHostToDevice));
    SHOWE(cudaMemcpy(d, h, 4000, cudaMemcpyDeviceToHost));
    SHOWE(cudaMemset(NULL, 0, 4));
    SHOWE(cudaMemset(NULL, 0, 0));
    SHOWE(cudaMemset(h, 0, 4));
    SHOWE(cudaMemset(d, 300, 4000));
    SHOWE(cudaMemset2D(d, 10, 0, 20, 2));
    SHOWE(cudaMemset2D(d, 100, 0, 40, 2));
    SHOWE(cudaMemcpy2D(h, 10, d, 100, 20, 2, cudaMemcpyDeviceToHost));
    SHOWE(cudaMemcpy2D(h, 100, d, 100, 20, 0, cudaMemcpyDeviceToHost));
    SHOWE(cudaMemcpy2D(h, 100, d, (size_t)1 << 33, 20, 2, cudaMemcpyDeviceToHost));
    void *q;
    SHOWE(cudaMalloc(&q, (size_t)1 << 50));
    SHOWE(cudaMalloc(&q, 0));
    printf("%p\n", q);
    SHOWE(cudaMalloc(NULL, 10));
    SHOWE(cudaFree(NULL));
    SHOWE(cudaFree(h));
    SHOWE(cudaFree(d + 1));
    SHOWE(cudaFreeHost(NULL));
    SHOWE(cudaFreeHost(h));
    SHOWE(cudaFreeHost(d));
    SHOWE(cudaMallocHost(&q, 0));
    SHOWE(cudaHostAlloc(&q, 100, 99));
    SHOWE(cudaMallocManaged(&q, 100, 0));
    SHOWE(cudaMallocManaged(&q, 100, 3));
    SHOWE(cudaSetDevice(5));
    SHOWE(cudaSetDevice(-1));
    SHOWE(cudaGetDevice(NULL));
    SHOWE(cudaGetDeviceCount(NULL));
    cudaDeviceProp p;
    SHOWE(cudaGetDeviceProperties(&p, 3));
    SHOWE(cudaGetDeviceProperties(NULL, 0));
    int v;
    SHOWE(cudaDeviceGetAttribute(&v, (cudaDeviceAttr)9999, 0));
    SHOWE(cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, 1));
    SHOWE(cudaFuncGetAttributes(NULL, fill));
    cudaFuncAttributes fa;
    SHOWE(cudaFuncGetAttributes(&fa, (const void *)NULL));
    SHOWE(cudaFuncGetAttributes(&fa, (const void *)main));
    SHOWE(cudaFuncGetAttributes(&fa, fill));
    cudaEvent_t a, b;
    SHOWE(cudaEventCreate(&a));
    SHOWE(cudaEventCreateWithFlags(&b, cudaEventDisableTiming));
    float ms;
    SHOWE(cudaEventElapsedTime(&ms, a, b));
    SHOWE(cudaEventElapsedTime(&ms, a, a));
    SHOWE(cudaEventRecord(a));
    SHOWE(cudaEventRecord(b));
    SHOWE(cudaDeviceSynchronize());
    SHOWE(cudaEventElapsedTime(&ms, a, b));
    SHOWE(cudaEventElapsedTime(&ms, a, a));
    printf("%g\n", ms);
    SHOWE(cudaEventElapsedTime(NULL, a, a));
    SHOWE(cudaEventElapsedTime(NULL, 0, 0));
    SHOWE(cudaEventElapsedTime(&ms, 0, a));
    SHOWE(cudaEventElapsedTime(&ms, a, 0));
    SHOWE(cudaEventRecord(0));
    SHOWE(cudaEventQuery(0));
    SHOWE(cudaEventSynchronize(0));
    SHOWE(cudaEventDestroy(0));
    SHOWE(cudaStreamDestroy(0));
    SHOWE(cudaStreamSynchronize(0));
    SHOWE(cudaStreamQuery(0));
    SHOWE(cudaStreamWaitEvent(0, 0, 0));
    SHOWE(cudaStreamWaitEvent(0, a, 5));
    SHOWE(cudaEventCreateWithFlags(&b, 100));
    SHOWE(cudaStreamCreateWithFlags(NULL, 0));
    cudaStream_t s;
    SHOWE(cudaStreamCreateWithFlags(&s, 7));
    SHOWE(cudaStreamCreateWithPriority(&s, 0, -100));
    int pr;
    SHOWE(cudaStreamGetPriority(s, &pr));
    printf("%d\n", pr);
    SHOWE(cudaStreamCreateWithPriority(&s, 0, 100));
    SHOWE(cudaStreamGetPriority(s, &pr));
    printf("%d\n", pr);
    int bl;
    SHOWE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&bl, fill, 0, 0));
    SHOWE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&bl, fill, 256, 0));
    printf("%d\n", bl);
    SHOWE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&bl, fill, 2048, 0));
    printf("%d\n", bl);
    SHOWE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&bl, fill, 256, 500000));
    printf("%d\n", bl);
    SHOWE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&bl, limited, 256, 0));
    printf("%d\n", bl);
    // errors are per thread
    fill<<<0, 1>>>(d, 1, 1);
    std::thread t([&] {
        SHOWE(cudaPeekAtLastError());
        fill<<<1, 0>>>(d, 1, 1);
        SHOWE(cudaPeekAtLastError());
        cudaMalloc(NULL, 1);
    });
    t.join();
    SHOWE(cudaGetLastError());
    // a success in between does not clear
    fill<<<0, 1>>>(d, 1, 1);
    cudaMalloc(&q, 16);
    SHOWE(cudaGetLastError());
    cudaSetDevice(9);
    fill<<<1, 1>>>(d, 1, 1);
    SHOWE(cudaGetLastError());
    cudaEventQuery(0);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    for (int i = 0; i < 1000; i++) {
        const char *n = cudaGetErrorName((cudaError_t)i);
        if (strcmp_(n))
            printf("%d %s: %s\n", i, n, cudaGetErrorString((cudaError_t)i));
    }
    return 0;
}
