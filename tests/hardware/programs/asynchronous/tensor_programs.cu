// flags: -gencode arch=compute_90a,code=[sm_90a,compute_90a]
// Programs with tensor copies: the Programming Guide's tile through libcu++, a tile for all blocks
// of a cluster, maps that a kernel changes, maps in constant and global memory, a pipeline of tiles.
#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>
#include <cudaTypedefs.h>
#include <vector>

namespace cg = cooperative_groups;
namespace cde = cuda::device::experimental;
namespace ptx = cuda::ptx;
using barrier = cuda::barrier<cuda::thread_scope_block>;

static PFN_cuTensorMapEncodeTiled_v12000 encoder()
{
    cudaDriverEntryPointQueryResult found;
    void *f = nullptr;
    if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 12000, cudaEnableDefault, &found) || found)
        exit(3);
    return (PFN_cuTensorMapEncodeTiled_v12000)f;
}

static CUtensorMap map_of(void *data, CUtensorMapDataType type, int bytes, uint64_t wide, uint64_t high,
                          uint32_t box_wide, uint32_t box_high, CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE)
{
    CUtensorMap map{};
    cuuint64_t size[] = {wide, high}, stride[] = {wide * bytes};
    cuuint32_t box[] = {box_wide, box_high}, step[] = {1, 1};
    CUresult r = encoder()(&map, type, 2, data, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                           CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (r)
        printf("no map: %d\n", r);
    return map;
}

constexpr int W = 32, H = 8;

// In, changed, out again.
__global__ void guide(const __grid_constant__ CUtensorMap map, int x, int y)
{
    __shared__ alignas(128) int tile[H][W];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier bar;
    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
        cde::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_2d_global_to_shared(&tile, &map, x, y, bar);
        token = cuda::device::barrier_arrive_tx(bar, 1, sizeof(tile));
    } else {
        token = bar.arrive();
    }
    bar.wait(std::move(token));
    tile[0][threadIdx.x] += threadIdx.x;
    cde::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_2d_shared_to_global(&map, x, y, &tile);
        cde::cp_async_bulk_commit_group();
        cde::cp_async_bulk_wait_group_read<0>();
    }
    if (threadIdx.x == 0)
        (&bar)->~barrier();
}

// Block 0 brings a tile to all blocks, and each brings one of its own.
__global__ void __cluster_dims__(4) all_of_us(const __grid_constant__ CUtensorMap map, int *out)
{
    __shared__ alignas(128) int shared_tile[H * W];
    __shared__ alignas(128) int own_tile[H * W];
    __shared__ uint64_t bar;
    cg::cluster_group cluster = cg::this_cluster();
    const int rank = cluster.block_rank();
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    cluster.sync();
    if (threadIdx.x == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof shared_tile + sizeof own_tile);
        const int32_t own[2] = {W * rank, 8};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, own_tile, &map, own, &bar);
        if (rank == 0) {
            const int32_t at[2] = {W, 0};
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, shared_tile, &map, at, &bar, (uint16_t)0xf);
        }
    }
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {
    }
    for (int i = threadIdx.x; i < H * W; i += blockDim.x)
        out[blockIdx.x * H * W + i] = shared_tile[i] * 3 + own_tile[i];
    cluster.sync();
}

// Each block makes a map of its own rows from the one that it was given.
__global__ void own_map(const __grid_constant__ CUtensorMap base, CUtensorMap *maps, const int *data, int wide, int *out)
{
    __shared__ alignas(128) int tile[H * W];
    __shared__ alignas(128) CUtensorMap mine;
    __shared__ uint64_t bar;
    CUtensorMap *global = maps + blockIdx.x;
    if (threadIdx.x == 0) {
        mine = base;
        ptx::mbarrier_init(&bar, 1);
        ptx::tensormap_replace_global_address(ptx::space_shared, &mine, data + 16 * blockIdx.x * wide);
        ptx::tensormap_replace_global_dim(ptx::space_shared, &mine, ptx::n32_t<1>{}, 3 + (int)blockIdx.x);
        ptx::tensormap_replace_box_dim(ptx::space_shared, &mine, ptx::n32_t<1>{}, 8);
        ptx::tensormap_replace_global_stride(ptx::space_shared, &mine, ptx::n32_t<0>{}, (int64_t)wide * 8);
    }
    __syncwarp();
    if (threadIdx.x < 32) {
        ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, global, &mine, ptx::n32_t<128>{});
        ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, global, ptx::n32_t<128>{});
    }
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof tile);
        const int32_t at[2] = {4, 0};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, global, at, &bar);
    }
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {
    }
    for (int i = threadIdx.x; i < H * W; i += blockDim.x)
        out[blockIdx.x * H * W + i] = tile[i];
}

__constant__ CUtensorMap constant_map;
__device__ CUtensorMap device_map;

// A transposition through a swizzled tile: no bank conflicts either way.
__global__ void transpose(bool constant, int n)
{
    __shared__ alignas(1024) int in[32 * 32];
    __shared__ alignas(1024) int out[32 * 32];
    __shared__ uint64_t bar;
    const CUtensorMap *from = &constant_map, *to = &device_map;
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof in);
        const int32_t at[2] = {(int)blockIdx.x * 32, (int)blockIdx.y * 32};
        asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(from), "r"(at[0]), "r"(at[1]) : "memory");
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, in, from, at, &bar);
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {
    }
    for (int y = threadIdx.y; y < 32; y += blockDim.y) {
        const int x = threadIdx.x, chunk = x / 4 ^ y % 8, other = y / 4 ^ x % 8;
        out[x * 32 + other * 4 + y % 4] = in[y * 32 + chunk * 4 + x % 4];
    }
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        const int32_t at[2] = {(int)blockIdx.y * 32, (int)blockIdx.x * 32};
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, to, at, out);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{});
    }
}

// Blocks that stay, four tiles in flight; a sum.
__global__ void pipeline(const __grid_constant__ CUtensorMap map, int tiles_x, int tiles, long long *sum)
{
    __shared__ alignas(128) int stage[4][H * W];
    __shared__ uint64_t full[4], empty[4];
    if (threadIdx.x == 0) {
        for (int s = 0; s < 4; s++) {
            ptx::mbarrier_init(&full[s], 1);
            ptx::mbarrier_init(&empty[s], blockDim.x - 32);
        }
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    uint64_t policy;
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    if (threadIdx.x < 32) {
        for (int t = blockIdx.x, k = 0; t < tiles; t += gridDim.x, k++) {
            const int s = k % 4;
            if (threadIdx.x == 0) {
                if (k >= 4)
                    while (!ptx::mbarrier_try_wait_parity(&empty[s], (k / 4 - 1) & 1)) {
                    }
                ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s], sizeof stage[s]);
                asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, {%2, %3}], [%4], %5;"
                             ::"r"((uint32_t)__cvta_generic_to_shared(stage[s])), "l"(&map), "r"(t % tiles_x * W), "r"(t / tiles_x * H),
                             "r"((uint32_t)__cvta_generic_to_shared(&full[s])), "l"(policy) : "memory");
            }
        }
        return;
    }
    long long mine = 0;
    for (int t = blockIdx.x, k = 0; t < tiles; t += gridDim.x, k++) {
        const int s = k % 4;
        while (!ptx::mbarrier_try_wait_parity(&full[s], k / 4 & 1)) {
        }
        for (int i = threadIdx.x - 32; i < H * W; i += blockDim.x - 32)
            mine += (long long)stage[s][i] * (i + 1);
        ptx::mbarrier_arrive(&empty[s]);
    }
    atomicAdd((unsigned long long *)sum, (unsigned long long)mine);
}

static void show(const char *name, const int *device, int n)
{
    std::vector<int> v(n);
    cudaError_t e = cudaMemcpy(v.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost);
    uint64_t h = 0xcbf29ce484222325ull;
    for (int x : v)
        h = (h ^ (uint32_t)x) * 0x100000001b3ull;
    printf("%s: %s, sum %016llx, %d %d %d\n", name, cudaGetErrorName(e), (unsigned long long)h, v[0], v[n / 2], v[n - 1]);
}

int main()
{
    const int n = 256;
    std::vector<int> host(n * n);
    for (int i = 0; i < n * n; i++)
        host[i] = i * 7 % 10007;
    int *data, *out;
    cudaMalloc(&data, n * n * sizeof(int));
    cudaMalloc(&out, n * n * sizeof(int));
    cudaMemset(out, 0, n * n * sizeof(int));
    cudaMemcpy(data, host.data(), n * n * sizeof(int), cudaMemcpyHostToDevice);
    CUtensorMap map = map_of(data, CU_TENSOR_MAP_DATA_TYPE_INT32, 4, n, n, W, H);

    all_of_us<<<4, 64>>>(map, out);
    show("all of us", out, 4 * H * W);

    CUtensorMap *maps;
    cudaMalloc(&maps, 8 * sizeof *maps);
    own_map<<<8, 64>>>(map, maps, data, n, out);
    show("a map of its own", out, 8 * H * W);

    map = map_of(data, CU_TENSOR_MAP_DATA_TYPE_INT32, 4, n, n, 32, 32, CU_TENSOR_MAP_SWIZZLE_128B);
    cudaMemcpyToSymbol(constant_map, &map, sizeof map);
    map = map_of(out, CU_TENSOR_MAP_DATA_TYPE_INT32, 4, n, n, 32, 32, CU_TENSOR_MAP_SWIZZLE_128B);
    cudaMemcpyToSymbol(device_map, &map, sizeof map);
    transpose<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(true, n);
    show("transposed", out, n * n);
    std::vector<int> turned(n * n);
    cudaMemcpy(turned.data(), out, n * n * sizeof(int), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            wrong += turned[x * n + y] != host[y * n + x];
    printf("%d of %d wrong\n", wrong, n * n);

    map = map_of(data, CU_TENSOR_MAP_DATA_TYPE_INT32, 4, n, n, W, H);
    long long *sum, total;
    cudaMalloc(&sum, 8);
    cudaMemset(sum, 0, 8);
    pipeline<<<5, 160>>>(map, n / W, n / W * (n / H), sum);
    cudaError_t e = cudaMemcpy(&total, sum, 8, cudaMemcpyDeviceToHost);
    printf("pipeline: %s, %lld\n", cudaGetErrorName(e), total);

    guide<<<1, W>>>(map, 64, 16);
    show("the guide's tile", data, n * n);
    guide<<<1, W>>>(map, n - 16, n - 4);
    show("the guide's tile at the corner", data, n * n);
    return 0;
}
