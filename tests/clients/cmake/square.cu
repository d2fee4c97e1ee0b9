__device__ int square(int x)
{
    return x * x;
}
