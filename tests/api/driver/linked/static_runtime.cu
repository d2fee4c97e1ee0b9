/* A program with NVIDIA's runtime library in itself (run-linked): built without -cudart shared. */
#include <cstdio>

__global__ void nothing() {}

int main()
{
    int *p;
    cudaError_t first = cudaMalloc(&p, 4), second = cudaMalloc(&p, 4);
    nothing<<<1, 1>>>();
    printf("%d %d %d\n", first, second, cudaDeviceSynchronize());
}
