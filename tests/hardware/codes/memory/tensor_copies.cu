/* Tensor copies that are wrong, or that the manual leaves open: what the runtime says, and what
 * came. A section each, as a fault stays. */
#include "say.h"

#include <cstdint>
#include <cuda.h>

#define ROOM 16384

struct job {
    int x, y, rank, op, to, bar_at, expect, late;
};

__device__ static uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}
__device__ static bool arrives(uint32_t bar)
{
    uint32_t done = 0;
    for (int tries = 0; tries < 2000 && !done; tries++)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0, 1000; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(bar) : "memory");
    return done;
}
__device__ static void copy(const CUtensorMap *map, const job &j, uint8_t *out, int *good)
{
    extern __shared__ __align__(1024) uint8_t memory[];
    __shared__ alignas(16) uint64_t bar[4];
    for (int i = threadIdx.x; i < ROOM; i += blockDim.x)
        memory[i] = j.op ? (uint8_t)(i * 7) : 0xee;
    const uint32_t b = shared_address(bar) + j.bar_at, to = shared_address(memory) + j.to;
    if (threadIdx.x == 0 && !(j.bar_at & 7))
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(b));
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        if (j.op == 0) {
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"(j.expect));
            if (j.rank == 1)
                asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3}], [%2];"
                             ::"r"(to), "l"(map), "r"(b), "r"(j.x) : "memory");
            else if (j.rank == 2)
                asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];"
                             ::"r"(to), "l"(map), "r"(b), "r"(j.x), "r"(j.y) : "memory");
            else if (j.rank == 3)
                asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %4}], [%2];"
                             ::"r"(to), "l"(map), "r"(b), "r"(j.x), "r"(j.y) : "memory");
            else
                asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %4, %4}], [%2], {%5, %5};"
                             ::"r"(to), "l"(map), "r"(b), "r"(j.x), "r"(j.y), "h"((short)0) : "memory");
        } else {
#define REDUCE(n, what) if (j.op == n) asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta." what ".tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map), "r"(to), "r"(j.x), "r"(j.y) : "memory")
            if (j.op == 1)
                asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];"
                             ::"l"(map), "r"(to), "r"(j.x), "r"(j.y) : "memory");
            REDUCE(2, "add"); REDUCE(3, "min"); REDUCE(4, "max"); REDUCE(5, "inc"); REDUCE(6, "dec");
            REDUCE(7, "and"); REDUCE(8, "or"); REDUCE(9, "xor");
            if (j.op == 10)
                asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(map), "r"(j.x), "r"(j.y) : "memory");
            asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
        }
    }
    bool came = j.op || arrives(b);
    __syncthreads();
    if (threadIdx.x == 0)
        *good = came;
    for (int i = threadIdx.x; i < ROOM; i += blockDim.x)
        out[i] = memory[i];
}

__global__ void by_parameter(const __grid_constant__ CUtensorMap map, job j, uint8_t *out, int *good) { copy(&map, j, out, good); }
__global__ void by_copy(CUtensorMap map, job j, uint8_t *out, int *good) { CUtensorMap mine = map; mine.opaque[15] ^= j.late; copy(&mine, j, out, good); }
__global__ void by_pointer(const CUtensorMap *map, job j, uint8_t *out, int *good) { copy(map, j, out, good); }
__global__ void by_shared(CUtensorMap map, job j, uint8_t *out, int *good)
{
    __shared__ alignas(128) CUtensorMap mine;
    if (threadIdx.x == 0)
        mine = map;
    __syncthreads();
    copy(&mine, j, out, good);
}
__constant__ CUtensorMap constant_map;
__device__ CUtensorMap device_map;
__global__ void by_constant(job j, uint8_t *out, int *good) { copy(&constant_map, j, out, good); }
__global__ void by_global(job j, uint8_t *out, int *good) { copy(&device_map, j, out, good); }

static decltype(&cuTensorMapEncodeTiled) encode;
static decltype(&cuTensorMapEncodeIm2col) encode_im2col;
static uint8_t *data, *out, host[ROOM], tensor[1 << 16];
static int *good;
static bool began;
static void begin()
{
    if (began)
        return;
    began = true;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000, cudaEnableDefault, &found);
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeIm2col", (void **)&encode_im2col, 12000, cudaEnableDefault, &found);
    cudaMalloc(&data, 1 << 16);
    cudaMalloc(&out, ROOM);
    cudaMalloc(&good, 4);
    for (int i = 0; i < 1 << 16; i++)
        tensor[i] = (uint8_t)(i * 13 + (i >> 8) * 101);
    cudaMemcpy(data, tensor, 1 << 16, cudaMemcpyHostToDevice);
    cudaFuncSetAttribute(by_parameter, cudaFuncAttributeMaxDynamicSharedMemorySize, ROOM);
}

static int type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32, fill = 0, swizzle = 0, interleave = 0, promotion = 0;
static cuuint64_t dim[5] = {64, 64, 4}, stride[5] = {256, 16384};
static cuuint32_t box[5] = {16, 8, 1}, step[5] = {1, 1, 1};
static void *address;
static CUtensorMap make(int rank = 2)
{
    begin();
    alignas(64) CUtensorMap map = {};
    CUresult r = encode(&map, (CUtensorMapDataType)type, rank, address ? address : data, dim, stride, box, step, (CUtensorMapInterleave)interleave, (CUtensorMapSwizzle)swizzle,
                        (CUtensorMapL2promotion)promotion, (CUtensorMapFloatOOBfill)fill);
    if (r)
        printf("encode gave %d\n", r);
    return map;
}
static uint64_t sum_of(const uint8_t *p, int n)
{
    uint64_t h = 0xcbf29ce484222325ull;
    for (int i = 0; i < n; i++)
        h = (h ^ p[i]) * 0x100000001b3ull;
    return h;
}
static void said(const char *name)
{
    char full[200];
    cudaError_t launched = cudaGetLastError();
    snprintf(full, sizeof full, "%s", name);
    if (launched) {
        SAY(full, launched);
        return;
    }
    cudaError_t e = cudaDeviceSynchronize();
    SAY(full, e);
    if (e)
        return;
    int came = 0;
    cudaMemcpy(&came, good, 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(host, out, ROOM, cudaMemcpyDeviceToHost);
    snprintf(full, sizeof full, "%s came", name);
    SHOW(full, "%d %016llx", came, (unsigned long long)sum_of(host, ROOM));
}
static void bytes(const char *name, int n = 64)
{
    printf("%s\t", name);
    for (int i = 0; i < n; i++)
        printf("%02x", host[i]);
    printf("\n");
}
static void load(const char *name, const CUtensorMap &map, job j)
{
    by_parameter<<<1, 128, ROOM>>>(map, j, out, good);
    said(name);
}
#define USUAL {.x = 4, .y = 4, .rank = 2, .op = 0, .to = 0, .bar_at = 0, .expect = 512}
#define SECTION(name, ...) static void name() { job j = USUAL; (void)j; begin(); __VA_ARGS__; }

SECTION(fine, load("as it should be", make(), j))
SECTION(to_16, j.to = 16; load("to 16 bytes behind a multiple of 128", make(), j))
SECTION(to_64, j.to = 64; load("to 64 bytes behind a multiple of 128", make(), j))
SECTION(to_8, j.to = 8; load("to 8 bytes behind a multiple of 128", make(), j))
SECTION(to_128_swizzled, j.to = 128; swizzle = 3; load("swizzle 128 to 128 bytes behind", make(), j))
SECTION(to_256_swizzled, j.to = 256; swizzle = 3; load("swizzle 128 to 256 bytes behind", make(), j))
SECTION(to_512_swizzled, j.to = 512; swizzle = 3; load("swizzle 128 to 512 bytes behind", make(), j))
SECTION(from_16, j.op = 1; j.to = 16; load("store from 16 bytes behind", make(), j))
SECTION(from_64, j.op = 1; j.to = 64; load("store from 64 bytes behind", make(), j))
SECTION(bar_4, j.bar_at = 4; load("a barrier that is not aligned", make(), j))
SECTION(to_end, j.to = ROOM - 128; load("beyond the shared memory", make(), j))
SECTION(far_end, j.to = 230 << 10; load("far beyond the shared memory", make(), j))
SECTION(expects_more, j.expect = 528; load("16 bytes too many expected", make(), j))
SECTION(zeros, CUtensorMap m = {}; load("a map of zeros", m, j))
SECTION(garbage, CUtensorMap m; memset(&m, 0xa5, sizeof m); load("a map of garbage", m, j))
SECTION(pattern, CUtensorMap m; for (int i = 0; i < 16; i++) m.opaque[i] = i * 0x0101010101010101ull; load("a map of a pattern", m, j))
SECTION(other_rank_1, j.rank = 1; load("1d with a map of rank 2", make(2), j))
SECTION(other_rank_2, load("2d with a map of rank 1", make(1), j))
SECTION(other_rank_3, load("2d with a map of rank 3", make(3), j))
SECTION(other_rank_4, j.rank = 3; load("3d with a map of rank 2", make(2), j))
SECTION(not_im2col, j.rank = 4; dim[3] = 2; stride[2] = 65536; box[3] = 1; step[3] = 1; load("im2col with a map of tiles", make(4), j))
SECTION(no_memory, address = (void *)0x7000000000ull; load("a map of memory that is none", make(), j))
SECTION(store_no_memory, j.op = 1; address = (void *)0x7000000000ull; load("store with a map of memory that is none", make(), j))
SECTION(prefetch_no_memory, j.op = 10; address = (void *)0x7000000000ull; load("prefetch with a map of memory that is none", make(), j))
SECTION(prefetches, j.op = 10; load("prefetch", make(), j))
SECTION(of_host, alignas(128) static char v[1 << 15]; address = v; load("a map of the host's memory", make(), j))
SECTION(copied, CUtensorMap m = make(); by_copy<<<1, 128, ROOM>>>(m, j, out, good); said("a map copied to local memory"))
SECTION(constants, CUtensorMap m = make(); cudaMemcpyToSymbol(constant_map, &m, sizeof m); by_constant<<<1, 128, ROOM>>>(j, out, good); said("a map in constant memory"))
SECTION(globals, CUtensorMap m = make(); cudaMemcpyToSymbol(device_map, &m, sizeof m); by_global<<<1, 128, ROOM>>>(j, out, good); said("a map in global memory"))
SECTION(pointed, CUtensorMap m = make(), *p; cudaMalloc(&p, 1024); cudaMemcpy(p, &m, sizeof m, cudaMemcpyHostToDevice); by_pointer<<<1, 128, ROOM>>>(p, j, out, good); said("a map in allocated memory"))
SECTION(pointed_64, CUtensorMap m = make(); char *p; cudaMalloc(&p, 1024); cudaMemcpy(p + 64, &m, sizeof m, cudaMemcpyHostToDevice); by_pointer<<<1, 128, ROOM>>>((CUtensorMap *)(p + 64), j, out, good); said("a map 64 bytes behind a multiple of 128"))
SECTION(pointed_16, CUtensorMap m = make(); char *p; cudaMalloc(&p, 1024); cudaMemcpy(p + 16, &m, sizeof m, cudaMemcpyHostToDevice); by_pointer<<<1, 128, ROOM>>>((CUtensorMap *)(p + 16), j, out, good); said("a map 16 bytes behind a multiple of 128"))
SECTION(pointed_none, by_pointer<<<1, 128, ROOM>>>((CUtensorMap *)0x7000000000ull, j, out, good); said("a map where there is no memory"))
SECTION(pointed_null, by_pointer<<<1, 128, ROOM>>>(NULL, j, out, good); said("a map at NULL"))
SECTION(pinned, CUtensorMap m = make(), *p; cudaMallocHost(&p, 1024); *p = m; by_pointer<<<1, 128, ROOM>>>(p, j, out, good); said("a map in pinned memory"))
SECTION(at_3, j.x = 3; load("at 12 bytes of a row", make(), j))
SECTION(store_at_3, j.x = 3; j.op = 1; load("store at 12 bytes of a row", make(), j))
SECTION(load_before, j.y = -3; load("a box that begins before the tensor", make(), j))
SECTION(store_before, j.y = -3; j.op = 1; load("store of a box that begins before the tensor", make(), j))
SECTION(store_behind, j.y = 60; j.op = 1; load("store of a box that ends behind the tensor", make(), j))
SECTION(shared_map, by_shared<<<1, 128, ROOM>>>(make(), j, out, good); said("a map copied to shared memory"))

/* Reductions of a type: BITS of those that there are. */
static void reduce(int t, unsigned bits)
{
    const int size[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    const char *op[] = {"", "store", "add", "min", "max", "inc", "dec", "and", "or", "xor"};
    begin();
    type = t;
    stride[0] = 64 * size[t];
    box[0] = 16;
    for (int n = 2; n < 10; n++) {
        job j = USUAL;
        j.op = n;
        j.x = 16;
        if (!(bits >> n & 1))
            continue;
        char name[100];
        snprintf(name, sizeof name, "reduction of type %d, %s", t, op[n]);
        cudaMemcpy(data, tensor, 1 << 16, cudaMemcpyHostToDevice);
        by_parameter<<<1, 128, ROOM>>>(make(), j, out, good);
        cudaError_t e = cudaDeviceSynchronize();
        SAY(name, e);
        if (e)
            return;
        static uint8_t after[1 << 16];
        cudaMemcpy(after, data, 1 << 16, cudaMemcpyDeviceToHost);
        strcat(name, " made");
        SHOW(name, "%016llx%s", (unsigned long long)sum_of(after, 1 << 16), memcmp(after, tensor, 1 << 16) ? "" : " nothing");
    }
}
static void reductions()
{
    const unsigned add = 4, min_max = 24, counts = 96, bitwise = 896;
    reduce(2, add | min_max | counts | bitwise);
    reduce(3, add | min_max | bitwise);
    reduce(4, add | min_max | bitwise);
    reduce(5, min_max);
    reduce(6, add | min_max);
    for (int t : {7, 8, 9, 10, 11, 12})
        reduce(t, add);
    reduce(9, min_max);
}
template <int t, int n> static void reduction() { reduce(t, 1u << n); }

/* What of special numbers comes, by type, and what fills boxes that stick out. */
static void values()
{
    begin();
    const uint32_t word[16] = {0, 0x80000000, 1, 0x807fffff, 0x3f800000, 0x3f801fff, 0x3f800fff, 0x3f801000, 0x3f803000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffffffff, 0x7f7fffff, 0x00012345};
    cudaMemcpy(data, word, sizeof word, cudaMemcpyHostToDevice);
    for (int t = 0; t <= 12; t++)
        for (int f = 0; f <= (t >= 6); f++) {
            const int size[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
            type = t;
            fill = f;
            dim[0] = 64 / size[t];
            box[0] = 128 / size[t];
            stride[0] = 64;
            dim[1] = box[1] = 1;
            job j = {.x = -(16 / size[t]), .y = 0, .rank = 2, .op = 0, .to = 0, .bar_at = 0, .expect = 128};
            char name[100];
            snprintf(name, sizeof name, "type %d, fill %d", t, f);
            load(name, make(), j);
            strcat(name, " bytes");
            bytes(name, 128);
        }
}
/* What is written of floats that a type rounds. */
static void stored_values()
{
    begin();
    for (int t : {7, 10, 11, 12}) {
        type = t;
        cudaMemset(data, 0, 1 << 16);
        dim[0] = 64; dim[1] = 64; stride[0] = 256; box[0] = 16; box[1] = 8;
        job j = {.x = 0, .y = 0, .rank = 2, .op = 1, .to = 0};
        char name[100];
        snprintf(name, sizeof name, "stored as type %d", t);
        load(name, make(), j);
        cudaMemcpy(host, data, 2048, cudaMemcpyDeviceToHost);
        strcat(name, " bytes");
        bytes(name, 64);
    }
}

int main(int argc, char **argv)
{
#define S(name) {#name, name}
    const section all[] = {S(fine), S(to_16), S(to_64), S(to_8), S(to_128_swizzled), S(to_256_swizzled), S(to_512_swizzled), S(from_16), S(from_64), S(bar_4), S(to_end), S(far_end),
                           S(expects_more), S(zeros), S(garbage), S(pattern), S(other_rank_1), S(other_rank_2), S(other_rank_3), S(other_rank_4), S(not_im2col), S(no_memory),
                           S(store_no_memory), S(prefetch_no_memory), S(prefetches), S(of_host), S(copied), S(constants), S(globals), S(pointed), S(pointed_64), S(pointed_16), S(pointed_none), S(pointed_null), S(pinned), S(at_3), S(store_at_3), S(load_before), S(store_before), S(store_behind), S(shared_map),
S(reductions), {"add_0", reduction<0, 2>}, {"and_1", reduction<1, 7>}, {"inc_3", reduction<3, 5>}, {"add_5", reduction<5, 2>}, {"xor_5", reduction<5, 9>},
                           {"inc_6", reduction<6, 5>}, {"and_6", reduction<6, 7>}, {"min_7", reduction<7, 3>}, {"or_7", reduction<7, 8>}, {"max_8", reduction<8, 4>}, {"min_11", reduction<11, 3>},
                           S(values), S(stored_values)};
    return run_sections(all, sizeof all / sizeof *all, argc, argv);
}
