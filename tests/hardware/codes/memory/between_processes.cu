// alone: it starts itself
// Device memory and events that one process hands to another: what each right and wrong use
// returns, and what the other process sees.
#include "say.h"

#define TRY(call) SAY(in(#call), call)

static const char *who;
static const char *in(const char *call)
{
    static char text[300];
    snprintf(text, sizeof text, "%s: %s", who, call);
    return text;
}

__device__ int symbol[64];
static char h[256];

/* What the processes tell each other, by two pipes. */
static int from, to;
template <typename T> static void tell(const T &what)
{
    fflush(stdout);
    if (write(to, &what, sizeof what) != (ssize_t)sizeof what)
        _exit(3);
}
template <typename T> static T hear()
{
    T what;
    if (read(from, &what, sizeof what) != (ssize_t)sizeof what)
        _exit(4);
    return what;
}
/* Start this program as the process PART. */
static void start(const char *part)
{
    int there[2], back[2];
    char arg[2][16];
    if (pipe(there) || pipe(back))
        _exit(5);
    if (!fork()) {
        alarm(50);
        snprintf(arg[0], 16, "%d", there[0]);
        snprintf(arg[1], 16, "%d", back[1]);
        close(there[1]);
        close(back[0]);
        execl("/proc/self/exe", "other", part, arg[0], arg[1], (char *)NULL);
        _exit(127);
    }
    close(there[0]);
    close(back[1]);
    to = there[1];
    from = back[0];
}

static void handles()
{
    who = "own";
    char *d, *inside, *managed, *pool, *host;
    int *s;
    cudaIpcMemHandle_t one, two;
    TRY(cudaMalloc(&d, 3 << 20));
    TRY(cudaMalloc(&inside, 256));
    TRY(cudaMallocManaged(&managed, 256));
    TRY(cudaMallocAsync(&pool, 256, 0));
    TRY(cudaMallocHost(&host, 256));
    TRY(cudaGetSymbolAddress((void **)&s, symbol));
    TRY(cudaIpcGetMemHandle(&one, d));
    TRY(cudaIpcGetMemHandle(&two, d));
    SHOW("own: the same handle twice", "%d", !memcmp(&one, &two, sizeof one));
    TRY(cudaIpcGetMemHandle(&two, d + 256));
    SHOW("own: the same handle from inside", "%d", !memcmp(&one, &two, sizeof one));
    TRY(cudaIpcGetMemHandle(&two, inside));
    TRY(cudaIpcGetMemHandle(&two, managed));
    TRY(cudaIpcGetMemHandle(&two, pool));
    TRY(cudaIpcGetMemHandle(&two, host));
    TRY(cudaIpcGetMemHandle(&two, s));
    TRY(cudaIpcGetMemHandle(&two, h));
    TRY(cudaIpcGetMemHandle(&two, NULL));
    TRY(cudaIpcGetMemHandle(&two, d + (3 << 20)));
    void *p = NULL;
    TRY(cudaIpcOpenMemHandle(&p, one, cudaIpcMemLazyEnablePeerAccess));
    TRY(cudaIpcOpenMemHandle(&p, one, 0));
    TRY(cudaIpcCloseMemHandle(d));
    TRY(cudaFree(d));
    TRY(cudaIpcGetMemHandle(&two, d));
    TRY(cudaIpcOpenMemHandle(&p, one, cudaIpcMemLazyEnablePeerAccess));
    cudaEvent_t plain, timed, event, opened;
    cudaIpcEventHandle_t e;
    TRY(cudaEventCreate(&plain));
    TRY(cudaEventCreateWithFlags(&timed, cudaEventInterprocess));
    TRY(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming));
    TRY(cudaIpcGetEventHandle(&e, plain));
    TRY(cudaIpcGetEventHandle(&e, NULL));
    TRY(cudaIpcGetEventHandle(&e, event));
    TRY(cudaIpcOpenEventHandle(NULL, e));
    TRY(cudaIpcOpenEventHandle(&opened, e));
    TRY(cudaEventDestroy(event));
    TRY(cudaIpcOpenEventHandle(&opened, e));
}

static void owner()
{
    start("reader");
    who = "owner";
    char *d, *small;
    cudaIpcMemHandle_t handle;
    TRY(cudaMalloc(&d, 3 << 20));
    TRY(cudaMalloc(&small, 512));
    TRY(cudaMemset(d, 1, 3 << 20));
    TRY(cudaMemset(small, 2, 512));
    TRY(cudaIpcGetMemHandle(&handle, d));
    tell(handle);
    TRY(cudaIpcGetMemHandle(&handle, small + 256));
    tell(handle);
    hear<int>(); /* the reader has written */
    TRY(cudaMemcpy(h, d, 2, cudaMemcpyDefault));
    SHOW("owner: what the reader wrote", "%d %d", h[0], h[1]);
    TRY(cudaMemset(d, 8, 16));
    TRY(cudaDeviceSynchronize());
    tell(1);
    hear<int>(); /* the reader has seen it, and closed */
    TRY(cudaFree(d));
    tell(1);
    hear<int>();
    TRY(cudaMalloc(&d, 256));
    TRY(cudaMemset(d, 6, 256));
    TRY(cudaIpcGetMemHandle(&handle, d));
    tell(handle);
    hear<int>(); /* the reader has opened it */
    TRY(cudaFree(d));
    TRY(cudaDeviceSynchronize());
    tell(1);
    hear<int>();
    wait(NULL);
}
static void reader()
{
    who = "reader";
    const auto lazy = cudaIpcMemLazyEnablePeerAccess;
    cudaIpcMemHandle_t handle = hear<cudaIpcMemHandle_t>(), small = hear<cudaIpcMemHandle_t>(),
                       bad = handle;
    char *p = NULL, *q = NULL, *s = NULL;
    TRY(cudaIpcOpenMemHandle((void **)&p, handle, 0));
    TRY(cudaIpcOpenMemHandle((void **)&p, handle, 2));
    TRY(cudaIpcOpenMemHandle(NULL, handle, lazy));
    TRY(cudaIpcOpenMemHandle((void **)&p, handle, lazy));
    TRY(cudaIpcOpenMemHandle((void **)&q, handle, lazy));
    SHOW("reader: the same address twice", "%d", p == q);
    TRY(cudaIpcOpenMemHandle((void **)&s, small, lazy));
    TRY(cudaMemcpy(h, s, 1, cudaMemcpyDefault));
    SHOW("reader: where a handle from inside leads", "%d", h[0]);
    for (int &word : (int(&)[16])bad)
        word ^= 0x5a5a5a5a;
    TRY(cudaIpcOpenMemHandle((void **)&q, bad, lazy));
    TRY(cudaMemcpy(h, p, 4, cudaMemcpyDefault));
    SHOW("reader: what the owner wrote", "%d", h[3]);
    cudaPointerAttributes a;
    TRY(cudaPointerGetAttributes(&a, p));
    SHOW("reader: attributes", "%d %d", a.type, a.device);
    TRY(cudaMemcpy(h, p + (3 << 20) - 1, 1, cudaMemcpyDefault));
    TRY(cudaIpcGetMemHandle(&bad, p));
    TRY(cudaFree(p));
    TRY(cudaMemset(p, 7, 1));
    TRY(cudaDeviceSynchronize());
    tell(1);
    hear<int>();
    TRY(cudaMemcpy(h, p, 4, cudaMemcpyDefault));
    SHOW("reader: what the owner wrote then", "%d", h[3]);
    TRY(cudaIpcCloseMemHandle(p + 1));
    TRY(cudaIpcCloseMemHandle(p));
    TRY(cudaMemcpy(h, p, 4, cudaMemcpyDefault));
    TRY(cudaIpcCloseMemHandle(p));
    TRY(cudaIpcCloseMemHandle(p));
    TRY(cudaIpcCloseMemHandle(s));
    tell(1);
    hear<int>(); /* the owner has freed it */
    TRY(cudaIpcOpenMemHandle((void **)&p, handle, lazy));
    tell(1);
    handle = hear<cudaIpcMemHandle_t>();
    TRY(cudaIpcOpenMemHandle((void **)&p, handle, lazy));
    tell(1);
    hear<int>(); /* the owner has freed what is open here */
    TRY(cudaMemcpy(h, p, 4, cudaMemcpyDefault));
    SHOW("reader: what is freed there", "%d", h[3]);
    TRY(cudaIpcCloseMemHandle(p));
    tell(1);
}

static void recorder()
{
    start("waiter");
    who = "recorder";
    cudaEvent_t event;
    cudaIpcEventHandle_t handle;
    TRY(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming));
    TRY(cudaIpcGetEventHandle(&handle, event));
    tell(handle);
    hear<int>();
    TRY(cudaEventRecord(event));
    TRY(cudaDeviceSynchronize());
    tell(1);
    hear<int>(); /* the waiter has recorded it */
    TRY(cudaEventQuery(event));
    TRY(cudaEventDestroy(event));
    tell(1);
    hear<int>();
    wait(NULL);
}
static void waiter()
{
    who = "waiter";
    cudaIpcEventHandle_t handle = hear<cudaIpcEventHandle_t>();
    cudaEvent_t e, other;
    float ms;
    TRY(cudaIpcOpenEventHandle(&e, handle));
    TRY(cudaIpcOpenEventHandle(&other, handle));
    SHOW("waiter: another handle", "%d", e != other);
    TRY(cudaEventQuery(e));
    TRY(cudaEventSynchronize(e));
    tell(1);
    hear<int>();
    TRY(cudaEventQuery(e));
    TRY(cudaStreamWaitEvent(0, e, 0));
    TRY(cudaEventSynchronize(e));
    TRY(cudaEventElapsedTime(&ms, e, e));
    TRY(cudaIpcGetEventHandle(&handle, e));
    TRY(cudaEventRecord(e));
    TRY(cudaDeviceSynchronize());
    tell(1);
    hear<int>(); /* the recorder has destroyed it */
    TRY(cudaEventQuery(e));
    TRY(cudaEventDestroy(e));
    TRY(cudaEventDestroy(other));
    tell(1);
}

int main(int argc, char **argv)
{
    static const section all[] = {{"handles", handles}, {"memory", owner}, {"events", recorder}};
    if (argc == 4) {
        from = atoi(argv[2]);
        to = atoi(argv[3]);
        (strcmp(argv[1], "reader") ? waiter : reader)();
        return 0;
    }
    return run_sections(all, sizeof all / sizeof *all, argc, argv);
}
