// A run with a little of everything that a recording keeps. Prints what came back, so that it can be
// compared; with an argument it writes it into that file too. With --race, --init, --die, --poll, --poll-clock or --turns
// it does one of these instead: a race on shared memory, a read of what nobody wrote, an end by a signal, a
// kernel that waits for what the host writes meanwhile (without and with a clock), two that answer one another.
// flags: -Xcompiler -pthread
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <cuda_runtime.h>
#include <pthread.h>
#include <unistd.h>

#define OK(call)                                                                        \
    do {                                                                                \
        cudaError_t e_ = (call);                                                        \
        if (e_ != cudaSuccess) {                                                        \
            printf("line %d: %s\n", __LINE__, cudaGetErrorString(e_));                  \
            exit(1);                                                                    \
        }                                                                               \
    } while (0)

__constant__ int factor[4];
__device__ int table[4] = {10, 20, 30, 40};
__managed__ int shared_by_all[64];

typedef int (*operation)(int);
__device__ int twice(int x) { return 2 * x; }
__device__ int thrice(int x) { return 3 * x; }
__device__ operation operations[2] = {twice, thrice};

__global__ void scale(int *to, const int *from, int n, int which)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        to[i] = operations[which](from[i]) * factor[i % 4] + table[i % 4];
    }
}

__global__ void add(int *to, const volatile int *from, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        to[i] += from[i];
    }
}

__global__ void sample(float *to, cudaTextureObject_t texture, cudaSurfaceObject_t surface)
{
    const int x = threadIdx.x;
    to[x] = tex2D<float>(texture, x / 2.0f + 0.25f, 1.0f);
    if (x < 8)
        surf2Dwrite(to[x] + 1, surface, x * 4, 2);
}

__global__ void lists(int **heads)
{
    int *p = (int *)malloc(8);
    p[0] = threadIdx.x;
    p[1] = p[0] * p[0];
    heads[threadIdx.x] = p;
}

__global__ void sum_lists(int *to, int *const *heads)
{
    atomicAdd(to, heads[threadIdx.x][1]);
    free(heads[threadIdx.x]);
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

__global__ void __cluster_dims__(2, 1, 1) clustered(int *to)
{
    __shared__ int mine;
    cooperative_groups::cluster_group c = cooperative_groups::this_cluster();
    mine = blockIdx.x;
    c.sync();
    to[blockIdx.x] = *c.map_shared_rank(&mine, c.block_rank() ^ 1);
    c.sync();
}

__global__ void clocked(long long *to)
{
    const long long before = clock64();
    to[1] = before > 0;
    to[0] = clock64() - before;
}

__global__ void says(int n) { printf("kernel %d says %d\n", n, threadIdx.x); }

__global__ void racing(int *to, const int *from)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = from[threadIdx.x] + 1;
    to[threadIdx.x] = tile[63 - threadIdx.x];
}

__global__ void wait_for(volatile int *flag)
{
    while (*flag == 0)
        ;
}

// Code that reads a clock is never taken for one that cannot end. The host sets the flag after many rounds.
__global__ void wait_by_the_clock(volatile int *flag)
{
    while (*flag == 0 && clock64() >= 0) {
        __nanosleep(1000);
        flag[1] = flag[1] + 1;
    }
    flag[2] = 1;
    while (flag[3] == 0) {
        __nanosleep(1000);
    }
}

static void *set_after_rounds(void *flag)
{
    volatile int *f = (volatile int *)flag;
    while (f[1] < 100000) {
        usleep(1000);
    }
    f[0] = 1;
    while (f[2] == 0) {
        usleep(1000);
    }
    f[0] = 0; // so that what is there at the end is not what ended the kernel
    f[3] = 1;
    return NULL;
}

// Not by the clock on the wall: on a busy machine the kernel may not have run yet. Once it is known to
// wait it sleeps most of the time.
static void *set_later(void *flag)
{
    for (int k = 0; k < 2000 && clock() < CLOCKS_PER_SEC / 2; k++) {
        usleep(5000);
    }
    *(volatile int *)flag = 1;
    return NULL;
}

// Two of these answer one another: each waits for its number and writes the other one's.
__global__ void answer(volatile int *f, int me, int rounds)
{
    for (int k = 0; k < rounds; k++) {
        while (*f != 2 * k + me)
            ;
        __threadfence();
        *f = 2 * k + me + 1;
    }
    f[1 + me] = rounds;
}

static int turns()
{
    int *f, host[3];
    cudaStream_t s, t;
    OK(cudaMalloc(&f, sizeof host));
    OK(cudaMemset(f, 0, sizeof host));
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    OK(cudaDeviceSynchronize());
    answer<<<1, 1, 0, s>>>(f, 0, 20);
    answer<<<1, 1, 0, t>>>(f, 1, 20);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(host, f, sizeof host, cudaMemcpyDeviceToHost));
    printf("%d %d %d\n", host[0], host[1], host[2]);
    return 0;
}

static int one_mistake(const char *which)
{
    int *a;
    pthread_t thread;
    if (!strcmp(which, "--turns")) {
        return turns();
    }
    OK(cudaMalloc(&a, 512));
    if (strcmp(which, "--init")) {
        OK(cudaMemset(a, 0, 512));
    }
    if (!strcmp(which, "--poll") || !strcmp(which, "--poll-clock")) {
        OK(cudaMallocManaged(&a, 16));
        memset(a, 0, 16);
        pthread_create(&thread, NULL, strcmp(which, "--poll") ? set_after_rounds : set_later, a);
        if (!strcmp(which, "--poll")) {
            wait_for<<<1, 32>>>(a);
        } else {
            wait_by_the_clock<<<1, 1>>>(a);
        }
        OK(cudaDeviceSynchronize());
        return pthread_join(thread, NULL);
    }
    racing<<<1, 64>>>(a + 64, a);
    OK(cudaDeviceSynchronize());
    if (!strcmp(which, "--share")) {
        cudaIpcMemHandle_t handle;
        OK(cudaIpcGetMemHandle(&handle, a));
        racing<<<1, 64>>>(a, a + 64);
        OK(cudaDeviceSynchronize());
    }
    if (!strcmp(which, "--die")) {
        racing<<<1, 64>>>(a, a + 64);
        abort();
    }
    return 0;
}

static FILE *out;

static void give(const void *bytes, size_t size, const char *what)
{
    unsigned long long hash = 0;
    for (size_t k = 0; k < size; k++) {
        hash = hash * 31 + ((const unsigned char *)bytes)[k];
    }
    printf("%s: %llx\n", what, hash);
    if (out) {
        fwrite(bytes, 1, size, out);
    }
}

static int noted;
static void note(void *mapped) { ((int *)mapped)[3] = 1000 + noted++; }

int main(int argc, char **argv)
{
    enum { N = 1000 };
    static int host[N], back[N];
    if (argc > 1 && argv[1][0] == '-') {
        return one_mistake(argv[1]);
    }
    out = argc > 1 ? fopen(argv[1], "w") : NULL;
    for (int k = 0; k < N; k++) {
        host[k] = k * 7 % 64;
    }

    // Copies, symbols, fills, several streams and events.
    int *a, *b, *mapped, *pinned;
    cudaStream_t one, two;
    cudaEvent_t begin, end;
    const int factors[4] = {1, 2, 3, 4};
    OK(cudaMalloc(&a, N * 4));
    OK(cudaMalloc(&b, N * 4));
    OK(cudaMemcpyToSymbol(factor, factors, sizeof factors));
    OK(cudaStreamCreate(&one));
    OK(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    OK(cudaEventCreate(&begin));
    OK(cudaEventCreate(&end));
    OK(cudaMemcpyAsync(a, host, sizeof host, cudaMemcpyHostToDevice, one));
    OK(cudaEventRecord(begin, one));
    scale<<<4, 256, 0, one>>>(b, a, N, 0);
    OK(cudaEventRecord(end, one));
    OK(cudaStreamWaitEvent(two, end));
    OK(cudaMemcpyAsync(back, b, sizeof back, cudaMemcpyDeviceToHost, two));
    OK(cudaStreamSynchronize(two));
    give(back, sizeof back, "scaled");
    float ms;
    OK(cudaEventSynchronize(end));
    OK(cudaEventElapsedTime(&ms, begin, end));
    printf("%.6f ms\n", ms);
    OK(cudaMemset(b, 1, N * 2));
    OK(cudaMemcpy(back, b, sizeof back, cudaMemcpyDeviceToHost));
    give(back, sizeof back, "filled");

    // Memory that the host changes without a call: pinned, registered, managed.
    static int registered[3000];
    OK(cudaHostAlloc(&mapped, 5000 * 4, cudaHostAllocMapped));
    OK(cudaMallocHost(&pinned, N * 4));
    OK(cudaHostRegister(registered, sizeof registered, cudaHostRegisterMapped));
    for (int turn = 0; turn < 3; turn++) {
        mapped[turn * 2000] = 5 + turn;
        registered[7 + turn] = 3;
        shared_by_all[turn] = turn + 1;
        OK(cudaLaunchHostFunc(one, note, mapped));
        add<<<1, 64, 0, one>>>(mapped, shared_by_all, 64);
        add<<<1, 64, 0, one>>>(registered, mapped, 64);
        OK(cudaStreamSynchronize(one));
        mapped[1] -= 1;
    }
    OK(cudaMemcpyAsync(pinned, a, N * 4, cudaMemcpyDeviceToHost, one));
    OK(cudaDeviceSynchronize());
    pinned[5] = 77;
    OK(cudaMemcpyAsync(b, pinned, N * 4, cudaMemcpyHostToDevice, one));
    OK(cudaMemcpy(back, b, sizeof back, cudaMemcpyDeviceToHost));
    give(back, sizeof back, "by way of pinned memory");
    give(mapped, 5000 * 4, "mapped");
    OK(cudaMemcpy(back, registered, 4000, cudaMemcpyDefault));

    // Copies to and from memory that is registered in two pieces, across both.
    alignas(4096) static int pieces[2048];
    int *across = pieces + 512;
    OK(cudaHostRegister(pieces, 4096, cudaHostRegisterMapped));
    OK(cudaHostRegister(pieces + 1024, 4096, cudaHostRegisterMapped));
    OK(cudaMemcpy(across, a, N * 4, cudaMemcpyDefault));
    add<<<1, 64>>>(pieces + 1024, mapped, 64);
    OK(cudaMemcpy(b, across, N * 4, cudaMemcpyDefault));
    OK(cudaMemcpy(back, b, sizeof back, cudaMemcpyDefault));
    give(back, sizeof back, "by way of memory in two pieces");
    OK(cudaHostUnregister(pieces));
    OK(cudaHostUnregister(pieces + 1024));

    // A pitched copy, an array, a texture and a surface.
    size_t pitch;
    char *image;
    float grid[8 * 8], *samples;
    cudaArray_t array;
    for (int k = 0; k < 64; k++) {
        grid[k] = (float)k;
    }
    OK(cudaMallocPitch((void **)&image, &pitch, 100, 9));
    OK(cudaMemset2D(image, pitch, 3, 50, 9));
    OK(cudaMemcpy2D(image + 2, pitch, host, 60, 40, 7, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2D(back, 64, image, pitch, 48, 9, cudaMemcpyDeviceToHost));
    give(back, 9 * 64 - 16, "rows");
    cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
    OK(cudaMallocArray(&array, &floats, 8, 8, cudaArraySurfaceLoadStore));
    OK(cudaMemcpy2DToArray(array, 0, 0, grid, 32, 32, 8, cudaMemcpyHostToDevice));
    cudaResourceDesc of = {};
    of.resType = cudaResourceTypeArray;
    of.res.array.array = array;
    cudaTextureDesc how = {};
    how.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t texture;
    cudaSurfaceObject_t surface;
    OK(cudaCreateTextureObject(&texture, &of, &how, NULL));
    OK(cudaCreateSurfaceObject(&surface, &of));
    OK(cudaMalloc(&samples, 16 * 4));
    sample<<<1, 16>>>(samples, texture, surface);
    OK(cudaMemcpy(grid, samples, 64, cudaMemcpyDeviceToHost));
    give(grid, 64, "samples");
    OK(cudaMemcpy2DFromArray(grid, 32, array, 0, 0, 32, 8, cudaMemcpyDeviceToHost));
    give(grid, sizeof grid, "surface");
    OK(cudaDestroyTextureObject(texture));

    // Device malloc, a grid barrier, clusters, a clock, memory from a pool.
    int **heads, *sum, *pooled;
    long long *ticks, took[2];
    OK(cudaMalloc(&heads, 32 * sizeof *heads));
    OK(cudaMalloc(&sum, 64));
    OK(cudaMemset(sum, 0, 64));
    lists<<<1, 32>>>(heads);
    sum_lists<<<1, 32>>>(sum, heads);
    OK(cudaMemcpy(back, sum, 4, cudaMemcpyDeviceToHost));
    give(back, 4, "lists");
    OK(cudaMemset(sum, 0, 64));
    void *args[] = {&sum};
    OK(cudaLaunchCooperativeKernel((void *)whole_grid, 4, 32, args, 0, 0));
    OK(cudaMemcpy(back, sum, 20, cudaMemcpyDeviceToHost));
    give(back, 20, "grid");
    clustered<<<4, 1>>>(sum);
    OK(cudaMemcpy(back, sum, 16, cudaMemcpyDeviceToHost));
    give(back, 16, "clusters");
    OK(cudaMalloc(&ticks, 16));
    clocked<<<1, 1>>>(ticks);
    OK(cudaMemcpy(took, ticks, 16, cudaMemcpyDeviceToHost));
    give(took, 16, "clock");
    OK(cudaMallocAsync((void **)&pooled, N * 4, one));
    scale<<<4, 256, 0, one>>>(pooled, a, N, 1);
    OK(cudaMemcpyAsync(back, pooled, sizeof back, cudaMemcpyDeviceToHost, one));
    OK(cudaFreeAsync(pooled, one));
    OK(cudaStreamSynchronize(one));
    give(back, sizeof back, "pooled");

    // A graph, launched twice, and what a kernel prints.
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    OK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    OK(cudaMemsetAsync(b, 0, 400, one));
    add<<<1, 32, 0, one>>>(b, a, N);
    OK(cudaMemcpyAsync(pinned, b, N * 4, cudaMemcpyDeviceToHost, one));
    OK(cudaLaunchHostFunc(one, note, mapped));
    add<<<1, 32, 0, one>>>(a, mapped, 64);
    OK(cudaStreamEndCapture(one, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, one));
    mapped[9] = 9;
    OK(cudaGraphLaunch(exec, one));
    says<<<1, 2>>>(1);
    OK(cudaDeviceSynchronize());
    give(pinned, N * 4, "graph");
    OK(cudaMemcpy(back, a, sizeof back, cudaMemcpyDeviceToHost));
    give(back, sizeof back, "after the graph");

    // All of it again is another device's.
    OK(cudaDeviceReset());
    OK(cudaMalloc(&a, N * 4));
    OK(cudaMemcpyFromSymbol(back, table, 16));
    scale<<<1, 32>>>(a, a, 0, 0);
    OK(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
    says<<<1, 1>>>(2);
    void *scrap; // an array at an address where freed memory was
    OK(cudaMalloc(&scrap, 1 << 16));
    OK(cudaFree(scrap));
    OK(cudaMallocArray(&array, &floats, 64, 64));
    OK(cudaFreeArray(array));
    add<<<1, 32>>>(a, a, 32); // and nobody waits
    return out && fclose(out);
}
