// constant: indexed constant loads with 1 to 32 addresses in a warp, and indexed local arrays.
// indexed.
#include "pattern.h"

__constant__ float values[PATTERN_ELEMENTS];
__constant__ float4 wide_values[PATTERN_ELEMENTS / 4];

extern "C" __global__ void constant_load_4(const int *index, float *out)
{
    int i = index[threadIdx.x];
    if (i >= 0) {
        out[threadIdx.x] = values[i];
    }
}

extern "C" __global__ void constant_load_16(const int *index, float4 *out)
{
    int i = index[threadIdx.x];
    if (i >= 0) {
        out[threadIdx.x] = wide_values[i % (PATTERN_ELEMENTS / 4)];
    }
}

extern "C" __global__ void constant_load_fixed(const int *index, float *out)
{
    out[threadIdx.x] = values[5] + values[77] * index[threadIdx.x];
}

/* Every element is written and one read, both at an index that only the run knows. */
extern "C" __global__ void local_array(const int *index, float *out)
{
    float array[64];
    int i = index[threadIdx.x];
#pragma unroll 1
    for (int k = 0; k < 64; k++) {
        array[(k + i) & 63] = (float)(k * i);
    }
    if (i >= 0) {
        out[threadIdx.x] = array[(i * 7) & 63];
    }
}

int main()
{
    float4 *out;
    CHECK(cudaMalloc(&out, 32 * sizeof(float4)));
    for_patterns(true, [&](const int *index) { constant_load_4<<<1, 32>>>(index, (float *)out); });
    for_patterns(true, [&](const int *index) { constant_load_16<<<1, 32>>>(index, out); });
    int n = 0;
    for_patterns(true, [&](const int *index) {
        if (n++ < 2) {
            constant_load_fixed<<<1, 32>>>(index, (float *)out);
        }
    });
    n = 0;
    for_patterns(true, [&](const int *index) {
        if (n++ % 3 == 0) {
            local_array<<<1, 32>>>(index, (float *)out);
        }
    });
    CHECK(cudaFree(out));
    return 0;
}
