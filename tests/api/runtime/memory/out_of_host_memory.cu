// toolkit: 13
// own heap
// flags: -Xcompiler -rdynamic -ldl
// stderr: out of memory
// Each allocation that the library makes fails once, in a process of its own: the call says
// cudaErrorMemoryAllocation, works when it is made again, and the results are right.

#include "check.h"

#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <sys/wait.h>
#include <unistd.h>

// --- what the library allocates comes through here --------------------------------------------

extern "C" void *__libc_malloc(size_t);
extern "C" void *__libc_calloc(size_t, size_t);
extern "C" void *__libc_realloc(void *, size_t);

static uintptr_t library_begin, library_end;
static long countdown; // 0: nothing fails
static bool fired;

static bool fails(const void *caller)
{
    uintptr_t at = (uintptr_t)caller;
    if (!countdown || at < library_begin || at >= library_end || --countdown) {
        return false;
    }
    fired = true;
    return true;
}

// Under other names: nvcc has declarations of its own for these.
extern "C" void *hook_malloc(size_t n) __asm__("malloc");
extern "C" void *hook_calloc(size_t n, size_t size) __asm__("calloc");
extern "C" void *hook_realloc(void *p, size_t n) __asm__("realloc");
extern "C" char *hook_strdup(const char *s) __asm__("strdup");

extern "C" void *hook_malloc(size_t n)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(n);
}
extern "C" void *hook_calloc(size_t n, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}
extern "C" void *hook_realloc(void *p, size_t n)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(p, n);
}
extern "C" char *hook_strdup(const char *s)
{
    size_t n = strlen(s) + 1;
    void *p = fails(__builtin_return_address(0)) ? NULL : __libc_malloc(n);
    return p ? (char *)memcpy(p, s, n) : NULL;
}

static int find_library(struct dl_phdr_info *info, size_t, void *)
{
    if (!strstr(info->dlpi_name, "libcudart")) {
        return 0;
    }
    library_begin = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t end = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
        library_end = end > library_end ? end : library_end;
    }
    return 1;
}

// --- a program that uses a bit of everything --------------------------------------------------

__device__ int word = 3;
__constant__ int factor[2] = {5, 7};

__global__ void scale(int *p, int n)
{
    __shared__ int part[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? p[i] : 0;
    __syncthreads();
    if (i < n) {
        p[i] = part[threadIdx.x] * factor[i % 2] + word;
    }
}

static void CUDART_CB noted(void *data)
{
    ++*(int *)data;
}

static bool lost;

// EXPR, again where memory was out the first time.
#define TRY(expr)                                                                               \
    do {                                                                                        \
        fired = false;                                                                          \
        cudaError_t e_ = lost ? cudaSuccess : (expr);                                           \
        if (e_ && fired) {                                                                      \
            if (e_ != cudaErrorMemoryAllocation) {                                              \
                failures++;                                                                     \
                printf("%s:%d: %s gave %s\n", __FILE__, __LINE__, #expr, cudaGetErrorName(e_)); \
            }                                                                                   \
            cudaGetLastError();                                                                 \
            if (cudaFree(NULL)) { /* a kernel could not run: as after any fault of a kernel */  \
                cudaGetLastError();                                                             \
                lost = true;                                                                    \
            } else {                                                                            \
                e_ = (expr);                                                                    \
            }                                                                                   \
        }                                                                                       \
        if (e_ && !lost) {                                                                      \
            failures++;                                                                         \
            printf("%s:%d: %s gave %s in the end\n", __FILE__, __LINE__, #expr,                 \
                   cudaGetErrorName(e_));                                                       \
        }                                                                                       \
    } while (0)

static cudaError_t launch(int *d, int n, cudaStream_t s)
{
    scale<<<4, 64, 0, s>>>(d, n);
    return cudaGetLastError();
}

static cudaError_t capture(int *d, int n, cudaStream_t s, cudaGraph_t *g)
{
    cudaError_t e = cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    if (e) {
        return e;
    }
    e = launch(d, n, s);
    cudaError_t set = cudaMemsetAsync(d + n, 0, 4, s);
    e = e ? e : set;
    cudaError_t end = cudaStreamEndCapture(s, g);
    return e ? e : end;
}

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .global .align 4 .b8 table[16];\n"
                          ".visible .entry first()\n{\n ret;\n}\n";

static void everything()
{
    const int n = 200;
    static int h[n + 1], back[n + 1];
    int *d = NULL, *pool = NULL, *pinned = NULL, *managed = NULL, calls = 0;
    cudaStream_t s = NULL;
    cudaEvent_t e = NULL;
    cudaGraph_t g = NULL, built = NULL;
    cudaGraphExec_t exec = NULL, exec2 = NULL;
    cudaGraphNode_t node, second;
    cudaLibrary_t lib = NULL;
    cudaKernel_t kernel;
    cudaArray_t array = NULL;
    cudaTextureObject_t texture = 0;
    void *at;
    size_t size;
    for (int i = 0; i < n; i++) {
        h[i] = i;
    }
    TRY(cudaMalloc(&d, sizeof h));
    TRY(cudaMallocHost(&pinned, 64));
    TRY(cudaMallocManaged(&managed, 64));
    TRY(cudaStreamCreate(&s));
    TRY(cudaEventCreate(&e));
    TRY(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    TRY(cudaMemcpyAsync(d, h, sizeof h, cudaMemcpyHostToDevice, s));
    TRY(launch(d, n, s));
    TRY(cudaEventRecord(e, s));
    TRY(cudaStreamWaitEvent(0, e, 0));
    TRY(cudaLaunchHostFunc(s, noted, &calls));
    TRY(cudaStreamSynchronize(s));
    TRY(cudaMemcpy(back, d, sizeof back, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n && !lost; i++) {
        CHECK(back[i] == i * (i % 2 ? 7 : 5) + 3);
    }
    CHECK(calls == 1 || lost);
    TRY(cudaMallocAsync((void **)&pool, 1024, s));
    TRY(cudaMemsetAsync(pool, 1, 1024, s));
    TRY(cudaFreeAsync(pool, s));
    TRY(cudaMemAdvise(managed, 64, cudaMemAdviseSetReadMostly, {cudaMemLocationTypeDevice, 0}));

    TRY(capture(d, n, s, &g));
    TRY(cudaGraphInstantiate(&exec, g, 0));
    TRY(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    TRY(cudaGraphLaunch(exec, s));
    TRY(cudaStreamSynchronize(s));
    TRY(cudaMemcpy(back, d, sizeof back, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n && !lost; i++) {
        CHECK(back[i] == i * (i % 2 ? 7 : 5) + 3);
    }
    TRY(cudaGraphCreate(&built, 0));
    TRY(cudaGraphAddMemcpyNode1D(&node, built, NULL, 0, d, h, 64, cudaMemcpyHostToDevice));
    TRY(cudaGraphAddChildGraphNode(&second, built, &node, 1, g));
    TRY(cudaGraphInstantiate(&exec2, built, 0));
    TRY(cudaGraphLaunch(exec2, s));
    TRY(cudaDeviceSynchronize());

    TRY(cudaLibraryLoadData(&lib, ptx, NULL, NULL, 0, NULL, NULL, 0));
    TRY(cudaLibraryGetKernel(&kernel, lib, "first"));
    TRY(cudaLibraryGetGlobal(&at, &size, lib, "table"));
    TRY(cudaLaunchKernel((const void *)kernel, dim3(1), dim3(1), NULL, 0, s));
    TRY(cudaStreamSynchronize(s));
    TRY(cudaLibraryUnload(lib));

    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    TRY(cudaMallocArray(&array, &desc, 16, 16));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how = {};
    TRY(cudaCreateTextureObject(&texture, &resource, &how, NULL));
    TRY(cudaDestroyTextureObject(texture));
    TRY(cudaFreeArray(array));
    TRY(cudaGraphExecDestroy(exec));
    TRY(cudaGraphExecDestroy(exec2));
    TRY(cudaGraphDestroy(g));
    TRY(cudaGraphDestroy(built));
    TRY(cudaFree(d));
    TRY(cudaDeviceReset());
}

int main()
{
    dl_iterate_phdr(find_library, NULL);
    CHECK(library_begin != 0);
    long n = 1;
    for (int status = 0; !failures; n++) {
        fflush(stdout);
        pid_t child = fork();
        if (!child) {
            alarm(60);
            countdown = n;
            everything();
            if (failures) {
                printf("allocation %ld\n", n);
            }
            fflush(stdout);
            _exit(failures ? 1 : countdown ? 42 : 0);
        }
        waitpid(child, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 42) {
            break; // there are not so many
        }
        if (!WIFEXITED(status) || WEXITSTATUS(status)) {
            printf("allocation %ld: ended with %s %d\n", n,
                   WIFSIGNALED(status) ? "signal" : "status",
                   WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
            failures++;
        }
    }
    printf("%ld allocations failed\n", n - 1);
    CHECK(n > 200);
    return print_failures();
}
