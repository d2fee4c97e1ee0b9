/* Local memory whose elements the lanes of a warp choose differently: a request touches ROWS rows
 * of 32 words, one for each element chosen. */
#include "record.h"

enum { LENGTH = 64, TIMES = 64, BLOCKS = 528 };

/* Lane l chooses element l / GROUP % ROWS beyond one that moves; four stores or loads a turn. */
template <bool STORES, bool LOADS>
__global__ void local_rows(unsigned *out, int rows, int group, unsigned mask)
{
    unsigned a[LENGTH];
    const unsigned lane = threadIdx.x & 31, mine = lane / group % rows;
    for (int k = 0; k < LENGTH; k++)
        a[k & mask] = lane + k;
    unsigned sum = lane;
    for (int t = 0; t < TIMES; t++) {
        if (STORES)
#pragma unroll
            for (int k = 0; k < 4; k++)
                a[(mine + t + 7 * k) & mask] = sum + k;
        if (LOADS)
#pragma unroll
            for (int k = 0; k < 4; k++)
                sum += a[(mine + t + 5 * k) & mask];
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
    const auto all = [&](const char *way, int rows, int group) {
        char name[32];
        snprintf(name, sizeof name, "stores_%s", way);
        measure(
            name, rows, n, 0,
            [&] { local_rows<true, false><<<BLOCKS, 256>>>(out.p, rows, group, LENGTH - 1); });
        snprintf(name, sizeof name, "loads_%s", way);
        measure(
            name, rows, n, 0,
            [&] { local_rows<false, true><<<BLOCKS, 256>>>(out.p, rows, group, LENGTH - 1); });
        snprintf(name, sizeof name, "both_%s", way);
        measure(
            name, rows, n, 0,
            [&] { local_rows<true, true><<<BLOCKS, 256>>>(out.p, rows, group, LENGTH - 1); });
    };
    measure("neither", -1, n, 0,
            [&] { local_rows<false, false><<<BLOCKS, 256>>>(out.p, 1, 1, LENGTH - 1); });
    for (int rows = 1; rows <= 32; rows *= 2) {
        all("of_neighbours", rows, 1);
        all("of_groups", rows, 32 / rows);
    }
}
