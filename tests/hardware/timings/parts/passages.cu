// Chains of blocks: each waits for the word of the block before it, then stores its own. How long a
// word takes from the block that stores it to the block that waits for it, by kind of store and
// load.
#include "record.h"

enum kind { VOLATILE, WARP, FENCE, ACQUIRE, EXCHANGE, LOOK_BACK };

__device__ unsigned load(const unsigned *word, kind how)
{
    unsigned value;
    if (how == ACQUIRE)
        asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    else
        value = *(const volatile unsigned *)word;
    return value;
}

__device__ void store(unsigned *word, unsigned value, kind how)
{
    if (how == FENCE)
        __threadfence();
    if (how == ACQUIRE)
        asm volatile("st.release.gpu.u32 [%0], %1;" : : "l"(word), "r"(value) : "memory");
    else if (how == EXCHANGE)
        atomicExch(word, value);
    else
        *(volatile unsigned *)word = value;
}

// words: one a block. mark: a number that they do not hold yet. LOOK_BACK stores before it waits.
template <kind HOW> __global__ void chain(unsigned *words, unsigned *ticket, unsigned mark)
{
    __shared__ unsigned block; // in the order in which blocks begin
    if (threadIdx.x == 0)
        block = atomicInc(ticket, gridDim.x - 1);
    __syncthreads();
    if (HOW == LOOK_BACK && threadIdx.x == 0)
        store(&words[block], mark, HOW);
    if (block > 0 && (HOW == WARP || threadIdx.x == 0))
        while (load(&words[block - 1], HOW) != mark) {
        }
    if (HOW != LOOK_BACK && threadIdx.x == 0)
        store(&words[block], mark, HOW);
}

template <kind HOW> static void measure(const char *name, int threads)
{
    for (unsigned blocks : {1u, 2u, 33u, 132u, 264u, 1000u, 4000u, 16000u}) {
        unsigned *words, mark = 0;
        CHECK(cudaMalloc(&words, (blocks + 1) * sizeof *words));
        CHECK(cudaMemset(words, 0, (blocks + 1) * sizeof *words));
        double ms =
            median_ms([&] { chain<HOW><<<blocks, threads>>>(words, words + blocks, ++mark); });
        row(name, blocks, (size_t)blocks * threads, 0, ms);
        CHECK(cudaFree(words));
    }
}

int main()
{
    measure<VOLATILE>("passages", 32);
    measure<VOLATILE>("passages_1024", 1024);
    measure<WARP>("passages_warp", 32);
    measure<FENCE>("passages_fence", 32);
    measure<ACQUIRE>("passages_acquire", 32);
    measure<EXCHANGE>("passages_exchange", 32);
    measure<LOOK_BACK>("look_back", 32);
}
