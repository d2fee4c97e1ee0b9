/* Checks shared by the programs of tests/api/driver; each failed check prints a line. */
#ifndef WARPBOOK_CUDRIVER_CHECK_H
#define WARPBOOK_CUDRIVER_CHECK_H

#include <cuda.h>

#include <stdio.h>

static int failures;

static inline void expect_code(CUresult got, CUresult want, const char *call, int line)
{
    if (got != want) {
        const char *g = "?", *w = "?";
        cuGetErrorName(got, &g);
        cuGetErrorName(want, &w);
        fprintf(stderr, "line %d: %s is %s, expected %s\n", line, call, g, w);
        failures++;
    }
}

static inline void expect_true(int so, const char *what, int line)
{
    if (!so) {
        fprintf(stderr, "line %d: %s does not hold\n", line, what);
        failures++;
    }
}

#define IS(want, call) expect_code(call, CUDA_##want, #call, __LINE__)
#define OK(call)       expect_code(call, CUDA_SUCCESS, #call, __LINE__)
#define SO(condition)  expect_true(condition, #condition, __LINE__)

#endif
