// Bulk copies of one dimension by the copy engine of sm_90: into shared memory with a barrier that
// counts bytes, out of it in groups that a thread waits for, reductions on the way.
#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
#include <cuda/barrier>
#include <cuda/ptx>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <vector>

namespace cg = cooperative_groups;
namespace cde = cuda::device::experimental;
namespace ptx = cuda::ptx;
using barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int TILE = 1024;

// As the Programming Guide has it: copy in, change, fence, copy out.
__global__ void add_one(int *data, size_t offset)
{
    __shared__ alignas(16) int tile[TILE];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier bar;
    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
        cde::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    if (threadIdx.x == 0)
        cuda::memcpy_async(tile, data + offset, cuda::aligned_size_t<16>(sizeof tile), bar);
    barrier::arrival_token token = bar.arrive();
    bar.wait(std::move(token));
    for (int i = threadIdx.x; i < TILE; i += blockDim.x)
        tile[i] += 1;
    cde::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_shared_to_global(data + offset, tile, sizeof tile);
        cde::cp_async_bulk_commit_group();
        cde::cp_async_bulk_wait_group_read<0>();
    }
}

// Two stages, each with a barrier that the issuing thread tells how many bytes will come.
__global__ void two_stages(const float *in, float *out, int tiles)
{
    __shared__ alignas(128) float stage[2][TILE];
    __shared__ barrier full[2];
    if (threadIdx.x == 0) {
        init(&full[0], blockDim.x);
        init(&full[1], blockDim.x);
        cde::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    barrier::arrival_token token[2];
    auto fetch = [&](int tile) {
        int s = tile % 2;
        if (threadIdx.x == 0) {
            cuda::device::memcpy_async_tx(stage[s], in + (blockIdx.x * tiles + tile) * TILE,
                                          cuda::aligned_size_t<16>(sizeof stage[s]), full[s]);
            token[s] = cuda::device::barrier_arrive_tx(full[s], 1, sizeof stage[s]);
        } else {
            token[s] = full[s].arrive();
        }
    };
    fetch(0);
    float sum = 0;
    for (int tile = 0; tile < tiles; tile++) {
        if (tile + 1 < tiles)
            fetch(tile + 1);
        full[tile % 2].wait(std::move(token[tile % 2]));
        for (int i = threadIdx.x; i < TILE; i += blockDim.x)
            sum = sum * 0.5f + stage[tile % 2][TILE - 1 - i];
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// The instructions themselves: one thread arrives, waits are by parity.
__global__ void by_parity(const uint4 *in, uint4 *out, int rounds)
{
    extern __shared__ __align__(128) uint4 memory[];
    __shared__ uint64_t bar;
    const uint32_t bytes = blockDim.x * sizeof(uint4);
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    for (int k = 0; k < rounds; k++) {
        if (threadIdx.x == 0) {
            const uint4 *from = in + ((size_t)blockIdx.x * rounds + k) * blockDim.x;
            asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(bytes));
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                           &bar, bytes);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, memory, from, bytes, &bar);
        }
        while (!ptx::mbarrier_try_wait_parity(&bar, k & 1)) {
        }
        uint4 v = memory[threadIdx.x ^ 1];
        v.x += k;
        v.y ^= v.w;
        __syncthreads();
        memory[blockDim.x - 1 - threadIdx.x] = v;
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (threadIdx.x == 0) {
            uint4 *to = out + ((size_t)blockIdx.x * rounds + k) * blockDim.x;
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, to, memory, bytes);
            ptx::cp_async_bulk_commit_group();
            ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{});
        }
        __syncthreads();
    }
}

// Every operation that a bulk copy to global memory can do on the way; WORDS of each.
template <class T> __device__ T value_of(int i);
template <> __device__ uint32_t value_of(int i) { return i * 2654435761u; }
template <> __device__ int32_t value_of(int i) { return (int32_t)(i * 2654435761u); }
template <> __device__ uint64_t value_of(int i) { return i * 0x9e3779b97f4a7c15ull; }
template <> __device__ int64_t value_of(int i) { return (int64_t)(i * 0x9e3779b97f4a7c15ull); }
template <> __device__ float value_of(int i) { return (i % 97) * 0.37f - 11; }
template <> __device__ double value_of(int i) { return (i % 89) * 0.41 - 7; }
template <> __device__ __half value_of(int i) { return __float2half((i % 53) * 0.125f - 3); }
template <> __device__ __nv_bfloat16 value_of(int i)
{
    return __float2bfloat16((i % 41) * 0.25f - 5);
}

constexpr int WORDS = 256;

template <class T, class Op> __global__ void reduce(Op op, T *out)
{
    __shared__ alignas(16) T tile[WORDS];
    tile[threadIdx.x] = value_of<T>(threadIdx.x + 1 + 31 * blockIdx.x);
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, op, out, tile,
                                  (uint32_t)sizeof tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{});
    }
}

// The same from one block's shared memory to the other's, whose barrier counts the bytes.
template <class T, class Op> __global__ void __cluster_dims__(2) reduce_shared(Op op, T *out)
{
    __shared__ alignas(16) T from[WORDS], to[WORDS];
    __shared__ uint64_t bar;
    cg::cluster_group cluster = cg::this_cluster();
    const int other = cluster.block_rank() ^ 1;
    from[threadIdx.x] = value_of<T>(threadIdx.x + 1 + 77 * blockIdx.x);
    to[threadIdx.x] = value_of<T>(threadIdx.x / 2 + 100);
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    ptx::fence_proxy_async(ptx::space_shared);
    cluster.sync();
    if (threadIdx.x == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar,
                                       sizeof from);
        ptx::cp_reduce_async_bulk(ptx::space_cluster, ptx::space_shared, op,
                                  cluster.map_shared_rank(to, other), from, (uint32_t)sizeof from,
                                  cluster.map_shared_rank(&bar, other));
    }
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, 0)) {
    }
    out[blockIdx.x * WORDS + threadIdx.x] = to[threadIdx.x];
    cluster.sync();
}

static unsigned hash(const void *p, size_t bytes)
{
    const unsigned char *b = (const unsigned char *)p;
    unsigned h = 2166136261u;
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ b[i]) * 16777619u;
    return h;
}

static void show_bytes(const char *name, const void *device, size_t bytes)
{
    cudaError_t error = cudaDeviceSynchronize();
    std::vector<char> host(bytes);
    cudaMemcpy(host.data(), device, bytes, cudaMemcpyDeviceToHost);
    printf("%s %s %08x\n", name, cudaGetErrorName(error), hash(host.data(), bytes));
}

template <class T, class Op> static void try_reduce(const char *name, Op op, int blocks)
{
    T *out;
    cudaMalloc(&out, WORDS * sizeof *out);
    cudaMemset(out, 0x11, WORDS * sizeof *out);
    reduce<T><<<blocks, WORDS>>>(op, out);
    show_bytes(name, out, WORDS * sizeof *out);
    cudaFree(out);
}

template <class T, class Op> static void try_shared(const char *name, Op op)
{
    T *out;
    cudaMalloc(&out, 2 * WORDS * sizeof *out);
    reduce_shared<T><<<2, WORDS>>>(op, out);
    show_bytes(name, out, 2 * WORDS * sizeof *out);
    cudaFree(out);
}

int main()
{
    const int n = 1 << 16;
    std::vector<int> host(n);
    for (int i = 0; i < n; i++)
        host[i] = i * 48271u % 65537;
    int *in, *out;
    cudaMalloc(&in, n * sizeof *in);
    cudaMalloc(&out, n * sizeof *out);
    cudaMemset(out, 0, n * sizeof *out);
    cudaMemcpy(in, host.data(), n * sizeof *in, cudaMemcpyHostToDevice);
    add_one<<<1, 256>>>(in, 4 * TILE);
    add_one<<<1, 64>>>(in, 0);
    show_bytes("add_one", in, n * sizeof *in);
    std::vector<float> values(n);
    for (int i = 0; i < n; i++)
        values[i] = host[i] * 0.001f;
    cudaMemcpy(in, values.data(), n * sizeof *in, cudaMemcpyHostToDevice);
    two_stages<<<8, 128>>>((const float *)in, (float *)out, 8);
    show_bytes("two_stages", out, n * sizeof *out);
    by_parity<<<16, 128, 128 * sizeof(uint4)>>>((const uint4 *)in, (uint4 *)out, 8);
    show_bytes("by_parity", out, n * sizeof *out);

    try_reduce<uint32_t>("and u32", ptx::op_and_op, 3);
    try_reduce<uint32_t>("or u32", ptx::op_or_op, 3);
    try_reduce<uint32_t>("xor u32", ptx::op_xor_op, 3);
    try_reduce<uint32_t>("add u32", ptx::op_add, 5);
    try_reduce<uint32_t>("min u32", ptx::op_min, 5);
    try_reduce<uint32_t>("max u32", ptx::op_max, 5);
    try_reduce<uint32_t>("inc u32", ptx::op_inc, 1);
    try_reduce<uint32_t>("dec u32", ptx::op_dec, 1);
    try_reduce<int32_t>("add s32", ptx::op_add, 5);
    try_reduce<int32_t>("min s32", ptx::op_min, 5);
    try_reduce<int32_t>("max s32", ptx::op_max, 5);
    try_reduce<uint64_t>("and u64", ptx::op_and_op, 3);
    try_reduce<uint64_t>("or u64", ptx::op_or_op, 3);
    try_reduce<uint64_t>("xor u64", ptx::op_xor_op, 3);
    try_reduce<uint64_t>("add u64", ptx::op_add, 5);
    try_reduce<uint64_t>("min u64", ptx::op_min, 5);
    try_reduce<uint64_t>("max u64", ptx::op_max, 5);
    try_reduce<int64_t>("add s64", ptx::op_add, 5);
    try_reduce<int64_t>("min s64", ptx::op_min, 5);
    try_reduce<int64_t>("max s64", ptx::op_max, 5);
    try_reduce<float>("add f32", ptx::op_add, 1);
    try_reduce<double>("add f64", ptx::op_add, 1);
    try_reduce<__half>("add f16", ptx::op_add, 1);
    try_reduce<__half>("min f16", ptx::op_min, 5);
    try_reduce<__half>("max f16", ptx::op_max, 5);
    try_reduce<__nv_bfloat16>("add bf16", ptx::op_add, 1);
    try_reduce<__nv_bfloat16>("min bf16", ptx::op_min, 5);
    try_reduce<__nv_bfloat16>("max bf16", ptx::op_max, 5);

    try_shared<uint32_t>("shared and u32", ptx::op_and_op);
    try_shared<uint32_t>("shared or u32", ptx::op_or_op);
    try_shared<uint32_t>("shared xor u32", ptx::op_xor_op);
    try_shared<uint32_t>("shared add u32", ptx::op_add);
    try_shared<uint32_t>("shared inc u32", ptx::op_inc);
    try_shared<uint32_t>("shared dec u32", ptx::op_dec);
    try_shared<uint32_t>("shared min u32", ptx::op_min);
    try_shared<uint32_t>("shared max u32", ptx::op_max);
    try_shared<int32_t>("shared add s32", ptx::op_add);
    try_shared<int32_t>("shared min s32", ptx::op_min);
    try_shared<int32_t>("shared max s32", ptx::op_max);
    try_shared<uint64_t>("shared add u64", ptx::op_add);
    try_shared<int64_t>("shared add s64", ptx::op_add);
    return 0;
}
