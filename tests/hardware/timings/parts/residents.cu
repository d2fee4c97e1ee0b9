/* What the blocks of an SM do to one another's lines in L1: each reads from KB of its own, all at
 * once, by warps whose lanes lie side by side at places that look random. */
#include "record.h"

enum { TURNS = 64, SMS = 132, LINE = 32, ALL = SMS * 8 * (64 << 10) / 4 };

__device__ unsigned mixed(unsigned x)
{
    x = (x ^ x >> 15) * 0x2C1B3C6Du;
    return (x ^ x >> 12) * 0x297A2D39u;
}

/* A warp's load is a line of its block's WORDS. LINES: lanes of one warp take so many. */
template <int LINES> __global__ void gather(float *out, const float *in, int words)
{
    const unsigned lane = threadIdx.x % 32, group = threadIdx.x / (32 / LINES);
    const float *own = in + (size_t)blockIdx.x * words;
    float sum = 0;
    for (unsigned k = 0; k < TURNS; k++)
        sum += own[mixed(group * TURNS + k) % (words / LINE) * LINE + lane];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* Each thread reads a row of its own, word after word: 32 lines a warp, used again in the next
 * turns. */
__global__ void rows(float *out, const float *in, int length)
{
    const float *own = in + ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * length;
    float sum = 0;
    for (int k = 0; k < length; k++)
        sum += own[k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int main()
{
    device_array<float> in(ALL), out(SMS * 8 * 256);
    for (int kb = 4; kb <= 64; kb *= 2) {
        const int words = kb * 256;
        const auto row = [&](const char *name, auto kernel, int blocks, int threads) {
            measure(name, kb, (size_t)SMS * blocks * threads * TURNS, 0,
                    [&] { kernel<<<SMS * blocks, threads>>>(out.p, in.p, words); });
        };
        row("one_block", gather<1>, 1, 256);
        row("two_blocks", gather<1>, 2, 256);
        row("eight_blocks", gather<1>, 8, 256);
        row("one_block_8_lines", gather<8>, 1, 256);
        row("eight_blocks_8_lines", gather<8>, 8, 256);
        row("one_large_block", gather<1>, 1, 1024);
    }
    for (int length = 8; length <= 64; length *= 2)
        for (int blocks = 1; blocks <= 8; blocks *= 2) {
            char name[32];
            snprintf(name, sizeof name, "rows_of_%d_blocks", blocks);
            measure(name, length, (size_t)SMS * blocks * 256 * length, 0,
                    [&] { rows<<<SMS * blocks, 256>>>(out.p, in.p, length); });
        }
}
