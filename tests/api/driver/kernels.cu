// Loaded as a module by the other programs: as PTX text, as a fat binary, from a file.
__device__ int counter = 7;
__constant__ float factor = 2;

extern "C" __global__ void scale(float *data, int n, float by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= by * factor;
}

extern "C" __global__ void __launch_bounds__(128) count(char small, double *at)
{
    __shared__ double sum[128];
    sum[threadIdx.x] = small;
    __syncthreads();
    if (threadIdx.x == 0) {
        counter++;
        *at = sum[blockDim.x - 1] + counter;
    }
}

extern "C" __global__ void astray(int *at)
{
    *at = 1;
}
