/* Calls every function of an API with missing arguments: with all arguments valid, with none valid,
 * and then with one invalid argument at a time (a null pointer or handle; a number 0, and the
 * largest number). Prints one line per function with the returned codes, or "crash" or "hang".
 * Valid arguments are made again for each call. A worker process continues until a call crashes or
 * leaves the device unusable; another process then makes the remaining calls. With WITHOUT_CONTEXT,
 * only valid arguments are used, and no context is current. */
#pragma once

#include "say.h"

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cuda.h>
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <tuple>
#include <utility>

static __global__ void nothing() {} /* a kernel to launch */
static __device__ int word[64];     /* a device variable for symbol arguments */

static const char image[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                            ".visible .global .align 4 .b8 table[64];\n"
                            ".visible .entry name()\n{\n ret;\n}\n";

/* Valid arguments of each type. */
static struct {
    void *device, *scratch; /* POINTER_BYTES of device memory; of zeroed host memory */
    const char *call;       /* name of the call, on which the meaning of a pointer depends */
    cudaStream_t stream;
    cudaEvent_t event;
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
    cudaMemPool_t pool;
    cudaArray_t array;
    cudaMipmappedArray_t mipmap;
    cudaLibrary_t library;
    cudaKernel_t kernel;
    cudaFunction_t function;
    CUmodule module;
    CUcontext context;
} g;

static void *driver_call(const char *name)
{
    static void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    return driver ? dlsym(driver, name) : NULL;
}

static const size_t POINTER_BYTES =
    1 << 16; /* bytes of memory that every valid pointer argument refers to */

static void make_valid_arguments(const char *call) /* sets the fields of g for CALL */
{
    g.call = call;
    cudaMalloc(&g.device, POINTER_BYTES);
    g.scratch = calloc(1, POINTER_BYTES);
    cudaStreamCreate(&g.stream);
    cudaEventCreate(&g.event);
    cudaEventRecord(g.event, g.stream);
    cudaGraphCreate(&g.graph, 0);
    cudaGraphAddEmptyNode(&g.node, g.graph, NULL, 0);
    cudaGraphInstantiate(&g.exec, g.graph, 0);
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    cudaMemPoolCreate(&g.pool, &props);
    cudaChannelFormatDesc desc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    cudaMallocArray(&g.array, &desc, 64, 1, 0);
    cudaExtent extent = {64, 64, 0};
    cudaMallocMipmappedArray(&g.mipmap, &desc, extent, 2, 0);
    cudaLibraryLoadData(&g.library, image, NULL, NULL, 0, NULL, NULL, 0);
    cudaLibraryGetKernel(&g.kernel, g.library, "name");
    cudaGetFuncBySymbol(&g.function, (const void *)nothing);
    auto load = (CUresult(*)(CUmodule *, const void *))driver_call("cuModuleLoadData");
    auto current = (CUresult(*)(CUcontext *))driver_call("cuCtxGetCurrent");
    if (load && current) {
        load(&g.module, image);
        current(&g.context);
    }
    cudaStreamSynchronize(g.stream);
    cudaGetLastError();
}

/* End an open stream capture; all other objects stay until the process ends. */
static void end_open_capture()
{
    cudaGraph_t graph = NULL;
    cudaStreamEndCapture(g.stream, &graph);
    cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    cudaThreadExchangeStreamCaptureMode(&mode);
    auto set = (CUresult(*)(CUcontext))driver_call("cuCtxSetCurrent");
    if (set) {
        set(g.context);
    }
    cudaGetLastError();
}

static const void *valid_pointer()
{
    bool function = strstr(g.call, "Func") || strstr(g.call, "Occupancy") ||
                    strstr(g.call, "Launch") || strstr(g.call, "Kernel");
    bool host = strstr(g.call, "Host") || !strncmp(g.call, "cuMemcpy", 8);
    return strstr(g.call, "Symbol") ? (const void *)word
           : function               ? (const void *)nothing
           : strstr(g.call, "Load") ? (const void *)image
           : host                   ? g.scratch
                                    : g.device;
}

static void on_host(void *) {}

template <class T> struct valid_argument {
    static T get()
    {
        if constexpr (std::is_same<T, size_t>::value) {
            return 64;
        } else {
            return T{};
        }
    }
};
template <class T> struct valid_argument<T *> {
    static T *get()
    {
        return (T *)g.scratch;
    }
};
template <class R, class... A> struct valid_argument<R (*)(A...)> {
    static auto get() -> R (*)(A...)
    {
        return (R(*)(A...))on_host;
    }
};
#define VALID_ARGUMENT(type, value)           \
    template <> struct valid_argument<type> { \
        static type get()                     \
        {                                     \
            return (type)(value);             \
        }                                     \
    };
VALID_ARGUMENT(void *, strstr(g.call, "Attribute") || strstr(g.call, "Host") ? g.scratch : g.device)
VALID_ARGUMENT(const void *, valid_pointer())
VALID_ARGUMENT(const char *, strstr(g.call, "Dump") || strstr(g.call, "Dot") ? "/dev/null" : "name")
VALID_ARGUMENT(cudaStream_t, g.stream)
VALID_ARGUMENT(cudaEvent_t, g.event)
VALID_ARGUMENT(cudaGraph_t, g.graph)
VALID_ARGUMENT(cudaGraphNode_t, g.node)
VALID_ARGUMENT(cudaGraphExec_t, g.exec)
VALID_ARGUMENT(cudaMemPool_t, g.pool)
VALID_ARGUMENT(cudaArray_t, g.array)
VALID_ARGUMENT(cudaArray_const_t, g.array)
VALID_ARGUMENT(cudaMipmappedArray_t, g.mipmap)
VALID_ARGUMENT(cudaMipmappedArray_const_t, g.mipmap)
VALID_ARGUMENT(cudaLibrary_t, g.library)
VALID_ARGUMENT(cudaKernel_t, g.kernel)
VALID_ARGUMENT(cudaFunction_t, g.function)
VALID_ARGUMENT(CUarray, g.array)
VALID_ARGUMENT(CUmipmappedArray, g.mipmap)
VALID_ARGUMENT(CUmodule, g.module)
VALID_ARGUMENT(CUcontext, g.context)
/* Types of handles that this file does not create: the only valid handle is NULL. */
#define ONLY_NULL_IS_VALID(type) VALID_ARGUMENT(type, NULL)
ONLY_NULL_IS_VALID(cudaGraphicsResource_t)
ONLY_NULL_IS_VALID(cudaExternalMemory_t)
ONLY_NULL_IS_VALID(cudaExternalSemaphore_t)
ONLY_NULL_IS_VALID(cudaUserObject_t)
ONLY_NULL_IS_VALID(cudaAsyncCallbackHandle_t)
ONLY_NULL_IS_VALID(cudaLogsCallbackHandle)
ONLY_NULL_IS_VALID(CUlinkState)
ONLY_NULL_IS_VALID(CUtexref)
ONLY_NULL_IS_VALID(CUsurfref)
ONLY_NULL_IS_VALID(CUgreenCtx)
ONLY_NULL_IS_VALID(CUdevResourceDesc)
template <> struct valid_argument<dim3> {
    static dim3 get()
    {
        return dim3(1, 1, 1);
    }
};
template <> struct valid_argument<cudaExtent> {
    static cudaExtent get()
    {
        return cudaExtent{64, 1, 1};
    }
};
template <> struct valid_argument<cudaPitchedPtr> {
    static cudaPitchedPtr get()
    {
        return cudaPitchedPtr{g.device, 64, 64, 1};
    }
};
template <> struct valid_argument<cudaMemLocation> {
    static cudaMemLocation get()
    {
        cudaMemLocation at = {};
        at.type = cudaMemLocationTypeDevice;
        return at;
    }
};
#ifdef EVERY_DRIVER_CALL
VALID_ARGUMENT(CUdeviceptr, (uintptr_t)g.device)
#endif

template <class T> struct valid_argument<T const> : valid_argument<T> {
};

template <class T> static constexpr bool has_largest_number()
{
    return std::is_integral<T>::value || std::is_enum<T>::value;
}

/* An invalid argument of type T: 0 or null; with MOST the largest number (all bits but the
 * sign). */
template <class T> static T invalid_argument(bool most)
{
    if constexpr (has_largest_number<T>()) {
        if (most) {
            return (T)(std::is_enum<T>::value ? (unsigned long long)0x7fffff : ~0ull);
        }
    }
    T zero;
    memset((void *)&zero, 0, sizeof zero);
    return zero;
}

/* The progress of a worker process, for the process that continues after a crash. */
struct worker_progress {
    size_t call; /* index of the call */
    int begun;   /* number of variants of the call begun */
};
static worker_progress *at;    /* the progress, in memory shared with the worker processes */
static const int UNUSABLE = 7; /* exit status of a worker: a new process must continue */

template <class R, class... A, size_t... I>
static void one_call(const char *name, R (*call)(A...), std::index_sequence<I...>)
{
    int v = 0;
    auto run = [&](const char *what, int bad_one, bool most) {
        if (v++ < at->begun) {
            return;
        }
        at->begun = v;
        make_valid_arguments(name);
#ifdef WITHOUT_CONTEXT
        ((CUresult(*)(CUcontext))driver_call("cuCtxSetCurrent"))(NULL);
#endif
        printf(" %s", what);
        if (bad_one >= 0) {
            printf("%d", bad_one + 1);
        }
        printf("=");
        fflush(stdout);
        R r = call(((bad_one == (int)I || bad_one == -2) ? invalid_argument<A>(most)
                                                         : valid_argument<A>::get())...);
        printf("%d", (int)r);
        fflush(stdout);
        end_open_capture();
        if (cudaDeviceSynchronize()) {
            _exit(UNUSABLE);
        }
    };
    run("fine", -1, false);
#ifdef WITHOUT_CONTEXT
    return;
#endif
    run("none", -2, false);
    const bool numbers[] = {has_largest_number<A>()..., false};
    for (int k = 0; k < (int)sizeof...(A); k++) {
        run("null", k, false);
        if (numbers[k]) {
            run("most", k, true);
        }
    }
}

/* Make CALL with every combination of arguments. */
template <class R, class... A> static void every(const char *name, R (*call)(A...))
{
    one_call(name, call, std::index_sequence_for<A...>{});
}

struct api_call {     /* a call of the API */
    const char *name; /* name of the call */
    void (*run)();    /* makes the call with all combinations of arguments */
};

/* Make the calls from at->call up to END and write one line each, in as many processes as
 * needed. */
static void write_lines_of_calls(const api_call *calls, size_t end, FILE *out)
{
    while (at->call < end) {
        pid_t child = fork();
        if (!child) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            dup2(fileno(out), 1);
            for (; at->call < end; at->call++, at->begun = 0) {
                alarm(12);
                if (!at->begun) {
                    printf("%s\t", calls[at->call].name);
                    fflush(stdout);
                }
                calls[at->call].run();
                printf("\n");
                fflush(stdout);
            }
            _exit(0);
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (WIFSIGNALED(status)) {
            fprintf(out, WTERMSIG(status) == SIGALRM ? "hang" : "crash");
            fflush(out);
        }
    }
}

static const size_t WORKERS = 8;
static const int SECONDS = 68; /* time limit in seconds: calls not made by then are left out */

static void on_time_limit(int) {}

static int run_every(const api_call *calls, size_t n)
{
    FILE *out[WORKERS];
    pid_t worker[WORKERS];
    for (size_t w = 0; w < WORKERS; w++) {
        out[w] = tmpfile();
        worker[w] = fork();
        if (!worker[w]) {
            at = (worker_progress *)mmap(NULL, sizeof *at, PROT_READ | PROT_WRITE,
                                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
            *at = {n * w / WORKERS, 0};
            write_lines_of_calls(calls, n * (w + 1) / WORKERS, out[w]);
            _exit(0);
        }
    }
    struct sigaction late = {};
    late.sa_handler = on_time_limit; /* the signal interrupts the wait */
    sigaction(SIGALRM, &late, NULL);
    alarm(SECONDS);
    while (wait(NULL) > 0) {
    }
    for (pid_t w : worker) {
        kill(w, SIGKILL);
    }
    for (FILE *f : out) {
        rewind(f);
        for (int c; (c = getc(f)) != EOF;) {
            putchar(c);
        }
    }
    return 0;
}
