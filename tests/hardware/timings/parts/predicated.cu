/* Code below a branch that no lane executes: up to eight instructions stand under a predicate, and
 * a warp issues them all the same, with a wavefront for each request of shared memory; a longer
 * body is jumped over, by whole warps or by some lanes, on a condition of the lanes or of the
 * launch, and has one side or two. */
#include "record.h"

enum { TURNS = 256, BLOCKS = 1056, SPLITS = -1 };

/* Warps from FIRST on execute M products, or M stores to shared memory, a turn. */
template <int M, bool STORES> __global__ void predicated(float *out, int first, float by)
{
    __shared__ float words[256 + 32 * 16];
    const int t = threadIdx.x, warp = t / 32;
    float a = t, b = by;
    words[t] = a;
    for (int k = 0; k < TURNS; k++) {
        /* else the compiler asks once for all turns */
        asm volatile("" : "+r"(first));
        if (warp >= first) {
#pragma unroll
            for (int m = 0; m < M; m++)
                if (STORES)
                    words[t + 32 * m] = b;
                else
                    a = a * b + (m & 1 ? by : b);
        }
        b = b * by + a;
    }
    out[blockIdx.x * blockDim.x + t] = a + b + words[t];
}

template <int M> __device__ float products(float a, float b, float by)
{
#pragma unroll
    for (int m = 0; m < M; m++)
        a = a * b + (m & 1 ? by : b);
    return a;
}

template <int M> __device__ float sums(float a, float b, float by)
{
#pragma unroll
    for (int m = 0; m < M; m++)
        a = a + (m & 1 ? by : b);
    return a;
}

/* The condition is ON, or with SPLITS true in groups of LANES; OF_LAUNCH: of all threads alike, as
 * the compiler knows. */
template <int M, bool OF_LAUNCH, bool SIDES>
__global__ void branches(float *out, int on, int lanes, float by)
{
    const int t = threadIdx.x;
    int taken = OF_LAUNCH ? on : on == SPLITS ? t / lanes % 2 : t < on * 1024;
    float a = t, b = by;
#pragma unroll 1
    for (int k = 0; k < TURNS; k++) {
        /* else the compiler asks once for all turns */
        asm volatile("" : "+r"(taken));
        if (taken)
            a = products<M>(a, b, by);
        else if (SIDES)
            a = sums<M>(a, b, by);
        b = b * by + a;
    }
    out[blockIdx.x * blockDim.x + t] = a + b;
}

int main()
{
    device_array<float> out(BLOCKS * 256);
    const auto one = [&](const char *name, auto kernel, int length) {
        char row[32];
        for (int warps = 0; warps <= 8; warps += 4) {
            snprintf(row, sizeof row, "%s_by_%d_warps", name, warps);
            measure(row, length, (size_t)BLOCKS * 256 * TURNS, 0,
                    [&] { kernel<<<BLOCKS, 256>>>(out.p, 8 - warps, 0.5f); });
        }
    };
    one("products", predicated<4, false>, 4);
    one("products", predicated<8, false>, 8);
    one("products", predicated<9, false>, 9);
    one("products", predicated<12, false>, 12);
    one("stores", predicated<4, true>, 4);
    one("stores", predicated<8, true>, 8);
    one("stores", predicated<9, true>, 9);
    one("stores", predicated<12, true>, 12);
    const auto row = [&](const char *name, auto kernel, int length, int on, int lanes) {
        measure(name, length, (size_t)BLOCKS * 256 * TURNS, 0,
                [&] { kernel<<<BLOCKS, 256>>>(out.p, on, lanes, 0.5f); });
    };
#define LENGTH(m)                                                       \
    row("jumped", branches<m, false, false>, m, 0, 1);                  \
    row("fallen_through", branches<m, false, false>, m, 1, 1);          \
    row("split_by_lane", branches<m, false, false>, m, SPLITS, 1);      \
    row("split_by_16", branches<m, false, false>, m, SPLITS, 16);       \
    row("jumped_of_launch", branches<m, true, false>, m, 0, 1);         \
    row("fallen_through_of_launch", branches<m, true, false>, m, 1, 1); \
    row("second_side", branches<m, false, true>, m, 0, 1);              \
    row("first_side", branches<m, false, true>, m, 1, 1);               \
    row("both_sides", branches<m, false, true>, m, SPLITS, 16);
    LENGTH(12)
    LENGTH(24)
    LENGTH(48)
}
