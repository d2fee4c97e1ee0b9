// Assignment 2: a stencil in two dimensions. Nine inputs an output, as fast as a copy.
// Build and run: ./warpbook run stencil   or, with a GPU: nvcc -I ../../common lab.cu
#include "lab.h"

enum { WIDE = 128, EACH = 4, WARPS = 8 }; // yours to choose; a block has WARPS warps
static_assert(WARPS >= 1 && WARPS <= 32 && WIDE >= 1 && EACH >= 1, "a block has 1 to 32 warps");
__host__ __device__ float weight(int line, int place) // of in[y + line - 1][x + place - 1]
{
    const float w[3][3] = {{.03f, .10f, .05f}, {.12f, .32f, .11f}, {.06f, .14f, .07f}};
    return w[line][place];
}
__device__ float at(const float *in, int x, int y, int width, int height) // 0 outside
{
    return x >= 0 && x < width && y >= 0 && y < height ? in[(long)y * width + x] : 0;
}
__device__ float4 load4(const float *, int x, int y, int width, int height);        // x .. x + 3
__device__ void store4(float *, float4 v, int x, int y, int width, int height); // what is inside

// HELPERS: functions of your own, for the TODO regions below
// END HELPERS

// out[y][x] = sum of weight(j, d) * in[y + j - 1][x + d - 1], in is 0 outside of width x height.
__global__ void stencil(float *out, const float *in, int width, int height)
{
    // TODO 1 (about 24 lines): the stencil. Whatever width and height are, 1 included.
    // A warp has all its rows in flight at once, each as float4, and needs no barrier. A row is
    // used for three rows of results, and neighbouring columns are in neighbouring lanes.
    static_assert(WIDE == 32 * 4, "a warp has 32 lanes with a float4 each");
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, x = blockIdx.x * WIDE + 4 * lane;
    int top = (blockIdx.y * WARPS + warp) * EACH, beside = lane == 0 ? x - 1 : x + 4;
    float4 row[EACH + 2];
    float edge[EACH + 2] = {}, sum[EACH][4] = {};
#pragma unroll
    for (int k = 0; k < EACH + 2; k++) {
        row[k] = load4(in, x, top + k - 1, width, height);
        if (lane == 0 || lane == 31)
            edge[k] = at(in, beside, top + k - 1, width, height);
    }
#pragma unroll
    for (int k = 0; k < EACH + 2; k++) {
        float before = __shfl_up_sync(~0u, row[k].w, 1), after = __shfl_down_sync(~0u, row[k].x, 1);
        float f[] = {lane == 0 ? edge[k] : before, row[k].x, row[k].y, row[k].z, row[k].w,
                     lane == 31 ? edge[k] : after};
#pragma unroll
        for (int j = 0; j < 3; j++) // row k is line j for the results of row k - j
            for (int e = 0; e < 4 && k - j >= 0 && k - j < EACH; e++)
                for (int d = 0; d < 3; d++)
                    sum[k - j][e] += weight(j, d) * f[e + d];
    }
#pragma unroll
    for (int k = 0; k < EACH; k++)
        store4(out, make_float4(sum[k][0], sum[k][1], sum[k][2], sum[k][3]), x, top + k, width,
               height);
    // END TODO 1
}

static dim3 grid_of(int width, int height)
{
    // TODO 2 (about 1 line): enough blocks of WARPS warps for all outputs.
    // A block has WIDE columns and EACH rows per warp. Rounded up: in the last blocks some lanes
    // have nothing to store, but they take part in the shuffles of their warp.
    return dim3((width + WIDE - 1) / WIDE, (height + EACH * WARPS - 1) / (EACH * WARPS));
    // END TODO 2
}

// The four floats from x on in row y, 0 outside. 16 bytes at once where rows begin at 16 bytes.
__device__ float4 load4(const float *in, int x, int y, int width, int height)
{
    const float *p = in + (long)y * width + x;
    if (x >= width || y < 0 || y >= height)
        return make_float4(0, 0, 0, 0);
    if (width % 4 == 0)
        return *(const float4 *)p;
    return make_float4(p[0], x + 1 < width ? p[1] : 0, x + 2 < width ? p[2] : 0,
                       x + 3 < width ? p[3] : 0);
}
__device__ void store4(float *out, float4 v, int x, int y, int width, int height)
{
    float *p = out + (long)y * width + x, each[4] = {v.x, v.y, v.z, v.w};
    if (x < width && y < height && width % 4 == 0)
        *(float4 *)p = v;
    for (int k = 0; k < 4 && width % 4 != 0; k++)
        if (x + k < width && y < height)
            p[k] = each[k];
}

// The simplest kernel. How often does it load each element?
__global__ void stencil_naive(float *out, const float *in, int width, int height)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float sum = 0;
    for (int j = 0; j < 3; j++)
        for (int d = 0; d < 3; d++)
            sum += weight(j, d) * at(in, x + d - 1, y + j - 1, width, height);
    if (x < width && y < height)
        out[(long)y * width + x] = sum;
}

int main(void)
{
    lab_begin("labs/02-stencil-2d");

    auto check = [](int width, int height) {
        lab_array<float> in((long)width * height), out((long)width * height, LAB_POISON);
        stencil<<<grid_of(width, height), 32 * WARPS>>>(out.device, in.device, width, height);
        auto want = [&](long i) {
            double sum = 0;
            for (long y = i / width - 1; y <= i / width + 1; y++)
                for (long x = i % width - 1; x <= i % width + 1; x++)
                    if (x >= 0 && x < width && y >= 0 && y < height)
                        sum += weight(y - i / width + 1, x - i % width + 1) * in[y * width + x];
            return sum;
        };
        lab_expect(out, want, 5e-7, "nine products of up to 0.32");
    };
    LAB_CHECK("stencil", n)
        for (int width : {1, 3, 127, 132, 1000}) { // n elements, or a few more; 9999 rows at most
            lab_case("width", width);
            check(width, min((n + width - 1) / width, 9999));
        }
    LAB_CHECK("stencil_flat", n)
        check(n, 3);

    long n = lab_elements(1 << 23, 1 << 28);
    int side = 32;
    while ((long)(side + 32) * (side + 32) <= n)
        side += 32;
    n = (long)side * side;
    lab_array<float> in(n), out(n, LAB_POISON);
    LAB_ROUNDS {
        LAB_MEASURE("stencil_naive", n, 8.0 * n)
            stencil_naive<<<dim3((side + 31) / 32, (side + 7) / 8), dim3(32, 8)>>>(
                out.device, in.device, side, side);
        LAB_MEASURE("stencil", n, 8.0 * n)
            stencil<<<grid_of(side, side), 32 * WARPS>>>(out.device, in.device, side, side);
    }

    LAB_GOAL("stencil", "load_sectors_per_store_sector", "at_most", 2, "fetched once, and a halo");
    LAB_GOAL("stencil", "store_sectors_per_request", "at_most", 16, "4, or 16 with float4");
    LAB_GOAL("stencil", "shared_load_conflicts", "at_most", 0, "if you have a tile");
    LAB_GOAL("stencil", "shared_store_conflicts", "at_most", 0, "likewise");
    LAB_GOAL("stencil", "store_sectors_per_request", "at_least", 4, "a warp stores a row");
    LAB_GOAL("stencil", "lanes_per_instruction", "at_least", 16, "all lanes of a warp work");
    LAB_GOAL("stencil", "busiest_warp", "at_most", 4, "all warps and blocks do");
    LAB_GOAL("stencil", "bytes_per_sector", "at_least", 20, "24: loaded and stored once");
    return lab_end();
}
