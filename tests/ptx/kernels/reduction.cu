// nvcc: -arch=sm_75 -lineinfo
__global__ void reduce(int *out, const int *in, unsigned n)
{
    extern __shared__ int part[];
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    part[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 32; s >>= 1) {
        if (t < s)
            part[t] += part[t + s];
        __syncthreads();
    }
    if (t < 32) {
        int v = part[t] + part[t + 32];
        for (int d = 16; d; d >>= 1)
            v += __shfl_down_sync(0xffffffffu, v, d);
        if (t == 0)
            atomicAdd(out, v);
    }
}
