// Variables of device code: first values, copies both ways, addresses, sizes, a managed one.
#include "check.h"

__device__ int counter = 40;
__device__ float table[8] = {1, 2, 3};
__constant__ int weights[4] = {10, 20, 30, 40};
static __device__ double precise = 2.5;
__device__ int *pointer = &counter; // an address in a first value
__managed__ int shared_word = 5;
namespace deep
{
__device__ int inner = 9;
}

__global__ void use(int *out)
{
    out[0] = counter++;
    out[1] = (int)table[2];
    out[2] = weights[threadIdx.x] + weights[3];
    out[3] = (int)(precise * 2);
    out[4] = *pointer;
    out[5] = shared_word++;
    out[6] = deep::inner;
}

int main()
{
    int *d, h[7], i = 0;
    void *p;
    size_t n;
    CHECK(shared_word == 5);
    OK(cudaMalloc(&d, sizeof h));
    use<<<1, 1>>>(d);
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 40 && h[1] == 3 && h[2] == 50 && h[3] == 5 && h[4] == 41 && h[5] == 5);
    CHECK(h[6] == 9);
    CHECK(shared_word == 6);

    int w[4] = {1, 2, 3, 4};
    OK(cudaMemcpyToSymbol(weights, w, sizeof w));
    OK(cudaMemcpyToSymbol(weights, &w[0], 4, 12)); // at an offset
    float f = 7;
    OK(cudaMemcpyToSymbolAsync(table, &f, 4, 8, cudaMemcpyHostToDevice, 0));
    shared_word = 100;
    use<<<1, 1>>>(d);
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 41 && h[1] == 7 && h[2] == 2 && h[5] == 100);
    OK(cudaMemcpyFromSymbol(&i, counter, sizeof i));
    CHECK(i == 42);

    OK(cudaGetSymbolSize(&n, table));
    CHECK(n == 32);
    OK(cudaGetSymbolAddress(&p, counter));
    i = 1000;
    OK(cudaMemcpy(p, &i, 4, cudaMemcpyHostToDevice));
    use<<<1, 1>>>(d);
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 1000 && h[4] == 1001);
    cudaPointerAttributes a;
    OK(cudaPointerGetAttributes(&a, p));
    CHECK(a.type == cudaMemoryTypeDevice);
    EXPECT(cudaErrorInvalidMemcpyDirection,
           cudaMemcpyToSymbol(counter, &i, 4, 0, cudaMemcpyDeviceToHost));

    // a reset gives every variable its first value again
    OK(cudaDeviceReset());
    OK(cudaMemcpyFromSymbol(&i, counter, sizeof i));
    CHECK(i == 40);
    return print_failures();
}
