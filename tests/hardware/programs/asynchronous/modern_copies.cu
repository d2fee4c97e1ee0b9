// Asynchronous copies into shared memory: cp.async pipelines, cuda::barrier, memcpy_async of
// groups.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdio>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

__global__ void primitives(const int4 *in, int *out, int tiles)
{
    __shared__ int4 buffer[2][128];
    int t = threadIdx.x, sum = 0;
    __pipeline_memcpy_async(&buffer[0][t], &in[t], sizeof(int4));
    __pipeline_commit();
    for (int k = 0; k < tiles; k++) {
        if (k + 1 < tiles)
            __pipeline_memcpy_async(&buffer[(k + 1) % 2][t], &in[(k + 1) * 128 + t], sizeof(int4));
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        int4 v = buffer[k % 2][127 - t];
        sum += v.x + 2 * v.y + 3 * v.z + 4 * v.w;
        __syncthreads();
    }
    out[t] = sum;
}

__global__ void groups(const int *in, int *out, int n)
{
    extern __shared__ int tile[];
    auto block = cg::this_thread_block();
    int sum = 0;
    for (int first = 0; first < n; first += 256) {
        cg::memcpy_async(block, tile, in + first, sizeof(int) * min(256, n - first));
        cg::wait(block);
        if (first + block.thread_rank() < n)
            sum += tile[(block.thread_rank() * 7) % min(256, n - first)];
        block.sync();
    }
    out[block.thread_rank()] = sum;
}

__global__ void barriers(const int *in, int *out, int rounds)
{
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ barrier full;
    __shared__ alignas(16) int tile[128];
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0)
        init(&full, block.size());
    block.sync();
    int sum = 0;
    for (int k = 0; k < rounds; k++) {
        tile[threadIdx.x] = in[128 * k + threadIdx.x];
        full.arrive_and_wait();
        sum += tile[(threadIdx.x + k) % 128];
        auto token = full.arrive();
        full.wait(std::move(token));
    }
    out[threadIdx.x] = sum;
}

__global__ void pipelines(const int *in, int *out, int rounds)
{
    __shared__ alignas(16) int stages[2][128];
    auto block = cg::this_thread_block();
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto pipe = cuda::make_pipeline(block, &state);
    int sum = 0, ahead = 0;
    for (int k = 0; k < rounds; k++) {
        for (; ahead < rounds && ahead < k + 2; ahead++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, stages[ahead % 2], in + ahead * 128, sizeof stages[0], pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum = sum * 3 + stages[k % 2][threadIdx.x ^ 5];
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}

int main()
{
    const int n = 8192;
    int *in, *out;
    cudaMallocManaged(&in, n * sizeof *in);
    cudaMallocManaged(&out, 256 * sizeof *out);
    for (int i = 0; i < n; i++)
        in[i] = i * 48271u % 1021;
    auto show = [&](const char *name, int threads) {
        cudaError_t error = cudaDeviceSynchronize();
        unsigned h = 0;
        for (int i = 0; i < threads; i++)
            h = h * 31 + out[i];
        printf("%s %s %08x\n", name, cudaGetErrorName(error), h);
    };
    primitives<<<1, 128>>>((const int4 *)in, out, 16);
    show("primitives", 128);
    groups<<<1, 256, 256 * sizeof(int)>>>(in, out, 3000);
    show("groups", 256);
    barriers<<<1, 128>>>(in, out, 12);
    show("barriers", 128);
    pipelines<<<1, 128>>>(in, out, 20);
    show("pipelines", 128);
    return 0;
}
