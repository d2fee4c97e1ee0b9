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

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    int *out, host[64];
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
    if (strcmp(mode, "fault") == 0)
        past_the_end<<<1, 32>>>(out);
    cudaError_t e = cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%s %d %d\n", cudaGetErrorName(e), host[0], host[1]);
    return 0;
}
