/* Thread block clusters and bulk copies: what the runtime says of launches that cannot be, of
 * kernels that misuse them, and how many clusters fit. Lines "name<TAB>code", sections in processes
 * of their own, as say.h says. */
#include "say.h"

#include <cooperative_groups.h>
#include <cstdint>
#include <string>

namespace cg = cooperative_groups;

__global__ void nothing(int *p)
{
    if (p)
        *p = 1;
}
__global__ void __launch_bounds__(1024) dynamic(int *p)
{
    extern __shared__ int memory[];
    if (p)
        *p = memory[threadIdx.x];
}
__global__ void __cluster_dims__(2, 1, 1) pairs(int *p)
{
    cg::this_cluster().sync();
    if (p)
        *p = 1;
}
__global__ void __cluster_dims__(16, 1, 1) sixteen(int *p)
{
    cg::this_cluster().sync();
    if (p)
        *p = 1;
}

static cudaLaunchAttribute attribute[3];
static cudaLaunchConfig_t shaped(dim3 cluster, dim3 grid, dim3 block, size_t shared = 0)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared;
    memset(attribute, 0, sizeof attribute);
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = cluster.x;
    attribute[0].val.clusterDim.y = cluster.y;
    attribute[0].val.clusterDim.z = cluster.z;
    config.attrs = attribute;
    config.numAttrs = 1;
    return config;
}

#define LAUNCH(name, kernel, ...)                                     \
    do {                                                              \
        cudaLaunchConfig_t config_ = shaped(__VA_ARGS__);             \
        SAY(name, cudaLaunchKernelEx(&config_, kernel, (int *)NULL)); \
        SAY(name " then synchronize", cudaDeviceSynchronize());       \
    } while (0)

static void launches()
{
    LAUNCH("cluster of 1", nothing, dim3(1), dim3(4), dim3(32));
    LAUNCH("cluster of 2", nothing, dim3(2), dim3(4), dim3(32));
    LAUNCH("cluster of 2, odd grid", nothing, dim3(2), dim3(5), dim3(32));
    LAUNCH("cluster of 3", nothing, dim3(3), dim3(9), dim3(32));
    LAUNCH("cluster of 8", nothing, dim3(8), dim3(16), dim3(32));
    LAUNCH("cluster of 2 x 2 x 2", nothing, dim3(2, 2, 2), dim3(2, 4, 6), dim3(32));
    LAUNCH("cluster of 2 x 2, grid 4 x 3", nothing, dim3(2, 2), dim3(4, 3), dim3(32));
    LAUNCH("cluster of 9", nothing, dim3(9), dim3(18), dim3(32));
    LAUNCH("cluster of 16", nothing, dim3(16), dim3(32), dim3(32));
    LAUNCH("cluster of 17", nothing, dim3(17), dim3(34), dim3(32));
    LAUNCH("cluster of 32", nothing, dim3(32), dim3(32), dim3(32));
    LAUNCH("cluster of 0", nothing, dim3(0, 1, 1), dim3(4), dim3(32));
    LAUNCH("cluster of 0 x 0 x 0", nothing, dim3(0, 0, 0), dim3(4), dim3(32));
    LAUNCH("cluster larger than the grid", nothing, dim3(4), dim3(2), dim3(32));
    LAUNCH("cluster of 8 with 1024 threads", nothing, dim3(8), dim3(8), dim3(1024));
    LAUNCH("pairs as they want", pairs, dim3(2), dim3(4), dim3(32));
    LAUNCH("pairs as 4", pairs, dim3(4), dim3(4), dim3(32));
    LAUNCH("pairs as 1", pairs, dim3(1), dim3(4), dim3(32));
    pairs<<<4, 32>>>(NULL);
    SAY("pairs by <<<>>>", cudaGetLastError());
    pairs<<<5, 32>>>(NULL);
    SAY("pairs by <<<>>>, odd grid", cudaGetLastError());
    SAY("pairs then synchronize", cudaDeviceSynchronize());
    sixteen<<<16, 32>>>(NULL);
    SAY("sixteen by <<<>>>", cudaGetLastError());
    SAY("sixteen, allowed",
        cudaFuncSetAttribute(sixteen, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    sixteen<<<16, 32>>>(NULL);
    SAY("sixteen by <<<>>>, allowed", cudaGetLastError());
    SAY("sixteen then synchronize", cudaDeviceSynchronize());
    SAY("nothing, larger allowed",
        cudaFuncSetAttribute(nothing, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    LAUNCH("cluster of 9, allowed", nothing, dim3(9), dim3(18), dim3(32));
    LAUNCH("cluster of 16, allowed", nothing, dim3(16), dim3(32), dim3(32));
    LAUNCH("cluster of 17, allowed", nothing, dim3(17), dim3(34), dim3(32));
    void *args[] = {NULL};
    int *null = NULL;
    args[0] = &null;
    SAY("cooperative launch of pairs",
        cudaLaunchCooperativeKernel((const void *)pairs, dim3(4), dim3(32), args, 0, 0));
    SAY("cooperative launch then synchronize", cudaDeviceSynchronize());
    cudaLaunchConfig_t config = shaped(dim3(2), dim3(4), dim3(32));
    attribute[1].id = cudaLaunchAttributeClusterSchedulingPolicyPreference;
    attribute[1].val.clusterSchedulingPolicyPreference = cudaClusterSchedulingPolicySpread;
    config.numAttrs = 2;
    SAY("cluster with a policy", cudaLaunchKernelEx(&config, nothing, null));
    attribute[1].id = cudaLaunchAttributeCooperative;
    attribute[1].val.cooperative = 1;
    SAY("cooperative clusters", cudaLaunchKernelEx(&config, nothing, null));
    SAY("synchronize", cudaDeviceSynchronize());
}

static void attributes()
{
    cudaFuncAttributes a;
    static const struct {
        const char *name;
        const void *kernel;
    } kernels[] = {{"nothing", (const void *)nothing},
                   {"pairs", (const void *)pairs},
                   {"sixteen", (const void *)sixteen}};
    for (auto &k : kernels) {
        const std::string name = std::string("attributes of ") + k.name;
        SAY(name.c_str(), cudaFuncGetAttributes(&a, k.kernel));
        SHOW((name + " are").c_str(), "%d %d %d %d %d %d", a.clusterDimMustBeSet,
             a.requiredClusterWidth, a.requiredClusterHeight, a.requiredClusterDepth,
             a.clusterSchedulingPolicyPreference, a.nonPortableClusterSizeAllowed);
    }
    SAY("width", cudaFuncSetAttribute(nothing, cudaFuncAttributeRequiredClusterWidth, 2));
    SAY("height", cudaFuncSetAttribute(nothing, cudaFuncAttributeRequiredClusterHeight, 1));
    SAY("depth", cudaFuncSetAttribute(nothing, cudaFuncAttributeRequiredClusterDepth, 1));
    SAY("must be set", cudaFuncSetAttribute(nothing, cudaFuncAttributeClusterDimMustBeSet, 1));
    SAY("policy",
        cudaFuncSetAttribute(nothing, cudaFuncAttributeClusterSchedulingPolicyPreference, 1));
    SAY("policy 9",
        cudaFuncSetAttribute(nothing, cudaFuncAttributeClusterSchedulingPolicyPreference, 9));
    SAY("non-portable", cudaFuncSetAttribute(nothing,
                                             cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    SAY("non-portable 2", cudaFuncSetAttribute(
                              nothing, cudaFuncAttributeNonPortableClusterSizeAllowed, 2));
    SAY("width -1", cudaFuncSetAttribute(nothing, cudaFuncAttributeRequiredClusterWidth, -1));
    SAY("width of pairs", cudaFuncSetAttribute(pairs, cudaFuncAttributeRequiredClusterWidth, 4));
    SAY("attributes after", cudaFuncGetAttributes(&a, nothing));
    SHOW("attributes after are", "%d %d %d %d %d %d", a.clusterDimMustBeSet, a.requiredClusterWidth,
         a.requiredClusterHeight, a.requiredClusterDepth, a.clusterSchedulingPolicyPreference,
         a.nonPortableClusterSizeAllowed);
    nothing<<<4, 32>>>(NULL);
    SAY("launch of a required width", cudaGetLastError());
    nothing<<<5, 32>>>(NULL);
    SAY("launch of a required width, odd grid", cudaGetLastError());
    LAUNCH("launch of a required width as 4", nothing, dim3(4), dim3(4), dim3(32));
    int value = -1;
    SAY("cluster launch attribute", cudaDeviceGetAttribute(&value, cudaDevAttrClusterLaunch, 0));
    SHOW("cluster launch attribute is", "%d", value);
}

static void occupancy()
{
    int most = (227 << 10);
    SAY("much shared memory",
        cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
    static const int sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16};
    static const int threads[] = {32, 256, 1024};
    static const int shared[] = {0, 48 << 10, 100 << 10, 227 << 10};
    for (int allowed = 0; allowed < 2; allowed++) {
        if (allowed) {
            SAY("allow more",
                cudaFuncSetAttribute(dynamic, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
        }
        for (int t : threads) {
            for (int s : shared) {
                std::string line, size;
                for (int c : sizes) {
                    cudaLaunchConfig_t config = shaped(dim3(c), dim3(c * 64), dim3(t), s);
                    int clusters = -1;
                    cudaError_t e = cudaOccupancyMaxActiveClusters(&clusters, dynamic, &config);
                    cudaGetLastError();
                    line += (e ? std::string(cudaGetErrorName(e)) : std::to_string(clusters)) + " ";
                }
                cudaLaunchConfig_t config = shaped(dim3(1), dim3(64), dim3(t), s);
                int largest = -1;
                config.numAttrs = 0;
                cudaError_t e = cudaOccupancyMaxPotentialClusterSize(&largest, dynamic, &config);
                cudaGetLastError();
                char name[80];
                snprintf(name, sizeof name, "clusters%s, %d threads, %d KiB", allowed ? " allowed" : "",
                         t, s >> 10);
                SHOW(name, "%s", line.c_str());
                SHOW((std::string(name) + ", largest").c_str(), "%s %d", cudaGetErrorName(e),
                     largest);
            }
        }
    }
    cudaLaunchConfig_t config = shaped(dim3(2), dim3(4), dim3(32));
    int n = -1;
    SAY("clusters of null", cudaOccupancyMaxActiveClusters(NULL, nothing, &config));
    config.gridDim = dim3(5);
    SAY("clusters of an odd grid", cudaOccupancyMaxActiveClusters(&n, nothing, &config));
    SHOW("clusters of an odd grid are", "%d", n);
    config = shaped(dim3(1), dim3(4), dim3(32));
    config.numAttrs = 0;
    SAY("clusters of pairs", cudaOccupancyMaxActiveClusters(&n, pairs, &config));
    SHOW("clusters of pairs are", "%d", n);
    SAY("largest of pairs", cudaOccupancyMaxPotentialClusterSize(&n, pairs, &config));
    SHOW("largest of pairs is", "%d", n);
    config = shaped(dim3(2), dim3(4), dim3(32));
    SAY("largest with a size", cudaOccupancyMaxPotentialClusterSize(&n, nothing, &config));
    SHOW("largest with a size is", "%d", n);
    SAY("largest of null", cudaOccupancyMaxPotentialClusterSize(NULL, nothing, &config));
    config.blockDim = dim3(2048);
    SAY("largest of too many threads", cudaOccupancyMaxPotentialClusterSize(&n, nothing, &config));
}

/* --- kernels that go wrong ----------------------------------------------------------------------
 */

enum { LOAD, STORE, ADD, INSIDE };

__global__ void bulk(char *global, int how, int to, int from, int size)
{
    __shared__ alignas(128) char memory[4096];
    __shared__ alignas(8) uint64_t bar[2];
    const uint32_t s = (uint32_t)__cvta_generic_to_shared(memory);
    const uint32_t b = (uint32_t)__cvta_generic_to_shared(bar);
    if (threadIdx.x)
        return;
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(b));
    asm volatile("fence.mbarrier_init.release.cluster; fence.proxy.async;");
    if (how == LOAD) {
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(b), "r"(size));
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%0], [%1], %2, [%3];" ::"r"(s + to),
                     "l"(global + from), "r"(size), "r"(b));
    } else if (how == INSIDE) {
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(b), "r"(size));
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
                     "[%0], [%1], %2, [%3];" ::"r"(s + to),
                     "r"(s + from), "r"(size), "r"(b));
    } else if (how == STORE) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(global + to),
                     "r"(s + from), "r"(size));
    } else {
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(
                         global + to),
                     "r"(s + from), "r"(size));
    }
    if (how == STORE || how == ADD) {
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;");
        return;
    }
    uint32_t done = 0;
    for (int k = 0; !done && k < 1000; k++)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; "
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(b)
                     : "memory");
    global[0] = (char)(done + 1);
}

__global__ void in_cluster(int *out)
{
    __shared__ alignas(128) int memory[64];
    __shared__ alignas(8) uint64_t bar;
    const uint32_t s = (uint32_t)__cvta_generic_to_shared(memory);
    const uint32_t b = (uint32_t)__cvta_generic_to_shared(&bar);
    memory[threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(b));
    asm volatile("fence.proxy.async;");
    __syncthreads();
    uint32_t done = 0;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 64;" ::"r"(b));
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
                     "[%0], [%1], 64, [%2];" ::"r"(s + 128),
                     "r"(s), "r"(b));
        for (int k = 0; !done && k < 1000; k++)
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; "
                         "selp.u32 %0, 1, 0, p; }"
                         : "=r"(done)
                         : "r"(b)
                         : "memory");
        out[blockIdx.x] = memory[40] + 100 * done;
    }
}

static void inside(int cluster)
{
    int *d, seen[2] = {-1, -1};
    cudaMalloc(&d, 8);
    cudaLaunchConfig_t config = shaped(dim3(cluster), dim3(cluster ? cluster : 1), dim3(32));
    char name[80];
    snprintf(name, sizeof name, "copy inside a block, clusters of %d", cluster);
    SAY(name, cudaLaunchKernelEx(&config, in_cluster, d));
    SAY((std::string(name) + " then synchronize").c_str(), cudaDeviceSynchronize());
    cudaMemcpy(seen, d, cluster == 2 ? 8 : 4, cudaMemcpyDeviceToHost);
    SHOW((std::string(name) + " gives").c_str(), "%d %d", seen[0], seen[1]);
}
static void inside_clusters_of_1()
{
    inside(1);
}
static void inside_clusters_of_2()
{
    inside(2);
}

#define BULK(name, how, to, from, size)                                                    \
    static void bulk_##name()                                                              \
    {                                                                                      \
        char *d, seen = 0;                                                                 \
        cudaMalloc(&d, 1 << 20);                                                           \
        bulk<<<1, 32>>>(d, how, to, from, size);                                           \
        SAY("bulk " #name, cudaDeviceSynchronize());                                       \
        cudaMemcpy(&seen, d, 1, cudaMemcpyDeviceToHost);                                   \
        if (how == LOAD || how == INSIDE)                                                  \
            SHOW("bulk " #name " waited", "%s", seen == 2 ? "well" : seen ? "in vain" : "-"); \
    }
BULK(load, LOAD, 0, 0, 256)
BULK(load_16, LOAD, 16, 16, 16)
BULK(load_nothing, LOAD, 0, 0, 0)
BULK(load_size_8, LOAD, 0, 0, 8)
BULK(load_size_24, LOAD, 0, 0, 24)
BULK(load_to_8, LOAD, 8, 0, 64)
BULK(load_from_8, LOAD, 0, 8, 64)
BULK(load_past_shared, LOAD, 0, 0, 1 << 19)
BULK(load_past_global, LOAD, 0, (1 << 30), 64)
BULK(load_before_global, LOAD, 0, -(1 << 30), 64)
BULK(inside, INSIDE, 0, 1024, 256)
BULK(inside_to_8, INSIDE, 8, 1024, 64)
BULK(inside_from_8, INSIDE, 0, 1032, 64)
BULK(inside_size_8, INSIDE, 0, 1024, 8)
BULK(store, STORE, 0, 0, 256)
BULK(store_nothing, STORE, 0, 0, 0)
BULK(store_size_8, STORE, 0, 0, 8)
BULK(store_to_8, STORE, 8, 0, 64)
BULK(store_from_8, STORE, 0, 8, 64)
BULK(store_past_global, STORE, (1 << 30), 0, 64)
BULK(add_size_4, ADD, 0, 0, 4)
BULK(add_to_4, ADD, 4, 0, 64)
BULK(add_past_global, ADD, (1 << 30), 0, 64)

__global__ void barrier_misuse(int *out, int how)
{
    __shared__ alignas(16) uint64_t bar[2];
    const uint32_t b = (uint32_t)__cvta_generic_to_shared(bar);
    uint32_t done = 7;
    if (threadIdx.x)
        return;
    if (how == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(b + 4));
    else if (how == 1)
        asm volatile("mbarrier.init.shared.b64 [%0], 0;" ::"r"(b));
    else if (how == 2)
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(b), "r"(1 << 20));
    else
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(b));
    if (how == 3)
        asm volatile("mbarrier.expect_tx.relaxed.cta.shared.b64 [%0], %1;" ::"r"(b), "r"(1 << 20));
    if (how == 4)
        for (int k = 0; k < 3; k++)
            asm volatile("mbarrier.expect_tx.relaxed.cta.shared.b64 [%0], %1;" ::"r"(b),
                         "r"((1 << 20) - 1));
    if (how == 5)
        asm volatile("{ .reg .b64 s; mbarrier.arrive.shared::cta.b64 s, [%0], 2; }" ::"r"(b));
    if (how == 6)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 1; "
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(b));
    if (how == 7)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0, 100; "
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(b));
    if (how == 8)
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 16;" ::"r"(b + 8));
    out[0] = (int)done;
}

#define MISUSE(name, how)                                         \
    static void barrier_##name()                                  \
    {                                                             \
        int *d, seen = -1;                                        \
        cudaMalloc(&d, 4);                                        \
        barrier_misuse<<<1, 32>>>(d, how);                        \
        SAY("barrier " #name, cudaDeviceSynchronize());           \
        cudaMemcpy(&seen, d, 4, cudaMemcpyDeviceToHost);          \
        SHOW("barrier " #name " gives", "%d", seen);              \
    }
MISUSE(misaligned, 0)
MISUSE(for_nobody, 1)
MISUSE(for_too_many, 2)
MISUSE(too_many_bytes, 3)
MISUSE(too_many_bytes_in_all, 4)
MISUSE(too_many_arrivals, 5)
MISUSE(phase_before_the_first, 6)
MISUSE(waits_in_vain, 7)
MISUSE(not_made, 8)

__global__ void __cluster_dims__(2, 1, 1) across(int *out, int how)
{
    __shared__ int word[64];
    cg::cluster_group cluster = cg::this_cluster();
    word[threadIdx.x] = threadIdx.x;
    cluster.sync();
    int *theirs;
    if (how == 0 && cluster.block_rank() == 1)
        return; // the other one reads what is gone
    if (how == 0)
        __nanosleep(1000000);
    if (how == 1)
        asm volatile("mapa.u64 %0, %1, 5;" : "=l"(theirs) : "l"(word));
    else
        theirs = cluster.map_shared_rank(word, 1);
    if (how == 2)
        theirs += 1 << 20;
    if (how == 3)
        theirs = (int *)((char *)theirs + 2);
    out[threadIdx.x] = *(volatile int *)(theirs + threadIdx.x);
    cluster.sync();
}
#define ACROSS(name, how)                                         \
    static void across_##name()                                   \
    {                                                             \
        int *d;                                                   \
        cudaMalloc(&d, 4096);                                     \
        across<<<2, 32>>>(d, how);                                \
        SAY("across " #name, cudaDeviceSynchronize());            \
    }
ACROSS(gone, 0)
ACROSS(no_such_rank, 1)
ACROSS(past_the_end, 2)
ACROSS(misaligned, 3)

#define IN(name) {#name, name}
int main(int argc, char **argv)
{
    static const section all[] = {IN(launches),
                                  IN(attributes),
                                  IN(occupancy),
                                  IN(bulk_load),
                                  IN(bulk_load_16),
                                  IN(bulk_load_nothing),
                                  IN(bulk_load_size_8),
                                  IN(bulk_load_size_24),
                                  IN(bulk_load_to_8),
                                  IN(bulk_load_from_8),
                                  IN(bulk_load_past_shared),
                                  IN(bulk_load_past_global),
                                  IN(bulk_load_before_global),
                                  IN(bulk_inside),
                                  IN(inside_clusters_of_1),
                                  IN(inside_clusters_of_2),
                                  IN(bulk_inside_to_8),
                                  IN(bulk_inside_from_8),
                                  IN(bulk_inside_size_8),
                                  IN(bulk_store),
                                  IN(bulk_store_nothing),
                                  IN(bulk_store_size_8),
                                  IN(bulk_store_to_8),
                                  IN(bulk_store_from_8),
                                  IN(bulk_store_past_global),
                                  IN(bulk_add_size_4),
                                  IN(bulk_add_to_4),
                                  IN(bulk_add_past_global),
                                  IN(barrier_misaligned),
                                  IN(barrier_for_nobody),
                                  IN(barrier_for_too_many),
                                  IN(barrier_too_many_bytes),
                                  IN(barrier_too_many_bytes_in_all),
                                  IN(barrier_too_many_arrivals),
                                  IN(barrier_phase_before_the_first),
                                  IN(barrier_waits_in_vain),
                                  IN(barrier_not_made),
                                  IN(across_gone),
                                  IN(across_no_such_rank),
                                  IN(across_past_the_end),
                                  IN(across_misaligned)};
    return run_sections(all, sizeof all / sizeof all[0], argc, argv);
}
