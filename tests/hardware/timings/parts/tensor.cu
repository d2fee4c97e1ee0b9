/* Matrix instructions of one SM: CHAINS independent accumulators a warp, one after another in each;
 * the whole device; and other arithmetic beside them. */
#include "record.h"

#include <cuda_fp16.h>
#include <mma.h>

enum { TIMES = 512 };

struct shape_f16_f32 { /* m16n8k16 */
    typedef float acc;
    enum { C = 4 };
    static __device__ void mma(float *c, const unsigned *a, const unsigned *b)
    {
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},"
                     "{%8,%9},{%0,%1,%2,%3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};
struct shape_f16_k8 { /* m16n8k8 */
    typedef float acc;
    enum { C = 4 };
    static __device__ void mma(float *c, const unsigned *a, const unsigned *b)
    {
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5},{%6},"
                     "{%0,%1,%2,%3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                     : "r"(a[0]), "r"(a[1]), "r"(b[0]));
    }
};
struct shape_f16_f16 { /* m16n8k16 */
    typedef unsigned acc;
    enum { C = 2 };
    static __device__ void mma(unsigned *c, const unsigned *a, const unsigned *b)
    {
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1},{%2,%3,%4,%5},"
                     "{%6,%7},{%0,%1};"
                     : "+r"(c[0]), "+r"(c[1])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};
struct shape_bf16 { /* m16n8k16 */
    typedef float acc;
    enum { C = 4 };
    static __device__ void mma(float *c, const unsigned *a, const unsigned *b)
    {
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3},"
                     "{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};
struct shape_tf32 { /* m16n8k8 */
    typedef float acc;
    enum { C = 4 };
    static __device__ void mma(float *c, const unsigned *a, const unsigned *b)
    {
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},"
                     "{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};
struct shape_e4m3 { /* m16n8k32 */
    typedef float acc;
    enum { C = 4 };
    static __device__ void mma(float *c, const unsigned *a, const unsigned *b)
    {
        asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0,%1,%2,%3},"
                     "{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};
struct shape_s8 { /* m16n8k32 */
    typedef int acc;
    enum { C = 4 };
    static __device__ void mma(int *c, const unsigned *a, const unsigned *b)
    {
        asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3},{%4,%5,%6,%7},"
                     "{%8,%9},{%0,%1,%2,%3};"
                     : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};
struct shape_s4 { /* m16n8k64 */
    typedef int acc;
    enum { C = 4 };
    static __device__ void mma(int *c, const unsigned *a, const unsigned *b)
    {
        asm volatile("mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 {%0,%1,%2,%3},{%4,%5,%6,%7},"
                     "{%8,%9},{%0,%1,%2,%3};"
                     : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};
struct shape_b1 { /* m16n8k256 */
    typedef int acc;
    enum { C = 4 };
    static __device__ void mma(int *c, const unsigned *a, const unsigned *b)
    {
        asm volatile("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0,%1,%2,%3},"
                     "{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                     : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};
struct shape_f64 { /* m8n8k4 */
    typedef double acc;
    enum { C = 2 };
    static __device__ void mma(double *c, const unsigned *a, const unsigned *b)
    {
        double x = a[0], y = b[0];
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};"
                     : "+d"(c[0]), "+d"(c[1])
                     : "d"(x), "d"(y));
    }
};
struct shape_f64_k16 { /* m16n8k16 */
    typedef double acc;
    enum { C = 4 };
    static __device__ void mma(double *c, const unsigned *a, const unsigned *b)
    {
        double x = a[0], y = b[0];
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},"
                     "{%4,%4,%4,%4,%4,%4,%4,%4},{%5,%5,%5,%5},{%0,%1,%2,%3};"
                     : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
                     : "d"(x), "d"(y));
    }
};

template <class Shape, int CHAINS> __global__ void multiply(typename Shape::acc *out, int times)
{
    typename Shape::acc c[CHAINS][Shape::C] = {};
    unsigned a[4] = {threadIdx.x, 1, 2, 3}, b[2] = {threadIdx.x, 1};
    for (int k = 0; k < times; k++)
#pragma unroll
        for (int n = 0; n < CHAINS; n++)
            Shape::mma(c[n], a, b);
    typename Shape::acc sum = 0;
    for (int n = 0; n < CHAINS; n++)
        for (int i = 0; i < Shape::C; i++)
            sum += c[n][i];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <int CHAINS> __global__ void multiply_wmma(float *out, int times)
{
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, 16, half, row_major> a;
    fragment<matrix_b, 16, 16, 16, half, col_major> b;
    fragment<accumulator, 16, 16, 16, float> c[CHAINS];
    fill_fragment(a, __float2half(1.0f));
    fill_fragment(b, __float2half(0.5f));
    for (int n = 0; n < CHAINS; n++)
        fill_fragment(c[n], 0.0f);
    for (int k = 0; k < times; k++)
#pragma unroll
        for (int n = 0; n < CHAINS; n++)
            mma_sync(c[n], a, b, c[n]);
    float sum = 0;
    for (int n = 0; n < CHAINS; n++)
        for (int i = 0; i < c[n].num_elements; i++)
            sum += c[n].x[i];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* Other arithmetic of the same form: OP 0 f64 fma, 1 f16x2 fma, 2 integer multiply, 3 integer add,
 * 4 logic, 5 popc. */
template <int OP> __global__ void arithmetic(unsigned *out, int times)
{
    unsigned u[4];
    double d[4];
    __half2 h[4];
    for (int n = 0; n < 4; n++) {
        u[n] = threadIdx.x + n;
        d[n] = threadIdx.x + n + 1;
        h[n] = __float2half2_rn(threadIdx.x + n);
    }
    for (int k = 0; k < times; k++)
#pragma unroll
        for (int n = 0; n < 4; n++)
            switch (OP) {
            case 0: d[n] = fma(d[n], 0.5, 1.0); break;
            case 1: h[n] = __hfma2(h[n], h[n], h[n]); break;
            case 2: asm volatile("mul.lo.u32 %0, %0, %0;" : "+r"(u[n])); break;
            case 3: asm volatile("add.u32 %0, %0, %0;" : "+r"(u[n])); break;
            case 4: asm volatile("xor.b32 %0, %0, %1;" : "+r"(u[n]) : "r"(u[(n + 1) % 4])); break;
            case 5: asm volatile("popc.b32 %0, %0;" : "+r"(u[n])); break;
            }
    unsigned sum = 0;
    for (int n = 0; n < 4; n++)
        sum += u[n] + (unsigned)d[n] + __half2int_rn(__low2half(h[n]));
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* n: matrix instructions of the launch; x: warps of a block. */
template <class Shape> static void shape(const char *name)
{
    device_array<double> out(132 * 1024);
    typename Shape::acc *to = (typename Shape::acc *)out.p;
    char label[80];
    for (int warps : {1, 4, 8, 16}) {
        snprintf(label, sizeof label, "mma_%s_chains_1", name);
        measure(label, warps, (size_t)warps * TIMES, 0,
                [&] { multiply<Shape, 1><<<1, 32 * warps>>>(to, TIMES); });
        snprintf(label, sizeof label, "mma_%s_chains_2", name);
        measure(label, warps, (size_t)warps * TIMES * 2, 0,
                [&] { multiply<Shape, 2><<<1, 32 * warps>>>(to, TIMES); });
        snprintf(label, sizeof label, "mma_%s_chains_4", name);
        measure(label, warps, (size_t)warps * TIMES * 4, 0,
                [&] { multiply<Shape, 4><<<1, 32 * warps>>>(to, TIMES); });
    }
    if (!timings().emulated) { /* the whole device, long enough for its power to matter */
        snprintf(label, sizeof label, "mma_%s_device", name);
        measure(label, 16, (size_t)132 * 16 * 65536 * 4, 0,
                [&] { multiply<Shape, 4><<<132, 32 * 16>>>(to, 65536); });
    }
}

template <int OP> static void other(const char *name)
{
    device_array<unsigned> out(1024);
    for (int warps : {1, 16, 32})
        measure(name, warps, (size_t)warps * TIMES * 4, 0,
                [&] { arithmetic<OP><<<1, 32 * warps>>>(out.p, TIMES); });
}

int main()
{
    shape<shape_f16_f32>("f16_f32");
    shape<shape_f16_k8>("f16_f32_k8");
    shape<shape_f16_f16>("f16_f16");
    shape<shape_bf16>("bf16");
    shape<shape_tf32>("tf32");
    shape<shape_e4m3>("e4m3");
    shape<shape_s8>("s8");
    shape<shape_s4>("s4");
    shape<shape_b1>("b1");
    shape<shape_f64>("f64");
    shape<shape_f64_k16>("f64_k16");
    device_array<float> out(1024);
    for (int warps : {1, 4, 16}) {
        measure("wmma_f16_chains_1", warps, (size_t)warps * TIMES, 0,
                [&] { multiply_wmma<1><<<1, 32 * warps>>>(out.p, TIMES); });
        measure("wmma_f16_chains_4", warps, (size_t)warps * TIMES * 4, 0,
                [&] { multiply_wmma<4><<<1, 32 * warps>>>(out.p, TIMES); });
    }
    other<0>("fma_f64");
    other<1>("fma_f16x2");
    other<2>("mul_u32");
    other<3>("add_u32");
    other<4>("xor_b32");
    other<5>("popc_b32");
    return 0;
}
