// Races between operations of streams, one an argument. The line of the operation that is issued later
// bears "BUG case race", the other one "SEE case race". Cases "fine_..." are right and are told nothing.
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { N = 4096, BYTES = N * sizeof(int) };

__global__ void fill(int *out, int value)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

__global__ void scale(int *out, const int *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2 * in[i];
}

__global__ void every(int *out, int first, int step)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * step + first;
    if (i < N)
        out[i] = i;
}

__global__ void count(int *out, const int *in)
{
    atomicAdd(&out[in[blockIdx.x * blockDim.x + threadIdx.x] & 7], 1);
}

// One passes its result on by a flag, the other waits for it.
__global__ void produce(int *data, int *flag)
{
    data[threadIdx.x] = threadIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        atomicExch(flag, 1);
}

__global__ void consume(int *data, int *flag)
{
    while (atomicAdd(flag, 0) == 0)
        ;
    __threadfence();
    data[threadIdx.x + 64] = data[threadIdx.x];
}

static int *a, *b, *host; // host: pinned
static cudaStream_t s, t, apart;
static cudaEvent_t done;

// --- two streams, nothing between

static void kernel_kernel()
{
    fill<<<16, 256, 0, s>>>(a, 1); // SEE kernel_kernel race
    scale<<<16, 256, 0, t>>>(b, a); // BUG kernel_kernel race
    cudaDeviceSynchronize();
}

static void kernel_kernel_write()
{
    fill<<<16, 256, 0, s>>>(a, 1); // SEE kernel_kernel_write race
    fill<<<16, 256, 0, t>>>(a, 2); // BUG kernel_kernel_write race
    cudaDeviceSynchronize();
}

static void copy_in_late()
{
    scale<<<16, 256, 0, s>>>(b, a); // SEE copy_in_late race
    cudaMemcpyAsync(a, host, BYTES, cudaMemcpyHostToDevice, t); // BUG copy_in_late race
    cudaDeviceSynchronize();
}

static void copy_in_early()
{
    cudaMemcpyAsync(a, host, BYTES, cudaMemcpyHostToDevice, s); // SEE copy_in_early race
    scale<<<16, 256, 0, t>>>(b, a); // BUG copy_in_early race
    cudaDeviceSynchronize();
}

static void copy_out()
{
    fill<<<16, 256, 0, s>>>(a, 1); // SEE copy_out race
    cudaMemcpyAsync(host, a, BYTES, cudaMemcpyDeviceToHost, t); // BUG copy_out race
    cudaDeviceSynchronize();
}

static void set_late()
{
    scale<<<16, 256, 0, s>>>(b, a); // SEE set_late race
    cudaMemsetAsync(a, 0, BYTES, t); // BUG set_late race
    cudaDeviceSynchronize();
}

static void copies_to_one_place()
{
    cudaMemcpyAsync(host, a, BYTES, cudaMemcpyDeviceToHost, s); // SEE copies_to_one_place race
    cudaMemcpyAsync(host, b, 64, cudaMemcpyDeviceToHost, t); // BUG copies_to_one_place race
    cudaDeviceSynchronize();
}

static void one_word()
{
    every<<<16, 256, 0, s>>>(a, 0, 2); // SEE one_word race
    cudaMemsetAsync(a + 100, 0, 4, t); // BUG one_word race
    cudaDeviceSynchronize();
}

static void half_rows()
{
    cudaMemset2DAsync(a, 64, 0, 36, 64, s); // SEE half_rows race
    cudaMemset2DAsync(a + 8, 64, 0, 32, 64, t); // BUG half_rows race
    cudaDeviceSynchronize();
}

static void atomic_and_plain()
{
    count<<<8, 256, 0, s>>>(a, b); // SEE atomic_and_plain race
    scale<<<8, 256, 0, t>>>(b + N / 2, a); // BUG atomic_and_plain race
    cudaDeviceSynchronize();
}

// --- the default stream

static void not_blocking()
{
    fill<<<16, 256>>>(a, 1); // SEE not_blocking race
    scale<<<16, 256, 0, apart>>>(b, a); // BUG not_blocking race
    cudaDeviceSynchronize();
}

static void per_thread()
{
    fill<<<16, 256, 0, cudaStreamPerThread>>>(a, 1); // SEE per_thread race
    scale<<<16, 256, 0, s>>>(b, a); // BUG per_thread race
    cudaDeviceSynchronize();
}

// --- events

static void event_too_early()
{
    cudaEventRecord(done, s);
    fill<<<16, 256, 0, s>>>(a, 1); // SEE event_too_early race
    cudaStreamWaitEvent(t, done);
    scale<<<16, 256, 0, t>>>(b, a); // BUG event_too_early race
    cudaDeviceSynchronize();
}

static void event_of_another()
{
    fill<<<16, 256, 0, s>>>(a, 1); // SEE event_of_another race
    cudaEventRecord(done, apart);
    cudaStreamWaitEvent(t, done);
    scale<<<16, 256, 0, t>>>(b, a); // BUG event_of_another race
    cudaDeviceSynchronize();
}

static void waits_for_one_of_two()
{
    fill<<<8, 256, 0, s>>>(a, 1);
    fill<<<8, 256, 0, t>>>(a + N / 2, 1); // SEE waits_for_one_of_two race
    cudaStreamSynchronize(s);
    scale<<<16, 256, 0, apart>>>(b, a); // BUG waits_for_one_of_two race
    cudaDeviceSynchronize();
}

// --- graphs

static void launch(cudaGraph_t g, cudaStream_t into)
{
    cudaGraphExec_t x;
    cudaGraphInstantiate(&x, g, 0);
    cudaGraphLaunch(x, into); // BUG graph_branches race BUG graph_of_a_capture race
    cudaStreamSynchronize(into);
    cudaGraphExecDestroy(x);
    cudaGraphDestroy(g);
}

static cudaGraphNode_t kernel_node(cudaGraph_t g, cudaGraphNode_t after, void *kernel, void **args)
{
    cudaKernelNodeParams p = {};
    cudaGraphNode_t n;
    p.func = kernel;
    p.gridDim = dim3(16);
    p.blockDim = dim3(256);
    p.kernelParams = args;
    cudaGraphAddKernelNode(&n, g, after ? &after : NULL, after ? 1 : 0, &p);
    return n;
}

static void branches(bool ordered)
{
    cudaGraph_t g;
    int one = 1;
    void *fills[] = {&a, &one}, *scales[] = {&b, &a};
    cudaGraphCreate(&g, 0);
    cudaGraphNode_t first = kernel_node(g, NULL, (void *)fill, fills);
    kernel_node(g, ordered ? first : NULL, (void *)scale, scales);
    launch(g, s);
}
static void graph_branches() { branches(false); }
static void fine_graph_chain() { branches(true); }

static void capture(bool ordered)
{
    cudaGraph_t g;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaEventRecord(done, s);
    cudaStreamWaitEvent(t, done);
    fill<<<16, 256, 0, s>>>(a, 1);
    if (ordered) {
        cudaEventRecord(done, s);
        cudaStreamWaitEvent(t, done);
    }
    scale<<<16, 256, 0, t>>>(b, a);
    cudaEventRecord(done, t);
    cudaStreamWaitEvent(s, done);
    cudaStreamEndCapture(s, &g);
    launch(g, s);
}
static void graph_of_a_capture() { capture(false); }
static void fine_graph_of_a_capture() { capture(true); }

static void graph_and_stream()
{
    cudaGraph_t g;
    cudaGraphExec_t x;
    int one = 1;
    void *fills[] = {&a, &one};
    cudaGraphCreate(&g, 0);
    kernel_node(g, NULL, (void *)fill, fills);
    cudaGraphInstantiate(&x, g, 0);
    cudaGraphLaunch(x, s); // SEE graph_and_stream race
    scale<<<16, 256, 0, t>>>(b, a); // BUG graph_and_stream race
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(x);
    cudaGraphDestroy(g);
}

// --- right

static void fine_one_stream()
{
    fill<<<16, 256, 0, s>>>(a, 1);
    scale<<<16, 256, 0, s>>>(b, a);
}

static void fine_event()
{
    fill<<<16, 256, 0, s>>>(a, 1);
    cudaEventRecord(done, s);
    cudaStreamWaitEvent(t, done);
    scale<<<16, 256, 0, t>>>(b, a);
}

static void fine_event_by_way_of()
{
    fill<<<16, 256, 0, s>>>(a, 1);
    cudaEventRecord(done, s);
    cudaStreamWaitEvent(apart, done);
    cudaEventRecord(done, apart);
    cudaStreamWaitEvent(t, done);
    scale<<<16, 256, 0, t>>>(b, a);
}

static void fine_default_waits()
{
    fill<<<16, 256, 0, s>>>(a, 1);
    scale<<<16, 256>>>(b, a);
    fill<<<16, 256, 0, t>>>(a, 2);
}

static void fine_halves()
{
    fill<<<8, 256, 0, s>>>(a, 1);
    fill<<<8, 256, 0, t>>>(a + N / 2, 2);
}

static void fine_even_and_odd()
{
    every<<<16, 256, 0, s>>>(a, 0, 2);
    every<<<16, 256, 0, t>>>(a, 1, 2);
}

static void fine_rows_side_by_side()
{
    cudaMemset2DAsync(a, 64, 0, 32, 64, s);
    cudaMemset2DAsync(a + 8, 64, 0, 32, 64, t);
    cudaMemcpy2DAsync(host, 32, b, 64, 32, 64, cudaMemcpyDeviceToHost, apart);
}

static void fine_both_read()
{
    scale<<<16, 256, 0, s>>>(b, a);
    cudaMemcpyAsync(host, a, BYTES, cudaMemcpyDeviceToHost, t);
}

static void fine_both_count()
{
    count<<<16, 256, 0, s>>>(a, b);
    count<<<16, 256, 0, t>>>(a, b);
}

static void fine_host_waits()
{
    fill<<<16, 256, 0, s>>>(a, 1);
    cudaStreamSynchronize(s);
    scale<<<16, 256, 0, t>>>(b, a);
}

/* A copy of pageable memory returns once its source is read; a wait for its stream is for all of it. */
static void fine_copy_waited_for()
{
    int mine[8] = {1};
    cudaMemcpy(a, mine, sizeof mine, cudaMemcpyHostToDevice);
    cudaStreamSynchronize(0);
    scale<<<16, 256, 0, apart>>>(b, a);
}

static void fine_event_query()
{
    fill<<<16, 256, 0, s>>>(a, 1);
    cudaEventRecord(done, s);
    while (cudaEventQuery(done) == cudaErrorNotReady)
        ;
    scale<<<16, 256, 0, t>>>(b, a);
}

static void tell(void *flag) { *(volatile int *)flag = 1; }

static void fine_host_function()
{
    static volatile int flag;
    fill<<<16, 256, 0, s>>>(a, 1);
    cudaLaunchHostFunc(s, tell, (void *)&flag);
    cudaEventRecord(done, t);
    while (!flag)
        cudaStreamQuery(s);
    scale<<<16, 256, 0, t>>>(b, a);
}

static void fine_flag()
{
    produce<<<1, 64, 0, s>>>(a, b);
    consume<<<1, 64, 0, t>>>(a, b);
}

static void fine_pipeline()
{
    cudaStream_t of[2] = {s, t};
    for (int k = 0; k < 8; k++) {
        int at = k * N / 8;
        cudaMemcpyAsync(a + at, host + at, BYTES / 8, cudaMemcpyHostToDevice, of[k % 2]);
        scale<<<2, 256, 0, of[k % 2]>>>(b + at, a + at);
        cudaMemcpyAsync(host + at, b + at, BYTES / 8, cudaMemcpyDeviceToHost, of[k % 2]);
    }
}

static void fine_async_memory()
{
    int *p, *q;
    cudaMallocAsync(&p, BYTES, s);
    fill<<<16, 256, 0, s>>>(p, 1);
    cudaFreeAsync(p, s);
    cudaStreamSynchronize(s);
    cudaMallocAsync(&q, BYTES, t);
    fill<<<16, 256, 0, t>>>(q, 2);
    cudaFreeAsync(q, t);
}

// --- a stream waits for a value in memory

typedef int of_value(cudaStream_t, unsigned long long at, unsigned value, unsigned flags);
static void *driver(const char *name)
{
    void *of = NULL;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion(name, &of, 12000, cudaEnableDefault, &found);
    return of;
}
static void write_value(cudaStream_t on, int *at, unsigned value)
{
    ((of_value *)driver("cuStreamWriteValue32"))(on, (unsigned long long)at, value, 0);
}
static void wait_value(cudaStream_t on, int *at, unsigned value)
{
    ((of_value *)driver("cuStreamWaitValue32"))(on, (unsigned long long)at, value, 0);
}

static void value_written_too_early()
{
    write_value(s, b, 1);
    fill<<<16, 256, 0, s>>>(a, 1); // SEE value_written_too_early race
    wait_value(t, b, 1);
    scale<<<15, 256, 0, t>>>(b + 256, a); // BUG value_written_too_early race
    cudaDeviceSynchronize();
}

static void value_of_one_of_two()
{
    fill<<<16, 256, 0, s>>>(a, 1); // SEE value_of_one_of_two race
    write_value(apart, b, 1);
    wait_value(t, b, 1);
    scale<<<15, 256, 0, t>>>(b + 256, a); // BUG value_of_one_of_two race
    cudaDeviceSynchronize();
}

static void fine_value()
{
    fill<<<16, 256, 0, s>>>(a, 1);
    write_value(s, b, 1);
    wait_value(t, b, 1);
    scale<<<15, 256, 0, t>>>(b + 256, a);
    write_value(t, b, 2);
    wait_value(apart, b, 2);
    cudaMemcpyAsync(host, a, BYTES, cudaMemcpyDeviceToHost, apart);
    cudaMemsetAsync(b + 256, 0, 64, apart);
    cudaDeviceSynchronize();
}

static void fine_value_of_a_kernel()
{
    fill<<<1, 256, 0, s>>>(a, 1);
    fill<<<1, 1, 0, s>>>(b, 7);
    wait_value(t, b, 7);
    scale<<<1, 256, 0, t>>>(b + 256, a);
    cudaDeviceSynchronize();
}

#define CASES(CASE)                                                                                \
    CASE(kernel_kernel) CASE(kernel_kernel_write) CASE(copy_in_late) CASE(copy_in_early)           \
    CASE(copy_out) CASE(set_late) CASE(copies_to_one_place) CASE(one_word) CASE(half_rows)         \
    CASE(atomic_and_plain) CASE(not_blocking) CASE(per_thread) CASE(event_too_early)               \
    CASE(event_of_another) CASE(waits_for_one_of_two) CASE(graph_branches)                         \
    CASE(graph_of_a_capture) CASE(graph_and_stream) CASE(fine_graph_chain)                         \
    CASE(fine_graph_of_a_capture) CASE(fine_one_stream) CASE(fine_event)                           \
    CASE(fine_event_by_way_of) CASE(fine_default_waits) CASE(fine_halves)                          \
    CASE(fine_even_and_odd) CASE(fine_rows_side_by_side) CASE(fine_both_read)                      \
    CASE(fine_both_count) CASE(fine_host_waits) CASE(fine_copy_waited_for) CASE(fine_event_query) CASE(fine_host_function)    \
    CASE(fine_flag) CASE(fine_pipeline) CASE(fine_async_memory) CASE(value_written_too_early)      \
    CASE(value_of_one_of_two) CASE(fine_value) CASE(fine_value_of_a_kernel)

#define ROW(name) {#name, name},
int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*of)(void);
    } cases[] = {CASES(ROW)};
    for (const auto &c : cases)
        if (argc > 1 && strcmp(argv[1], c.name) == 0) {
            cudaMalloc(&a, BYTES);
            cudaMalloc(&b, BYTES);
            cudaMallocHost(&host, BYTES);
            cudaMemset(a, 0, BYTES);
            cudaMemset(b, 0, BYTES);
            cudaStreamCreate(&s);
            cudaStreamCreate(&t);
            cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking);
            cudaEventCreate(&done);
            cudaDeviceSynchronize();
            c.of();
            cudaDeviceSynchronize();
        } else if (argc == 1) {
            puts(c.name);
        }
    return 0;
}
