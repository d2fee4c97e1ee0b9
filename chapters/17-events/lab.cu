// Chapter 17: events. The time of a kernel by the device's clock, and a kernel that has no work.
// Build and run: ./warpbook run 17      or, with a GPU: nvcc -I ../../common lab.cu && ./a.out
#include "lab.h"

#include <algorithm>

enum { WARM_UP = 2, RUNS = 5, BLOCK = 256 };

// HELPERS: functions of your own, for the TODO regions below
// END HELPERS

// Milliseconds that the device takes for the work that one call of launch() enqueues in the default
// stream.
template <class F> static float elapsed_ms(F launch)
{
    float ms = 0;
    // TODO 1 (about 9 lines): an event before the work and one after it; the time between them.
    // Hint: cudaEventCreate, cudaEventRecord, cudaEventSynchronize, cudaEventElapsedTime
    launch();
    // END TODO 1
    return ms;
}

// The median time of RUNS calls of launch(), after WARM_UP calls that do not count.
template <class F> static float typical_ms(F launch)
{
    float ms[RUNS] = {0};
    // TODO 2 (about 5 lines): warm up; take RUNS times; sort them, so that ms[RUNS / 2] is right.
    // Hint: std::sort(ms, ms + RUNS)
    ms[RUNS / 2] = elapsed_ms(launch);
    // END TODO 2
    return ms[RUNS / 2];
}

__global__ void spin_stored(float *out, const float *in, int n, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = i < n ? in[i] : 0;
    for (int k = 0; k < rounds; k++)
        x = 0.99f * x + 0.01f;
    // TODO 3 (about 2 lines): the loop's result is x. Make it a result of the kernel.
    // Hint: only what reaches memory is a result
    (void)out, (void)x;
    // END TODO 3
}

// The same loop as one text times it. What does this kernel's time say about 1000 rounds?
__global__ void spin_forgotten(const float *in, int n, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = i < n ? in[i] : 0;
    for (int k = 0; k < rounds; k++)
        x = 0.99f * x + 0.01f;
}

__global__ void scale(float4 *out, const float4 *in, int n4)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n4) {
        float4 v = in[i];
        out[i] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
    }
}

// Its time grows with the number of rounds, and it hardly uses memory.
__global__ void busy(float *out, int rounds)
{
    float x = threadIdx.x;
    for (int k = 0; k < rounds; k++) x = 0.99f * x + 0.01f;
    out[threadIdx.x] = x;
}

static int blocks(int threads) { return (threads + BLOCK - 1) / BLOCK; }

static double peak_gbs(void) // of the memory's bus: two bits a clock and line
{
    int khz = 0, bits = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrMemoryClockRate, 0));
    CUDA_CHECK(cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, 0));
    return 2e3 * khz * bits / 8 / 1e9;
}

int main(void)
{
    lab_begin("17-events");
    int n = (int)lab_elements(1 << 23, 1 << 28) / 4 * 4, calls;
    int few = min(n, max(n / 256, 1 << 16));
    lab_array<float> in(n), out(n, LAB_POISON);
    auto scale_all = [&] {
        scale<<<blocks(n / 4), BLOCK>>>((float4 *)out.device, (float4 *)in.device, n / 4);
    };

    LAB_CHECK_AT("elapsed_ms", n) {
        const char *floor = "no memory moves these bytes faster", *same = "as lab.h measures it";
        auto once = [&] { scale_all(); };
        auto thrice = [&] { scale_all(), scale_all(), scale_all(); };
        calls = 0;
        double ms = elapsed_ms([&] { scale_all(), calls++; }), least = 8.0 * n / peak_gbs() / 1e6;
        lab_between(calls, 1, 1, "calls of launch()", "elapsed_ms times one");
        lab_between(ms, least, INFINITY, "the time of scale in ms", floor);
        lab_between(lab_own_percent([&] { return elapsed_ms(once); }, once), 85, 115,
                    "the time of scale in percent", same);
        lab_between(lab_own_percent([&] { return elapsed_ms(thrice); }, once), 250, 350,
                    "three launches in percent of one", same);
    }
    LAB_CHECK_AT("typical_ms", RUNS) {
        const int units[WARM_UP + RUNS] = {6, 6, 9, 3, 13, 1, 2}; // of the last five: 3
        auto run = [&](int some) { busy<<<1, 32>>>(out.device, some << 14); };
        double one = lab_time([&] { run(1); });
        calls = 0;
        double ms = typical_ms([&] { run(units[calls++ % (WARM_UP + RUNS)]); });
        lab_between(calls, WARM_UP + RUNS, WARM_UP + RUNS, "calls of launch()", "WARM_UP + RUNS");
        lab_between(ms / one, 2.2, 3.5, "runs of 6, 6, then 9, 3, 13, 1, 2 units: their median",
                    "two to warm up, then five: 3 units");
    }
    LAB_CHECK("spin_stored", size) {
        lab_array<float> from(size), to(size, LAB_POISON);
        spin_stored<<<blocks(size), BLOCK>>>(to.device, from.device, size, 100);
        auto end = [&](long i) { return 1 + (from[i] - 1) * pow((double)0.99f, 100); };
        lab_expect(to, end, 2e-5, "a hundred roundings of values up to 1");
    }

    LAB_MEASURE("scale", n, 8.0 * n)
        scale_all();
    for (int rounds : {64, 256, 1024, 4096}) { // bytes: what spin_stored reads and writes
        LAB_SWEEP("spin_stored", rounds, few, 8.0 * few)
            spin_stored<<<blocks(few), BLOCK>>>(out.device, in.device, few, rounds);
        LAB_SWEEP("spin_forgotten", rounds, few, 0)
            spin_forgotten<<<blocks(few), BLOCK>>>(in.device, few, rounds);
    }

    LAB_GOAL("spin_stored", "instructions_per_warp", "at_least", 150, "the loop is there");
    LAB_WORK("spin_stored", 1, 1, 28);
    return lab_end();
}
