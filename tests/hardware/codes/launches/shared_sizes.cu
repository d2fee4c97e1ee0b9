/* What a kernel is said to use of shared memory: static, dynamic, both, and neither after all. */
#include "say.h"

#include <string>
#include <vector>

#include <cuda.h>

extern __shared__ int words[];
extern __shared__ __align__(16) char bytes[];

__global__ void none(int *p)
{
    *p = 1;
}
__global__ void dynamic_words(int *p)
{
    words[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = words[31 - threadIdx.x];
}
__global__ void dynamic_bytes(int *p)
{
    bytes[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = bytes[31 - threadIdx.x];
}
__global__ void fixed(int *p)
{
    __shared__ int room[32];
    room[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = room[31 - threadIdx.x];
}
__global__ void odd(char *p)
{
    __shared__ char room[33];
    room[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = room[32 - threadIdx.x];
}
__global__ void odd_two(char *p)
{
    __shared__ char room[33];
    __shared__ double more[3];
    room[threadIdx.x] = p[threadIdx.x];
    more[threadIdx.x % 3] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = room[32 - threadIdx.x] + more[threadIdx.x % 2];
}
__global__ void both(int *p)
{
    __shared__ int room[25];
    room[threadIdx.x % 25] = p[threadIdx.x];
    words[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = words[31 - threadIdx.x] + room[threadIdx.x % 24];
}
__global__ void unused(int *p)
{
    __shared__ int room[100];
    *p = 2;
}
__global__ void written_only(int *p)
{
    __shared__ int room[100];
    room[threadIdx.x] = 5;
    *p = 2;
}
__global__ void most(int *p)
{
    __shared__ int room[12288];
    room[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = room[31 - threadIdx.x];
}
__global__ void __cluster_dims__(2, 1, 1) clustered(int *p)
{
    __shared__ int room[32];
    room[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = room[31 - threadIdx.x];
}

#define SHAPE(name, k)                                                                \
    do {                                                                              \
        cudaFuncAttributes a = {};                                                    \
        SAY(name, cudaFuncGetAttributes(&a, (const void *)(k)));                      \
        SHOW(name " sizes", "%zu %d %d %zu %zu %d", a.sharedSizeBytes,                \
             a.maxDynamicSharedSizeBytes, a.preferredShmemCarveout, a.constSizeBytes, \
             a.localSizeBytes, a.maxThreadsPerBlock);                                 \
        size_t left = 0;                                                              \
        cudaError_t e_ = cudaOccupancyAvailableDynamicSMemPerBlock(&left, k, 2, 128); \
        SHOW(name " left for 2 blocks", "%s %zu", cudaGetErrorName(e_), left);        \
        int blocks = 0;                                                               \
        e_ = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, k, 32, 20000);    \
        SHOW(name " blocks with 20000", "%s %d", cudaGetErrorName(e_), blocks);       \
    } while (0)
#define SIZES(k)                                                                                \
    do {                                                                                        \
        SHAPE(#k, k);                                                                           \
        SAY(#k " may have 1000",                                                                \
            cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 1000));        \
        SHAPE(#k " with 1000", k);                                                              \
        SAY(#k " may have 60001",                                                               \
            cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 60001));       \
        SHAPE(#k " with 60001", k);                                                             \
        k<<<2, 32, 40000>>>(p);                                                                 \
        SAY(#k " launched with 40000", cudaDeviceSynchronize());                                \
        SHAPE(#k " after", k);                                                                  \
        k<<<2, 32, 60001>>>(p);                                                                 \
        SAY(#k " launched with 60001", cudaGetLastError());                                     \
        k<<<2, 32, 60002>>>(p);                                                                 \
        SAY(#k " launched with 60002", cudaGetLastError());                                     \
        for (int n : {0, 233472 - 1024, 232448 - 128, 232448 - 100, 232448, 232449, -1}) {      \
            SAY((std::string(#k " may have ") + std::to_string(n)).c_str(),                     \
                cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, n));       \
        }                                                                                       \
        cudaFuncAttributes last = {};                                                           \
        cudaFuncGetAttributes(&last, (const void *)k);                                          \
        SHOW(#k " in the end", "%zu %d", last.sharedSizeBytes, last.maxDynamicSharedSizeBytes); \
    } while (0)

static void runtime()
{
    int *p;
    cudaMalloc(&p, 4096);
    cudaMemset(p, 0, 4096);
    SIZES(none);
    SIZES(dynamic_words);
    SIZES(dynamic_bytes);
    SIZES(fixed);
    SIZES(both);
    SIZES(unused);
    SIZES(written_only);
    SIZES(clustered);
    SHAPE("odd", (void (*)(char *))odd);
    SHAPE("odd_two", (void (*)(char *))odd_two);
    SHAPE("most", most);
    int v = 0;
    SAY("reserved", cudaDeviceGetAttribute(&v, cudaDevAttrReservedSharedMemoryPerBlock, 0));
    SHOW("reserved bytes", "%d", v);
}

/* Text of PTX, and what its kernels are said to use. */
static void of_text(const char *name, const char *body)
{
    std::string text = ".version 7.0\n.target sm_70\n.address_size 64\n";
    text += body;
    CUmodule m = NULL;
    CUfunction f[8];
    unsigned n = 0;
    if (CUresult r = cuModuleLoadData(&m, text.c_str())) {
        SHOW(name, "%d", (int)r);
        return;
    }
    for (const char *k : {"a", "b"}) {
        if (cuModuleGetFunction(&f[0], m, k)) {
            continue;
        }
        std::string full = std::string(name) + " " + k;
        int shared = -1, room = -1;
        cuFuncGetAttribute(&shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, f[0]);
        cuFuncGetAttribute(&room, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, f[0]);
        SHOW(full.c_str(), "%d %d", shared, room);
    }
}

static void texts()
{
    CUcontext c;
    cuInit(0);
    cuDevicePrimaryCtxRetain(&c, 0);
    cuCtxSetCurrent(c);
    of_text("unused in the kernel",
            ".visible .entry a(.param .u64 p) { .shared .align 4 .b8 room[1024]; ret; }\n");
    of_text("unused in the module",
            ".shared .align 4 .b8 room[1024];\n.visible .entry a(.param .u64 p) { ret; }\n");
    of_text("of one of two", ".shared .align 4 .b8 room[1024];\n"
                             ".visible .entry a(.param .u64 p) { .reg .b32 %r; "
                             "ld.volatile.shared.u32 %r,[room]; ret; }\n"
                             ".visible .entry b(.param .u64 p) { ret; }\n");
    of_text("written only",
            ".shared .align 4 .b8 room[1024];\n"
            ".visible .entry a(.param .u64 p) { st.shared.u32 [room],1; ret; }\n"
            ".visible .entry b(.param .u64 p) { st.volatile.shared.u32 [room],1; ret; }\n");
    of_text("read and not used",
            ".shared .align 4 .b8 room[1024];\n"
            ".visible .entry a(.param .u64 p) { .reg .b32 %r; ld.shared.u32 %r,[room]; ret; }\n");
    of_text("address only",
            ".shared .align 4 .b8 room[1024];\n"
            ".visible .entry a(.param .u64 p) { .reg .b64 %d<3>; ld.param.u64 %d1,[p]; mov.u64 "
            "%d2,room; st.global.u64 [%d1],%d2; ret; }\n");
    of_text("two of different alignment",
            ".shared .align 1 .b8 one[3];\n.shared .align 16 .b8 two[20];\n"
            ".visible .entry a(.param .u64 p) { .reg .b32 %r; ld.volatile.shared.u8 %r,[one]; "
            "ld.volatile.shared.u32 %r,[two]; ret; }\n"
            ".visible .entry b(.param .u64 p) { .reg .b32 %r; ld.volatile.shared.u8 %r,[one]; ret; "
            "}\n");
    of_text("by a function", ".shared .align 4 .b8 room[512];\n.func f() { .reg .b32 %r; "
                             "ld.volatile.shared.u32 %r,[room]; ret; }\n"
                             ".visible .entry a(.param .u64 p) { call f; ret; }\n"
                             ".visible .entry b(.param .u64 p) { ret; }\n");
    of_text("dynamic", ".extern .shared .align 16 .b8 room[];\n"
                       ".visible .entry a(.param .u64 p) { .reg .b32 %r; ld.volatile.shared.u32 "
                       "%r,[room]; ret; }\n");
    of_text("dynamic after 5 bytes",
            ".shared .align 1 .b8 five[5];\n.extern .shared .align 128 .b8 room[];\n"
            ".visible .entry a(.param .u64 p) { .reg .b32 %r; ld.volatile.shared.u8 %r,[five]; "
            "ld.volatile.shared.u32 %r,[room]; ret; }\n"
            ".visible .entry b(.param .u64 p) { .reg .b32 %r; ld.volatile.shared.u8 %r,[five]; "
            "ret; }\n");
    of_text("5 bytes after dynamic",
            ".extern .shared .align 128 .b8 room[];\n.shared .align 1 .b8 five[5];\n"
            ".visible .entry a(.param .u64 p) { .reg .b32 %r; ld.volatile.shared.u8 %r,[five]; "
            "ld.volatile.shared.u32 %r,[room]; ret; }\n");
    of_text("two dynamic",
            ".extern .shared .align 4 .b8 room[];\n.extern .shared .align 1024 .b8 more[];\n"
            ".visible .entry a(.param .u64 p) { .reg .b32 %r; ld.volatile.shared.u32 %r,[more]; "
            "ld.volatile.shared.u32 %r,[room]; ret; }\n");
}

static const section sections[] = {{"runtime", runtime}, {"texts", texts}};

int main(int argc, char **argv)
{
    return run_sections(sections, sizeof sections / sizeof *sections, argc, argv);
}
