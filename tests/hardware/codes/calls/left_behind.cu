/* What becomes of operations that nobody waited for when a program ends: what it prints, what is in
 * memory that outlives it, and how it ends. */
#include "say.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>
#include <vector>

static volatile int *shared; /* with the parent: survives the process */

__global__ void say_hello(int n)
{
    printf("hello from %d of launch %d\n", threadIdx.x, n);
}
__global__ void write_late(volatile int *out, long long clocks, int value)
{
    for (long long t = clock64(); clock64() - t < clocks;) {
    }
    *out = value;
}
__global__ void say_late(long long clocks)
{
    for (long long t = clock64(); clock64() - t < clocks;) {
    }
    printf("late hello\n");
}
__global__ void fails(int *p)
{
    *p = 1;
}

static volatile int *mapped()
{
    void *at = NULL;
    cudaHostRegister((void *)shared, 4096, cudaHostRegisterMapped);
    cudaHostGetDevicePointer(&at, (void *)shared, 0);
    return (volatile int *)at;
}

static void on_host(void *n)
{
    shared[(intptr_t)n] = 7;
}

static const long long LONG = 400000000; /* clocks: some 0.2 s on an H200 */

static void returns()
{
    say_hello<<<1, 2>>>(1);
}
static void exits()
{
    say_hello<<<1, 2>>>(1);
    exit(3);
}
static void quick_exits()
{
    say_hello<<<1, 2>>>(1);
    fflush(stdout);
    quick_exit(4);
}
static void leaves()
{
    say_hello<<<1, 2>>>(1);
    _exit(5);
}
static void aborts()
{
    say_hello<<<1, 2>>>(1);
    abort();
}
static void sleeps()
{
    say_hello<<<1, 2>>>(1);
    usleep(1000000);
}
static void sleeps_and_leaves()
{
    say_hello<<<1, 2>>>(1);
    usleep(1000000);
    _exit(5);
}
static void two_streams()
{
    cudaStream_t s;
    cudaStreamCreate(&s);
    say_hello<<<1, 1, 0, s>>>(1);
    say_hello<<<1, 1>>>(2);
}
static void queried()
{
    say_hello<<<1, 2>>>(1);
    while (cudaStreamQuery(0) == cudaErrorNotReady) {
    }
}
static void event_waited()
{
    cudaEvent_t e;
    cudaEventCreate(&e);
    say_hello<<<1, 2>>>(1);
    cudaEventRecord(e);
    cudaEventSynchronize(e);
    puts("after the event");
}
static void stream_destroyed()
{
    cudaStream_t s;
    cudaStreamCreate(&s);
    say_hello<<<1, 2, 0, s>>>(1);
    SAY("destroy", cudaStreamDestroy(s));
}
static void reset()
{
    say_hello<<<1, 2>>>(1);
    SAY("reset", cudaDeviceReset());
}
static void freed()
{
    int *p;
    cudaMalloc(&p, 4);
    say_hello<<<1, 2>>>(1);
    SAY("free", cudaFree(p));
}
static void slow_print()
{
    say_late<<<1, 1>>>(LONG);
}
static void slow_write()
{
    volatile int *m = mapped();
    write_late<<<1, 1>>>(m, LONG, 5);
}
static void slow_writes()
{
    volatile int *m = mapped();
    write_late<<<1, 1>>>(m, LONG, 5);
    write_late<<<1, 1>>>(m + 1, 0, 6);
}
static void quick_write()
{
    volatile int *m = mapped();
    write_late<<<1, 1>>>(m, 0, 5);
}
static void quick_writes_two_streams()
{
    volatile int *m = mapped();
    cudaStream_t s, t;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    write_late<<<1, 1, 0, s>>>(m, LONG, 5);
    write_late<<<1, 1, 0, t>>>(m + 1, LONG, 6);
}
static void host_function()
{
    cudaLaunchHostFunc(0, on_host, NULL);
}
static void host_function_behind()
{
    volatile int *m = mapped();
    write_late<<<1, 1>>>(m + 1, LONG, 5);
    cudaLaunchHostFunc(0, on_host, NULL);
}
static void copy()
{
    int *p, seven = 7;
    cudaMalloc(&p, 4);
    cudaMemcpy(p, &seven, 4, cudaMemcpyHostToDevice);
    mapped();
    cudaMemcpyAsync((void *)shared, p, 4, cudaMemcpyDeviceToHost);
}
static void copy_behind()
{
    int *p, seven = 7;
    cudaMalloc(&p, 4);
    cudaMemcpy(p, &seven, 4, cudaMemcpyHostToDevice);
    volatile int *m = mapped();
    write_late<<<1, 1>>>(m + 1, LONG, 5);
    cudaMemcpyAsync((void *)shared, p, 4, cudaMemcpyDeviceToHost);
}
static void graph()
{
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaGraph_t g;
    cudaGraphExec_t e;
    volatile int *m = mapped();
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    write_late<<<1, 1, 0, s>>>(m, LONG, 5);
    write_late<<<1, 1, 0, s>>>(m + 1, 0, 6);
    say_hello<<<1, 2, 0, s>>>(1);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&e, g, 0);
    cudaGraphLaunch(e, s);
}
static void fault()
{
    fails<<<1, 1>>>((int *)16);
}
static void fault_after_print()
{
    say_hello<<<1, 2>>>(1);
    fails<<<1, 1>>>((int *)16);
    say_hello<<<1, 2>>>(2);
}
static void on_a_thread()
{
    pthread_t t;
    pthread_create(
        &t, NULL,
        [](void *) -> void * {
            say_hello<<<1, 2>>>(1);
            return NULL;
        },
        NULL);
    pthread_join(t, NULL);
}
static void at_exit()
{
    cudaFree(0);
    atexit([] { SAY("sync in atexit", cudaDeviceSynchronize()); });
    say_hello<<<1, 2>>>(1);
}
static void before_cuda()
{
    atexit([] { SAY("sync in an atexit of before", cudaDeviceSynchronize()); });
    say_hello<<<1, 2>>>(1);
}
struct late {
    ~late()
    {
        SAY("sync in a destructor", cudaDeviceSynchronize());
    }
};
static void destructor()
{
    static late l;
    say_hello<<<1, 2>>>(1);
}

static const section sections[] = {
    {"returns", returns},
    {"exits", exits},
    {"quick_exits", quick_exits},
    {"leaves", leaves},
    {"aborts", aborts},
    {"sleeps", sleeps},
    {"sleeps_and_leaves", sleeps_and_leaves},
    {"two_streams", two_streams},
    {"queried", queried},
    {"event_waited", event_waited},
    {"stream_destroyed", stream_destroyed},
    {"reset", reset},
    {"freed", freed},
    {"slow_print", slow_print},
    {"slow_write", slow_write},
    {"slow_writes", slow_writes},
    {"quick_write", quick_write},
    {"quick_writes_two_streams", quick_writes_two_streams},
    {"host_function", host_function},
    {"host_function_behind", host_function_behind},
    {"copy", copy},
    {"copy_behind", copy_behind},
    {"graph", graph},
    {"fault", fault},
    {"fault_after_print", fault_after_print},
    {"on_a_thread", on_a_thread},
    {"at_exit", at_exit},
    {"before_cuda", before_cuda},
    {"destructor", destructor},
};

/* Each section in a process of its own; then what it left in the memory shared with it. */
int main(int argc, char **argv)
{
    if (argc > 2) {
        shared =
            (volatile int *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, atoi(argv[2]), 0);
        return run_sections(sections, sizeof sections / sizeof *sections, argc, argv);
    }
    int file = memfd_create("shared", 0);
    if (ftruncate(file, 4096)) {
        return 1;
    }
    shared = (volatile int *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    char number[16];
    snprintf(number, sizeof number, "%d", file);
    for (const section &one : sections) {
        shared[0] = shared[1] = -1;
        int out[2];
        if (pipe(out)) {
            return 1;
        }
        struct timespec from, to;
        clock_gettime(CLOCK_MONOTONIC, &from);
        pid_t child = fork();
        if (!child) {
            dup2(out[1], 1);
            dup2(out[1], 2);
            close(out[0]);
            close(out[1]);
            alarm(60);
            execl("/proc/self/exe", argv[0], one.name, number, (char *)NULL);
            _exit(127);
        }
        close(out[1]);
        printf("%s prints\t", one.name);
        FILE *f = fdopen(out[0], "r");
        for (int c; (c = getc(f)) != EOF;) {
            c == '\n' ? printf("\\n") : putchar(c == '\t' ? ' ' : c);
        }
        fclose(f);
        int status = 0;
        waitpid(child, &status, 0);
        clock_gettime(CLOCK_MONOTONIC, &to);
        if (getenv("LEFT_BEHIND_TIMES")) {
            fprintf(stderr, "%s took %.3f s\n", one.name,
                    to.tv_sec - from.tv_sec + 1e-9 * (to.tv_nsec - from.tv_nsec));
        }
        printf("\n%s ends with\t%s %d\n", one.name, WIFSIGNALED(status) ? "signal" : "status",
               WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        printf("%s leaves\t%d %d\n", one.name, shared[0], shared[1]);
        fflush(stdout);
    }
    return 0;
}
