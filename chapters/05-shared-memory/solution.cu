// Chapter 5: shared memory. A block fetches tiles of two matrices, and all its threads use them.
// Build and run: ./warpbook run 5      or, with a GPU: nvcc -I ../../common lab.cu && ./a.out
#include "lab.h"

enum { TILE = 32, LOADS = 64, WORDS = 16384 };

// Element (row, column) of a matrix; 0 beyond its edges.
__device__ float at(const float *matrix, int rows, int columns, int row, int column)
{
    return row < rows && column < columns ? matrix[row * columns + column] : 0;
}

// HELPERS: functions of your own, for the TODO regions below
// END HELPERS

// out = A * B. A: m rows of k. B: k rows of n; if DOTS, n rows of k, each times each row of A.
// Blocks of TILE x TILE threads, a result each. Tiles of A and B move along k, TILE by TILE.
template <bool DOTS, int WIDTH>
__device__ void tiled(float *out, const float *a, const float *b, int m, int k, int n)
{
    __shared__ float ta[TILE][TILE], tb[TILE][WIDTH];
    int x = threadIdx.x, left = blockIdx.x * TILE, column = left + x;
    int y = threadIdx.y, top = blockIdx.y * TILE, row = top + y;
    float sum = 0;
    for (int first = 0; first < k; first += TILE) {
        // TODO 1 (about 2 lines): load this thread's element of each tile, ta[y][x] and tb[y][x].
        // Neighbouring lanes have neighbouring x, and x runs along a row of each matrix: 4 sectors
        // a request. If DOTS, a thread loads an element that only other threads need.
        ta[y][x] = at(a, m, k, row, first + x);
        tb[y][x] = DOTS ? at(b, n, k, left + y, first + x) : at(b, k, n, first + y, column);
        // END TODO 1
        // TODO 2 (about 4 lines): add up the products in the tiles. Where must the block wait?
        // The first barrier waits until the tiles are complete, the second until all threads have
        // read them: the next iteration overwrites them.
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += ta[y][i] * (DOTS ? tb[x][i] : tb[i][x]);
        __syncthreads();
        // END TODO 2
    }
    if (row < m && column < n) out[row * n + column] = sum;
}

__global__ void dots_padded(float *out, const float *a, const float *b, int m, int k, int n)
{
    // TODO 3 (about 1 line): a width at which tb[0][i], tb[1][i] ... lie in 32 different banks.
    // A word of padding: each row begins one bank further on, so the words of a column lie in 32
    // banks. The words of a row still lie side by side.
    enum { WIDTH = TILE + 1 };
    // END TODO 3
    tiled<true, WIDTH>(out, a, b, m, k, n);
}

__global__ void dots_packed(float *out, const float *a, const float *b, int m, int k, int n)
{
    tiled<true, TILE>(out, a, b, m, k, n);
}

__global__ void product_tiled(float *out, const float *a, const float *b, int m, int k, int n)
{
    tiled<false, TILE>(out, a, b, m, k, n);
}

__global__ void product_naive(float *out, const float *a, const float *b, int m, int k, int n)
{
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int i = 0; i < k; i++)
        sum += at(a, m, k, row, i) * at(b, k, n, i, column);
    if (row < m && column < n) out[row * n + column] = sum;
}

// Shared memory alone: neighbouring lanes read words a stride apart.
__global__ void strided(float *out, int stride)
{
    __shared__ float words[1024];
    float sum = 0;
    words[threadIdx.x] = threadIdx.x;
    __syncthreads();
    for (int i = 0; i < LOADS; i++)
        sum += words[(threadIdx.x % 32 * stride + i) % 1024];
    out[blockIdx.x * 1024 + threadIdx.x] = sum;
}

// Every block reads a table of 64 KB four times. Does it fit into L1?
__global__ void walk(float *out, const float *table, int words)
{
    float sum = 0;
    for (int i = 0; i < LOADS; i++)
        sum += table[(i * 1024 + threadIdx.x) & (words - 1)];
    out[blockIdx.x * 1024 + threadIdx.x] = sum;
}

static void run(int v, float *out, const float *a, const float *b, int m, int k, int n)
{
    decltype(product_naive) *kernels[] = {product_naive, product_tiled, dots_packed, dots_padded};
    dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    kernels[v]<<<grid, dim3(TILE, TILE)>>>(out, a, b, m, k, n);
}

int main(void)
{
    const char *names[] = {"product_naive", "product_tiled", "dots_packed", "dots_padded"};
    lab_begin("05-shared-memory");

    for (int v = 1; v < 4; v++)
        LAB_CHECK(names[v], size) { // m, k and n that differ and fit no tile
            int m = size < 50 ? size : 50 + size % 50, k = size % 41 + 1, n = size % 71 + 1;
            lab_case("columns", n);
            lab_array<float> a(m * k), b(k * n), out(m * n, LAB_POISON);
            run(v, out.device, a.device, b.device, m, k, n);
            auto cell = [&](long at) {
                double sum = 0;
                for (int i = 0, row = at / n, column = at % n; i < k; i++)
                    sum += (double)a[row * k + i] * b[v < 2 ? i * n + column : column * k + i];
                return sum;
            };
            lab_expect(out, cell, 1e-5, "at most 41 roundings of sums below 41");
        }

    long elements = lab_elements(1 << 21, 1 << 28), side = sqrt((double)elements) / 4;
    int n = (side + TILE - 1) / TILE * TILE, blocks = (elements / 32 + 1023) / 1024;
    lab_array<float> a(n * n), b(n * n), out(elements, LAB_POISON), table(WORDS);
    for (int v = 0; v < 4; v++) // bytes: two floats for each multiplication
        LAB_MEASURE(names[v], n * n, 8.0 * n * n * n)
            run(v, out.device, a.device, b.device, n, n, n);
    for (int share : {0, 100}) { // preferred carve-out in percent
        CUDA_CHECK(
            cudaFuncSetAttribute(walk, cudaFuncAttributePreferredSharedMemoryCarveout, share));
        LAB_MEASURE(share ? "walk/share-100" : "walk/share-0", blocks, 4096.0 * LOADS * blocks)
            walk<<<blocks, 1024>>>(out.device, table.device, WORDS);
    }
    for (int stride = 1; stride <= 32; stride++) // bytes: what shared memory delivers to the lanes
        LAB_SWEEP("strided", stride, blocks * 1024, 4096.0 * LOADS * blocks)
            strided<<<blocks, 1024>>>(out.device, stride);

    LAB_GOAL("product_tiled", "bytes_per_sector", "at_least", 3.6, "lanes fetch neighbours");
    LAB_GOAL("dots_padded", "bytes_per_sector", "at_least", 3.6, "lanes fetch neighbours");
    LAB_GOAL("dots_padded", "shared_load_conflicts", "at_most", 0, "32 banks, or one word for all");
    LAB_GOAL("dots_padded", "shared_store_conflicts", "at_most", 0, "32 lanes, 32 banks");
    LAB_GOAL("dots_packed", "cost", "at_most", 4, "word by word, not four at a time");
    LAB_WORK("product_tiled dots_padded", 2.0 * n / TILE, 1, 28);
    return lab_end();
}
