/* Macros for test programs that check their own results: the exit status is 0 if all checks
 * held. */
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

static int failures;

/* EXPR must return the error WANT. */
#define EXPECT(want, expr)                                                        \
    do {                                                                          \
        cudaError_t got_ = (expr);                                                \
        if (got_ != (want)) {                                                     \
            failures++;                                                           \
            printf("%s:%d: %s gave %s, expected %s\n", __FILE__, __LINE__, #expr, \
                   cudaGetErrorName(got_), cudaGetErrorName(want));               \
        }                                                                         \
    } while (0)

#define OK(expr) EXPECT(cudaSuccess, expr)

#define CHECK(condition)                                                         \
    do {                                                                         \
        if (!(condition)) {                                                      \
            failures++;                                                          \
            printf("%s:%d: check failed: %s\n", __FILE__, __LINE__, #condition); \
        }                                                                        \
    } while (0)

static int print_failures()
{
    if (failures) {
        printf("%d checks failed\n", failures);
    }
    return failures != 0;
}
