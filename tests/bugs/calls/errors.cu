// Errors that CUDA calls return and the program does not ask about, one an argument. A line that is to
// be named bears "BUG case kind". Cases "fine_..." are right and are told nothing. Some end the
// program with status 1.
// flags: -lcuda
#include <cstdio>
#include <cstdlib>
#include <cuda.h>

__global__ void fill(int *out, int value)
{
    out[threadIdx.x] = value;
}

template <class T> __global__ void fill_any(T *out, T value)
{
    out[threadIdx.x] = value;
}

template <class T> static void start(T *out, int threads)
{
    fill_any<T><<<1, threads>>>(out, T(1)); // BUG template_kernel host
}

static int *buffer()
{
    int *p = nullptr;
    if (cudaMalloc(&p, 4096) != cudaSuccess)
        exit(2);
    return p;
}

static void status_one()
{
    int *p = buffer();
    fill<<<1, 1025>>>(p, 1); // BUG status_one host
    cudaFree(p);
    exit(1);
}

static void work_left_by_status_one()
{
    fill<<<1, 32>>>(buffer(), 1); // BUG work_left_by_status_one host
    exit(1);
}

static void template_kernel()
{
    int *p = buffer();
    start(p, 2000);
    cudaFree(p);
}

static void device_that_is_not_there()
{
    cudaSetDevice(1); // BUG device_that_is_not_there host
}

static void work_in_capture()
{
    cudaStream_t s;
    cudaGraph_t g = nullptr;
    cudaStreamCreate(&s);
    if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal) != cudaSuccess)
        exit(2);
    cudaStreamSynchronize(s); // BUG work_in_capture host
    if (cudaStreamEndCapture(s, &g) == cudaSuccess)
        exit(2);
    cudaStreamDestroy(s);
}

static void before_a_fault()
{
    int *p = nullptr;
    cudaMalloc(&p, 1ull << 60); // BUG before_a_fault host
    fill<<<1, 32>>>(p, 1);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}

static volatile int inside;

static void call_inside(void *)
{
    cudaFree(nullptr); // BUG inside_a_host_function host
    printf("%d\n", inside = 1);
}

static void inside_a_host_function()
{
    if (cudaLaunchHostFunc(0, call_inside, nullptr) != cudaSuccess)
        exit(2);
    cudaDeviceSynchronize();
}

static cudaError_t set(int device)
{
    return cudaSetDevice(device); // BUG result_passed_on host
}

static void result_passed_on()
{
    set(1);
}

static void driver_call()
{
    int *p = buffer();
    cuMemsetD32((CUdeviceptr)p + 1, 7, 4); // BUG driver_call host
    cudaFree(p);
}

static void two_sites()
{
    int *p = buffer();
    for (int k = 0; k < 3; k++)
        fill<<<1, 1025>>>(p, k);
    fill<<<0, 32>>>(p, 1);
    cudaFree(p);
}

static void fine_looked_at()
{
    if (cudaSetDevice(7) != cudaSuccess)
        cudaSetDevice(0);
}

static void fine_passed_on()
{
    if (set(7) == cudaErrorInvalidDevice)
        set(0);
}

static void fine_kept()
{
    cudaError_t all[2];
    for (int k = 0; k < 2; k++)
        all[k] = cudaSetDevice(k);
    if (all[0])
        printf("%s\n", cudaGetErrorName(all[1]));
}

static void fine_asked_later()
{
    int *p = buffer();
    fill<<<1, 1025>>>(p, 1);
    cudaFree(p);
    if (cudaGetLastError() == cudaSuccess)
        puts("no error");
}

static void fine_gives_up()
{
    int *p = buffer();
    fill<<<1, 32>>>(p, 1);
    if (cudaSetDevice(1) != cudaSuccess)
        exit(1);
}

static void fine_query()
{
    int *p = buffer();
    fill<<<1, 32>>>(p, 1);
    cudaStreamQuery(0);
    cudaDeviceSynchronize();
    cudaFree(p);
}

static void fine_driver()
{
    CUcontext c;
    if (cuCtxPopCurrent(&c) != CUDA_ERROR_INVALID_CONTEXT)
        puts("a context");
}

#define CASES(X)                                                                                  \
    X(status_one)                                                                                 \
    X(work_left_by_status_one)                                                                    \
    X(template_kernel)                                                                            \
    X(device_that_is_not_there)                                                                   \
    X(work_in_capture)                                                                            \
    X(before_a_fault)                                                                             \
    X(inside_a_host_function)                                                                     \
    X(result_passed_on)                                                                           \
    X(driver_call)                                                                                \
    X(two_sites)                                                                                  \
    X(fine_looked_at)                                                                             \
    X(fine_passed_on)                                                                             \
    X(fine_kept)                                                                                  \
    X(fine_asked_later)                                                                           \
    X(fine_gives_up)                                                                              \
    X(fine_query)                                                                                 \
    X(fine_driver)

#include "../cases.h"

int main(int argc, char **argv)
{
    RUN_CASES(CASES)
}
