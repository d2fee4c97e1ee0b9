// Fused multiply-adds and nothing else, by the registers that each reads: how many turns of a
// scheduler one takes.
#include "record.h"

enum { CHAINS = 16, ROUNDS = 4096, THREADS = 256 };
enum kind { ONE, TWO, ONE_SHARED, THREE };

// ONE: its own sum. TWO: that and a factor. ONE_SHARED: those and a factor that the one before
// reads too. THREE: those and a factor of its own.
template <kind HOW> __global__ void add(float *out, const float *in)
{
    float x[CHAINS], a[CHAINS], b[CHAINS];
    for (int c = 0; c < CHAINS; c++)
        x[c] = threadIdx.x + c, a[c] = in[c], b[c] = in[CHAINS + c];
#pragma unroll 4
    for (int r = 0; r < ROUNDS; r++)
        for (int c = 0; c < CHAINS; c++)
            x[c] = HOW == ONE          ? fmaf(x[c], 0.999f, 0.01f)
                   : HOW == TWO        ? fmaf(x[c], a[c], 0.01f)
                   : HOW == ONE_SHARED ? fmaf(a[0], b[c], x[c])
                                       : fmaf(a[c], b[c], x[c]);
    float sum = 0;
    for (int c = 0; c < CHAINS; c++)
        sum += x[c];
    out[blockIdx.x * THREADS + threadIdx.x] = sum;
}

template <kind HOW> static void measure(const char *name, float *out, const float *in)
{
    for (unsigned blocks : {264u, 1056u})
        row(name, blocks, (size_t)blocks * THREADS, 0,
            median_ms([&] { add<HOW><<<blocks, THREADS>>>(out, in); }));
}

int main()
{
    float *out, *in;
    CHECK(cudaMalloc(&out, 1056 * THREADS * sizeof *out));
    CHECK(cudaMalloc(&in, 2 * CHAINS * sizeof *in));
    CHECK(cudaMemset(in, 0, 2 * CHAINS * sizeof *in));
    measure<ONE>("one", out, in);
    measure<TWO>("two", out, in);
    measure<ONE_SHARED>("one_shared", out, in);
    measure<THREE>("three", out, in);
}
