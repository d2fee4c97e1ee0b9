/* The kernels of chapter 26's solution, a launch each, for the page of ncu that the lesson quotes: record-page. */
#define main solution_main
#include "chapters/26-roofline/solution.cu"
#undef main

int main(void)
{
    const int n = 1 << 28;
    cudaDeviceProp device;
    float *in, *out;
    CUDA_CHECK(cudaGetDeviceProperties(&device, 0));
    const int few = 128 * device.multiProcessorCount;
    CUDA_CHECK(cudaMalloc(&in, 4L * n));
    CUDA_CHECK(cudaMalloc(&out, 4L * n));
    CUDA_CHECK(cudaMemset(in, 0, 4L * n));
    peak<<<n / 8 / BLOCK, BLOCK>>>(out, n / 8, ROUNDS);
    step_once<<<n / BLOCK, BLOCK>>>(out, in, n);
    for (int steps : {1, 16, 64})
        steps_fused<<<n / BLOCK, BLOCK>>>(out, in, n, steps);
    steps_unfused<<<n / BLOCK, BLOCK>>>(out, in, n, 64);
    steps_fused<<<few / 128, 128>>>(out, in, few, LONG);
    steps_four<<<few / 128, 128>>>(out, in, CHAINS * few, LONG);
    CUDA_CHECK(cudaDeviceSynchronize());
    return 0;
}
