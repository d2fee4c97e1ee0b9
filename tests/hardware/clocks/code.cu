/* Code that is larger than the caches of instructions: a loop over so many KB of machine code, in four
 * chains that issue an instruction in every cycle, or in one chain. */
#include "clocks.h"

enum { TURNS = 4, BYTES = 16 };

/* 64 products, a KB of machine code. */
template <int CHAINS> __device__ void kilobyte(float *x)
{
#pragma unroll
    for (int k = 0; k < 1024 / BYTES; k++)
        x[k % CHAINS] = x[k % CHAINS] * 0.999f + 0.5f;
}

/* cycles[0]: of the first iteration, cycles[1]: of the last, by the first warp. */
template <int KB, int CHAINS> __global__ void code(long long *cycles, float *out)
{
    float x[CHAINS];
    for (int c = 0; c < CHAINS; c++)
        x[c] = threadIdx.x + c;
    long long first = 0, last = 0;
#pragma unroll 1
    for (int turn = 0; turn < TURNS; turn++) {
        const long long start = clock64();
#pragma unroll
        for (int k = 0; k < KB; k++)
            kilobyte<CHAINS>(x);
        last = clock64() - start;
        first = turn ? first : last;
    }
    float sum = 0;
    for (int c = 0; c < CHAINS; c++)
        sum += x[c];
    out[threadIdx.x] = sum;
    if (threadIdx.x == 0) {
        cycles[0] = first;
        cycles[1] = last;
    }
}

template <int KB, int CHAINS> static void measure_code(float *out)
{
    static const char *const names[][2] = {{"code.first", "code.last"},
                                           {"code_chain.first", "code_chain.last"}};
    for (int warps : {1, 4})
        sample_all(names[CHAINS == 1], 2, KB + warps / 100.0, KB * 1024 / BYTES,
                   [&](long long *c) { code<KB, CHAINS><<<1, 32 * warps>>>(c, out); });
}

int main()
{
    float *out;
    CHECK(cudaMalloc(&out, 4096));
    measure_code<4, 4>(out);
    measure_code<16, 4>(out);
    measure_code<30, 4>(out);
    measure_code<48, 4>(out);
    measure_code<64, 4>(out);
    measure_code<96, 4>(out);
    measure_code<120, 4>(out);
    measure_code<160, 4>(out);
    measure_code<192, 4>(out);
    measure_code<64, 1>(out);
    measure_code<192, 1>(out);
    return 0;
}
