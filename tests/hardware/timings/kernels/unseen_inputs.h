/* Hash-based pseudo-random input numbers, equal on every machine, for unseen.cu and
 * unseen_more.cu. */
#pragma once

__host__ __device__ static unsigned hash(unsigned x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

__global__ void fill_hash(unsigned *out, unsigned n, unsigned mask)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = hash(i) & mask;
}
