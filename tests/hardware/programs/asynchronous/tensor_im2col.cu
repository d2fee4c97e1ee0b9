// Columns of pixels as a convolution wants them, by the im2col mode of tensor copies: bounding
// boxes, filter offsets, steps, from row to row and from image to image. What comes is compared
// with the same pixels gathered by the host.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>
#include <vector>

static decltype(&cuTensorMapEncodeIm2col) encode;

constexpr int ROOM = 32768, MARK = 0xeeee;

struct Case {
    const char *name;
    int rank;
    cuuint64_t dim[5];
    int lower[3], upper[3]; // of w, h, d
    int channels, pixels;
    cuuint32_t step[5];
    int at[5], offset[3];
    CUtensorMapSwizzle swizzle;
};

struct Place {
    int c[5];
    unsigned short o[3];
};

__device__ uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

__global__ void load(const __grid_constant__ CUtensorMap map, int rank, Place at, uint32_t bytes,
                     uint16_t *out, int *good)
{
    extern __shared__ __align__(1024) uint16_t memory[];
    __shared__ alignas(8) uint64_t bar;
    for (int i = threadIdx.x; i < ROOM / 2; i += blockDim.x)
        memory[i] = MARK;
    const uint32_t b = shared_address(&bar), to = shared_address(memory);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(b));
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    uint32_t done = 0;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"(bytes));
        const int *c = at.c;
        const unsigned short *o = at.o;
#define IM2COL(R, COORDINATES, OFFSETS, ...)                                                      \
    asm volatile("cp.async.bulk.tensor." #R "d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {" COORDINATES "}], [%2], {" OFFSETS "};" \
                 ::"r"(to), "l"(&map), "r"(b), __VA_ARGS__                                        \
                 : "memory")
        if (rank == 3)
            IM2COL(3, "%3, %4, %5", "%6", "r"(c[0]), "r"(c[1]), "r"(c[2]), "h"(o[0]));
        else if (rank == 4)
            IM2COL(4, "%3, %4, %5, %6", "%7, %8", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "h"(o[0]), "h"(o[1]));
        else
            IM2COL(5, "%3, %4, %5, %6, %7", "%8, %9, %10", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]), "h"(o[0]), "h"(o[1]), "h"(o[2]));
        for (int tries = 0; tries < 2000 && !done; tries++)
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0, 1000; selp.u32 %0, 1, 0, p; }"
                         : "=r"(done) : "r"(b) : "memory");
        *good = done;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < ROOM / 2; i += blockDim.x)
        out[i] = memory[i];
}

static uint16_t *data, *got;
static int *good;

static void run(const Case &k)
{
    alignas(64) CUtensorMap map;
    cuuint64_t stride[4];
    size_t n = k.dim[0];
    for (int d = 1; d < k.rank; d++) {
        stride[d - 1] = n * 2;
        n *= k.dim[d];
    }
    CUresult r = encode(&map, CU_TENSOR_MAP_DATA_TYPE_UINT16, k.rank, data, k.dim, stride, k.lower, k.upper, k.channels,
                        k.pixels, k.step, CU_TENSOR_MAP_INTERLEAVE_NONE, k.swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (r) {
        printf("%s: no such map (%d)\n", k.name, r);
        return;
    }
    std::vector<uint16_t> host(n), come(ROOM / 2), want(ROOM / 2, MARK);
    for (size_t i = 0; i < n; i++)
        host[i] = (uint16_t)(i + 1);
    cudaMemcpy(data, host.data(), n * 2, cudaMemcpyHostToDevice);
    Place at = {};
    memcpy(at.c, k.at, sizeof at.c);
    for (int i = 0; i < 3; i++)
        at.o[i] = (unsigned short)k.offset[i];
    const int inner = k.rank - 2;
    int now[5];
    memcpy(now, k.at, sizeof now);
    int outside = 0;
    for (int p = 0; p < k.pixels; p++) {
        for (int c = 0; c < k.channels; c++) {
            const int low = k.rank == 3 ? 0xffff : k.rank == 4 ? 0xff : 0x1f; // of an offset
            int64_t place = k.at[0] + c, scale = k.dim[0];
            bool in = place >= 0 && place < (int64_t)k.dim[0];
            for (int d = 1; d < k.rank; d++) {
                int64_t x = now[d] + (d <= inner ? k.offset[d - 1] & low : 0);
                in = in && x >= 0 && x < (int64_t)k.dim[d];
                place += x * scale;
                scale *= k.dim[d];
            }
            uint32_t to = (p * k.channels + c) * 2;
            const uint32_t bits = k.swizzle == 0 ? 0 : k.swizzle == 1 ? 1 : k.swizzle == 2 ? 3 : 7;
            to ^= (to >> 7 & bits) << 4;
            want[to / 2] = in ? host[place] : 0;
            outside += !in;
        }
        for (int d = 1; d < k.rank; d++) {
            now[d] += d <= inner ? k.step[d] : 1;
            if (d > inner || now[d] <= (int)k.dim[d] - 1 + k.upper[d - 1])
                break;
            now[d] = k.lower[d - 1];
        }
    }
    load<<<1, 64, ROOM>>>(map, k.rank, at, k.channels * k.pixels * 2, got, good);
    cudaError_t e = cudaDeviceSynchronize();
    if (e) {
        printf("%s: %s\n", k.name, cudaGetErrorName(e));
        exit(1);
    }
    int came;
    cudaMemcpy(&came, good, sizeof came, cudaMemcpyDeviceToHost);
    cudaMemcpy(come.data(), got, ROOM, cudaMemcpyDeviceToHost);
    uint64_t h = 0xcbf29ce484222325ull;
    for (uint16_t v : come)
        h = (h ^ v) * 0x100000001b3ull;
    int differ = 0, first = -1;
    for (int i = 0; i < ROOM / 2; i++)
        if (come[i] != want[i] && differ++ == 0)
            first = i;
    printf("%s: %d outside%s, sum %016llx", k.name, outside, came ? "" : ", not all told", (unsigned long long)h);
    if (differ)
        printf(", %d not as gathered, first at %d: %d for %d", differ, first, come[first], want[first]);
    printf("\n");
}

int main()
{
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeIm2col", (void **)&encode, 12000, cudaEnableDefault, &found);
    cudaMalloc(&data, 1 << 22);
    cudaMalloc(&got, ROOM);
    cudaMalloc(&good, 4);
#define NONE CU_TENSOR_MAP_SWIZZLE_NONE
#define ONES {1, 1, 1, 1, 1}
    const Case cases[] = {
        {"a row", 3, {16, 40, 3}, {0}, {0}, 8, 16, ONES, {0, 3, 1}, {0}, NONE},
        {"rows of 1d", 3, {16, 20, 3}, {-1}, {-1}, 8, 64, ONES, {8, 3, 0}, {1}, NONE},
        {"rows of 1d, beyond the last image", 3, {16, 20, 3}, {-1}, {-1}, 8, 64, ONES, {8, 3, 1}, {2}, NONE},
        {"3 x 3 at 0 0", 4, {16, 10, 8, 3}, {-1, -1}, {-1, -1}, 16, 64, ONES, {0, -1, -1, 0}, {0, 0}, NONE},
        {"3 x 3 at 1 1", 4, {16, 10, 8, 3}, {-1, -1}, {-1, -1}, 16, 64, ONES, {0, -1, -1, 0}, {1, 1}, NONE},
        {"3 x 3 at 2 2", 4, {16, 10, 8, 3}, {-1, -1}, {-1, -1}, 16, 64, ONES, {0, -1, -1, 0}, {2, 2}, NONE},
        {"3 x 3 at 2 0, further on", 4, {16, 10, 8, 3}, {-1, -1}, {-1, -1}, 8, 100, ONES, {8, 4, 5, 1}, {2, 0}, NONE},
        {"no padding", 4, {16, 10, 8, 3}, {0, 0}, {-2, -2}, 8, 100, ONES, {8, 4, 5, 0}, {2, 1}, NONE},
        {"steps of 2", 4, {16, 10, 8, 3}, {-1, -1}, {-1, -1}, 8, 60, {1, 2, 2, 1, 1}, {0, -1, -1, 0}, {1, 2}, NONE},
        {"steps of 3 and 2", 4, {16, 10, 8, 3}, {0, 0}, {-2, -2}, 8, 30, {1, 3, 2, 1, 1}, {0, 0, 0, 0}, {1, 2}, NONE},
        {"steps of 2 from 1", 4, {16, 10, 8, 3}, {-1, -1}, {-1, -1}, 8, 40, {1, 2, 2, 1, 1}, {0, 2, 0, 0}, {0, 0}, NONE},
        {"channels beyond", 4, {16, 10, 8, 3}, {0, 0}, {-2, -2}, 16, 40, ONES, {8, 0, 0, 0}, {0, 0}, NONE},
        {"image -1", 4, {16, 10, 8, 3}, {0, 0}, {0, 0}, 8, 100, ONES, {0, 2, 3, -1}, {0, 0}, NONE},
        {"offset 255", 4, {16, 300, 2, 1}, {0, 0}, {-10, 0}, 8, 40, ONES, {0, 2, 0, 0}, {255, 1}, NONE},
        {"offset 256", 4, {16, 300, 2, 1}, {0, 0}, {-10, 0}, 8, 40, ONES, {0, 2, 0, 0}, {256, 1}, NONE},
        {"swizzle 128", 4, {64, 10, 8, 3}, {-1, -1}, {-1, -1}, 64, 64, ONES, {0, -1, -1, 0}, {1, 0}, CU_TENSOR_MAP_SWIZZLE_128B},
        {"swizzle 64", 4, {64, 10, 8, 3}, {-1, -1}, {-1, -1}, 32, 64, ONES, {32, -1, -1, 0}, {1, 0}, CU_TENSOR_MAP_SWIZZLE_64B},
        {"a volume", 5, {8, 6, 5, 4, 3}, {-1, -1, -1}, {-1, -1, -1}, 8, 150, ONES, {0, -1, -1, -1, 0}, {1, 2, 0}, NONE},
        {"a volume, steps", 5, {8, 6, 5, 4, 3}, {-1, -1, -1}, {-1, -1, -1}, 8, 50, {1, 2, 1, 3, 1}, {0, 1, 0, -1, 0}, {2, 1, 1}, NONE},
        {"1000 pixels", 4, {8, 40, 30, 3}, {-1, -1}, {-1, -1}, 8, 1000, ONES, {0, 5, 6, 1}, {1, 1}, NONE},
    };
    for (const Case &k : cases)
        run(k);
    return 0;
}
