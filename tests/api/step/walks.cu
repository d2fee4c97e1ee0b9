// Kernels to walk through, one for each mode: a barrier that only some threads reach, a race that
// the usual order of warps hides, loops, a fault, several launches.
#include <cstdio>
#include <cstring>

__global__ void divergent_barrier(int *out)
{
    int t = threadIdx.x;
    if (t < 32) {
        out[t] = t;
        __syncthreads();
    } else {
        out[t] = -t;
        __syncthreads();
    }
    out[t] += 1;
}

// Warp 1 reads what warp 0 writes. Warp 0 runs first, so the result is right by luck.
__global__ void lucky(int *out)
{
    __shared__ int word[64];
    int t = threadIdx.x;
    word[t] = t + 7;
    if (t >= 32)
        out[t - 32] = word[t - 32];
}

__global__ void loop(int *out, int turns)
{
    int t = threadIdx.x, sum = 0;
#pragma unroll 1
    for (int k = 0; k < turns; k++)
        sum += k * t;
    out[t] = sum;
}

__global__ void past_the_end(int *out)
{
    out[threadIdx.x * 100000] = 1;
}

// One thread of each block adds to a word of global memory, and nothing orders the blocks.
__global__ void count(int *out)
{
    if (threadIdx.x == 5)
        out[0] = out[0] + 1;
}

// What is written by a surface, and by a bulk copy.
__device__ int table[4] = {1, 2, 3, 4};

__global__ void paint(cudaSurfaceObject_t picture)
{
    surf2Dwrite<int>(3 * threadIdx.x, picture, 4 * threadIdx.x, 1);
}

__global__ void send(int *out)
{
    __shared__ alignas(16) int tile[32];
    tile[threadIdx.x] = 5 * threadIdx.x;
    asm volatile("fence.proxy.async.shared::cta;");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 128;" ::"l"(out + 32),
                     "r"((unsigned)__cvta_generic_to_shared(tile)));
        asm volatile("cp.async.bulk.commit_group;");
        asm volatile("cp.async.bulk.wait_group 0;");
    }
}

static void write_by_all_means(int *out, const int *host)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaResourceDesc what = {};
    cudaSurfaceObject_t picture;
    cudaMallocArray(&what.res.array.array, &format, 64, 4, cudaArraySurfaceLoadStore);
    what.resType = cudaResourceTypeArray;
    cudaCreateSurfaceObject(&picture, &what);
    cudaMemcpy(out, host, 32, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(table, host, 4, 4);
    paint<<<1, 32>>>(picture);
    cudaMemset(out + 4, 9, 8);
    cudaMemcpy2D(out + 16, 32, host, 16, 8, 2, cudaMemcpyHostToDevice);
    send<<<1, 32>>>(out);
    cudaMemcpy(out + 8, out + 32, 4, cudaMemcpyDeviceToDevice);
    count<<<1, 32>>>(out);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    int *out, host[64] = {};
    cudaMalloc(&out, sizeof host);
    cudaMemset(out, 0, sizeof host);
    if (strcmp(mode, "barrier") == 0)
        divergent_barrier<<<1, 64>>>(out);
    if (strcmp(mode, "lucky") == 0)
        lucky<<<1, 64>>>(out);
    if (strcmp(mode, "loop") == 0) {
        loop<<<3, 64>>>(out, 5);
        loop<<<1, 40>>>(out, 2);
    }
    if (strcmp(mode, "count") == 0)
        count<<<3, 32>>>(out);
    if (strcmp(mode, "written") == 0)
        write_by_all_means(out, host);
    if (strcmp(mode, "fault") == 0)
        past_the_end<<<1, 32>>>(out);
    cudaError_t e = cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%s %d %d\n", cudaGetErrorName(e), host[0], host[1]);
    return 0;
}
