/* What a warp's load from another block of its cluster costs by the lanes that take part and the
 * words that they ask for, how long it waits for one, and what the start of a cluster costs. */
#include "record.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

enum { WORDS = 2048, TURNS = 1024 };

enum reading {
    SAME_WORD,   /* all lanes ask for one word */
    ONE_LANE,    /* the other lanes ask for none */
    LINE,        /* 32 neighbouring words */
    SECTOR,      /* 8 neighbouring words, each by four lanes */
    SECTORS,     /* a word of each of 32 sectors */
    EIGHT_BLOCKS /* lanes 0 to 7 ask for a word of each block, the others for none */
};

/* TURNS loads a warp, of the block beside this one; those of a turn need no others. */
template <reading HOW> __global__ void __cluster_dims__(8) cluster_load(float *out)
{
    __shared__ float memory[WORDS + 256];
    cg::cluster_group cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < WORDS; i += blockDim.x)
        memory[i] = i;
    cluster.sync();
    const int lane = threadIdx.x % 32, beside = (cluster.block_rank() + 1) % 8;
    const int word = HOW == LINE ? lane : HOW == SECTOR ? lane / 4 : HOW == SECTORS ? 8 * lane : 0;
    const volatile float *from =
        cluster.map_shared_rank(memory, HOW == EIGHT_BLOCKS ? lane % 8 : beside) + word;
    float sum = 0;
    if ((HOW != ONE_LANE || lane == 0) && (HOW != EIGHT_BLOCKS || lane < 8))
        for (int k = 0; k < TURNS; k++)
            sum += from[32 * k % WORDS];
    cluster.sync();
    if (sum == 12345.0f)
        out[0] = sum;
}

/* TURNS loads of one thread, of which each says where the next one is, from the block DISTANCE
 * further. */
__global__ void __cluster_dims__(8) cluster_chain(int *out, int distance)
{
    __shared__ int memory[WORDS];
    cg::cluster_group cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < WORDS; i += blockDim.x)
        memory[i] = (i + 33) % WORDS;
    cluster.sync();
    const int *from = cluster.map_shared_rank(memory, (cluster.block_rank() + distance) % 8);
    int at = 0;
    if (threadIdx.x == 0)
        for (int k = 0; k < TURNS; k++)
            at = from[at];
    cluster.sync();
    if (at == -1)
        out[0] = at;
}

__global__ void empty(float *out, int turns)
{
    if (turns < 0)
        out[0] = 1;
}
__global__ void __cluster_dims__(2) empty_2(float *out, int turns)
{
    if (turns < 0)
        out[0] = 1;
}
__global__ void __cluster_dims__(8) empty_8(float *out, int turns)
{
    if (turns < 0)
        out[0] = 1;
}

/* One round of a row: a load of 8 words a thread, TURNS2 waits of the cluster, a store. */
__global__ void __cluster_dims__(8) rows(float *out, const float *in, int waits)
{
    cg::cluster_group cluster = cg::this_cluster();
    const size_t at = (size_t)blockIdx.x * WORDS + threadIdx.x;
    float v[8];
    for (int k = 0; k < 8; k++)
        v[k] = in[at + k * 256];
    for (int k = 0; k < waits; k++)
        cluster.sync();
    for (int k = 0; k < 8; k++)
        out[at + k * 256] = v[k] + 1;
}
__global__ void rows_apart(float *out, const float *in, int waits)
{
    const size_t at = (size_t)blockIdx.x * WORDS + threadIdx.x;
    float v[8];
    for (int k = 0; k < 8; k++)
        v[k] = in[at + k * 256];
    for (int k = 0; k < waits; k++)
        __syncthreads();
    for (int k = 0; k < 8; k++)
        out[at + k * 256] = v[k] + 1;
}

/* TURNS / 4 turns of a store a thread to global memory, STORES, and what follows it. */
enum following { NOTHING, BLOCK_BARRIER, FENCE, CLUSTER_BARRIER };

template <following WHAT, bool STORES> __global__ void __cluster_dims__(8) turns(float *out)
{
    cg::cluster_group cluster = cg::this_cluster();
    volatile float *to = out + (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < TURNS / 4; k++) {
        if (STORES)
            to[(size_t)(k % 16) * gridDim.x * blockDim.x] = k;
        if (WHAT == BLOCK_BARRIER)
            __syncthreads();
        if (WHAT == FENCE)
            __threadfence();
        if (WHAT == CLUSTER_BARRIER)
            cluster.sync();
    }
}

template <following WHAT, bool STORES> static void turns_of(const char *name, float *out)
{
    for (unsigned threads : {32u, 128u, 256u, 1024u})
        for (unsigned blocks : {8u, 264u, 1056u})
            if (blocks * threads <= 1056 * 256)
                measure(
                    name, blocks, threads, 0,
                    [&] { turns<WHAT, STORES><<<blocks, threads>>>(out); });
}

template <reading HOW> static void loads(const char *name, float *out)
{
    for (unsigned blocks : {8u, 264u, 1056u})
        for (unsigned threads : {32u, 256u})
            measure(
                name, blocks, threads, 0, [&] { cluster_load<HOW><<<blocks, threads>>>(out); });
}

int main()
{
    const size_t n = (size_t)1 << (timings().log2_most < 26 ? timings().log2_most : 26);
    device_array<float> in(n), out(n);
    loads<SAME_WORD>("same_word", out.p);
    loads<ONE_LANE>("one_lane", out.p);
    loads<LINE>("line", out.p);
    loads<SECTOR>("sector", out.p);
    loads<SECTORS>("sectors", out.p);
    loads<EIGHT_BLOCKS>("eight_blocks", out.p);
    for (int distance : {0, 1, 4})
        measure("chain", distance, TURNS, 0,
                [&] { cluster_chain<<<8, 32>>>((int *)out.p, distance); });
    for (unsigned blocks : {264u, 1056u})
        measure("chains", blocks, TURNS, 0,
                [&] { cluster_chain<<<blocks, 32>>>((int *)out.p, 1); });
    for (unsigned blocks : {1056u, 8448u, 67584u}) {
        measure(
            "empty", blocks, 256, 0, [&] { empty<<<blocks, 256>>>(out.p, 0); });
        measure(
            "empty_2", blocks, 256, 0, [&] { empty_2<<<blocks, 256>>>(out.p, 0); });
        measure("empty_8", blocks, 256, 0, [&] { empty_8<<<blocks, 256>>>(out.p, 0); });
    }
    turns_of<NOTHING, true>("stores", out.p);
    turns_of<BLOCK_BARRIER, true>("stores_barrier", out.p);
    turns_of<FENCE, true>("stores_fence", out.p);
    turns_of<CLUSTER_BARRIER, true>("stores_cluster", out.p);
    turns_of<CLUSTER_BARRIER, false>("cluster", out.p);
    const unsigned tiles = (unsigned)(n / WORDS);
    for (int waits : {0, 1, 2, 4, 8}) {
        measure(
            "rows", waits, n, 8.0 * n, [&] { rows<<<tiles, 256>>>(out.p, in.p, waits); });
        measure("rows_apart", waits, n, 8.0 * n,
                [&] { rows_apart<<<tiles, 256>>>(out.p, in.p, waits); });
    }
    return 0;
}
