// What the calls of cuFFT answer, right ones and wrong ones: one line each. The same lines come
// from a GPU with NVIDIA's library (recorded) and from ours.
#include "check.h"

#include <cstdint>
#include <cufft.h>

static size_t size;
static cufftHandle h, other;
static int version;
static char *in, *out;
static int n[4] = {8, 8, 8, 8}, none[4] = {0, 0, 0, 0}, wide[4] = {16, 16, 16, 16},
           small[4] = {4, 4, 4, 4};
static int minus[4] = {8, -8, 8, 8};
static long long n64[4] = {8, 8, 8, 8};

#define SAY(expr) printf("%s: %d\n", #expr, (int)(expr))
/* A call that makes a plan, which is destroyed where there is one. */
#define PLAN(expr)                    \
    do {                              \
        h = -77;                      \
        const int s = (int)(expr);    \
        printf("%s: %d\n", #expr, s); \
        if (h != -77 && s == 0)       \
            cufftDestroy(h);          \
    } while (0)
/* The same for a plan that cufftCreate makes. */
#define MADE(expr)                              \
    do {                                        \
        cufftCreate(&h);                        \
        printf("%s: %d\n", #expr, (int)(expr)); \
        cufftDestroy(h);                        \
    } while (0)
#define C(p) ((cufftComplex *)(p))
#define R(p) ((cufftReal *)(p))
#define Z(p) ((cufftDoubleComplex *)(p))
#define D(p) ((cufftDoubleReal *)(p))

static void plans()
{
    PLAN(cufftPlan1d(NULL, 8, CUFFT_C2C, 1));
    for (int type = 0x28; type <= 0x2d; type++)
        PLAN(cufftPlan1d(&h, 8, (cufftType)type, 1));
    PLAN(cufftPlan1d(&h, 8, (cufftType)0, 1));
    PLAN(cufftPlan1d(&h, 8, (cufftType)0x6a, 1));
    PLAN(cufftPlan1d(&h, 0, CUFFT_C2C, 1));
    PLAN(cufftPlan1d(&h, -1, CUFFT_C2C, 1));
    PLAN(cufftPlan1d(&h, 1, CUFFT_C2C, 1));
    PLAN(cufftPlan1d(&h, 1, CUFFT_R2C, 1));
    PLAN(cufftPlan1d(&h, 8, CUFFT_C2C, 0));
    PLAN(cufftPlan1d(&h, 8, CUFFT_C2C, -1));
    PLAN(cufftPlan1d(&h, 0, (cufftType)0, 0));
    PLAN(cufftPlan1d(&h, 8, (cufftType)0, 0));
    PLAN(cufftPlan1d(NULL, 0, (cufftType)0, 0));
    PLAN(cufftPlan2d(NULL, 8, 8, CUFFT_C2C));
    PLAN(cufftPlan2d(&h, 0, 8, CUFFT_C2C));
    PLAN(cufftPlan2d(&h, 8, 0, CUFFT_C2C));
    PLAN(cufftPlan2d(&h, 8, 1, CUFFT_C2C));
    PLAN(cufftPlan2d(&h, 8, 8, (cufftType)0));
    PLAN(cufftPlan2d(&h, 8, 8, CUFFT_C2C));
    PLAN(cufftPlan3d(NULL, 8, 8, 8, CUFFT_C2C));
    PLAN(cufftPlan3d(&h, 8, 8, -1, CUFFT_C2C));
    PLAN(cufftPlan3d(&h, 8, 8, 8, (cufftType)0));
    PLAN(cufftPlan3d(&h, 8, 8, 8, CUFFT_Z2D));
    PLAN(cufftPlanMany(NULL, 1, n, NULL, 1, 8, NULL, 1, 8, CUFFT_C2C, 1));
    PLAN(cufftPlanMany(&h, 0, n, NULL, 1, 8, NULL, 1, 8, CUFFT_C2C, 1));
    PLAN(cufftPlanMany(&h, 4, n, NULL, 1, 8, NULL, 1, 8, CUFFT_C2C, 1));
    PLAN(cufftPlanMany(&h, -1, n, NULL, 1, 8, NULL, 1, 8, CUFFT_C2C, 1));
    PLAN(cufftPlanMany(&h, 2, none, NULL, 1, 8, NULL, 1, 8, CUFFT_C2C, 1));
    PLAN(cufftPlanMany(&h, 2, minus, NULL, 1, 8, NULL, 1, 8, CUFFT_C2C, 1));
    PLAN(cufftPlanMany(&h, 1, n, NULL, 1, 8, NULL, 1, 8, CUFFT_C2C, 0));
    PLAN(cufftPlanMany(&h, 1, n, NULL, 0, 0, NULL, 0, 0, CUFFT_C2C, 2));
    PLAN(cufftPlanMany(&h, 1, n, NULL, -1, -1, NULL, -1, -1, CUFFT_C2C, 2));
    PLAN(cufftPlanMany(&h, 1, n, n, 1, 8, NULL, 1, 8, CUFFT_C2C, 2));
    PLAN(cufftPlanMany(&h, 1, n, NULL, 1, 8, n, 1, 8, CUFFT_C2C, 2));
    PLAN(cufftPlanMany(&h, 1, n, n, 0, 8, n, 1, 8, CUFFT_C2C, 2));
    PLAN(cufftPlanMany(&h, 1, n, n, 1, 8, n, 0, 8, CUFFT_C2C, 2));
    PLAN(cufftPlanMany(&h, 1, n, n, -1, 8, n, 1, 8, CUFFT_C2C, 2));
    PLAN(cufftPlanMany(&h, 1, n, n, 1, 0, n, 1, 8, CUFFT_C2C, 2));
    PLAN(cufftPlanMany(&h, 1, n, n, 1, 8, n, 1, 0, CUFFT_C2C, 2));
    PLAN(cufftPlanMany(&h, 1, n, n, 1, 0, n, 1, 0, CUFFT_C2C, 1));
    PLAN(cufftPlanMany(&h, 1, n, n, 1, -8, n, 1, 8, CUFFT_C2C, 2));
    PLAN(cufftPlanMany(&h, 1, n, n, 1, 4, n, 1, 8, CUFFT_C2C, 2));
    PLAN(cufftPlanMany(&h, 1, n, n, 1, 8, n, 1, 4, CUFFT_C2C, 2));
    PLAN(cufftPlanMany(&h, 1, n, none, 1, 8, none, 1, 8, CUFFT_C2C, 2));
    PLAN(cufftPlanMany(&h, 1, n, small, 1, 8, small, 1, 8, CUFFT_C2C, 2));
    PLAN(cufftPlanMany(&h, 2, n, small, 1, 64, wide, 1, 256, CUFFT_C2C, 1));
    PLAN(cufftPlanMany(&h, 2, n, wide, 1, 256, small, 1, 64, CUFFT_C2C, 1));
    PLAN(cufftPlanMany(&h, 2, n, wide, 1, 256, none, 1, 64, CUFFT_C2C, 1));
    PLAN(cufftPlanMany(&h, 2, n, minus, 1, 256, wide, 1, 64, CUFFT_C2C, 1));
    PLAN(cufftPlanMany(&h, 2, n, wide, 1, 256, wide, 1, 256, (cufftType)7, 1));
}

static void made()
{
    SAY(cufftCreate(NULL));
    MADE(cufftMakePlan1d(h, 8, CUFFT_C2C, 1, &size));
    MADE(cufftMakePlan1d(h, 8, CUFFT_C2C, 1, NULL));
    MADE(cufftMakePlan1d(h, 0, CUFFT_C2C, 1, &size));
    MADE(cufftMakePlan1d(h, 8, (cufftType)1, 1, &size));
    MADE(cufftMakePlan1d(h, 8, CUFFT_C2C, 0, &size));
    MADE(cufftMakePlan2d(h, 8, 8, CUFFT_C2C, NULL));
    MADE(cufftMakePlan3d(h, 8, 0, 8, CUFFT_C2C, &size));
    MADE(cufftMakePlanMany(h, 1, n, n, 1, 8, NULL, 1, 8, CUFFT_C2C, 1, &size));
    MADE(cufftMakePlanMany(h, 1, n, NULL, 1, 8, NULL, 1, 8, CUFFT_C2C, 1, NULL));
    MADE(cufftMakePlanMany64(h, 1, n64, NULL, 1, 8, NULL, 1, 8, CUFFT_C2C, 1, &size));
    MADE(cufftMakePlanMany64(h, 4, n64, NULL, 1, 8, NULL, 1, 8, CUFFT_C2C, 1, &size));
    MADE(cufftMakePlanMany64(h, 1, n64, NULL, 1, 8, NULL, 1, 8, CUFFT_C2C, 0, &size));
    SAY(cufftMakePlan1d(12345, 8, CUFFT_C2C, 1, &size));
    SAY(cufftMakePlan1d(-1, 8, CUFFT_C2C, 1, &size));
    cufftCreate(&h);
    SAY(cufftGetSize(h, &size));
    SAY(cufftGetSize(h, NULL));
    SAY(cufftExecC2C(h, C(in), C(out), CUFFT_FORWARD));
    SAY(cufftSetStream(h, 0));
    SAY(cufftSetWorkArea(h, in));
    SAY(cufftSetWorkArea(h, NULL));
    SAY(cufftSetAutoAllocation(h, 0));
    SAY(cufftSetAutoAllocation(h, 7));
    SAY(cufftSetAutoAllocation(h, 1));
    SAY(cufftMakePlan1d(h, 8, CUFFT_C2C, 1, &size));
    SAY(cufftSetAutoAllocation(h, 0));
    SAY(cufftMakePlan1d(h, 16, CUFFT_C2C, 1, &size));
    SAY(cufftMakePlan2d(h, 16, 16, CUFFT_R2C, &size));
    SAY(cufftGetSize(h, NULL));
    SAY(cufftDestroy(h));
    SAY(cufftDestroy(h));
    SAY(cufftGetSize(h, &size));
    SAY(cufftSetStream(h, 0));
    SAY(cufftSetWorkArea(h, in));
    SAY(cufftSetAutoAllocation(h, 1));
    SAY(cufftExecC2C(h, C(in), C(out), CUFFT_FORWARD));
    SAY(cufftDestroy(-1));
    SAY(cufftDestroy(0));
    SAY(cufftDestroy(99999));
    cufftCreate(&h);
    SAY(cufftMakePlan1d(h, 0, CUFFT_C2C, 1, &size));
    SAY(cufftMakePlan1d(h, 8, CUFFT_C2C, 1, &size));
    SAY(cufftDestroy(h));
    cufftCreate(&h);
    cufftCreate(&other);
    printf("two handles differ: %d\n", h != other);
    SAY(cufftDestroy(h));
    SAY(cufftMakePlan1d(other, 8, CUFFT_C2C, 1, &size));
    SAY(cufftDestroy(other));
}

static void sizes()
{
    SAY(cufftEstimate1d(8, CUFFT_C2C, 1, &size));
    SAY(cufftEstimate1d(8, CUFFT_C2C, 1, NULL));
    SAY(cufftEstimate1d(0, CUFFT_C2C, 1, &size));
    SAY(cufftEstimate1d(8, (cufftType)3, 1, &size));
    SAY(cufftEstimate1d(8, CUFFT_C2C, 0, &size));
    SAY(cufftEstimate2d(8, 8, CUFFT_C2C, &size));
    SAY(cufftEstimate2d(8, -8, CUFFT_C2C, &size));
    SAY(cufftEstimate3d(8, 8, 8, CUFFT_C2C, &size));
    SAY(cufftEstimateMany(2, n, NULL, 1, 8, NULL, 1, 8, CUFFT_R2C, 3, &size));
    SAY(cufftEstimateMany(4, n, NULL, 1, 8, NULL, 1, 8, CUFFT_R2C, 3, &size));
    MADE(cufftGetSize1d(h, 8, CUFFT_C2C, 1, &size));
    MADE(cufftGetSize1d(h, 0, CUFFT_C2C, 1, &size));
    MADE(cufftGetSize1d(h, 8, CUFFT_C2C, 1, NULL));
    MADE(cufftGetSize2d(h, 8, 8, CUFFT_C2C, &size));
    MADE(cufftGetSize3d(h, 8, 8, 8, CUFFT_C2C, &size));
    MADE(cufftGetSizeMany(h, 2, n, NULL, 1, 8, NULL, 1, 8, CUFFT_R2C, 3, &size));
    MADE(cufftGetSizeMany64(h, 2, n64, NULL, 1, 8, NULL, 1, 8, CUFFT_R2C, 3, &size));
    SAY(cufftGetSize1d(12345, 8, CUFFT_C2C, 1, &size));
    cufftCreate(&h);
    SAY(cufftGetSize1d(h, 8, CUFFT_C2C, 1, &size));
    SAY(cufftGetSize(h, &size));
    SAY(cufftMakePlan1d(h, 8, CUFFT_C2C, 1, &size));
    SAY(cufftGetSize1d(h, 16, CUFFT_R2C, 1, &size));
    SAY(cufftExecC2C(h, C(in), C(out), CUFFT_FORWARD));
    SAY(cufftDestroy(h));
}

/* Every call of execution on a plan of TYPE. */
static void executions(cufftType type)
{
    printf("of type %#x:\n", type);
    SAY(cufftPlan1d(&h, 8, type, 1));
    SAY(cufftExecC2C(h, C(in), C(out), CUFFT_FORWARD));
    SAY(cufftExecR2C(h, R(in), C(out)));
    SAY(cufftExecC2R(h, C(in), R(out)));
    SAY(cufftExecZ2Z(h, Z(in), Z(out), CUFFT_INVERSE));
    SAY(cufftExecD2Z(h, D(in), Z(out)));
    SAY(cufftExecZ2D(h, Z(in), D(out)));
    SAY(cudaDeviceSynchronize());
    SAY(cufftDestroy(h));
}

static void uses()
{
    for (cufftType t : {CUFFT_C2C, CUFFT_R2C, CUFFT_C2R, CUFFT_Z2Z, CUFFT_D2Z, CUFFT_Z2D})
        executions(t);
    SAY(cufftPlan1d(&h, 8, CUFFT_C2C, 1));
    SAY(cufftExecC2C(h, C(in), C(out), 0));
    SAY(cufftExecC2C(h, C(in), C(out), 2));
    SAY(cufftExecC2C(h, C(in), C(out), -2));
    SAY(cudaDeviceSynchronize());
    SAY(cufftDestroy(h));
    cufftCreate(&h);
    SAY(cufftSetAutoAllocation(h, 0));
    SAY(cufftMakePlan1d(h, 10007, CUFFT_C2C, 1, &size));
    printf("it needs a work area: %d\n", size > 0);
    SAY(cufftExecC2C(h, C(in), C(out), CUFFT_FORWARD));
    SAY(cufftSetWorkArea(h, NULL));
    SAY(cufftExecC2C(h, C(in), C(out), CUFFT_FORWARD));
    void *area = NULL;
    cudaMalloc(&area, size);
    SAY(cufftSetWorkArea(h, area));
    SAY(cufftExecC2C(h, C(in), C(out), CUFFT_FORWARD));
    SAY(cudaDeviceSynchronize());
    SAY(cufftDestroy(h));
    SAY(cudaFree(area));
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    SAY(cufftPlan1d(&h, 8, CUFFT_C2C, 1));
    SAY(cufftSetStream(h, stream));
    SAY(cufftSetWorkArea(h, out));
    SAY(cufftExecC2C(h, C(in), C(in), CUFFT_FORWARD));
    SAY(cudaStreamSynchronize(stream));
    SAY(cufftDestroy(h));
    SAY(cudaGetLastError());
}

static void without_lengths()
{
    PLAN(cufftPlanMany(&h, 1, NULL, NULL, 1, 8, NULL, 1, 8, CUFFT_C2C, 1));
    MADE(cufftMakePlanMany(h, 1, NULL, NULL, 1, 8, NULL, 1, 8, CUFFT_C2C, 1, &size));
    SAY(cufftEstimateMany(2, NULL, NULL, 1, 8, NULL, 1, 8, CUFFT_R2C, 3, &size));
}

static void misaligned()
{
    SAY(cufftPlan1d(&h, 8, CUFFT_R2C, 1));
    SAY(cufftPlan1d(&other, 8, CUFFT_C2C, 1));
    SAY(cufftExecR2C(h, R(in + 4), C(out)));
    SAY(cudaDeviceSynchronize());
    SAY(cufftExecR2C(h, R(in), C(out + 4)));
    SAY(cufftExecC2C(other, C(in), C(out + 4), CUFFT_FORWARD));
    SAY(cufftExecC2C(other, C(in + 4), C(out), CUFFT_FORWARD));
    SAY(cudaDeviceSynchronize());
}

/* After these a device may be lost. */
static void faults()
{
    SAY(cufftPlan2d(&h, 8, 0, CUFFT_C2C));
    SAY(cufftExecC2C(h, C(in), C(out), CUFFT_FORWARD));
    SAY(cudaDeviceSynchronize());
    SAY(cufftPlan2d(&h, 8, -8, CUFFT_C2C));
    SAY(cufftExecC2C(h, C(in), C(out), CUFFT_FORWARD));
    SAY(cudaDeviceSynchronize());
    SAY(cufftPlan1d(&h, 8, CUFFT_C2C, 1));
    SAY(cufftExecC2C(h, C(in), NULL, CUFFT_FORWARD));
    SAY(cudaDeviceSynchronize());
}

/* plans [faults] */
int main(int count, char **)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    cudaMalloc(&in, 1 << 20);
    cudaMalloc(&out, 1 << 20);
    cudaMemset(in, 0, 1 << 20);
    if (count > 1)
        return faults(), 0;
    SAY(cufftGetVersion(&version));
    SAY(cufftGetProperty(MAJOR_VERSION, &version));
    SAY(cufftGetProperty((libraryPropertyType)3, &version));
    SAY(cufftGetProperty(MINOR_VERSION, NULL));
    plans();
    made();
    without_lengths();
    sizes();
    uses();
    misaligned();
    return 0;
}
