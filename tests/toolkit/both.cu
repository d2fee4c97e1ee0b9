// Two runtimes in one process: with -DLIBRARY a library, else the program, which opens the library of another toolkit. The
// memory of one is the other's, since there is one device.
#include <cstdio>
#include <dlfcn.h>

#ifdef LIBRARY
__global__ void twice(int *x) { x[threadIdx.x] *= 2; }

extern "C" int library(int *x)
{
    int version;
    twice<<<1, 32>>>(x);
    return cudaRuntimeGetVersion(&version) || cudaDeviceSynchronize() ? 0 : version / 1000;
}
#else
__global__ void count(int *x) { x[threadIdx.x] = threadIdx.x; }

int main(int, char **argv)
{
    int *x, version, last = 0;
    void *opened = dlopen(argv[1], RTLD_NOW);
    int (*library)(int *) = opened ? (int (*)(int *))dlsym(opened, "library") : NULL;
    if (!library || cudaMalloc(&x, 32 * sizeof *x) || cudaRuntimeGetVersion(&version))
        return 1;
    count<<<1, 32>>>(x);
    const int other = library(x);
    cudaError_t e = cudaMemcpy(&last, x + 31, sizeof last, cudaMemcpyDeviceToHost);
    printf("%d and %d: %d, %s\n", version / 1000, other, last, cudaGetErrorName(e));
    return cudaFree(x) != cudaSuccess;
}
#endif
