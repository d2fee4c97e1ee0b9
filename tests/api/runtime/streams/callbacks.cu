// Host functions in a stream: at their place, without CUDA calls that wait.
#include "check.h"

#include <vector>

__global__ void add(int *p, int n)
{
    *p += n;
}

static std::vector<int> seen;
static int *pinned;

static void note(void *what)
{
    seen.push_back(*pinned * 10 + (int)(size_t)what);
    EXPECT(cudaErrorNotPermitted, cudaDeviceSynchronize());
}

static void old_style(cudaStream_t, cudaError_t status, void *what)
{
    CHECK(status == cudaSuccess);
    seen.push_back(*pinned * 10 + (int)(size_t)what);
}

int main()
{
    int *d;
    cudaStream_t s;
    OK(cudaMalloc(&d, 4));
    OK(cudaMallocHost(&pinned, 4));
    OK(cudaStreamCreate(&s));
    OK(cudaMemsetAsync(d, 0, 4, s));
    add<<<1, 1, 0, s>>>(d, 1);
    OK(cudaMemcpyAsync(pinned, d, 4, cudaMemcpyDeviceToHost, s));
    OK(cudaLaunchHostFunc(s, note, (void *)1));
    add<<<1, 1, 0, s>>>(d, 1);
    OK(cudaMemcpyAsync(pinned, d, 4, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamAddCallback(s, old_style, (void *)2, 0));
    CHECK(seen.empty());
    OK(cudaStreamSynchronize(s));
    CHECK(seen.size() == 2 && seen[0] == 11 && seen[1] == 22);
    EXPECT(cudaErrorInvalidValue, cudaLaunchHostFunc(s, nullptr, nullptr));
    return print_failures();
}
