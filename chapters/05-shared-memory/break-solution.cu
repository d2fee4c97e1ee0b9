// Break this kernel's speed: make all 32 lanes of a warp want the same bank.
// Judged by: ./warpbook break shared-memory
#include "lab.h"

struct choice {
    int first, step; // lane l reads word first + l * step of the tile
};

static choice yours(void)
{
    choice c;
    // TODO 1 (about 2 lines): choose first, 0 to 31, and step, 0 to 120, so that the load takes 32
    // passes over shared memory
    c.first = 0;
    c.step = 32;
    // END TODO 1
    return c;
}

enum { WORDS = 4096 };

__global__ void spread(int *out, const int *in, int first, int step)
{
    __shared__ int tile[WORDS];
    for (int k = threadIdx.x; k < WORDS; k += 32)
        tile[k] = in[k];
    __syncwarp();
    out[threadIdx.x] = tile[first + threadIdx.x * step];
}

int main(void)
{
    lab_begin("Break shared-memory");
    const choice c = yours();
    lab_bound(c.first >= 0 && c.first <= 31, "first is 0 to 31");
    lab_bound(c.step >= 0 && c.step <= 120, "step is 0 to 120");

    LAB_CHECK_AT("spread", 32) {
        lab_array<int> in(WORDS), out(32, LAB_POISON);
        spread<<<1, 32>>>(out.device, in.device, c.first, c.step);
        lab_launched();
        lab_expect(out, [&](long l) { return in[c.first + l * c.step]; }, 0, "a copy is exact");
    }
    LAB_GOAL("spread", "shared_load_wavefronts_per_request", "at_least", 32, "one pass per lane");
    return lab_end();
}
