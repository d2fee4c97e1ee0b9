// The table of counters: one launch a number, kernels under their own names.
// alone: the names of its kernels are looked at
// tsv: WARPBOOK_COUNTERS launch kernel grid block metric value .*0 first<float, 3> 2x1x1 32x1x1 .*1 deep::second 1x3x1 8x4x1 
#include "check.h"

template <class T, int N> __global__ void first(T *p)
{
    p[blockIdx.x] = N;
}

namespace deep
{
__global__ void second(float *p, int (*f)(int))
{
    if (!f) {
        p[0] = 1;
    }
}
} // namespace deep

int main()
{
    float *d;
    OK(cudaMalloc(&d, 64));
    first<float, 3><<<2, 32>>>(d);
    deep::second<<<dim3(1, 3), dim3(8, 4)>>>(d, nullptr);
    OK(cudaDeviceSynchronize());
    return print_failures();
}
