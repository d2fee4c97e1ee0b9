/* Copies by the bulk copy engine against loads and stores, by tile and by stages in flight; and
 * what another block's shared memory in the cluster costs. */
#include "record.h"

#include <cooperative_groups.h>
#include <cstdint>

namespace cg = cooperative_groups;

__device__ inline uint32_t address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

__device__ inline void wait(uint32_t bar, uint32_t parity)
{
    uint32_t done;
    do {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; "
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(bar), "r"(parity)
                     : "memory");
    } while (!done);
}

/* One tile a block: in by a bulk copy, out by another. */
__global__ void bulk_tile(float *out, const float *in, int tile)
{
    extern __shared__ __align__(128) float memory[];
    __shared__ uint64_t bar;
    const uint32_t bytes = tile * sizeof(float), b = address(&bar);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(b));
        asm volatile("fence.mbarrier_init.release.cluster;");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"(bytes));
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%0], [%1], %2, [%3];" ::"r"(address(memory)),
                     "l"(in + (size_t)blockIdx.x * tile), "r"(bytes), "r"(b));
        wait(b, 0);
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                         out + (size_t)blockIdx.x * tile),
                     "r"(address(memory)), "r"(bytes));
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
}

/* Blocks that stay: STAGES tiles in flight, summed by all threads. */
__global__ void bulk_read(float *out, const float *in, int tile, int stages, int tiles)
{
    extern __shared__ __align__(128) float memory[];
    __shared__ uint64_t bar[8];
    const uint32_t bytes = tile * sizeof(float);
    if (threadIdx.x == 0) {
        for (int s = 0; s < stages; s++)
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(address(&bar[s])));
        asm volatile("fence.mbarrier_init.release.cluster;");
    }
    __syncthreads();
    auto fetch = [&](int k) {
        const uint32_t b = address(&bar[k % stages]);
        if (threadIdx.x == 0 && blockIdx.x + k * gridDim.x < tiles) {
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b),
                         "r"(bytes));
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                         "[%0], [%1], %2, [%3];" ::"r"(address(memory + k % stages * tile)),
                         "l"(in + (size_t)(blockIdx.x + k * gridDim.x) * tile), "r"(bytes), "r"(b));
        }
    };
    for (int k = 0; k < stages; k++)
        fetch(k);
    float sum = 0;
    for (int k = 0; blockIdx.x + k * gridDim.x < tiles; k++) {
        wait(address(&bar[k % stages]), k / stages & 1);
        for (int i = threadIdx.x; i < tile; i += blockDim.x)
            sum += memory[k % stages * tile + i];
        __syncthreads();
        fetch(k + stages);
    }
    if (sum == 12345.0f)
        out[0] = sum;
}

/* TURNS loads of shared memory of the block with rank own + DISTANCE in the cluster. */
__global__ void cluster_read(float *out, int turns, int distance)
{
    __shared__ float memory[2048];
    cg::cluster_group cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < 2048; i += blockDim.x)
        memory[i] = i;
    cluster.sync();
    const float *from =
        cluster.map_shared_rank(memory, (cluster.block_rank() + distance) % cluster.num_blocks());
    float sum = 0;
    for (int k = 0; k < turns; k++)
        sum += from[(threadIdx.x + 32 * k) % 2048];
    cluster.sync();
    if (sum == 12345.0f)
        out[0] = sum;
}

/* TURNS barriers of the cluster. */
__global__ void cluster_barriers(float *out, int turns)
{
    cg::cluster_group cluster = cg::this_cluster();
    for (int k = 0; k < turns; k++)
        cluster.sync();
    if (turns < 0)
        out[0] = 1;
}

template <class... P, class... A>
static void launch(int cluster, unsigned grid, unsigned block, void (*kernel)(P...), A... args)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute[1] = {};
    config.gridDim = dim3(grid);
    config.blockDim = dim3(block);
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = cluster;
    attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
    config.attrs = attribute;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, kernel, args...));
}

int main()
{
    const size_t most = (size_t)1 << (timings().log2_most < 26 ? timings().log2_most : 26);
    device_array<float> in(most), out(most);
    CHECK(cudaFuncSetAttribute(bulk_tile, cudaFuncAttributeMaxDynamicSharedMemorySize, 128 << 10));
    CHECK(cudaFuncSetAttribute(bulk_read, cudaFuncAttributeMaxDynamicSharedMemorySize, 128 << 10));
    for (int log2 : {20, 22, 24, 26}) {
        const size_t n = (size_t)1 << log2;
        if (n > most)
            continue;
        for (int tile : {256, 1024, 4096, 16384}) {
            char name[64];
            snprintf(name, sizeof name, "bulk_tile/%d", tile);
            measure(name, -1, n, 8.0 * n, [&] {
                bulk_tile<<<(unsigned)(n / tile), 32, tile * sizeof(float)>>>(out.p, in.p, tile);
            });
        }
        for (int stages : {1, 2, 4, 8}) {
            char name[64];
            const int tile = 2048;
            snprintf(name, sizeof name, "bulk_read/%d", stages);
            measure(name, -1, n, 4.0 * n, [&] {
                bulk_read<<<264, 256, stages * tile * sizeof(float)>>>(out.p, in.p, tile, stages,
                                                                       (int)(n / tile));
            });
        }
    }
    for (int cluster : {2, 4, 8}) {
        char name[64];
        for (int distance : {0, 1}) {
            snprintf(name, sizeof name, "cluster_read/%d/%s", cluster, distance ? "next" : "own");
            measure(name, -1, 1024, 0,
                    [&] { launch(cluster, 264, 256, cluster_read, out.p, 1024, distance); });
        }
        snprintf(name, sizeof name, "cluster_barriers/%d", cluster);
        measure(name, -1, 256, 0, [&] { launch(cluster, 264, 256, cluster_barriers, out.p, 256); });
    }
    return 0;
}
