/* Prints a line "call<TAB>error code" for each call that is tried: the call is its source text. */
#pragma once

#include "hash.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

/* A call that must succeed. */
#define OK(x)                                                        \
    do {                                                             \
        cudaError_t e_ = (x);                                        \
        if (e_) {                                                    \
            printf("line %d\t%s\n", __LINE__, cudaGetErrorName(e_)); \
            cudaGetLastError();                                      \
        }                                                            \
    } while (0)
/* A call whose code is told; the thread's last error is taken away. */
#define TRY(x)                                        \
    do {                                              \
        cudaError_t e_ = (x);                         \
        cudaGetLastError();                           \
        printf("%s\t%s\n", #x, cudaGetErrorName(e_)); \
        fflush(stdout);                               \
    } while (0)
