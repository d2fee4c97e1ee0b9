// Copies of boxes out of tensors and into them by the tensor memory accelerator of sm_90: every
// rank, element type, swizzle and interleave, boxes that stick out on all sides, steps. What comes
// is compared with the same box gathered by the host, and its bytes are summed up in a line.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>
#include <vector>

static decltype(&cuTensorMapEncodeTiled) encode;

struct Box {
    const char *name;
    CUtensorMapDataType type;
    int rank;
    cuuint64_t dim[5];
    cuuint32_t box[5], step[5];
    int at[5];
    CUtensorMapSwizzle swizzle;
    CUtensorMapFloatOOBfill fill;
};

static int bytes_of(CUtensorMapDataType t)
{
    const int bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return bytes[t];
}

struct Coordinates {
    int c[5];
};

constexpr int ROOM = 32768, MARK = 0xee;

__device__ uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

__device__ bool arrives(uint32_t bar)
{
    uint32_t done = 0;
    for (int tries = 0; tries < 2000 && !done; tries++)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0, 1000; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(bar)
                     : "memory");
    return done;
}

#define LOAD(R, COORDINATES, ...)                                                                 \
    asm volatile("cp.async.bulk.tensor." #R "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {" COORDINATES "}], [%2];" \
                 ::"r"(to), "l"(&map), "r"(b), __VA_ARGS__                                        \
                 : "memory")
#define STORE(R, COORDINATES, ...)                                                                \
    asm volatile("cp.async.bulk.tensor." #R "d.global.shared::cta.tile.bulk_group [%0, {" COORDINATES "}], [%1];" \
                 ::"l"(&map), "r"(from), __VA_ARGS__                                              \
                 : "memory")

__global__ void load(const __grid_constant__ CUtensorMap map, int rank, Coordinates at,
                     uint32_t bytes, uint8_t *out, int *good)
{
    extern __shared__ __align__(1024) uint8_t memory[];
    __shared__ alignas(8) uint64_t bar;
    for (int i = threadIdx.x; i < ROOM; i += blockDim.x)
        memory[i] = MARK;
    const uint32_t b = shared_address(&bar), to = shared_address(memory);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(b));
        asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"(bytes));
        const int *c = at.c;
        switch (rank) {
        case 1: LOAD(1, "%3", "r"(c[0])); break;
        case 2: LOAD(2, "%3, %4", "r"(c[0]), "r"(c[1])); break;
        case 3: LOAD(3, "%3, %4, %5", "r"(c[0]), "r"(c[1]), "r"(c[2])); break;
        case 4: LOAD(4, "%3, %4, %5, %6", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3])); break;
        case 5: LOAD(5, "%3, %4, %5, %6, %7", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4])); break;
        }
    }
    bool came = arrives(b);
    __syncthreads();
    if (threadIdx.x == 0)
        *good = came;
    for (int i = threadIdx.x; i < ROOM; i += blockDim.x)
        out[i] = memory[i];
}

__global__ void store(const __grid_constant__ CUtensorMap map, int rank, Coordinates at)
{
    extern __shared__ __align__(1024) uint8_t memory[];
    for (int i = threadIdx.x; i < ROOM; i += blockDim.x)
        memory[i] = (uint8_t)(i * 7 + (i >> 8) * 31);
    const uint32_t from = shared_address(memory);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        const int *c = at.c;
        switch (rank) {
        case 1: STORE(1, "%2", "r"(c[0])); break;
        case 2: STORE(2, "%2, %3", "r"(c[0]), "r"(c[1])); break;
        case 3: STORE(3, "%2, %3, %4", "r"(c[0]), "r"(c[1]), "r"(c[2])); break;
        case 4: STORE(4, "%2, %3, %4, %5", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3])); break;
        case 5: STORE(5, "%2, %3, %4, %5, %6", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4])); break;
        }
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

static uint64_t sum_of(const std::vector<uint8_t> &v)
{
    uint64_t h = 0xcbf29ce484222325ull;
    for (uint8_t b : v)
        h = (h ^ b) * 0x100000001b3ull;
    return h;
}

// Where byte K of the box lies in shared memory.
static uint32_t swizzled(uint32_t k, int swizzle)
{
    const uint32_t bits = swizzle == 0 ? 0 : swizzle == 1 ? 1 : swizzle == 2 ? 3 : 7;
    return k ^ (k >> 7 & bits) << 4;
}

// Rows that are shorter than the swizzle begin its span apart.
static uint32_t pitch(const Box &b)
{
    const uint32_t row = b.box[0] * bytes_of(b.type), span = b.swizzle ? 16u << b.swizzle : 0;
    return row < span ? span : row;
}

// Calls EACH(element's place in the tensor in bytes or -1, its place in shared memory in bytes).
// What is written ends with 16 bytes that begin in the tensor's row.
template <class F> static uint32_t each(const Box &b, const cuuint64_t *stride, bool out, F &&f)
{
    int count[5] = {1, 1, 1, 1, 1};
    const int bytes = bytes_of(b.type);
    for (int d = 0; d < b.rank; d++)
        count[d] = d == 0 ? b.box[0] : (b.box[d] + b.step[d] - 1) / b.step[d];
    const cuuint64_t wide = out ? (b.dim[0] * bytes + 15) / 16 * 16 / bytes : b.dim[0];
    uint32_t k = 0, total = 0;
    int i[5];
    for (i[4] = 0; i[4] < count[4]; i[4]++)
        for (i[3] = 0; i[3] < count[3]; i[3]++)
            for (i[2] = 0; i[2] < count[2]; i[2]++)
                for (i[1] = 0; i[1] < count[1]; i[1]++, k += pitch(b))
                    for (i[0] = 0; i[0] < count[0]; i[0]++) {
                        int64_t place = 0;
                        for (int d = 0; d < b.rank && place >= 0; d++) {
                            int64_t c = b.at[d] + (int64_t)i[d] * (d ? b.step[d] : 1);
                            place = c < 0 || c >= (int64_t)(d ? b.dim[d] : wide) ? -1 : place + c * (d ? (int64_t)stride[d - 1] : bytes);
                        }
                        f(place, swizzled(k + i[0] * bytes, b.swizzle));
                        total += bytes;
                    }
    return total;
}

static bool encoded(const Box &b, CUtensorMap *map, uint8_t *data, cuuint64_t *stride, size_t *size)
{
    cuuint64_t n = b.dim[0] * bytes_of(b.type);
    for (int d = 1; d <= b.rank; d++) {
        n = (n + 31) / 32 * 32;
        stride[d - 1] = n;
        n *= d < b.rank ? b.dim[d] : 1;
    }
    *size = n;
    cuuint32_t step[5], box[5];
    memcpy(step, b.step, sizeof step);
    memcpy(box, b.box, sizeof box);
    CUresult r = encode(map, b.type, b.rank, data, b.dim, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, b.swizzle,
                        CU_TENSOR_MAP_L2_PROMOTION_L2_128B, b.fill);
    if (r)
        printf("%s: no such map (%d)\n", b.name, r);
    return r == CUDA_SUCCESS;
}

static uint8_t *data, *got;
static int *good;

static void run(const Box &b)
{
    alignas(64) CUtensorMap map;
    cuuint64_t stride[5];
    size_t size;
    if (!encoded(b, &map, data, stride, &size))
        return;
    std::vector<uint8_t> host(size), come(ROOM), want(ROOM, MARK);
    for (size_t i = 0; i < size; i++)
        host[i] = (uint8_t)(i * 13 + (i >> 8) * 101 + (i >> 16) * 57);
    const bool floats = b.type >= CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    if (floats) // numbers neither denormal nor none
        for (size_t i = 1; i < size; i += 2)
            host[i] = (host[i] & 0x8f) | 0x30;
    cudaMemcpy(data, host.data(), size, cudaMemcpyHostToDevice);
    Coordinates at;
    memcpy(at.c, b.at, sizeof at.c);
    const int bytes = bytes_of(b.type);
    uint32_t missing = 0;
    uint32_t total = each(b, stride, false, [&](int64_t place, uint32_t to) {
        missing += place < 0;
        if (to + bytes > ROOM)
            return;
        if (place >= 0)
            memcpy(&want[to], &host[place], bytes);
        else
            memset(&want[to], 0, bytes);
    });
    load<<<1, 128, ROOM>>>(map, b.rank, at, total, got, good);
    cudaError_t e = cudaDeviceSynchronize();
    if (e) {
        printf("%s: %s\n", b.name, cudaGetErrorName(e));
        exit(1);
    }
    int came;
    cudaMemcpy(&came, good, sizeof came, cudaMemcpyDeviceToHost);
    cudaMemcpy(come.data(), got, ROOM, cudaMemcpyDeviceToHost);
    uint32_t differ = 0, first = 0;
    for (uint32_t k = ROOM; k-- > 0;)
        if (come[k] != want[k]) {
            differ++;
            first = k;
        }
    printf("%s: %u bytes, %u outside%s, sum %016llx", b.name, total, missing,
           came ? "" : ", not all told", (unsigned long long)sum_of(come));
    if (differ) {
        printf(", %u not as gathered, first at %u:", differ, first);
        for (uint32_t k = first & ~15u; k < (first & ~15u) + 16; k++)
            printf(" %02x", come[k]);
        printf(" for");
        for (uint32_t k = first & ~15u; k < (first & ~15u) + 16; k++)
            printf(" %02x", want[k]);
    }
    printf("\n");

    // Out again, into a tensor of marks. What is written begins inside of the tensor.
    for (int d = 0; d < b.rank; d++)
        if (b.at[d] < 0)
            return;
    cudaMemset(data, MARK, size);
    store<<<1, 128, ROOM>>>(map, b.rank, at);
    e = cudaDeviceSynchronize();
    if (e) {
        printf("  and out: %s\n", cudaGetErrorName(e));
        exit(1);
    }
    std::vector<uint8_t> back(size), target(size, MARK);
    each(b, stride, true, [&](int64_t place, uint32_t from) {
        for (int i = 0; i < bytes && place >= 0; i++) {
            uint32_t k = from + i;
            target[place + i] = (uint8_t)(k * 7 + (k >> 8) * 31);
        }
    });
    cudaMemcpy(back.data(), data, size, cudaMemcpyDeviceToHost);
    differ = 0;
    for (size_t k = size; k-- > 0;)
        if (back[k] != target[k]) {
            differ++;
            first = (uint32_t)k;
        }
    printf("  and out: sum %016llx", (unsigned long long)sum_of(back));
    if (differ)
        printf(", %u not as scattered, first at %u: %02x for %02x", differ, first, back[first], target[first]);
    printf("\n");
}

#define TYPE(x)  CU_TENSOR_MAP_DATA_TYPE_##x
#define SW(x)    CU_TENSOR_MAP_SWIZZLE_##x
#define ZEROS    CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE
#define ONES     {1, 1, 1, 1, 1}

int main()
{
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000, cudaEnableDefault, &found);
    cudaMalloc(&data, 1 << 22);
    cudaMalloc(&got, ROOM);
    cudaMalloc(&good, sizeof *good);
    const Box boxes[] = {
        {"a vector", TYPE(FLOAT32), 1, {1000}, {64}, ONES, {32}, SW(NONE), ZEROS},
        {"a vector's end", TYPE(FLOAT32), 1, {1000}, {64}, ONES, {968}, SW(NONE), ZEROS},
        {"before a vector", TYPE(FLOAT32), 1, {1000}, {64}, ONES, {-8}, SW(NONE), ZEROS},
        {"nothing of a vector", TYPE(FLOAT32), 1, {1000}, {64}, ONES, {5000}, SW(NONE), ZEROS},
        {"a vector of odd length", TYPE(UINT8), 1, {1003}, {48}, ONES, {976}, SW(NONE), ZEROS},
        {"a tile", TYPE(INT32), 2, {100, 60}, {32, 16}, ONES, {32, 16}, SW(NONE), ZEROS},
        {"a tile at 4, 5", TYPE(INT32), 2, {100, 60}, {32, 16}, ONES, {4, 5}, SW(NONE), ZEROS},
        {"a corner", TYPE(INT32), 2, {100, 60}, {32, 16}, ONES, {88, 50}, SW(NONE), ZEROS},
        {"the other corner", TYPE(INT32), 2, {100, 60}, {32, 16}, ONES, {-8, -3}, SW(NONE), ZEROS},
        {"above", TYPE(INT32), 2, {100, 60}, {32, 16}, ONES, {8, -3}, SW(NONE), ZEROS},
        {"below", TYPE(INT32), 2, {100, 60}, {32, 16}, ONES, {0, 60}, SW(NONE), ZEROS},
        {"far away", TYPE(INT32), 2, {100, 60}, {32, 16}, ONES, {2147483644, -2147483647 - 1}, SW(NONE), ZEROS},
        {"a box larger than the tensor", TYPE(INT32), 2, {20, 10}, {32, 16}, ONES, {-4, -2}, SW(NONE), ZEROS},
        {"a box larger than the tensor, at 0", TYPE(INT32), 2, {20, 10}, {32, 16}, ONES, {0, 0}, SW(NONE), ZEROS},
        {"16 bytes wide", TYPE(UINT8), 2, {100, 60}, {16, 9}, ONES, {16, 8}, SW(NONE), ZEROS},
        {"48 bytes wide", TYPE(UINT16), 2, {100, 60}, {24, 5}, ONES, {8, 8}, SW(NONE), ZEROS},
        {"bytes", TYPE(UINT8), 2, {200, 60}, {64, 16}, ONES, {176, 6}, SW(NONE), ZEROS},
        {"16 bits", TYPE(UINT16), 2, {203, 60}, {64, 16}, ONES, {168, 6}, SW(NONE), ZEROS},
        {"32 bits", TYPE(UINT32), 2, {201, 60}, {64, 16}, ONES, {164, 6}, SW(NONE), ZEROS},
        {"64 bits", TYPE(UINT64), 2, {201, 60}, {64, 16}, ONES, {162, 6}, SW(NONE), ZEROS},
        {"64 bits with a sign", TYPE(INT64), 2, {200, 60}, {64, 16}, ONES, {190, 50}, SW(NONE), ZEROS},
        {"halves", TYPE(FLOAT16), 2, {200, 60}, {64, 16}, ONES, {8, 6}, SW(NONE), ZEROS},
        {"bfloats", TYPE(BFLOAT16), 2, {200, 60}, {64, 16}, ONES, {192, 6}, SW(NONE), ZEROS},
        {"doubles", TYPE(FLOAT64), 2, {200, 60}, {64, 16}, ONES, {6, 6}, SW(NONE), ZEROS},
        {"swizzle 32", TYPE(FLOAT32), 2, {64, 64}, {8, 64}, ONES, {8, 0}, SW(32B), ZEROS},
        {"swizzle 32, 16 wide", TYPE(FLOAT32), 2, {64, 64}, {4, 64}, ONES, {8, 0}, SW(32B), ZEROS},
        {"swizzle 64", TYPE(FLOAT32), 2, {64, 64}, {16, 64}, ONES, {8, 0}, SW(64B), ZEROS},
        {"swizzle 64, 32 wide", TYPE(FLOAT32), 2, {64, 64}, {8, 64}, ONES, {8, 0}, SW(64B), ZEROS},
        {"swizzle 64, 48 wide", TYPE(FLOAT32), 2, {64, 64}, {12, 64}, ONES, {8, 0}, SW(64B), ZEROS},
        {"swizzle 128", TYPE(FLOAT32), 2, {64, 64}, {32, 64}, ONES, {8, 0}, SW(128B), ZEROS},
        {"swizzle 128, 64 wide", TYPE(FLOAT32), 2, {64, 64}, {16, 64}, ONES, {8, 0}, SW(128B), ZEROS},
        {"swizzle 128, 16 wide", TYPE(FLOAT32), 2, {64, 64}, {4, 64}, ONES, {8, 0}, SW(128B), ZEROS},
        {"swizzle 128, 80 wide", TYPE(FLOAT32), 2, {64, 64}, {20, 64}, ONES, {8, 0}, SW(128B), ZEROS},
        {"swizzle 128, outside", TYPE(FLOAT16), 2, {64, 64}, {64, 64}, ONES, {-8, 30}, SW(128B), ZEROS},
        {"swizzle 128, behind", TYPE(FLOAT16), 2, {61, 64}, {64, 64}, ONES, {40, 30}, SW(128B), ZEROS},
        {"swizzle 128, bytes", TYPE(UINT8), 2, {256, 64}, {128, 32}, ONES, {16, 3}, SW(128B), ZEROS},
        {"a volume", TYPE(FLOAT32), 3, {40, 30, 20}, {16, 8, 4}, ONES, {4, 4, 5}, SW(NONE), ZEROS},
        {"a volume's corner", TYPE(FLOAT32), 3, {40, 30, 20}, {16, 8, 4}, ONES, {32, 25, 18}, SW(NONE), ZEROS},
        {"a volume, swizzle 64", TYPE(FLOAT32), 3, {40, 30, 20}, {16, 8, 4}, ONES, {-4, 25, -2}, SW(64B), ZEROS},
        {"four dimensions", TYPE(UINT16), 4, {40, 20, 10, 6}, {16, 8, 4, 2}, ONES, {8, 4, 5, 1}, SW(NONE), ZEROS},
        {"four dimensions' corner", TYPE(UINT16), 4, {40, 20, 10, 6}, {16, 8, 4, 2}, ONES, {32, 15, 8, 5}, SW(32B), ZEROS},
        {"five dimensions", TYPE(UINT8), 5, {40, 10, 6, 5, 4}, {16, 4, 3, 2, 2}, ONES, {16, 2, 1, 1, 1}, SW(NONE), ZEROS},
        {"five dimensions' corner", TYPE(UINT8), 5, {40, 10, 6, 5, 4}, {16, 4, 3, 2, 2}, ONES, {32, 8, 4, 4, 3}, SW(NONE), ZEROS},
        {"every second row", TYPE(FLOAT32), 2, {64, 64}, {16, 16}, {1, 2}, {4, 3}, SW(NONE), ZEROS},
        {"every third row", TYPE(FLOAT32), 2, {64, 64}, {16, 16}, {1, 3}, {4, 50}, SW(NONE), ZEROS},
        {"steps from before", TYPE(FLOAT32), 2, {64, 64}, {16, 16}, {1, 3}, {4, -4}, SW(NONE), ZEROS},
        {"a step along the row", TYPE(FLOAT32), 2, {64, 64}, {16, 16}, {2, 1}, {4, 3}, SW(NONE), ZEROS},
        {"steps in a volume", TYPE(FLOAT32), 3, {40, 30, 20}, {16, 8, 8}, {1, 2, 8}, {4, 4, 5}, SW(NONE), ZEROS},
        {"steps and swizzle", TYPE(FLOAT32), 3, {40, 30, 20}, {32, 15, 7}, {1, 4, 2}, {8, 4, 5}, SW(128B), ZEROS},
        {"a large box", TYPE(UINT8), 2, {300, 200}, {256, 128}, ONES, {16, 20}, SW(NONE), ZEROS},
    };
    for (const Box &b : boxes)
        run(b);
    return 0;
}
