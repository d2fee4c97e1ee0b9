// Chapter 19: when things fail. What a launch tells, what comes later, and what stays.
// Build and run: ./warpbook run 19      or, with a GPU: nvcc -I ../../common lab.cu && ./a.out
#include "lab.h"
#include "lab_process.h"
#include <cassert>

enum { BLOCK = 256, SCALE = 1000000, NONE = INT_MAX };
static int blocks(int n) { return (n + BLOCK - 1) / BLOCK; }

// What became of a launch. Sticky: from now on every call of this process fails.
struct outcome { cudaError_t launch, run; bool sticky; };

// HELPERS: functions of your own, for the TODO regions below
// END HELPERS

// The error of launch() alone, whatever an earlier call has left. It leaves none itself.
template <class F> static cudaError_t launched(F launch)
{
    cudaError_t error = cudaSuccess;
    // TODO 1 (about 3 lines): launch, and take its error: the launch itself returns nothing.
    // Hint: cudaGetLastError() gives the last error and forgets it; cudaPeekAtLastError() keeps it
    launch();
    // END TODO 1
    return error;
}

// out[i] = SCALE / in[i], or 0 where in[i] is 0. *bad: the first i with such an in[i], or NONE.
__global__ void quotients(int *out, int *bad, const int *in, int n)
{
    // TODO 2 (about 5 lines): divide, or report. *bad is NONE before; many threads may find a 0.
    // Hint: atomicMin(bad, i), and only in threads that have something to report
    // END TODO 2
}

// Given, to compare with: a 0 stops the grid, and with it all that the process has on the device.
__global__ void quotients_assert(int *out, const int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(i >= n || in[i] != 0);
    if (i < n) out[i] = SCALE / in[i];
}

// Launch, wait, and say what failed when. After that the device may be lost to this process.
template <class F> static outcome diagnose(F launch)
{
    outcome o = {cudaSuccess, cudaSuccess, false};
    // TODO 3 (about 4 lines): o.launch; o.run, the error of the kernel itself; o.sticky.
    // Hint: which call waits for the kernel, and what does the same call say a second time?
    // END TODO 3
    return o;
}

__global__ void set(int *p, long at) { *(int *)((char *)p + at) = 1; }
__global__ void require(const int *p) { assert(threadIdx.x == 0 || !p); }

static const struct { const char *name; outcome want; } job[] = {
    {"nothing_wrong", {cudaSuccess, cudaSuccess, false}},
    {"block_of_2048", {cudaErrorInvalidValue, cudaSuccess, false}},
    {"far_address", {cudaSuccess, cudaErrorIllegalAddress, true}},
    {"odd_address", {cudaSuccess, cudaErrorMisalignedAddress, true}},
    {"failed_assert", {cudaSuccess, cudaErrorAssert, true}},
    {"lost_already", {cudaErrorIllegalAddress, cudaSuccess, true}}}; // by a launch before it
enum { JOBS = sizeof job / sizeof job[0] };

// Job k, in a process of its own: its outcome, and what comes of a reset and a launch after it.
static int do_job(int k)
{
    int *p;
    CUDA_CHECK(cudaMalloc(&p, 256));
    if (k == JOBS - 1) set<<<1, 1>>>(p, 1L << 42), cudaDeviceSynchronize();
    outcome o = diagnose([&] {
        if (k == 4) require<<<1, 32>>>(p);
        else set<<<1, k == 1 ? 2048 : 1>>>(p, k == 2 ? 1L << 42 : k == 3 ? 2 : 0);
    });
    cudaError_t reset = cudaDeviceReset(), after = cudaMalloc(&p, 256);
    if (after == cudaSuccess) set<<<1, 1>>>(p, 0), after = cudaDeviceSynchronize();
    printf("%d %d %d %d %d\n", o.launch, o.run, o.sticky, reset, after);
    return 0;
}

int main(void)
{
    if (lab_job()) return do_job(lab_job() - 1);
    lab_begin("19-when-things-fail");
    int n = (int)lab_elements(1 << 22, 1 << 28);
    lab_array<int> word(1);
    LAB_CHECK_AT("launched", 1) {
        auto with = [&](int t) { return launched([&] { set<<<1, t>>>(word.device, 0); }); };
        lab_require(with(2048) != cudaSuccess, "a block of 2048 threads, and it gives no error");
        lab_require(cudaGetLastError() == cudaSuccess, "its error is left for the next one");
        cudaSetDevice(1000); // fails, and leaves its error
        lab_require(with(1) == cudaSuccess, "it takes the error of an earlier call for its own");
        cudaGetLastError();
    }
    LAB_CHECK("quotients", n) for (int low : {0, 1}) {
        lab_case("least input", low);
        lab_array<int> in(n, LAB_RANDOM, low, 2000), out(n, LAB_POISON);
        lab_array<int> bad(1, LAB_RANDOM, NONE, NONE);
        quotients<<<blocks(n), BLOCK>>>(out.device, bad.device, in.device, n);
        int first = 0; while (first < n && in[first] != 0) first++;
        lab_expect(out, [&](long i) { return in[i] ? SCALE / in[i] : 0; }, 0, "integers");
        lab_expect(bad, [&](long) { return first < n ? first : NONE; }, 0, "the first place");
    }
    LAB_CHECK_AT("diagnose", JOBS) for (int k = 0; k < JOBS; k++) {
        char answer[128];
        lab_case("job", k + 1);
        lab_require(lab_apart(k + 1, answer, sizeof answer), "its process ended with an error");
        int launch = 0, run = 0, sticky = 0, reset = 0, after = 0;
        sscanf(answer, "%d %d %d %d %d", &launch, &run, &sticky, &reset, &after);
        printf("  %-14s launch %3d, run %3d, sticky %d; reset %3d, then %3d\n",
               job[k].name, launch, run, sticky, reset, after);
        lab_require(!launch == !job[k].want.launch, "launch: not the error of the launch");
        lab_between(run, job[k].want.run, job[k].want.run, "run", job[k].name);
        lab_between(sticky, job[k].want.sticky, job[k].want.sticky, "sticky", job[k].name);
    }

    lab_array<int> in(n, LAB_RANDOM, 1, 2000), out(n, LAB_POISON), bad(1, LAB_RANDOM, NONE, NONE);
    LAB_MEASURE("quotients", n, 8.0 * n)
        quotients<<<blocks(n), BLOCK>>>(out.device, bad.device, in.device, n);
    LAB_MEASURE("quotients_assert", n, 8.0 * n)
        quotients_assert<<<blocks(n), BLOCK>>>(out.device, in.device, n);
    for (int times : {1, 4, 16, 64}) for (bool each : {false, true}) {
        int few = min(n, 1 << 16);
        LAB_SWEEP(each ? "wait_for_each" : "wait_at_the_end", times, few, 8.0 * few * times)
            for (int k = 0; k < times; k++) {
                quotients<<<blocks(few), BLOCK>>>(out.device, bad.device, in.device, few);
                if (each) CUDA_CHECK(cudaDeviceSynchronize());
            }
    }
    LAB_GOAL("quotients", "atomic_requests_per_warp", "at_most", 0, "no atomic if all is well");
    LAB_WORK("quotients", 1, 1, 28);
    return lab_end();
}
