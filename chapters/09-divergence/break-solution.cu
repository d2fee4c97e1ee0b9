// Break this kernel: a barrier in a loop. Make threads of a block miss it.
// Judged by: ./warpbook break divergence
#include "lab.h"

struct choice {
    int n, grid, block; // elements; blocks; threads of a block
};

static choice yours(void)
{
    choice c;
    // TODO 1 (about 3 lines): choose n, 1 to 100000, grid, 1 to 100, and block, 1 to 256, so that
    // threads of a block miss a barrier
    c.n = 1000;
    c.grid = 4;
    c.block = 128;
    // END TODO 1
    return c;
}

// Each element less the first one of its tile; a tile has as many elements as a block has threads.
__global__ void differences(int *out, const int *in, int n)
{
    __shared__ int first;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        if (threadIdx.x == 0)
            first = in[i];
        __syncthreads();
        out[i] = in[i] - first;
        __syncthreads();
    }
}

int main(void)
{
    lab_begin("Break divergence");
    const choice c = yours();
    lab_bound(c.n >= 1 && c.n <= 100000, "n is 1 to 100000");
    lab_bound(c.grid >= 1 && c.grid <= 100, "grid is 1 to 100");
    lab_bound(c.block >= 1 && c.block <= 256, "block is 1 to 256");

    LAB_CHECK_AT("differences", c.n) {
        lab_array<int> in(c.n), out(c.n, LAB_POISON);
        differences<<<c.grid, c.block>>>(out.device, in.device, c.n);
        lab_launched();
        lab_expect(out, [&](long i) { return in[i] - in[i / c.block * c.block]; }, 0, "exact");
    }
    return lab_end();
}
