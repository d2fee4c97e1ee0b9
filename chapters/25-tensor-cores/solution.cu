// Chapter 25: tensor cores as a layout. A warp multiplies matrices; each lane holds a part of them.
// Build and run: ./warpbook run 25     or, with a GPU:
// nvcc -arch=native -I ../../common lab.cu && ./a.out
#include "lab.h"
#include "lab_matrix.h"

enum { BLOCK = 128, TILE = 64, STRIPS = TILE / 8, SPACE = TILE * (TILE + 8) };

// HELPERS: functions of your own, for the TODO regions below
// END HELPERS

// out = a x + y, two elements per thread. Both halves of a are the same number.
__global__ void axpy(__half *out, const __half *x, const __half *y, __half2 a, int n)
{
    // TODO 1 (about 5 lines): both elements in one load, one instruction, one store; n may be odd.
    // An element with an even number lies at a multiple of 4 bytes, as a __half2 must. The last
    // element of an odd number has no neighbour, so it is computed alone.
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 1 < n)
        *(__half2 *)&out[i] = a * *(const __half2 *)&x[i] + *(const __half2 *)&y[i];
    else if (i < n)
        out[i] = a.x * x[i] + y[i];
    // END TODO 1
}

// Given: where element (row, column) of a tile lies if one row follows the other.
__device__ int in_rows(int row, int column)
{
    return row * TILE + column;
}

// This lane's fragments, from tiles that lie in rows: a of the 16 x 16 halves of A from (row, k)
// on, b[s] of the 16 x 8 halves of B from (k, 8 s) on.
__device__ void by_hand(unsigned a[4], unsigned b[STRIPS][2], const __half *A, const __half *B,
                        int row, int k)
{
    // TODO 2 (about 8 lines): two neighbours of a row of A, or of a column of B, to each register.
    // Two of A lie side by side, so one load has both. Two of B lie in two rows, and each has a
    // load of its own; the first of them goes to the low half of the register.
    int group = threadIdx.x % 32 / 4, pair = threadIdx.x % 4 * 2;
    for (int r = 0; r < 4; r++)
        a[r] = *(const unsigned *)&A[in_rows(row + group + r % 2 * 8, k + pair + r / 2 * 8)];
    for (int s = 0; s < STRIPS; s++)
        for (int r = 0; r < 2; r++) {
            const __half *upper = &B[in_rows(k + pair + r * 8, s * 8 + group)];
            b[s][r] = __half_as_ushort(upper[0]) | __half_as_ushort(upper[TILE]) << 16;
        }
    // END TODO 2
}

// TODO 3 (about 9 lines): a place without conflicts, and the same fragments from tiles that lie so.
// The eight pieces of a row change places, in each of eight rows otherwise: so eight pieces one
// below the other lie in different banks. The four matrices of A are two above two; those of B are
// the upper and the lower half of two strips.
__device__ int place(int row, int column) // of a tile: below SPACE; column is a multiple of 8
{
    return row * TILE + (column / 8 ^ row % 8) * 8;
}
__device__ void by_ldmatrix(unsigned a[4], unsigned b[STRIPS][2], const __half *A, const __half *B,
                            int row, int k)
{
    int down = threadIdx.x % 16, right = threadIdx.x % 32 / 16 * 8;
    ldmatrix(a, &A[place(row + down, k + right)]);
    for (int s = 0; s < STRIPS; s += 2)
        ldmatrix_transposed(b[s], &B[place(k + down, s * 8 + right)]);
}
// END TODO 3

// Given: the tile of FROM from (row, column) on, 16 bytes per thread; zeros beyond its ends.
template <bool LDMATRIX>
__device__ void fetch(__half *tile, const __half *from, int rows, int columns, int row, int column)
{
    for (int piece = threadIdx.x; piece < TILE * TILE / 8; piece += BLOCK) {
        int r = piece / 8, c = piece % 8 * 8;
        bool inside = row + r < rows && column + c < columns;
        const int4 *here = (const int4 *)&from[(long)(row + r) * columns + column + c];
        *(int4 *)&tile[LDMATRIX ? place(r, c) : in_rows(r, c)] = inside ? *here : int4{};
    }
}

// Given: C = A B. A has m rows and k columns, B k rows and n columns; k and n are multiples of 8.
template <bool LDMATRIX>
__device__ void product(float *C, const __half *A, const __half *B, int m, int n, int k)
{
    __shared__ __align__(128) __half tile_a[SPACE], tile_b[SPACE];
    int top = blockIdx.y * TILE, left = blockIdx.x * TILE, row = threadIdx.x / 32 * 16;
    float c[STRIPS][4] = {}; // of this warp's 16 rows, in strips of 8 columns
    for (int at = 0; at < k; at += TILE) {
        fetch<LDMATRIX>(tile_a, A, m, k, top, at);
        fetch<LDMATRIX>(tile_b, B, k, n, at, left);
        __syncthreads();
        for (int q = 0; q < TILE; q += 16) {
            unsigned a[4] = {}, b[STRIPS][2] = {};
            (LDMATRIX ? by_ldmatrix : by_hand)(a, b, tile_a, tile_b, row, q);
            for (int s = 0; s < STRIPS; s++)
                lab_mma(c[s], a, b[s]);
        }
        __syncthreads();
    }
    int i = top + row + threadIdx.x % 32 / 4, j = left + threadIdx.x % 4 * 2;
    for (int s = 0; s < STRIPS; s++)
        for (int h = 0; h < 2; h++)
            if (i + 8 * h < m && j + 8 * s < n)
                *(float2 *)&C[(long)(i + 8 * h) * n + j + 8 * s] = {c[s][2 * h], c[s][2 * h + 1]};
}

__global__ void product_by_hand(float *C, const __half *A, const __half *B, int m, int n, int k)
{
    product<false>(C, A, B, m, n, k);
}

__global__ void product_ldmatrix(float *C, const __half *A, const __half *B, int m, int n, int k)
{
    product<true>(C, A, B, m, n, k);
}

typedef void (*kernel)(float *, const __half *, const __half *, int, int, int);

static void multiply(kernel way, float *C, const __half *A, const __half *B, int m, int n, int k)
{
    dim3 tiles((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    way<<<tiles, BLOCK>>>(C, A, B, m, n, k);
}

static void check(kernel way, int m)
{
    int n = 8 * (m % 11 + 1), k = 8 * (m % 13 + 1);
    lab_array<__half> A(m * k), B(k * n);
    lab_array<float> C(m * n, LAB_POISON);
    multiply(way, C.device, A.device, B.device, m, n, k);
    auto want = [&](long i) {
        double sum = 0;
        for (long q = 0; q < k; q++)
            sum += lab_number(A[i / n * k + q]) * lab_number(B[q * n + i % n]);
        return sum;
    };
    lab_expect(C, want, 0x1p-23 * k * k, "k sums of floats below k, each exact to 23 bits");
}

int main(void)
{
    lab_begin("25-tensor-cores");
    const __half2 a = __float2half2_rn(0.625f);
    int n = (int)lab_elements(1 << 22, 1 << 28), pairs = 2 * BLOCK;
    int edge = (int)sqrt((double)lab_elements(512 * 512, 4096 * 4096)) / 8 * 8, all = edge * edge;

    LAB_CHECK("axpy", i) {
        lab_array<__half> x(i), y(i), out(i, LAB_POISON);
        const float f = (i % 15 + 1) / 16.0f;
        axpy<<<(i + pairs - 1) / pairs, BLOCK>>>(out.device, x.device, y.device,
                                                 __float2half2_rn(f), i);
        auto want = [&](long j) { return f * lab_number(x[j]) + lab_number(y[j]); };
        lab_expect(out, want, 0x1p-10, "two roundings of halves below 2, each by at most 2^-11");
    }
    LAB_CHECK_UP_TO("product_by_hand", m, 4096)
        check(product_by_hand, m);
    LAB_CHECK_UP_TO("product_ldmatrix", m, 4096)
        check(product_ldmatrix, m);

    lab_array<__half> x(n), y(n), out(n, LAB_POISON), A(all), B(all);
    lab_array<float> C(all, LAB_POISON);
    LAB_MEASURE("axpy", n, 6.0 * n)
        axpy<<<(n + pairs - 1) / pairs, BLOCK>>>(out.device, x.device, y.device, a, n);
    LAB_MEASURE("product_by_hand", all, 8.0 * all)
        multiply(product_by_hand, C.device, A.device, B.device, edge, edge, edge);
    LAB_MEASURE("product_ldmatrix", all, 8.0 * all)
        multiply(product_ldmatrix, C.device, A.device, B.device, edge, edge, edge);

    LAB_GOAL("axpy", "half_instructions_per_warp", "at_most", 1.5, "two elements per instruction");
    LAB_WORK("axpy", 2, 1, 28);
    LAB_GOAL("product_by_hand", "shared_passes_per_matrix_instruction", "at_most", 20,
             "two elements of A with a load, and each fragment once");
    LAB_GOAL("product_ldmatrix", "shared_load_conflicts", "at_most", 0, "eight rows, all banks");
    LAB_GOAL("product_ldmatrix", "shared_store_conflicts", "at_most", 0, "for the store as well");
    LAB_GOAL("product_ldmatrix", "shared_passes_per_matrix_instruction", "at_most", 2.5,
             "a pass for each matrix of 8 x 8");
    return lab_end();
}
