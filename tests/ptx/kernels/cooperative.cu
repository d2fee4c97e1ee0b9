// nvcc: -arch=sm_80
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
__global__ void together(int *o)
{
    cg::grid_group g = cg::this_grid(); cg::thread_block b = cg::this_thread_block(); auto t = cg::tiled_partition<8>(b); int v = o[g.thread_rank()];
    o[0] = cg::reduce(t, v, cg::plus<int>()); o[1] = cg::inclusive_scan(t, v); auto c = cg::coalesced_threads(); o[2] = c.size() + c.thread_rank(); b.sync(); g.sync(); o[3] = v;
}
