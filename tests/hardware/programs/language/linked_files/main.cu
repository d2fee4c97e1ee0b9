// Device code in several files that call, read, write and point into one another (nvcc -rdc=true).
#include "shapes.h"

#include <cstdio>

static __device__ int hidden = 7; // three files have one of this name

static __device__ __noinline__ int helper(int x)
{
    return x + hidden;
}

__device__ int triple(int x)
{
    return 3 * x;
}

static __global__ void start(int *out)
{
    out[0] = helper(1);
    out[1] = scaled(5);
    out[2] = operation(4);
    out[3] = plus_one(factors[2]);
    out[4] = tickets();
    out[5] = ++counter;
    printf("main.cu: hidden %d, table[3] %.1f\n", hidden, table[3]);
}

static void show(const char *what, const int *d, int n)
{
    int h[8];
    cudaError_t e = cudaMemcpy(h, d, n * sizeof *h, cudaMemcpyDeviceToHost);
    printf("%s: %s", what, cudaGetErrorName(e));
    for (int i = 0; i < n; i++) {
        printf(" %d", h[i]);
    }
    printf("\n");
}

int main()
{
    int *d;
    float *f, areas[4];
    cudaMalloc(&d, 8 * sizeof *d);
    cudaMalloc(&f, sizeof areas);
    start<<<1, 1>>>(d);
    show("start", d, 6);

    int eleven = 11, value = 0;
    cudaMemcpyToSymbol(counter, &eleven, sizeof eleven);
    const int other[4] = {10, 20, 30, 40};
    cudaMemcpyToSymbol(factors, other, sizeof other);
    start<<<1, 1>>>(d);
    show("with new values", d, 6);

    tables_run(d);
    show("tables.cu", d, 6);
    shapes_run(d, f);
    show("shapes.cu", d, 6);
    cudaMemcpy(areas, f, sizeof areas, cudaMemcpyDeviceToHost);
    printf("areas %.2f %.2f %.2f %.2f\n", areas[0], areas[1], areas[2], areas[3]);

    fill<2><<<1, 4>>>(d);
    show("fill<2>", d, 4);
    cudaMemcpyFromSymbol(&value, counter, sizeof value);
    printf("counter %d\n", value);
    float row[8];
    cudaMemcpyFromSymbol(row, table, sizeof row);
    printf("table %.1f %.1f\n", row[0], row[7]);
    return 0;
}
