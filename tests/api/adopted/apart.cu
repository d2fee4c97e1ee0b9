/* A device function that part.cu calls across files (-rdc=true). */
__device__ int increment(int x)
{
    return x + 1;
}
