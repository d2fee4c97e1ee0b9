// Error codes of wrong calls, the last error of a thread, and that none of them stays.
#include "check.h"

#include <cstring>

__global__ void store(int *p)
{
    p[threadIdx.x] = threadIdx.x;
}

__global__ void __launch_bounds__(64) bounded(int *p)
{
    p[threadIdx.x] = 1;
}

__global__ void dynamic(int *p)
{
    extern __shared__ int s[];
    s[threadIdx.x] = 3;
    p[threadIdx.x] = s[threadIdx.x];
}

static void not_a_kernel() {}

int main()
{
    int *d, h[64], n;
    OK(cudaMalloc(&d, sizeof h));
    EXPECT(cudaErrorInvalidValue, cudaMalloc((void **)nullptr, 4));
    EXPECT(cudaErrorInvalidValue, cudaGetLastError());
    OK(cudaGetLastError());

    // launches: the code comes back from the launch, work goes on
    const struct {
        dim3 grid, block;
        size_t shared;
        cudaError_t want;
    } shapes[] = {
        {1, 64, 0, cudaSuccess},
        {0, 64, 0, cudaErrorInvalidValue},
        {1, 0, 0, cudaErrorInvalidValue},
        {1, 1025, 0, cudaErrorInvalidValue},
        {1, dim3(32, 33), 0, cudaErrorInvalidValue},
        {1, dim3(1, 1, 65), 0, cudaErrorInvalidValue},
        {dim3(1, 65536), 64, 0, cudaErrorInvalidValue},
        {dim3(1, 1, 65536), 64, 0, cudaErrorInvalidValue},
        {1, 64, 49153, cudaErrorInvalidValue},
    };
    for (auto &s : shapes) {
        store<<<s.grid, s.block, s.shared>>>(d);
        EXPECT(s.want, cudaPeekAtLastError());
        EXPECT(s.want, cudaGetLastError());
        OK(cudaGetLastError());
    }
    bounded<<<1, 65>>>(d);
    EXPECT(cudaErrorInvalidValue, cudaGetLastError());
    dynamic<<<1, 64, 65536>>>(d);
    EXPECT(cudaErrorInvalidValue, cudaGetLastError());
    OK(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
    dynamic<<<1, 64, 65536>>>(d);
    OK(cudaGetLastError());
    EXPECT(cudaErrorInvalidValue,
           cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
    EXPECT(cudaErrorInvalidResourceHandle,
           cudaLaunchKernel((void *)not_a_kernel, dim3(1), dim3(1), nullptr, 0, 0));
    void *args[] = {&d};
    OK(cudaLaunchKernel((void *)store, dim3(1), dim3(64), args, 0, 0));
    store<<<1, 1, 0, (cudaStream_t)0x1234>>>(d);
    EXPECT(cudaErrorInvalidResourceHandle, cudaGetLastError());

    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[63] == 63);

    // memory
    EXPECT(cudaErrorInvalidValue, cudaFree(h));
    OK(cudaFree(nullptr));
    EXPECT(cudaErrorInvalidValue, cudaFree(d + 1));
    EXPECT(cudaErrorMemoryAllocation, cudaMalloc(&d, (size_t)1 << 50));
    EXPECT(cudaErrorInvalidMemcpyDirection, cudaMemcpy(h, h, 4, (cudaMemcpyKind)7));
    OK(cudaMemcpy(h, d, 0, cudaMemcpyDeviceToHost));
    int *null = nullptr;
    EXPECT(cudaErrorInvalidValue, cudaMemcpy(null, h, 4, cudaMemcpyHostToDevice));

    // devices and handles
    EXPECT(cudaErrorInvalidDevice, cudaSetDevice(9));
    EXPECT(cudaErrorInvalidDevice, cudaSetDevice(-1));
    cudaDeviceProp prop;
    EXPECT(cudaErrorInvalidDevice, cudaGetDeviceProperties(&prop, 9));
    EXPECT(cudaErrorInvalidValue, cudaDeviceGetAttribute(&n, (cudaDeviceAttr)0, 0));
    EXPECT(cudaErrorInvalidResourceHandle, cudaStreamSynchronize((cudaStream_t)0x1234));
    EXPECT(cudaErrorInvalidResourceHandle, cudaStreamDestroy(0));
    EXPECT(cudaErrorInvalidResourceHandle, cudaEventRecord((cudaEvent_t)0x1234, 0));
    EXPECT(cudaErrorInvalidSymbol, cudaMemcpyToSymbol((const void *)h, h, 4));

    // words
    CHECK(!strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue"));
    CHECK(!strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument"));
    CHECK(!strcmp(cudaGetErrorString(cudaErrorIllegalAddress),
                  "an illegal memory access was encountered"));
    CHECK(!strcmp(cudaGetErrorString((cudaError_t)12345), "unrecognized error code"));
    CHECK(!strcmp(cudaGetErrorString(cudaSuccess), "no error"));
    return print_failures();
}
