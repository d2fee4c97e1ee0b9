/* Lines and conditions that some lanes reach and some do not (run-outputs), two launches, and a race. */
__device__ __noinline__ int larger(int a, int b)
{
    if (a > b)
        return a;
    return b;
}

__global__ void never(int *out)
{
    *out = 1;
}

__global__ void paths(int *out, int limit)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    int v = tile[63 - threadIdx.x];
    if (threadIdx.x < 10)
        atomicAdd(out, v);
    else if (threadIdx.x > 1000)
        atomicSub(out, v);
#pragma unroll 1
    for (int i = 0; i < limit; i++)
        atomicAdd(&out[i], i);
    if (limit == 7)
        out[1] = larger(v, 3);
}

int main(int argc, char **)
{
    int *out;
    cudaMalloc(&out, 64 * sizeof *out);
    paths<<<2, 64>>>(out, 2);
    paths<<<1, 64>>>(out, 0);
    if (argc > 1)
        paths<<<1, 64>>>(out, 7);
    cudaDeviceSynchronize();
    return argc > 2 ? 4 : cudaFree(out);
}
