// Break this kernel: an index that no longer fits 32 bits. Make it give a wrong value.
// Judged by: ./warpbook break coalescing
#include "lab.h"

struct choice {
    int n, step; // elements; distance of two neighbours' elements
};

static choice yours(void)
{
    choice c;
    // TODO 1 (about 2 lines): choose n and step, 1 to 1000000 each, so that an element of out is
    // wrong
    c.n = 100003;
    c.step = 50000;
    // END TODO 1
    return c;
}

// out[i] = in[i * step], where what lies past the end is counted from the beginning again.
__global__ void gather(int *out, const int *in, unsigned n, unsigned step)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i * step % n];
}

int main(void)
{
    lab_begin("Break coalescing");
    const choice c = yours();
    const long n = c.n, step = c.step; // 64 bits
    lab_bound(n >= 1 && n <= 1000000, "n is 1 to 1000000");
    lab_bound(step >= 1 && step <= 1000000, "step is 1 to 1000000");

    LAB_CHECK_AT("gather", c.n) {
        lab_array<int> in(n), out(n, LAB_POISON);
        gather<<<(c.n + 255) / 256, 256>>>(out.device, in.device, c.n, c.step);
        lab_launched();
        lab_expect(out, [&](long i) { return in[i * step % n]; }, 0, "a copy is exact");
    }
    return lab_end();
}
