// Every function of the math library on arguments of all sizes: the sums of their bits.
#include <cmath>
#include <cstdio>
#include <cstring>

#define N 1024

__host__ __device__ static double argument(int i)
{
    double frac = (double)((i * 2654435761u) >> 8) / (1 << 24);
    switch (i % 8) {
    case 0: return frac;
    case 1: return -frac;
    case 2: return frac * 20 - 10;
    case 3: return frac * 1e4;
    case 4: return frac * 1e-5;
    case 5: return -frac * 100;
    case 6: return frac * 3.2;
    default: return frac + 1;
    }
}

template <typename F> __global__ void map(F f, unsigned long long *sum, double *some)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    auto y = f(i);
    unsigned long long bits = 0;
    if (y != y)
        bits = 1;
    else
        memcpy(&bits, &y, sizeof y);
    atomicAdd(sum, (bits + i) * 1099511628211ull);
    if (i % 256 == 7)
        some[i / 256] = y;
}

template <typename F> static void run(const char *name, F f)
{
    unsigned long long *sum;
    double *some;
    cudaMallocManaged(&sum, sizeof *sum);
    cudaMallocManaged(&some, 8 * sizeof *some);
    *sum = 0;
    map<<<N / 128, 128>>>(f, sum, some);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%-12s %016llx  %.9g %.9g %.9g %s\n", name, *sum, some[0], some[1], some[2],
           error ? cudaGetErrorName(error) : "");
    cudaFree(sum);
    cudaFree(some);
}

#define ONE(f) run(#f, [] __device__(int i) { return f(argument(i)); });
#define ONEF(f) run(#f, [] __device__(int i) { return f((float)argument(i)); });
#define TWO(f) run(#f, [] __device__(int i) { return f(argument(i), argument(i + 333)); });
#define TWOF(f) run(#f, [] __device__(int i) { return f((float)argument(i), (float)argument(i + 333)); });

int main()
{
    ONEF(sinf) ONEF(cosf) ONEF(tanf) ONEF(asinf) ONEF(acosf) ONEF(atanf) ONEF(sinhf) ONEF(coshf)
    ONEF(tanhf) ONEF(asinhf) ONEF(acoshf) ONEF(atanhf) ONEF(expf) ONEF(exp2f) ONEF(exp10f) ONEF(expm1f)
    ONEF(logf) ONEF(log2f) ONEF(log10f) ONEF(log1pf) ONEF(sqrtf) ONEF(rsqrtf) ONEF(cbrtf) ONEF(rcbrtf)
    ONEF(erff) ONEF(erfcf) ONEF(erfinvf) ONEF(erfcinvf) ONEF(erfcxf) ONEF(normcdff) ONEF(normcdfinvf)
    ONEF(tgammaf) ONEF(lgammaf) ONEF(j0f) ONEF(j1f) ONEF(y0f) ONEF(y1f) ONEF(cyl_bessel_i0f)
    ONEF(cyl_bessel_i1f) ONEF(ceilf) ONEF(floorf) ONEF(truncf) ONEF(roundf) ONEF(rintf) ONEF(nearbyintf)
    ONEF(fabsf) ONEF(logbf) ONEF(sinpif) ONEF(cospif) ONEF(__sinf) ONEF(__cosf) ONEF(__expf) ONEF(__logf)
    ONEF(__exp10f) ONEF(__log2f) ONEF(__log10f) ONEF(__tanf) ONEF(__saturatef) ONEF(__frcp_rn)
    ONEF(__fsqrt_rn) ONEF(__frsqrt_rn) ONEF(lrintf) ONEF(llroundf) ONEF(__float2int_rz) ONEF(__float2uint_rn)
    TWOF(powf) TWOF(atan2f) TWOF(fmodf) TWOF(remainderf) TWOF(hypotf) TWOF(rhypotf) TWOF(fdimf)
    TWOF(fmaxf) TWOF(fminf) TWOF(copysignf) TWOF(nextafterf) TWOF(fdividef) TWOF(__fdividef) TWOF(__powf)
    TWOF(__fadd_ru) TWOF(__fadd_rd) TWOF(__fmul_rz) TWOF(__fdiv_rn) TWOF(__fdiv_ru)
    ONE(sin) ONE(cos) ONE(tan) ONE(asin) ONE(acos) ONE(atan) ONE(sinh) ONE(cosh) ONE(tanh) ONE(asinh)
    ONE(acosh) ONE(atanh) ONE(exp) ONE(exp2) ONE(exp10) ONE(expm1) ONE(log) ONE(log2) ONE(log10)
    ONE(log1p) ONE(sqrt) ONE(rsqrt) ONE(cbrt) ONE(rcbrt) ONE(erf) ONE(erfc) ONE(erfinv) ONE(erfcx)
    ONE(normcdf) ONE(tgamma) ONE(lgamma) ONE(j0) ONE(j1) ONE(y0) ONE(y1) ONE(ceil) ONE(floor) ONE(trunc)
    ONE(round) ONE(rint) ONE(logb) ONE(sinpi) ONE(cospi) ONE(__drcp_rn) ONE(__dsqrt_ru)
    ONE(__double2int_rn) ONE(__double2ll_rd) ONE(__double2float_ru)
    TWO(pow) TWO(atan2) TWO(fmod) TWO(remainder) TWO(hypot) TWO(fdim) TWO(fmax) TWO(fmin) TWO(nextafter)
    TWO(__dadd_ru) TWO(__dmul_rd) TWO(__ddiv_rn)
    run("sincosf", [] __device__(int i) { float s, c; sincosf(argument(i), &s, &c); return s + c; });
    run("frexp", [] __device__(int i) { int e; double m = frexp(argument(i), &e); return m + e; });
    run("modf", [] __device__(int i) { double w, f = modf(argument(i), &w); return f * 4 + w; });
    run("ldexp", [] __device__(int i) { return ldexp(argument(i), i % 64 - 32); });
    run("fmaf", [] __device__(int i) { return fmaf(argument(i), argument(i + 1), argument(i + 2)); });
    run("norm3df", [] __device__(int i) { return norm3df(argument(i), argument(i + 1), argument(i + 2)); });
    run("jnf", [] __device__(int i) { return jnf(i % 5, argument(i)); });
    run("integers", [] __device__(int i) {
        unsigned u = i * 2654435761u, v = u ^ (u >> 7);
        return __popc(u) + __clz(u) * 3 + __ffs(u) * 5 + (long long)__brev(u) + __umulhi(u, v) +
               __mulhi((int)u, (int)v) + __byte_perm(u, v, 0x3715) + __sad(u, v, 9u) + __umul24(u, v) +
               __funnelshift_l(u, v, i) + __usad(u, v, 3u) + __vadd4(u, v) + __vabsdiffs2(u, v) +
               __vmaxu4(u, v) + __vcmpgtu4(u, v) + __dp4a((int)u, (int)v, 5) + __hadd((int)u, (int)v) +
               __rhadd((int)u, (int)v) + (long long)__umul64hi((unsigned long long)u << 20, v) +
               __popcll((unsigned long long)u << 9) + __clzll((long long)v << 3) + __ffsll((long long)v << 5);
    });
    return 0;
}
