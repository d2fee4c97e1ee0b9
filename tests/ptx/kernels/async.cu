// nvcc: -arch=sm_90
#include <cuda/barrier>
#include <cuda_pipeline.h>
__global__ void async(float *o, const float *i, int n)
{
    __shared__ float s[256]; __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0) init(&bar, blockDim.x);
    __syncthreads();
    __pipeline_memcpy_async(&s[threadIdx.x], &i[threadIdx.x], 4); __pipeline_commit(); __pipeline_wait_prior(0);
    __pipeline_memcpy_async(&s[threadIdx.x & ~3], &i[threadIdx.x & ~3], 16, 4); __pipeline_commit(); __pipeline_wait_prior(1);
    bar.arrive_and_wait(); cuda::memcpy_async(s, i, sizeof(float) * 4, bar); auto token = bar.arrive(); bar.wait(std::move(token)); bar.arrive_and_drop();
    o[threadIdx.x] = s[threadIdx.x ^ 1];
}
