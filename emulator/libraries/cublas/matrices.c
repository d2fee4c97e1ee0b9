/* Products of matrices with vectors and with one another. */
#include "cublas.h"

static bool is_operation(cublasOperation_t op)
{
    return op == CUBLAS_OP_N || op == CUBLAS_OP_T || op == CUBLAS_OP_C;
}

static int64_t at_least_one(int64_t n)
{
    return n > 1 ? n : 1;
}

/* --- alpha op(A) x + beta y --- */

/* What is checked, and in which order, is NVIDIA's: of 12.4 as run, of 13.1 as far as it goes
 * without a GPU. */
static cublasStatus_t gemv(cublasHandle_t h, enum blas_type type, cublasOperation_t op, int64_t m,
                           int64_t n, const void *alpha, const void *a, int64_t lda, const void *x,
                           int64_t incx, const void *beta, void *y, int64_t incy)
{
    if (m <= 0 || n <= 0)
        return CUBLAS_STATUS_SUCCESS;
    NEEDS(h);
    if (!is_operation(op) || lda < m || incx == 0 || incy == 0 || !alpha || !beta)
        return CUBLAS_STATUS_INVALID_VALUE;
    const bool is_as_stored = op == CUBLAS_OP_N;
    blas_matrix_vector p = {.rows = is_as_stored ? m : n,
                            .columns = is_as_stored ? n : m,
                            .alpha = blas_scalar_at(h, alpha, type),
                            .beta = blas_scalar_at(h, beta, type),
                            .a = {a, is_as_stored ? 1 : lda, is_as_stored ? lda : 1, 0},
                            .x = {x, incx},
                            .y = {y, incy}};
    const int64_t blocks = is_as_stored ? (m + BLAS_THREADS - 1) / BLAS_THREADS : n;
    return blas_launch(h, is_as_stored ? "gemv_n" : "gemv_t", blas_type_name(type),
                       (unsigned)blocks, 0, (void *[]){&p});
}

#define GEMV(S, type, T, N, suffix)                                                            \
    CUBLAS_CALL cublas##S##gemv##suffix(cublasHandle_t h, cublasOperation_t op, N m, N n,      \
                                        const T *alpha, const T *a, N lda, const T *x, N incx, \
                                        const T *beta, T *y, N incy)                           \
    {                                                                                          \
        return gemv(h, type, op, m, n, alpha, a, lda, x, incx, beta, y, incy);                 \
    }
GEMV(S, BLAS_F32, float, int, _v2)
GEMV(S, BLAS_F32, float, int64_t, _v2_64)
GEMV(D, BLAS_F64, double, int, _v2)
GEMV(D, BLAS_F64, double, int64_t, _v2_64)

/* --- alpha op(A) op(B) + beta C --- */

/* What the calls of gemm have in common. */
typedef struct product {
    const char *routine;        /* its name in messages */
    int lda_at, ldb_at, ldc_at; /* which parameters these are, counted as in the messages */
    cublasOperation_t op_a, op_b;
    int64_t m, n, k, lda, ldb, ldc, count;
    int64_t next_a, next_b, next_c; /* from a matrix of a batch to the next one */
    const void *alpha, *beta, *a, *b, *c;
    enum blas_type scalar;
    const char *kernels; /* the end of their names: from which type to which */
} product;

/* The first parameter that is wrong, as NVIDIA's library counts; 0: none. */
static int wrong_parameter(const product *p)
{
    enum { COUNT_AT = 14 };
    return !is_operation(p->op_a)                                        ? 1
           : !is_operation(p->op_b)                                      ? 2
           : p->m < 0                                                    ? 3
           : p->n < 0                                                    ? 4
           : p->k < 0                                                    ? 5
           : p->lda < at_least_one(p->op_a == CUBLAS_OP_N ? p->m : p->k) ? p->lda_at
           : p->ldb < at_least_one(p->op_b == CUBLAS_OP_N ? p->k : p->n) ? p->ldb_at
           : p->ldc < at_least_one(p->m)                                 ? p->ldc_at
           : p->count < 0                                                ? COUNT_AT
                                                                         : 0;
}

static blas_matrix operand(const void *at, cublasOperation_t op, int64_t ld, int64_t next)
{
    const bool is_as_stored = op == CUBLAS_OP_N;
    return (blas_matrix){at, is_as_stored ? 1 : ld, is_as_stored ? ld : 1, next};
}

static cublasStatus_t gemm(cublasHandle_t h, const product *p)
{
    enum { MOST_BLOCKS_Z = 65535, WIDE = BLAS_SIDE * BLAS_PER, MANY = 2 * BLAS_SIDE };
    NEEDS(h);
    const int wrong = wrong_parameter(p);
    if (wrong) {
        cublasXerbla(p->routine, wrong);
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    if (p->m == 0 || p->n == 0 || p->count == 0)
        return CUBLAS_STATUS_SUCCESS;
    if (!p->alpha || !p->beta || !p->c)
        return CUBLAS_STATUS_INVALID_VALUE;
    blas_product g = {.m = p->m,
                      .n = p->n,
                      .k = p->k,
                      .count = p->count,
                      .alpha = blas_scalar_at(h, p->alpha, p->scalar),
                      .beta = blas_scalar_at(h, p->beta, p->scalar),
                      .a = operand(p->a, p->op_a, p->lda, p->next_a),
                      .b = operand(p->b, p->op_b, p->ldb, p->next_b),
                      .c = {p->c, 1, p->ldc, p->next_c}};
    const bool wide = p->m > MANY && p->n > MANY;
    const int64_t side = wide ? WIDE : BLAS_SIDE;
    const int64_t blocks = ((p->m + side - 1) / side) * ((p->n + side - 1) / side);
    if (blocks > INT32_MAX)
        return CUBLAS_STATUS_EXECUTION_FAILED;
    return blas_launch(h, wide ? "gemm_wide" : "gemm", p->kernels, (unsigned)blocks,
                       (unsigned)(p->count < MOST_BLOCKS_Z ? p->count : MOST_BLOCKS_Z),
                       (void *[]){&g});
}

/* The fields of a product from a call's parameters; which parameters its leading dimensions are. */
#define OPERANDS(lda_place, ldb_place, ldc_place)                                           \
    .op_a = op_a, .op_b = op_b, .m = m, .n = n, .k = k, .alpha = alpha, .a = a, .lda = lda, \
    .b = b, .ldb = ldb, .beta = beta, .c = c, .ldc = ldc, .lda_at = lda_place,              \
    .ldb_at = ldb_place, .ldc_at = ldc_place
#define STRIDES .next_a = next_a, .next_b = next_b, .next_c = next_c, .count = count

static cublasStatus_t gemm_of(cublasHandle_t h, const char *routine, enum blas_type type, product p)
{
    p.routine = routine;
    p.scalar = type;
    p.kernels = blas_type_name(type);
    return gemm(h, &p);
}

#define GEMM(S, type, T, N, suffix, suffix_n)                                                      \
    CUBLAS_CALL cublas##S##gemm##suffix(                                                           \
        cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, N m, N n, N k,           \
        const T *alpha, const T *a, N lda, const T *b, N ldb, const T *beta, T *c, N ldc)          \
    {                                                                                              \
        return gemm_of(h, #S "GEMM ", type, (product){OPERANDS(8, 10, 13), .count = 1});           \
    }                                                                                              \
    CUBLAS_CALL cublas##S##gemmStridedBatched##suffix_n(                                           \
        cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, N m, N n, N k,           \
        const T *alpha, const T *a, N lda, long long next_a, const T *b, N ldb, long long next_b,  \
        const T *beta, T *c, N ldc, long long next_c, N count)                                     \
    {                                                                                              \
        return gemm_of(h, #S "gemmStridedBatched", type, (product){OPERANDS(8, 10, 13), STRIDES}); \
    }
GEMM(S, BLAS_F32, float, int, _v2, )
GEMM(S, BLAS_F32, float, int64_t, _v2_64, _64)
GEMM(D, BLAS_F64, double, int, _v2, )
GEMM(D, BLAS_F64, double, int64_t, _v2_64, _64)
GEMM(H, BLAS_F16, uint16_t, int, , )
GEMM(H, BLAS_F16, uint16_t, int64_t, _64, _64)

/* The types of alpha and beta, and the kernels of a product of these types; false: there are none.
 */
static bool choose_kernels(product *p, cudaDataType a, cudaDataType b, cudaDataType c,
                           cublasComputeType_t compute)
{
    const bool in_16f = compute == CUBLAS_COMPUTE_16F || compute == CUBLAS_COMPUTE_16F_PEDANTIC;
    const bool in_64f = compute == CUBLAS_COMPUTE_64F || compute == CUBLAS_COMPUTE_64F_PEDANTIC;
    const bool in_32f =
        compute == CUBLAS_COMPUTE_32F || compute == CUBLAS_COMPUTE_32F_PEDANTIC ||
        (compute >= CUBLAS_COMPUTE_32F_FAST_16F && compute <= CUBLAS_COMPUTE_32F_EMULATED_16BFX9);
    p->scalar = in_16f ? BLAS_F16 : in_32f ? BLAS_F32 : BLAS_F64;
    p->kernels = NULL;
    if (a == b && b == CUDA_R_16F && c == CUDA_R_16F && (in_16f || in_32f))
        p->kernels = "f16";
    else if (a == b && b == CUDA_R_16F && c == CUDA_R_32F && in_32f)
        p->kernels = "f16_to_f32";
    else if (a == b && b == c && ((c == CUDA_R_32F && in_32f) || (c == CUDA_R_64F && in_64f)))
        p->kernels = blas_type_name(p->scalar);
    return p->kernels != NULL;
}

static cublasStatus_t gemm_ex(cublasHandle_t h, product p, cudaDataType a, cudaDataType b,
                              cudaDataType c, cublasComputeType_t compute)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    NEEDS(h);
    p.routine = "GEMM_EX ";
    if (choose_kernels(&p, a, b, c, compute))
        return gemm(h, &p);
    return (cublasStatus_t)library_report_missing("cublasGemmEx of such types", &said);
}

#define GEMM_EX(N, suffix)                                                                      \
    CUBLAS_CALL cublasGemmEx##suffix(                                                           \
        cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, N m, N n, N k,        \
        const void *alpha, const void *a, cudaDataType type_a, N lda, const void *b,            \
        cudaDataType type_b, N ldb, const void *beta, void *c, cudaDataType type_c, N ldc,      \
        cublasComputeType_t compute, int algorithm)                                             \
    {                                                                                           \
        (void)algorithm;                                                                        \
        return gemm_ex(h, (product){OPERANDS(9, 12, 16), .count = 1}, type_a, type_b, type_c,   \
                       compute);                                                                \
    }                                                                                           \
    CUBLAS_CALL cublasGemmStridedBatchedEx##suffix(                                             \
        cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, N m, N n, N k,        \
        const void *alpha, const void *a, cudaDataType type_a, N lda, long long next_a,         \
        const void *b, cudaDataType type_b, N ldb, long long next_b, const void *beta, void *c, \
        cudaDataType type_c, N ldc, long long next_c, N count, cublasComputeType_t compute,     \
        int algorithm)                                                                          \
    {                                                                                           \
        (void)algorithm;                                                                        \
        return gemm_ex(h, (product){OPERANDS(9, 13, 18), STRIDES}, type_a, type_b, type_c,      \
                       compute);                                                                \
    }
GEMM_EX(int, )
GEMM_EX(int64_t, _64)
