// Constant memory that kernels write: a __constant__ variable has an address in global memory
// (cudaGetSymbolAddress), and a later launch reads through the constant cache what a kernel has
// stored there, by whatever way. Within a launch that would be a race, so no kernel does both.
#include <cstdio>
#include <vector>

__constant__ int table[64] = {1, 2, 3};
__constant__ float scale = 0.5f;
__constant__ unsigned long long words[8];
__constant__ char bytes[40];
__constant__ int4 vectors[4];

__global__ void show()
{
    printf("table");
    for (int k = 0; k < 64; k += 7)
        printf(" %d", table[k]);
    printf(" scale %g words", scale);
    for (int k = 0; k < 8; k++)
        printf(" %llx", words[k]);
    printf(" bytes");
    for (int k = 0; k < 40; k += 3)
        printf(" %d", bytes[k]);
    printf(" vectors");
    for (int k = 0; k < 4; k++)
        printf(" %d,%d,%d,%d", vectors[k].x, vectors[k].y, vectors[k].z, vectors[k].w);
    printf("\n");
}
__global__ void indexed(int *out)
{
    out[threadIdx.x] = table[threadIdx.x * 5 & 63] + bytes[threadIdx.x];
}
__global__ void store(int *t, float *s, int add)
{
    t[threadIdx.x] = (int)threadIdx.x * add;
    if (threadIdx.x == 0)
        *s = (float)add;
}
__global__ void atomics(int *t, unsigned long long *w, float *s)
{
    atomicAdd(&t[threadIdx.x & 7], 1);
    atomicMax(&t[8], (int)threadIdx.x);
    atomicExch(&w[0], 0x123456789abcdef0ull);
    atomicCAS(&w[1], 0ull, 77ull);
    atomicAdd(&w[2 + threadIdx.x % 6], 1ull << 32);
    atomicAdd(s, 1.0f);
}
__global__ void narrow(char *b, int4 *v)
{
    b[threadIdx.x] = (char)(threadIdx.x * 3);
    if (threadIdx.x < 4)
        v[threadIdx.x] = make_int4(threadIdx.x, 10, -1, 7);
}
// Reads through the generic address, as global memory, in the launch that writes.
__global__ void through_global(volatile int *t, int *out)
{
    t[threadIdx.x] = t[threadIdx.x] + 1000;
    __syncthreads();
    out[threadIdx.x] = t[63 - threadIdx.x];
}
__global__ void bulk(int *t)
{
    __shared__ __align__(16) int from[64];
    from[threadIdx.x] = 5 * (int)threadIdx.x - 9;
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(
                         __cvta_generic_to_global(t)),
                     "r"((unsigned)__cvta_generic_to_shared(from))
                     : "memory");
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
__global__ void bulk_add(int *t)
{
    __shared__ __align__(16) int from[64];
    from[threadIdx.x] = 1 << (threadIdx.x & 15);
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile(
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], 256;" ::"l"(
                __cvta_generic_to_global(t)),
            "r"((unsigned)__cvta_generic_to_shared(from))
            : "memory");
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
__global__ void reductions(int *t)
{
    asm volatile("red.global.add.s32 [%0], 3;" ::"l"(t + threadIdx.x) : "memory");
    asm volatile("st.global.v2.s32 [%0], {7, 8};" ::"l"(t + 2 * (threadIdx.x & 3)) : "memory");
}

static int line;
static void after(const char *what)
{
    const cudaError_t e = cudaDeviceSynchronize();
    printf("%d %s %s\n", ++line, what, cudaGetErrorName(e));
    fflush(stdout);
    show<<<1, 1>>>();
    cudaDeviceSynchronize();
    int *out;
    cudaMalloc(&out, 32 * sizeof(int));
    indexed<<<1, 32>>>(out);
    std::vector<int> host(32);
    cudaMemcpy(host.data(), out, 32 * sizeof(int), cudaMemcpyDeviceToHost);
    for (int x : host)
        printf("%d ", x);
    cudaFree(out);
    int copy[64];
    const cudaError_t got = cudaMemcpyFromSymbol(copy, table, sizeof copy);
    printf("%s %d %d\n", cudaGetErrorName(got), copy[0], copy[63]);
    fflush(stdout);
}

int main()
{
    int *t, *out;
    float *s;
    unsigned long long *w;
    char *b;
    int4 *v;
    cudaGetSymbolAddress((void **)&t, table);
    cudaGetSymbolAddress((void **)&s, scale);
    cudaGetSymbolAddress((void **)&w, words);
    cudaGetSymbolAddress((void **)&b, bytes);
    cudaGetSymbolAddress((void **)&v, vectors);
    cudaMalloc(&out, 64 * sizeof(int));
    cudaPointerAttributes a;
    cudaPointerGetAttributes(&a, t);
    printf("type %d device %d same %d\n", (int)a.type, a.device, a.devicePointer == t);
    after("start");
    store<<<1, 64>>>(t, s, 3);
    after("store");
    atomics<<<1, 64>>>(t, w, s);
    after("atomics");
    narrow<<<1, 40>>>(b, v);
    after("narrow");
    through_global<<<1, 64>>>(t, out);
    after("through_global");
    int host[64];
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("global %d %d\n", host[0], host[63]);
    bulk<<<1, 64>>>(t);
    after("bulk");
    bulk_add<<<1, 64>>>(t);
    after("bulk_add");
    reductions<<<1, 64>>>(t);
    after("reductions");
    printf("memset %s\n", cudaGetErrorName(cudaMemset(t, 1, 8 * sizeof(int))));
    after("memset");
    printf("copy %s\n",
           cudaGetErrorName(cudaMemcpy(t + 32, t, 32 * sizeof(int), cudaMemcpyDeviceToDevice)));
    after("copy");
    printf("copy2d %s\n",
           cudaGetErrorName(cudaMemcpy2D(t, 16, out, 32, 8, 4, cudaMemcpyDeviceToDevice)));
    after("copy2d");
    const int five = 5;
    printf("host %s\n",
           cudaGetErrorName(cudaMemcpy(t + 1, &five, sizeof five, cudaMemcpyHostToDevice)));
    after("host");
    store<<<1, 64>>>(t, s, 4);
    store<<<1, 64>>>(t, s, 6); // two in a stream, then the reader
    after("twice");
    return 0;
}
