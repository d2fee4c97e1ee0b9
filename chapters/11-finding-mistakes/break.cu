// Break this kernel: in and out are parts of one array. Make its threads race.
// Judged by: ./warpbook break finding-mistakes
#include "lab.h"

struct choice {
    int from, to; // where in the array in and out begin
};

static choice yours(void)
{
    choice c;
    // TODO 1 (about 2 lines): choose from and to, 0 to 8000 each, so that threads race
    c.from = 0;
    c.to = 4000;
    // END TODO 1
    return c;
}

enum { N = 1000, BLOCK = 128, ROOM = 8000 + N + 1 };

__global__ void neighbours(int *out, const int *in)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < N)
        out[i] = 2 * in[i + 1];
}

int main(void)
{
    lab_begin("Break finding-mistakes");
    const choice c = yours();
    lab_bound(c.from >= 0 && c.from <= 8000, "from is 0 to 8000");
    lab_bound(c.to >= 0 && c.to <= 8000, "to is 0 to 8000");

    LAB_CHECK_AT("neighbours", N) {
        lab_array<int> all(ROOM);
        neighbours<<<(N + BLOCK - 1) / BLOCK, BLOCK>>>(all.device + c.to, all.device + c.from);
        lab_launched();
        auto expected = [&](long k) {
            return k >= c.to && k < c.to + N ? 2 * all[c.from + k - c.to + 1] : all[k];
        };
        lab_expect(all, expected, 0, "a product of ints is exact");
    }
    return lab_end();
}
