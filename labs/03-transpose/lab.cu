// Assignment 3: transpose at copy speed. out[c][r] = in[r][c], and not slower than a copy.
// Build and run: ./warpbook run transpose   or, with a GPU: nvcc -I ../../common lab.cu
#include "lab.h"

enum { TILE = 64, THREADS = 256 }; // yours to choose; a block has THREADS threads
static_assert(THREADS % 32 == 0 && THREADS >= 32 && THREADS <= 1024 && TILE >= 1, "1 to 32 warps");
// The 4 floats from p on, or the first LEFT of them. WHOLE: all are there, and p is at 16 bytes.
__device__ float4 load4(const float *p, int left, bool whole)
{
    if (whole)
        return *(const float4 *)p;
    return make_float4(p[0], left > 1 ? p[1] : 0, left > 2 ? p[2] : 0, left > 3 ? p[3] : 0);
}

__device__ void store4(float *p, float4 v, int left, bool whole)
{
    float each[4] = {v.x, v.y, v.z, v.w};
    if (whole)
        *(float4 *)p = v;
    for (int k = 0; k < 4 && !whole; k++)
        if (k < left) p[k] = each[k];
}

// HELPERS: functions of your own, for the TODO regions below
// END HELPERS

// in: rows x cols floats, row by row; out: cols x rows. The grid has a block for each tile.
__global__ void transpose(float *out, const float *in, int rows, int cols)
{
    // TODO 1 (about 25 lines): transpose. Whatever rows and cols are, 1 included.
    // Hint: a tile in shared memory; for 95 % of copy, 4 x 4 floats per thread, by load4 and store4
    // END TODO 1
}

// How many blocks: x runs fastest, and blocks that run together should write side by side.
static dim3 grid_of(int rows, int cols)
{
    // TODO 2 (about 1 line): blocks across and down; your kernel's blockIdx must mean the same.
    // Hint: here they go along the rows of in. Look at the stores of blocks that run side by side
    return dim3((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    // END TODO 2
}

// The simplest kernel. Its loads are coalesced; its stores?
__global__ void transpose_naive(float *out, const float *in, int rows, int cols)
{
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
    if (r < rows && c < cols)
        out[(long)c * rows + r] = in[(long)r * cols + c];
}

int main(void)
{
    lab_begin("labs/03-transpose");

    LAB_CHECK("transpose", n) {
        for (int rows : {1, 4, 33, 64}) { // n elements, or a few more, in so many rows
            lab_case("rows", rows);
            int cols = (n + rows - 1) / rows;
            lab_array<float> in((long)rows * cols), out((long)rows * cols, LAB_POISON);
            transpose<<<grid_of(rows, cols), THREADS>>>(out.device, in.device, rows, cols);
            auto want = [&](long i) { return in[i % rows * cols + i / rows]; };
            lab_expect(out, want, 0, "a copy changes no bit");
        }
    }
    LAB_CHECK("transpose_tall", n) {
        int rows = n, cols = 21;
        lab_array<float> in((long)rows * cols), out((long)rows * cols, LAB_POISON);
        transpose<<<grid_of(rows, cols), THREADS>>>(out.device, in.device, rows, cols);
        lab_expect(out, [&](long i) { return in[i % rows * cols + i / rows]; }, 0, "no bit");
    }

    long n = lab_elements(1 << 23, 1 << 28);
    int side = 32;
    while ((long)(side + 32) * (side + 32) <= n)
        side += 32;
    n = (long)side * side;
    lab_array<float> in(n), out(n, LAB_POISON);
    LAB_ROUNDS {
        LAB_MEASURE("transpose_naive", n, 8.0 * n)
            transpose_naive<<<dim3((side + 31) / 32, (side + 7) / 8), dim3(32, 8)>>>(
                out.device, in.device, side, side);
        LAB_MEASURE("transpose", n, 8.0 * n)
            transpose<<<grid_of(side, side), THREADS>>>(out.device, in.device, side, side);
    }

    LAB_GOAL("transpose", "load_sectors_per_request", "at_most", 16, "4, or 16 with float4");
    LAB_GOAL("transpose", "store_sectors_per_request", "at_most", 16, "along a row of out");
    LAB_GOAL("transpose", "shared_load_conflicts", "at_most", 0, "a column in different banks");
    LAB_GOAL("transpose", "shared_store_conflicts", "at_most", 0, "and a row");
    LAB_GOAL("transpose", "load_sectors_per_request", "at_least", 4, "a warp reads a row");
    LAB_GOAL("transpose", "store_sectors_per_request", "at_least", 4, "and writes one");
    LAB_GOAL("transpose", "busiest_warp", "at_most", 4, "all warps share the work");
    LAB_GOAL("transpose", "bytes_per_sector", "at_least", 24, "32: loaded and stored once");
    return lab_end();
}
