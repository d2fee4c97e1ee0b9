// 100,000 launches, 10,000 graph launches and as many copies leave nothing behind.
#include "check.h"

#include <malloc.h>

__global__ void add(int *p)
{
    *p += 1;
}

static int *d;
static cudaStream_t s;
static cudaEvent_t e;
static cudaGraphExec_t exec;

static void work(int launches)
{
    for (int i = 0; i < launches; i++) {
        add<<<1, 1, 0, s>>>(d);
        if (i % 10 == 0) {
            int h = i;
            OK(cudaGraphLaunch(exec, s));
            OK(cudaEventRecord(e, s));
            OK(cudaMemcpyAsync(d + 1, &h, 4, cudaMemcpyHostToDevice, s));
            void *p;
            OK(cudaMallocAsync(&p, 256, s));
            OK(cudaFreeAsync(p, s));
        }
        if (i % 1000 == 0) {
            cudaGraph_t g;
            OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
            add<<<1, 1, 0, s>>>(d);
            OK(cudaStreamEndCapture(s, &g));
            cudaGraphExecUpdateResultInfo info;
            OK(cudaGraphExecUpdate(exec, g, &info));
            OK(cudaGraphDestroy(g));
        }
    }
    OK(cudaDeviceSynchronize());
}

int main()
{
    OK(cudaMalloc(&d, 8));
    OK(cudaMemset(d, 0, 8));
    OK(cudaStreamCreate(&s));
    OK(cudaEventCreate(&e));
    cudaGraph_t g;
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    add<<<1, 1, 0, s>>>(d);
    OK(cudaStreamEndCapture(s, &g));
    OK(cudaGraphInstantiate(&exec, g, 0));
    OK(cudaGraphDestroy(g));
    // Pools and lists grow until they have held the most that ever waits at once.
    work(50000);
    const size_t before = mallinfo2().uordblks;
    work(100000);
    const size_t after = mallinfo2().uordblks;
    int h = 0;
    OK(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
    CHECK(h == 150000 + 15000);
    if (after > before + 20000) {
        printf("%zu bytes more are in use after 100000 launches\n", after - before);
        failures++;
    }
    OK(cudaGraphExecDestroy(exec));
    return print_failures();
}
