// flags: -gencode arch=compute_90a,code=[sm_90a,compute_90a]
// Matrix products by warpgroups out of tiles that tensor copies bring, swizzled as the tensor cores
// want them: both operands by rows of k, B by columns, A in registers, bytes; two tiles in flight.
#include <cstdint>
#include <cstdio>
#include <cuda.h>
#include <cuda_fp16.h>
#include <cudaTypedefs.h>
#include <vector>

constexpr int TM = 64, TN = 64, ROW = 128; // a tile: 64 rows of 128 bytes

__device__ uint32_t address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

// Eight rows of 128 bytes lie 1024 bytes from the next eight.
__device__ uint64_t descriptor(uint32_t at)
{
    return (at & 0x3ffff) >> 4 | (uint64_t)1 << 16 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
}

__device__ void bring(uint32_t to, const CUtensorMap *map, int x, int y, uint32_t bar)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 ::"r"(to), "l"(map), "r"(x), "r"(y), "r"(bar) : "memory");
}

__device__ void wait(uint32_t bar, uint32_t parity)
{
    uint32_t done;
    do {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(bar), "r"(parity) : "memory");
    } while (!done);
}

#define SUMS                                                                                       \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                     \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}"
#define S4(k) "+r"(d[k]), "+r"(d[k + 1]), "+r"(d[k + 2]), "+r"(d[k + 3])
#define S16(k) S4(k), S4(k + 4), S4(k + 8), S4(k + 12)

enum Kind { BY_ROWS, B_BY_COLUMNS, A_IN_REGISTERS, BYTES };

template <Kind kind> __device__ void multiply(uint32_t (&d)[32], uint64_t a, uint64_t b, const uint32_t *r)
{
    if (kind == BY_ROWS)
        asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " SUMS ", %32, %33, 1, 1, 1, 0, 0;"
                     : S16(0), S16(16) : "l"(a), "l"(b));
    else if (kind == B_BY_COLUMNS)
        asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " SUMS ", %32, %33, 1, 1, 1, 0, 1;"
                     : S16(0), S16(16) : "l"(a), "l"(b));
    else if (kind == A_IN_REGISTERS)
        asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " SUMS ", {%32, %33, %34, %35}, %36, 1, 1, 1, 0;"
                     : S16(0), S16(16) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "l"(b));
    else
        asm volatile("wgmma.mma_async.sync.aligned.m64n64k32.s32.s8.s8 " SUMS ", %32, %33, 1;"
                     : S16(0), S16(16) : "l"(a), "l"(b));
}

// Elements of BYTES bytes; a block makes 64 x 64 of C.
template <Kind kind>
__global__ void __launch_bounds__(128)
    matmul(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b, uint32_t *c, int n, int k)
{
    constexpr int bytes = kind == BYTES ? 1 : 2, wide = ROW / bytes;
    extern __shared__ __align__(1024) uint8_t memory[];
    uint8_t *const tile_a = memory, *const tile_b = memory + 2 * TM * ROW;
    __shared__ uint64_t full[2];
    const int y = blockIdx.y * TM, x = blockIdx.x * TN, tiles = k / wide;
    if (threadIdx.x == 0) {
        for (int s = 0; s < 2; s++)
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(&full[s])));
        asm volatile("fence.mbarrier_init.release.cluster;");
    }
    __syncthreads();
    auto fetch = [&](int t) {
        const int s = t % 2;
        const uint32_t bar = address(&full[s]);
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"((TM + TN) * ROW));
        bring(address(tile_a + s * TM * ROW), &map_a, t * wide, y, bar);
        if (kind == B_BY_COLUMNS)
            bring(address(tile_b + s * TN * ROW), &map_b, x, t * wide, bar);
        else
            bring(address(tile_b + s * TN * ROW), &map_b, t * wide, x, bar);
    };
    if (threadIdx.x == 0)
        fetch(0);
    uint32_t d[32] = {};
    for (int t = 0; t < tiles; t++) {
        if (threadIdx.x == 0 && t + 1 < tiles)
            fetch(t + 1);
        wait(address(&full[t % 2]), t / 2 & 1);
        const uint8_t *own_a = tile_a + t % 2 * TM * ROW;
        const uint32_t a = address(own_a), b = address(tile_b + t % 2 * TN * ROW);
        uint32_t r[ROW / 32][4];
        if (kind == A_IN_REGISTERS) {
            const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
            for (int part = 0; part < ROW / 32; part++)
                for (int i = 0; i < 4; i++) {
                    const int line = row + i % 2 * 8, at = part * 32 + threadIdx.x % 4 * 4 + i / 2 * 16;
                    r[part][i] = *(const uint32_t *)(own_a + line * ROW + (at ^ line % 8 * 16));
                }
        }
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int part = 0; part < ROW / 32; part++)
            multiply<kind>(d, descriptor(a + part * 32),
                           descriptor(kind == B_BY_COLUMNS ? b + part * 16 * ROW : b + part * 32), r[part]);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" : S16(0), S16(16)::"memory");
        __syncthreads();
    }
    const int row = y + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, column = x + threadIdx.x % 4 * 2;
    for (int i = 0; i < 32; i++)
        c[(row + i / 2 % 2 * 8) * n + column + i / 4 * 8 + i % 2] = d[i];
}

static CUtensorMap map_of(void *data, int bytes, uint64_t wide, uint64_t high)
{
    static PFN_cuTensorMapEncodeTiled_v12000 encode;
    cudaDriverEntryPointQueryResult found;
    if (!encode)
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000, cudaEnableDefault, &found);
    CUtensorMap map{};
    cuuint64_t size[] = {wide, high}, stride[] = {wide * bytes};
    cuuint32_t box[] = {(cuuint32_t)(ROW / bytes), 64}, step[] = {1, 1};
    CUresult r = encode(&map, bytes == 1 ? CU_TENSOR_MAP_DATA_TYPE_UINT8 : CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, data, size, stride,
                        box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                        CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (r)
        printf("no map: %d\n", r);
    return map;
}

template <class T> static double number(T v) { return (double)v; }
template <> double number(__half v) { return __half2float(v); }

template <Kind kind, class T> static void run(const char *name, int m, int n, int k)
{
    std::vector<T> a(m * k), b(n * k);
    for (int i = 0; i < m * k; i++)
        a[i] = kind == BYTES ? T(i * 37 % 255 - 127) : T((i * 29 % 61 - 30) * 0.125f);
    for (int i = 0; i < n * k; i++)
        b[i] = kind == BYTES ? T(i * 53 % 251 - 125) : T((i * 41 % 53 - 26) * 0.25f);
    T *da, *db;
    uint32_t *dc;
    cudaMalloc(&da, m * k * sizeof(T));
    cudaMalloc(&db, n * k * sizeof(T));
    cudaMalloc(&dc, m * n * 4);
    cudaMemcpy(da, a.data(), m * k * sizeof(T), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), n * k * sizeof(T), cudaMemcpyHostToDevice);
    const CUtensorMap map_a = map_of(da, sizeof(T), k, m);
    const CUtensorMap map_b = kind == B_BY_COLUMNS ? map_of(db, sizeof(T), n, k) : map_of(db, sizeof(T), k, n);
    const int bytes = 2 * (TM + TN) * ROW;
    matmul<kind><<<dim3(n / TN, m / TM), 128, bytes>>>(map_a, map_b, dc, n, k);
    std::vector<uint32_t> c(m * n);
    cudaError_t e = cudaMemcpy(c.data(), dc, m * n * 4, cudaMemcpyDeviceToHost);
    int wrong = 0;
    uint64_t h = 0xcbf29ce484222325ull;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int l = 0; l < k; l++)
                sum += number(a[i * k + l]) * number(b[kind == B_BY_COLUMNS ? l * n + j : j * k + l]);
            const uint32_t u = c[i * n + j];
            wrong += kind == BYTES ? (int)u != (int)sum : __builtin_bit_cast(float, u) != (float)sum;
            h = (h ^ u) * 0x100000001b3ull;
        }
    printf("%s, %d x %d x %d: %s, %d wrong, sum %016llx\n", name, m, n, k, cudaGetErrorName(e), wrong, (unsigned long long)h);
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
}

int main()
{
    run<BY_ROWS, __half>("by rows", 128, 128, 256);
    run<B_BY_COLUMNS, __half>("B by columns", 64, 192, 128);
    run<A_IN_REGISTERS, __half>("A in registers", 192, 64, 128);
    run<BYTES, int8_t>("bytes", 128, 64, 512);
    return 0;
}
