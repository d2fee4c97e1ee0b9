__global__ void twice(int *x)
{
    *x *= 2;
}

int twice_on_device(int value)
{
    int *x;
    cudaMallocManaged(&x, sizeof *x);
    *x = value;
    twice<<<1, 1>>>(x);
    cudaDeviceSynchronize();
    value = *x;
    cudaFree(x);
    return value;
}
