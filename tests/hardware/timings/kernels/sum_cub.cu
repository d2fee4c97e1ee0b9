/* Chapter 14's sum_all against CUB's DeviceReduce, in one run. Both leave the sum of n ints in one
 * word: CUB by two launches, sum_all by a cudaMemset and a launch. "sum_all/256" and its like sweep
 * the number of blocks for blocks of that many threads. */
#include "../../../../common/lab.h"
#include "record.h"

#include <cub/device/device_reduce.cuh>

#define main chapter_main
#include "../../../../chapters/14-shuffle-reduction/solution.cu"
#undef main

int main()
{
    size_t n = (size_t)1 << (fits((size_t)1 << 28) ? 28 : timings().log2_most);
    device_array<int> data(n), total(1);
    device_array<float4> from(n / 4), to(n / 4);
    measure("copy", -1, n, 8.0 * n, [&] {
        lab_copy<<<blocks_for(n / 4, 256), 256>>>(to.p, from.p, (int)(n / 4));
    });
    size_t room = 0;
    CHECK(cub::DeviceReduce::Sum(nullptr, room, data.p, total.p, (int)n));
    device_array<char> work(room);
    measure("cub_sum", -1, n, 4.0 * n,
            [&] { CHECK(cub::DeviceReduce::Sum(work.p, room, data.p, total.p, (int)n)); });
    measure("sum_all", -1, n, 4.0 * n, [&] {
        CHECK(cudaMemsetAsync(total.p, 0, sizeof(int)));
        sum_all<<<4 * 132, 1024>>>(total.p, data.p, (int)n);
    });
    for (int block : {256, 512, 1024}) {
        char name[32];
        snprintf(name, sizeof name, "sum_all/%d", block);
        for (int turns : {1, 2, 4, 8, 16}) { // blocks in multiples of what the device holds at once
            int grid = turns * 132 * 2048 / block;
            measure(name, grid, n, 4.0 * n, [&] {
                CHECK(cudaMemsetAsync(total.p, 0, sizeof(int)));
                sum_all<<<grid, block>>>(total.p, data.p, (int)n);
            });
        }
    }
    return 0;
}
