// flags: -arch=compute_90
// Barriers that are objects: cuda::barrier, cuda::pipeline, memcpy_async, and mbarrier in PTX.
#include "check.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

// Each phase every thread writes its own word and reads its neighbour's.
__global__ void phases(int *out, int rounds)
{
    __shared__ block_barrier bar;
    __shared__ int word[256];
    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
    }
    __syncthreads();
    int sum = 0;
    for (int r = 0; r < rounds; r++) {
        word[threadIdx.x] = (int)threadIdx.x * 3 + r;
        bar.arrive_and_wait();
        sum += word[(threadIdx.x + 37) % blockDim.x];
        bar.wait(bar.arrive());
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// One warp fills a buffer that the others empty, two barriers per stage.
__global__ void producer(const int *in, int *out, int tiles)
{
    constexpr int tile = 96;
    __shared__ block_barrier full[2], empty[2];
    __shared__ int buffer[2][tile];
    if (threadIdx.x < 2) {
        init(&full[threadIdx.x], blockDim.x);
        init(&empty[threadIdx.x], blockDim.x);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        for (int t = 0; t < tiles; t++) {
            const int s = t % 2;
            if (t >= 2) {
                empty[s].arrive_and_wait();
            }
            for (int k = (int)threadIdx.x; k < tile; k += 32) {
                buffer[s][k] = in[t * tile + k];
            }
            (void)full[s].arrive();
        }
    } else {
        for (int t = 0; t < tiles; t++) {
            const int s = t % 2;
            full[s].arrive_and_wait();
            const int k = (int)threadIdx.x - 32;
            out[t * tile + k] = buffer[s][tile - 1 - k] + t;
            if (t + 2 < tiles) {
                (void)empty[s].arrive();
            }
        }
    }
}

__global__ void drops(int *out)
{
    __shared__ block_barrier bar;
    __shared__ int count;
    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
        count = 0;
    }
    __syncthreads();
    if (threadIdx.x >= 40) {
        atomicAdd(&count, 1);
        bar.arrive_and_drop();
        return;
    }
    bar.arrive_and_wait();
    const int seen = count;
    bar.arrive_and_wait(); // 40 threads are left
    out[threadIdx.x] = seen;
}

template <int Stages>
__global__ void pipelined(const float *in, float *out, int tiles)
{
    extern __shared__ float stage[];
    auto block = cg::this_thread_block();
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, Stages> state;
    auto pipe = cuda::make_pipeline(block, &state);
    const int n = (int)block.size();
    int next = 0;
    for (int t = 0; t < tiles; t++) {
        for (; next < tiles && next < t + Stages; next++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, stage + next % Stages * n, in + next * n,
                               sizeof(float) * n, pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        block.sync();
        out[t * n + threadIdx.x] = 2 * stage[t % Stages * n + n - 1 - threadIdx.x];
        block.sync();
        pipe.consumer_release();
    }
}

__global__ void thread_pipe(const int4 *in, int4 *out)
{
    __shared__ int4 word[128];
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&word[threadIdx.x], &in[threadIdx.x], cuda::aligned_size_t<16>(16), pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    int4 v = word[threadIdx.x];
    pipe.consumer_release();
    v.x += v.w;
    out[threadIdx.x] = v;
}

__global__ void group_copy(const int *in, int *out, int n)
{
    __shared__ int word[512];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, word, in, sizeof(int) * n);
    cg::wait(block);
    out[threadIdx.x] = word[n - 1 - threadIdx.x];
}

__global__ void barrier_copy(const int *in, int *out)
{
    __shared__ block_barrier bar;
    __shared__ alignas(16) int word[256];
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0) {
        init(&bar, block.size());
    }
    block.sync();
    cuda::memcpy_async(block, word, in, sizeof word, bar);
    bar.arrive_and_wait();
    out[threadIdx.x] = word[255 - threadIdx.x];
}

// The instructions themselves: expected bytes, parities, counts.
__global__ void instructions(unsigned *out)
{
    __shared__ unsigned long long bar;
    const unsigned at = (unsigned)__cvta_generic_to_shared(&bar);
    if (threadIdx.x == 0) {
        unsigned long long s, u;
        unsigned n, p;
        asm volatile("mbarrier.init.shared.b64 [%0], 3;" ::"r"(at));
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(s) : "r"(at));
        asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(n) : "l"(s));
        out[0] = n; // 3 before the arrival
        asm volatile("{ .reg .pred q; mbarrier.test_wait.shared.b64 q, [%1], %2; selp.u32 %0, 1, 0, q; }"
                     : "=r"(p) : "r"(at), "l"(s));
        out[1] = p; // 0
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 48;" ::"r"(at));
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1], 1;" : "=l"(u) : "r"(at));
        asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(n) : "l"(u));
        out[2] = n; // 1
        asm volatile("{ .reg .pred q; mbarrier.test_wait.parity.shared.b64 q, [%1], 0; selp.u32 %0, 1, 0, q; }"
                     : "=r"(p) : "r"(at));
        out[3] = p; // 0: 48 bytes are missing
        asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 16;" ::"r"(at));
        asm volatile("{ .reg .pred q; mbarrier.try_wait.parity.shared.b64 q, [%1], 0; selp.u32 %0, 1, 0, q; }"
                     : "=r"(p) : "r"(at));
        out[4] = p; // 0
        asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 32;" ::"r"(at));
        asm volatile("{ .reg .pred q; mbarrier.try_wait.parity.shared.b64 q, [%1], 0; selp.u32 %0, 1, 0, q; }"
                     : "=r"(p) : "r"(at));
        out[5] = p; // 1
        asm volatile("{ .reg .pred q; mbarrier.test_wait.parity.shared.b64 q, [%1], 1; selp.u32 %0, 1, 0, q; }"
                     : "=r"(p) : "r"(at));
        out[6] = p; // 0: the second phase is not over
        asm volatile("{ .reg .pred q; mbarrier.test_wait.shared.b64 q, [%1], %2; selp.u32 %0, 1, 0, q; }"
                     : "=r"(p) : "r"(at), "l"(s));
        out[7] = p; // 1
        asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(s) : "r"(at));
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1], 2;" : "=l"(s) : "r"(at));
        asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 1;" : "=l"(s) : "r"(at));
        asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(n) : "l"(s));
        out[8] = n; // 2: one has dropped out
        asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at));
    }
}

int main()
{
    static int in[8192], got[8192];
    static float fin[4096], fout[4096];
    int *a, *b;
    OK(cudaMalloc(&a, sizeof in));
    OK(cudaMalloc(&b, sizeof in));
    for (int k = 0; k < 8192; k++) {
        in[k] = k * 7 % 1001;
    }
    OK(cudaMemcpy(a, in, sizeof in, cudaMemcpyHostToDevice));

    phases<<<3, 200>>>(b, 5);
    OK(cudaMemcpy(got, b, sizeof got, cudaMemcpyDeviceToHost));
    bool all = true;
    for (int k = 0; k < 600; k++) {
        all = all && got[k] == 5 * ((k % 200 + 37) % 200 * 3) + 10;
    }
    CHECK(all);

    producer<<<1, 128>>>(a, b, 9);
    OK(cudaMemcpy(got, b, sizeof got, cudaMemcpyDeviceToHost));
    all = true;
    for (int k = 0; k < 9 * 96; k++) {
        all = all && got[k] == in[k / 96 * 96 + 95 - k % 96] + k / 96;
    }
    CHECK(all);

    drops<<<1, 100>>>(b);
    OK(cudaMemcpy(got, b, sizeof got, cudaMemcpyDeviceToHost));
    all = true;
    for (int k = 0; k < 40; k++) {
        all = all && got[k] == 60;
    }
    CHECK(all);

    for (int k = 0; k < 4096; k++) {
        fin[k] = (float)(k % 977);
    }
    OK(cudaMemcpy(a, fin, sizeof fin, cudaMemcpyHostToDevice));
    for (int stages = 1; stages < 4; stages++) {
        OK(cudaMemset(b, 0, sizeof fin));
        if (stages == 1) {
            pipelined<1><<<1, 128, 128 * 4>>>((float *)a, (float *)b, 16);
        } else if (stages == 2) {
            pipelined<2><<<1, 128, 2 * 128 * 4>>>((float *)a, (float *)b, 16);
        } else {
            pipelined<3><<<1, 128, 3 * 128 * 4>>>((float *)a, (float *)b, 16);
        }
        OK(cudaMemcpy(fout, b, sizeof fout, cudaMemcpyDeviceToHost));
        all = true;
        for (int k = 0; k < 16 * 128; k++) {
            all = all && fout[k] == 2 * fin[k / 128 * 128 + 127 - k % 128];
        }
        CHECK(all);
    }

    OK(cudaMemcpy(a, in, sizeof in, cudaMemcpyHostToDevice));
    thread_pipe<<<1, 128>>>((int4 *)a, (int4 *)b);
    OK(cudaMemcpy(got, b, sizeof got, cudaMemcpyDeviceToHost));
    all = true;
    for (int k = 0; k < 512; k++) {
        all = all && got[k] == in[k] + (k % 4 == 0 ? in[k + 3] : 0);
    }
    CHECK(all);

    group_copy<<<1, 500>>>(a, b, 500);
    OK(cudaMemcpy(got, b, sizeof got, cudaMemcpyDeviceToHost));
    all = true;
    for (int k = 0; k < 500; k++) {
        all = all && got[k] == in[499 - k];
    }
    CHECK(all);

    barrier_copy<<<1, 256>>>(a, b);
    OK(cudaMemcpy(got, b, sizeof got, cudaMemcpyDeviceToHost));
    all = true;
    for (int k = 0; k < 256; k++) {
        all = all && got[k] == in[255 - k];
    }
    CHECK(all);

    instructions<<<1, 32>>>((unsigned *)b);
    OK(cudaMemcpy(got, b, sizeof got, cudaMemcpyDeviceToHost));
    const int want[9] = {3, 0, 1, 0, 0, 1, 0, 1, 2};
    for (int k = 0; k < 9; k++) {
        if (got[k] != want[k]) {
            printf("instructions: %d is %d, not %d\n", k, got[k], want[k]);
            failures++;
        }
    }
    OK(cudaFree(a));
    OK(cudaFree(b));
    return print_failures();
}
