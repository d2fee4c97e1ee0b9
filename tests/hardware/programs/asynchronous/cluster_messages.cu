// Clusters whose blocks write to one another without waiting at a barrier of all: stores, reductions
// and copies that tell the receiver's barrier how many bytes have come.
#include "show_words.h"

#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
#include <cuda/barrier>
#include <cuda/ptx>
#include <vector>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

__device__ void begin(uint64_t *bar, int arrivals)
{
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(bar, arrivals);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
}

__device__ void wait(uint64_t *bar, int parity)
{
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, bar, parity)) {
    }
}

__device__ void end()
{
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
}

// st.async: every thread sends a word to the next block, and waits for what the one before sends.
__global__ void __cluster_dims__(4) ring(int *out, int rounds)
{
    __shared__ uint64_t bar;
    __shared__ int box[2][128];
    __shared__ alignas(16) int quads[4 * 128];
    cg::cluster_group cluster = cg::this_cluster();
    const int t = threadIdx.x, next = (cluster.block_rank() + 1) % cluster.num_blocks();
    begin(&bar, 1);
    int value = 1000 * blockIdx.x + t;
    uint64_t *theirs = cluster.map_shared_rank(&bar, next);
    for (int k = 0; k < rounds; k++) {
        if (t == 0)
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared,
                                           &bar, 128 * 4);
        ptx::st_async(cluster.map_shared_rank(&box[k % 2][127 - t], next), value + k, theirs);
        wait(&bar, k & 1);
        value = value * 3 + box[k % 2][t];
        cluster.sync();
    }
    if (t == 0)
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &bar,
                                       128 * 16);
    const int32_t four[4] = {value, t, value ^ t, 5};
    ptx::st_async(cluster.map_shared_rank(&quads[4 * t], next), four, theirs);
    wait(&bar, rounds & 1);
    out[blockIdx.x * blockDim.x + t] =
        value + quads[4 * t] + 3 * quads[4 * t + 1] + 5 * quads[4 * t + 2] + quads[4 * t + 3];
    end();
}

// red.async: all blocks count in the memory of the first.
template <class T, class Op> __global__ void __cluster_dims__(4) gather(Op op, T *out)
{
    __shared__ uint64_t bar;
    __shared__ T cell[32];
    cg::cluster_group cluster = cg::this_cluster();
    const int t = threadIdx.x;
    cell[t] = (T)(t * 5 - 20);
    begin(&bar, 1);
    if (cluster.block_rank() == 0 && t == 0)
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &bar,
                                       cluster.num_threads() * sizeof(T));
    T value = (T)((cluster.block_rank() + 1) * 12345 - t * 777);
    ptx::red_async(op, cluster.map_shared_rank(&cell[t ^ 1], 0), value,
                   cluster.map_shared_rank(&bar, 0));
    if (cluster.block_rank() == 0) {
        wait(&bar, 0);
        out[blockIdx.x / 4 * 32 + t] = cell[t];
    }
    end();
}

// One copy into the shared memory of several blocks, each told by its own barrier.
__global__ void __cluster_dims__(4) multicast(const int *in, int *out)
{
    __shared__ uint64_t bar;
    __shared__ alignas(128) int tile[4][256];
    cg::cluster_group cluster = cg::this_cluster();
    const int t = threadIdx.x, rank = cluster.block_rank();
    begin(&bar, 1);
    if (t == 0) {
        // The first sends to all, the second to two, the third to the last; each gets what is due.
        const int due[4] = {2, 1, 2, 2};
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &bar,
                                       due[rank] * 1024);
        const uint16_t mask[4] = {0xf, 0x5, 0x8, 0};
        if (rank < 3)
            asm volatile(
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes."
                "multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(
                    (uint32_t)__cvta_generic_to_shared(tile[rank])),
                "l"(in + (blockIdx.x * 256)), "r"(1024),
                "r"((uint32_t)__cvta_generic_to_shared(&bar)), "h"(mask[rank]));
    }
    wait(&bar, 0);
    int sum = tile[0][t];
    if (rank == 0 || rank == 2)
        sum = sum * 3 + tile[1][t];
    if (rank == 3)
        sum = sum * 3 + tile[2][255 - t];
    out[blockIdx.x * blockDim.x + t] = sum;
    end();
}

// Copies and reductions from one block's shared memory into another's.
__global__ void __cluster_dims__(2) exchange(int *out)
{
    __shared__ uint64_t bar;
    __shared__ alignas(128) int mine[512], got[512], sum[512];
    cg::cluster_group cluster = cg::this_cluster();
    const int t = threadIdx.x, other = cluster.block_rank() ^ 1;
    for (int i = t; i < 512; i += blockDim.x) {
        mine[i] = (int)(blockIdx.x + 1) * 1000 + i;
        sum[i] = i;
    }
    ptx::fence_proxy_async(ptx::space_shared);
    begin(&bar, 1);
    if (t == 0) {
        uint64_t *theirs = cluster.map_shared_rank(&bar, other);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &bar,
                                       2048 + 1024);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared,
                           cluster.map_shared_rank(got, other), mine, 2048, theirs);
        ptx::cp_reduce_async_bulk(ptx::space_cluster, ptx::space_shared, ptx::op_add,
                                  cluster.map_shared_rank(sum, other), mine + 256, 1024, theirs);
    }
    wait(&bar, 0);
    for (int i = t; i < 512; i += blockDim.x)
        out[blockIdx.x * 512 + i] = got[i] * 3 + sum[511 - i];
    end();
}

// Blocks that arrive at the barrier in the memory of the first, one count each.
__global__ void __cluster_dims__(8) remote_arrivals(int *out, int rounds)
{
    __shared__ uint64_t bar;
    __shared__ int slot[8];
    cg::cluster_group cluster = cg::this_cluster();
    const int rank = cluster.block_rank();
    begin(&bar, cluster.num_blocks() * 2);
    int sum = 0;
    for (int k = 0; k < rounds; k++) {
        if (threadIdx.x == 0) {
            *cluster.map_shared_rank(&slot[rank], 0) = rank * rank + k;
            uint64_t *first = cluster.map_shared_rank(&bar, 0);
            if (rank % 2)
                ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, first,
                                     2u);
            else
                for (int i = 0; i < 2; i++)
                    ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster,
                                         first);
        }
        if (rank == 0) {
            wait(&bar, k & 1);
            for (int i = 0; i < 8; i++)
                sum = sum * 3 + slot[i];
        }
        end();
    }
    if (rank == 0)
        out[blockIdx.x / 8 * 32 + threadIdx.x] = sum + threadIdx.x;
}

template <class T, class Op> static void try_gather(const char *name, Op op)
{
    T *out;
    cudaMalloc(&out, 64 * sizeof(T));
    gather<T><<<8, 32>>>(op, out);
    show(name, out, 64 * sizeof(T) / 4);
    cudaFree(out);
}

int main()
{
    const int n = 1 << 13;
    std::vector<int> host(n);
    for (int i = 0; i < n; i++)
        host[i] = i * 48271u % 65537;
    int *in, *out;
    cudaMalloc(&in, n * sizeof *in);
    cudaMalloc(&out, n * sizeof *out);
    cudaMemcpy(in, host.data(), n * sizeof *in, cudaMemcpyHostToDevice);
    ring<<<8, 128>>>(out, 7);
    show("ring", out, 8 * 128);
    try_gather<uint32_t>("add u32", ptx::op_add);
    try_gather<int32_t>("add s32", ptx::op_add);
    try_gather<uint64_t>("add u64", ptx::op_add);
    try_gather<uint32_t>("min u32", ptx::op_min);
    try_gather<uint32_t>("max u32", ptx::op_max);
    try_gather<int32_t>("min s32", ptx::op_min);
    try_gather<int32_t>("max s32", ptx::op_max);
    try_gather<uint32_t>("and", ptx::op_and_op);
    try_gather<uint32_t>("or", ptx::op_or_op);
    try_gather<uint32_t>("xor", ptx::op_xor_op);
    try_gather<uint32_t>("inc", ptx::op_inc);
    multicast<<<8, 256>>>(in, out);
    show("multicast", out, 8 * 256);
    exchange<<<4, 128>>>(out);
    show("exchange", out, 4 * 512);
    remote_arrivals<<<16, 32>>>(out, 5);
    show("remote_arrivals", out, 64);
    return 0;
}
