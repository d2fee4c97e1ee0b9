// nvcc: -arch=sm_80
__global__ void transpose(float *out, const float *in, int w, int h)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        if (x < w && y + k < h)
            tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * w + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        if (x < h && y + k < w)
            out[(y + k) * h + x] = tile[threadIdx.x][threadIdx.y + k];
}
