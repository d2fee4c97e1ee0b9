// Reads of memory that nobody has written, one an argument: see host.cu for the marks.
#include "cases.h"
#include <cooperative_groups.h>
#include <cstdlib>
#include <cuda_pipeline.h>

enum { N = 256, BLOCKS = 4, ALL = N * BLOCKS };
__device__ int counts[N]; // zero when the program begins
__device__ int result[ALL];

// --- variables that only the host can set
__device__ float scale;
__device__ float weight[8], more_weight[8];
struct shape {
    int width, height;
};
namespace model {
__device__ shape size;
}
__device__ int verbose = 0; // zero is meant
__device__ int zeros[4] = {0};
__device__ int seen_by_pointer[16], filled_by_host[16];

__global__ void scaled(float *out)
{
    out[threadIdx.x] = out[threadIdx.x] * scale; // BUG variable_never_set init
}

__global__ void weighted(float *out)
{
    float sum = 0;
    for (int k = 0; k < 8; k++)
        sum += out[(threadIdx.x + k) % N] * weight[k]; // BUG table_never_set init
    out[threadIdx.x + N] = sum;
}

__global__ void weighted_more(float *out)
{
    out[threadIdx.x] += 2 * more_weight[threadIdx.x % 8]; // BUG table_set_in_part init
}

__global__ void area(int *out)
{
    out[threadIdx.x] = model::size.width * model::size.height; // BUG member_never_set init
}

__global__ void zero_is_meant(int *out)
{
    if (verbose)
        out[threadIdx.x] = 5;
    out[threadIdx.x] = 3 + 2 * zeros[threadIdx.x % 4] + 2 * filled_by_host[threadIdx.x % 16];
}

__global__ void count_through(int *p)
{
    p[threadIdx.x] += 1;
}

__global__ void see_counts(int *out)
{
    out[threadIdx.x] = seen_by_pointer[threadIdx.x] + 1;
}

// --- kernels ---------------------------------------------------------------------------------------

__global__ void fill(int *out, int value)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

__global__ void add_to(int *sum, const int *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    sum[i] += in[i]; // BUG accumulate init
}

__global__ void add_up(int *sum, const int *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&sum[in[i] % 16], 1); // BUG histogram init
}

__global__ void tile_without_halo(const int *in)
{
    __shared__ int tile[N + 2];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x + 1] = in[i];
    __syncthreads();
    result[i] = tile[threadIdx.x] + tile[threadIdx.x + 2]; // BUG halo_not_loaded init
}

__global__ void tile_tail(const int *in, int n)
{
    __shared__ int tile[N];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        tile[threadIdx.x] = in[i];
    __syncthreads();
    for (int d = N / 2; d; d /= 2) {
        if (threadIdx.x < d)
            tile[threadIdx.x] += tile[threadIdx.x + d]; // BUG tail_not_loaded init
        __syncthreads();
    }
    if (threadIdx.x == 0)
        result[blockIdx.x] = tile[0];
}

// The compiler loads ahead of the test and computes with the value, too.
__global__ void twice_or_zero(int *out, const int *in, int n)
{
    int i = threadIdx.x;
    out[i] = i < n ? 2 * in[i] + 1 : 0;
}

__global__ void sign_of(int *out, const int *in)
{
    int i = threadIdx.x;
    out[i] = 3 * in[i] > 6 ? 1 : -1; // BUG unwritten_decides init
}

// --- local memory, and that of malloc() in kernels
__global__ void local_bins(const int *in, int bins)
{
    int count[16];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < bins; k++)
        count[k] = 0;
    for (int k = 0; k < 8; k++)
        count[in[(i + k) % N] % 16]++; // BUG local_bins_half_zeroed init
    int most = 0;
    for (int k = 0; k < bins; k++)
        most = max(most, count[k]);
    result[i] = most;
}

__global__ void local_window(const int *in, int filled, int read)
{
    int window[9], sum = 0;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < filled; k++)
        window[k] = in[(i + k) % N];
    for (int k = 0; k < read; k++)
        sum += window[k * k % 9]; // BUG local_window_short init
    result[i] = sum;
}

__device__ __noinline__ int last_of(const int *list, int n)
{
    return list[n - 1] + 1; // BUG local_passed_on init
}

__global__ void local_list(const int *in, int n, bool all)
{
    int list[12];
    int found = 0;
    for (int k = 0; k < n; k++)
        if (all || in[k] > 1000)
            list[found++] = k;
    result[threadIdx.x] = last_of(list, all ? found : found + 1);
}

__global__ void local_moved(const int *in, int n)
{
    int from[8], to[8];
    for (int k = 0; k < n; k++)
        from[k] = in[k];
    for (int k = 0; k < 8; k++)
        to[(k + n) % 8] = from[k]; // unwritten elements are copied
    result[threadIdx.x] = to[(in[0] + n) % 8 == 0 ? n : n + 0];
}

__global__ void heap_list(int n, bool fills)
{
    int *list = (int *)malloc(n * sizeof *list);
    if (!list)
        return;
    for (int k = 0; k < (fills ? n : n / 2); k++)
        list[k] = k;
    int sum = 0;
    for (int k = 0; k < n; k++)
        sum += list[k]; // BUG heap_half_filled init
    result[threadIdx.x] = sum;
    free(list);
}

__global__ void heap_again(bool fills)
{
    for (int round = 0; round < 2; round++) {
        int *p = (int *)malloc(64);
        if (p && (round == 0 || fills))
            *p = round;
        if (p)
            result[threadIdx.x] += *p; // BUG heap_block_again init
        free(p);
    }
}

__device__ int *kept;
__global__ void heap_keep(bool fills)
{
    kept = (int *)malloc(N * sizeof *kept);
    for (int k = 0; k < N && fills; k++)
        kept[k] = k;
}
__global__ void heap_use() { result[threadIdx.x] = kept[threadIdx.x] * 2; } // BUG heap_of_last_kernel init

__global__ void next_difference(const int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        result[i] = in[i + 1] - in[i]; // BUG one_past_the_copy init
}

__global__ void twice(const int *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    result[i] = 2 * in[i]; // BUG freed_and_again init
}

__global__ void step(int *out, const int *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] + 1; // BUG swapped_buffers init
}

__global__ void dynamic_counts(const int *in)
{
    extern __shared__ int bins[];
    atomicAdd(&bins[in[threadIdx.x] % 16], 1); // BUG shared_histogram init
    __syncthreads();
    if (threadIdx.x < 16)
        atomicAdd(&counts[threadIdx.x], bins[threadIdx.x]);
}

__global__ void wrong_half_first(const int *in)
{
    __shared__ int half[2][N];
    int sum = 0;
    for (int k = 0; k < 4; k++) {
        half[k & 1][threadIdx.x] = in[k * N + threadIdx.x];
        __syncthreads();
        sum += half[(k & 1) ^ 1][N - 1 - threadIdx.x]; // BUG wrong_buffer_first init
        __syncthreads();
    }
    result[threadIdx.x] = sum;
}

__global__ void jump_by(const int *where)
{
    if (where[threadIdx.x] > 3) // BUG copied_then_used init
        result[threadIdx.x] = 1;
}

__global__ void vectors(const float4 *in)
{
    float4 v = in[threadIdx.x]; // BUG vector_past_the_copy init
    result[threadIdx.x] = (int)(v.x + v.y + v.z + v.w);
}

__global__ void copy(int *out, const int *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

struct alignas(16) padded {
    int a, b;
    char c; // and bytes that nobody writes
};

__global__ void copy_structs(padded *out, const padded *in)
{
    out[threadIdx.x] = in[threadIdx.x];
}

__global__ void write_members(padded *out)
{
    out[threadIdx.x].a = threadIdx.x;
    out[threadIdx.x].b = 2;
    out[threadIdx.x].c = 'c';
}

__global__ void read_members(const padded *in)
{
    result[threadIdx.x] = in[threadIdx.x].a + in[threadIdx.x].b + in[threadIdx.x].c;
}

__global__ void guarded_tile(const int *in, int n)
{
    __shared__ int tile[N];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        tile[threadIdx.x] = in[i];
    __syncthreads();
    if (i + 1 < n && threadIdx.x + 1 < N)
        result[i] = tile[threadIdx.x] + tile[threadIdx.x + 1];
}

__global__ void async_tile(const int *in)
{
    __shared__ int tile[N];
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    result[threadIdx.x] = tile[N - 1 - threadIdx.x];
}

__global__ void full_vectors(float4 *out, const float4 *in)
{
    __shared__ float4 tile[N];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    float4 v = tile[N - 1 - threadIdx.x];
    v.x += v.w;
    out[threadIdx.x] = v;
}

__global__ void across_blocks(int *data, int *flag)
{
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0)
            atomicExch(flag, 1);
    } else {
        if (threadIdx.x == 0)
            while (atomicAdd(flag, 0) == 0)
                ;
        __syncthreads();
        __threadfence();
        result[threadIdx.x] = ((volatile int *)data)[threadIdx.x] + 1;
    }
}

__global__ void zeroed_bins(const int *in)
{
    extern __shared__ int bins[];
    if (threadIdx.x < 16)
        bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[in[threadIdx.x] % 16], 1);
    __syncthreads();
    if (threadIdx.x < 16)
        atomicAdd(&counts[threadIdx.x], bins[threadIdx.x]);
}

__global__ void exchange(int *slot)
{
    atomicExch(&slot[threadIdx.x], threadIdx.x);
}

__global__ void sum_of_tile()
{
    auto block = cooperative_groups::this_thread_block();
    auto tile = cooperative_groups::tiled_partition<32>(block);
    int v = threadIdx.x;
    for (int d = 16; d; d /= 2)
        v += tile.shfl_down(v, d);
    result[threadIdx.x] = v;
}

// --- cases -----------------------------------------------------------------------------------------

static int *empty(int n = ALL)
{
    int *p;
    cudaMalloc(&p, n * sizeof *p);
    return p;
}

static int *copied(int n = ALL, int room = ALL)
{
    static int host[ALL];
    for (int k = 0; k < ALL; k++)
        host[k] = k;
    int *p = empty(room);
    cudaMemcpy(p, host, n * sizeof *p, cudaMemcpyHostToDevice);
    return p;
}

static int host[ALL];

__global__ void count_up(int *p)
{
    p[threadIdx.x]++; // BUG graph_memory init // BUG graph_memory_again init // BUG graph_memory_freed init
}

// Run COUNT times a graph that allocates memory, fills it if FILLED, counts it up and frees it. Returns the memory.
static int *run_allocating_graph(bool filled, bool filled_once, int count)
{
    int *p;
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaStreamCreate(&s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaMallocAsync(&p, N * sizeof *p, s); // SEE graph_memory init // SEE graph_memory_again init // SEE graph_memory_freed init
    if (filled)
        fill<<<1, N, 0, s>>>(p, 1);
    if (!filled_once)
        count_up<<<1, N, 0, s>>>(p);
    cudaFreeAsync(p, s);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&e, g, 0);
    for (int k = 0; k < count; k++)
        cudaGraphLaunch(e, s);
    cudaStreamSynchronize(s);
    return p;
}

static void graph_memory() { run_allocating_graph(false, false, 1); }

static void graph_memory_again() { run_allocating_graph(false, false, 3); }

static void graph_memory_freed() { count_up<<<1, N>>>(run_allocating_graph(true, true, 1)); }

static void fine_graph_memory() { run_allocating_graph(true, false, 3); }

static void unwritten_decides() { sign_of<<<1, N>>>(copied(), empty()); }

static void fine_dropped_after_arithmetic() { twice_or_zero<<<1, N>>>(copied(), copied(100), 100); }

static void accumulate()
{
    int *sum;
    cudaMalloc(&sum, ALL * sizeof *sum); // SEE accumulate init
    add_to<<<BLOCKS, N>>>(sum, copied());
}

static void histogram()
{
    int *bins;
    cudaMalloc(&bins, 16 * sizeof *bins); // SEE histogram init
    add_up<<<BLOCKS, N>>>(bins, copied());
}

static void halo_not_loaded() { tile_without_halo<<<BLOCKS, N>>>(copied()); }
static void tail_not_loaded() { tile_tail<<<BLOCKS, N>>>(copied(), ALL - 100); }

static void one_past_the_copy() { next_difference<<<BLOCKS, N>>>(copied(100), 100); }

static void freed_and_again()
{
    int *p = copied();
    twice<<<BLOCKS, N>>>(p);
    cudaFree(p);
    cudaMalloc(&p, ALL * sizeof *p); // SEE freed_and_again init
    twice<<<BLOCKS, N>>>(p);
}

static void swapped_buffers()
{
    int *in = copied(), *out;
    cudaMalloc(&out, ALL * sizeof *out); // SEE swapped_buffers init
    step<<<BLOCKS, N>>>(in, out);
}

static void shared_histogram() { dynamic_counts<<<1, N, 16 * sizeof(int)>>>(copied()); }
static void wrong_buffer_first() { wrong_half_first<<<1, N>>>(copied()); }

static void copied_then_used()
{
    int *from = empty(), *to = empty();
    copy<<<BLOCKS, N>>>(to, from);
    int *last = empty();
    cudaMemcpy(last, to, ALL * sizeof *to, cudaMemcpyDeviceToDevice);
    jump_by<<<1, N>>>(last);
}

static void vector_past_the_copy() { vectors<<<1, N>>>((float4 *)copied(ALL / 2)); }

static void never_written()
{
    int *out;
    cudaMalloc(&out, sizeof host);                            // SEE never_written init
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost); // BUG never_written init
}

static void one_never_written() // as short as the padding of a structure, and all of it
{
    int *out;
    cudaMalloc(&out, sizeof *host);                             // SEE one_never_written init
    cudaMemcpy(host, out, sizeof *host, cudaMemcpyDeviceToHost); // BUG one_never_written init
}

static void copied_to_host()
{
    int *out = empty();
    copy<<<BLOCKS, N>>>(out, empty());
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost); // BUG copied_to_host init
}

static void fine_written_before()
{
    int *p = empty(), *q = empty();
    fill<<<BLOCKS, N>>>(p, 1);
    step<<<BLOCKS, N>>>(q, p);
    add_to<<<BLOCKS, N>>>(q, p);
    cudaMemcpy(host, q, sizeof host, cudaMemcpyDeviceToHost);
}

static void fine_device_to_device()
{
    int *p = empty();
    cudaMemcpy(p, copied(), ALL * sizeof *p, cudaMemcpyDeviceToDevice);
    twice<<<BLOCKS, N>>>(p);
}

static void fine_set()
{
    int *p = empty(), *q = empty();
    cudaMemset(p, 0, ALL * sizeof *p);
    cudaMemsetAsync(q, 0, ALL * sizeof *q);
    add_to<<<BLOCKS, N>>>(p, q);
    add_up<<<BLOCKS, N>>>(q, copied());
}

static void fine_async_tile() { async_tile<<<1, N>>>(copied()); }
static void fine_guarded_tile() { guarded_tile<<<BLOCKS, N>>>(copied(), ALL - 100); }

static void fine_managed()
{
    int *p;
    cudaMallocManaged(&p, ALL * sizeof *p);
    for (int k = 0; k < ALL; k++)
        p[k] = k;
    twice<<<BLOCKS, N>>>(p);
    cudaDeviceSynchronize();
}

static void fine_pinned()
{
    int *p;
    cudaMallocHost(&p, ALL * sizeof *p);
    memset(p, 0, ALL * sizeof *p);
    twice<<<BLOCKS, N>>>(p);
}

static void fine_zero_at_start()
{
    int *p;
    cudaGetSymbolAddress((void **)&p, counts);
    add_up<<<BLOCKS, N>>>(p, copied());
}

static void fine_padding()
{
    padded *a, *b;
    cudaMalloc(&a, N * sizeof *a);
    cudaMalloc(&b, N * sizeof *b);
    write_members<<<1, N>>>(a);
    copy_structs<<<1, N>>>(b, a);
    read_members<<<1, N>>>(b);
    cudaMemcpy(host, b, N * sizeof *b, cudaMemcpyDeviceToHost);
}

static void fine_vectors() { full_vectors<<<1, N>>>((float4 *)empty(), (float4 *)copied()); }

static void fine_across_blocks()
{
    int *flag = empty(1);
    cudaMemset(flag, 0, sizeof *flag);
    across_blocks<<<2, N>>>(empty(N), flag);
}

static void fine_zeroed_bins() { zeroed_bins<<<1, N, 16 * sizeof(int)>>>(copied()); }

static void part_to_host()
{
    int *p = empty();
    fill<<<1, N>>>(p, 3);
    cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost); // BUG part_to_host init
}

static void fine_copy_of_nothing()
{
    int *p = empty();
    copy<<<BLOCKS, N>>>(p, empty());
    cudaMemset(p, 0, ALL * sizeof *p);
    twice<<<BLOCKS, N>>>(p);
}

static void fine_rows()
{
    int *p;
    size_t pitch;
    cudaMallocPitch(&p, &pitch, 100 * sizeof *p, 8);
    cudaMemcpy2D(p, pitch, host, 100 * sizeof *p, 100 * sizeof *p, 8, cudaMemcpyHostToDevice);
    cudaMemcpy2D(host, 100 * sizeof *p, p, pitch, 100 * sizeof *p, 8, cudaMemcpyDeviceToHost);
    next_difference<<<1, N>>>(p, 99);
}

static void fine_exchange()
{
    int *p = empty();
    exchange<<<1, N>>>(p);
    jump_by<<<1, N>>>(p);
}

static void fine_again_async()
{
    int *p, *q;
    cudaMallocAsync(&p, ALL * sizeof *p, 0);
    fill<<<BLOCKS, N>>>(p, 1);
    twice<<<BLOCKS, N>>>(p);
    cudaFreeAsync(p, 0);
    cudaMallocAsync(&q, ALL * sizeof *q, 0);
    fill<<<BLOCKS, N>>>(q, 2);
    twice<<<BLOCKS, N>>>(q);
    cudaFreeAsync(q, 0);
}

static void fine_tiles() { sum_of_tile<<<1, N>>>(); }

static int *numbers()
{
    int *p = empty();
    cudaMemset(p, 0, ALL * sizeof *p);
    return p;
}

__global__ void tile_of_unwritten(int *out, const int *in)
{
    __shared__ int tile[N];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = 2 * tile[(threadIdx.x + 1) % N]; // BUG tile_of_nothing init
}
static void tile_of_nothing() { tile_of_unwritten<<<1, N>>>(copied(), empty()); }

static float *floats()
{
    float *p;
    cudaMalloc(&p, ALL * sizeof *p);
    cudaMemset(p, 0, ALL * sizeof *p);
    return p;
}
static void variable_never_set() { scaled<<<1, N>>>(floats()); }
static void table_never_set() { weighted<<<1, N>>>(floats()); }
static void table_set_in_part()
{
    float w[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    cudaMemcpyToSymbol(more_weight, w, 8);
    weighted_more<<<1, N>>>(floats());
}
static void member_never_set() { area<<<1, N>>>(empty()); }
static void fine_variables()
{
    float w[8] = {1, 1, 1, 1, 1, 1, 1, 1}, two = 2;
    shape s = {3, 4};
    int *p, ints[16] = {1};
    cudaMemcpyToSymbol(scale, &two, sizeof two);
    cudaMemcpyToSymbol(weight, w, sizeof w);
    cudaMemcpyToSymbolAsync(more_weight, w, 16);
    cudaMemcpyToSymbolAsync(more_weight, w, 16, 16);
    cudaMemcpyToSymbol(model::size, &s, sizeof s);
    cudaGetSymbolAddress((void **)&p, filled_by_host);
    cudaMemcpy(p, ints, sizeof ints, cudaMemcpyHostToDevice);
    scaled<<<1, N>>>(floats());
    weighted<<<1, N>>>(floats());
    weighted_more<<<1, N>>>(floats());
    area<<<1, N>>>(empty());
    zero_is_meant<<<1, N>>>(empty());
    cudaGetSymbolAddress((void **)&p, seen_by_pointer);
    count_through<<<1, 16>>>(p);
    see_counts<<<1, 16>>>(empty());
    cudaMemcpyFromSymbol(ints, seen_by_pointer, sizeof ints);
}

static void local_bins_half_zeroed()
{
    int ones[N], *p = empty();
    for (int k = 0; k < N; k++)
        ones[k] = k;
    cudaMemcpy(p, ones, sizeof ones, cudaMemcpyHostToDevice);
    local_bins<<<1, N>>>(p, 8);
}
static void local_window_short() { local_window<<<1, N>>>(numbers(), 4, 9); }
static void local_passed_on() { local_list<<<1, 32>>>(numbers(), 8, false); }
static void heap_half_filled() { heap_list<<<1, 32>>>(10, false); }
static void heap_block_again() { heap_again<<<1, 32>>>(false); }
static void heap_of_last_kernel()
{
    heap_keep<<<1, 1>>>(false);
    heap_use<<<1, N>>>();
}
static void fine_local()
{
    local_bins<<<1, N>>>(numbers(), 16);
    local_window<<<1, N>>>(numbers(), 9, 9);
    local_list<<<1, 32>>>(numbers(), 8, true);
    local_moved<<<1, 32>>>(numbers(), 4);
}
static void fine_heap()
{
    heap_list<<<1, 64>>>(10, true);
    heap_again<<<1, 64>>>(true);
    heap_keep<<<1, 1>>>(true);
    heap_use<<<1, N>>>();
}

#define CASES(X)                                                                                   \
    X(graph_memory) X(graph_memory_again) X(graph_memory_freed) X(fine_graph_memory)               \
    X(unwritten_decides) X(fine_dropped_after_arithmetic)                                          \
    X(accumulate) X(histogram) X(halo_not_loaded) X(tail_not_loaded) X(one_past_the_copy)          \
    X(freed_and_again) X(swapped_buffers) X(shared_histogram) X(wrong_buffer_first)                \
    X(copied_then_used) X(vector_past_the_copy) X(never_written) X(copied_to_host)                 \
    X(one_never_written)                                                                           \
    X(fine_written_before) X(fine_device_to_device) X(fine_set) X(fine_async_tile)                 \
    X(fine_guarded_tile) X(fine_managed) X(fine_pinned) X(fine_zero_at_start) X(fine_padding)      \
    X(fine_vectors) X(fine_across_blocks) X(fine_zeroed_bins) X(part_to_host)                 \
    X(fine_copy_of_nothing) X(fine_rows) X(fine_exchange) X(fine_again_async) X(fine_tiles)  \
    X(local_bins_half_zeroed) X(local_window_short) X(local_passed_on) X(heap_half_filled)         \
    X(heap_block_again) X(heap_of_last_kernel) X(fine_local) X(fine_heap)            \
    X(tile_of_nothing) X(variable_never_set) X(table_never_set) X(table_set_in_part) X(member_never_set)              \
    X(fine_variables)

int main(int argc, char **argv)
{
    RUN_CASES(CASES)
    return 0;
}
