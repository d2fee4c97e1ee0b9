// Host threads that call at once: each has its last error, all see the device.
#include "check.h"

#include <thread>
#include <vector>

__global__ void fill(int *p, int n, int v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i] = v;
    }
}

static void work(int id, int *wrong)
{
    const int n = 3000;
    std::vector<int> h(n);
    cudaStream_t s;
    int *d;
    bool bad = cudaStreamCreate(&s) || cudaMalloc(&d, n * sizeof *d);
    for (int turn = 0; turn < 20 && !bad; turn++) {
        fill<<<(n + 127) / 128, 128, 0, s>>>(d, n, id * 100 + turn);
        bad |= cudaMemcpyAsync(h.data(), d, n * sizeof *d, cudaMemcpyDeviceToHost, s) != 0;
        bad |= cudaStreamSynchronize(s) != 0;
        for (int v : h) {
            bad |= v != id * 100 + turn;
        }
        if (id & 1) { // errors of one thread are its own
            fill<<<0, 1, 0, s>>>(d, n, 0);
            bad |= cudaGetLastError() != cudaErrorInvalidValue;
        }
        bad |= cudaGetLastError() != cudaSuccess;
    }
    bad |= cudaFree(d) || cudaStreamDestroy(s);
    *wrong = bad;
}

int main()
{
    std::vector<std::thread> team;
    int wrong[6] = {};
    for (int i = 0; i < 6; i++) {
        team.emplace_back(work, i, &wrong[i]);
    }
    for (auto &t : team) {
        t.join();
    }
    for (int w : wrong) {
        CHECK(!w);
    }
    OK(cudaDeviceSynchronize());
    return print_failures();
}
