// nvcc: -arch=sm_80 -lineinfo
#include <cassert>
#include <cstdio>
__global__ void speak(const float *x, int n)
{
    assert(n > 0);
    printf("thread %d of %d: %g %s\n", threadIdx.x, n, x[threadIdx.x], "text");
    if (n == 77)
        __trap();
    int *p = (int *)malloc(n);
    p[0] = 1;
    free(p);
}
