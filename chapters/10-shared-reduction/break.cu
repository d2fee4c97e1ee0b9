// Break this kernel: a tree that loses branches. Make it give a wrong sum.
// Judged by: ./warpbook break shared-reduction
#include "lab.h"

struct choice {
    int n, block; // elements, threads of a block
};

static choice yours(void)
{
    choice c;
    // TODO 1 (about 2 lines): choose n, 1 to 100000, and block, 1 to 1024, so that a sum is wrong
    c.n = 1000;
    c.block = 256;
    // END TODO 1
    return c;
}

// out[b]: the sum of the elements of block b; what lies past the end counts as 0.
__global__ void sums(int *out, const int *in, int n)
{
    __shared__ int part[1024];
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
    part[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

int main(void)
{
    lab_begin("Break shared-reduction");
    const choice c = yours();
    lab_bound(c.n >= 1 && c.n <= 100000, "n is 1 to 100000");
    lab_bound(c.block >= 1 && c.block <= 1024, "block is 1 to 1024");
    const int grid = (c.n + c.block - 1) / c.block;

    LAB_CHECK_AT("sums", c.n) {
        lab_array<int> in(c.n, LAB_RANDOM, 1, 1000), out(grid, LAB_POISON);
        sums<<<grid, c.block>>>(out.device, in.device, c.n);
        lab_launched();
        auto sum = [&](long b) {
            long s = 0;
            for (long i = b * c.block; i < c.n && i / c.block == b; i++) s += in[i];
            return s;
        };
        lab_expect(out, sum, 0, "sums of ints are exact");
    }
    return lab_end();
}
