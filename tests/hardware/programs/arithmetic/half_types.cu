// Half, bfloat16 and their pairs; 8-bit floats; conversions there and back.
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#define N 4096

__global__ void axpy_half(__half2 a, const __half2 *x, __half2 *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = __hfma2(a, x[i], y[i]);
}

__global__ void functions(const __half *x, unsigned *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __half v = x[i], p = __habs(v) + __half(0.25f);
    unsigned h = 0;
    auto mix = [&](__half r) { h = h * 31 + (__hisnan(r) ? 0x7fff : __half_as_ushort(r)); };
    mix(hsin(v)), mix(hcos(v)), mix(hexp(v)), mix(hlog(p)), mix(hsqrt(p)), mix(hrsqrt(p)),
        mix(hrcp(p));
    mix(hexp2(v)), mix(hlog2(p)), mix(hceil(v)), mix(hfloor(v)), mix(hrint(v)), mix(htrunc(v));
    mix(__hdiv(v, p)), mix(__hmax(v, p)), mix(__hmin(v, p)), mix(htanh(v)), mix(__hadd_sat(v, p));
    mix(__float2half_rd(__half2float(v) * 1.0001f)), mix(__int2half_rn(i)),
        mix(__hfma_relu(v, p, v));
    h = h * 31 + __half2int_rn(v) + (__hgt(v, p) ? 3 : 7) + (v != p) * 11;
    out[i] = h;
}

__global__ void bfloats(const float *x, unsigned *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __nv_bfloat16 v = __float2bfloat16(x[i]), w = __float2bfloat16_rz(x[i] * 3);
    __nv_bfloat162 pair = __halves2bfloat162(v, w), other = __hfma2(pair, pair, pair);
    unsigned h = 0;
    auto mix = [&](__nv_bfloat16 r) {
        h = h * 31 + (__hisnan(r) ? 0x7fff : __bfloat16_as_ushort(r));
    };
    mix(v + w), mix(v * w), mix(v - w), mix(v / w), mix(other.x), mix(other.y), mix(hexp(v)),
        mix(hsqrt(__habs(v)));
    mix(__hmax(v, w)), mix(__hfma(v, w, v)), mix(__hneg(v)), mix(hsin(v)), mix(hlog(__habs(v)));
    out[i] = h;
}

__global__ void eights(const float *x, unsigned *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __nv_fp8_e4m3 a(x[i]);
    __nv_fp8_e5m2 b(x[i]);
    float back = float(a) + 2 * float(b);
    __nv_fp8x4_e4m3 four(make_float4(x[i], -x[i], x[i] * 2, x[i] / 3));
    out[i] = a.__x * 31 + b.__x * 7 + (unsigned)__float_as_int(back) + four.__x;
}

__global__ void sum_half(const __half *x, __half *sum, __half2 *pair)
{
    atomicAdd(sum, x[threadIdx.x]);
    atomicAdd(pair, __halves2half2(x[threadIdx.x], __half(1.0f)));
}

template <typename T> static unsigned long long hash(const T *p, int n)
{
    unsigned long long h = 0;
    for (int i = 0; i < n; i++)
        h = h * 1099511628211ull + *(const unsigned *)&p[i];
    return h;
}

int main()
{
    __half *x;
    __half2 *y;
    float *f;
    unsigned *out;
    cudaMallocManaged(&x, N * sizeof *x);
    cudaMallocManaged(&y, N * sizeof *y);
    cudaMallocManaged(&f, N * sizeof *f);
    cudaMallocManaged(&out, N * sizeof *out);
    for (int i = 0; i < N; i++) {
        f[i] = (i * 37 % 1001 - 500) / (i % 13 == 0 ? 1.0f : 64.0f);
        x[i] = __float2half(f[i]);
    }
    for (int i = 0; i < N / 2; i++)
        y[i] = __floats2half2_rn(i / 16.0f, -i / 8.0f);
    axpy_half<<<N / 2 / 128, 128>>>(__float2half2_rn(1.5f), (const __half2 *)x, y);
    cudaDeviceSynchronize();
    printf("axpy %016llx\n", hash(y, N / 2));
    functions<<<N / 128, 128>>>(x, out);
    cudaDeviceSynchronize();
    printf("half %016llx\n", hash(out, N));
    bfloats<<<N / 128, 128>>>(f, out);
    cudaDeviceSynchronize();
    printf("bfloat16 %016llx\n", hash(out, N));
    eights<<<N / 128, 128>>>(f, out);
    cudaDeviceSynchronize();
    printf("fp8 %016llx\n", hash(out, N));
    x[4000] = __float2half(0);
    y[0] = __floats2half2_rn(0, 0);
    for (int i = 0; i < 256; i++)
        x[i] = __float2half(i % 4);
    sum_half<<<1, 256>>>(x, x + 4000, y);
    printf("sums %s", cudaGetErrorName(cudaDeviceSynchronize()));
    printf(" %g %g %g\n", __half2float(x[4000]), __low2float(y[0]), __high2float(y[0]));
    return 0;
}
