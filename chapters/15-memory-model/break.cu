// Break this kernel: its threads hand over at block scope. Make them race.
// Judged by: ./warpbook break memory-model
#include "lab.h"
#include <cuda/atomic>

struct choice {
    int grid, block; // blocks, threads of a block
};

static choice yours(void)
{
    choice c;
    // TODO 1 (about 2 lines): choose grid, 1 to 100, and block, a multiple of 32 up to 1024, so
    // that threads race
    c.grid = 3;
    c.block = 512;
    // END TODO 1
    return c;
}

enum { TEAM = 256 }; // threads in a row; only the last team may have fewer

// out[t]: the sum of team t. Its warps leave their sums in part, and the last one adds them up.
__global__ void team_sums(int *out, int *part, int *arrived, const int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, team = i / TEAM, first = team * TEAM / 32;
    int warps = min(n - team * TEAM, (int)TEAM) / 32, sum = __reduce_add_sync(0xffffffff, in[i]);
    if (i % 32 == 0) {
        part[i / 32] = sum;
        cuda::atomic_ref<int, cuda::thread_scope_block> count(arrived[team]);
        if (count.fetch_add(1, cuda::memory_order_acq_rel) == warps - 1) {
            for (sum = 0; warps > 0; warps--)
                sum += part[first + warps - 1];
            out[team] = sum;
        }
    }
}

int main(void)
{
    lab_begin("Break memory-model");
    const choice c = yours();
    lab_bound(c.grid >= 1 && c.grid <= 100, "grid is 1 to 100");
    lab_bound(c.block >= 32 && c.block <= 1024, "block is 32 to 1024");
    lab_bound(c.block % 32 == 0, "block is a multiple of 32");
    const int n = c.grid * c.block, teams = (n + TEAM - 1) / TEAM;

    LAB_CHECK_AT("team_sums", n) {
        lab_array<int> in(n, LAB_RANDOM, 1, 1000), out(teams, LAB_POISON);
        lab_array<int> part(n / 32, LAB_POISON), arrived(teams, LAB_RANDOM, 0, 0);
        team_sums<<<c.grid, c.block>>>(out.device, part.device, arrived.device, in.device, n);
        lab_launched();
        auto sum = [&](long t) {
            long s = 0;
            for (long i = t * TEAM; i < n && i / TEAM == t; i++) s += in[i];
            return s;
        };
        lab_expect(out, sum, 0, "sums of ints are exact");
    }
    return lab_end();
}
