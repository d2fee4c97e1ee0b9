/* What stays of a kernel that fails: what each kind of call returns after it, and what a reset of
 * the device gives back. Each kind of failure in a process of its own. */
#include "say.h"

#include <cassert>

#define TELL(what, call)                                             \
    do {                                                             \
        cudaError_t told_ = (call);                                  \
        cudaGetLastError();                                          \
        printf("%s: %s\t%s\n", kind, what, cudaGetErrorName(told_)); \
        fflush(stdout);                                              \
    } while (0)

__global__ void set(int *p, long at)
{
    *(int *)((char *)p + at) = 1;
}
__global__ void require(const int *p)
{
    assert(threadIdx.x == 0 || !p);
}
__global__ void stop()
{
    __trap();
}
__global__ void say_and_set(int *p, long at)
{
    printf("before it\n");
    *(int *)((char *)p + at) = 1;
    printf("after it\n");
}

static const char *kind; /* of failure */
static int *d, h;
static cudaStream_t s;
static cudaEvent_t e;

static void begin(const char *of)
{
    kind = of;
    TELL("malloc", cudaMalloc(&d, 256));
    TELL("stream", cudaStreamCreate(&s));
    TELL("event", cudaEventCreate(&e));
    TELL("record", cudaEventRecord(e, s));
    set<<<1, 1>>>(d, 0);
    TELL("a good launch", cudaGetLastError());
    TELL("synchronize", cudaDeviceSynchronize());
}

/* A launch was accepted and has failed, or was refused. */
static void what_stays()
{
    cudaError_t launch = cudaGetLastError();
    TELL("the launch", launch);
    TELL("then synchronize", cudaDeviceSynchronize());
    TELL("synchronize again", cudaDeviceSynchronize());
    cudaDeviceSynchronize();
    TELL("peek", cudaPeekAtLastError());
    cudaDeviceSynchronize();
    TELL("get", cudaGetLastError());
    TELL("get again", cudaGetLastError());
    TELL("count of devices", cudaGetDeviceCount(&h));
    TELL("set device", cudaSetDevice(0));
    TELL("an attribute", cudaDeviceGetAttribute(&h, cudaDevAttrWarpSize, 0));
    TELL("malloc", cudaMalloc(&d, 256));
    TELL("host memory", cudaMallocHost((void **)&d, 256));
    TELL("copy", cudaMemcpy(&h, d, 4, cudaMemcpyDefault));
    TELL("set memory", cudaMemset(d, 0, 4));
    set<<<1, 1>>>(d, 0);
    TELL("launch", cudaGetLastError());
    TELL("stream query", cudaStreamQuery(s));
    TELL("event query", cudaEventQuery(e));
    TELL("record", cudaEventRecord(e, s));
    TELL("event destroy", cudaEventDestroy(e));
    TELL("stream destroy", cudaStreamDestroy(s));
    TELL("a new stream", cudaStreamCreate(&s));
    TELL("free", cudaFree(d));
    TELL("free nothing", cudaFree(NULL));
}

static void what_a_reset_gives()
{
    TELL("reset", cudaDeviceReset());
    TELL("after it: get", cudaGetLastError());
    TELL("after it: malloc", cudaMalloc(&d, 256));
    set<<<1, 1>>>(d, 0);
    TELL("after it: launch", cudaGetLastError());
    TELL("after it: synchronize", cudaDeviceSynchronize());
    h = 0;
    TELL("after it: copy", cudaMemcpy(&h, d, 4, cudaMemcpyDefault));
    printf("%s: after it: word\t%d\n", kind, h);
    TELL("reset again", cudaDeviceReset());
}

#define FAILURE(name, launch) \
    static void name()        \
    {                         \
        begin(#name);         \
        launch;               \
        what_stays();         \
        what_a_reset_gives(); \
    }
FAILURE(block_too_large, (set<<<1, 2048>>>(d, 0)))
FAILURE(bad_address, (set<<<1, 1>>>(d, 1L << 42)))
FAILURE(null_pointer, (set<<<1, 1>>>(NULL, 0)))
FAILURE(misaligned, (set<<<1, 1>>>(d, 2)))
FAILURE(failed_assert, (require<<<1, 32>>>(d)))
FAILURE(trap, (stop<<<1, 1>>>()))
FAILURE(prints_and_fails, (say_and_set<<<1, 1>>>(d, 1L << 42)))

/* Nobody waits: the next call of another kind tells. */
static void told_by_a_copy()
{
    begin("told_by_a_copy");
    set<<<1, 1>>>(d, 1L << 42);
    TELL("the launch", cudaGetLastError());
    TELL("a copy", cudaMemcpy(&h, d, 4, cudaMemcpyDefault));
}
static void told_by_free()
{
    begin("told_by_free");
    set<<<1, 1>>>(d, 1L << 42);
    TELL("the launch", cudaGetLastError());
    TELL("free", cudaFree(d));
}
static void told_by_an_event()
{
    begin("told_by_an_event");
    set<<<1, 1, 0, s>>>(d, 1L << 42);
    TELL("the launch", cudaGetLastError());
    TELL("record", cudaEventRecord(e, s));
    TELL("wait for it", cudaEventSynchronize(e));
}
/* A reset without a wait before it. */
static void reset_at_once()
{
    begin("reset_at_once");
    set<<<1, 1>>>(d, 1L << 42);
    TELL("the launch", cudaGetLastError());
    what_a_reset_gives();
}
static void failed_then_exits()
{
    begin("failed_then_exits");
    set<<<1, 1>>>(d, 1L << 42);
    TELL("synchronize", cudaDeviceSynchronize());
    exit(7);
}

int main(int argc, char **argv)
{
    static const section all[] = {
        {"block too large", block_too_large},   {"bad address", bad_address},
        {"null pointer", null_pointer},         {"misaligned", misaligned},
        {"failed assert", failed_assert},       {"trap", trap},
        {"prints and fails", prints_and_fails}, {"told by a copy", told_by_a_copy},
        {"told by free", told_by_free},         {"told by an event", told_by_an_event},
        {"reset at once", reset_at_once},       {"failed, then exits", failed_then_exits}};
    return run_sections(all, sizeof all / sizeof *all, argc, argv);
}
