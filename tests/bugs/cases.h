// The end of a program of planted mistakes: CASES(X) lists its functions as X(name).
#pragma once
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

#define RUN_CASE(name)               \
    if (strcmp(argv[k], #name) == 0) \
        name();

// Run the cases that the program's arguments name, wait for the device, and print the error's name
// if there is one.
#define RUN_CASES(CASES)                     \
    for (int k = 1; k < argc; k++) {         \
        CASES(RUN_CASE)                      \
    }                                        \
    cudaError_t e = cudaDeviceSynchronize(); \
    if (e != cudaSuccess)                    \
        printf("%s\n", cudaGetErrorName(e));
