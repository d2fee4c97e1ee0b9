// The approximations of the device, for every fraction of an argument: sums over all their bits.
#include <cstdio>
#include <cstring>

#define F(name, instruction)                                                 \
    struct name {                                                            \
        __device__ static unsigned of(unsigned u)                            \
        {                                                                    \
            float y;                                                         \
            asm(instruction " %0, %1;" : "=f"(y) : "f"(__uint_as_float(u))); \
            return __float_as_uint(y);                                       \
        }                                                                    \
    };

F(rcp, "rcp.approx.f32")
F(rcp_ftz, "rcp.approx.ftz.f32")
F(rsqrt_, "rsqrt.approx.f32")
F(rsqrt_ftz, "rsqrt.approx.ftz.f32")
F(sqrt_, "sqrt.approx.f32")
F(sqrt_ftz, "sqrt.approx.ftz.f32")
F(lg2, "lg2.approx.f32")
F(lg2_ftz, "lg2.approx.ftz.f32")
F(ex2, "ex2.approx.f32")
F(ex2_ftz, "ex2.approx.ftz.f32")
F(sin_, "sin.approx.f32")
F(cos_, "cos.approx.f32")

struct divide {
    __device__ static unsigned of(unsigned u)
    {
        float a = __uint_as_float(0x3f800000 | (u * 2654435761u >> 9)), y;
        asm("div.approx.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(__uint_as_float(u)));
        return __float_as_uint(y);
    }
};

struct divide_full {
    __device__ static unsigned of(unsigned u)
    {
        float a = __uint_as_float(0x3f800000 | (u * 2654435761u >> 9)), y;
        asm("div.full.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(__uint_as_float(u)));
        return __float_as_uint(y);
    }
};

struct rcp_double {
    __device__ static unsigned of(unsigned u)
    {
        double y;
        asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(__hiloint2double(u, u)));
        return __double2hiint(y) ^ __double2loint(y);
    }
};

struct rsqrt_double {
    __device__ static unsigned of(unsigned u)
    {
        double y;
        asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(__hiloint2double(u, u)));
        return __double2hiint(y) ^ __double2loint(y);
    }
};

template <typename T> __global__ void sum(unsigned first, unsigned n, unsigned long long *out)
{
    unsigned long long s = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        s += (T::of(first + i) + 1ull) * (2 * i + 1) * 1099511628211ull;
    atomicAdd(out, s);
}

template <typename T> static void run(const char *name, float first, unsigned n)
{
    unsigned long long *out;
    cudaMallocManaged(&out, sizeof *out);
    *out = 0;
    unsigned u;
    memcpy(&u, &first, sizeof u);
    sum<T><<<64, 256>>>(u, n, out);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s from %g: %016llx %s\n", name, first, *out, cudaGetErrorName(error));
    cudaFree(out);
}

#define RUN(type, first)  run<type>(#type, first, 1u << 23);
#define SOME(type, first) run<type>(#type, first, 1u << 20);

int main()
{
    RUN(rcp_ftz, 1.0f)
    RUN(rsqrt_ftz, 1.0f) RUN(rsqrt_ftz, 2.0f) RUN(sqrt_ftz, 1.0f) RUN(sqrt_ftz, 2.0f) RUN(
        lg2_ftz, 1.0f) RUN(lg2_ftz, 0.5f) RUN(lg2_ftz, 2.0f) RUN(ex2_ftz, 1.0f) RUN(ex2_ftz, -1.0f)
        RUN(sin_, 0.5f) RUN(sin_, 1.0f) RUN(cos_, 0.5f) RUN(cos_, 1.0f) RUN(cos_, 4.0f)
            SOME(rcp, 1e-40f) SOME(rcp, 1.5e38f) SOME(rcp, -3.0f) SOME(rsqrt_, 1e-40f)
                SOME(sqrt_, 1e-40f) SOME(lg2, 1e-40f) SOME(lg2, 1e30f) SOME(lg2_ftz, 1e-40f)
                    SOME(ex2, -126.5f) SOME(ex2, -140.0f) SOME(ex2, 126.0f) SOME(ex2, 1e-6f)
                        SOME(sin_, 1e-4f) SOME(sin_, 1e-9f) SOME(sin_, -100.0f) SOME(cos_, 1e-5f)
                            SOME(cos_, 1e6f) SOME(sin_, 1e20f) SOME(divide, 1.0f)
                                SOME(divide, 1e-40f) SOME(divide, 1e38f) SOME(divide_full, 1.0f)
                                    SOME(divide_full, 1e-40f) SOME(divide_full, 1e38f)
                                        run<rcp_double>("rcp_double", 1.875f,
                                                        1 << 21); // the upper word of 1.0 to 4.0
    run<rsqrt_double>("rsqrt_double", 1.875f, 1 << 21);
    return 0;
}
