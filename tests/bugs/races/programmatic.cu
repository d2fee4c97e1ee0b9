// Kernels that may begin before the one before them ends (programmatic dependent launch), one an
// argument: see host.cu for the marks.
#include "../cases.h"

enum { N = 1024, THREADS = 128 };

template <bool Triggers> __global__ void sums(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (Triggers)
        cudaTriggerProgrammaticLaunchCompletion();
    float sum = 0;
    for (int k = 0; k < 20; k++)
        sum += in[(i + k) % N];
    out[i] = sum;
}

__global__ void writes_first(float *in, const float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    in[i] = -1;
    cudaGridDependencySynchronize();
    in[i] += out[i];
}

__global__ void reads_first(float *result, const float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float mine = out[i];
    cudaGridDependencySynchronize();
    result[i] = mine + out[(i + 1) % N];
}

__global__ void never_waits(float *result, const float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    result[i] = 2 * out[i];
}

__global__ void waits(float *result, const float *own, const float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float mine = own[i]; // nobody writes it
    cudaGridDependencySynchronize();
    result[i] = mine + out[i];
}

static float *floats()
{
    float *p;
    cudaMalloc(&p, N * sizeof *p);
    cudaMemset(p, 0, N * sizeof *p);
    cudaDeviceSynchronize();
    return p;
}

template <class... Arguments, class... Values>
static void launch_early(void (*kernel)(Arguments...), bool allowed, Values... values)
{
    cudaLaunchAttribute a[1];
    a[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    a[0].val.programmaticStreamSerializationAllowed = allowed;
    cudaLaunchConfig_t c = {};
    c.gridDim = N / THREADS;
    c.blockDim = THREADS;
    c.attrs = a;
    c.numAttrs = 1;
    cudaLaunchKernelEx(&c, kernel, Arguments(values)...); // BUG input_overwritten race // BUG result_read race // BUG without_wait race
}

static void input_overwritten()
{
    float *in = floats(), *out = floats();
    sums<true><<<N / THREADS, THREADS>>>(in, out); // SEE input_overwritten race
    launch_early(writes_first, true, in, out);
    cudaDeviceSynchronize();
}

static void result_read()
{
    float *in = floats(), *out = floats(), *result = floats();
    sums<true><<<N / THREADS, THREADS>>>(in, out); // SEE result_read race
    launch_early(reads_first, true, result, out);
    cudaDeviceSynchronize();
}

static void without_wait()
{
    float *in = floats(), *out = floats(), *result = floats();
    sums<true><<<N / THREADS, THREADS>>>(in, out); // SEE without_wait race
    launch_early(never_waits, true, result, out);
    cudaDeviceSynchronize();
}

static void fine_waits()
{
    float *in = floats(), *out = floats(), *result = floats(), *own = floats();
    sums<true><<<N / THREADS, THREADS>>>(in, out);
    launch_early(waits, true, result, own, out);
    cudaDeviceSynchronize();
}

static void fine_without_trigger() // the first kernel ends before the second one begins
{
    float *in = floats(), *out = floats(), *result = floats();
    sums<false><<<N / THREADS, THREADS>>>(in, out);
    launch_early(never_waits, true, result, out);
    cudaDeviceSynchronize();
}

static void fine_not_allowed()
{
    float *in = floats(), *out = floats();
    sums<true><<<N / THREADS, THREADS>>>(in, out);
    launch_early(writes_first, false, in, out);
    cudaDeviceSynchronize();
}

#define CASES(X)                                                                                   \
    X(input_overwritten) X(result_read) X(without_wait) X(fine_waits) X(fine_without_trigger)      \
    X(fine_not_allowed)

int main(int argc, char **argv)
{
    RUN_CASES(CASES)
}
