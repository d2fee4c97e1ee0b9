// Barriers and pipelines of libcu++ as the Programming Guide uses them: producers and consumers,
// pipelines of several stages and of several scopes, copies that a group makes together.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <vector>

namespace cg = cooperative_groups;
using barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init

// Half of the warps fill buffers, the other half empties them: a pair of barriers for each buffer.
constexpr int PART = 256;

__device__ void produce(barrier ready[], barrier filled[], float *buffer, const float *in, int parts)
{
    for (int i = 0; i < parts; i++) {
        ready[i % 2].arrive_and_wait();
        for (int k = threadIdx.x; k < PART; k += blockDim.x / 2)
            buffer[i % 2 * PART + k] = in[i * PART + k] * 1.5f;
        barrier::arrival_token token = filled[i % 2].arrive();
        (void)token;
    }
}

__device__ void consume(barrier ready[], barrier filled[], float *buffer, float *out, int parts)
{
    barrier::arrival_token token1 = ready[0].arrive(), token2 = ready[1].arrive();
    (void)token1, (void)token2;
    const int t = threadIdx.x - blockDim.x / 2;
    float sum = 0;
    for (int i = 0; i < parts; i++) {
        filled[i % 2].arrive_and_wait();
        for (int k = t; k < PART; k += blockDim.x / 2)
            sum = sum * 0.25f + buffer[i % 2 * PART + (k ^ 33)];
        barrier::arrival_token token = ready[i % 2].arrive();
        (void)token;
    }
    out[blockIdx.x * blockDim.x / 2 + t] = sum;
}

__global__ void producer_consumer(const float *in, float *out, int parts)
{
    __shared__ float buffer[2 * PART];
    __shared__ barrier bar[4]; // ready 0 and 1, filled 0 and 1
    auto block = cg::this_thread_block();
    if (block.thread_rank() < 4)
        init(bar + block.thread_rank(), block.size());
    block.sync();
    in += (size_t)blockIdx.x * parts * PART;
    if (block.thread_rank() < block.size() / 2)
        produce(bar, bar + 2, buffer, in, parts);
    else
        consume(bar, bar + 2, buffer, out, parts);
}

// Threads that leave a barrier for good; the rest go on.
__global__ void leave_early(int *out)
{
    __shared__ barrier bar;
    __shared__ int count;
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0) {
        init(&bar, block.size());
        count = 0;
    }
    block.sync();
    int rounds = 1 + threadIdx.x % 7, seen = 0;
    for (int i = 0; i < rounds; i++) {
        atomicAdd(&count, 1);
        bar.arrive_and_wait();
        seen = seen * 3 + count;
        bar.arrive_and_wait();
    }
    bar.arrive_and_drop();
    out[threadIdx.x] = seen;
}

// A barrier that runs a function when a phase is complete, and one that more is asked of.
struct Adder {
    int *sum, *parts;
    __device__ void operator()() const
    {
        for (int i = 0; i < 4; i++)
            *sum += parts[i];
    }
};

__global__ void with_completion(int *out)
{
    __shared__ int sum, parts[4];
    __shared__ std::aligned_storage_t<sizeof(cuda::barrier<cuda::thread_scope_block, Adder>),
                                      alignof(cuda::barrier<cuda::thread_scope_block, Adder>)>
        room;
    auto *bar = (cuda::barrier<cuda::thread_scope_block, Adder> *)&room;
    if (threadIdx.x == 0) {
        sum = 0;
        init(bar, blockDim.x, Adder{&sum, parts});
    }
    __syncthreads();
    for (int k = 0; k < 5; k++) {
        if (threadIdx.x % 32 == 0)
            parts[threadIdx.x / 32] = (k + 1) * (int)threadIdx.x + k;
        bar->arrive_and_wait();
        out[k * blockDim.x + threadIdx.x] = sum + threadIdx.x;
        bar->arrive_and_wait();
    }
}

__global__ void phases(int *out)
{
    __shared__ barrier bar;
    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    int log = 0;
    auto token = bar.arrive();
    log += bar.try_wait_for(std::move(token), cuda::std::chrono::seconds(2)) ? 1 : 0;
    __syncthreads(); // nobody may be two phases ahead
    for (int k = 1; k < 4; k++) {
        if (threadIdx.x == 0)
            (void)bar.arrive(blockDim.x - 1);
        if (threadIdx.x == 1)
            (void)bar.arrive();
        bar.wait_parity(k & 1);
        log = log * 2 + bar.try_wait_parity_for(k & 1, cuda::std::chrono::nanoseconds(0));
        __syncthreads();
    }
    out[threadIdx.x] = log;
}

// A pipeline of STAGES that the whole block feeds and drains.
template <int STAGES> __global__ void staged(const int *in, int *out, int batches)
{
    extern __shared__ __align__(16) int memory[];
    auto block = cg::this_thread_block();
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto pipe = cuda::make_pipeline(block, &state);
    const int n = block.size();
    in += (size_t)blockIdx.x * batches * n;
    int sum = 0;
    for (int now = 0, ahead = 0; now < batches; now++) {
        for (; ahead < batches && ahead < now + STAGES; ahead++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, memory + ahead % STAGES * n, in + ahead * n,
                               cuda::aligned_size_t<16>(sizeof(int) * n), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum = sum * 5 + memory[now % STAGES * n + (threadIdx.x + now) % n];
        pipe.consumer_release();
    }
    out[blockIdx.x * n + threadIdx.x] = sum;
}

// Some threads produce, the others consume.
__global__ void partitioned(const int *in, int *out, int batches)
{
    constexpr int STAGES = 2;
    __shared__ alignas(16) int memory[STAGES][128];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto block = cg::this_thread_block();
    auto role = threadIdx.x % 32 < 8 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipe = cuda::make_pipeline(block, &state, role);
    if (role == cuda::pipeline_role::producer) {
        int p = threadIdx.x / 32 * 8 + threadIdx.x % 32; // 0 .. 31
        for (int k = 0; k < batches; k++) {
            pipe.producer_acquire();
            cuda::memcpy_async(&memory[k % STAGES][4 * p], in + k * 128 + 4 * p,
                               cuda::aligned_size_t<16>(16), pipe);
            pipe.producer_commit();
        }
    } else {
        int c = threadIdx.x / 32 * 24 + threadIdx.x % 32 - 8, sum = 0; // 0 .. 95
        for (int k = 0; k < batches; k++) {
            pipe.consumer_wait();
            sum = sum * 7 + memory[k % STAGES][c] + memory[k % STAGES][127 - c];
            pipe.consumer_release();
        }
        out[c] = sum;
    }
    pipe.quit();
}

// A pipeline of each thread's own.
__global__ void own_pipeline(const int *in, int *out, int batches)
{
    __shared__ int memory[4][128];
    auto pipe = cuda::make_pipeline();
    int sum = 0;
    for (int now = 0, ahead = 0; now < batches; now++) {
        for (; ahead < batches && ahead < now + 4; ahead++) {
            pipe.producer_acquire();
            cuda::memcpy_async(&memory[ahead % 4][threadIdx.x], in + ahead * 128 + threadIdx.x,
                               sizeof(int), pipe);
            pipe.producer_commit();
        }
        cuda::pipeline_consumer_wait_prior<3>(pipe);
        if (now + 4 > batches)
            cuda::pipeline_consumer_wait_prior<0>(pipe); // no copies follow that could be left
        sum = sum * 11 + memory[now % 4][threadIdx.x];
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}

// Groups that copy together, in pieces that need not be whole.
__global__ void group_copies(const int *in, int *out, int n)
{
    extern __shared__ int memory[];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    int *mine = memory + tile.meta_group_rank() * 64;
    int sum = 0;
    for (int first = tile.meta_group_rank() * 64; first < n; first += 64 * tile.meta_group_size()) {
        int left = n - first;
        cg::memcpy_async(tile, mine, 64, in + first, left);
        cg::wait(tile);
        sum += cg::reduce(tile, (int)tile.thread_rank() < left ? mine[tile.thread_rank()] : 0,
                          cg::plus<int>());
        if ((int)tile.thread_rank() + 32 < left)
            sum ^= mine[tile.thread_rank() + 32];
        tile.sync();
    }
    __shared__ barrier bar;
    if (block.thread_rank() == 0)
        init(&bar, block.size());
    block.sync();
    cuda::memcpy_async(block, memory, in, sizeof(int) * 77, bar);
    bar.arrive_and_wait();
    for (int i = block.thread_rank(); i < 77; i += block.size())
        sum += memory[76 - i];
    out[block.thread_rank()] = sum;
}

int main()
{
    const int n = 1 << 15;
    int *in, *out;
    cudaMallocManaged(&in, n * sizeof *in);
    cudaMallocManaged(&out, n * sizeof *out);
    auto show = [&](const char *name, int count) {
        cudaError_t error = cudaDeviceSynchronize();
        unsigned h = 0;
        for (int i = 0; i < count; i++)
            h = h * 31 + (unsigned)out[i];
        printf("%s %s %08x\n", name, cudaGetErrorName(error), h);
        memset(out, 0, n * sizeof *out);
    };
    for (int i = 0; i < n; i++)
        ((float *)in)[i] = i * 48271u % 1021 * 0.01f;
    producer_consumer<<<4, 128>>>((const float *)in, (float *)out, 8);
    show("producer_consumer", 256);
    for (int i = 0; i < n; i++)
        in[i] = i * 48271u % 1021;
    leave_early<<<1, 96>>>(out);
    show("leave_early", 96);
    with_completion<<<1, 128>>>(out);
    show("with_completion", 640);
    phases<<<1, 64>>>(out);
    show("phases", 64);
    staged<1><<<2, 128, 1 * 512>>>(in, out, 9);
    show("staged<1>", 256);
    staged<2><<<2, 128, 2 * 512>>>(in, out, 9);
    show("staged<2>", 256);
    staged<4><<<3, 256, 4 * 1024>>>(in, out, 12);
    show("staged<4>", 768);
    partitioned<<<1, 128>>>(in, out, 20);
    show("partitioned", 96);
    own_pipeline<<<1, 128>>>(in, out, 13);
    show("own_pipeline", 128);
    group_copies<<<1, 128, 1024>>>(in, out, 5000);
    show("group_copies", 128);
    return 0;
}
