// Kernels that launch kernels: times, graphs, streams of the host, and what is refused.
// flags: -rdc=true -lcudadevrt
// stderr: runtime from the device .cudaMemcpy3DAsync
// twice
#include "check.h"

__global__ void child(int *p, int add)
{
    p[threadIdx.x] += add;
}

__global__ void parent(int *p, int children)
{
    for (int k = 0; k < children; k++) {
        child<<<1, 32>>>(p, 1);
    }
}

__global__ void grandparent(int *p)
{
    parent<<<1, 1>>>(p, 3);
    child<<<1, 32, 0, cudaStreamTailLaunch>>>(p, 100);
}

__global__ void doubles(int *p)
{
    p[threadIdx.x] *= 2;
}

__global__ void refused(cudaMemcpy3DParms *p)
{
    cudaMemcpy3DAsync(p, 0);
}

static int *device;

static int first(void)
{
    int is = -1;
    OK(cudaMemcpy(&is, device, sizeof is, cudaMemcpyDeviceToHost));
    return is;
}

static float time_of(int children)
{
    cudaEvent_t from, to;
    float ms = 0;
    OK(cudaEventCreate(&from));
    OK(cudaEventCreate(&to));
    OK(cudaDeviceSynchronize());
    OK(cudaEventRecord(from));
    parent<<<1, 1>>>(device, children);
    OK(cudaEventRecord(to));
    OK(cudaEventSynchronize(to));
    OK(cudaEventElapsedTime(&ms, from, to));
    OK(cudaEventDestroy(from));
    OK(cudaEventDestroy(to));
    return ms;
}

int main()
{
    OK(cudaMalloc(&device, 32 * sizeof *device));
    OK(cudaMemset(device, 0, 32 * sizeof *device));

    /* What is behind the parent in its stream comes behind its children, and theirs. */
    grandparent<<<1, 1>>>(device);
    doubles<<<1, 32>>>(device);
    CHECK(first() == 206);

    /* A parent's time holds its children's. */
    const float none = time_of(0), one = time_of(1), ten = time_of(10);
    printf("%.3f %.3f %.3f us\n", none * 1e3, one * 1e3, ten * 1e3);
    CHECK(none < one && 3 * one < ten + 2 * none + one);

    /* In a graph, and in streams that know nothing of one another. */
    cudaStream_t s, t;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreate(&t));
    OK(cudaMemset(device, 0, 32 * sizeof *device));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    grandparent<<<1, 1, 0, s>>>(device);
    doubles<<<1, 32, 0, s>>>(device);
    OK(cudaStreamEndCapture(s, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaStreamSynchronize(s));
    CHECK(first() == 618);
    cudaEvent_t done;
    OK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    grandparent<<<1, 1, 0, s>>>(device);
    OK(cudaEventRecord(done, s));
    OK(cudaStreamWaitEvent(t, done));
    doubles<<<1, 32, 0, t>>>(device);
    OK(cudaDeviceSynchronize());
    CHECK(first() == 2 * (618 + 103));

    refused<<<1, 1>>>(NULL);
    EXPECT(cudaErrorNotSupported, cudaGetLastError());
    parent<<<1, 1>>>(device, 2000);
    CHECK(first() == 2 * (618 + 103) + 2000);
    return print_failures();
}
