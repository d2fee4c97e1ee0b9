// Reductions of boxes into tensors: every operation and type of cp.reduce.async.bulk.tensor, two
// blocks into the same box.
// one thread: inc and dec of two blocks give what the GPU gave in the order of the blocks only
#include <cstdint>
#include <cstdio>
#include <cuda.h>
#include <cuda/ptx>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <vector>

namespace ptx = cuda::ptx;

constexpr int WIDE = 32, HIGH = 8;

template <class T> __device__ __host__ T value(int i);
template <> __device__ __host__ uint32_t value(int i) { return i * 2654435761u; }
template <> __device__ __host__ int32_t value(int i) { return (int32_t)(i * 2654435761u); }
template <> __device__ __host__ uint64_t value(int i) { return i * 0x9e3779b97f4a7c15ull; }
template <> __device__ __host__ int64_t value(int i) { return (int64_t)(i * 0x9e3779b97f4a7c15ull); }
template <> __device__ __host__ float value(int i) { return (i % 97) * 0.37f - 11; }
template <> __device__ __host__ double value(int i) { return (i % 89) * 0.41 - 7; }
template <> __device__ __host__ __half value(int i) { return __float2half((i % 53) * 0.125f - 3); }
template <> __device__ __host__ __nv_bfloat16 value(int i) { return __float2bfloat16((i % 41) * 0.25f - 5); }

template <class T, class Op>
__global__ void reduce(const __grid_constant__ CUtensorMap map, Op op, int x, int y)
{
    __shared__ alignas(128) T tile[WIDE * HIGH];
    for (int i = threadIdx.x; i < WIDE * HIGH; i += blockDim.x)
        tile[i] = value<T>(i + 1 + 31 * blockIdx.x);
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        const int32_t at[2] = {x, y};
        ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, op, &map, at, tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{});
    }
}

static decltype(&cuTensorMapEncodeTiled) encode;

template <class T, class Op> static void run(const char *name, CUtensorMapDataType type, Op op)
{
    static void *data;
    const int wide = 48, high = 20;
    const size_t size = wide * high * sizeof(T);
    if (!data)
        cudaMalloc(&data, size);
    std::vector<T> host(wide * high);
    for (int i = 0; i < wide * high; i++)
        host[i] = value<T>(i / 3 + 7);
    cudaMemcpy(data, host.data(), size, cudaMemcpyHostToDevice);
    alignas(64) CUtensorMap map;
    cuuint64_t dim[] = {wide, high}, stride[] = {wide * sizeof(T)};
    cuuint32_t box[] = {WIDE, HIGH}, step[] = {1, 1};
    CUresult r = encode(&map, type, 2, data, dim, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                        CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (r)
        printf("%s: no map (%d)\n", name, r);
    reduce<T><<<2, 64>>>(map, op, 8, 5);
    reduce<T><<<1, 64>>>(map, op, 32, 16);
    cudaError_t e = cudaDeviceSynchronize();
    if (e) {
        printf("%s: %s\n", name, cudaGetErrorName(e));
        exit(1);
    }
    cudaMemcpy(host.data(), data, size, cudaMemcpyDeviceToHost);
    uint64_t h = 0xcbf29ce484222325ull;
    const uint8_t *p = (const uint8_t *)host.data();
    for (size_t i = 0; i < size; i++)
        h = (h ^ p[i]) * 0x100000001b3ull;
    printf("%s: sum %016llx\n", name, (unsigned long long)h);
}

int main()
{
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000, cudaEnableDefault, &found);
#define RUN(T, type, op) run<T>(#op " of " #type, CU_TENSOR_MAP_DATA_TYPE_##type, ptx::op_##op)
#define INTEGERS(T, type)                                              \
    RUN(T, type, add), RUN(T, type, min), RUN(T, type, max),           \
        RUN(T, type, and_op), RUN(T, type, or_op), RUN(T, type, xor_op)
    INTEGERS(uint32_t, UINT32);
    RUN(uint32_t, UINT32, inc);
    RUN(uint32_t, UINT32, dec);
    INTEGERS(int32_t, INT32);
    INTEGERS(uint64_t, UINT64);
    RUN(int64_t, INT64, min);
    RUN(int64_t, INT64, max);
    RUN(__half, FLOAT16, add);
    RUN(__half, FLOAT16, min);
    RUN(__half, FLOAT16, max);
    RUN(__nv_bfloat16, BFLOAT16, add);
    RUN(__nv_bfloat16, BFLOAT16, min);
    RUN(__nv_bfloat16, BFLOAT16, max);
    RUN(float, FLOAT32, add);
    RUN(float, FLOAT32_FTZ, add);
    RUN(float, TFLOAT32, add);
    RUN(double, FLOAT64, add);
    return 0;
}
