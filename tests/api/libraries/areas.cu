// What a program does with plans of cuFFT: work areas, streams, graphs, both directions by one
// plan, a device that is reset, calls that are missing.
#include "check.h"

#include <cmath>
#include <cufft.h>
#include <cufftXt.h>
#include <vector>

#define GIVES(want, expr)                                                                      \
    do {                                                                                       \
        const int got_ = (int)(expr);                                                          \
        if (got_ != (want)) {                                                                  \
            failures++;                                                                        \
            printf("%s:%d: %s gave %d, expected %d\n", __FILE__, __LINE__, #expr, got_, want); \
        }                                                                                      \
    } while (0)
#define DONE(expr) GIVES(CUFFT_SUCCESS, expr)

typedef std::vector<cufftDoubleComplex> values;

static cufftDoubleComplex *on_device(const values &v)
{
    cufftDoubleComplex *at;
    OK(cudaMalloc(&at, v.size() * sizeof v[0]));
    OK(cudaMemcpy(at, v.data(), v.size() * sizeof v[0], cudaMemcpyHostToDevice));
    return at;
}
static values from_device(const cufftDoubleComplex *at, size_t count)
{
    values v(count);
    OK(cudaMemcpy(v.data(), at, count * sizeof v[0], cudaMemcpyDeviceToHost));
    return v;
}
static values ramp(size_t count)
{
    values v(count);
    for (size_t i = 0; i < count; i++)
        v[i].x = (double)(i * 7 % 31) - 15, v[i].y = (double)(i * 5 % 17) - 8;
    return v;
}
static bool is_near(const values &a, const values &b, double scale)
{
    bool near = true;
    for (size_t i = 0; i < a.size(); i++)
        near &= fabs(a[i].x - scale * b[i].x) <= 1e-12 * scale &&
                fabs(a[i].y - scale * b[i].y) <= 1e-12 * scale;
    return near;
}

/* There and back in an area of the size that was asked for, between bytes that stay. */
static void in_area(int rank, const int *n, int batch)
{
    enum { GUARD = 256 };
    size_t size = 1, asked = 2, guessed = 3, count = batch;
    long long wide[3];
    cufftHandle h;
    for (int d = 0; d < rank; d++)
        count *= wide[d] = n[d];
    DONE(cufftCreate(&h));
    DONE(cufftSetAutoAllocation(h, 0));
    DONE(cufftMakePlanMany64(h, rank, wide, NULL, 1, 0, NULL, 1, 0, CUFFT_Z2Z, batch, &size));
    DONE(cufftGetSize(h, &asked));
    DONE(cufftEstimateMany(rank, (int *)n, NULL, 1, 0, NULL, 1, 0, CUFFT_Z2Z, batch, &guessed));
    CHECK(asked == size && guessed >= size);
    char *area;
    OK(cudaMalloc(&area, size + 2 * GUARD));
    OK(cudaMemset(area, 0xa5, size + 2 * GUARD));
    cudaStream_t stream;
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    DONE(cufftSetStream(h, stream));
    DONE(cufftSetWorkArea(h, area + GUARD));
    const values v = ramp(count);
    cufftDoubleComplex *at = on_device(v), *to = on_device(v);
    DONE(cufftExecZ2Z(h, at, to, CUFFT_FORWARD));
    DONE(cufftExecZ2Z(h, to, to, CUFFT_INVERSE));
    OK(cudaStreamSynchronize(stream));
    CHECK(is_near(from_device(to, count), v, (double)count / batch));
    CHECK(is_near(from_device(at, count), v, 1));
    std::vector<unsigned char> bytes(size + 2 * GUARD);
    OK(cudaMemcpy(bytes.data(), area, bytes.size(), cudaMemcpyDeviceToHost));
    for (int i = 0; i < GUARD; i++)
        CHECK(bytes[i] == 0xa5 && bytes[GUARD + size + i] == 0xa5);
    DONE(cufftDestroy(h));
    OK(cudaStreamDestroy(stream));
    OK(cudaFree(area));
    OK(cudaFree(at));
    OK(cudaFree(to));
}

/* The spectrum of an impulse at 1 is the table of roots itself. 29 * 37 * 41 has no two factors
 * that are both up to 1024: it is transformed in three parts. */
static void impulse(int n)
{
    values v(n);
    v[1].x = 1;
    cufftDoubleComplex *at = on_device(v);
    cufftHandle h;
    DONE(cufftPlan1d(&h, n, CUFFT_Z2Z, 1));
    DONE(cufftExecZ2Z(h, at, at, CUFFT_FORWARD));
    OK(cudaDeviceSynchronize());
    values want(n);
    for (int k = 0; k < n; k++)
        want[k].x = (double)cosl(2 * acosl(-1) * k / n),
        want[k].y = -(double)sinl(2 * acosl(-1) * k / n);
    CHECK(is_near(from_device(at, n), want, 1));
    DONE(cufftDestroy(h));
    OK(cudaFree(at));
}

static void in_graph()
{
    const int n = 8192;
    const values v = ramp(n);
    cufftDoubleComplex *at = on_device(v);
    cufftHandle h;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    OK(cudaStreamCreate(&stream));
    DONE(cufftPlan1d(&h, n, CUFFT_Z2Z, 1));
    DONE(cufftSetStream(h, stream));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    DONE(cufftExecZ2Z(h, at, at, CUFFT_FORWARD));
    DONE(cufftExecZ2Z(h, at, at, CUFFT_INVERSE));
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    CHECK(is_near(from_device(at, n), v, (double)n * n));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    DONE(cufftDestroy(h));
    OK(cudaStreamDestroy(stream));
    OK(cudaFree(at));
}

/* areas MAJOR: the version of the library that is linked. */
int main(int, char **arguments)
{
    int version = 0, major = 0;
    DONE(cufftGetVersion(&version));
    DONE(cufftGetProperty(MAJOR_VERSION, &major));
    CHECK(version / 1000 == major && major == atoi(arguments[1]));
    const int lines[][3] = {{1},     {100},    {2048},    {2310},     {8192},
                            {10007}, {20, 31}, {3, 5000}, {6, 7, 11}, {131, 2, 3}};
    const int ranks[] = {1, 1, 1, 1, 1, 1, 2, 2, 3, 3};
    for (int i = 0; i < 10; i++)
        for (int batch = 1; batch <= 3; batch += 2)
            in_area(ranks[i], lines[i], batch);
    for (int n : {2, 7, 120, 131, 1024, 6000, 29 * 37 * 41})
        impulse(n);
    in_graph();
    OK(cudaDeviceReset());
    impulse(64);
    for (int i = 0; i < 2; i++) {
        cudaLibXtDesc *none;
        GIVES(CUFFT_NOT_SUPPORTED, cufftXtMalloc(0, &none, CUFFT_XT_FORMAT_INPUT));
    }
    return print_failures();
}
