// What the host asks about a kernel: attributes, occupancy, cooperative launches, its parameters.
#include "check.h"

#include <cooperative_groups.h>

struct odd {
    char c;
    double d;
    short s[3];
};

__global__ void values(char a, odd b, float4 c, const int *in, double *out, bool f)
{
    out[0] = a;
    out[1] = b.d + b.c + b.s[2];
    out[2] = c.w;
    out[3] = in ? 1 : 0;
    out[4] = f;
}

__global__ void __launch_bounds__(128) tile(float *p)
{
    __shared__ float s[1024];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[127 - threadIdx.x];
}

template <class T> __global__ void generic(T *p)
{
    *p = T(2);
}

__global__ void together(int *p)
{
    cooperative_groups::grid_group g = cooperative_groups::this_grid();
    atomicAdd(&p[0], 1);
    g.sync();
    if (threadIdx.x == 0 && p[0] == (int)(gridDim.x * blockDim.x)) {
        atomicAdd(&p[1], 1);
    }
}

int main()
{
    double *d, h[5];
    OK(cudaMalloc(&d, sizeof h));
    values<<<1, 1>>>('a', odd{1, 2.5, {3, 4, 5}}, make_float4(1, 2, 3, 4), nullptr, d, true);
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 'a' && h[1] == 8.5 && h[2] == 4 && h[3] == 0 && h[4] == 1);

    cudaFuncAttributes a;
    OK(cudaFuncGetAttributes(&a, tile));
    CHECK(a.sharedSizeBytes == 4096 && a.maxThreadsPerBlock == 128 && a.numRegs > 0);
    CHECK(a.maxDynamicSharedSizeBytes == 49152 - 4096);
    OK(cudaFuncGetAttributes(&a, values));
    CHECK(a.sharedSizeBytes == 0 && a.maxThreadsPerBlock == 1024);
    OK(cudaFuncSetCacheConfig(tile, cudaFuncCachePreferShared));

    int blocks, least, size;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, tile, 128, 0));
    CHECK(blocks >= 8 && blocks <= 32);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, tile, 128, 40000));
    CHECK(blocks >= 1 && blocks <= 5);
    OK(cudaOccupancyMaxPotentialBlockSize(&least, &size, generic<float>, 0, 0));
    CHECK(size >= 128 && size % 32 == 0 && least > 0);
    size_t room;
    OK(cudaOccupancyAvailableDynamicSMemPerBlock(&room, tile, 4, 128));
    CHECK(room > 16384 && room <= 49152 - 4096);

    float *f, g = 0;
    OK(cudaMalloc(&f, 4));
    generic<<<1, 1>>>(f);
    OK(cudaMemcpy(&g, f, 4, cudaMemcpyDeviceToHost));
    CHECK(g == 2);

    int *p, c[2];
    OK(cudaMalloc(&p, 8));
    OK(cudaMemset(p, 0, 8));
    void *args[] = {&p};
    OK(cudaLaunchCooperativeKernel((void *)together, 20, 64, args, 0, 0));
    OK(cudaMemcpy(c, p, 8, cudaMemcpyDeviceToHost));
    CHECK(c[0] == 20 * 64 && c[1] == 20);
    EXPECT(cudaErrorCooperativeLaunchTooLarge,
           cudaLaunchCooperativeKernel((void *)together, 1 << 20, 64, args, 0, 0));

    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 1;
    OK(cudaLaunchKernelEx(&config, generic<float>, f));
    OK(cudaDeviceSynchronize());
    return print_failures();
}
