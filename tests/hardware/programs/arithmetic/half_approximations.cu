// tanh.approx, and ex2.approx and tanh.approx of halves: sums over all the bits that they give, for
// every half and for every fraction of the single precision exponents where tanh bends.
#include <cstdio>

struct tanh_single {
    __device__ static unsigned of(unsigned u)
    {
        float y;
        asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(__uint_as_float(u)));
        return __float_as_uint(y);
    }
};

#define ONE(name, instruction)                              \
    struct name {                                           \
        __device__ static unsigned of(unsigned u)           \
        {                                                   \
            unsigned short y, x = (unsigned short)u;        \
            asm(instruction " %0, %1;" : "=h"(y) : "h"(x)); \
            return y;                                       \
        }                                                   \
    };
#define TWO(name, instruction)                                \
    struct name {                                             \
        __device__ static unsigned of(unsigned u)             \
        {                                                     \
            unsigned y, x = (u & 0xffff) | (65535 - u) << 16; \
            asm(instruction " %0, %1;" : "=r"(y) : "r"(x));   \
            return y;                                         \
        }                                                     \
    };

ONE(ex2_f16, "ex2.approx.f16")
TWO(ex2_f16x2, "ex2.approx.f16x2")
ONE(ex2_bf16, "ex2.approx.ftz.bf16")
TWO(ex2_bf16x2, "ex2.approx.ftz.bf16x2")
ONE(tanh_f16, "tanh.approx.f16")
TWO(tanh_f16x2, "tanh.approx.f16x2")
ONE(tanh_bf16, "tanh.approx.bf16")
TWO(tanh_bf16x2, "tanh.approx.bf16x2")

template <typename T> __global__ void sum(unsigned first, unsigned n, unsigned long long *out)
{
    unsigned long long s = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        s += (T::of(first + i) + 1ull) * (2 * i + 1) * 1099511628211ull;
    atomicAdd(out, s);
}

template <typename T> static void run(const char *name, unsigned first, unsigned n)
{
    unsigned long long *out;
    cudaMallocManaged(&out, sizeof *out);
    *out = 0;
    sum<T><<<64, 256>>>(first, n, out);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s from %08x: %016llx %s\n", name, first, *out, cudaGetErrorName(error));
    cudaFree(out);
}

#define ALL(type) run<type>(#type, 0, 65536);

int main()
{
    ALL(ex2_f16)
    ALL(ex2_f16x2)
    ALL(ex2_bf16)
    ALL(ex2_bf16x2)
    ALL(tanh_f16)
    ALL(tanh_f16x2)
    ALL(tanh_bf16)
    ALL(tanh_bf16x2)
    for (unsigned exponent = 127 - 15; exponent <= 127 + 4; exponent++)
        run<tanh_single>("tanh", exponent << 23, 1 << 23);
    for (unsigned exponent : {0, 1, 60, 100, 140, 255, 256 + 120, 256 + 127, 256 + 255})
        run<tanh_single>("tanh", exponent << 23, 1 << 20);
    return 0;
}
