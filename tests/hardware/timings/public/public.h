/* What the programs of this folder share: kernels in the shape of public collections, written by
 * subject. Each reads floats below 1 (IN) and random words (WORDS) and writes OUT, N elements each.
 */
#pragma once

#include "record.h"

#include <cfloat>
#include <string>

typedef void kernel_of_three(float *out, const float *in, const unsigned *words, int n);

#define KERNEL(name)                                                                   \
    static __global__ void name(float *__restrict__ out, const float *__restrict__ in, \
                                const unsigned *__restrict__ words, int n)
#define INDEX ((int)(blockIdx.x * blockDim.x + threadIdx.x))

struct public_kernel {
    const char *name;
    kernel_of_three *run;
    int blocks, threads;
};

static __global__ void public_inputs(float *in, unsigned *words, int n)
{
    for (int i = INDEX; i < n; i += gridDim.x * blockDim.x) {
        unsigned x = i * 0x9e3779b9u + 1;
        x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu, x ^= x >> 16;
        words[i] = x;
        in[i] = (x >> 8) / 16777216.0f;
    }
}

static __global__ void nothing(float *out)
{
    if (!out)
        *out = 1;
}

/* Measure the kernels with 2^22 elements, and in turn with each of them an empty one: between two
 * events a GPU waits for the host too, for about a microsecond more or less from process to
 * process. A row NAME.nothing tells how long the empty kernel took. */
template <size_t count> static int measure_all(const public_kernel (&kernels)[count])
{
    const int n = 1 << 22;
    device_array<float> out(n), in(n);
    device_array<unsigned> words(n);
    public_inputs<<<1024, 256>>>(in.p, words.p, n);
    for (const public_kernel &k : kernels) {
        const std::vector<double> ms =
            medians_ms([&] { k.run<<<k.blocks, k.threads>>>(out.p, in.p, words.p, n); },
                       [&] { nothing<<<132, 256>>>(out.p); });
        row(k.name, -1, n, 0, ms[0]);
        row((std::string(k.name) + ".nothing").c_str(), -1, n, 0, ms[1]);
    }
    return 0;
}
