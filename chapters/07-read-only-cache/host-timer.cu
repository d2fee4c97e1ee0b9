// One kernel, timed in four ways. Only the last is the kernel's time.
//     nvcc -cudart shared host-timer.cu -o host-timer && ./host-timer
#include <cstdio>
#include <ctime>

#include <cuda_runtime.h>

static double now(void) // milliseconds
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

__global__ void scale(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= 1.5f;
}

int main(void)
{
    const int n = 1 << 22, block = 256;
    float *data, took;
    cudaEvent_t start, stop;

    double before = now();
    if (cudaMalloc(&data, n * sizeof(float)) != cudaSuccess) {
        fprintf(stderr, "no CUDA device: ./warpbook exec ./host-timer\n");
        return 3;
    }
    printf("%10.3f ms  the first call that needs the context: it creates it\n", now() - before);

    before = now();
    scale<<<n / block, block>>>(data, n);
    printf("%10.3f ms  a launch: it returns before the kernel has run\n", now() - before);
    cudaDeviceSynchronize();

    before = now();
    scale<<<n / block, block>>>(data, n);
    cudaDeviceSynchronize();
    printf("%10.3f ms  launch and wait: the kernel, and the latency of both calls\n", now() - before);

    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaEventRecord(start);
    scale<<<n / block, block>>>(data, n);
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);
    cudaEventElapsedTime(&took, start, stop);
    printf("%10.3f ms  between two events: the device's own clock\n", took);
    return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
