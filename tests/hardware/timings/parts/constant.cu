/* Indexed loads from a table of 1024 floats, by how many distinct addresses the lanes of a warp
 * have: constant memory, the read-only cache, shared memory. 1320 blocks of 256 threads, 512 loads
 * each. "near": the addresses of a warp lie side by side; "far": 128 bytes apart.
 *
 * "gather": every lane reads another random place of a table of so many bytes, from constant and
 * from global memory: what the caches hold, and what it costs to go past them. */
#include "record.h"

enum { TABLE = 1024, LOADS = 512, GATHERS = 64, BLOCKS = 1320, BLOCK = 256 };

__constant__ float table_constant[16 * TABLE]; // all 64 KB

template <int SPACING> __device__ int place(int k, int addresses)
{
    return (k + (int)(threadIdx.x % 32 % addresses) * SPACING) & (TABLE - 1);
}

template <int SPACING> __global__ void load_constant(float *out, int addresses)
{
    float sum = 0;
    for (int k = 0; k < LOADS; k++)
        sum += table_constant[place<SPACING>(k, addresses)];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <int SPACING>
__global__ void load_read_only(float *out, int addresses, const float *__restrict__ table)
{
    float sum = 0;
    for (int k = 0; k < LOADS; k++)
        sum += __ldg(&table[place<SPACING>(k, addresses)]);
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <int SPACING>
__global__ void load_shared(float *out, int addresses, const float *__restrict__ table)
{
    __shared__ float copy[TABLE];
    for (int i = threadIdx.x; i < TABLE; i += blockDim.x)
        copy[i] = table[i];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < LOADS; k++)
        sum += copy[place<SPACING>(k, addresses)];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* The next place, from 0 to MASK: the upper bits of a linear congruential generator. */
__device__ unsigned random_place(unsigned *state, unsigned mask)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8 & mask;
}

__global__ void gather_constant(float *out, unsigned mask)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, state = i * 2654435761u;
    float sum = 0;
    for (int k = 0; k < GATHERS; k++)
        sum += table_constant[random_place(&state, mask)];
    out[i] = sum;
}

__global__ void gather_global(float *out, const float *__restrict__ table, unsigned mask)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, state = i * 2654435761u;
    float sum = 0;
    for (int k = 0; k < GATHERS; k++)
        sum += __ldg(&table[random_place(&state, mask)]);
    out[i] = sum;
}

/* One address a warp and a fixed one: folded into the instruction that uses it. */
__global__ void load_fixed(float *out)
{
    float sum = 0;
#pragma unroll
    for (int k = 0; k < LOADS; k++)
        sum += table_constant[k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int main()
{
    size_t n = (size_t)BLOCKS * BLOCK;
    device_array<float> out(n), table(TABLE);
    double bytes = 4.0 * n * LOADS;
    for (int addresses : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32}) {
        if (timings().emulated && addresses & (addresses - 1))
            continue; /* a minute less on the emulator */
        measure("constant_near", addresses, n, bytes,
                [&] { load_constant<1><<<BLOCKS, BLOCK>>>(out.p, addresses); });
        measure("constant_far", addresses, n, bytes,
                [&] { load_constant<32><<<BLOCKS, BLOCK>>>(out.p, addresses); });
        measure("read_only_near", addresses, n, bytes,
                [&] { load_read_only<1><<<BLOCKS, BLOCK>>>(out.p, addresses, table.p); });
        measure("read_only_far", addresses, n, bytes,
                [&] { load_read_only<32><<<BLOCKS, BLOCK>>>(out.p, addresses, table.p); });
        measure("shared_near", addresses, n, bytes,
                [&] { load_shared<1><<<BLOCKS, BLOCK>>>(out.p, addresses, table.p); });
        measure("shared_far", addresses, n, bytes,
                [&] { load_shared<32><<<BLOCKS, BLOCK>>>(out.p, addresses, table.p); });
    }
    double gathered = 4.0 * n * GATHERS;
    for (unsigned size = 1 << 10; size <= 1 << 16; size *= 2)
        measure("gather_constant", size, n, gathered,
                [&] { gather_constant<<<BLOCKS, BLOCK>>>(out.p, size / 4 - 1); });
    device_array<float> large(1 << 22);
    for (unsigned size = 1 << 10; size <= 1 << 24; size *= 2)
        measure("gather_global", size, n, gathered,
                [&] { gather_global<<<BLOCKS, BLOCK>>>(out.p, large.p, size / 4 - 1); });
    measure("constant_fixed", -1, n, bytes, [&] { load_fixed<<<BLOCKS, BLOCK>>>(out.p); });
    return 0;
}
