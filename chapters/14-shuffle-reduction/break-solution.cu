// Break this kernel: a sum that no longer fits 32 bits. Make it give a wrong sum.
// Judged by: ./warpbook break shuffle-reduction
#include "lab.h"

static const int MOST = 65536, LARGEST = 100000;

struct choice {
    int n;                      // elements
    int (*value)(int i, int n); // the value of element i of n
};

static choice yours(void)
{
    choice c;
    // TODO 1 (about 2 lines): choose n, 1 to MOST, and the values, -LARGEST to LARGEST, so that the
    // sum is wrong
    c.n = MOST;
    c.value = [](int, int) { return LARGEST; };
    // END TODO 1
    return c;
}

__global__ void sum(int *out, const int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int s = i < n ? in[i] : 0;
    for (int half = 16; half > 0; half /= 2)
        s += __shfl_down_sync(0xFFFFFFFF, s, half);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, s);
}

int main(void)
{
    lab_begin("Break shuffle-reduction");
    const choice c = yours();
    static int value[MOST];
    long exact = 0;
    lab_bound(c.n >= 1 && c.n <= MOST, "n is 1 to 65536");
    for (int i = 0; i < c.n; i++) {
        value[i] = c.value(i, c.n);
        lab_bound(value[i] >= -LARGEST && value[i] <= LARGEST, "a value is -100000 to 100000");
        exact += value[i];
    }

    LAB_CHECK_AT("sum", c.n) {
        lab_array<int> in(c.n), out(1, LAB_RANDOM, 0, 0);
        CUDA_CHECK(cudaMemcpy(in.device, value, c.n * sizeof *value, cudaMemcpyDefault));
        sum<<<(c.n + 255) / 256, 256>>>(out.device, in.device, c.n);
        lab_launched();
        lab_expect(out, [&](long) { return exact; }, 0, "a sum of ints is exact");
    }
    return lab_end();
}
