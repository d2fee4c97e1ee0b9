// What host threads make at once, use and destroy leaves nothing behind: captures and graphs, pools,
// streams and events, managed and pinned memory, calls and the device's heap, arrays and textures.
// own heap
// flags: -Xcompiler -rdynamic -Xcompiler -pthread
#include "check.h"

#include <atomic>
#include <malloc.h>
#include <thread>

enum { THREADS = 3, TURNS = 40 };

// --- blocks that the whole program has -----------------------------------------------------------

extern "C" void *__libc_malloc(size_t);
extern "C" void *__libc_calloc(size_t, size_t);
extern "C" void *__libc_realloc(void *, size_t);
extern "C" void *__libc_memalign(size_t, size_t);
extern "C" void __libc_free(void *);

static std::atomic<long> blocks;

static void *counted(void *p)
{
    blocks += p != NULL;
    return p;
}

// Under other names: nvcc has declarations of its own for these.
extern "C" void *hook_malloc(size_t n) __asm__("malloc");
extern "C" void *hook_calloc(size_t n, size_t size) __asm__("calloc");
extern "C" void *hook_realloc(void *p, size_t n) __asm__("realloc");
extern "C" void *hook_aligned_alloc(size_t align, size_t n) __asm__("aligned_alloc");
extern "C" void hook_free(void *p) __asm__("free");

extern "C" void *hook_malloc(size_t n)
{
    return counted(__libc_malloc(n));
}
extern "C" void *hook_calloc(size_t n, size_t size)
{
    return counted(__libc_calloc(n, size));
}
extern "C" void *hook_realloc(void *p, size_t n)
{
    void *q = __libc_realloc(p, n);
    blocks += (!p && q) - (p && !q && !n);
    return q;
}
extern "C" void *hook_aligned_alloc(size_t align, size_t n)
{
    return counted(__libc_memalign(align, n));
}
extern "C" void hook_free(void *p)
{
    blocks -= p != NULL;
    __libc_free(p);
}

// --- what a thread does in a turn ----------------------------------------------------------------

__global__ void add(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] += 1;
}

__device__ int deep(int k)
{
    return k ? deep(k - 1) + 1 : 0;
}

__global__ void calls(int *p)
{
    void *own = malloc(64);
    *p = deep(*p & 7);
    free(own);
}

struct room {
    cudaStream_t stream;
    int *device, *host;
};

static void graphs(room r)
{
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaGraphExecUpdateResultInfo info;
    OK(cudaStreamBeginCapture(r.stream, cudaStreamCaptureModeThreadLocal));
    add<<<1, 32, 0, r.stream>>>(r.device, 5);
    OK(cudaMemcpyAsync(r.host, r.device, 40, cudaMemcpyDeviceToHost, r.stream));
    OK(cudaMemsetAsync(r.device, 0, 40, r.stream));
    OK(cudaLaunchHostFunc(r.stream, [](void *) {}, NULL));
    OK(cudaStreamEndCapture(r.stream, &g));
    OK(cudaGraphInstantiate(&x, g, 0));
    OK(cudaGraphLaunch(x, r.stream));
    OK(cudaGraphExecUpdate(x, g, &info));
    OK(cudaGraphLaunch(x, r.stream));
    OK(cudaStreamSynchronize(r.stream));
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphDestroy(g));
}

static void streams(room r)
{
    cudaStream_t s;
    cudaEvent_t e;
    int *p;
    OK(cudaStreamCreate(&s));
    OK(cudaEventCreate(&e));
    add<<<1, 32, 0, s>>>(r.device, 5);
    OK(cudaEventRecord(e, s));
    OK(cudaStreamWaitEvent(r.stream, e));
    OK(cudaMallocAsync(&p, 4096, r.stream));
    add<<<1, 32, 0, r.stream>>>(p, 5);
    OK(cudaFreeAsync(p, r.stream));
    OK(cudaStreamDestroy(s));
    OK(cudaEventDestroy(e));
    OK(cudaStreamSynchronize(r.stream));
}

static void memory(room r)
{
    int *managed, *pinned;
    OK(cudaMallocManaged(&managed, 8192));
    OK(cudaMallocHost(&pinned, 100));
    add<<<1, 32, 0, r.stream>>>(managed, 5);
    calls<<<1, 32, 0, r.stream>>>(r.device);
    OK(cudaStreamSynchronize(r.stream));
    OK(cudaFreeHost(pinned));
    OK(cudaFree(managed));
}

static void textures(room)
{
    cudaArray_t a;
    cudaTextureObject_t t;
    cudaTextureDesc how = {};
    cudaResourceDesc what = {};
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    OK(cudaMallocArray(&a, &format, 32, 32));
    what.resType = cudaResourceTypeArray;
    what.res.array.array = a;
    OK(cudaCreateTextureObject(&t, &what, &how, NULL));
    OK(cudaDestroyTextureObject(t));
    OK(cudaFreeArray(a));
}

static void work(void (*turn)(room))
{
    room r;
    OK(cudaStreamCreateWithFlags(&r.stream, cudaStreamNonBlocking));
    OK(cudaMalloc(&r.device, 4096));
    OK(cudaMallocHost(&r.host, 4096));
    OK(cudaMemset(r.device, 0, 4096));
    for (int k = 0; k < TURNS; k++)
        turn(r);
    OK(cudaStreamDestroy(r.stream));
    OK(cudaFree(r.device));
    OK(cudaFreeHost(r.host));
}

int main()
{
    void (*const kinds[])(room) = {graphs, streams, memory, textures};
    for (int n = 0; n < 4; n++) {
        long before = 0;
        // What is kept for reuse grows at first: as far as all threads at once need it.
        for (int round = 0; round < 4; round++) {
            std::thread threads[THREADS];
            for (std::thread &t : threads)
                t = std::thread(work, kinds[n]);
            for (std::thread &t : threads)
                t.join();
            OK(cudaDeviceSynchronize());
            before = round < 3 ? (long)blocks : before;
        }
        long more = blocks - before;
        if (more >= TURNS) {
            failures++;
            printf("kind %d: %ld blocks more\n", n, more);
        }
    }
    return print_failures();
}
