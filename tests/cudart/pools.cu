// Memory in the order of a stream.
#include "check.h"

__global__ void fill(int *p, int n, int v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i] = v;
    }
}

int main()
{
    const int n = 1000;
    cudaStream_t s;
    int *p, *h;
    OK(cudaStreamCreate(&s));
    OK(cudaMallocHost(&h, n * sizeof *h));
    for (int turn = 0; turn < 3; turn++) {
        OK(cudaMallocAsync(&p, n * sizeof *p, s));
        fill<<<(n + 255) / 256, 256, 0, s>>>(p, n, turn);
        OK(cudaMemcpyAsync(h, p, n * sizeof *p, cudaMemcpyDeviceToHost, s));
        OK(cudaFreeAsync(p, s));
        OK(cudaStreamSynchronize(s));
        CHECK(h[0] == turn && h[n - 1] == turn);
    }
    EXPECT(cudaErrorInvalidValue, cudaFreeAsync(h, s));
    cudaMemPool_t pool;
    unsigned long long threshold = 1 << 20, got = 0;
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &got));
    CHECK(got == threshold);
    OK(cudaMallocFromPoolAsync(&p, 64, pool, s));
    OK(cudaFreeAsync(p, s));
    OK(cudaStreamSynchronize(s));
    return finish();
}
