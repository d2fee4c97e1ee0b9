// nvcc: -arch=sm_90
#include <cuda_fp8.h>
__global__ void fp8(__nv_fp8x2_e4m3 *a, __nv_fp8x2_e5m2 *b, float2 *f, __half2 *h)
{
    a[0] = __nv_fp8x2_e4m3(f[0]); b[0] = __nv_fp8x2_e5m2(f[1]); f[2] = (float2)a[1]; f[3] = (float2)b[1]; a[2] = __nv_fp8x2_e4m3(h[0]);
}
