/* Code below a branch that no lane executes: up to eight instructions stand under a predicate, and
 * a warp issues them all the same, with a wavefront for each request of shared memory; a longer
 * body is jumped over. */
#include "record.h"

enum { TURNS = 256, BLOCKS = 1056 };

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
}
