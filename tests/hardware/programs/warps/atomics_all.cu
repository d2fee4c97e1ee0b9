// Every atomic on every type, scopes, locks, counters with wrap, a single-pass reduction by fences.
#include <cstdio>
#include <cuda/atomic>

__global__ void all(int *i, unsigned *u, unsigned long long *l, float *f, double *d)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&i[0], 10), atomicSub(&i[1], 3), atomicMax(&i[2], t - 100), atomicMin(&i[3], 50 - t);
    atomicAnd(&i[4], ~(1 << t % 8)), atomicOr(&i[5], 1 << t % 30), atomicXor(&i[6], t);
    atomicInc(&u[0], 17), atomicDec(&u[1], 137), atomicMax(&u[2], (unsigned)t * 3),
        atomicMin(&u[3], 5000u - t);
    atomicAdd(&l[0], 1ull << 33), atomicMax(&l[1], (unsigned long long)t << 20),
        atomicMin(&l[2], ~0ull - t);
    atomicAnd(&l[3], ~(1ull << t % 64)), atomicOr(&l[4], 1ull << t % 40),
        atomicXor(&l[5], (unsigned long long)t << 9);
    atomicMax((long long *)&l[6], -5ll * t), atomicMin((long long *)&l[7], -7ll * t);
    atomicAdd(&f[0], 0.5f), atomicAdd(&d[0], 0.25);
    atomicAdd_block(&i[7], 1), atomicAdd_system(&i[8], 2);
    atomicExch(&i[9], 4711), atomicExch(&f[1], 2.5f);
    unsigned short *s = (unsigned short *)&u[4];
    unsigned short was = *s, seen;
    do {
        seen = was;
        was = atomicCAS(s, seen, (unsigned short)(seen + 1));
    } while (was != seen);
}

__device__ float float_max(float *address, float v)
{
    int *p = (int *)address, old = *p, seen;
    do {
        seen = old;
        old = atomicCAS(p, seen, __float_as_int(fmaxf(v, __int_as_float(seen))));
    } while (seen != old);
    return __int_as_float(old);
}

__global__ void greatest(float *out)
{
    float_max(out, (threadIdx.x * 37 % 101) * 0.5f);
}

__device__ int mutex;
__device__ volatile int guarded;

__global__ void locked(int times)
{
    if (threadIdx.x == 0)
        for (int k = 0; k < times; k++) {
            while (atomicCAS(&mutex, 0, 1))
                ;
            __threadfence();
            guarded = guarded + 1;
            __threadfence();
            atomicExch(&mutex, 0);
        }
}

__global__ void spin_in_warp(int *out)
{
    __shared__ int lock, sum;
    if (threadIdx.x == 0)
        lock = sum = 0;
    __syncthreads();
    bool done = false;
    while (!done)
        if (atomicCAS(&lock, 0, 1) == 0) {
            *(volatile int *)&sum += threadIdx.x;
            __threadfence_block();
            atomicExch(&lock, 0);
            done = true;
        }
    __syncthreads();
    if (threadIdx.x == 0)
        *out = sum;
}

__device__ unsigned tickets;

__global__ void single_pass(const int *in, volatile int *parts, int *out, int n)
{
    __shared__ int s[256];
    __shared__ bool last;
    int sum = 0, t = threadIdx.x;
    for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256)
        sum += in[i];
    s[t] = sum;
    __syncthreads();
    for (int d = 128; d; d >>= 1) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) {
        parts[blockIdx.x] = s[0];
        __threadfence();
        last = atomicInc(&tickets, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        sum = 0;
        for (int b = 0; b < gridDim.x; b++)
            sum += parts[b];
        *out = sum;
        tickets = 0;
    }
}

__global__ void modern(cuda::atomic<int, cuda::thread_scope_device> *a, int *flag, int *data,
                       int *out)
{
    a->fetch_add(threadIdx.x, cuda::std::memory_order_relaxed);
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        *data = 42;
        ready.store(1, cuda::std::memory_order_release);
    } else if (blockIdx.x == 1 && threadIdx.x == 0) {
        while (ready.load(cuda::std::memory_order_acquire) == 0)
            ;
        *out = *data;
    }
}

int main()
{
    int *i;
    unsigned *u;
    unsigned long long *l;
    float *f;
    double *d;
    cudaMallocManaged(&i, 4096 * sizeof *i);
    cudaMallocManaged(&u, 64 * sizeof *u);
    cudaMallocManaged(&l, 64 * sizeof *l);
    cudaMallocManaged(&f, 64 * sizeof *f);
    cudaMallocManaged(&d, 64 * sizeof *d);
    for (int k = 0; k < 10; k++)
        i[k] = k == 4 ? 0xffff : 0, u[k] = k == 3 ? ~0u : 0, l[k] = k == 2 || k == 3 ? ~0ull : 0,
        f[k] = d[k] = 0;
    all<<<4, 160>>>(i, u, l, f, d);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    for (int k = 0; k < 10; k++)
        printf("%d ", i[k]);
    for (int k = 0; k < 5; k++)
        printf("%u ", u[k]);
    for (int k = 0; k < 8; k++)
        printf("%llu ", l[k]);
    printf("%g %g %g\n", f[0], f[1], d[0]);
    greatest<<<1, 256>>>(f);
    locked<<<6, 64>>>(20);
    spin_in_warp<<<1, 96>>>(i);
    cudaDeviceSynchronize();
    int count;
    cudaMemcpyFromSymbol(&count, guarded, sizeof count);
    printf("greatest %g, guarded %d, spun %d\n", f[0], count, i[0]);
    for (int k = 0; k < 4000; k++)
        i[k] = k % 91;
    single_pass<<<8, 256>>>(i, (int *)u, (int *)u + 20, 4000);
    single_pass<<<8, 256>>>(i, (int *)u, (int *)u + 21, 3999);
    cudaDeviceSynchronize();
    printf("single pass %u %u\n", u[20], u[21]);
    cuda::atomic<int, cuda::thread_scope_device> *a;
    cudaMallocManaged(&a, sizeof *a);
    i[0] = i[1] = i[2] = 0;
    modern<<<2, 64>>>(a, i, i + 1, i + 2);
    cudaDeviceSynchronize();
    printf("modern %d %d\n", a->load(), i[2]);
    return 0;
}
