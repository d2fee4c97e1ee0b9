// Break this kernel: elements that no thread comes to. Make it give a wrong value.
// Judged by: ./warpbook break first-kernel
#include "lab.h"

struct choice {
    int n, block; // elements, threads of a block
};

static choice yours(void)
{
    choice c;
    // TODO 1 (about 2 lines): choose n, 1 to 100000, and block, 1 to 1024, so that an element of
    // out is wrong
    c.n = 1024;
    c.block = 256;
    // END TODO 1
    return c;
}

__global__ void add_ten(int *out, const int *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] + 10;
}

int main(void)
{
    lab_begin("Break first-kernel");
    const choice c = yours();
    lab_bound(c.n >= 1 && c.n <= 100000, "n is 1 to 100000");
    lab_bound(c.block >= 1 && c.block <= 1024, "block is 1 to 1024");

    LAB_CHECK_AT("add_ten", c.n) {
        lab_array<int> in(c.n), out(c.n, LAB_POISON);
        add_ten<<<c.n / c.block, c.block>>>(out.device, in.device);
        lab_launched();
        lab_expect(out, [&](long i) { return in[i] + 10; }, 0, "a sum of ints is exact");
    }
    return lab_end();
}
