// Races of kernels with kernels that they launch, and of such kernels with one another. The later access is marked,
// and the other one. See host.cu for the marks.
// flags: -rdc=true -lcudadevrt
#include "cases.h"

enum { N = 256 };
__device__ int result[N];

// --- kernels that kernels launch
__global__ void twice(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] *= 2; // BUG no_barrier race // BUG stored_after race // BUG read_too_early race // BUG beside_itself race // BUG two_streams race // BUG other_block race // BUG grandchild race // BUG host_streams race
}
__global__ void sum_of(const int *p, int *sum)
{
    atomicAdd(sum, p[threadIdx.x]); // BUG sum_beside race // BUG event_forgotten race
}
__global__ void put(int *p, int value)
{
    p[threadIdx.x] = value; // SEE sum_beside race // SEE event_forgotten race
}
__global__ void again(int *p)
{
    if (threadIdx.x == 0)
        twice<<<1, N>>>(p, N);
}

// --- kernels that launch
__global__ void without_barrier(int *p, bool barrier)
{
    p[threadIdx.x] = threadIdx.x; // SEE no_barrier race
    if (barrier)
        __syncthreads();
    if (threadIdx.x == 0)
        twice<<<1, N>>>(p, N);
}
__global__ void store_later(int *p, int at)
{
    twice<<<1, N>>>(p, N);
    p[at] = 1; // SEE stored_after race
}
__global__ void read_child(int *p, int *out)
{
    twice<<<1, N>>>(p, N);
    out[0] = p[7]; // SEE read_too_early race
}
__global__ void read_in_tail(int *p, int *out, bool tail)
{
    twice<<<1, N>>>(p, N);
    if (tail)
        sum_of<<<1, N, 0, cudaStreamTailLaunch>>>(p, out);
}
__global__ void by_halves(int *p, int step)
{
    twice<<<1, N, 0, cudaStreamFireAndForget>>>(p, N / 2);
    twice<<<1, N, 0, cudaStreamFireAndForget>>>(p + step, N / 2);
}
__global__ void in_two_streams(int *p, int step)
{
    cudaStream_t a, b;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    twice<<<1, N, 0, a>>>(p, N / 2);
    twice<<<1, N, 0, b>>>(p + step, N / 2);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
}
__global__ void blocks_share(int *p, int n)
{
    int *mine = p + blockIdx.x * n;
    mine[threadIdx.x] = blockIdx.x; // SEE other_block race
    __syncthreads();
    if (threadIdx.x == 0 && blockIdx.x == 0)
        twice<<<1, N>>>(p, N);
    if (threadIdx.x == 0 && blockIdx.x == 1)
        result[0] = n;
}
__global__ void own_part(int *p)
{
    int *mine = p + blockIdx.x * blockDim.x;
    mine[threadIdx.x] = blockIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        twice<<<1, blockDim.x>>>(mine, blockDim.x);
}
__global__ void each_thread(int *p)
{
    p[threadIdx.x] = threadIdx.x;
    twice<<<1, 1>>>(p + threadIdx.x, 1);
}
__global__ void put_and_sum(int *p, int *sum, bool one_stream)
{
    put<<<1, N, 0, one_stream ? (cudaStream_t)0 : cudaStreamFireAndForget>>>(p, 3);
    sum_of<<<1, N, 0, one_stream ? (cudaStream_t)0 : cudaStreamFireAndForget>>>(p, sum);
}
__global__ void put_event_sum(int *p, int *sum, bool waits)
{
    cudaStream_t a, b;
    cudaEvent_t done;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    put<<<1, N, 0, a>>>(p, 3);
    cudaEventRecord(done, a);
    if (waits)
        cudaStreamWaitEvent(b, done, 0);
    sum_of<<<1, N, 0, b>>>(p, sum);
}
__global__ void launch_again(int *p, bool also)
{
    again<<<1, 32>>>(p);
    if (also)
        p[3] = 4; // SEE grandchild race
}
__global__ void fence_then_last(int *p, int *count) // the last block launches, as in a reduction with a fence
{
    __shared__ bool last;
    p[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(count, 1) == (int)gridDim.x - 1;
    __syncthreads();
    if (last && threadIdx.x == 0)
        twice<<<1, N>>>(p, N);
}
__global__ void halve_and_launch(int *p, int n) // as a quicksort does it
{
    for (int i = 0; i < n; i++)
        p[i]++;
    if (n > 8) {
        cudaStream_t s;
        cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
        halve_and_launch<<<1, 1, 0, s>>>(p, n / 2);
        cudaStreamDestroy(s);
        cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
        halve_and_launch<<<1, 1, 0, s>>>(p + n / 2, n - n / 2);
        cudaStreamDestroy(s);
    }
}

static int *memory()
{
    int *p;
    cudaMalloc(&p, 2 * N * sizeof *p);
    cudaMemset(p, 0, 2 * N * sizeof *p);
    return p;
}

static void no_barrier() { without_barrier<<<1, N>>>(memory(), false); }
static void stored_after() { store_later<<<1, 1>>>(memory(), 5); }
static void read_too_early() { read_child<<<1, 1>>>(memory(), memory()); }
static void beside_itself() { by_halves<<<1, 1>>>(memory(), N / 2 - 1); }
static void two_streams() { in_two_streams<<<1, 1>>>(memory(), 1); }
static void other_block() { blocks_share<<<2, N / 2>>>(memory(), N / 2); }
static void sum_beside() { put_and_sum<<<1, 1>>>(memory(), memory(), false); }
static void event_forgotten() { put_event_sum<<<1, 1>>>(memory(), memory(), false); }
static void grandchild() { launch_again<<<1, 1>>>(memory(), true); }
static void host_streams() // the child of a kernel and a kernel of another stream
{
    cudaStream_t a, b;
    int *p = memory();
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaDeviceSynchronize();
    again<<<1, 32, 0, a>>>(p);
    twice<<<1, N, 0, b>>>(p, N);
}

static void fine_barrier() { without_barrier<<<1, N>>>(memory(), true); }
static void fine_stored_elsewhere() { store_later<<<1, 1>>>(memory(), N + 5); }
static void fine_tail() { read_in_tail<<<1, 1>>>(memory(), memory(), true); }
static void fine_halves()
{
    by_halves<<<1, 1>>>(memory(), N / 2);
    in_two_streams<<<1, 1>>>(memory(), N / 2);
}
static void fine_own_part()
{
    own_part<<<4, N / 4>>>(memory());
    each_thread<<<1, 32>>>(memory());
}
static void fine_one_stream()
{
    put_and_sum<<<1, 1>>>(memory(), memory(), true);
    put_event_sum<<<1, 1>>>(memory(), memory(), true);
}
static void fine_one_after_the_other() // a kernel has ended when those that it launched have
{
    int *p = memory(), *sum = memory();
    cudaStream_t a, b;
    cudaEvent_t done;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEventCreate(&done);
    cudaDeviceSynchronize();
    again<<<1, 32, 0, a>>>(p);
    twice<<<1, N, 0, a>>>(p, N);
    launch_again<<<1, 1, 0, a>>>(p, false);
    cudaEventRecord(done, a);
    cudaStreamWaitEvent(b, done);
    sum_of<<<1, N, 0, b>>>(p, sum);
    cudaStreamSynchronize(b);
    twice<<<1, N, 0, a>>>(p, N);
}
static void fine_last_block() { fence_then_last<<<4, N / 4>>>(memory(), memory()); }
static void fine_quicksort() { halve_and_launch<<<1, 1>>>(memory(), N); }

#define CASES(X)                                                                                   \
    X(no_barrier) X(stored_after) X(read_too_early) X(beside_itself) X(two_streams)                \
    X(other_block) X(sum_beside) X(event_forgotten) X(grandchild) X(host_streams) X(fine_barrier)  \
    X(fine_stored_elsewhere) X(fine_tail) X(fine_halves) X(fine_own_part) X(fine_one_stream)       \
    X(fine_one_after_the_other) X(fine_last_block) X(fine_quicksort)

int main(int argc, char **argv)
{
    RUN_CASES(CASES)
    return 0;
}
