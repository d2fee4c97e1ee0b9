/* The handful of cuFFT's types that the calls here take, as cufft.h of toolkits 12 and 13 has them,
 * and what the files of this folder share. */
#pragma once

#include "../common/library.h"
#include "kernel_args.h"

#include <stddef.h>

typedef enum cufftResult {
    CUFFT_SUCCESS = 0,
    CUFFT_INVALID_PLAN = 1,
    CUFFT_ALLOC_FAILED = 2,
    CUFFT_INVALID_TYPE = 3,
    CUFFT_INVALID_VALUE = 4,
    CUFFT_INTERNAL_ERROR = 5,
    CUFFT_EXEC_FAILED = 6,
    CUFFT_SETUP_FAILED = 7,
    CUFFT_INVALID_SIZE = 8,
    CUFFT_NO_WORKSPACE = 13,
    CUFFT_NOT_SUPPORTED = 16,
} cufftResult;

typedef enum cufftType {
    CUFFT_C2C = 0x29,
    CUFFT_R2C = 0x2a,
    CUFFT_C2R = 0x2c,
    CUFFT_Z2Z = 0x69,
    CUFFT_D2Z = 0x6a,
    CUFFT_Z2D = 0x6c,
    CUFFT_OF_DOUBLES = 0x40, /* a bit of the types of double precision */
} cufftType;

enum { CUFFT_FORWARD = -1, CUFFT_INVERSE = 1 };

typedef int cufftHandle;

enum { FFT_RANK = 3, FFT_PASSES = 24 };

/* How a batch lies in memory: elements from a transform to the next, and along each dimension. */
typedef struct fft_layout {
    long long dist, step[FFT_RANK];
} fft_layout;

/* What a plan is asked for. */
typedef struct fft_problem {
    cufftType type;
    int rank;
    bool is_basic; /* no layouts are given: the usual ones, which differ in place and apart */
    long long n[FFT_RANK], batch;
    fft_layout in, out;
} fft_problem;

enum fft_table_kind { FFT_ROOTS, FFT_FINE, FFT_COARSE, FFT_CHIRP, FFT_FILTER };

/* Factors that the kernels read, in device memory. */
typedef struct fft_table {
    enum fft_table_kind kind;
    long long n;
    CUdeviceptr at;
} fft_table;

typedef struct fft_plan {
    bool is_made, allocates, owns_work;
    fft_problem problem;
    CUmodule kernels;
    CUstream stream;
    CUdeviceptr work;
    size_t work_size;
    fft_table *table;
    int table_count;
} fft_plan;

/* The passes of one execution, in their order. */
typedef struct fft_passes {
    int count;
    size_t work_size; /* bytes that they use of the work area */
    fft_pass pass[FFT_PASSES];
} fft_passes;

bool fft_is_double(cufftType type);
size_t fft_complex_size(cufftType type);
/* The passes of a plan from IN to OUT, which may be one, with a work area at WORK. Without a plan
 * for their tables they serve for their size. False: a length is too great, or there is no memory.
 */
bool fft_make_passes(fft_plan *plan, const fft_problem *p, void *in, void *out, void *work,
                     bool inverse, fft_passes *made);
/* The table of the plan, made if it has none yet. 0: there is no memory. */
CUdeviceptr fft_table_of(fft_plan *plan, enum fft_table_kind kind, long long n);
void fft_free_tables(fft_plan *plan);
/* As many low bits has the index of a table FFT_FINE; FFT_COARSE has the others. */
int fft_fine_bits(long long n);
/* The length of the convolution that a transform of N may be. */
long long fft_convolution(long long n);
