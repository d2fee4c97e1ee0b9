// The stack of a thread: 1024 bytes, or what cudaLimitStackSize says. The depths are those that an H200
// reached and did not reach (driver for CUDA 13, built for sm_90).
// alone: its processes begin before the first call
// stderr: recursion.cu:17: thread \(0,0,0\) of block \(0,0,0\): the stack of a thread is full: down was called at depth 11
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

template <int W> __device__ __noinline__ int down(int n)
{
    volatile int a[W];
    for (int i = 0; i < W; i++)
        a[i] = n + i;
    if (n == 0)
        return a[0];
    int r = down<W>(n - 1);
    return r + a[n % W];
}

template <int W> __global__ void descend(int n, int *out)
{
    *out = down<W>(n);
}

__device__ __noinline__ int flat(int n)
{
    volatile int a[1000];
    for (int i = 0; i < 1000; i++)
        a[i] = n + i;
    return a[n % 1000];
}

__global__ void without_recursion(int n, int *out)
{
    *out = flat(n);
}

// The error of a process of its own, which an illegal address leaves without a device.
static cudaError_t descended(void (*kernel)(int, int *), int depth, size_t limit)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        int *out;
        if (limit)
            OK(cudaDeviceSetLimit(cudaLimitStackSize, limit));
        OK(cudaMalloc(&out, sizeof *out));
        kernel<<<1, 1>>>(depth, out);
        const cudaError_t e = cudaDeviceSynchronize();
        _exit(print_failures() ? 255 : e == cudaErrorIllegalAddress ? 1 : e != cudaSuccess ? 2 : 0);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
    return WEXITSTATUS(status) == 0   ? cudaSuccess
           : WEXITSTATUS(status) == 1 ? cudaErrorIllegalAddress
                                      : cudaErrorUnknown;
}

int main()
{
    const cudaError_t full = cudaErrorIllegalAddress;
    EXPECT(full, descended(descend<16>, 10, 0));
    OK(descended(descend<16>, 9, 0));
    OK(descended(descend<1>, 60, 0));
    EXPECT(full, descended(descend<1>, 100, 0));
    OK(descended(descend<4>, 20, 0));
    EXPECT(full, descended(descend<4>, 22, 0));
    OK(descended(descend<64>, 2, 0));
    EXPECT(full, descended(descend<64>, 3, 0));
    OK(descended(descend<16>, 4, 512));
    EXPECT(full, descended(descend<16>, 5, 512));
    OK(descended(descend<4>, 40, 2048));
    EXPECT(full, descended(descend<4>, 60, 2048));
    OK(descended(descend<16>, 40, 4096));
    EXPECT(full, descended(descend<16>, 60, 4096));
    OK(descended(without_recursion, 3, 0));
    return print_failures();
}
