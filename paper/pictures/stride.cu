// Lanes of a warp STRIDE floats apart, one launch for each stride from 1 to 32: what paper/site lets a reader choose.
__global__ void gather(float *out, const float *in, int stride)
{
    out[threadIdx.x] = in[threadIdx.x * stride];
}

int main()
{
    float *in, *out;
    if (cudaMalloc(&in, 32 * 32 * sizeof *in) || cudaMalloc(&out, 32 * sizeof *out)) return 1;
    if (cudaMemset(in, 0, 32 * 32 * sizeof *in)) return 1;
    for (int stride = 1; stride <= 32; stride++) gather<<<1, 32>>>(out, in, stride);
    return cudaDeviceSynchronize() != cudaSuccess;
}
