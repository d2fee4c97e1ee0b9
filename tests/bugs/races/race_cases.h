// Shared by the test programs with races on global memory: runs a case by its name. Each case is a
// kernel that gets N input numbers 1, 2, ..., and an output array of 4 N zeros.
#ifndef RACE_CASES_H
#define RACE_CASES_H

#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

enum { N = 1024, BLOCKS = 4, THREADS = 64 };
#define ME (blockIdx.x * blockDim.x + threadIdx.x)

typedef void race_kernel(const int *in, int *out);
struct race_case {
    const char *name;
    race_kernel *of;
};

static void race_run(race_kernel *k)
{
    int *in, *out, host[N];
    for (int i = 0; i < N; i++)
        host[i] = (i * 37 + 11) % 101 + 1;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, 4 * sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, 4 * sizeof host);
    void *args[] = {&in, &out};
    cudaLaunchCooperativeKernel((const void *)k, dim3(BLOCKS), dim3(THREADS), args, 0, 0);
    const cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaFree(in);
    cudaFree(out);
}

// Without an argument, print the names of the cases; with a name, run that case.
#define RACE_ROW(name) {#name, name},
#define RACE_CASES(CASES)                                              \
    int main(int argc, char **argv)                                    \
    {                                                                  \
        static const race_case cases[] = {CASES(RACE_ROW)};            \
        for (const race_case &c : cases)                               \
            if (argc > 1 && strcmp(argv[1], c.name) == 0)              \
                race_run(c.of);                                        \
            else if (argc == 1)                                        \
                puts(c.name);                                          \
        return 0;                                                      \
    }

#endif
