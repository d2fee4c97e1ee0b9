// A product and a sum: where the device's assembler makes one fma of them, and where it rounds
// twice. Each pattern is a block of its own; sums over all the bits that it gives.
// alone: it includes one file many times, each time with other macros
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// name, what is done with a to e; it leaves r, and some s
#define PATTERNS(X)                                                                                \
    X(simple, "mul." T " t,a,b; add." T " r,t,c;")                                                 \
    X(simple_swap, "mul." T " t,a,b; add." T " r,c,t;")                                            \
    X(sub1, "mul." T " t,a,b; sub." T " r,t,c;")                                                   \
    X(sub2, "mul." T " t,a,b; sub." T " r,c,t;")                                                   \
    X(muluse2, "mul." T " t,a,b; add." T " r,t,c; mov." B " s,t;")                                 \
    X(twosums, "mul." T " t,a,b; add." T " r,t,c; add." T " s,t,d;")                               \
    X(twoprod, "mul." T " t,a,b; mul." T " u,c,d; add." T " r,t,u;")                               \
    X(twoprod_rev, "mul." T " u,c,d; mul." T " t,a,b; add." T " r,t,u;")                           \
    X(square, "mul." T " t,a,b; add." T " r,t,t;")                                                 \
    X(rnmul, "mul.rn." T " t,a,b; add." T " r,t,c;")                                               \
    X(rnadd, "mul." T " t,a,b; add.rn." T " r,t,c;")                                               \
    X(immmul, "mov." B " k," TWO "; mul." T " t,a,k; add." T " r,t,c;")                            \
    X(immadd, "mov." B " k," TWO "; mul." T " t,a,b; add." T " r,t,k;")                            \
    X(mulneg, "mul." T " t,a,b; neg." T " u,t; add." T " r,u,c;")                                  \
    X(movbetween, "mul." T " t,a,b; mov." B " u,t; add." T " r,u,c;")                              \
    X(chain, "mul." T " t,a,b; add." T " u,t,c; mul." T " v,u,d; add." T " r,v,e;")                \
    X(fmause, "mul." T " t,a,b; fma.rn." T " r,t,c,d;")                                            \
    X(fmaadd, "mul." T " t,a,b; fma.rn." T " r,c,d,t;")                                            \
    X(dot, "mul." T " t,a,b; mul." T " u,c,d; add." T " v,t,u; mul." T " w,a,e; add." T " r,v,w;") \
    X(cross, "mul." T " t,a,b; mul." T " u,c,d; sub." T " r,t,u;")                                 \
    X(usetwice, "mul." T " t,a,b; add." T " r,t,c; sub." T " s,d,t;")                              \
    X(three, "mul." T " t,a,b; add." T " u,t,c; add." T " r,u,d;")                                 \
    X(negadd, "mul." T " t,a,b; neg." T " n,c; add." T " r,t,n;")                                  \
    X(absadd, "mul." T " t,a,b; abs." T " n,c; add." T " r,t,n;")                                  \
    X(maxuse, "mul." T " t,a,b; add." T " u,t,c; max." T " r,u,d;")                                \
    X(negtwo, "mul." T " t,a,b; neg." T " u,t; add." T " r,u,c; add." T " s,u,d;")                 \
    X(negboth, "mul." T " t,a,b; neg." T " u,t; add." T " r,u,c; add." T " s,t,d;")                \
    X(negstore, "mul." T " t,a,b; neg." T " u,t; add." T " r,u,c; mov." B " s,u;")                 \
    X(negneg, "mul." T " t,a,b; neg." T " u,t; neg." T " v,u; add." T " r,v,c;")                   \
    X(negsub1, "mul." T " t,a,b; neg." T " u,t; sub." T " r,u,c;")                                 \
    X(negsub2, "mul." T " t,a,b; neg." T " u,t; sub." T " r,c,u;")                                 \
    X(abst, "mul." T " t,a,b; abs." T " u,t; add." T " r,u,c;")                                    \
    X(negprod2, "mul." T " t,a,b; mul." T " u,c,d; neg." T " v,t; add." T " r,v,u;")               \
    X(negprod3, "mul." T " t,a,b; mul." T " u,c,d; neg." T " v,u; add." T " r,t,v;")               \
    X(movtwo, "mul." T " t,a,b; mov." B " u,t; add." T " r,u,c; add." T " s,t,d;")                 \
    X(guardsum, "setp.ne.u32 q1,flag,0; mov." B " r,e; mul." T " t,a,b; @q1 add." T " r,t,c;")     \
    X(guardmul, "setp.ne.u32 q1,flag,0; mov." B " t,e; @q1 mul." T " t,a,b; add." T " r,t,c;")     \
    X(block,                                                                                       \
      "setp.ne.u32 q1,flag,0; mov." B " r,e; mul." T " t,a,b; @q1 bra L; add." T " r,t,c; L:")     \
    X(barrier, "mul." T " t,a,b; bar.sync 0; add." T " r,t,c;")                                    \
    X(sel, "setp.ne.u32 q1,flag,0; mul." T " t,a,b; selp." B " u,t,e,q1; add." T " r,u,c;")        \
    X(same, "mul." T " t,a,a; add." T " r,t,a;")                                                   \
    X(pairs, "mul." T " t,a,b; mul." T " u,c,d; add." T " r,t,u; sub." T " s,t,u;")                \
    X(pairs2, "mul." T " t,a,b; mul." T " u,c,d; add." T " r,t,u; add." T " s,u,e;")               \
    X(pairs3, "mul." T " t,a,b; mul." T " u,c,d; add." T " r,t,u; add." T " s,t,e;")               \
    X(cx, "mul." T " t,a,c; mul." T " u,b,d; sub." T " r,t,u; mul." T " v,a,d; mul." T             \
          " w,b,c; add." T " s,v,w;")                                                              \
    X(dead, "mul." T " t,a,b; add." T " u,t,c; add." T " r,t,d;")                                  \
    X(fmathenadd, "fma.rn." T " t,a,b,c; add." T " r,t,d;")                                        \
    X(mulmul, "mul." T " t,a,b; mul." T " u,t,c; add." T " r,u,d;")                                \
    X(mulone, "mov." B " k," ONE "; mul." T " t,a,k; add." T " r,t,c;")                            \
    X(mulmone, "mov." B " k," MONE "; mul." T " t,a,k; add." T " r,t,c;")                          \
    X(multwo, "mov." B " k," TWO "; mul." T " t,a,k; add." T " r,t,c;")                            \
    X(addzero, "mov." B " k,0; mul." T " t,a,b; add." T " r,t,k;")                                 \
    X(addmzero, "mov." B " k," MZERO "; mul." T " t,a,b; add." T " r,t,k;")                        \
    X(mulzero, "mov." B " k,0; mul." T " t,a,k; add." T " r,t,c;")                                 \
    X(const2, "mov." B " k," TWO "; mov." B " n," ONE "; mul." T " t,a,k; add." T " r,t,n;")       \
    X(fourprod, "mul." T " t,a,b; mul." T " u,c,d; mul." T " v,a,e; mul." T " w,b,c; add." T       \
                " t,t,u; add." T " v,v,w; add." T " r,t,v;")

// with what only f32, f16 and f16x2 have
#define MODIFIED(X)                                         \
    X(addsat, "mul." T " t,a,b; add.sat." T " r,t,c;")      \
    X(mulsat, "mul.sat." T " t,a,b; add." T " r,t,c;")      \
    X(ftzboth, "mul.ftz." T " t,a,b; add.ftz." T " r,t,c;") \
    X(ftzmul, "mul.ftz." T " t,a,b; add." T " r,t,c;")      \
    X(ftzadd, "mul." T " t,a,b; add.ftz." T " r,t,c;")

struct sums {
    unsigned long long r, s;
};

__device__ static unsigned long long mixed(unsigned long long z)
{
    z = (z + 1) * 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

// A number near one in EXPONENT bits and FRACTION bits; one in eight is any at all.
__device__ static unsigned long long number(unsigned long long bits, int exponent, int fraction)
{
    const unsigned long long one = ((1ull << (exponent - 1)) - 1) << fraction;
    const unsigned long long sign = bits >> 63 << (exponent + fraction);
    const unsigned long long low = bits & ((1ull << fraction) - 1);
    const unsigned long long near = one + ((bits >> 53 & 7) << fraction) - (4ull << fraction);
    const unsigned long long any = bits & ((1ull << (exponent + fraction)) - 1);
    return sign | ((bits >> 60 & 7) || fraction > 50 ? near | low : any);
}

template <typename P> __global__ void run(sums *out, unsigned n)
{
    unsigned long long sr = 0, ss = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        typename P::word x[5], r, s = 0;
        for (int k = 0; k < 5; k++)
            x[k] = P::draw(mixed(i * 5ull + k), mixed(~(i * 5ull + k)));
        P::of(r, s, x[0], x[1], x[2], x[3], x[4], i & 1);
        sr += (r + 1ull) * (2 * i + 1) * 1099511628211ull;
        ss += (s + 1ull) * (2 * i + 1) * 1099511628211ull;
    }
    atomicAdd(&out->r, sr);
    atomicAdd(&out->s, ss);
}

template <typename P> static void show(const char *type, const char *name)
{
    sums *out;
    cudaMallocManaged(&out, sizeof *out);
    *out = sums();
    run<P><<<16, 128>>>(out, 1 << 14);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s %s %016llx %016llx %s\n", type, name, out->r, out->s, cudaGetErrorName(error));
    cudaFree(out);
}

#define HALF(e, f)                                                        \
    static __device__ word draw(unsigned long long u, unsigned long long) \
    {                                                                     \
        return (word)number(u, e, f);                                     \
    }
#define PAIR(e, f)                                                          \
    static __device__ word draw(unsigned long long u, unsigned long long v) \
    {                                                                       \
        return (word)(number(u, e, f) | number(v, e, f) << 16);             \
    }

#define PATTERN(name, text)                                                                 \
    struct name : type {                                                                    \
        __device__ static void of(word &r, word &s, word a, word b, word c, word d, word e, \
                                  unsigned flag)                                            \
        {                                                                                   \
            asm("{ .reg ." B " a, b, c, d, e, r, s, t, u, v, w, k, n; .reg .pred q1;"       \
                ".reg .u32 flag; mov.u32 flag, %7; mov." B " s, %1;"                        \
                "mov." B " a, %2; mov." B " b, %3; mov." B " c, %4; mov." B " d, %5;"       \
                "mov." B " e, %6; " text " mov." B " %0, r; mov." B " %1, s; }"             \
                : "=" C(r), "+" C(s)                                                        \
                : C(a), C(b), C(c), C(d), C(e), "r"(flag));                                 \
        }                                                                                   \
    };

#define IN    in_f16
#define T     "f16"
#define B     "b16"
#define C     "h"
#define ONE   "0x3c00"
#define MONE  "0xbc00"
#define TWO   "0x4000"
#define MZERO "0x8000"
#define WORD  unsigned short
#define DRAW  HALF(5, 10)
#define ALL(X) PATTERNS(X) MODIFIED(X)
#include "contraction_in.h"

#define IN    in_f16x2
#define T     "f16x2"
#define B     "b32"
#define C     "r"
#define ONE   "0x3c003c00"
#define MONE  "0xbc00bc00"
#define TWO   "0x40004000"
#define MZERO "0x80008000"
#define WORD  unsigned
#define DRAW  PAIR(5, 10)
#define ALL(X) PATTERNS(X) MODIFIED(X)
#include "contraction_in.h"

#define IN    in_bf16
#define T     "bf16"
#define B     "b16"
#define C     "h"
#define ONE   "0x3f80"
#define MONE  "0xbf80"
#define TWO   "0x4000"
#define MZERO "0x8000"
#define WORD  unsigned short
#define DRAW  HALF(8, 7)
#define ALL(X) PATTERNS(X)
#include "contraction_in.h"

#define IN    in_bf16x2
#define T     "bf16x2"
#define B     "b32"
#define C     "r"
#define ONE   "0x3f803f80"
#define MONE  "0xbf80bf80"
#define TWO   "0x40004000"
#define MZERO "0x80008000"
#define WORD  unsigned
#define DRAW  PAIR(8, 7)
#define ALL(X) PATTERNS(X)
#include "contraction_in.h"

#define IN    in_f32
#define T     "f32"
#define B     "b32"
#define C     "r"
#define ONE   "0x3f800000"
#define MONE  "0xbf800000"
#define TWO   "0x40000000"
#define MZERO "0x80000000"
#define WORD  unsigned
#define DRAW  HALF(8, 23)
#define ALL(X) PATTERNS(X) MODIFIED(X)
#include "contraction_in.h"

#define IN    in_f64
#define T     "f64"
#define B     "b64"
#define C     "l"
#define ONE   "0x3ff0000000000000"
#define MONE  "0xbff0000000000000"
#define TWO   "0x4000000000000000"
#define MZERO "0x8000000000000000"
#define WORD  unsigned long long
#define DRAW  HALF(11, 52)
#define ALL(X) PATTERNS(X)
#include "contraction_in.h"

// As people write it.
template <typename V> __global__ void written(const V *a, const V *b, V *out, int n)
{
    const int i = threadIdx.x;
    V dot = a[i] * b[0], poly = a[i];
    for (int k = 1; k < n; k++) {
        dot += a[(i + k) & 63] * b[k & 63];
        poly = poly * b[k & 63] + a[k & 63];
    }
    const V x = a[i], y = b[i], z = a[63 - i], w = b[63 - i];
    out[i * 8] = dot;
    out[i * 8 + 1] = poly;
    out[i * 8 + 2] = x * z - y * w;
    out[i * 8 + 3] = x * w + y * z;
    out[i * 8 + 4] = -(x * y) + z;
    out[i * 8 + 5] = z - x * y;
    out[i * 8 + 6] = x * x + y * y + z * z;
    out[i * 8 + 7] = (x + y) * z - w;
}

template <typename V> static void people(const char *name, unsigned mask, unsigned one, int size)
{
    unsigned char *a, *b, *out;
    cudaMallocManaged(&a, 64 * size);
    cudaMallocManaged(&b, 64 * size);
    cudaMallocManaged(&out, 512 * size);
    for (int k = 0; k < 64 * size / 2; k++) {
        ((unsigned short *)a)[k] =
            (unsigned short)(one ^ (k * 40503u & mask) ^ (k % 3 ? 0 : 0x8000));
        ((unsigned short *)b)[k] =
            (unsigned short)(one ^ (k * 30011u & mask) ^ (k % 5 ? 0 : 0x8000));
    }
    written<<<1, 64>>>((V *)a, (V *)b, (V *)out, 40);
    cudaError_t error = cudaDeviceSynchronize();
    unsigned long long h = 0xcbf29ce484222325ull;
    for (int k = 0; k < 512 * size; k++)
        h = (h ^ out[k]) * 0x100000001b3ull;
    printf("written with %s %016llx %s\n", name, h, cudaGetErrorName(error));
    cudaFree(a);
    cudaFree(b);
    cudaFree(out);
}

int main()
{
    in_f16::all();
    in_f16x2::all();
    in_bf16::all();
    in_bf16x2::all();
    in_f32::all();
    in_f64::all();
    people<__half>("half", 0x3ff, 0x3400, 2);
    people<__half2>("half2", 0x3ff, 0x3400, 4);
    people<__nv_bfloat16>("bfloat16", 0x7f, 0x3e80, 2);
    people<__nv_bfloat162>("bfloat162", 0x7f, 0x3e80, 4);
    return 0;
}
