// env: WARPBOOK_SKIP_PROFILED=1
/* Kernels between cudaProfilerStart and cudaProfilerStop do not run; copies do. */
#include "check.h"

#include <cuda_profiler_api.h>

__global__ void add_one(int *value)
{
    ++*value;
}

static int value_of(const int *device)
{
    int value;
    OK(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

int main(void)
{
    int *value, five = 5;
    OK(cudaMalloc(&value, sizeof *value));
    OK(cudaMemset(value, 0, sizeof *value));
    add_one<<<1, 1>>>(value);
    CHECK(value_of(value) == 1);
    OK(cudaProfilerStart());
    add_one<<<1, 1>>>(value);
    CHECK(value_of(value) == 1);
    OK(cudaMemcpy(value, &five, sizeof five, cudaMemcpyHostToDevice));
    add_one<<<1, 1>>>(value); /* issued before the end, run after it */
    OK(cudaProfilerStop());
    CHECK(value_of(value) == 5);
    add_one<<<1, 1>>>(value);
    CHECK(value_of(value) == 6);
    OK(cudaFree(value));
    return print_failures();
}
