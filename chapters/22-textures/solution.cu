// Chapter 22: textures. The same reads through a texture object: coordinates, edges, filters.
// Build and run: ./warpbook run 22     or, with a GPU: nvcc -I ../../common lab.cu && ./a.out
#include "lab_texture.h"

enum { RADIUS = 4, BLOCK = 256, WIDE = 64, HIGH = 48, PLAIN = 0, LDG = 1, TEXTURE = 2 };
__constant__ float coef[RADIUS];

// HELPERS: functions of your own, for the TODO regions below
// END HELPERS

// in[i], and 0 beyond both ends. WAY: by a plain load, by __ldg, or from the texture over in.
template <int WAY> __device__ float at(const float *in, cudaTextureObject_t texture, int i, int n)
{
    // TODO 1 (about 3 lines): all three ways. Which of them needs no guard?
    // A fetch from beyond either end gives 0: the texture knows its length.
    if (WAY == TEXTURE)
        return tex1Dfetch<float>(texture, i);
    return i < 0 || i >= n ? 0 : WAY == LDG ? __ldg(&in[i]) : in[i];
    // END TODO 1
}

// The table at a place: texel (x, y), with whole x and y, lies at the place (x, y).
__device__ float fetch(cudaTextureObject_t table, float2 place)
{
    // TODO 2 (about 1 line): by tex2D. Where in its square does a texel's coordinate lie?
    // A texel is a square from (x, y) to (x + 1, y + 1): its middle is half a texel further on.
    return tex2D<float>(table, place.x + 0.5f, place.y + 0.5f);
    // END TODO 2
}

// How a texture object fetches: the nearest texel, or a linear interpolation of the four around.
static cudaTextureDesc how_to_fetch(cudaTextureFilterMode filter)
{
    cudaTextureDesc how = {};
    // TODO 3 (about 3 lines): the filter; beyond the four edges the table counts as 0.
    // An address mode for each of the two coordinates. What is 0 in HOW may stay: coordinates that
    // count texels, and elements as they are.
    how.filterMode = filter;
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeBorder;
    // END TODO 3
    return how;
}

template <int WAY>
__global__ void stencil(float *out, const float *in, cudaTextureObject_t texture, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 1; k <= RADIUS; k++)
        sum += coef[k - 1] * (at<WAY>(in, texture, i + k, n) - at<WAY>(in, texture, i - k, n));
    if (i < n)
        out[i] = sum;
}

// Where in the table element i of a picture lies, turned and moved. Exact: M has few binary digits.
__host__ __device__ static float2 place_of(int i, int side, float4 m)
{
    int x = i % side, y = i / side;
    return make_float2(m.x * x - m.y * y + m.z, m.y * x + m.x * y + m.w);
}

// A picture of rows of SIDE elements: each is the table at its place, nearest texel, 0 outside.
__global__ void turn_loads(float *out, const float *table, int side, float4 m, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float2 p = place_of(i, side, m);
    int x = floorf(p.x + 0.5f), y = floorf(p.y + 0.5f);
    if (i < n)
        out[i] = x >= 0 && x < side && y >= 0 && y < side ? __ldg(&table[side * y + x]) : 0;
}

__global__ void turn_texture(float *out, cudaTextureObject_t table, int side, float4 m, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = fetch(table, place_of(i, side, m));
}

static int blocks(int n) { return (n + BLOCK - 1) / BLOCK; }

int main(void)
{
    const float c[RADIUS] = {4.f / 5, -1.f / 5, 4.f / 105, -1.f / 280};
    void (*const stencils[])(float *, const float *, cudaTextureObject_t, int) = {
        stencil<PLAIN>, stencil<LDG>, stencil<TEXTURE>};
    lab_begin("22-textures");
    CUDA_CHECK(cudaMemcpyToSymbol(coef, c, sizeof coef));

    LAB_CHECK("stencil", n)
        for (int way : {PLAIN, LDG, TEXTURE}) {
            lab_case("way", way);
            lab_array<float> in(n), out(n, LAB_POISON);
            lab_texture texture(in.device, n);
            stencils[way]<<<blocks(n), BLOCK>>>(out.device, in.device, texture.object, n);
            auto in_at = [&](long i) { return i >= 0 && i < n ? (double)in[i] : 0.0; };
            auto pair = [&](long i, int k) { return c[k - 1] * (in_at(i + k) - in_at(i - k)); };
            auto sum = [&](long i) { return pair(i, 1) + pair(i, 2) + pair(i, 3) + pair(i, 4); };
            lab_expect(out, sum, 2e-6, "a dozen roundings of values up to 2");
        }
    LAB_CHECK("turn_texture", n)
        for (auto filter : {cudaFilterModePoint, cudaFilterModeLinear}) {
            lab_case("linear", filter == cudaFilterModeLinear);
            const float4 m = {0.75f, 0.296875f, 20.25f, 10.5f};
            lab_array<float> table(WIDE * HIGH), out(n, LAB_POISON);
            lab_texture texture(table.device, WIDE, HIGH, how_to_fetch(filter));
            turn_texture<<<blocks(n), BLOCK>>>(out.device, texture.object, 100, m, n);
            auto texel = [&](long i) {
                return lab_texel(table, WIDE, HIGH, place_of(i, 100, m), filter);
            };
            lab_expect(out, texel, 8e-3, "products of weights are rounded to 1/256");
        }

    int n = (int)lab_elements(1 << 20, 1 << 28), side = (int)sqrt((double)n);
    lab_array<float> in(n), out(n, LAB_POISON);
    lab_texture line(in.device, n);
    lab_texture nearest(in.device, side, side, how_to_fetch(cudaFilterModePoint));
    lab_texture linear(in.device, side, side, how_to_fetch(cudaFilterModeLinear));
    const char *const names[] = {"stencil/plain", "stencil/ldg", "stencil/texture"};
    for (int way : {PLAIN, LDG, TEXTURE})
        LAB_MEASURE(names[way], n, 8.0 * n)
            stencils[way]<<<blocks(n), BLOCK>>>(out.device, in.device, line.object, n);
    for (int degrees : {0, 30, 60, 90}) { // about the middle of the table
        float4 m = lab_turn(degrees, side);
        LAB_SWEEP("turn_loads", degrees, n, 8.0 * n)
            turn_loads<<<blocks(n), BLOCK>>>(out.device, in.device, side, m, n);
        LAB_SWEEP("turn_texture", degrees, n, 8.0 * n)
            turn_texture<<<blocks(n), BLOCK>>>(out.device, nearest.object, side, m, n);
        LAB_SWEEP("turn_texture/linear", degrees, n, 8.0 * n)
            turn_texture<<<blocks(n), BLOCK>>>(out.device, linear.object, side, m, n);
    }

    LAB_GOAL("stencil<0>", "read_only_loads_per_warp", "at_most", 0, "by plain loads");
    LAB_GOAL("stencil<1>", "read_only_loads_per_warp", "at_least", 7.9, "by __ldg");
    LAB_GOAL("stencil<2>", "texture_requests_per_warp", "at_least", 30, "eight fetches");
    LAB_GOAL("turn_texture", "texture_requests_per_warp", "at_most", 8, "one fetch per element");
    LAB_WORK("stencil<0> stencil<1>", 8, 1, 28);
    LAB_WORK("stencil<2> turn_texture", 0, 1, 28);
    return lab_end();
}
