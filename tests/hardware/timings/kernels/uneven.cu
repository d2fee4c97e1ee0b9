/* Kernels whose blocks, warps or lanes do unlike amounts of work. The modelled clock's constants for
 * uneven work are fitted to these; those of uneven_more.cu are held out. tests/hardware/timings/run-uneven. */
#include "record.h"
#include "unseen_inputs.h"

enum { BLOCK = 256 };

/* What a block, a warp or a lane does COUNT times, in four forms: sums of consecutive words, steps
 * through a list, multiply-adds that need one another, passes over shared memory. */
struct sums {
    __device__ static float run(const unsigned *in, unsigned words, unsigned first, int count,
                                unsigned lane, unsigned lanes)
    {
        unsigned sum = 0;
        for (int k = 0; k < count; k++)
            sum += in[((first + k) * lanes + lane) & (words - 1)];
        return sum;
    }
};

struct steps {
    __device__ static float run(const unsigned *next, unsigned words, unsigned first, int count,
                                unsigned lane, unsigned lanes)
    {
        unsigned at = (first * lanes + lane) & (words - 1);
        for (int k = 0; k < count; k++)
            at = next[at];
        return at;
    }
};

struct products {
    __device__ static float run(const unsigned *in, unsigned words, unsigned first, int count,
                                unsigned lane, unsigned lanes)
    {
        float x = lane, y = first;
        for (int k = 0; k < count; k++) {
            x = x * 0.999f + 1;
            y = y * 0.998f + x;
        }
        return x + y;
    }
};

struct passes {
    __device__ static float run(const unsigned *in, unsigned words, unsigned first, int count,
                                unsigned lane, unsigned lanes)
    {
        __shared__ volatile unsigned s[BLOCK];
        unsigned sum = lane;
        for (int k = 0; k < count; k++) {
            s[threadIdx.x] = sum;
            sum += s[threadIdx.x ^ 1];
        }
        return sum;
    }
};

/* How often each block does it. */
enum blocks_do { ALIKE, ONE, LAST_LONG, TRIANGLE, FALLING, HALVES, EVERY_2ND, EVERY_32ND, FEW_HUGE };

__device__ static int times_of(int how, int count)
{
    int b = blockIdx.x, n = gridDim.x;
    switch (how) {
    case ONE:
        return b == n / 3 ? count : 0;
    case LAST_LONG:
        return b == n - 1 ? 32 * count : count;
    case TRIANGLE:
        return 2 * count * (b + 1) / n;
    case FALLING:
        return 2 * count * (n - b) / n;
    case HALVES:
        return b < 20 ? count >> b : 0;
    case EVERY_2ND:
        return b % 2 ? count : 0;
    case EVERY_32ND:
        return b % 32 == 5 ? count : 0;
    case FEW_HUGE:
        return hash(b) % 200 == 0 ? 40 * count : count;
    default:
        return count;
    }
}

template <class Work>
__global__ void by_block(float *out, const unsigned *in, unsigned words, int how, int count)
{
    int times = times_of(how, count);
    if (times == 0)
        return;
    float x = Work::run(in, words, blockIdx.x * count, times, threadIdx.x, BLOCK);
    out[blockIdx.x * BLOCK + threadIdx.x] = x;
}

/* How often each thread of a block does it, the others waiting at a barrier. */
enum threads_do { ONE_WARP, ONE_LANE, ONE_THREAD, WARP_TRIANGLE, LANE_TRIANGLE };

template <class Work>
__global__ void by_thread(float *out, const unsigned *in, unsigned words, int how, int count)
{
    __shared__ float sum;
    int t = threadIdx.x, warp = t / 32, lane = t % 32, times = 0;
    switch (how) {
    case ONE_WARP:
        times = warp == 2 ? count : 0;
        break;
    case ONE_LANE:
        times = lane == 7 ? count : 0;
        break;
    case ONE_THREAD:
        times = t == 0 ? count : 0;
        break;
    case WARP_TRIANGLE:
        times = count * (warp + 1) / 8;
        break;
    case LANE_TRIANGLE:
        times = count * (lane + 1) / 32;
        break;
    }
    float x = Work::run(in, words, blockIdx.x * count, times, t, BLOCK);
    if (times == count)
        sum = x;
    __syncthreads();
    out[blockIdx.x * BLOCK + t] = sum;
}

/* Rows of unlike length, a thread, a warp or a block each. */
__global__ void rows_by(float *out, const int *start, const unsigned *in, unsigned words, int rows,
                        int threads)
{
    int row = (blockIdx.x * BLOCK + threadIdx.x) / threads, lane = threadIdx.x % threads;
    if (row >= rows)
        return;
    float sum = 0;
    for (int k = start[row] + lane; k < start[row + 1]; k += threads)
        sum += in[k & (words - 1)];
    if (sum != -1)
        out[row] = sum;
}

template <class Work> static void blocks(const char *name, const unsigned *in, unsigned words,
                                         float *out, unsigned grid, int how, int count)
{
    measure(name, grid, (size_t)grid * count, 0,
            [&] { by_block<Work><<<grid, BLOCK>>>(out, in, words, how, count); });
}

template <class Work> static void threads(const char *name, const unsigned *in, unsigned words,
                                          float *out, unsigned grid, int how, int count)
{
    measure(name, grid, (size_t)grid * count, 0,
            [&] { by_thread<Work><<<grid, BLOCK>>>(out, in, words, how, count); });
}

int main()
{
    const unsigned words = 1 << 22, large = 1 << 24;
    device_array<unsigned> in(large), next(words);
    device_array<float> out(1 << 21);
    fill_hash<<<512, 256>>>(in.p, large, 255);
    fill_hash<<<512, 256>>>(next.p, words, words - 1);

    blocks<sums>("sums_alike", in.p, large, out.p, 1056, ALIKE, 60);
    blocks<sums>("sums_one_block", in.p, large, out.p, 1056, ONE, 8192);
    blocks<sums>("sums_one_alone", in.p, large, out.p, 1, ALIKE, 8192);
    blocks<sums>("sums_last_long", in.p, large, out.p, 2112, LAST_LONG, 30);
    blocks<sums>("sums_triangle", in.p, large, out.p, 4224, TRIANGLE, 15);
    blocks<sums>("sums_halves", in.p, large, out.p, 1056, HALVES, 4096);
    blocks<sums>("sums_every_32nd", in.p, large, out.p, 4224, EVERY_32ND, 400);
    blocks<sums>("sums_few_blocks", in.p, large, out.p, 8, ALIKE, 4096);
    blocks<sums>("sums_33_blocks", in.p, large, out.p, 33, ALIKE, 1024);
    blocks<steps>("steps_one_block", next.p, words, out.p, 528, ONE, 512);
    blocks<steps>("steps_falling", next.p, words, out.p, 2112, FALLING, 16);
    blocks<steps>("steps_every_2nd", next.p, words, out.p, 2112, EVERY_2ND, 16);
    blocks<products>("products_one_block", in.p, words, out.p, 264, ONE, 20000);
    blocks<products>("products_triangle", in.p, words, out.p, 2112, TRIANGLE, 400);
    blocks<products>("products_last_long", in.p, words, out.p, 3168, LAST_LONG, 200);
    blocks<passes>("passes_one_block", in.p, words, out.p, 264, ONE, 4096);

    threads<sums>("sums_one_warp", in.p, large, out.p, 528, ONE_WARP, 256);
    threads<sums>("sums_one_thread", in.p, large, out.p, 264, ONE_THREAD, 512);
    threads<steps>("steps_one_warp", next.p, words, out.p, 264, ONE_WARP, 64);
    threads<products>("products_one_warp", in.p, words, out.p, 1056, ONE_WARP, 1000);
    threads<products>("products_warp_triangle", in.p, words, out.p, 528, WARP_TRIANGLE, 800);
    threads<products>("products_lane_triangle", in.p, words, out.p, 1056, LANE_TRIANGLE, 400);
    threads<passes>("passes_one_warp", in.p, words, out.p, 528, ONE_WARP, 512);

    /* Rows whose length falls as a power: the longest has a sixteenth of all words. */
    const int rows = 16384;
    std::vector<int> start(rows + 1);
    for (int r = 0; r < rows; r++)
        start[r + 1] = start[r] + 1 + 65536 / (1 + (int)((unsigned)r * 7919u % rows));
    device_array<int> starts(rows + 1);
    CHECK(cudaMemcpy(starts.p, start.data(), (rows + 1) * 4, cudaMemcpyHostToDevice));
    for (int per : {1, 32, (int)BLOCK})
        measure("rows_by", per, start[rows], 0, [&] {
            rows_by<<<rows / (BLOCK / per), BLOCK>>>(out.p, starts.p, in.p, large, rows, per);
        });
    return 0;
}
