/* Chains of arithmetic: each step needs the result before it, or four chains go side by side;
 * unrolled, in a loop, and by several warps of a block. */
#include "clocks.h"

#include <cuda_fp16.h>

enum { STEPS = 128 };

template <class T> struct vary {
    static __device__ T value(int seed)
    {
        return (T)(seed + threadIdx.x % 3);
    }
};
template <> struct vary<__half2> {
    static __device__ __half2 value(int seed)
    {
        return __floats2half2_rn(seed, 1);
    }
};

#define OP(NAME, TYPE, BODY)                           \
    struct of_##NAME {                                 \
        typedef TYPE type;                             \
        static __device__ void step(TYPE &x, TYPE y)   \
        {                                              \
            BODY                                       \
        }                                              \
    };
#include "arithmetic.def"
#undef OP

/* CHAINS chains of STEPS / CHAINS steps, the second time round: its instructions are then there. */
template <class OF, int CHAINS>
__global__ void unrolled(long long *cycles, typename OF::type *out, int seed)
{
    typedef typename OF::type T;
    T x[CHAINS], y = vary<T>::value(seed);
    for (int c = 0; c < CHAINS; c++)
        x[c] = vary<T>::value(seed + c + 1);
    long long took = 0;
#pragma unroll 1
    for (int k = 0; k < 3; k++) {
        __syncthreads();
        long long start = clock64();
#pragma unroll
        for (int s = 0; s < STEPS; s++)
            OF::step(x[s % CHAINS], y);
        took = clock64() - start;
    }
    for (int c = 0; c < CHAINS; c++)
        out[threadIdx.x * CHAINS + c] = x[c];
    if (threadIdx.x == blockDim.x - 1)
        cycles[0] = took;
}

/* The same in a loop of 16 steps. */
template <class OF> __global__ void looped(long long *cycles, typename OF::type *out, int seed, int n)
{
    typedef typename OF::type T;
    T x = vary<T>::value(seed + 1), y = vary<T>::value(seed);
    long long start = clock64();
#pragma unroll 1
    for (int k = 0; k < n; k++) {
#pragma unroll
        for (int s = 0; s < 16; s++)
            OF::step(x, y);
    }
    long long took = clock64() - start;
    out[threadIdx.x] = x;
    if (threadIdx.x == 0)
        cycles[0] = took;
}

/* The kernels of one operation. One function for all operations launches them: a template for each
 * would be most of what the host's compiler has to do. */
struct kernels {
    const void *chain, *four, *loop;
};

template <class OF> kernels kernels_of()
{
    return {(const void *)unrolled<OF, 1>, (const void *)unrolled<OF, 4>, (const void *)looped<OF>};
}

static void measure_one(const char *name, const char *what, double x, int warps, const void *kernel)
{
    static void *out;
    if (!out)
        CHECK(cudaMalloc(&out, 1 << 16));
    char label[64];
    snprintf(label, sizeof label, "%s.%s", name, what);
    sample(label, x, STEPS, [&](long long *cycles) {
        int seed = 3, n = STEPS / 16; /* n: of the loop alone */
        void *arguments[] = {&cycles, &out, &seed, &n};
        CHECK(cudaLaunchKernel(kernel, dim3(1), dim3(32 * warps), arguments, 0, 0));
    });
}

static void measure(const char *name, bool crowds, const kernels &k)
{
    measure_one(name, "chain", -1, 1, k.chain);
    measure_one(name, "four", -1, 1, k.four);
    measure_one(name, "loop", -1, 1, k.loop);
    for (int warps = 2; crowds && warps <= 32; warps *= 2) {
        measure_one(name, "chain.warps", warps, warps, k.chain);
        if (warps > 4)
            measure_one(name, "four.warps", warps, warps, k.four);
    }
}

int main()
{
    const char *crowded = " add_s32 mul_s32 fma_f32 fma_f64 ex2 popc shfl half_fma ";
#define OP(NAME, TYPE, BODY) \
    measure(#NAME, strstr(crowded, " " #NAME " ") != NULL, kernels_of<of_##NAME>());
#include "arithmetic.def"
#undef OP
    return 0;
}
