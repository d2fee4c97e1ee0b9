/* The nine-point stencil, coefficients in constant memory or through the read-only cache, input
 * from global memory or staged in shared memory. */
#include "record.h"

enum { RADIUS = 4 };

__constant__ float coefficients[RADIUS + 1];

__global__ void stencil_constant(float *out, const float *in, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    in += i + RADIUS;
    float sum = coefficients[0] * in[0];
#pragma unroll
    for (int k = 1; k <= RADIUS; k++)
        sum += coefficients[k] * (in[k] - in[-k]);
    out[i] = sum;
}

__global__ void stencil_read_only(float *out, const float *in, size_t n,
                                  const float *__restrict__ c)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    in += i + RADIUS;
    float sum = __ldg(&c[0]) * in[0];
#pragma unroll
    for (int k = 1; k <= RADIUS; k++)
        sum += __ldg(&c[k]) * (in[k] - in[-k]);
    out[i] = sum;
}

__global__ void stencil_shared(float *out, const float *in, size_t n)
{
    extern __shared__ float tile[];
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (int t = threadIdx.x; t < (int)blockDim.x + 2 * RADIUS; t += blockDim.x)
        if ((size_t)blockIdx.x * blockDim.x + t < n + 2 * RADIUS)
            tile[t] = in[(size_t)blockIdx.x * blockDim.x + t];
    __syncthreads();
    if (i >= n)
        return;
    const float *at = tile + threadIdx.x + RADIUS;
    float sum = coefficients[0] * at[0];
#pragma unroll
    for (int k = 1; k <= RADIUS; k++)
        sum += coefficients[k] * (at[k] - at[-k]);
    out[i] = sum;
}

int main()
{
    device_array<float> c(RADIUS + 1);
    for (int log2 : {20, 22, 24, 28}) {
        size_t n = (size_t)1 << log2;
        if (!fits(n))
            continue;
        device_array<float> in(n + 2 * RADIUS), out(n);
        for (int block : {32, 64, 128, 256, 512, 1024}) {
            unsigned blocks = blocks_for(n, block);
            measure("stencil_constant", block, n, 8.0 * n,
                    [&] { stencil_constant<<<blocks, block>>>(out.p, in.p, n); });
            measure("stencil_read_only", block, n, 8.0 * n,
                    [&] { stencil_read_only<<<blocks, block>>>(out.p, in.p, n, c.p); });
            measure("stencil_shared", block, n, 8.0 * n, [&] {
                stencil_shared<<<blocks, block, (block + 2 * RADIUS) * sizeof(float)>>>(out.p, in.p,
                                                                                        n);
            });
        }
    }
    return 0;
}
