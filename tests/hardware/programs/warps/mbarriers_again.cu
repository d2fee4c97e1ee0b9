// An mbarrier that is initialised again right after a wait, in the same memory: every warp that
// waited has its phase, also where another warp was first to go on. Each round, warps add what
// their neighbours have stored before the barrier.
#include <cstdio>
#include <cstring>
#include <vector>

typedef unsigned long long u64;

__device__ inline unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}
__device__ inline void init(u64 *b, unsigned count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(count)
                 : "memory");
}
__device__ inline void invalidate(u64 *b)
{
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(shared_address(b)) : "memory");
}
__device__ inline u64 arrive(u64 *b)
{
    u64 state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];"
                 : "=l"(state)
                 : "r"(shared_address(b))
                 : "memory");
    return state;
}
#define WAIT(name, kind, word, type, letter)                                          \
    __device__ inline void name(u64 *b, type phase)                                   \
    {                                                                                 \
        unsigned done;                                                                \
        do                                                                            \
            asm volatile("{ .reg .pred p; mbarrier." kind ".shared.b64 p, [%1], %2; " \
                         "selp.u32 %0, 1, 0, p; }"                                    \
                         : "=r"(done)                                                 \
                         : "r"(shared_address(b)), letter(phase)                      \
                         : "memory");                                                 \
        while (!done);                                                                \
    }
WAIT(try_state, "try_wait", "state", u64, "l")
WAIT(test_state, "test_wait", "state", u64, "l")
WAIT(try_parity, "try_wait.parity", "parity", unsigned, "r")
WAIT(test_parity, "test_wait.parity", "parity", unsigned, "r")

enum { THREADS = 256 };

// Thread 0 initialises the barrier again right after its wait. FENCED: behind __syncthreads(), so that
// nothing races. INVAL: invalidates it first.
template <int WAY, bool FENCED, bool INVAL> __global__ void rounds(int *out, int n)
{
    __shared__ u64 bar;
    __shared__ int values[2][THREADS];
    const int t = threadIdx.x;
    int sum = t + blockIdx.x;
    if (t == 0)
        init(&bar, THREADS);
    __syncthreads();
    for (int r = 0; r < n; r++) {
        values[r & 1][t] = sum;
        const u64 state = arrive(&bar);
        switch (WAY) {
        case 0:
            try_parity(&bar, 0);
            break;
        case 1:
            test_parity(&bar, 0);
            break;
        case 2:
            try_state(&bar, state);
            break;
        default:
            test_state(&bar, state);
            break;
        }
        sum = sum * 5 + r + values[r & 1][(t + 33) % THREADS];
        if (FENCED)
            __syncthreads();
        if (t == 0) {
            if (INVAL)
                invalidate(&bar);
            init(&bar, THREADS);
        }
        __syncthreads();
    }
    out[blockIdx.x * THREADS + t] = sum;
}

// Initialised again once, at the end of the first use, and never waited for again by the others.
__global__ void last_use(int *out, int n)
{
    __shared__ u64 bar;
    __shared__ int values[THREADS];
    const int t = threadIdx.x;
    if (t == 0)
        init(&bar, THREADS);
    __syncthreads();
    values[t] = t * n;
    const u64 state = arrive(&bar);
    try_state(&bar, state);
    if (t == 32 * (blockIdx.x & 7))
        init(&bar, 1);
    out[blockIdx.x * THREADS + t] = values[(t + 65) % THREADS];
}

int main(int argc, char **argv)
{
    const char *only = argc > 1 ? argv[1] : "";
    const int blocks = 64, n = 50;
    int *device;
    cudaMalloc(&device, blocks * THREADS * sizeof(int));
    std::vector<int> out(blocks * THREADS);
    auto show = [&](const char *name, auto kernel) {
        if (!strstr(name, only))
            return;
        cudaMemset(device, 0, out.size() * sizeof(int));
        kernel<<<blocks, THREADS>>>(device, n);
        const cudaError_t e = cudaDeviceSynchronize();
        cudaMemcpy(out.data(), device, out.size() * sizeof(int), cudaMemcpyDeviceToHost);
        unsigned h = 0;
        for (int x : out)
            h = (h ^ (unsigned)x) * 0x01000193 + (h >> 15);
        printf("%s %s %08x\n", name, cudaGetErrorName(e), h);
        fflush(stdout);
    };
    show("fenced try_parity", rounds<0, true, false>);
    show("fenced test_parity", rounds<1, true, false>);
    show("fenced try_state", rounds<2, true, false>);
    show("fenced test_state", rounds<3, true, false>);
    show("fenced inval try_parity", rounds<0, true, true>);
    show("fenced inval test_state", rounds<3, true, true>);
    show("last_use", last_use);
    show("bare try_parity", rounds<0, false, false>);
    show("bare try_state", rounds<2, false, false>);
    show("bare test_parity", rounds<1, false, false>);
    show("bare test_state", rounds<3, false, false>);
    show("bare inval try_parity", rounds<0, false, true>);
    show("bare inval try_state", rounds<2, false, true>);
    return 0;
}
