// nvcc: -arch=sm_90
#include <cuda_fp16.h>
#include <cuda_bf16.h>
__global__ void halves(__half *h, __half2 *h2, __nv_bfloat16 *b, __nv_bfloat162 *b2, float *f, int *i)
{
    __half x = h[0], y = h[1], z = h[2]; __half2 p = h2[0], q = h2[1]; __nv_bfloat16 u = b[0], v = b[1]; __nv_bfloat162 r = b2[0], s = b2[1];
    h[3] = x + y; h[4] = x * y; h[5] = __hfma(x, y, z); h[6] = x / y; h[7] = hsqrt(x); h[8] = hexp(x); h[9] = hlog2(x); h[10] = __hmax(x, y); h[11] = __hfma_sat(x, y, z); h[12] = htanh(x); h[13] = -x; h[14] = __habs(x); h[15] = __hfma_relu(x, y, z); h[16] = hrint(x); h[17] = __hmin_nan(x, y);
    h2[2] = p + q; h2[3] = p * q; h2[4] = __hfma2(p, q, p); h2[5] = h2exp2(p); h2[6] = __hmax2(p, q); h2[7] = __lows2half2(p, q); h2[8] = __hgt2(p, q); h2[9] = __hneg2(p); h2[10] = h2rcp(p);
    b[2] = u + v; b[3] = __hfma(u, v, u); b[4] = __hmax(u, v); b[5] = u / v; b2[2] = r * s; b2[3] = __hfma2(r, s, r); b2[4] = __habs2(r); b[6] = hexp(u); b2[5] = __hmin2(r, s);
    f[0] = __half2float(x); h[18] = __float2half(f[1]); h[19] = __float2half_rz(f[2]); f[3] = __bfloat162float(u); b[7] = __float2bfloat16(f[4]); b2[6] = __floats2bfloat162_rn(f[5], f[6]); h2[11] = __floats2half2_rn(f[7], f[8]); i[0] = __half2int_rz(x); h[20] = __int2half_rn(i[1]); i[2] = x < y; i[3] = __hisnan(x); i[4] = __heq(u, v); i[5] = __hbgt2(p, q); h[21] = __short2half_rn(i[6]); atomicAdd(h, x); atomicAdd(h2, p); atomicAdd(b, u); atomicAdd(b2, r); h[22] = __ldg(h + 30); h2[12] = __shfl_xor_sync(~0u, p, 1); h[23] = __double2half(f[9]); b[8] = __double2bfloat16(f[3]); b[9] = __int2bfloat16_rn(i[3]); i[9] = __bfloat162int_rn(u); i[10] = __half2ull_rn(x);
}
