// Reads of memory that nobody has written, of kinds that init.cu leaves out: managed memory, memory of pools, bytes
// that bulk and tensor copies bring; and such copies over the fence of an array. See host.cu for the marks.
#include "cases.h"
#include <cstdint>
#include <cuda.h>
#include <cudaTypedefs.h>
#include <dlfcn.h>

enum { N = 256, WIDE = 32, HIGH = 8, PAGE = 4096 / sizeof(int), PAGES = 4, MANY = PAGES * PAGE };
static_assert(WIDE * HIGH == N, "a tile is a matrix");
__device__ int result[MANY];

// --- asynchronous copies: macros, so that a copy has the line of its use -------------------------------
#define IN_SHARED(p) ((unsigned)__cvta_generic_to_shared(p))
#define BULK_LOAD(to, from, bytes, bar)                                                                             \
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::       \
                     "r"(IN_SHARED(to)), "l"(__cvta_generic_to_global(from)), "r"((int)(bytes)), "r"(IN_SHARED(bar)) \
                 : "memory")
#define BULK_STORE(to, from, bytes)                                                                \
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::                  \
                     "l"(__cvta_generic_to_global(to)), "r"(IN_SHARED(from)), "r"((int)(bytes)) : "memory")
#define BULK_ADD(to, from, bytes)                                                                  \
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], %2;" ::   \
                     "l"(__cvta_generic_to_global(to)), "r"(IN_SHARED(from)), "r"((int)(bytes)) : "memory")
#define TENSOR_LOAD(to, map, x, y, bar)                                                                                  \
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" \
                 :: "r"(IN_SHARED(to)), "l"(&(map)), "r"(x), "r"(y), "r"(IN_SHARED(bar)) : "memory")
#define TENSOR_STORE(map, x, y, from)                                                              \
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::  \
                     "l"(&(map)), "r"(x), "r"(y), "r"(IN_SHARED(from)) : "memory")

__device__ void begin(uint64_t *bar)
{
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(IN_SHARED(bar)) : "memory");
    __syncthreads();
}
__device__ void expect(uint64_t *bar, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(IN_SHARED(bar)), "r"(bytes) : "memory");
}
__device__ void wait(uint64_t *bar)
{
    for (int done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(IN_SHARED(bar)) : "memory");
}
__device__ void finish()
{
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}
__device__ void publish() // what threads have stored, to copies
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
}

// --- kernels ---------------------------------------------------------------------------------------
__global__ void store(int *out, int from, int to)
{
    int i = from + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < to)
        out[i] = i;
}
__global__ void add_one(const int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        result[i] = in[i] + 1; // BUG managed_half init // BUG managed_short_copy init // BUG managed_tail init // BUG pool_freed_at_once init // BUG pool_again init // BUG pool_made init // BUG pool_other_stream init // BUG pool_after_a_copy init // BUG bulk_stored init // BUG tensor_stored init
}
__global__ void count(int *sum)
{
    atomicAdd(sum, 1); // BUG managed_sum init
}
__global__ void bulk_in(const int *in, int bytes)
{
    __shared__ alignas(128) int tile[2 * N];
    __shared__ uint64_t bar;
    begin(&bar);
    if (threadIdx.x == 0) {
        expect(&bar, bytes);
        BULK_LOAD(tile, in, bytes, &bar); // BUG bulk_past_the_end memory // BUG bulk_before memory
    }
    wait(&bar);
    result[threadIdx.x] = tile[threadIdx.x] + 1; // BUG bulk_half init // BUG bulk_twice init
}
__global__ void bulk_through(int *out, const int *in)
{
    __shared__ alignas(128) int tile[N];
    __shared__ uint64_t bar;
    begin(&bar);
    if (threadIdx.x == 0) {
        expect(&bar, sizeof tile);
        BULK_LOAD(tile, in, sizeof tile, &bar);
        wait(&bar);
        BULK_STORE(out, tile, sizeof tile);
        finish();
    }
}
__global__ void bulk_out(int *out, int filled, int bytes)
{
    __shared__ alignas(128) int tile[2 * N];
    for (int i = threadIdx.x; i < filled; i += blockDim.x)
        tile[i] = i;
    publish();
    if (threadIdx.x == 0) {
        BULK_STORE(out, tile, bytes); // BUG bulk_store_past memory
        finish();
    }
}
__global__ void bulk_sum(int *out, int filled, int bytes)
{
    __shared__ alignas(128) int tile[2 * N];
    for (int i = threadIdx.x; i < filled; i += blockDim.x)
        tile[i] = i;
    publish();
    if (threadIdx.x == 0) {
        BULK_ADD(out, tile, bytes); // BUG bulk_sum_of_nothing init // BUG bulk_half_a_sum init // BUG bulk_sum_past memory
        finish();
    }
}
__global__ void tensor_in(const __grid_constant__ CUtensorMap map, int y)
{
    __shared__ alignas(1024) int tile[HIGH][WIDE];
    __shared__ uint64_t bar;
    begin(&bar);
    if (threadIdx.x == 0) {
        expect(&bar, sizeof tile);
        TENSOR_LOAD(tile, map, 0, y, &bar); // BUG tensor_row_past memory // BUG tensor_row_before memory
    }
    wait(&bar);
    for (int y = 0; y < HIGH; y++)
        result[y * WIDE + threadIdx.x] = tile[y][threadIdx.x] * 2; // BUG tensor_half init // BUG tensor_swizzled init
}
__global__ void tensor_out(const __grid_constant__ CUtensorMap map, int rows)
{
    __shared__ alignas(1024) int tile[HIGH][WIDE];
    for (int y = 0; y < rows; y++)
        tile[y][threadIdx.x] = y;
    publish();
    if (threadIdx.x == 0) {
        TENSOR_STORE(map, 0, 0, tile); // BUG tensor_store_past memory
        finish();
    }
}

// --- memory ----------------------------------------------------------------------------------------
static int host[MANY];
static int *empty(int n = N)
{
    int *p;
    cudaMalloc(&p, n * sizeof *p);
    return p;
}
static int *copied(int n, int room = N)
{
    int *p = empty(room);
    cudaMemcpy(p, host, n * sizeof *p, cudaMemcpyHostToDevice);
    return p;
}
static CUtensorMap map_of(int *data, int high, CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE)
{
    static PFN_cuTensorMapEncodeTiled_v12000 encode;
    cudaDriverEntryPointQueryResult found;
    if (!encode)
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000, cudaEnableDefault, &found);
    CUtensorMap map{};
    cuuint64_t size[] = {WIDE, (cuuint64_t)high}, stride[] = {WIDE * sizeof(int)};
    cuuint32_t box[] = {WIDE, HIGH}, step[] = {1, 1};
    if (encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, data, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
               swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        puts("no map");
    return map;
}

// --- managed memory: of a page that the host has touched all bytes count as written
static void managed_sum()
{
    int *sum;
    cudaMallocManaged(&sum, sizeof *sum); // SEE managed_sum init
    count<<<1, 64>>>(sum);
    cudaDeviceSynchronize();
}
static void managed_half()
{
    int *p;
    cudaMallocManaged(&p, MANY * sizeof *p); // SEE managed_half init
    for (int i = 0; i < MANY / 2; i++)
        p[i] = i;
    add_one<<<MANY / N, N>>>(p, MANY);
}
static void managed_short_copy()
{
    int *p;
    cudaMallocManaged(&p, N * sizeof *p); // SEE managed_short_copy init
    cudaMemcpyAsync(p, copied(N), (N - 1) * sizeof *p, cudaMemcpyDeviceToDevice, 0);
    add_one<<<1, N>>>(p, N);
}
static void managed_tail()
{
    int *p;
    cudaMallocManaged(&p, 2 * N * sizeof *p); // SEE managed_tail init
    store<<<2, N>>>(p, 0, 2 * N - 3);
    add_one<<<2, N>>>(p, 2 * N);
}
static void managed_to_host()
{
    int *p;
    cudaMallocManaged(&p, N * sizeof *p);                        // SEE managed_to_host init
    cudaMemcpy(host, p, N * sizeof *p, cudaMemcpyDeviceToHost); // BUG managed_to_host init
}
static void fine_managed_zeroed()
{
    int *p, *q, *r;
    cudaMallocManaged(&p, MANY * sizeof *p);
    cudaMallocManaged(&q, MANY * sizeof *q);
    cudaMallocManaged(&r, MANY * sizeof *r);
    memset(p, 0, MANY * sizeof *p);
    cudaMemset(q, 0, MANY * sizeof *q);
    add_one<<<MANY / N, N>>>(p, MANY);
    add_one<<<MANY / N, N>>>(q, MANY);
    cudaMemcpy(r, p, MANY * sizeof *r, cudaMemcpyDefault);
    add_one<<<MANY / N, N>>>(r, MANY);
    count<<<1, 64>>>(r);
    cudaDeviceSynchronize();
}
static void fine_managed_file()
{
    int *p;
    cudaMallocManaged(&p, MANY * sizeof *p);
    FILE *f = fopen("/dev/zero", "r");
    if (f && fread(p, sizeof *p, MANY, f) == MANY)
        add_one<<<MANY / N, N>>>(p, MANY);
    cudaDeviceSynchronize();
}
static void fine_managed_by_turns() // the host writes zeros where the kernel has written beside them
{
    int *p;
    cudaMallocManaged(&p, 2 * N * sizeof *p);
    store<<<1, N>>>(p, 0, N);
    cudaDeviceSynchronize();
    for (int i = N; i < 2 * N; i++)
        p[i] = 0;
    add_one<<<2, N>>>(p, 2 * N);
    cudaDeviceSynchronize();
}
__managed__ int zeros[N];
static void fine_managed_variable()
{
    add_one<<<1, N>>>(zeros, N);
    count<<<1, N>>>(zeros);
}
static void fine_managed_output()
{
    int *p;
    cudaMallocManaged(&p, MANY * sizeof *p);
    cudaMemPrefetchAsync(p, MANY * sizeof *p, cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0, 0);
    store<<<MANY / N, N>>>(p, 0, MANY);
    add_one<<<MANY / N, N>>>(p, MANY);
    cudaDeviceSynchronize();
}

// --- memory of pools
static int *pooled(int n = N, cudaStream_t s = 0)
{
    int *p;
    cudaMallocAsync(&p, n * sizeof *p, s);
    return p;
}
static void pool_freed_at_once()
{
    int *p;
    cudaMallocAsync(&p, N * sizeof *p, 0); // SEE pool_freed_at_once init
    add_one<<<1, N>>>(p, N);
    cudaFreeAsync(p, 0);
}
static void pool_again()
{
    int *p = pooled();
    store<<<1, N>>>(p, 0, N);
    add_one<<<1, N>>>(p, N);
    cudaFreeAsync(p, 0);
    cudaMallocAsync(&p, N * sizeof *p, 0); // SEE pool_again init
    add_one<<<1, N>>>(p, N);
    cudaFreeAsync(p, 0);
}
static void pool_made()
{
    int *p;
    cudaMemPool_t pool;
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    cudaMemPoolCreate(&pool, &props);
    cudaMallocFromPoolAsync(&p, N * sizeof *p, pool, 0); // SEE pool_made init
    cudaMemsetAsync(p, 0, N / 2 * sizeof *p, 0);
    add_one<<<1, N>>>(p, N);
    cudaFreeAsync(p, 0);
}
static void pool_other_stream()
{
    int *p;
    cudaStream_t a, b;
    cudaEvent_t there;
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    cudaEventCreate(&there);
    cudaMallocAsync(&p, N * sizeof *p, a); // SEE pool_other_stream init
    cudaEventRecord(there, a);
    cudaStreamWaitEvent(b, there);
    add_one<<<1, N, 0, b>>>(p, N);
    cudaFreeAsync(p, b);
}
static void pool_after_a_copy() // the second allocation gets the bytes of the first, which hold a copy
{
    int *p = pooled(), *q;
    cudaMemcpyAsync(p, host, N * sizeof *p, cudaMemcpyHostToDevice, 0);
    cudaFreeAsync(p, 0);
    cudaDeviceSynchronize();
    cudaMallocAsync(&q, N * sizeof *q, 0); // SEE pool_after_a_copy init
    add_one<<<1, N>>>(q, N - 1);
    cudaFreeAsync(q, 0);
}
static void fine_pool_again()
{
    for (int k = 0; k < 3; k++) {
        int *p = pooled(N + k / 2);
        store<<<1, N>>>(p, 0, N);
        add_one<<<1, N>>>(p, N);
        cudaFreeAsync(p, 0);
    }
}
static void fine_pool_set()
{
    int *p = pooled();
    cudaMemsetAsync(p, 0, N * sizeof *p, 0);
    count<<<1, N>>>(p);
    cudaFreeAsync(p, 0);
    p = pooled();
    cudaMemcpyAsync(p, host, N * sizeof *p, cudaMemcpyHostToDevice, 0);
    add_one<<<1, N>>>(p, N);
    cudaFree(p);
}
static void fine_pool_streams()
{
    cudaStream_t a, b;
    cudaEvent_t there, done;
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    cudaEventCreate(&there);
    cudaEventCreate(&done);
    int *p = pooled(N, a);
    store<<<1, N, 0, a>>>(p, 0, N);
    cudaEventRecord(there, a);
    cudaStreamWaitEvent(b, there);
    add_one<<<1, N, 0, b>>>(p, N);
    cudaEventRecord(done, b);
    cudaStreamWaitEvent(a, done);
    cudaFreeAsync(p, a);
    p = pooled(N, a);
    store<<<1, N, 0, a>>>(p, 0, N);
    add_one<<<1, N, 0, a>>>(p, N);
    cudaFreeAsync(p, a);
}
static void fine_pool_unused() // allocated again, and only the part is read that is written
{
    cudaFreeAsync(pooled(), 0);
    int *p = pooled();
    store<<<1, N>>>(p, 0, N / 2);
    add_one<<<1, N>>>(p, N / 2);
    cudaFreeAsync(p, 0);
}

// --- bytes that copies bring
static void bulk_half() { bulk_in<<<1, N>>>(copied(N / 2), N * sizeof(int)); }
static void bulk_twice()
{
    int *p = empty(), *q = empty();
    bulk_through<<<1, 32>>>(p, copied(N - 4));
    bulk_through<<<1, 32>>>(q, p);
    bulk_in<<<1, N>>>(q, N * sizeof(int));
}
static void bulk_stored()
{
    int *p;
    cudaMalloc(&p, N * sizeof *p); // SEE bulk_stored init
    bulk_out<<<1, 32>>>(p, N / 2, N * sizeof *p);
    add_one<<<1, N>>>(p, N);
}
static void bulk_to_host()
{
    int *p;
    cudaMalloc(&p, N * sizeof *p); // SEE bulk_to_host init
    bulk_through<<<1, 32>>>(p, empty());
    cudaMemcpy(host, p, N * sizeof *p, cudaMemcpyDeviceToHost); // BUG bulk_to_host init
}
static void bulk_sum_of_nothing()
{
    int *p;
    cudaMalloc(&p, N * sizeof *p); // SEE bulk_sum_of_nothing init
    bulk_sum<<<1, 32>>>(p, N, N * sizeof *p);
}
static void bulk_half_a_sum() { bulk_sum<<<1, 32>>>(copied(N), N / 2, N * sizeof(int)); }
static void tensor_half() { tensor_in<<<1, WIDE>>>(map_of(copied(N / 2), HIGH), 0); }
static void tensor_swizzled()
{
    tensor_in<<<1, WIDE>>>(map_of(copied(N - WIDE), HIGH, CU_TENSOR_MAP_SWIZZLE_128B), 0);
}
static void tensor_stored()
{
    int *p;
    cudaMalloc(&p, N * sizeof *p); // SEE tensor_stored init
    tensor_out<<<1, WIDE>>>(map_of(p, HIGH), HIGH - 1);
    add_one<<<1, N>>>(p, N);
}
static void fine_bulk()
{
    int *p = empty(), *q = empty();
    bulk_in<<<1, N>>>(copied(N), N * sizeof(int));
    bulk_out<<<1, 32>>>(p, N, N * sizeof *p);
    bulk_through<<<1, 32>>>(q, p);
    add_one<<<1, N>>>(q, N);
    bulk_sum<<<1, 32>>>(q, N, N * sizeof *q);
    cudaMemcpy(host, q, N * sizeof *q, cudaMemcpyDeviceToHost);
}
static void fine_bulk_copy_of_padding() // bytes that nobody has written are copied, and never used
{
    int *p = empty();
    bulk_through<<<1, 32>>>(p, copied(N / 2));
    add_one<<<1, N>>>(p, N / 2);
    store<<<1, N>>>(p, N / 2, N);
    add_one<<<1, N>>>(p, N);
}
static void fine_tensor()
{
    int *p = copied(N), *q = empty();
    tensor_in<<<1, WIDE>>>(map_of(p, HIGH), 0);
    tensor_in<<<1, WIDE>>>(map_of(p, HIGH, CU_TENSOR_MAP_SWIZZLE_128B), 0);
    tensor_out<<<1, WIDE>>>(map_of(q, HIGH), HIGH);
    add_one<<<1, N>>>(q, N);
}
static void fine_tensor_beyond() // rows outside the tensor are zeros
{
    int *p = copied(N / 2);
    tensor_in<<<1, WIDE>>>(map_of(p, HIGH / 2), 0);
    tensor_in<<<1, WIDE>>>(map_of(p, HIGH / 2), -3);
}

// --- copies over the fence of an array
static int *fenced(int n, int *base) // as common/lab_array.h does it, with a fence of N elements at both ends
{
    auto tell = (void (*)(const void *, size_t, size_t))dlsym(RTLD_DEFAULT, "__cudaWarpbookArray");
    cudaMemset(base, 0, (n + 2 * N) * sizeof *base);
    if (tell)
        tell(base + N, sizeof *base, n);
    return base + N;
}
static void bulk_past_the_end()
{
    int *p;
    cudaMalloc(&p, (100 + 2 * N) * sizeof *p); // SEE bulk_past_the_end memory
    bulk_in<<<1, N>>>(fenced(100, p), N * sizeof *p);
}
static void bulk_before()
{
    int *p;
    cudaMalloc(&p, 3 * N * sizeof *p); // SEE bulk_before memory
    bulk_in<<<1, N>>>(fenced(N, p) - 4, N * sizeof *p);
}
static void bulk_store_past()
{
    int *p;
    cudaMalloc(&p, 3 * N * sizeof *p); // SEE bulk_store_past memory
    bulk_out<<<1, 32>>>(fenced(N, p) + 8, N, N * sizeof *p);
}
static void bulk_sum_past()
{
    int *p;
    cudaMalloc(&p, 3 * N * sizeof *p); // SEE bulk_sum_past memory
    bulk_sum<<<1, 32>>>(fenced(N, p), N + 4, (N + 4) * sizeof *p);
}
static void tensor_row_past()
{
    int *p;
    cudaMalloc(&p, (N - WIDE + 2 * N) * sizeof *p); // SEE tensor_row_past memory
    tensor_in<<<1, WIDE>>>(map_of(fenced(N - WIDE, p), HIGH), 0);
}
static void tensor_row_before()
{
    int *p;
    cudaMalloc(&p, 3 * N * sizeof *p); // SEE tensor_row_before memory
    tensor_in<<<1, WIDE>>>(map_of(fenced(N, p) - WIDE, HIGH), 0);
}
static void tensor_store_past()
{
    int *p;
    cudaMalloc(&p, (N - 1 + 2 * N) * sizeof *p); // SEE tensor_store_past memory
    tensor_out<<<1, WIDE>>>(map_of(fenced(N - 1, p), HIGH), HIGH);
}
static void fine_fenced()
{
    int *p = fenced(N, empty(3 * N));
    bulk_in<<<1, N>>>(p, N * sizeof *p);
    bulk_sum<<<1, 32>>>(p, N, N * sizeof *p);
    tensor_in<<<1, WIDE>>>(map_of(p, HIGH), 0);
    tensor_in<<<1, WIDE>>>(map_of(p, HIGH), 2);
    tensor_out<<<1, WIDE>>>(map_of(p, HIGH), HIGH);
}

#define CASES(X)                                                                                   \
    X(managed_sum) X(managed_half) X(managed_short_copy) X(managed_tail) X(managed_to_host)        \
    X(fine_managed_zeroed) X(fine_managed_file) X(fine_managed_by_turns) X(fine_managed_variable)  \
    X(fine_managed_output) X(pool_freed_at_once) X(pool_again) X(pool_made) X(pool_other_stream)   \
    X(pool_after_a_copy) X(fine_pool_again) X(fine_pool_set) X(fine_pool_streams)                  \
    X(fine_pool_unused) X(bulk_half) X(bulk_twice) X(bulk_stored) X(bulk_to_host)                  \
    X(bulk_sum_of_nothing) X(bulk_half_a_sum) X(tensor_half) X(tensor_swizzled) X(tensor_stored)   \
    X(fine_bulk) X(fine_bulk_copy_of_padding) X(fine_tensor) X(fine_tensor_beyond)                 \
    X(bulk_past_the_end) X(bulk_before) X(bulk_store_past) X(bulk_sum_past) X(tensor_row_past)     \
    X(tensor_row_before) X(tensor_store_past) X(fine_fenced)

int main(int argc, char **argv)
{
    for (int k = 0; k < MANY; k++)
        host[k] = k + 1;
    RUN_CASES(CASES)
    return 0;
}
