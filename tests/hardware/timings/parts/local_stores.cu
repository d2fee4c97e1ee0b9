/* Local memory whose elements the lanes of a warp choose differently: a request touches ROWS lines
 * of 32 words, one for each element chosen. A load finds in L1 what was stored; every store goes on
 * to L2, which asks for a time by sectors, by lines, and by lines with a sector written in part. */
#include "record.h"

enum { LENGTH = 64, TIMES = 64, BLOCKS = 528 };

/* Lane l chooses element l / GROUP % ROWS beyond one that moves; four stores or loads a turn. TURNS
 * is known at run time only: else the assembler makes 16 stores in a row of four turns. */
template <bool STORES, bool LOADS>
__global__ void local_stores(unsigned *out, int rows, int group, unsigned mask, int turns)
{
    unsigned a[LENGTH];
    const unsigned lane = threadIdx.x & 31, mine = lane / group % rows;
    for (int k = 0; k < LENGTH; k++)
        a[k & mask] = lane + k;
    unsigned sum = lane;
    for (int t = 0; t < turns; t++) {
        if (STORES)
#pragma unroll
            for (int k = 0; k < 4; k++)
                a[(mine + 4 * t + k) & mask] = sum + k;
        if (LOADS)
#pragma unroll
            for (int k = 0; k < 4; k++)
                sum += a[(mine + 4 * t + k - LENGTH / 2) & mask];
        sum = sum * 3 + t;
    }
    for (int k = 0; k < LENGTH; k++)
        sum += a[(k * 5 + sum) & mask];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int main()
{
    device_array<unsigned> out(BLOCKS * 256);
    const size_t n = (size_t)BLOCKS * 256 * TIMES * 4;
    const auto one = [&](const char *what, const char *way, auto kernel, int rows, int group) {
        char name[32];
        snprintf(name, sizeof name, "%s%s", what, way);
        measure(name, rows, n, 0,
                [&] { kernel<<<BLOCKS, 256>>>(out.p, rows, group, LENGTH - 1, TIMES); });
    };
    const auto all = [&](const char *way, int rows, int group) {
        one("stores", way, local_stores<true, false>, rows, group);
        one("loads", way, local_stores<false, true>, rows, group);
        one("both", way, local_stores<true, true>, rows, group);
    };
    one("neither", "", local_stores<false, false>, 1, 1);
    for (int rows = 1; rows <= 32; rows *= 2) {
        all("_of_neighbours", rows, 1);
        all("_of_groups", rows, 32 / rows);
    }
}
