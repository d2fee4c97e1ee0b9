/* A program of several forms (run-adopted): prints what its kernels, constructors and destructors computed. */
#include "part.h"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

__constant__ int offset = 7;
__device__ int calls;
__managed__ int seen;

__global__ void add(int *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] += i + offset;
    if (i == 0) {
        calls++;
        seen = n;
    }
}

/* CUDA is used before main, and after it. */
struct early {
    int *at = nullptr;
    int count = -1;
    early()
    {
        cudaMalloc(&at, 64 * sizeof *at);
        cudaGetDeviceCount(&count);
    }
    ~early()
    {
        std::printf("freed: %s\n", cudaGetErrorName(cudaFree(at)));
    }
};
static early first;

static void must(cudaError_t e)
{
    if (e)
        throw std::runtime_error(cudaGetErrorString(e));
}

static bool throws()
{
    try {
        must(cudaMemcpy(nullptr, &first, 4, cudaMemcpyHostToDevice));
    } catch (const std::runtime_error &) {
        return cudaGetLastError() != cudaSuccess;
    }
    return false;
}

static void CUDART_CB called_back(void *at)
{
    *(int *)at = 1;
}

int main()
{
    int out[64] = {}, n = 64, device_calls = 0, back = 0;
    float ms = -1;
    cudaEvent_t begin, end;
    must(cudaEventCreate(&begin));
    must(cudaEventCreate(&end));
    must(cudaMemset(first.at, 0, sizeof out));
    must(cudaEventRecord(begin));
    add<<<2, 32>>>(first.at, n);
    must(cudaGetLastError());
    must(cudaEventRecord(end));
    void *args[] = {&first.at, &n};
    must(cudaLaunchKernel((const void *)add, dim3(2), dim3(32), args, 0, nullptr));
    must(cudaLaunchHostFunc(nullptr, called_back, &back));
    must(cudaMemcpy(out, first.at, sizeof out, cudaMemcpyDeviceToHost));
    must(cudaMemcpyFromSymbol(&device_calls, calls, sizeof device_calls));
    must(cudaDeviceSynchronize());
    must(cudaEventElapsedTime(&ms, begin, end));
    must(cudaEventDestroy(begin));
    must(cudaEventDestroy(end));
    std::printf("devices %d, out[63] %d, calls %d, seen %d, callback %d, time %d, throws %d, part %d\n", first.count,
                out[63], device_calls, seen, back, ms > 0, throws(), part(20));
    return out[63] == 140 ? 0 : 1;
}
