// Events: states, flags, and times of the modelled clock. Prints the times: run-programs runs it
// twice and compares.
// twice
#include "check.h"

__global__ void scale(float *p, int n, float f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i] *= f;
    }
}

int main()
{
    const int n = 1 << 18;
    float *d, *h, ms = -1, both, alone;
    cudaStream_t s[2];
    cudaEvent_t a, b, quiet;
    OK(cudaMalloc(&d, 2 * n * sizeof *d));
    OK(cudaMallocHost(&h, 2 * n * sizeof *h));
    OK(cudaMemset(d, 0, 2 * n * sizeof *d));
    OK(cudaStreamCreate(&s[0]));
    OK(cudaStreamCreate(&s[1]));
    OK(cudaEventCreate(&a));
    OK(cudaEventCreate(&b));
    OK(cudaEventCreateWithFlags(&quiet, cudaEventDisableTiming));
    EXPECT(cudaErrorInvalidValue, cudaEventCreateWithFlags(&b, 0x100));

    OK(cudaEventQuery(a)); // never recorded: nothing to wait for
    OK(cudaEventSynchronize(a));
    EXPECT(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, a, b));

    OK(cudaEventRecord(a));
    scale<<<n / 256, 256>>>(d, n, 2);
    OK(cudaEventRecord(b));
    EXPECT(cudaErrorNotReady, cudaEventElapsedTime(&ms, a, b));
    OK(cudaEventSynchronize(b));
    OK(cudaEventElapsedTime(&ms, a, b));
    CHECK(ms > 0.001 && ms < 1);
    printf("kernel %.6f ms\n", ms);
    OK(cudaEventElapsedTime(&ms, b, a));
    CHECK(ms < 0);
    OK(cudaEventElapsedTime(&ms, a, a));
    CHECK(ms == 0);

    // three of them take longer than one
    float one;
    OK(cudaEventElapsedTime(&one, a, b));
    OK(cudaEventRecord(a));
    for (int i = 0; i < 3; i++) {
        scale<<<n / 256, 256>>>(d, n, 2);
    }
    OK(cudaEventRecord(b));
    OK(cudaEventSynchronize(b));
    OK(cudaEventElapsedTime(&ms, a, b));
    CHECK(ms > 1.5 * one);
    printf("three %.6f ms\n", ms);

    // copies in two directions overlap, in one they do not
    for (int same = 0; same < 2; same++) {
        OK(cudaDeviceSynchronize());
        OK(cudaEventRecord(a, s[0]));
        OK(cudaMemcpyAsync(d, h, n * sizeof *d, cudaMemcpyHostToDevice, s[0]));
        OK(cudaEventRecord(quiet, s[0]));
        if (same) {
            OK(cudaMemcpyAsync(d + n, h + n, n * sizeof *d, cudaMemcpyHostToDevice, s[1]));
        } else {
            OK(cudaMemcpyAsync(h + n, d + n, n * sizeof *d, cudaMemcpyDeviceToHost, s[1]));
        }
        OK(cudaStreamWaitEvent(s[1], quiet));
        OK(cudaEventRecord(b, s[1]));
        OK(cudaEventSynchronize(b));
        OK(cudaEventElapsedTime(same ? &alone : &both, a, b));
    }
    printf("both directions %.6f ms, one %.6f ms\n", both, alone);
    CHECK(alone > 1.4f * both); // the link has less than twice one way, and each call takes its time
    EXPECT(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, quiet, b));

    // recording again moves an event
    OK(cudaEventRecord(a, s[0]));
    OK(cudaEventRecord(a, s[1]));
    OK(cudaEventSynchronize(a));
    OK(cudaEventDestroy(a));
    EXPECT(cudaErrorInvalidResourceHandle, cudaEventSynchronize(a));
    OK(cudaDeviceSynchronize());
    return print_failures();
}
