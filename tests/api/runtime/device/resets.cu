// cudaDeviceReset in the middle: with work queued, a capture going on, graphs, memory of all kinds;
// then all begins anew. Variables have their first values again.
#include "check.h"

__device__ int word = 3;

__global__ void bump(int *p)
{
    *p += ++word;
}
__global__ void grow(void **out, size_t n)
{
    *out = malloc(n);
}

int main()
{
    for (int turn = 0; turn < 3; turn++) {
        int *d, *pool, *pinned, *managed, h = 0;
        cudaStream_t s, t;
        cudaEvent_t e;
        cudaGraph_t g, lost;
        cudaGraphExec_t exec;
        OK(cudaMalloc(&d, 4));
        OK(cudaMemset(d, 0, 4));
        OK(cudaMallocHost(&pinned, 64));
        OK(cudaMallocManaged(&managed, 64));
        OK(cudaStreamCreate(&s));
        OK(cudaStreamCreate(&t));
        OK(cudaEventCreate(&e));
        OK(cudaMallocAsync((void **)&pool, 64, s));
        bump<<<1, 1, 0, s>>>(d);
        OK(cudaEventRecord(e, s));
        OK(cudaStreamSynchronize(s));
        OK(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
        CHECK(h == 4);
        OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
        bump<<<1, 1, 0, s>>>(d);
        OK(cudaStreamEndCapture(s, &g));
        OK(cudaGraphInstantiate(&exec, g, 0));
        OK(cudaGraphLaunch(exec, s));
        OK(cudaStreamBeginCapture(t, cudaStreamCaptureModeRelaxed));
        bump<<<1, 1, 0, t>>>(d);
        (void)lost; // it does not end
        bump<<<1, 1, 0, s>>>(d);
        // the heap of device code may be set before it is used, and after a reset
        size_t heap = 0;
        OK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
        CHECK(heap == 8 << 20);
        OK(cudaDeviceReset());

        void **out;
        OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20));
        OK(cudaMallocManaged(&out, sizeof *out));
        grow<<<1, 1>>>(out, 48 << 20);
        OK(cudaDeviceSynchronize());
        CHECK(*out != NULL);
        grow<<<1, 1>>>(out, 48 << 20);
        OK(cudaDeviceSynchronize());
        CHECK(*out == NULL);
        EXPECT(cudaErrorInvalidValue, cudaDeviceSetLimit(cudaLimitMallocHeapSize, 128 << 20));
        EXPECT(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(s));
        EXPECT(cudaErrorInvalidValue, cudaGraphDestroy(g));
        EXPECT(cudaErrorInvalidValue, cudaGraphExecDestroy(exec));
        EXPECT(cudaErrorInvalidValue, cudaFree(d));
        cudaGetLastError();
        OK(cudaDeviceReset());
    }
    return print_failures();
}
