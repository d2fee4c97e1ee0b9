// Compiled with nvcc -G, so that variables of the source are known by name.
#include <cstdio>

__device__ float twice(float x)
{
    float y = x * 2;
    return y;
}

__global__ void sum_up(float *out, int n)
{
    __shared__ float last;
    int t = threadIdx.x;
    float sum = 0;
    double half = t * 0.5;
    for (int k = 0; k < n; k++) {
        float part = twice(k + t);
        sum += part;
    }
    bool odd = t & 1;
    if (t == 31)
        last = sum;
    __syncthreads();
    out[t] = odd ? sum + last : half;
}

struct point {
    float x, y;
    struct {
        short low, high;
    } parts;
};

// Arrays and structs: parameters, of a thread, of a block.
__global__ void gather(float *out, point p)
{
    __shared__ int tile[2][3];
    __shared__ point corner;
    int mine[3] = {1, 2, 3};
    point q = p;
    int t = threadIdx.x;
    if (t < 6)
        tile[t / 3][t % 3] = 10 * t;
    if (t == 0)
        corner = p;
    mine[t % 3] = t + 10;
    q.x += mine[t % 2];
    __syncthreads();
    out[t] = tile[1][t % 3] + mine[t % 3] + q.x + corner.y + p.parts.high;
}

int main(int argc, char **argv)
{
    float *out, host[32];
    cudaMalloc(&out, sizeof host);
    if (argc > 1 && argv[1][0] == 'a')
        gather<<<1, 32>>>(out, point{1.5f, 2, {7, -8}});
    else
        sum_up<<<1, 32>>>(out, 3);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g %g\n", host[1], host[2]);
    return 0;
}
