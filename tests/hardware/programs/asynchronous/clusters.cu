// Thread block clusters: blocks that run together and reach each other's shared memory. The
// histogram is the Programming Guide's.
#include "show_words.h"

#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

namespace cg = cooperative_groups;

__global__ void histogram(int *bins, const int nbins, const int bins_per_block,
                          const int *__restrict__ input, size_t size)
{
    extern __shared__ int smem[];
    int tid = cg::this_grid().thread_rank();
    cg::cluster_group cluster = cg::this_cluster();
    unsigned int rank = cluster.block_rank();
    int cluster_size = cluster.dim_blocks().x;
    for (int i = threadIdx.x; i < bins_per_block; i += blockDim.x)
        smem[i] = 0;
    cluster.sync(); // all blocks run, and have zeros
    for (int i = tid; i < (int)size; i += blockDim.x * gridDim.x) {
        int bin = input[i] < 0 ? 0 : input[i] >= nbins ? nbins - 1 : input[i];
        int *theirs = cluster.map_shared_rank(smem, bin / bins_per_block);
        atomicAdd(theirs + bin % bins_per_block, 1);
    }
    cluster.sync(); // nobody leaves while others count in its memory
    int *mine = bins + cluster.block_rank() * bins_per_block;
    for (int i = threadIdx.x; i < bins_per_block; i += blockDim.x)
        atomicAdd(&mine[i], smem[i]);
    (void)cluster_size, (void)rank;
}

// A stencil whose halo comes from the neighbours' shared memory rather than from global memory.
constexpr int WIDTH = 256, RADIUS = 3;

__global__ void __cluster_dims__(4, 1, 1) stencil(const float *in, float *out, int n, int steps)
{
    __shared__ float row[2][WIDTH];
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank(), blocks = cluster.num_blocks();
    const int i = blockIdx.x * WIDTH + threadIdx.x, t = threadIdx.x;
    row[0][t] = i < n ? in[i] : 0;
    for (int s = 0; s < steps; s++) {
        cluster.sync();
        const float *left = rank > 0 ? cluster.map_shared_rank(row[s % 2], rank - 1) : nullptr;
        const float *right =
            rank + 1 < blocks ? cluster.map_shared_rank(row[s % 2], rank + 1) : nullptr;
        float sum = 0;
        for (int d = -RADIUS; d <= RADIUS; d++) {
            int at = t + d;
            float v = at < 0        ? left ? left[at + WIDTH] : 0
                      : at >= WIDTH ? right ? right[at - WIDTH] : 0
                                    : row[s % 2][at];
            sum += v * (1.0f / (2 * RADIUS + 1));
        }
        row[(s + 1) % 2][t] = sum;
    }
    cluster.sync();
    if (i < n)
        out[i] = row[steps % 2][t];
}

// Who am I, in three dimensions.
__global__ void names(int *out)
{
    cg::cluster_group cluster = cg::this_cluster();
    dim3 block = cluster.block_index(), blocks = cluster.dim_blocks();
    dim3 thread = cluster.thread_index(), threads = cluster.dim_threads();
    uint32_t id[3], ids[3], explicit_cluster;
    asm("mov.u32 %0, %%clusterid.x;" : "=r"(id[0]));
    asm("mov.u32 %0, %%clusterid.y;" : "=r"(id[1]));
    asm("mov.u32 %0, %%clusterid.z;" : "=r"(id[2]));
    asm("mov.u32 %0, %%nclusterid.x;" : "=r"(ids[0]));
    asm("mov.u32 %0, %%nclusterid.y;" : "=r"(ids[1]));
    asm("mov.u32 %0, %%nclusterid.z;" : "=r"(ids[2]));
    asm("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }"
        : "=r"(explicit_cluster));
    if (threadIdx.x == 1 && threadIdx.y == 0 && threadIdx.z == 0) {
        const int linear = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
        int *o = out + 24 * linear;
        const int all[24] = {(int)block.x,   (int)block.y,   (int)block.z,   (int)blocks.x,
                             (int)blocks.y,  (int)blocks.z,  (int)id[0],     (int)id[1],
                             (int)id[2],     (int)ids[0],    (int)ids[1],    (int)ids[2],
                             (int)thread.x,  (int)thread.y,  (int)thread.z,  (int)threads.x,
                             (int)threads.y, (int)threads.z, (int)cluster.block_rank(),
                             (int)cluster.num_blocks(),      (int)cluster.thread_rank(),
                             (int)cluster.num_threads(),     (int)explicit_cluster,
                             (int)(gridDim.x * gridDim.y * gridDim.z)};
        memcpy(o, all, sizeof all);
    }
}

// Loads, stores and atomics of several widths in another block's memory, by both kinds of address.
__global__ void __cluster_dims__(2, 2, 1) neighbours(unsigned long long *out)
{
    __shared__ unsigned long long word[64];
    __shared__ alignas(16) uint4 quad[32];
    __shared__ unsigned char byte[64];
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank(), next = (rank + 1) % cluster.num_blocks();
    const int t = threadIdx.x;
    word[t] = 1000 * rank + t;
    byte[t] = (unsigned char)(rank * 50 + t);
    if (t < 32)
        quad[t] = make_uint4(t, rank, t * rank, 7);
    cluster.sync();
    unsigned long long sum = cluster.map_shared_rank(word, next)[63 - t];
    uint4 q = cluster.map_shared_rank(quad, next)[t / 2];
    sum = sum * 31 + q.x + 3 * q.y + 5 * q.z + q.w;
    sum = sum * 31 + cluster.map_shared_rank(byte, (rank + 3) % 4)[t ^ 5];
    uint32_t own = (uint32_t)__cvta_generic_to_shared(&word[t]), theirs, back, value;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(theirs) : "r"(own), "r"(next));
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(back) : "r"(theirs));
    asm volatile("ld.shared::cluster.u32 %0, [%1+4];" : "=r"(value) : "r"(theirs));
    sum = sum * 31 + back * 8 + value + cluster.query_shared_rank(cluster.map_shared_rank(word, next));
    // A pointer to one's own memory is good in every block.
    __shared__ unsigned long long *mail[1];
    if (t == 0)
        *cluster.map_shared_rank(mail, next) = &word[5];
    cluster.sync();
    sum = sum * 31 + *mail[0];
    sum = sum * 31 + (cluster.map_shared_rank(word, rank) == word);
    cluster.sync();
    atomicAdd(cluster.map_shared_rank(&word[t % 8], next), (unsigned long long)t);
    atomicMax(cluster.map_shared_rank((int *)&quad[31].x, next), t);
    if (t == 9)
        *cluster.map_shared_rank(&byte[3], next) = (unsigned char)(77 + rank);
    auto token = cluster.barrier_arrive();
    sum = sum * 31 + word[32];
    cluster.barrier_wait(std::move(token));
    sum = sum * 31 + word[t % 8] + quad[31].x + byte[3];
    out[(blockIdx.x + gridDim.x * blockIdx.y) * blockDim.x + t] = sum;
}

// Blocks of a cluster at different times: sums travel from rank to rank.
__global__ void relay(int *out, int rounds)
{
    __shared__ int total;
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank(), blocks = cluster.num_blocks();
    if (threadIdx.x == 0)
        total = rank;
    cluster.sync();
    for (int k = 0; k < rounds; k++) {
        for (unsigned turn = 0; turn < blocks; turn++) {
            if (rank == turn && threadIdx.x == 0) {
                int *next = cluster.map_shared_rank(&total, (rank + 1) % blocks);
                *next = *next * 3 + total;
            }
            cluster.sync();
        }
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = total;
    cluster.sync();
}

template <class... P, class... A>
static cudaError_t launch(dim3 cluster, dim3 grid, dim3 block, size_t shared, void (*kernel)(P...),
                          A... args)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute[1] = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared;
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = cluster.x;
    attribute[0].val.clusterDim.y = cluster.y;
    attribute[0].val.clusterDim.z = cluster.z;
    config.attrs = attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, kernel, args...);
}

int main()
{
    const int n = 40000, nbins = 1000;
    int *in, *out;
    cudaMalloc(&in, n * sizeof *in);
    cudaMalloc(&out, n * sizeof *out);
    std::vector<int> host(n);
    for (int i = 0; i < n; i++)
        host[i] = (int)(i * 48271u % 65537 % 1100) - 20;
    cudaMemcpy(in, host.data(), n * sizeof *in, cudaMemcpyHostToDevice);
    for (int size = 1; size <= 8; size *= 2) {
        const int each = (nbins + size - 1) / size;
        cudaMemset(out, 0, n * sizeof *out);
        cudaError_t e = launch(dim3(size), dim3(16), dim3(128), each * sizeof(int), histogram, out,
                               nbins, each, (const int *)in, (size_t)n);
        printf("clusters of %d: %s\n", size, cudaGetErrorName(e));
        show("histogram", out, nbins);
    }
    std::vector<float> values(n);
    for (int i = 0; i < n; i++)
        values[i] = (float)(i * 48271u % 1021) * 0.01f;
    cudaMemcpy(in, values.data(), n * sizeof *in, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, n * sizeof *out);
    stencil<<<12, WIDTH>>>((const float *)in, (float *)out, 12 * WIDTH - 100, 9);
    show("stencil", out, 12 * WIDTH);

    const dim3 shapes[][2] = {{dim3(1), dim3(6, 4, 2)},
                              {dim3(2), dim3(6, 4, 2)},
                              {dim3(3, 2), dim3(6, 4, 2)},
                              {dim3(2, 2, 2), dim3(4, 4, 4)},
                              {dim3(1, 4, 2), dim3(3, 8, 2)}};
    for (auto &s : shapes) {
        cudaMemset(out, 0, n * sizeof *out);
        cudaError_t e = launch(s[0], s[1], dim3(4, 2, 2), 0, names, out);
        const int blocks = s[1].x * s[1].y * s[1].z;
        printf("%u x %u x %u: %s\n", s[0].x, s[0].y, s[0].z, cudaGetErrorName(e));
        show("names", out, 24 * blocks);
        std::vector<int> all = fetch(out, 24 * blocks);
        for (int i = 0; i < 24; i++)
            printf("%d%c", all[24 * (blocks - 2) + i], i == 23 ? '\n' : ' ');
    }
    names<<<5, 32>>>(out);
    show("names of none", out, 24 * 5);
    neighbours<<<dim3(4, 2), 64>>>((unsigned long long *)out);
    show("neighbours", out, 2 * 8 * 64);
    for (int size : {2, 5, 8}) {
        launch(dim3(size), dim3(3 * size), dim3(96), 0, relay, out, 4);
        show("relay", out, 3 * size);
    }
    return 0;
}
