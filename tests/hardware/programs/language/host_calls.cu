// The host's side: pitched and 3-D memory, pinned and mapped memory, streams, events, callbacks,
// symbols, attributes, pools, errors that programs look at.
#include <cstdio>
#include <cstring>

__constant__ int table[16];
__device__ int counter;
__device__ float3 vectors[4];

__global__ void fill(char *base, size_t pitch, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        ((float *)(base + y * pitch))[x] = x + 100 * y;
}

__global__ void fill3d(cudaPitchedPtr p, cudaExtent e)
{
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    char *slice = (char *)p.ptr + z * p.pitch * e.height;
    ((int *)(slice + y * p.pitch))[x] = x + 10 * y + 1000 * z;
}

__global__ void scale(int *v, int n, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] = v[i] * by + table[i % 16];
    if (i == 0)
        atomicAdd(&counter, 1);
}

__global__ void __launch_bounds__(128, 2) bounded(int *out)
{
    out[threadIdx.x] = blockDim.x;
}

static void CUDART_CB called(void *data)
{
    printf("host function: %s\n", (const char *)data);
}
static void CUDART_CB old_callback(cudaStream_t, cudaError_t status, void *data)
{
    printf("callback: %s, %s\n", cudaGetErrorName(status), (const char *)data);
}

int main()
{
    char *pitched;
    size_t pitch;
    float host[7][13];
    cudaMallocPitch((void **)&pitched, &pitch, 13 * sizeof(float), 7);
    printf("pitch %s\n", pitch >= 52 && pitch % 32 == 0 ? "aligned" : "odd");
    fill<<<dim3(1, 1), dim3(16, 8)>>>(pitched, pitch, 13, 7);
    cudaMemcpy2D(host, sizeof host[0], pitched, pitch, sizeof host[0], 7, cudaMemcpyDeviceToHost);
    printf("2-D %g %g %g\n", host[0][0], host[3][12], host[6][5]);
    cudaMemset2D(pitched, pitch, 0, 8, 3);
    cudaMemcpy2D(host, sizeof host[0], pitched, pitch, sizeof host[0], 7, cudaMemcpyDeviceToHost);
    printf("set %g %g %g\n", host[0][1], host[0][2], host[3][0]);

    cudaExtent extent = make_cudaExtent(8 * sizeof(int), 6, 5);
    cudaPitchedPtr cube;
    int small[5][6][8];
    cudaMalloc3D(&cube, extent);
    fill3d<<<5, dim3(8, 6)>>>(cube, extent);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = cube;
    copy.dstPtr = make_cudaPitchedPtr(small, 8 * sizeof(int), 8, 6);
    copy.extent = extent;
    copy.kind = cudaMemcpyDeviceToHost;
    cudaError_t error = cudaMemcpy3D(&copy);
    printf("3-D %s %d %d\n", cudaGetErrorName(error), small[4][5][7], small[2][3][1]);

    const int n = 1000;
    int t[16], *pinned, *mapped, *device, *view;
    for (int i = 0; i < 16; i++)
        t[i] = i * i;
    cudaMemcpyToSymbol(table, t, sizeof t);
    cudaMemcpyToSymbol(table, t, 4 * sizeof(int), 8 * sizeof(int));
    cudaMallocHost(&pinned, n * sizeof(int));
    cudaHostAlloc(&mapped, n * sizeof(int), cudaHostAllocMapped);
    cudaHostGetDevicePointer((void **)&view, mapped, 0);
    cudaMalloc(&device, n * sizeof(int));
    for (int i = 0; i < n; i++)
        pinned[i] = mapped[i] = i;
    cudaStream_t one, two;
    cudaEvent_t done, begin, end;
    cudaStreamCreate(&one);
    cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventRecord(begin, one);
    cudaMemcpyAsync(device, pinned, n * sizeof(int), cudaMemcpyHostToDevice, one);
    scale<<<4, 256, 0, one>>>(device, n, 3);
    cudaEventRecord(done, one);
    cudaStreamWaitEvent(two, done, 0);
    scale<<<4, 256, 0, two>>>(device, n, 2);
    cudaMemcpyAsync(pinned, device, n * sizeof(int), cudaMemcpyDeviceToHost, two);
    cudaLaunchHostFunc(two, called, (void *)"after the copy");
    cudaStreamAddCallback(two, old_callback, (void *)"old style", 0);
    cudaEventRecord(end, one);
    cudaStreamSynchronize(two);
    cudaEventSynchronize(end);
    float ms = -1;
    cudaEventElapsedTime(&ms, begin, end);
    printf("streams %d %d %d, time %s, query %s\n", pinned[0], pinned[17], pinned[999],
           ms > 0 ? "passes" : "stands", cudaGetErrorName(cudaStreamQuery(two)));
    scale<<<4, 256>>>(view, n, 5);
    cudaDeviceSynchronize();
    printf("mapped %d %d\n", mapped[9], mapped[999]);

    int count;
    cudaMemcpyFromSymbol(&count, counter, sizeof count);
    void *address;
    size_t bytes;
    cudaGetSymbolAddress(&address, vectors);
    cudaGetSymbolSize(&bytes, vectors);
    float3 v[4] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}}, back[4];
    cudaMemcpy(address, v, sizeof v, cudaMemcpyHostToDevice);
    cudaMemcpyFromSymbol(back, vectors, sizeof back[0], 2 * sizeof back[0]);
    printf("symbols %d %zu %g\n", count, bytes, back[0].z);

    cudaPointerAttributes attributes;
    for (void *p : {(void *)device, (void *)pinned, (void *)mapped, (void *)t}) {
        cudaPointerGetAttributes(&attributes, p);
        printf("type %d%s", attributes.type, p == (void *)t ? "\n" : ", ");
    }
    cudaFuncAttributes f;
    cudaFuncGetAttributes(&f, bounded);
    printf("bounded: at most %d threads, %zu shared, %zu local\n", f.maxThreadsPerBlock,
           f.sharedSizeBytes, f.localSizeBytes);
    bounded<<<1, 256>>>(device);
    printf("too many threads: %s\n", cudaGetErrorName(cudaGetLastError()));
    bounded<<<1, 128, 1 << 20>>>(device);
    printf("too much shared memory: %s\n", cudaGetErrorName(cudaGetLastError()));
    printf("no blocks: ");
    bounded<<<0, 128>>>(device);
    printf("%s, then %s\n", cudaGetErrorName(cudaPeekAtLastError()),
           cudaGetErrorString(cudaGetLastError()));
    void *huge = (void *)1;
    printf("too much memory: %s", cudaGetErrorName(cudaMalloc(&huge, (size_t)1 << 50)));
    printf(", last %s\n", cudaGetErrorName(cudaGetLastError()));
    printf("free twice: %s", cudaGetErrorName(cudaFree(pitched)));
    printf(" %s\n", cudaGetErrorName(cudaFree(pitched)));
    printf("null: %s\n", cudaGetErrorName(cudaFree(0)));
    cudaGetLastError();

    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    printf("warp %d, block %d, dimensions %d %d %d, grid %d %d %d, constant %zu\n", p.warpSize,
           p.maxThreadsPerBlock, p.maxThreadsDim[0], p.maxThreadsDim[1], p.maxThreadsDim[2],
           p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2], p.totalConstMem);
    int value;
    cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlock, 0);
    printf("shared %d, managed %d, mapped %d, overlap %s\n", value, p.managedMemory,
           p.canMapHostMemory, p.asyncEngineCount > 0 ? "yes" : "no");
    int *pool;
    cudaMallocAsync(&pool, n * sizeof(int), one);
    cudaMemsetAsync(pool, 1, n * sizeof(int), one);
    cudaMemcpyAsync(pinned, pool, n * sizeof(int), cudaMemcpyDeviceToHost, one);
    cudaFreeAsync(pool, one);
    cudaStreamSynchronize(one);
    printf("pool %#x\n", pinned[999]);
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
    cudaFreeHost(pinned);
    cudaFreeHost(mapped);
    printf("end: %s\n", cudaGetErrorName(cudaDeviceReset()));
    return 0;
}
