/* Thread block clusters on the host side (Runtime API, "Execution Control" and "Occupancy";
 * Programming Guide, "Thread Block Clusters"): which shapes may be launched, and how many clusters
 * fit on the device. */
#include "cluster.h"
#include "../../launch/launch.h"
#include "../../sm/cluster.h"
#include "../checks/checks.h"
#include "../core/state.h"
#include "launch.h"

/* Blocks in the largest cluster that every kernel may use; a kernel with
 * cudaFuncAttributeNonPortableClusterSizeAllowed, SM_MAX_CLUSTER_BLOCKS. */
enum { MAX_PORTABLE_CLUSTER_BLOCKS = 8 };

/* Maximum number of blocks of clusters that are resident on one SM. */
enum { CLUSTER_BLOCKS_PER_SM = 8 };

static uint64_t blocks_per_cluster(dim3 shape)
{
    return (uint64_t)shape.x * shape.y * shape.z;
}

static bool is_same_shape(dim3 a, dim3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* The cluster shape that the kernel's PTX or attributes require; 0 throughout if none. */
static dim3 required_cluster_shape(const rt_kernel *k)
{
    const uint32_t *text = k->func->cluster;
    if (text[0])
        return (dim3){text[0], text[1] ? text[1] : 1, text[2] ? text[2] : 1};
    if (k->cluster[0] || k->cluster[1] || k->cluster[2]) {
        const int *c = k->cluster;
        return (dim3){c[0] ? (unsigned)c[0] : 1, c[1] ? (unsigned)c[1] : 1,
                      c[2] ? (unsigned)c[2] : 1};
    }
    return (dim3){0, 0, 0};
}

cudaError_t rt_cluster_shape(const rt_kernel *k, dim3 grid, dim3 requested, dim3 *shape)
{
    const dim3 none = {0, 0, 0}, wants = required_cluster_shape(k);
    *shape = (dim3){1, 1, 1};
    if (is_same_shape(requested, none) && is_same_shape(wants, none))
        return cudaSuccess;
    if (!is_same_shape(requested, none) && !is_same_shape(wants, none) &&
        !is_same_shape(requested, wants)) {
        return rt_error_because(cudaErrorInvalidClusterSize,
                                "the launch requests clusters of %u x %u x %u blocks, and the "
                                "kernel those of %u x %u x %u",
                                requested.x, requested.y, requested.z, wants.x, wants.y, wants.z);
    }
    const dim3 c = is_same_shape(requested, none) ? wants : requested;
    const uint64_t most = k->cluster_large ? SM_MAX_CLUSTER_BLOCKS : MAX_PORTABLE_CLUSTER_BLOCKS;
    const uint32_t blocks[] = {grid.x, grid.y, grid.z}, size[] = {c.x, c.y, c.z};
    char why[300];
    if (!launch_is_cluster_possible(blocks, size, most, why, sizeof why))
        return rt_error_because(cudaErrorInvalidClusterSize, "%s", why);
    *shape = c;
    return cudaSuccess;
}

bool rt_is_clustered(const rt_kernel *k, dim3 requested)
{
    return requested.x || required_cluster_shape(k).x;
}

void rt_fill_cluster_attributes(const rt_kernel *k, struct cudaFuncAttributes *a)
{
    const dim3 wants = required_cluster_shape(k);
    a->clusterDimMustBeSet = k->func->cluster[0] != 0;
    a->requiredClusterWidth = (int)wants.x;
    a->requiredClusterHeight = (int)wants.y;
    a->requiredClusterDepth = (int)wants.z;
    a->clusterSchedulingPolicyPreference = (enum cudaClusterSchedulingPolicy)k->cluster_policy;
    a->nonPortableClusterSizeAllowed = k->cluster_large;
}

cudaError_t rt_cluster_set_attribute(rt_kernel *k, enum cudaFuncAttribute attr, int value)
{
    switch (attr) {
    case cudaFuncAttributeRequiredClusterWidth:
    case cudaFuncAttributeRequiredClusterHeight:
    case cudaFuncAttributeRequiredClusterDepth:
        if (value < 0 || k->func->cluster[0])
            return cudaErrorInvalidValue;
        k->cluster[attr - cudaFuncAttributeRequiredClusterWidth] = value;
        return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
        k->cluster_large = value;
        return cudaSuccess;
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
        if (value < 0 || value > cudaClusterSchedulingPolicyLoadBalancing)
            return cudaErrorInvalidValue;
        k->cluster_policy = value;
        return cudaSuccess;
    default: /* cudaFuncAttributeClusterDimMustBeSet is read-only */ return cudaErrorInvalidValue;
    }
}

/* --- occupancy of clusters -----------------------------------------------------------------------
 * All SMs of a cluster lie in one group of neighbouring SMs. The groups of an H200's 132 SMs were
 * derived from measured occupancies (tests/hardware/codes/launches/clusters.cu); they differ in
 * size because some SMs are switched off. For any other number of SMs, groups of 16 are assumed,
 * plus one for the remainder. */

static uint64_t clusters_resident_at_once(uint64_t sms, uint64_t blocks_per_sm, uint64_t cluster)
{
    static const struct group {
        uint32_t sms, count;
    } h200[] = {{18, 2}, {16, 5}, {8, 1}, {2, 4}};
    const uint64_t each =
        blocks_per_sm < CLUSTER_BLOCKS_PER_SM ? blocks_per_sm : CLUSTER_BLOCKS_PER_SM;
    const struct group other[] = {{16, (uint32_t)(sms / 16)}, {(uint32_t)(sms % 16), 1}};
    const bool known = sms == 132;
    const struct group *g = known ? h200 : other;
    uint64_t sum = 0;
    for (size_t k = 0; k < (known ? sizeof h200 : sizeof other) / sizeof *g; k++)
        sum += g[k].sms >= cluster ? g[k].count * (g[k].sms * each / cluster) : 0;
    return sum;
}

/* Take the lock, find and load the kernel, and read the cluster shape that CONFIG requests. */
static cudaError_t lock_and_load_kernel_of_clusters(const void *out, const void *function,
                                                    const cudaLaunchConfig_t *config, rt_kernel **k,
                                                    dim3 *requested)
{
    cudaError_t e = rt_lock();
    *k = function ? rt_find_kernel(function) : NULL;
    *requested = (dim3){0, 0, 0};
    e = e          ? e
        : *k       ? rt_kernel_load_once(*k)
        : function ? cudaErrorInvalidResourceHandle
                   : cudaErrorInvalidDeviceFunction;
    e = RT_INVALID_IF(e, !out || !config);
    e = RT_INVALID_IF(e, !(config->blockDim.x && config->blockDim.y && config->blockDim.z));
    for (unsigned i = 0; !e && i < config->numAttrs; i++) {
        if (config->attrs[i].id == cudaLaunchAttributeClusterDimension) {
            *requested =
                (dim3){config->attrs[i].val.clusterDim.x, config->attrs[i].val.clusterDim.y,
                       config->attrs[i].val.clusterDim.z};
        }
    }
    return e;
}

static uint64_t blocks_per_sm(const rt_kernel *k, const cudaLaunchConfig_t *c)
{
    const uint64_t threads = (uint64_t)c->blockDim.x * c->blockDim.y * c->blockDim.z;
    return c->dynamicSmemBytes <= rt_max_dynamic_shared_bytes(k)
               ? rt_blocks_per_sm(k, threads, c->dynamicSmemBytes)
               : 0;
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *function,
                                           const cudaLaunchConfig_t *config)
{
    rt_kernel *k;
    dim3 requested, shape;
    cudaError_t e = lock_and_load_kernel_of_clusters(clusters, function, config, &k, &requested);
    e = e ? e : rt_cluster_shape(k, config->gridDim, requested, &shape);
    if (!e) {
        *clusters =
            rt_is_clustered(k, requested)
                ? (int)clusters_resident_at_once(rt.profile.sm_count, blocks_per_sm(k, config),
                                                 blocks_per_cluster(shape))
                : 0;
    }
    return rt_unlock(e);
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *function,
                                                 const cudaLaunchConfig_t *config)
{
    rt_kernel *k;
    dim3 requested;
    cudaError_t e = lock_and_load_kernel_of_clusters(size, function, config, &k, &requested);
    if (!e) {
        uint64_t most = k->cluster_large ? SM_MAX_CLUSTER_BLOCKS : MAX_PORTABLE_CLUSTER_BLOCKS;
        while (most &&
               !clusters_resident_at_once(rt.profile.sm_count, blocks_per_sm(k, config), most))
            most--;
        *size = (int)most; /* the cluster size that the kernel requires has no influence */
    }
    return rt_unlock(e);
}
