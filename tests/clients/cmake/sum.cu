extern __device__ int square(int x);

__global__ void sum_of_squares(int *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(sum, square(i));
}

int sum_on_device(int n)
{
    int *sum, result = -1;
    cudaMalloc(&sum, sizeof *sum);
    cudaMemset(sum, 0, sizeof *sum);
    sum_of_squares<<<(n + 63) / 64, 64>>>(sum, n);
    cudaMemcpy(&result, sum, sizeof result, cudaMemcpyDeviceToHost);
    cudaFree(sum);
    return result;
}
