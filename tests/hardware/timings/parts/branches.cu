/* A branch over long code in a loop: jumped by whole warps, fallen through, or split, on a
 * condition of the lanes or of the launch; and of two sides. */
#include "record.h"

enum { TURNS = 256, BLOCKS = 1056, SPLITS = -1 };

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
