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

int main(void)
{
    float *out, host[32];
    cudaMalloc(&out, sizeof host);
    sum_up<<<1, 32>>>(out, 3);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g %g\n", host[1], host[2]);
    return 0;
}
