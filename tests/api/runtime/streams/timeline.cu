// The time line: two streams side by side, one row an operation.
// alone: the names of its kernels and variables are looked at
// tsv: WARPBOOK_TIMELINE ^op stream kind name start_ns end_ns .* copy_h2d - [0-9]+ [0-9]+ .* kernel spin [0-9]+ [0-9]+
// twice
#include "check.h"

__global__ void spin(int *p)
{
    int v = p[0];
    for (int i = 0; i < 1000; i++) {
        v = v * 3 + 1;
    }
    p[0] = v;
}

int main()
{
    int *d, *h;
    cudaStream_t s[2];
    OK(cudaMalloc(&d, 8));
    OK(cudaMallocHost(&h, 8));
    OK(cudaMemset(d, 0, 8));
    cudaEvent_t a, b;
    OK(cudaEventCreate(&a));
    OK(cudaEventCreate(&b));
    for (int i = 0; i < 2; i++) {
        OK(cudaStreamCreate(&s[i]));
    }
    OK(cudaEventRecord(a));
    for (int i = 0; i < 2; i++) {
        OK(cudaMemcpyAsync(d + i, h + i, 4, cudaMemcpyHostToDevice, s[i]));
        spin<<<1, 1, 0, s[i]>>>(d + i);
    }
    OK(cudaEventRecord(b));
    OK(cudaDeviceSynchronize());
    float ms;
    OK(cudaEventElapsedTime(&ms, a, b));
    printf("%.6f\n", ms);
    return print_failures();
}
