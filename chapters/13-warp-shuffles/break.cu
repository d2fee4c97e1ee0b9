// Break this kernel: it takes a row of the block for a warp. Make its threads race.
// Judged by: ./warpbook break warp-shuffles
#include "lab.h"

struct choice {
    int width, height; // threads of a block: blockDim.x, blockDim.y
};

static choice yours(void)
{
    choice c;
    // TODO 1 (about 2 lines): choose width and height, 1 to 64 each and at most 1024 threads, so
    // that threads race
    c.width = 32;
    c.height = 4;
    // END TODO 1
    return c;
}

// Each row in reverse order.
__global__ void reverse_rows(int *out, const int *in)
{
    __shared__ int tile[1024];
    int row = threadIdx.y * blockDim.x, x = threadIdx.x;
    tile[row + x] = in[row + x];
    __syncwarp();
    out[row + x] = tile[row + blockDim.x - 1 - x];
}

int main(void)
{
    lab_begin("Break warp-shuffles");
    const choice c = yours();
    lab_bound(c.width >= 1 && c.width <= 64, "width is 1 to 64");
    lab_bound(c.height >= 1 && c.height <= 64, "height is 1 to 64");
    lab_bound(c.width * c.height <= 1024, "a block has at most 1024 threads");
    const int n = c.width * c.height;

    LAB_CHECK_AT("reverse_rows", n) {
        lab_array<int> in(n), out(n, LAB_POISON);
        reverse_rows<<<1, dim3(c.width, c.height)>>>(out.device, in.device);
        lab_launched();
        auto from = [&](long i) { return i / c.width * c.width + c.width - 1 - i % c.width; };
        lab_expect(out, [&](long i) { return in[from(i)]; }, 0, "a copy is exact");
    }
    return lab_end();
}
