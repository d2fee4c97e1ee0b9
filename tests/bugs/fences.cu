// Accesses just before or past a lab's array, into the fence around it (common/lab_array.h). The line of the
// access is marked, and the line that makes the array. Without an argument nothing runs.
#include "../../common/lab.h"
#include "cases.h"
#include <cuda_pipeline.h>

enum { N = 100, WIDE = 33, HIGH = 7, BLOCK = 128 };
#define ME ((int)(blockIdx.x * blockDim.x + threadIdx.x))

// --- kernels, each right or wrong by an argument
__global__ void copy_first(float *out, const float *in, int first, int last) // in is long enough
{
    int i = ME - 1;
    if (i >= first && i <= last)
        out[i] = in[0]; // BUG past_the_end memory // BUG past_by_one memory // BUG before memory // BUG second_launch memory
}
__global__ void rows(float *out, int high)
{
    int x = threadIdx.x, y = blockIdx.x;
    if (x < WIDE && y < high)
        out[y * WIDE + x] = 1; // BUG row_past memory
}
__global__ void neighbours(float *out, const float *in, int left, int right)
{
    int i = ME;
    if (i >= 1 && i < N - 1)
        out[i] = in[i - left] // BUG load_before memory
                 + in[i + right]; // BUG load_past memory
}
__global__ void by_fours(float *out, int n, bool tail)
{
    int i = 4 * ME;
    if (tail ? i < n : i + 3 < n)
        ((float4 *)out)[ME] = make_float4(1, 2, 3, 4); // BUG vector_across memory
}
__global__ void histogram(int *bins, int most)
{
    atomicAdd(&bins[threadIdx.x % (most + 1)], 1); // BUG atomic_past memory
}
__global__ void letters(unsigned char *text, int n)
{
    if (ME < n)
        text[ME] = 'a'; // BUG byte_past memory
}
__global__ void scatter(double *out, int span)
{
    out[N - 1 - threadIdx.x * 37 % N + span] = 1; // BUG scattered memory
}
__device__ __noinline__ void put(int *at)
{
    *at = 1; // BUG in_a_function memory
}
__global__ void through_function(int *out, int n)
{
    if (ME < n)
        put(&out[ME]);
}
__global__ void hold(volatile int *out, int n)
{
    if (ME < n)
        out[ME] = 1; // BUG volatile_past memory
}
__global__ void fetch(float *out, const float *in, int n)
{
    __shared__ float tile[BLOCK];
    tile[threadIdx.x] = 0;
    if (ME < n)
        __pipeline_memcpy_async(&tile[threadIdx.x], &in[ME], sizeof(float)); // BUG async_source memory
    __pipeline_commit();
    __pipeline_wait_prior(0);
    if (ME < N)
        out[ME] = tile[threadIdx.x];
}
__global__ void fill(int *out, int n)
{
    for (int i = ME; i < n; i += gridDim.x * blockDim.x)
        out[i] = i; // BUG managed memory // BUG pinned memory
}

// --- mistakes
static void past_the_end()
{
    lab_array<float> in(N), out(N, LAB_POISON); // SEE past_the_end memory
    copy_first<<<1, BLOCK>>>(out.device, in.device, 0, BLOCK);
}
static void past_by_one()
{
    lab_array<float> in(N);
    lab_array<float> out(N, LAB_POISON); // SEE past_by_one memory
    copy_first<<<1, BLOCK>>>(out.device, in.device, 0, N);
}
static void before()
{
    lab_array<float> in(N);
    lab_array<float> out(N, LAB_POISON); // SEE before memory
    copy_first<<<1, BLOCK>>>(out.device, in.device, -1, N - 1);
}
static void second_launch()
{
    lab_array<float> in(N);
    lab_array<float> out(N, LAB_POISON); // SEE second_launch memory
    copy_first<<<1, BLOCK>>>(out.device, in.device, 0, N - 1);
    copy_first<<<1, BLOCK>>>(out.device, in.device, 0, N);
}
static void row_past()
{
    lab_array<float> out(WIDE * HIGH, LAB_POISON); // SEE row_past memory
    rows<<<HIGH + 1, 64>>>(out.device, HIGH + 1);
}
static void load_past()
{
    lab_array<float> in(N - 1); // SEE load_past memory
    lab_array<float> out(N, LAB_POISON);
    neighbours<<<1, BLOCK>>>(out.device, in.device, 1, 1);
}
static void load_before()
{
    lab_array<float> in(N); // SEE load_before memory
    lab_array<float> out(N, LAB_POISON);
    neighbours<<<1, BLOCK>>>(out.device, in.device, 2, 1);
}
static void vector_across()
{
    lab_array<float> out(N + 2, LAB_POISON); // SEE vector_across memory
    by_fours<<<1, BLOCK>>>(out.device, N + 2, true);
}
static void atomic_past()
{
    lab_array<int> bins(8, LAB_RANDOM, 0, 0); // SEE atomic_past memory
    histogram<<<1, BLOCK>>>(bins.device, 8);
}
static void byte_past()
{
    lab_array<unsigned char> text(N, LAB_LETTERS); // SEE byte_past memory
    letters<<<1, BLOCK>>>(text.device, N + 5);
}
static void scattered()
{
    lab_array<double> out(N, LAB_POISON); // SEE scattered memory
    scatter<<<1, 64>>>(out.device, 3);
}
static void in_a_function()
{
    lab_array<int> out(N, LAB_POISON); // SEE in_a_function memory
    through_function<<<1, BLOCK>>>(out.device, N + 1);
}
static void volatile_past()
{
    lab_array<int> out(N, LAB_POISON); // SEE volatile_past memory
    hold<<<1, BLOCK>>>(out.device, N + 1);
}
static void async_source()
{
    lab_array<float> in(N); // SEE async_source memory
    lab_array<float> out(N, LAB_POISON);
    fetch<<<1, BLOCK>>>(out.device, in.device, N + 1);
}
static int *fenced(int *base) // as lab_array does it, in memory of another kind
{
    lab_register_guards(base + LAB_GUARD_ELEMENTS, sizeof *base, N);
    return base + LAB_GUARD_ELEMENTS;
}
static void managed()
{
    int *p;
    cudaMallocManaged(&p, (N + 2 * LAB_GUARD_ELEMENTS) * sizeof *p); // SEE managed memory
    fill<<<1, BLOCK>>>(fenced(p), N + 1);
    cudaDeviceSynchronize();
    cudaFree(p);
}
static void pinned()
{
    int *p;
    cudaMallocHost(&p, (N + 2 * LAB_GUARD_ELEMENTS) * sizeof *p); // SEE pinned memory
    fill<<<1, BLOCK>>>(fenced(p), N + 1);
    cudaDeviceSynchronize();
    cudaFreeHost(p);
}

// --- right programs
static void fine_guarded()
{
    lab_array<float> in(N), out(N, LAB_POISON);
    copy_first<<<1, BLOCK>>>(out.device, in.device, 0, N - 1);
    neighbours<<<1, BLOCK>>>(out.device, in.device, 1, 1);
    fetch<<<1, BLOCK>>>(out.device, in.device, N);
}
static void fine_rows()
{
    lab_array<float> out(WIDE * HIGH, LAB_POISON);
    rows<<<HIGH + 1, 64>>>(out.device, HIGH);
    by_fours<<<1, BLOCK>>>(out.device, WIDE * HIGH, false);
}
static void fine_other_types()
{
    lab_array<int> bins(8, LAB_RANDOM, 0, 0), out(N, LAB_POISON);
    lab_array<unsigned char> text(N, LAB_LETTERS);
    lab_array<double> wide(N, LAB_POISON);
    histogram<<<1, BLOCK>>>(bins.device, 7);
    letters<<<1, BLOCK>>>(text.device, N);
    scatter<<<1, 64>>>(wide.device, 0);
    through_function<<<1, BLOCK>>>(out.device, N);
    cudaDeviceSynchronize();
    hold<<<1, BLOCK>>>(out.device, N);
}
static void fine_memory_used_again() // the memory of an array that is no more, all of it
{
    int *p, all = N + 2 * LAB_GUARD_ELEMENTS;
    {
        lab_array<int> out(N, LAB_POISON);
    }
    cudaMalloc(&p, all * sizeof *p);
    fill<<<4, BLOCK>>>(p, all);
    cudaDeviceSynchronize();
    cudaFree(p);
}
static void fine_host_sees_fences()
{
    lab_array<int> out(N, LAB_POISON);
    fill<<<1, BLOCK>>>(out.device, N);
    cudaDeviceSynchronize();
    if (!lab_guards_intact())
        puts("a fence was written");
}
static void fine_without_fences()
{
    int *p;
    lab_array<int> beside(N);
    cudaMallocHost(&p, N * sizeof *p);
    fill<<<1, BLOCK>>>(p, N);
    cudaDeviceSynchronize();
    cudaFreeHost(p);
    cudaMallocManaged(&p, (N + 2 * LAB_GUARD_ELEMENTS) * sizeof *p);
    fill<<<1, BLOCK>>>(fenced(p), N);
    cudaDeviceSynchronize();
    cudaFree(p);
}

#define CASES(X)                                                                                   \
    X(past_the_end) X(past_by_one) X(before) X(second_launch) X(row_past) X(load_past)             \
    X(load_before) X(vector_across) X(atomic_past) X(byte_past) X(scattered) X(in_a_function)      \
    X(volatile_past) X(async_source) X(managed) X(pinned) X(fine_guarded) X(fine_rows)             \
    X(fine_other_types) X(fine_memory_used_again) X(fine_host_sees_fences) X(fine_without_fences)

int main(int argc, char **argv)
{
    RUN_CASES(CASES)
    return 0;
}
