// Chapter 26: the roofline. What does a kernel wait for: bytes, arithmetic, or neither?
// Build and run: ./warpbook run 26     or, with a GPU: nvcc -I ../../common lab.cu && ./a.out
#include "lab.h"

enum { BLOCK = 256, APART = 16, ROUNDS = 512, LONG = 4096, CHAINS = 4 };
const int FLOPS = 6; // of a step: three fused multiply-adds
const float A = 0.01f, B = 0.985f, C = -0.005f, D = 0.01f;

// HELPERS: functions of your own, for the TODO regions below
// END HELPERS

// One step of a simulation: A + B x + C x^2 + D x^3.
__device__ float step(float x)
{
    // TODO 1 (about 1 line): the polynomial in three fused multiply-adds, which are six flops.
    // Hint: C + x * D is one of them; x is a factor of all but A
    (void)x;
    return A;
    // END TODO 1
}

// Given: one step. A launch for each step moves the whole array each time.
__global__ void step_once(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = step(in[i]);
}

// All steps in one launch.
__global__ void steps_fused(float *out, const float *in, int n, int steps)
{
    // TODO 2 (about 6 lines): load the element, take all the steps, store the result.
    // Hint: the loop needs no memory: x is a register
    // END TODO 2
}

// The same with CHAINS elements per thread: i, i + threads, i + 2 threads and i + 3 threads.
__global__ void steps_four(float *out, const float *in, int n, int steps)
{
    // TODO 3 (about 10 lines): take a step with each of the elements before the next step.
    // Hint: float x[CHAINS], and a loop over them inside the loop over the steps
    // END TODO 3
}

// Given, to compare with: the same six flops in six instructions. The functions forbid fusing.
__global__ void steps_unfused(float *out, const float *in, int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = i < n ? in[i] : 0;
    for (int k = 0; k < steps; k++) {
        float y = __fadd_rn(C, __fmul_rn(x, D));
        y = __fadd_rn(B, __fmul_rn(x, y));
        x = __fadd_rn(A, __fmul_rn(x, y));
    }
    if (i < n)
        out[i] = x;
}

// Given: fused multiply-adds and nothing else, four chains per thread. The roof of arithmetic.
__global__ void peak(float *out, int n, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = i, b = a + 1, c = a + 2, d = a + 3;
    for (int k = 0; k < rounds; k++) {
        a = fmaf(a, B, A);
        b = fmaf(b, B, A);
        c = fmaf(c, B, A);
        d = fmaf(d, B, A);
    }
    if (i < n)
        out[i] = a + b + c + d;
}

static int blocks(long threads)
{
    return (int)((threads + BLOCK - 1) / BLOCK);
}

typedef void (*kernel)(float *, const float *, int, int);

static void check(kernel k, int each, int n) // EACH: elements of a thread
{
    for (int steps : {1, 2, 7, 64}) {
        lab_case("steps", steps);
        lab_array<float> in(n), out(n, LAB_POISON);
        k<<<blocks((n + each - 1) / each), BLOCK>>>(out.device, in.device, n, steps);
        auto want = [&](long i) {
            double x = in[i];
            for (int s = 0; s < steps; s++)
                x = A + B * x + C * x * x + D * x * x * x;
            return x;
        };
        lab_expect(out, want, 1e-5, "64 steps of three roundings each, of values up to 1");
    }
}

int main(void)
{
    cudaDeviceProp device;
    lab_begin("26-roofline");
    CUDA_CHECK(cudaGetDeviceProperties(&device, 0));

    LAB_CHECK("steps_fused", n)
        check(steps_fused, 1, n);
    LAB_CHECK("steps_four", n)
        check(steps_four, CHAINS, n);

    long n = lab_elements(1 << 22, 1 << 28);
    const int few = 128 * device.multiProcessorCount; // threads: a warp for each scheduler
    lab_array<float> in(n), out(n, LAB_POISON);
    LAB_SWEEP("peak", 2 * ROUNDS, n / 8, n / 2)
        peak<<<blocks(n / 8), BLOCK>>>(out.device, n / 8, ROUNDS);
    LAB_SWEEP("step_once", FLOPS / 8.0, n, 8.0 * n * APART)
        for (int k = 0; k < APART; k++)
            step_once<<<blocks(n), BLOCK>>>(out.device, in.device, n);
    for (int steps : {1, 4, 8, 16, 32, 64})
        LAB_SWEEP("steps_fused", FLOPS * steps / 8.0, n, 8.0 * n)
            steps_fused<<<blocks(n), BLOCK>>>(out.device, in.device, n, steps);
    LAB_SWEEP("steps_unfused", FLOPS * 64 / 8.0, n, 8.0 * n)
        steps_unfused<<<blocks(n), BLOCK>>>(out.device, in.device, n, 64);
    LAB_SWEEP("steps_fused/few", FLOPS * LONG / 8.0, few, 8.0 * few)
        steps_fused<<<few / 128, 128>>>(out.device, in.device, few, LONG);
    LAB_SWEEP("steps_four", FLOPS * LONG / 8.0, CHAINS * few, 8.0 * CHAINS * few)
        steps_four<<<few / 128, 128>>>(out.device, in.device, CHAINS * few, LONG);

    LAB_GOAL("steps_fused", "flops_per_byte", "at_most", 20, "six flops per step, or seven");
    LAB_GOAL("steps_fused", "flops_per_byte", "at_least", 15, "the element stays in a register");
    LAB_GOAL("steps_fused", "flops_per_instruction", "at_least", 1, "fused, and little else");
    LAB_GOAL("steps_four", "flops_per_chain_cycle", "at_least", 24, "several chains at once");
    LAB_GOAL("steps_four", "cost", "at_most", 1.4, "a step of seven flops: 4 instructions for 3");
    LAB_WORK("steps_fused", 1, 1, 28);
    LAB_WORK("steps_four", CHAINS, CHAINS, 28);
    return lab_end();
}
