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

    // what an H200 says: freed memory is out of use from the call on, and a wait gives the pool's
    // surplus back
    unsigned long long used = 1, reserved = 1;
    auto look = [&] {
        OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
        OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
    };
    threshold = 0;
    OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    for (int turn = 0; turn < 2; turn++) {
        OK(cudaMallocAsync(&p, 4 << 20, s));
        look();
        CHECK(used == 4 << 20 && reserved == 32 << 20);
        OK(cudaFreeAsync(p, s));
        look();
        CHECK(used == 0 && reserved == 32 << 20);
        OK(cudaStreamSynchronize(s));
        look();
        CHECK(used == 0 && reserved == (turn ? 32 << 20 : 0));
        threshold = ~0ull;
        OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    }
    OK(cudaMemPoolTrimTo(pool, 0));
    look();
    CHECK(reserved == 0);
    OK(cudaMallocFromPoolAsync(&p, 64, pool, s));
    OK(cudaFreeAsync(p, s));
    OK(cudaStreamSynchronize(s));
    return print_failures();
}
