// Mistakes in calls of the runtime, one an argument. A line that is to be named bears "BUG case kind",
// the other side of it "SEE case kind". Cases "fine_..." are right and are told nothing.
#include <cstdio>
#include <cstdlib>
#include <vector>

static const int N = 256;
static int host[4 * N];

__global__ void fill(int *out, int value)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = value; // BUG freed_before_use fault
}

__global__ void add_one(int *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] += 1; // BUG from_stack fault // BUG from_heap fault // BUG from_shadow fault
}

static int *buffer(int n = N)
{
    int *p = nullptr;
    cudaMalloc(&p, n * sizeof *p);
    return p;
}

static cudaStream_t stream(unsigned flags = cudaStreamNonBlocking)
{
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, flags);
    return s;
}

// --- copies and fills ---------------------------------------------------------------------------

static void fill_no_byte()
{
    int *p = buffer();
    cudaMemset(p, 99999, N * sizeof *p); // BUG fill_no_byte host
}

static void fill_no_byte_in_rows()
{
    int *p = buffer();
    cudaMemset2DAsync(p, 64, 1000, 32, 8, 0); // BUG fill_no_byte_in_rows host
    cudaDeviceSynchronize();
}

static void fine_bytes()
{
    int *p = buffer();
    cudaMemset(p, -1, N * sizeof *p);
    cudaMemset(p, 255, N * sizeof *p);
    cudaMemset(p, 'x', N * sizeof *p);
}

static void short_grid()
{
    int *p;
    cudaMalloc(&p, 1000 * sizeof *p); // SEE short_grid init
    fill<<<1000 / N, N>>>(p, 1);
    cudaMemcpy(host, p, 1000 * sizeof *p, cudaMemcpyDeviceToHost); // BUG short_grid init
}

static void short_grid_in_rows()
{
    int *p;
    size_t pitch;
    cudaMallocPitch(&p, &pitch, 40 * sizeof *p, 8); // SEE short_grid_in_rows init
    for (int y = 0; y < 8; y++)
        fill<<<1, 32>>>((int *)((char *)p + y * pitch), y);
    cudaMemcpy2D(host, 160, p, pitch, 160, 8, cudaMemcpyDeviceToHost); // BUG short_grid_in_rows init
}

static void fine_whole_pitch()
{
    int *p;
    size_t pitch;
    cudaMallocPitch(&p, &pitch, 32 * sizeof *p, 4);
    for (int y = 0; y < 4; y++)
        fill<<<1, 32>>>((int *)((char *)p + y * pitch), y);
    std::vector<char> all(4 * pitch);
    cudaMemcpy(all.data(), p, 4 * pitch, cudaMemcpyDeviceToHost);
}

struct padded {
    int a;
    double b;
};

__global__ void fill_structs(padded *out)
{
    out[threadIdx.x].a = 1;
    out[threadIdx.x].b = 2;
}

static void fine_structs()
{
    padded *p, all[64];
    cudaMalloc(&p, sizeof all);
    fill_structs<<<1, 64>>>(p);
    cudaMemcpy(all, p, sizeof all, cudaMemcpyDeviceToHost);
}

static void host_function_fills(void *p)
{
    for (int k = 0; k < N; k++)
        ((int *)p)[k] = k + 1;
}

static void source_filled_later()
{
    int *p = buffer(), *source = (int *)calloc(N, sizeof *source);
    cudaStream_t s = stream();
    cudaLaunchHostFunc(s, host_function_fills, source);                          // SEE source_filled_later host
    cudaMemcpyAsync(p, source, N * sizeof *p, cudaMemcpyHostToDevice, s); // BUG source_filled_later host
    cudaStreamSynchronize(s);
    free(source);
}

static void fine_pinned_source()
{
    int *p = buffer(), *source;
    cudaStream_t s = stream();
    cudaMallocHost(&source, N * sizeof *source);
    cudaLaunchHostFunc(s, host_function_fills, source);
    cudaMemcpyAsync(p, source, N * sizeof *p, cudaMemcpyHostToDevice, s);
    cudaStreamSynchronize(s);
}

static void fine_source_used_again()
{
    int *p = buffer();
    cudaStream_t s = stream();
    cudaMemcpyAsync(p, host, N * sizeof *p, cudaMemcpyHostToDevice, s);
    host[0]++;
    cudaMemcpyAsync(p, host, N * sizeof *p, cudaMemcpyHostToDevice, s);
    cudaStreamSynchronize(s);
}

static void copy_not_done()
{
    int *p = buffer();
    cudaStream_t s = stream();
    cudaMemcpy(p, host, N * sizeof *p, cudaMemcpyHostToDevice); // SEE copy_not_done race
    add_one<<<1, N, 0, s>>>(p);                                   // BUG copy_not_done race
    cudaStreamSynchronize(s);
}

static void fine_copy_done()
{
    int *p = buffer();
    cudaStream_t s = stream(), blocking = stream(cudaStreamDefault);
    cudaMemcpy(p, host, N * sizeof *p, cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
    add_one<<<1, N, 0, s>>>(p);
    cudaStreamSynchronize(s);
    cudaMemcpy(p, host, N * sizeof *p, cudaMemcpyHostToDevice);
    add_one<<<1, N, 0, blocking>>>(p);
    cudaDeviceSynchronize();
}

// --- memory in the order of a stream --------------------------------------------------------------

static void used_before_allocation()
{
    cudaStream_t a = stream(), b = stream();
    int *p;
    cudaMallocAsync(&p, N * sizeof *p, a); // SEE used_before_allocation race
    fill<<<1, N, 0, b>>>(p, 1);            // BUG used_before_allocation race
    cudaFreeAsync(p, b);
    cudaDeviceSynchronize();
}

static void freed_while_used()
{
    cudaStream_t a = stream(), b = stream();
    int *p;
    cudaMallocAsync(&p, N * sizeof *p, b);
    cudaStreamSynchronize(b);
    fill<<<1, N, 0, b>>>(p, 1); // SEE freed_while_used race
    cudaFreeAsync(p, a);        // BUG freed_while_used race
    cudaStreamSynchronize(b);
    cudaDeviceSynchronize();
}

static void freed_before_use()
{
    cudaStream_t a = stream(), b = stream();
    int *p;
    cudaMallocAsync(&p, N * sizeof *p, a);
    cudaStreamSynchronize(a);
    fill<<<1, N, 0, b>>>(p, 1);
    cudaFreeAsync(p, a); // SEE freed_before_use fault
    cudaDeviceSynchronize();
}

static void fine_allocation_ordered()
{
    cudaStream_t a = stream(), b = stream();
    cudaEvent_t e, f;
    cudaEventCreate(&e);
    cudaEventCreate(&f);
    int *p, *q;
    cudaMallocAsync(&p, N * sizeof *p, a);
    cudaEventRecord(e, a);
    cudaStreamWaitEvent(b, e);
    fill<<<1, N, 0, b>>>(p, 1);
    cudaEventRecord(f, b);
    cudaStreamWaitEvent(a, f);
    cudaFreeAsync(p, a);
    cudaMallocAsync(&q, N * sizeof *q, a);
    cudaStreamSynchronize(a);
    fill<<<1, N, 0, b>>>(q, 1);
    cudaStreamSynchronize(b);
    cudaFreeAsync(q, a);
    cudaDeviceSynchronize();
}

// --- variables ------------------------------------------------------------------------------------

__constant__ int part[8], never[4], whole[8], with_value[2] = {1, 2};
__device__ int limit = 5, counter, table[16];

__global__ void sum_of_part(int *out)
{
    int s = 0;
    for (int k = 0; k < 8; k++)
        s += part[(threadIdx.x + k) % 8]; // BUG constant_in_part init
    out[threadIdx.x] = s;
}

__global__ void read_never(int *out)
{
    out[threadIdx.x] = never[threadIdx.x % 4]; // BUG constant_never_set init
}

__global__ void read_whole(int *out)
{
    out[threadIdx.x] = whole[threadIdx.x % 8] + with_value[threadIdx.x % 2];
}

__global__ void below_limit(int *out)
{
    out[threadIdx.x] = threadIdx.x < limit ? table[threadIdx.x % 16] : 0;
}

static void constant_in_part()
{
    cudaMemcpyToSymbol(part, host, 8);
    sum_of_part<<<1, N>>>(buffer());
    cudaDeviceSynchronize();
}

static void constant_never_set()
{
    read_never<<<1, N>>>(buffer());
    cudaDeviceSynchronize();
}

static void fine_constant()
{
    cudaMemcpyToSymbol(whole, host, 16);
    cudaMemcpyToSymbol(whole, host, 16, 16);
    read_whole<<<1, N>>>(buffer());
    cudaDeviceSynchronize();
}

static void shadow_written()
{
    int zeros[16] = {0};
    cudaMemcpyToSymbol(table, zeros, sizeof zeros);
    *(&limit) = 100;
    below_limit<<<1, N>>>(buffer()); // BUG shadow_written host
    cudaDeviceSynchronize();
}

static void shadow_of_array_written()
{
    for (int k = 0; k < 16; k++)
        (&table[0])[k] = k;
    below_limit<<<1, N>>>(buffer()); // BUG shadow_of_array_written host
    cudaDeviceSynchronize();
}

static void fine_shadow()
{
    int ten = 10, squares[16] = {0, 1, 4, 9};
    cudaMemcpyToSymbol(limit, &ten, sizeof ten);
    cudaMemcpyToSymbol(table, squares, sizeof squares);
    below_limit<<<1, N>>>(buffer());
    cudaDeviceSynchronize();
}

static void from_stack()
{
    int mine[N] = {0};
    add_one<<<1, N>>>(mine);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}

static void from_heap()
{
    add_one<<<1, N>>>((int *)calloc(N, sizeof(int)));
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}

static void from_shadow()
{
    add_one<<<1, 16>>>(table);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}

// --- handles and arguments --------------------------------------------------------------------------

static void destroyed_stream()
{
    cudaStream_t s = stream();
    int *p = buffer();
    cudaStreamDestroy(s);
    fill<<<1, N, 0, s>>>(p, 1); // BUG destroyed_stream host
}

static void destroyed_event()
{
    cudaEvent_t e;
    cudaEventCreate(&e);
    cudaEventDestroy(e);
    cudaEventRecord(e); // BUG destroyed_event host
}

static void event_without_time()
{
    cudaEvent_t a, b;
    float ms;
    cudaEventCreateWithFlags(&a, cudaEventDisableTiming);
    cudaEventCreate(&b);
    cudaEventRecord(a);
    cudaEventRecord(b);
    cudaEventSynchronize(b);
    cudaEventElapsedTime(&ms, a, b); // BUG event_without_time host
}

static void hidden_symbol()
{
    int never[4];
    cudaMemcpyToSymbol(never, host, sizeof never); // BUG hidden_symbol host
}

static void used_after_reset()
{
    int *p = buffer();
    cudaDeviceReset();                                            // SEE used_after_reset memory
    cudaMemcpy(host, p, N * sizeof *p, cudaMemcpyDeviceToHost); // BUG used_after_reset memory
}

static void shared_without_opt_in()
{
    fill<<<1, N, 60000>>>(buffer(), 1); // BUG shared_without_opt_in host
}

// --- graphs -----------------------------------------------------------------------------------------

__attribute__((noinline)) static cudaGraphExec_t graph_of_local(int *p, cudaStream_t s)
{
    int local[4] = {1, 2, 3, 4};
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaMemcpyAsync(p, local, sizeof local, cudaMemcpyHostToDevice, s);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&x, g, 0);
    cudaGraphDestroy(g);
    return x;
}

static void graph_of_dead_variable()
{
    cudaStream_t s = stream();
    cudaGraphLaunch(graph_of_local(buffer(), s), s); // BUG graph_of_dead_variable host
    cudaStreamSynchronize(s);
}

static void fine_graph_of_own_variable()
{
    cudaStream_t s = stream();
    int local[4] = {1, 2, 3, 4}, *p = buffer();
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaMemcpyAsync(p, local, sizeof local, cudaMemcpyHostToDevice, s);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&x, g, 0);
    cudaGraphLaunch(x, s);
    cudaStreamSynchronize(s);
}

// --- textures ---------------------------------------------------------------------------------------

__global__ void shifted(cudaTextureObject_t t, float *out, float by)
{
    out[threadIdx.x] = tex2D<float>(t, threadIdx.x + by + 0.5f, 0.5f);
}

__global__ void fetched(cudaTextureObject_t t, float *out, bool whole)
{
    out[threadIdx.x] = whole ? tex1Dfetch<float>(t, (int)threadIdx.x) : tex1D<float>(t, threadIdx.x);
}

static cudaTextureObject_t texture_of_array(cudaTextureAddressMode both = cudaAddressModeWrap)
{
    cudaChannelFormatDesc c = cudaCreateChannelDesc<float>();
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    cudaTextureObject_t t = 0;
    d.addressMode[0] = d.addressMode[1] = both;
    r.resType = cudaResourceTypeArray;
    cudaMallocArray(&r.res.array.array, &c, 32, 1);
    cudaMemcpy2DToArray(r.res.array.array, 0, 0, host, 128, 128, 1, cudaMemcpyHostToDevice);
    cudaCreateTextureObject(&t, &r, &d, nullptr); // BUG wrap_without_effect host
    return t;
}

static cudaTextureObject_t texture_of_memory()
{
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    cudaTextureObject_t t = 0;
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = buffer();
    r.res.linear.desc = cudaCreateChannelDesc<float>();
    r.res.linear.sizeInBytes = N * sizeof(float);
    cudaMemset(r.res.linear.devPtr, 0, N * sizeof(float));
    cudaCreateTextureObject(&t, &r, &d, nullptr); // BUG fetch_without_filter host
    return t;
}

static void wrap_without_effect()
{
    shifted<<<1, 32>>>(texture_of_array(), (float *)buffer(), 5);
    cudaDeviceSynchronize();
}

static void fine_border() // the third address mode is 0, wrap, and a table has no third coordinate
{
    shifted<<<1, 32>>>(texture_of_array(cudaAddressModeBorder), (float *)buffer(), 5);
    shifted<<<1, 32>>>(texture_of_array(cudaAddressModeClamp), (float *)buffer(), 5);
    cudaDeviceSynchronize();
}

static void fine_inside() { shifted<<<1, 32>>>(texture_of_array(), (float *)buffer(), 0); }

static void fetch_without_filter()
{
    fetched<<<1, 32>>>(texture_of_memory(), (float *)buffer(), false);
    cudaDeviceSynchronize();
}

static void fine_fetch() { fetched<<<1, 32>>>(texture_of_memory(), (float *)buffer(), true); }

static void pitch_not_aligned()
{
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    cudaTextureObject_t t = 0;
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = buffer();
    r.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    r.res.pitch2D.width = 5;
    r.res.pitch2D.height = 4;
    r.res.pitch2D.pitchInBytes = 20;
    cudaCreateTextureObject(&t, &r, &d, nullptr); // BUG pitch_not_aligned host
}

static void texture_of_host_memory()
{
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    cudaTextureObject_t t = 0;
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = &host[1];
    r.res.linear.desc = cudaCreateChannelDesc<int>();
    r.res.linear.sizeInBytes = 64;
    cudaCreateTextureObject(&t, &r, &d, nullptr);
}

static void three_channels()
{
    cudaArray_t a;
    cudaChannelFormatDesc d = cudaCreateChannelDesc(32, 32, 32, 0, cudaChannelFormatKindFloat);
    cudaMallocArray(&a, &d, 16, 16); // BUG three_channels host
}

static void fill_pitch_too_small()
{
    cudaMemset2D(buffer(), 16, 0, 32, 4); // BUG fill_pitch_too_small host
}

static void elapsed_time(bool record, bool wait)
{
    cudaEvent_t from, to;
    float ms;
    cudaEventCreate(&from);
    cudaEventCreate(&to);
    cudaEventRecord(from);
    fill<<<1, N>>>(buffer(), 1);
    if (record)
        cudaEventRecord(to);
    if (wait)
        cudaDeviceSynchronize();
    cudaEventElapsedTime(&ms, from, to); // BUG event_not_waited_for host // BUG event_not_recorded host
    cudaDeviceSynchronize();
}

static void event_not_waited_for() { elapsed_time(true, false); }
static void event_not_recorded() { elapsed_time(false, true); }
static void fine_elapsed_time() { elapsed_time(true, true); }

// A loop that waits until the time is known is no mistake.
static void fine_polled_time()
{
    cudaEvent_t from, to;
    float ms;
    cudaEventCreate(&from);
    cudaEventCreate(&to);
    cudaEventRecord(from);
    fill<<<1, N>>>(buffer(), 1);
    cudaEventRecord(to);
    while (cudaEventElapsedTime(&ms, from, to) == cudaErrorNotReady)
        ;
}

static void event_between_processes()
{
    cudaEvent_t e;
    cudaEventCreateWithFlags(&e, cudaEventInterprocess); // BUG event_between_processes host
}

#define CASES(X)                                                                                  \
    X(fill_no_byte) X(fill_no_byte_in_rows) X(fine_bytes) X(short_grid) X(short_grid_in_rows)     \
    X(fine_whole_pitch) X(fine_structs) X(source_filled_later) X(fine_pinned_source)              \
    X(fine_source_used_again) X(copy_not_done) X(fine_copy_done) X(used_before_allocation)        \
    X(freed_while_used) X(freed_before_use) X(fine_allocation_ordered) X(constant_in_part) X(constant_never_set)      \
    X(fine_constant) X(shadow_written) X(shadow_of_array_written) X(fine_shadow) X(from_stack)    \
    X(from_heap) X(from_shadow) X(destroyed_stream) X(destroyed_event) X(event_without_time)      \
    X(hidden_symbol) X(used_after_reset) X(shared_without_opt_in) X(graph_of_dead_variable)       \
    X(fine_graph_of_own_variable) X(wrap_without_effect) X(fine_inside) X(fine_border) X(fetch_without_filter)   \
    X(fine_fetch) X(pitch_not_aligned) X(texture_of_host_memory) X(three_channels)               \
    X(fill_pitch_too_small) X(event_not_waited_for) X(event_not_recorded) X(fine_elapsed_time)     \
    X(fine_polled_time) X(event_between_processes)

#include "../cases.h"

int main(int argc, char **argv)
{
    RUN_CASES(CASES)
}
