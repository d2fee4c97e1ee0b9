// Break this kernel: two arrays in one piece of shared memory. Make it fault.
// Judged by: ./warpbook break dynamic-shared-memory
#include "lab.h"

struct choice {
    int letters, block; // bytes of the first array; threads, and doubles of the second array
};

static choice yours(void)
{
    choice c;
    // TODO 1 (about 2 lines): choose letters, 1 to 1000, and block, 1 to 1024, so that an access to
    // memory faults
    c.letters = 64;
    c.block = 64;
    // END TODO 1
    return c;
}

__global__ void weigh(double *out, const unsigned char *in, int letters)
{
    extern __shared__ unsigned char memory[];
    double *weight = (double *)(memory + letters);
    for (int k = threadIdx.x; k < letters; k += blockDim.x)
        memory[k] = in[k];
    __syncthreads();
    weight[threadIdx.x] = 0.5 * memory[threadIdx.x % letters];
    out[threadIdx.x] = weight[threadIdx.x];
}

int main(void)
{
    lab_begin("Break dynamic-shared-memory");
    const choice c = yours();
    lab_bound(c.letters >= 1 && c.letters <= 1000, "letters is 1 to 1000");
    lab_bound(c.block >= 1 && c.block <= 1024, "block is 1 to 1024");
    const size_t bytes = c.letters + c.block * sizeof(double);

    LAB_CHECK_AT("weigh", c.block) {
        lab_array<unsigned char> in(c.letters, LAB_LETTERS);
        lab_array<double> out(c.block, LAB_POISON);
        weigh<<<1, c.block, bytes>>>(out.device, in.device, c.letters);
        lab_launched();
        lab_expect(out, [&](long i) { return 0.5 * in[i % c.letters]; }, 0, "half is exact");
    }
    return lab_end();
}
