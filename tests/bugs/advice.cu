// Mistakes that have a line and a cure of their own, one an argument: see host.cu for the marks.
// flags: --extended-lambda
#include "cases.h"
#include "include/library.cuh"
#include <cstdio>
#include <cuda_runtime.h>
#include <new>

enum { N = 256 };
__device__ int input[N] = {1}, result[N];

// --- values that several threads change in place: atomicAdd, not a barrier
__global__ void count_kernel(int bins, bool atomic)
{
    __shared__ int mine[N];
    mine[threadIdx.x] = 0;
    __syncthreads();
    int k = threadIdx.x % bins;
    if (atomic)
        atomicAdd(&mine[k], 1);
    else
        mine[k]++; // BUG counted_in_place race
    __syncthreads();
    result[threadIdx.x] = mine[threadIdx.x];
}
__global__ void sum_kernel(bool barrier)
{
    __shared__ int total[2];
    if (threadIdx.x < 2)
        total[threadIdx.x] = 0;
    __syncthreads();
    if (barrier)
        atomicAdd(&total[1], input[threadIdx.x] + 1);
    else
        total[1] += input[threadIdx.x] + 1; // BUG summed_in_place race
    __syncthreads();
    result[threadIdx.x] = total[1];
}
__global__ void bytes_kernel(unsigned word, bool atomic)
{
    __shared__ int mine[N];
    mine[threadIdx.x] = 0;
    __syncthreads();
    int *own = mine + threadIdx.x % 2;
    word += input[threadIdx.x];
    for (int shift = 0; shift < 32; shift += 8) { // unrolled: one line has four loads and stores
        if (atomic)
            atomicAdd(&own[(word >> shift & 127) * 2], 1);
        else
            own[(word >> shift & 127) * 2]++; // BUG bytes_counted_in_place race
    }
    __syncthreads();
    result[threadIdx.x] = mine[threadIdx.x];
}
// --- a tree without a barrier: the barrier is the cure, and never __syncwarp() in a large block
__global__ void tree_kernel(bool barrier)
{
    __shared__ int part[N];
    part[threadIdx.x] = input[threadIdx.x];
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (barrier)
            __syncthreads();
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half]; // BUG tree_without_barrier race
    }
    __syncthreads();
    result[threadIdx.x] = part[0];
}
__global__ void lanes_kernel(bool barrier)
{
    __shared__ int tile[N];
    tile[threadIdx.x] = input[threadIdx.x];
    if (barrier)
        __syncthreads();
    result[threadIdx.x] = tile[threadIdx.x ^ 1]; // BUG neighbour_lane race
}
// --- a load that the compiler moves in front of the branch in which it is used first
__global__ void offset_kernel(bool barrier)
{
    __shared__ int sums[32];
    if (threadIdx.x < 32)
        sums[threadIdx.x] = input[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0)
        sums[31] = atomicAdd(&result[0], sums[31]);
    if (barrier)
        __syncthreads();
    result[1 + threadIdx.x] = sums[31] + threadIdx.x;
}
__global__ void shifted_kernel(int *next)
{
    __shared__ int sums[32];
    if (threadIdx.x < 32)
        sums[threadIdx.x] = input[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0)
        sums[31] = atomicAdd(next, sums[31]);     // BUG used_by_all race
    result[threadIdx.x] = sums[31] + threadIdx.x; // SEE used_by_all race
}

// --- two arrays at one address
__global__ void two_arrays_kernel(bool apart)
{
    extern __shared__ int counts[];
    extern __shared__ float weights[];
    float *w = apart ? (float *)&counts[blockDim.x] : weights;
    counts[threadIdx.x] = input[threadIdx.x]; // SEE two_dynamic_arrays race
    __syncthreads();
    if (apart)
        w[threadIdx.x] = 2;
    else
        result[threadIdx.x] = (int)weights[N - 1 - threadIdx.x]; // BUG two_dynamic_arrays race
}

// --- arrays carved from one buffer
__global__ void carved_kernel(int first)
{
    extern __shared__ float buffer[];
    float *low = buffer, *high = buffer + first;
    low[threadIdx.x] = input[threadIdx.x]; // BUG halves_overlap race
    high[threadIdx.x] = 2 * threadIdx.x;   // SEE halves_overlap race
    __syncthreads();
    result[threadIdx.x] = (int)(low[N - 1 - threadIdx.x] + high[N - 1 - threadIdx.x]);
}
static void halves_overlap()
{
    carved_kernel<<<1, N, 2 * N * sizeof(float)>>>(N / 2);
}
static void fine_halves()
{
    carved_kernel<<<1, N, 2 * N * sizeof(float)>>>(N);
}
__global__ void pool_kernel()
{
    __shared__ __align__(8) char pool[12 * N];
    double *wide = (double *)pool;
    float *narrow = (float *)(pool + 4 * N);
    wide[threadIdx.x] = input[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < N / 2)
        result[threadIdx.x] = (int)wide[N - 1 - threadIdx.x]; // BUG types_overlap race
    else
        narrow[threadIdx.x] = threadIdx.x; // SEE types_overlap race
}
static void types_overlap()
{
    pool_kernel<<<1, N>>>();
}
// Two stores to one array: what is missing is a barrier, and nothing else is said.
__global__ void cleared_kernel()
{
    __shared__ int flags[N];
    flags[threadIdx.x] = 0;               // SEE cleared_late race
    flags[(threadIdx.x * 7 + 3) % N] = 1; // BUG cleared_late race
    __syncthreads();
    result[threadIdx.x] = flags[threadIdx.x];
}
static void cleared_late()
{
    cleared_kernel<<<1, N>>>();
}

// --- a tree in dynamic shared memory
__global__ void dynamic_tree_kernel(int half)
{
    extern __shared__ int tree[];
    tree[threadIdx.x] = input[threadIdx.x]; // BUG half_without_barrier race
    if (threadIdx.x < half)
        tree[threadIdx.x] += tree[threadIdx.x + half]; // SEE half_without_barrier race
    result[threadIdx.x] = tree[threadIdx.x];
}
static void half_without_barrier()
{
    dynamic_tree_kernel<<<1, N, N * sizeof(int)>>>(N / 2);
}

// --- memory that the kernel promises never to write
__global__ void in_place_kernel(const int *__restrict__ in, int *__restrict__ out, int n)
{
    for (int k = 0; k < n; k++) {
        out[threadIdx.x] = in[threadIdx.x] + 1; // BUG read_only_but_written race
        __syncwarp();
    }
}

static void in_place(bool same)
{
    int *a, *b;
    cudaMalloc(&a, N * sizeof *a);
    cudaMalloc(&b, N * sizeof *b);
    cudaMemset(a, 0, N * sizeof *a);
    in_place_kernel<<<1, N>>>(a, same ? a : b, 3);
    cudaFree(a);
    cudaFree(b);
}

// --- an index that overflows an int
__global__ void row_kernel(const char *table, const int *row, int width, bool wide)
{
    if (wide)
        result[threadIdx.x] = table[(long long)*row * width + threadIdx.x];
    else
        result[threadIdx.x] = table[*row * width + (int)threadIdx.x]; // BUG index_overflows fault
}
static void big_index(bool wide)
{
    const int width = 1024, at = (1 << 21) + 7;
    char *table;
    int *row;
    cudaMalloc(&table, (size_t)width * (at + 1));
    cudaMalloc(&row, sizeof *row);
    cudaMemset(table + (size_t)width * at, 1, width);
    cudaMemcpy(row, &at, sizeof at, cudaMemcpyHostToDevice);
    row_kernel<<<1, N>>>(table, row, width, wide);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return;
    cudaFree(table);
    cudaFree(row);
}

// --- a barrier that is used before it is initialised
__global__ void barrier_kernel(bool waits)
{
    __shared__ unsigned long long barrier;
    unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 64)
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(N) : "memory");
    if (waits)
        __syncthreads();
    asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" ::"r"(at)
                 : "memory"); // BUG barrier_not_ready fault
}

static void counted_in_place()
{
    count_kernel<<<1, N>>>(8, false);
}
static void bytes_counted_in_place()
{
    bytes_kernel<<<1, N>>>(0x03020103, false);
}
static void summed_in_place()
{
    sum_kernel<<<1, N>>>(false);
}
static void tree_without_barrier()
{
    tree_kernel<<<1, N>>>(false);
}
static void neighbour_lane()
{
    lanes_kernel<<<1, N>>>(false);
}
static void used_by_all()
{
    int *next;
    cudaMalloc(&next, sizeof *next);
    cudaMemset(next, 0, sizeof *next);
    shifted_kernel<<<1, N>>>(next);
    cudaFree(next);
}
static void two_dynamic_arrays()
{
    two_arrays_kernel<<<1, N, 2 * N * sizeof(int)>>>(false);
}
static void read_only_but_written()
{
    in_place(true);
}
static void index_overflows()
{
    big_index(false);
}
static void barrier_not_ready()
{
    barrier_kernel<<<1, N>>>(false);
}
// --- a library's kernel: the line of the program is named too
struct add_one {
    __device__ int operator()(int x) const
    {
        return x + 1;
    }
};
struct look_up {
    const int *table;
    __device__ int operator()(int x) const
    {
        return table[x]; // LINE in_own_function
    }
};
static void transform(int n, int size)
{
    int *out;
    cudaMalloc(&out, size * sizeof(int));
    cudaMemset(out, 0, size * sizeof(int));
    library_transform(out, out, n, add_one()); // LINE in_library
    cudaDeviceSynchronize();
    cudaFree(out);
}
static void in_library()
{
    transform(N, N / 2);
}
static void fine_library()
{
    transform(N, N);
}
static void in_own_function()
{
    int *in;
    cudaMalloc(&in, N * sizeof(int));
    cudaMemset(in, 1, N * sizeof(int));
    library_transform(in, in, N, look_up{in});
    cudaDeviceSynchronize();
}
// --- sizes: elements where bytes are counted, and the other way round
__global__ void double_kernel(double *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] *= 2; // LINE size_of_elements
}
static void double_all(size_t allocated, size_t copied)
{
    static double host[4 * N];
    double *p;
    cudaMalloc(&p, allocated);
    cudaMemcpy(p, host, copied, cudaMemcpyHostToDevice); // LINE size_of_floats
    double_kernel<<<4, N>>>(p, 4 * N);
    cudaDeviceSynchronize();
    cudaFree(p);
}
static void size_of_floats()
{
    double_all(4 * N * sizeof(float), 4 * N * sizeof(double));
}
static void size_of_elements()
{
    double_all(4 * N, 4 * N);
}
static void copy_of_elements()
{
    double_all(4 * N * sizeof(double), 4 * N);
}
static void fine_sizes()
{
    double_all(4 * N * sizeof(double), 4 * N * sizeof(double));
}
static void rows_in_bytes(size_t high)
{
    static float host[9][100];
    float *p;
    size_t pitch;
    cudaMallocPitch(&p, &pitch, sizeof host[0], 8);
    cudaMemcpy2D(p, pitch, host, sizeof host[0], sizeof host[0], high, cudaMemcpyHostToDevice);
    cudaFree(p);
}
static void one_row_too_many()
{
    rows_in_bytes(9);
}
static void fine_rows()
{
    rows_in_bytes(8);
}
// --- the address of a pointer in place of the pointer: no other direction would help
static void copy_by_address(bool from, bool to)
{
    int *pinned, *p;
    cudaMallocHost(&pinned, N);
    cudaMalloc(&p, N);
    cudaMemset(p, 0, N);
    if (to)
        cudaMemcpy(&p, pinned, N, cudaMemcpyHostToDevice);
    else if (from)
        cudaMemcpy(pinned, &p, N, cudaMemcpyDeviceToHost);
    else
        cudaMemcpy(pinned, p, N, cudaMemcpyDeviceToHost);
    cudaFree(p);
    cudaFreeHost(pinned);
}
static void copy_to_address()
{
    copy_by_address(false, true);
}
static void copy_from_address()
{
    copy_by_address(true, false);
}
static void fine_pointer()
{
    copy_by_address(false, false);
}
// --- a float constant, which nvcc stores as an integer, is no other array
__global__ void ones_kernel(bool barrier)
{
    __shared__ float ones[N];
    ones[threadIdx.x] = 1; // BUG ones_without_barrier race
    if (barrier)
        __syncthreads();
    result[threadIdx.x] = (int)ones[threadIdx.x ^ 32]; // SEE ones_without_barrier race
}
static void ones_without_barrier()
{
    ones_kernel<<<1, N>>>(false);
}
static void fine_ones()
{
    ones_kernel<<<1, N>>>(true);
}

// --- a lambda in a member function captures this, not the members
template <class F> __global__ void each_kernel(F f)
{
    f(threadIdx.x);
}
template <class T> class scaler
{
    T factor = 3, *data;

  public:
    scaler()
    {
        cudaMalloc(&data, N * sizeof(T));
        cudaMemset(data, 0, N * sizeof(T));
    }
    void clear()
    {
        cudaFree(data);
    }
    void run_by_this()
    {
        each_kernel<<<1, N>>>([=] __device__(int i) { data[i] += factor * i; }); // LINE this
        cudaDeviceSynchronize();
    }
    void run_by_const_this(int by) const
    {
        T *d = data;
        each_kernel<<<1, N>>>([=] __device__(int i) { d[i] += by * factor; }); // LINE const_this
        cudaDeviceSynchronize();
    }
    void run_by_copy()
    {
        each_kernel<<<1, N>>>([=, *this] __device__(int i) { data[i] += factor * i; });
        cudaDeviceSynchronize();
    }
    void run_of_host_table(const T *table)
    {
        each_kernel<<<1, N>>>([=] __device__(int i) { data[i] += table[i]; });
        cudaDeviceSynchronize();
    }
};
static void captured_this()
{
    scaler<float> on_stack;
    on_stack.run_by_this();
}
static void captured_const_this()
{
    const auto *on_heap = new scaler<int>;
    on_heap->run_by_const_this(2);
    delete on_heap;
}
// this is managed memory, and what is wrong is the other pointer
static void captured_table()
{
    void *at;
    static float table[N];
    cudaMallocManaged(&at, sizeof(scaler<float>));
    auto *s = new (at) scaler<float>;
    s->run_of_host_table(table);
    s->clear();
    cudaFree(at);
}
static void fine_captures()
{
    void *at;
    scaler<float> on_stack;
    on_stack.run_by_copy();
    on_stack.clear();
    cudaMallocManaged(&at, sizeof(scaler<float>));
    auto *s = new (at) scaler<float>;
    s->run_by_this();
    s->clear();
    cudaFree(at);
}
static void fine_one_dynamic_array()
{
    two_arrays_kernel<<<1, N, 2 * N * sizeof(int)>>>(true);
}
static void fine_read_only()
{
    in_place(false);
}
static void fine_wide_index()
{
    big_index(true);
}
static void fine_barrier_ready()
{
    barrier_kernel<<<1, N>>>(true);
}
static void fine_atomics()
{
    count_kernel<<<1, N>>>(8, true);
    bytes_kernel<<<1, N>>>(0x03020103, true);
    sum_kernel<<<1, N>>>(true);
    count_kernel<<<1, N>>>(N, false);
}
static void fine_barriers()
{
    tree_kernel<<<1, N>>>(true);
    lanes_kernel<<<1, N>>>(true);
    offset_kernel<<<1, N - 1>>>(true);
}

#define CASES(X)                                                                                  \
    X(counted_in_place)                                                                           \
    X(bytes_counted_in_place)                                                                     \
    X(summed_in_place)                                                                            \
    X(tree_without_barrier)                                                                       \
    X(neighbour_lane)                                                                             \
    X(used_by_all)                                                                                \
    X(fine_atomics)                                                                               \
    X(fine_barriers)                                                                              \
    X(halves_overlap)                                                                             \
    X(types_overlap)                                                                              \
    X(cleared_late) X(fine_halves) X(two_dynamic_arrays) X(read_only_but_written)                 \
        X(index_overflows) X(barrier_not_ready) X(half_without_barrier) X(in_library)             \
            X(in_own_function) X(fine_library) X(fine_one_dynamic_array) X(fine_read_only)        \
                X(fine_wide_index) X(fine_barrier_ready) X(captured_this) X(captured_const_this)  \
                    X(captured_table) X(fine_captures) X(size_of_floats) X(size_of_elements)      \
                        X(copy_of_elements) X(fine_sizes) X(copy_to_address) X(copy_from_address) \
                            X(fine_pointer) X(one_row_too_many) X(fine_rows)                      \
                                X(ones_without_barrier) X(fine_ones)

int main(int argc, char **argv)
{
    RUN_CASES(CASES)
    return cudaDeviceSynchronize() != cudaSuccess;
}
