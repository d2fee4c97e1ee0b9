// gemm in all forms and gemv against sums in long double. A sum of k products in another order is
// off by at most (k + 2) eps times the sum of magnitudes; then alpha, beta C and their sum round,
// and the store.
#include "reference.h"

static const cublasOperation_t ops[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};

template <typename... A> cublasStatus_t gemm(float, A... a) { return cublasSgemm(a...); }
template <typename... A> cublasStatus_t gemm(double, A... a) { return cublasDgemm(a...); }
template <typename... A> cublasStatus_t gemm(__half, A... a) { return cublasHgemm(a...); }
template <typename... A> cublasStatus_t gemv(float, A... a) { return cublasSgemv(a...); }
template <typename... A> cublasStatus_t gemv(double, A... a) { return cublasDgemv(a...); }

/* COUNT matrices of ROWS x COLUMNS, each column LD apart, STRIDE from one to the next. */
template <typename T> struct matrices : array<T> {
    int rows, columns, ld, count;
    size_t stride;
    matrices(int r, int c, int padding, int many = 1)
        : array<T>((size_t)(r + padding + 1) * (c + 1) * many), rows(r), columns(c),
          ld((r ? r : 1) + padding), count(many), stride((size_t)(r + padding + 1) * (c + 1))
    {
    }
    T &at(int z, int i, int j) { return this->host[z * stride + i + (size_t)j * ld]; }
    void fill()
    {
        for (int z = 0; z < count; z++)
            for (int j = 0; j < columns; j++)
                for (int i = 0; i < rows; i++)
                    at(z, i, j) = random_value<T>();
        this->push();
    }
    real op(cublasOperation_t o, int z, int i, int j)
    {
        return value(o == CUBLAS_OP_N ? at(z, i, j) : at(z, j, i));
    }
};

/* What lies on the device is alpha op(A) op(B) + beta C, with sums as ACC, and nothing else has
 * changed. */
template <typename Acc, typename In, typename Out>
bool is_product(cublasOperation_t p, cublasOperation_t q, int k, real alpha, matrices<In> &a,
                matrices<In> &b, real beta, matrices<Out> &c)
{
    std::vector<Out> got = c.pull();
    bool good = true;
    for (int z = 0; z < c.count; z++)
        for (int j = 0; j < c.columns; j++)
            for (int i = 0; i < c.rows; i++) {
                real sum = 0, size = 0;
                for (int d = 0; alpha != 0 && d < k; d++) {
                    const real term = a.op(p, z, i, d) * b.op(q, z, d, j);
                    sum += term, size += fabsl(term);
                }
                const real old = beta == 0 ? 0 : beta * value(c.at(z, i, j)),
                           want = alpha * sum + old;
                const real bound =
                    traits<Acc>::eps * ((k + 4) * fabsl(alpha) * size + 3 * fabsl(old)) +
                    traits<Out>::eps * fabsl(want) * 1.01L + traits<Out>::least;
                Out &v = got[&c.at(z, i, j) - c.host.data()];
                good &= near(value(v), want, bound);
                v = c.at(z, i, j); /* for what follows */
            }
    return good && memcmp(got.data(), c.host.data(), got.size() * sizeof(Out)) == 0;
}

template <typename T, typename Acc> void try_gemm(cublasHandle_t h)
{
    static const int sizes[] = {1, 7, 33, 65};
    static const double scalars[][2] = {{1, 0}, {-0.5, 2}, {1, 1}, {0, 1}, {0, 0}, {0, -0.5}};
    int turn = 0;
    for (int m : sizes)
        for (int n : sizes)
            for (int k : sizes)
                for (cublasOperation_t p : ops) {
                    const cublasOperation_t q = ops[turn % 3];
                    const double *s = scalars[turn / 3 % 6];
                    DONE(cublasSetPointerMode(h, turn % 2 ? CUBLAS_POINTER_MODE_DEVICE
                                                          : CUBLAS_POINTER_MODE_HOST));
                    scalar<T> alpha(h, s[0]), beta(h, s[1]);
                    const int padding = turn % 4;
                    matrices<T> a(p == CUBLAS_OP_N ? m : k, p == CUBLAS_OP_N ? k : m, padding),
                        b(q == CUBLAS_OP_N ? k : n, q == CUBLAS_OP_N ? n : k, padding / 2),
                        c(m, n, padding * 2);
                    if (s[0] != 0)
                        a.fill(), b.fill(); /* else both are NaNs, not to be read */
                    if (s[1] != 0)
                        c.fill();
                    else
                        c.push();
                    DONE(gemm(T(), h, p, q, m, n, k, alpha.at(), a.device, a.ld, b.device, b.ld,
                              beta.at(), c.device, c.ld));
                    if (!is_product<Acc>(p, q, k, s[0], a, b, s[1], c)) {
                        failures++;
                        printf(
                            "gemm of %zu bytes: m %d n %d k %d ops %d %d alpha %g beta %g lda %d\n",
                            sizeof(T), m, n, k, p, q, s[0], s[1], a.ld);
                    }
                    turn++;
                }
    /* Nothing to add up: beta C alone. Nothing to write: nothing is touched. */
    DONE(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
    scalar<T> one(h, 1), two(h, 2);
    matrices<T> c(7, 5, 1), none(1, 1, 0);
    c.fill();
    DONE(gemm(T(), h, CUBLAS_OP_N, CUBLAS_OP_N, 7, 5, 0, one.at(), none.device, 7, none.device, 1,
              two.at(), c.device, c.ld));
    CHECK((is_product<Acc>(CUBLAS_OP_N, CUBLAS_OP_N, 0, 1, none, none, 2, c)));
    DONE(gemm(T(), h, CUBLAS_OP_N, CUBLAS_OP_N, 0, 5, 3, one.at(), none.device, 1, none.device, 3,
              one.at(), none.device, 1));
    DONE(gemm(T(), h, CUBLAS_OP_N, CUBLAS_OP_N, 5, 0, 3, one.at(), none.device, 5, none.device, 3,
              one.at(), none.device, 5));
}

/* Types of A and B, of C, of sums, of alpha and beta; each a product and a batch. */
template <typename In, typename Out, typename Acc, typename Scalar>
void try_ex(cublasHandle_t h, cudaDataType in, cudaDataType out, cublasComputeType_t compute)
{
    const int m = 37, n = 35, k = 19;
    const cublasOperation_t p = CUBLAS_OP_T, q = CUBLAS_OP_N;
    scalar<Scalar> alpha(h, 0.75), beta(h, -1.5);
    matrices<In> a(k, m, 1, 3), b(k, n, 0, 3);
    matrices<Out> c(m, n, 2, 3), first(m, n, 2);
    a.fill(), b.fill(), c.fill(), first.fill();
    DONE(cublasGemmEx(h, p, q, m, n, k, alpha.at(), a.device, in, a.ld, b.device, in, b.ld,
                      beta.at(), first.device, out, first.ld, compute, CUBLAS_GEMM_DEFAULT));
    CHECK((is_product<Acc>(p, q, k, 0.75L, a, b, -1.5L, first)));
    DONE(cublasGemmStridedBatchedEx(h, p, q, m, n, k, alpha.at(), a.device, in, a.ld, a.stride,
                                    b.device, in, b.ld, b.stride, beta.at(), c.device, out, c.ld,
                                    c.stride, 3, compute, CUBLAS_GEMM_DEFAULT));
    CHECK((is_product<Acc>(p, q, k, 0.75L, a, b, -1.5L, c)));
}

/* The typed batches; sizes of 64 bits; one matrix for all products (a stride of 0). */
static void try_batches(cublasHandle_t h)
{
    const cublasOperation_t p = CUBLAS_OP_N, q = CUBLAS_OP_T;
    const float one = 1, zero = 0;
    const double done = 1, half = 0.5;
    matrices<float> a(5, 6, 1, 4), b(7, 6, 0, 4), c(5, 7, 0, 4);
    matrices<double> d(5, 6, 0), e(7, 6, 0);
    a.fill(), b.fill(), c.fill(), d.fill(), e.fill();
    DONE(cublasSgemmStridedBatched(h, p, q, 5, 7, 6, &one, a.device, a.ld, a.stride, b.device, b.ld,
                                   b.stride, &zero, c.device, c.ld, c.stride, 4));
    CHECK((is_product<float>(p, q, 6, 1, a, b, 0, c)));
    for (int z = 1; z < 4; z++)
        memcpy(&a.host[z * a.stride], &a.host[0], a.stride * sizeof(float));
    DONE(cublasSgemmStridedBatched_64(h, p, q, 5, 7, 6, &one, a.device, a.ld, 0, b.device, b.ld,
                                      b.stride, &zero, c.device, c.ld, c.stride, 4));
    CHECK((is_product<float>(p, q, 6, 1, a, b, 0, c)));
    matrices<double> g(5, 7, 0);
    g.fill();
    DONE(cublasDgemm_64(h, p, q, 5, 7, 6, &done, d.device, d.ld, e.device, e.ld, &half, g.device,
                        g.ld));
    CHECK((is_product<double>(p, q, 6, 1, d, e, 0.5L, g)));
    /* More products than a grid has layers. */
    const int many = 70000;
    matrices<float> x(1, 1, 0, many), y(1, 1, 0, many), z(1, 1, 0, many);
    x.fill(), y.fill(), z.fill();
    DONE(cublasSgemmStridedBatched(h, p, q, 1, 1, 1, &one, x.device, 1, x.stride, y.device, 1,
                                   y.stride, &zero, z.device, 1, z.stride, many));
    CHECK((is_product<float>(p, q, 1, 1, x, y, 0, z)));
}

template <typename T> void try_gemv(cublasHandle_t h)
{
    static const int shapes[][2] = {{1, 1}, {1, 7}, {7, 1}, {33, 65}, {65, 33}, {300, 5}, {5, 300}};
    static const double scalars[][2] = {{1, 0}, {-0.5, 2}, {0, 1}, {0, 0}};
    static const int steps[][2] = {{1, 1}, {2, -3}, {-1, 2}};
    int turn = 0;
    for (auto &shape : shapes)
        for (cublasOperation_t o : ops)
            for (auto &s : scalars) {
                const int *step = steps[turn % 3], m = shape[0], n = shape[1];
                const int rows = o == CUBLAS_OP_N ? m : n, columns = o == CUBLAS_OP_N ? n : m;
                DONE(cublasSetPointerMode(h, turn++ % 2 ? CUBLAS_POINTER_MODE_DEVICE
                                                        : CUBLAS_POINTER_MODE_HOST));
                scalar<T> alpha(h, s[0]), beta(h, s[1]);
                /* As matrices of one row with columns a step apart: negative steps begin at the far
                 * end. */
                matrices<T> a(m, n, turn % 3), x(1, columns, abs(step[0]) - 1),
                    y(1, rows, abs(step[1]) - 1);
                if (s[0] != 0)
                    a.fill(), x.fill();
                if (s[1] != 0)
                    y.fill();
                else
                    y.push();
                DONE(gemv(T(), h, o, m, n, alpha.at(), a.device, a.ld, x.device, step[0], beta.at(),
                          y.device, step[1]));
                std::vector<T> got = y.pull();
                bool good = true;
                for (int i = 0; i < rows; i++) {
                    real sum = 0, size = 0;
                    for (int j = 0; s[0] != 0 && j < columns; j++) {
                        const real term =
                            a.op(o, 0, i, j) * value(x.at(0, 0, step[0] < 0 ? columns - 1 - j : j));
                        sum += term, size += fabsl(term);
                    }
                    T &old = y.at(0, 0, step[1] < 0 ? rows - 1 - i : i),
                      &v = got[&old - y.host.data()];
                    const real was = s[1] == 0 ? 0 : s[1] * value(old);
                    good &= near(value(v), s[0] * sum + was,
                                 traits<T>::eps *
                                         ((columns + 4) * fabsl(s[0]) * size + 3 * fabsl(was)) +
                                     traits<T>::least);
                    v = old;
                }
                if (!good || memcmp(got.data(), y.host.data(), got.size() * sizeof(T)) != 0) {
                    failures++;
                    printf("gemv of %zu bytes: m %d n %d op %d alpha %g beta %g steps %d %d\n",
                           sizeof(T), m, n, o, s[0], s[1], step[0], step[1]);
                }
            }
    DONE(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
}

int main()
{
    cublasHandle_t h;
    DONE(cublasCreate(&h));
    try_gemm<float, float>(h);
    try_gemm<double, double>(h);
    try_gemm<__half, float>(h);
    try_ex<float, float, float, float>(h, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F);
    try_ex<float, float, float, float>(h, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32);
    try_ex<double, double, double, double>(h, CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F);
    try_ex<__half, __half, float, __half>(h, CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F);
    try_ex<__half, __half, float, float>(h, CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F);
    try_ex<__half, float, float, float>(h, CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F);
    try_batches(h);
    try_gemv<float>(h);
    try_gemv<double>(h);
    DONE(cublasDestroy(h));
    printf("worst share of a bound: %.2Lf\n", worst);
    return print_failures();
}
