// Break this kernel: blocks that wait for blocks. Make it wait for ever.
// Judged by: ./warpbook break registers-and-occupancy
#include "lab.h"

struct choice {
    int grid, block, shared; // blocks; threads of a block; bytes of shared memory for each block
};

static choice yours(void)
{
    choice c;
    // TODO 1 (about 3 lines): choose grid, 1 to 1000, block, 1 to 1024, and shared, 0 to 200000, so
    // that the kernel never ends
    c.grid = 132;
    c.block = 256;
    c.shared = 16384;
    // END TODO 1
    return c;
}

// Each block adds a value that the next block has written: all blocks wait until all have written.
__global__ void neighbours(int *out, volatile int *written, const int *in, int *arrived)
{
    int b = blockIdx.x;
    if (threadIdx.x > 0)
        return;
    written[b] = in[b];
    __threadfence();
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < gridDim.x)
        ;
    __threadfence();
    out[b] = in[b] + written[(b + 1) % gridDim.x];
}

int main(void)
{
    lab_begin("Break registers-and-occupancy");
    const choice c = yours();
    lab_bound(c.grid >= 1 && c.grid <= 1000, "grid is 1 to 1000");
    lab_bound(c.block >= 1 && c.block <= 1024, "block is 1 to 1024");
    lab_bound(c.shared >= 0 && c.shared <= 200000, "shared is 0 to 200000");
    CUDA_CHECK(cudaFuncSetAttribute(neighbours, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    200000));

    LAB_CHECK_AT("neighbours", c.grid) {
        lab_array<int> in(c.grid), out(c.grid, LAB_POISON), written(c.grid, LAB_POISON);
        lab_array<int> arrived(1, LAB_RANDOM, 0, 0);
        neighbours<<<c.grid, c.block, c.shared>>>(out.device, written.device, in.device,
                                                  arrived.device);
        lab_launched();
        lab_expect(out, [&](long b) { return in[b] + in[(b + 1) % c.grid]; }, 0, "an exact sum");
    }
    return lab_end();
}
