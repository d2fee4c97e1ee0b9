// 64 GB are asked for and 1 MB is touched: only that takes memory of the host.
#include "check.h"

#include <sys/resource.h>

__global__ void touch(char *p, size_t bytes, size_t step)
{
    size_t i = (blockIdx.x * (size_t)blockDim.x + threadIdx.x) * step;
    if (i < bytes) {
        p[i] = (char)(i / step);
    }
}

int main()
{
    const size_t gb = (size_t)1 << 30, bytes = 64 * gb, step = bytes / 256; // 256 pages: 1 MB
    char *d, h = 0;
    OK(cudaMalloc(&d, bytes));
    touch<<<1, 256>>>(d, bytes, step);
    OK(cudaMemcpy(&h, d + 255 * step, 1, cudaMemcpyDeviceToHost));
    CHECK(h == (char)255);
    size_t free_bytes, total;
    OK(cudaMemGetInfo(&free_bytes, &total));
    CHECK(total - free_bytes >= bytes);
    OK(cudaFree(d));
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    CHECK(use.ru_maxrss < 1 << 20); // KiB
    return print_failures();
}
