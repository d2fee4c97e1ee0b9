// Handles, settings, wrong arguments, and what this library does not have.
#include "reference.h"

static void try_settings(cublasHandle_t h, int major)
{
    cublasPointerMode_t pointers;
    cublasMath_t math;
    cublasAtomicsMode_t atomics;
    cudaStream_t stream = (cudaStream_t)1;
    int version = 0, part[3];
    DONE(cublasGetPointerMode(h, &pointers));
    DONE(cublasGetMathMode(h, &math));
    DONE(cublasGetAtomicsMode(h, &atomics));
    DONE(cublasGetStream(h, &stream));
    CHECK(pointers == CUBLAS_POINTER_MODE_HOST && math == CUBLAS_DEFAULT_MATH &&
          atomics == CUBLAS_ATOMICS_NOT_ALLOWED);
    CHECK(stream == nullptr);
    const int modes = CUBLAS_TF32_TENSOR_OP_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
    DONE(cublasSetMathMode(h, (cublasMath_t)modes));
    DONE(cublasGetMathMode(h, &math));
    CHECK(math == modes);
    DONE(cublasSetMathMode(h, CUBLAS_DEFAULT_MATH));
    GIVES(CUBLAS_STATUS_INVALID_VALUE, cublasSetMathMode(h, (cublasMath_t)7));
    GIVES(CUBLAS_STATUS_INVALID_VALUE, cublasSetPointerMode(h, (cublasPointerMode_t)2));
    DONE(cublasSetWorkspace(h, nullptr, 0));
    DONE(cublasGetVersion(h, &version));
    for (int k = 0; k < 3; k++)
        DONE(cublasGetProperty((libraryPropertyType)k, &part[k]));
    CHECK(version == part[0] * 10000 + part[1] * 100 + part[2] && part[0] == major);
    GIVES(CUBLAS_STATUS_INVALID_VALUE, cublasGetVersion(h, nullptr));
    CHECK(strcmp(cublasGetStatusName(CUBLAS_STATUS_INVALID_VALUE), "CUBLAS_STATUS_INVALID_VALUE") ==
          0);
    CHECK(strcmp(cublasGetStatusString(CUBLAS_STATUS_NOT_INITIALIZED),
                 "the library was not initialized") == 0);
    CHECK(strcmp(cublasGetStatusString((cublasStatus_t)2), "unrecognized status") == 0);
}

/* NULL as a handle, before anything else that is wrong. */
static void try_no_handle()
{
    float one = 1;
    int index;
    GIVES(CUBLAS_STATUS_INVALID_VALUE, cublasCreate(nullptr));
    GIVES(CUBLAS_STATUS_NOT_INITIALIZED, cublasDestroy(nullptr));
    GIVES(CUBLAS_STATUS_NOT_INITIALIZED, cublasSetStream(nullptr, nullptr));
    GIVES(CUBLAS_STATUS_NOT_INITIALIZED, cublasSetPointerMode(nullptr, CUBLAS_POINTER_MODE_HOST));
    GIVES(CUBLAS_STATUS_NOT_INITIALIZED, cublasSaxpy(nullptr, 1, &one, &one, 1, &one, 1));
    GIVES(CUBLAS_STATUS_NOT_INITIALIZED, cublasSscal(nullptr, 1, &one, &one, 1));
    GIVES(CUBLAS_STATUS_NOT_INITIALIZED, cublasSdot(nullptr, 1, &one, 1, &one, 1, &one));
    GIVES(CUBLAS_STATUS_NOT_INITIALIZED, cublasIsamax(nullptr, 1, &one, 1, &index));
    GIVES(CUBLAS_STATUS_NOT_INITIALIZED,
          cublasSgemv(nullptr, CUBLAS_OP_N, 1, 1, &one, &one, 0, &one, 1, &one, &one, 1));
    DONE(cublasSgemv(nullptr, CUBLAS_OP_N, -1, 1, &one, &one, 1, &one, 1, &one, &one,
                     1)); /* NVIDIA's looks here first */
    GIVES(CUBLAS_STATUS_NOT_INITIALIZED, cublasSaxpy(nullptr, 0, &one, &one, 1, &one, 1));
    GIVES(CUBLAS_STATUS_NOT_INITIALIZED, cublasSgemm(nullptr, CUBLAS_OP_N, CUBLAS_OP_N, -1, 1, 1,
                                                     &one, &one, 1, &one, 1, &one, &one, 1));
}

/* What is wrong, one at a time, in calls that are right: parameters by their places, from 1. What
 * is printed is what NVIDIA's library of 12.4 prints. */
static void try_gemm(cublasHandle_t h)
{
    const cudaDataType r32 = CUDA_R_32F;
    float one = 1, *p;
    OK(cudaMalloc(&p, 8192));
    OK(cudaMemset(p, 0, 8192));
    int wrong = 0;
    auto at = [&wrong](int place, int right, int other) { return place == wrong ? other : right; };
    auto op = [&](int place, cublasOperation_t right) {
        return (cublasOperation_t)at(place, right, 3);
    };
    auto scalar_at = [&](int place) { return place == wrong ? nullptr : &one; };
    auto call = [&] {
        return cublasSgemm(h, op(1, CUBLAS_OP_N), op(2, CUBLAS_OP_T), at(3, 5, -1), at(4, 6, -1),
                           at(5, 7, -1), scalar_at(6), p, at(8, 5, 4), p, at(10, 6, 5),
                           scalar_at(11), wrong == 12 ? nullptr : p + 512, at(13, 5, 4));
    };
    auto call_strided = [&] {
        return cublasSgemmStridedBatched(h, op(1, CUBLAS_OP_T), op(2, CUBLAS_OP_N), at(3, 5, -1), 6,
                                         7, &one, p, at(8, 7, 6), 64, p, at(10, 7, 6), 64, &one,
                                         p + 512, at(13, 5, 4), 64, at(14, 2, -1));
    };
    auto call_ex = [&] {
        return cublasGemmEx(h, op(1, CUBLAS_OP_T), op(2, CUBLAS_OP_N), 5, 6, 7, &one, p, r32,
                            at(9, 7, 6), p, r32, at(12, 7, 6), &one, p + 512, r32, at(16, 5, 4),
                            CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
    };
    auto call_strided_ex = [&] {
        return cublasGemmStridedBatchedEx(h, op(1, CUBLAS_OP_T), op(2, CUBLAS_OP_N), 5, 6, 7, &one,
                                          p, r32, at(9, 7, 6), 64, p, r32, at(13, 7, 6), 64, &one,
                                          p + 512, r32, at(18, 5, 4), 64, 2, CUBLAS_COMPUTE_32F,
                                          CUBLAS_GEMM_DEFAULT);
    };
    auto call_gemv = [&] {
        return cublasSgemv(h, op(1, CUBLAS_OP_T), 5, 6, scalar_at(4), p, at(6, 5, 4), p,
                           at(8, 1, 0), scalar_at(9), p + 512, at(11, 1, 0));
    };
    DONE(call());
    DONE(call_strided());
    DONE(call_ex());
    DONE(call_strided_ex());
    DONE(call_gemv());
    for (int place : {1, 2, 3, 4, 5, 6, 8, 10, 11, 12, 13})
        GIVES(CUBLAS_STATUS_INVALID_VALUE, (wrong = place, call()));
    for (int place : {1, 3, 8, 10, 13, 14})
        GIVES(CUBLAS_STATUS_INVALID_VALUE, (wrong = place, call_strided()));
    for (int place : {2, 9, 12, 16})
        GIVES(CUBLAS_STATUS_INVALID_VALUE, (wrong = place, call_ex()));
    for (int place : {9, 13, 18})
        GIVES(CUBLAS_STATUS_INVALID_VALUE, (wrong = place, call_strided_ex()));
    for (int place : {1, 4, 6, 8, 9, 11})
        GIVES(CUBLAS_STATUS_INVALID_VALUE, (wrong = place, call_gemv()));
    DONE(cublasSaxpy(h, 0, nullptr, p, 1, p, 1));
    GIVES(CUBLAS_STATUS_INVALID_VALUE, cublasSaxpy(h, 1, nullptr, p, 1, p, 1));
    GIVES(CUBLAS_STATUS_INVALID_VALUE, cublasSdot(h, 1, p, 1, p, 1, nullptr));
    GIVES(CUBLAS_STATUS_INVALID_VALUE, cublasIsamax(h, 1, p, 1, nullptr));
    for (int twice = 0; twice < 2; twice++) {
        GIVES(CUBLAS_STATUS_NOT_SUPPORTED,
              cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, p, CUDA_R_8I, 1, p,
                           CUDA_R_8I, 1, &one, p, CUDA_R_32I, 1, CUBLAS_COMPUTE_32I,
                           CUBLAS_GEMM_DEFAULT));
        GIVES(CUBLAS_STATUS_NOT_SUPPORTED,
              cublasSsyrk(h, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, 1, 1, &one, p, 1, &one, p, 1));
    }
    OK(cudaFree(p));
}

int main(int, char **argv)
{
    cublasHandle_t h, second;
    try_no_handle();
    DONE(cublasCreate(&h));
    DONE(cublasCreate(&second));
    try_settings(h, argv[1] ? atoi(argv[1]) : CUBLAS_VER_MAJOR);
    try_gemm(h);
    DONE(cublasDestroy(second));
    DONE(cublasDestroy(h));
    return print_failures();
}
