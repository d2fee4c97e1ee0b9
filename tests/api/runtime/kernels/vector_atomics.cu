// flags: -arch=compute_90
// Atomic additions of vectors, which sm_90 has for float2 and float4.
#include "check.h"

__global__ void add(float2 *two, float4 *four, float4 *old)
{
    atomicAdd(two + threadIdx.x % 3, make_float2(1, 2));
    old[threadIdx.x] = atomicAdd(four, make_float4(1, 2, 3, 4));
}

__global__ void only(float4 *four)
{
    atomicAdd(four + threadIdx.x / 2, make_float4(1, (float)threadIdx.x, 0.5f, 2));
}

int main()
{
    float2 *two, got2[3];
    float4 *four, *old, got4[48], was[96];
    OK(cudaMalloc(&two, sizeof got2));
    OK(cudaMalloc(&four, sizeof got4));
    OK(cudaMalloc(&old, sizeof was));
    OK(cudaMemset(two, 0, sizeof got2));
    OK(cudaMemset(four, 0, sizeof got4));
    add<<<1, 96>>>(two, four, old);
    OK(cudaMemcpy(got2, two, sizeof got2, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(got4, four, sizeof got4, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(was, old, sizeof was, cudaMemcpyDeviceToHost));
    for (int k = 0; k < 3; k++) {
        CHECK(got2[k].x == 32 && got2[k].y == 64);
    }
    CHECK(got4[0].x == 96 && got4[0].y == 192 && got4[0].z == 288 && got4[0].w == 384);
    float sum = 0; // every thread saw another value: 0 to 95
    for (int k = 0; k < 96; k++) {
        sum += was[k].x;
    }
    CHECK(sum == 95 * 96 / 2);

    OK(cudaMemset(four, 0, sizeof got4));
    only<<<1, 96>>>(four);
    OK(cudaMemcpy(got4, four, sizeof got4, cudaMemcpyDeviceToHost));
    for (int k = 0; k < 48; k++) {
        CHECK(got4[k].x == 2 && got4[k].y == 4 * k + 1 && got4[k].z == 1 && got4[k].w == 4);
    }
    OK(cudaFree(two));
    OK(cudaFree(four));
    OK(cudaFree(old));
    return print_failures();
}
