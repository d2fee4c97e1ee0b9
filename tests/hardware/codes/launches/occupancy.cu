/* Occupancy: blocks an SM, the best block, what shared memory leaves. */
#include "try.h"
__global__ void saxpy(float *y, const float *x, float a, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] += a * x[i];
}
__global__ void shared(float *o)
{
    extern __shared__ float s[];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    o[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
__global__ void __launch_bounds__(256, 4) bounded(float *o)
{
    o[threadIdx.x] = 1;
}
__global__ void __launch_bounds__(1024, 1) wide(double *o)
{
    double a[32];
    for (int i = 0; i < 32; i++)
        a[i] = o[i * threadIdx.x];
    double s = 0;
    for (int i = 0; i < 32; i++)
        s += a[i] * a[31 - i];
    o[threadIdx.x] = s;
}
struct S {
    __host__ __device__ int operator()(int b) const
    {
        return b * 8;
    }
};
template <class K> static void table(const char *n, K k)
{
    printf("%s:", n);
    for (int b : {32, 64, 96, 128, 192, 256, 384, 512, 768, 1024}) {
        int m;
        OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&m, k, b, 0));
        printf(" %d", m);
    }
    int g, b;
    OK(cudaOccupancyMaxPotentialBlockSize(&g, &b, k, 0, 0));
    printf(" best %d %d", g, b);
    OK(cudaOccupancyMaxPotentialBlockSize(&g, &b, k, 0, 200));
    printf(" limit %d %d", g, b);
    OK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&g, &b, k, S(), 0));
    printf(" var %d %d", g, b);
    for (int sm : {1000, 10000, 48000}) {
        int m;
        OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&m, k, 128, sm));
        size_t d = 0;
        cudaOccupancyAvailableDynamicSMemPerBlock(&d, k, m ? m : 1, 128);
        printf(" %d/%zu", m, d);
    }
    cudaFuncAttributes a;
    OK(cudaFuncGetAttributes(&a, k));
    printf(" max %d dyn %d\n", a.maxThreadsPerBlock, a.maxDynamicSharedSizeBytes);
}
int main()
{
    table("saxpy", saxpy);
    table("shared", shared);
    table("bounded", bounded);
    table("wide", wide);
    OK(cudaFuncSetAttribute(shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 160000));
    table("shared with more", shared);
    int n = 100000, g, b;
    OK(cudaOccupancyMaxPotentialBlockSize(&g, &b, saxpy));
    float *x, *y;
    OK(cudaMallocManaged(&x, n * 4));
    OK(cudaMallocManaged(&y, n * 4));
    for (int i = 0; i < n; i++) {
        x[i] = i;
        y[i] = 1;
    }
    saxpy<<<g, b>>>(y, x, 2, n);
    OK(cudaDeviceSynchronize());
    double s = 0;
    for (int i = 0; i < n; i++)
        s += y[i];
    printf("%.1f\n", s);
    shared<<<1, 256, 160000>>>(x);
    TRY(cudaDeviceSynchronize());
    printf("%g %g\n", x[0], x[255]);
    int co;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&co, saxpy, 128, 0,
                                                              cudaOccupancyDisableCachingOverride));
    printf("%d\n", co);
    OK(cudaFuncSetAttribute(saxpy, cudaFuncAttributePreferredSharedMemoryCarveout,
                            cudaSharedmemCarveoutMaxShared));
    cudaFuncAttributes a;
    OK(cudaFuncGetAttributes(&a, saxpy));
    printf("%d\n", a.preferredShmemCarveout);
    return 0;
}
