// What the recorder in front of a runtime library keeps (run-interposer): allocations, copies and fills
// of all shapes, variables, memory of the host that kernels use, streams, host functions, and
// launches of all kinds. With --graph it launches a graph, which that recorder does not keep.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

#define OK(call)                                                       \
    do {                                                               \
        cudaError_t e_ = (call);                                       \
        if (e_ != cudaSuccess) {                                       \
            printf("line %d: %s\n", __LINE__, cudaGetErrorString(e_)); \
            exit(1);                                                   \
        }                                                              \
    } while (0)

__constant__ int factor[4];
__device__ int table[4] = {10, 20, 30, 40};
__device__ char odd[3] = {1, 2, 3};
__managed__ int noted[64];

struct pair {
    char first;
    double second;
};

__global__ void scale(int *to, const int *from, int n, pair p)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < n) {
        to[k] = from[k] * factor[k % 4] + table[k % 4] + odd[k % 3] + p.first + (int)p.second;
    }
}

__global__ void add(int *to, const int *a, const int *b, int n)
{
    for (int k = threadIdx.x; k < n; k += blockDim.x) {
        to[k] = a[k] + b[k];
    }
}

__global__ void follow(int *to, int *const *list)
{
    to[threadIdx.x] = list[threadIdx.x % 2][threadIdx.x];
}

__global__ void whole_grid(int *to)
{
    cooperative_groups::grid_group all = cooperative_groups::this_grid();
    atomicAdd(&to[0], 1);
    all.sync();
    if (threadIdx.x == 0) {
        to[1 + blockIdx.x] = to[0];
    }
}

__global__ void clustered(int *to)
{
    __shared__ int mine;
    cooperative_groups::cluster_group c = cooperative_groups::this_cluster();
    mine = blockIdx.x;
    c.sync();
    to[blockIdx.x] = *c.map_shared_rank(&mine, c.block_rank() ^ 1);
    c.sync();
}

__global__ void dynamic(int *to)
{
    extern __shared__ int tile[];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    to[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

static void change(void *data)
{
    *(int *)data += 1;
}

static void show(const char *what, const int *values, int n)
{
    unsigned hash = 0;
    for (int k = 0; k < n; k++) {
        hash = hash * 31 + values[k];
    }
    printf("%s: %08x\n", what, hash);
}

static void graph(int *d)
{
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t exec;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    dynamic<<<1, 32, 128, s>>>(d);
    OK(cudaMemsetAsync(d + 32, 1, 128, s));
    OK(cudaStreamEndCapture(s, &g));
    OK(cudaGraphInstantiate(&exec, g, 0));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaStreamSynchronize(s));
}

int main(int argc, char **argv)
{
    const int n = 1000;
    int *a, *b, *c, *pinned, *managed, **list, factors[4] = {1, 2, 3, 5}, back[4];
    static int from[n], to[n];
    for (int k = 0; k < n; k++) {
        from[k] = k * k;
    }
    OK(cudaMalloc(&a, n * sizeof *a));
    if (argc > 1 && !strcmp(argv[1], "--graph")) {
        graph(a);
        return 0;
    }
    OK(cudaMalloc(&b, n * sizeof *b));
    OK(cudaMalloc(&list, 2 * sizeof *list));
    OK(cudaMemcpy(a, from, n * sizeof *a, cudaMemcpyHostToDevice));
    OK(cudaMemset(b, 0, n * sizeof *b));
    OK(cudaMemcpyToSymbol(factor, factors, sizeof factors));
    OK(cudaMemcpyToSymbol(table, factors, 8, 8));
    scale<<<4, 256>>>(b, a, n, pair{1, 2.5});
    OK(cudaMemcpy(to, b, n * sizeof *b, cudaMemcpyDefault));
    show("scaled", to, n);
    OK(cudaMemcpyFromSymbol(back, table, sizeof back));
    show("table", back, 4);

    int *both[] = {a, b};
    OK(cudaMemcpy(list, both, sizeof both, cudaMemcpyHostToDevice));
    cudaStream_t s, t;
    cudaEvent_t e;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    OK(cudaEventCreate(&e));
    OK(cudaMallocAsync(&c, n * sizeof *c, s));
    OK(cudaMemsetAsync(c, 7, n * sizeof *c, s));
    follow<<<1, 64, 0, s>>>(c, list);
    OK(cudaEventRecord(e, s));
    OK(cudaStreamWaitEvent(t, e, 0));
    OK(cudaMallocHost(&pinned, n * sizeof *pinned));
    OK(cudaMemcpyAsync(pinned, c, n * sizeof *c, cudaMemcpyDeviceToHost, t));
    OK(cudaStreamSynchronize(t));
    show("followed", pinned, n);

    pinned[3] = 99;
    OK(cudaLaunchHostFunc(s, change, pinned + 4));
    add<<<1, 128, 0, s>>>(c, pinned, a, n);
    OK(cudaStreamSynchronize(s));
    OK(cudaMallocManaged(&managed, n * sizeof *managed));
    managed[5] = 5;
    noted[6] = 6;
    add<<<1, 64>>>(managed, noted, managed, 64);
    OK(cudaDeviceSynchronize());
    show("managed", managed, 64);

    size_t pitch;
    char *wide;
    OK(cudaMallocPitch(&wide, &pitch, 100, 8));
    OK(cudaMemset2D(wide, pitch, 3, 100, 8));
    OK(cudaMemcpy2D(wide + 4, pitch, from, 40, 40, 5, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2DAsync(to, 100, wide, pitch, 100, 8, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamSynchronize(s));
    show("rows", to, 200);
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(a, 40, 40, 5);
    p.dstPtr = make_cudaPitchedPtr(b, 20, 20, 5);
    p.srcPos = make_cudaPos(4, 1, 0);
    p.extent = make_cudaExtent(16, 4, 3);
    p.kind = cudaMemcpyDeviceToDevice;
    OK(cudaMemcpy3D(&p));

    void *args[] = {&c};
    OK(cudaMemset(c, 0, 64));
    OK(cudaLaunchCooperativeKernel((void *)whole_grid, 4, 32, args, 0, s));
    OK(cudaStreamSynchronize(s));
    cudaLaunchAttribute of_two[1];
    of_two[0].id = cudaLaunchAttributeClusterDimension;
    of_two[0].val.clusterDim = {2, 1, 1};
    cudaLaunchConfig_t config = {};
    config.gridDim = 4;
    config.blockDim = 32;
    config.attrs = of_two;
    config.numAttrs = 1;
    OK(cudaLaunchKernelEx(&config, clustered, c + 16));
    dynamic<<<1, 64, 256>>>(c + 32);
    OK(cudaMemcpy(to, c, 400, cudaMemcpyDeviceToHost));
    show("launched", to, 100);
    OK(cudaHostRegister(from, sizeof from, cudaHostRegisterMapped));
    from[1] = 7;
    add<<<1, 128>>>(b, from, a, n);
    OK(cudaMemcpy(to, b, sizeof to, cudaMemcpyDeviceToHost));
    show("registered", to, n);
    OK(cudaHostUnregister(from));
    OK(cudaFreeAsync(c, s));
    OK(cudaFreeHost(pinned));
    OK(cudaFree(b));
    OK(cudaMalloc(&b, 512));
    dynamic<<<1, 128, 512>>>(b);
    OK(cudaMemcpy(to, b, 512, cudaMemcpyDeviceToHost));
    show("again", to, 128);
    return 0;
}
