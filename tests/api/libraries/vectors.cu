// Calls on vectors against long double: n terms added in any order are off by at most n eps times
// the sum of magnitudes. What the documents say exactly is compared exactly: the first of equal
// magnitudes, results of nothing, copies.
#include "reference.h"

#define BOTH(name)                                                                              \
    template <typename... A> cublasStatus_t name(float, A... a) { return cublasS##name(a...); } \
    template <typename... A> cublasStatus_t name(double, A... a) { return cublasD##name(a...); }
BOTH(axpy)
BOTH(dot)
BOTH(nrm2)
BOTH(asum)
BOTH(scal)
template <typename... A> cublasStatus_t amax(float, A... a) { return cublasIsamax(a...); }
template <typename... A> cublasStatus_t amax(double, A... a) { return cublasIdamax(a...); }
template <typename... A> cublasStatus_t amin(float, A... a) { return cublasIsamin(a...); }
template <typename... A> cublasStatus_t amin(double, A... a) { return cublasIdamin(a...); }

/* N elements STEP apart; below 0 they begin at the far end. */
template <typename T> struct vector : array<T> {
    int n, step;
    vector(int count, int by)
        : array<T>((count > 0 ? count : 1) * (size_t)(by ? abs(by) : 1)), n(count), step(by)
    {
    }
    T &at(int i) { return this->host[(size_t)(step < 0 ? n - 1 - i : i) * abs(step)]; }
    void fill()
    {
        for (int i = 0; i < n; i++)
            at(i) = random_value<T>();
        this->push();
    }
};

template <typename T> void try_sums(cublasHandle_t h, int n, int incx, int incy)
{
    vector<T> x(n, incx), y(n, incy);
    x.fill(), y.fill();
    real sum = 0, sizes = 0, squares = 0;
    int most = 0, least = 0;
    for (int i = 0; i < n; i++) {
        const real a = value(x.at(i)), term = a * value(y.at(i));
        sum += term, sizes += fabsl(term), squares += a * a;
        most = fabsl(a) > fabsl(value(x.at(most))) ? i : most;
        least = fabsl(a) < fabsl(value(x.at(least))) ? i : least;
    }
    real magnitudes = 0;
    for (int i = 0; i < n; i++)
        magnitudes += fabsl(value(x.at(i)));
    const real eps = traits<T>::eps;
    const bool nothing = n <= 0 || incx <= 0;
    scalar<T> got(h, -1);
    DONE(dot(T(), h, n, x.device, incx, y.device, incy, got.at()));
    CHECK(near(got.get(), sum, eps * (n + 2) * sizes));
    DONE(asum(T(), h, n, x.device, incx, got.at()));
    CHECK(near(got.get(), nothing ? 0 : magnitudes, eps * (n + 2) * magnitudes));
    DONE(nrm2(T(), h, n, x.device, incx, got.at()));
    CHECK(near(got.get(), nothing ? 0 : sqrtl(squares), eps * (2 * n + 4) * sqrtl(squares)));
    scalar<int> index(h, -1);
    DONE(amax(T(), h, n, x.device, incx, index.at()));
    CHECK(index.get() == (nothing ? 0 : most + 1));
    DONE(amin(T(), h, n, x.device, incx, index.at()));
    CHECK(index.get() == (nothing ? 0 : least + 1));
}

template <typename T> void try_updates(cublasHandle_t h, int n, int incx, int incy, double by)
{
    vector<T> x(n, incx), y(n, incy);
    x.fill(), y.fill();
    scalar<T> alpha(h, by);
    DONE(axpy(T(), h, n, alpha.at(), x.device, incx, y.device, incy));
    std::vector<T> got = y.pull();
    for (int i = 0; i < n; i++) {
        const real term = by * value(x.at(i)), old = value(y.at(i));
        T &v = got[&y.at(i) - y.host.data()];
        CHECK(near(v, old + term,
                   2 * traits<T>::eps * (fabsl(term) + fabsl(old + term)) + traits<T>::least));
        v = y.at(i);
    }
    CHECK(memcmp(got.data(), y.host.data(), got.size() * sizeof(T)) == 0);
    DONE(scal(T(), h, n, alpha.at(), x.device, incx));
    got = x.pull();
    for (int i = 0; incx > 0 && i < n; i++)
        x.at(i) = (T)by * x.at(i);
    CHECK(memcmp(got.data(), x.host.data(), got.size() * sizeof(T)) == 0);
}

template <typename T> void try_vectors(cublasHandle_t h)
{
    static const int sizes[] = {-1, 0, 1, 7, 33, 65, 1000, 40000, 600000},
                     steps[][2] = {{1, 1}, {3, -2}, {-2, 1}};
    for (int mode = 0; mode < 2; mode++) {
        DONE(cublasSetPointerMode(h, mode ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST));
        for (int n : sizes)
            for (auto &step : steps)
                if (n < 100000 || step[0] == 1) {
                    try_sums<T>(h, n, step[0], step[1]);
                    try_updates<T>(h, n, step[0], step[1], mode ? 1 : -1.25);
                }
        try_sums<T>(h, 7, 0, 1);
    }
    DONE(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
}

/* Norms whose squares are out of range, and what is no number. */
template <typename T> void try_extremes(cublasHandle_t h)
{
    vector<T> x(1000, 1);
    T got;
    int index;
    const real ends[] = {sizeof(T) == 4 ? 1e36L : 1e305L, sizeof(T) == 4 ? 1e-36L : 1e-305L};
    for (real end : ends) {
        for (int i = 0; i < 1000; i++)
            x.at(i) = (T)(i % 2 ? -end : end);
        x.push();
        DONE(nrm2(T(), h, 1000, x.device, 1, &got));
        CHECK(near(got, value(x.at(0)) * sqrtl(1000),
                   traits<T>::eps * 1004 * value(x.at(0)) * sqrtl(1000)));
        DONE(amax(T(), h, 1000, x.device, 1, &index));
        CHECK(index == 1); /* all are equal */
    }
    x.at(700) = x.at(701) = (T)-INFINITY;
    x.push();
    DONE(nrm2(T(), h, 1000, x.device, 1, &got));
    CHECK(std::isinf(got) && got > 0);
    DONE(amax(T(), h, 1000, x.device, 1, &index));
    CHECK(index == 701);
    x.at(0) = x.at(701) = (T)NAN;
    x.push();
    DONE(nrm2(T(), h, 1000, x.device, 1, &got));
    CHECK(std::isnan(got));
    for (int i = 0; i < 1000; i++)
        x.at(i) = 0;
    x.push();
    DONE(nrm2(T(), h, 1000, x.device, 1, &got));
    CHECK(got == 0);
    x.at(0) = 1;
    x.push();
    DONE(amin(T(), h, 1000, x.device, 1, &index));
    CHECK(index == 2);
    /* A product with 0 that is not to be taken. */
    x.at(0) = (T)NAN;
    x.push();
    vector<T> y(1000, 1);
    y.fill();
    const T zero = 0;
    DONE(axpy(T(), h, 1000, &zero, x.device, 1, y.device, 1));
    CHECK(memcmp(y.pull().data(), y.host.data(), 1000 * sizeof(T)) == 0);
}

static void try_copies()
{
    const int n = 9;
    double from[3 * n], back[2 * n], *device;
    cudaStream_t stream;
    for (int i = 0; i < 3 * n; i++)
        from[i] = i;
    OK(cudaMalloc(&device, 2 * n * sizeof(double)));
    OK(cudaStreamCreate(&stream));
    for (int async = 0; async < 2; async++) {
        OK(cudaMemset(device, 0, 2 * n * sizeof(double)));
        memset(back, 0, sizeof back);
        if (async) {
            DONE(cublasSetVectorAsync(n, sizeof(double), from, 3, device, 2, stream));
            DONE(cublasGetVectorAsync(n, sizeof(double), device, 2, back, 1, stream));
            OK(cudaStreamSynchronize(stream));
        } else {
            DONE(cublasSetVector(n, sizeof(double), from, 3, device, 2));
            DONE(cublasGetVector(n, sizeof(double), device, 2, back, 1));
        }
        for (int i = 0; i < n; i++)
            CHECK(back[i] == 3 * i);
        CHECK(back[n] == 0);
    }
    /* 2 rows and 4 columns of a matrix of 3 rows, to one of 4 and back to one of 2. */
    for (int async = 0; async < 2; async++) {
        memset(back, 0, sizeof back);
        OK(cudaMemset(device, 0, 2 * n * sizeof(double)));
        if (async) {
            DONE(cublasSetMatrixAsync(2, 4, sizeof(double), from, 3, device, 4, stream));
            DONE(cublasGetMatrixAsync(2, 4, sizeof(double), device, 4, back, 2, stream));
            OK(cudaStreamSynchronize(stream));
        } else {
            DONE(cublasSetMatrix(2, 4, sizeof(double), from, 3, device, 4));
            DONE(cublasGetMatrix(2, 4, sizeof(double), device, 4, back, 2));
        }
        for (int j = 0; j < 4; j++)
            CHECK(back[2 * j] == 3 * j && back[2 * j + 1] == 3 * j + 1);
        double all[14];
        OK(cudaMemcpy(all, device, sizeof all, cudaMemcpyDeviceToHost));
        CHECK(all[2] == 0 && all[3] == 0 && all[4] == 3);
    }
    DONE(cublasSetVector(0, 8, from, 1, device, 1));
    GIVES(CUBLAS_STATUS_INVALID_VALUE, cublasSetVector(1, 0, from, 1, device, 1));
    GIVES(CUBLAS_STATUS_INVALID_VALUE, cublasGetVector(1, 8, device, 0, back, 1));
    GIVES(CUBLAS_STATUS_INVALID_VALUE, cublasSetMatrix(-1, 1, 8, from, 1, device, 1));
    GIVES(CUBLAS_STATUS_INVALID_VALUE, cublasGetMatrix(1, 1, 8, device, 1, back, 0));
    GIVES(CUBLAS_STATUS_MAPPING_ERROR, cublasSetMatrix(2, 1, 8, from, 1, device, 1));
    OK(cudaStreamDestroy(stream));
    OK(cudaFree(device));
}

/* Two streams, results in device memory, no waiting between them; indices of 64 bits. */
static void try_streams(cublasHandle_t h)
{
    const int n = 40000;
    vector<double> x(n, 1), y(n, 1);
    x.fill(), y.fill();
    double *sums;
    int64_t index, *wide;
    cudaStream_t stream[2], got;
    OK(cudaMalloc(&sums, 2 * sizeof(double)));
    OK(cudaMalloc(&wide, sizeof *wide));
    DONE(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE));
    for (int k = 0; k < 2; k++) {
        OK(cudaStreamCreate(&stream[k]));
        DONE(cublasSetStream(h, stream[k]));
        DONE(cublasGetStream(h, &got));
        CHECK(got == stream[k]);
        DONE(cublasDasum(h, n, k ? y.device : x.device, 1, sums + k));
    }
    DONE(cublasIdamax_64(h, n, x.device, 1, wide));
    OK(cudaDeviceSynchronize());
    double both[2], want[2] = {0, 0};
    int64_t most = 0;
    OK(cudaMemcpy(both, sums, sizeof both, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(&index, wide, sizeof index, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        want[0] += fabs(x.at(i)), want[1] += fabs(y.at(i));
        most = fabs(x.at(i)) > fabs(x.at(most)) ? i : most;
    }
    for (int k = 0; k < 2; k++)
        CHECK(near(both[k], want[k], 2 * n * traits<double>::eps * want[k]));
    CHECK(index == most + 1);
    DONE(cublasSetStream(h, nullptr));
    for (int k = 0; k < 2; k++)
        OK(cudaStreamDestroy(stream[k]));
    OK(cudaFree(sums));
    OK(cudaFree(wide));
    DONE(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
}

int main()
{
    cublasHandle_t h;
    DONE(cublasCreate(&h));
    try_vectors<float>(h);
    try_vectors<double>(h);
    try_extremes<float>(h);
    try_extremes<double>(h);
    try_copies();
    try_streams(h);
    DONE(cublasDestroy(h));
    printf("worst share of a bound: %.2Lf\n", worst);
    return print_failures();
}
