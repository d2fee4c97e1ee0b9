/* Prints a line "call<TAB>error code" for each API call tested; "call" is the source text of the
 * call. */
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
/* Print the code that the call returns, and clear the thread's last error. */
#define TRY(x)                                        \
    do {                                              \
        cudaError_t e_ = (x);                         \
        cudaGetLastError();                           \
        printf("%s\t%s\n", #x, cudaGetErrorName(e_)); \
        fflush(stdout);                               \
    } while (0)
