// With --default-stream per-thread a launch without a stream is on the thread's own.
// flags: --default-stream per-thread
#include "check.h"

#include <thread>

__global__ void add(int *p, int n)
{
    *p += n;
}

int main()
{
    int *d, h = -1;
    OK(cudaMalloc(&d, 4));
    OK(cudaMemset(d, 0, 4));
    add<<<1, 1>>>(d, 1);
    OK(cudaStreamSynchronize(cudaStreamLegacy)); // waits for the thread's stream, not the reverse
    std::thread other([&] {
        int *e, v = -1;
        OK(cudaMalloc(&e, 4));
        OK(cudaMemset(e, 0, 4));
        add<<<1, 1>>>(e, 7);
        OK(cudaStreamSynchronize(0));
        OK(cudaMemcpy(&v, e, 4, cudaMemcpyDeviceToHost));
        CHECK(v == 7);
    });
    other.join();
    add<<<1, 1, 0, cudaStreamPerThread>>>(d, 1);
    OK(cudaMemcpyAsync(&h, d, 4, cudaMemcpyDeviceToHost));
    OK(cudaStreamSynchronize(0));
    CHECK(h == 2);
    return print_failures();
}
