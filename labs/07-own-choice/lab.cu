// Assignment 7: a program of your own choice: the game of life, a sparse matrix, or clusters.
// Build and run: ./warpbook run own-choice   or, with a GPU: nvcc -I ../../common lab.cu
#include "lab.h"

enum { CHOICE = 0 }; // yours to choose: 1 life, 2 matrix, 3 clusters. 0 is none yet: all are run
enum { ENTRIES = 32, COLUMNS = 4096, CENTRES = 8 };
__constant__ int2 centre[CENTRES]; // main fills it

// HELPERS: functions of your own, for the TODO regions below
// END HELPERS

// TODO 1 (about 40 lines): a step of life. A cell is 1 (alive) or 0; all around the board are 0.
// out is 1 where 3 of the 8 neighbours live, or 2 and the cell itself. A row has 16 k cells.
__global__ void life(unsigned char *out, const unsigned char *in, int width, int height) {}
static void run_life(unsigned char *out, const unsigned char *in, int width, int height)
{ life<<<1, 1>>>(out, in, width, height); }
// END TODO 1

// TODO 2 (about 30 lines): out = matrix * x. Row r has length[r] entries, from r * ENTRIES on. The
// entry e is in column e & (COLUMNS - 1), and its value is e / COLUMNS, rounded down: e >> 12.
__global__ void multiply(int *out, const int *length, const int *entry, const int *x, int rows) {}
static void run_multiply(int *out, const int *length, const int *entry, const int *x, int rows)
{ multiply<<<1, 1>>>(out, length, entry, x, rows); }
// END TODO 2

// TODO 3 (about 45 lines): which[i]: the centre nearest to (x[i], y[i]); the first, if two are.
// sums[3 k], [3 k + 1], [3 k + 2] += the x, the y and the number of the points of centre k.
__global__ void nearest(int *which, int *sums, const int *x, const int *y, int n) {}
static void run_nearest(int *which, int *sums, const int *x, const int *y, int n)
{ nearest<<<1, 1>>>(which, sums, x, y, n); }
// END TODO 3

static void check_life(int width, int height)
{
    lab_array<unsigned char> in(width * height, LAB_RANDOM, 0, 1), out(in.n, LAB_POISON);
    run_life(out.device, in.device, width, height);
    auto next = [&](long i) {
        int x = i % width, y = i / width, count = -in[i];
        for (int v = max(y - 1, 0); v <= min(y + 1, height - 1); v++)
            for (int u = max(x - 1, 0); u <= min(x + 1, width - 1); u++)
                count += in[(long)v * width + u];
        return count == 3 || (count == 2 && in[i]);
    };
    lab_expect(out, next, 0, "a cell lives or not");
}

struct matrix { // and what it is multiplied with
    lab_array<int> length, entry, x, out;
    explicit matrix(int rows)
        : length(rows, LAB_RANDOM, 0, ENTRIES), entry((long)rows * ENTRIES, LAB_RANDOM, -4e6, 4e6),
          x(COLUMNS), out(rows, LAB_POISON) {}
    void run(void) { run_multiply(out.device, length.device, entry.device, x.device, out.n); }
};

static void check_multiply(int rows)
{
    matrix m(rows); m.run();
    auto sum = [&](long r) {
        int sum = 0;
        for (long k = r * ENTRIES; k < r * ENTRIES + m.length[r]; k++)
            sum += (m.entry[k] >> 12) * m.x[m.entry[k] & (COLUMNS - 1)];
        return sum;
    };
    lab_expect(m.out, sum, 0, "sums of ints are exact");
}

static void check_nearest(int n, const int2 *at)
{
    lab_array<int> x(n), y(n), which(n, LAB_POISON), sums(3 * CENTRES, LAB_RANDOM, 0, 1000);
    int want[CENTRES][3] = {};
    auto best = [&](long i) {
        int best = 0, least = INT_MAX;
        for (int k = 0; k < CENTRES; k++) {
            int u = x[i] - at[k].x, v = y[i] - at[k].y, far = u * u + v * v;
            if (far < least) best = k, least = far;
        }
        return best;
    };
    for (int i = 0, k; i < n; i++)
        k = best(i), want[k][0] += x[i], want[k][1] += y[i], want[k][2]++;
    run_nearest(which.device, sums.device, x.device, y.device, n);
    lab_expect(which, best, 0, "squares of ints are exact");
    lab_expect(sums, [&](long j) { return sums[j] + want[j / 3][j % 3]; }, 0, "sums of ints");
}

int main(void)
{
    lab_begin("labs/07-own-choice"), lab_choose(CHOICE, 3);
    int2 at[CENTRES];
    for (int2 &c : at) c.y = lab_bits() % 2001 - 1000, c.x = lab_bits() % 2001 - 1000;
    CUDA_CHECK(cudaMemcpyToSymbol(centre, at, sizeof at));
    if (lab_chosen(1)) LAB_CHECK("life", n)
        for (int high : {33, n / 80 + 1}) check_life(high == 33 ? (n / 528 + 1) * 16 : 80, high);
    if (lab_chosen(2)) LAB_CHECK("multiply", n) check_multiply(n);
    if (lab_chosen(3)) LAB_CHECK("nearest", n) check_nearest(n, at);

    int n = (int)lab_elements(1 << 22, 1 << 28), width = 4096, rows = max(n / 16, 1 << 17);
    if (lab_chosen(1)) {
        lab_array<unsigned char> in(n / 1024 * width, LAB_RANDOM, 0, 1), out(in.n, LAB_POISON);
        LAB_ROUNDS { LAB_MEASURE("life", in.n, 2.0 * in.n)
            run_life(out.device, in.device, width, n / 1024);
        }
        LAB_GOAL("life", "load_sectors_per_store_sector", "at_most", 2.5, "a cell is loaded once");
        LAB_GOAL("life", "store_sectors_per_request", "at_least", 4, "four cells a lane and store");
        LAB_GOAL("life", "bytes_per_sector", "at_least", 18, "once, and a row around it");
        LAB_GOAL("life", "lanes_per_instruction", "at_least", 24, "all lanes of a warp work");
        LAB_GOAL("life", "busiest_warp", "at_most", 4, "all warps and blocks do");
    }
    if (lab_chosen(2)) {
        matrix m(rows);
        LAB_ROUNDS { LAB_MEASURE("multiply", rows, (2.0 * ENTRIES + 8) * rows) m.run(); // half full
        }
        LAB_GOAL("multiply", "cost", "at_most", 1.15, "entries past a length stay unread");
        LAB_GOAL("multiply", "load_sectors_per_request", "at_most", 8, "lanes load side by side");
        LAB_GOAL("multiply", "bytes_per_sector", "at_least", 16, "entries once, x a few times");
        LAB_GOAL("multiply", "lanes_per_instruction", "at_least", 16, "rows of any length");
        LAB_GOAL("multiply", "busiest_warp", "at_most", 4, "all warps and blocks work");
    }
    if (lab_chosen(3)) {
        lab_array<int> x(n / 2), y(n / 2), which(n / 2, LAB_POISON), sums(3 * CENTRES);
        LAB_ROUNDS { LAB_MEASURE("nearest", n / 2, 6.0 * n)
            run_nearest(which.device, sums.device, x.device, y.device, n / 2);
        }
        LAB_GOAL("nearest", "cost", "at_most", 1.5, "sums in registers take 1.4 times");
        LAB_GOAL("nearest", "const_addresses_per_request", "at_most", 1, "one centre at a time");
        LAB_GOAL("nearest", "shared_atomic_wavefronts_per_request", "at_most", 1, "no conflict");
        LAB_GOAL("nearest", "atomic_requests_per_block", "at_most", 24, "24 numbers a block");
        LAB_GOAL("nearest", "bytes_per_shared_atomic", "at_least", 100, "128: counted once");
        LAB_GOAL("nearest", "lanes_per_instruction", "at_least", 24, "all lanes of a warp work");
        LAB_GOAL("nearest", "busiest_warp", "at_most", 4, "all warps and blocks do");
    }
    return lab_end();
}
