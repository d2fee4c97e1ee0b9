// flags: -arch=compute_80 -std=c++17
// Products of matrices by wmma, in every type, shape and layout, and by ldmatrix and mma.
#include "check.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

template <int M, int N, int K, class T, class Part, class LA, class LB, class C>
__global__ void product(const T *a, const T *b, const C *c, C *d, int lda, int ldb, int ldc,
                        bool shared, bool by_columns)
{
    __shared__ __align__(32) unsigned char memory[4096];
    if (shared) { // the first matrix by way of shared memory
        for (int k = (int)threadIdx.x; k < 64 * 16 && k < 4096 / (int)sizeof(T); k += 32) {
            ((T *)memory)[k] = a[k];
        }
        __syncwarp();
        a = (const T *)memory;
    }
    const auto layout = by_columns ? wmma::mem_col_major : wmma::mem_row_major;
    wmma::fragment<wmma::matrix_a, M, N, K, Part, LA> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, Part, LB> fb;
    wmma::fragment<wmma::accumulator, M, N, K, C> fc, fd;
    wmma::load_matrix_sync(fa, a, lda);
    wmma::load_matrix_sync(fb, b, ldb);
    wmma::load_matrix_sync(fc, c, ldc, layout);
    wmma::mma_sync(fd, fa, fb, fc);
    for (int k = 0; k < fd.num_elements; k++) {
        fd.x[k] = fd.x[k] + fd.x[k];
    }
    wmma::store_matrix_sync(d, fd, ldc, layout);
}

template <class T> static T from(int x)
{
    return (T)(float)x;
}

template <class T> static constexpr bool is_unsigned = false;
template <> constexpr bool is_unsigned<unsigned char> = true;

template <class T> static T *put(const T *list, int count)
{
    T *d;
    OK(cudaMalloc(&d, sizeof(T) * count));
    OK(cudaMemcpy(d, list, sizeof(T) * count, cudaMemcpyHostToDevice));
    return d;
}

// Small integers, so that every order of summation gives the same.
template <int M, int N, int K, class T, class Part, class LA, class LB, class C>
static void check_layout(const char *name)
{
    const bool rows_a = std::is_same<LA, wmma::row_major>::value;
    const bool rows_b = std::is_same<LB, wmma::row_major>::value;
    const int lda = (rows_a ? K : M) + 16, ldb = (rows_b ? N : K) + 16;
    static T a[4096], b[4096];
    static C c[4096], d[4096];
    int x[64][64], y[64][64];
    for (int i = 0; i < M; i++) {
        for (int k = 0; k < K; k++) {
            x[i][k] = rand() % 9 - (is_unsigned<T> ? 0 : 4);
            a[rows_a ? i * lda + k : k * lda + i] = from<T>(x[i][k]);
        }
    }
    for (int k = 0; k < K; k++) {
        for (int j = 0; j < N; j++) {
            y[k][j] = rand() % 9 - (is_unsigned<T> ? 0 : 4);
            b[rows_b ? k * ldb + j : j * ldb + k] = from<T>(y[k][j]);
        }
    }
    T *da = put(a, 4096), *db = put(b, 4096);
    for (int way = 0; way < 4; way++) {
        const bool by_columns = way & 1;
        const int ldc = (by_columns ? M : N) + 8;
        for (int i = 0; i < 4096; i++) {
            c[i] = from<C>(i % 50);
        }
        C *dc = put(c, 4096);
        product<M, N, K, T, Part, LA, LB, C>
            <<<1, 32>>>(da, db, dc, dc, lda, ldb, ldc, way & 2, by_columns);
        OK(cudaMemcpy(d, dc, sizeof d, cudaMemcpyDeviceToHost));
        int wrong = 0;
        for (int i = 0; i < M; i++) {
            for (int j = 0; j < N; j++) {
                const int at = by_columns ? j * ldc + i : i * ldc + j;
                int sum = at % 50;
                for (int k = 0; k < K; k++) {
                    sum += x[i][k] * y[k][j];
                }
                wrong += (float)d[at] != (float)(2 * sum);
            }
        }
        if (wrong) {
            printf("%s %dx%dx%d, a by %s, b by %s, way %d: %d wrong\n", name, M, N, K,
                   rows_a ? "rows" : "columns", rows_b ? "rows" : "columns", way, wrong);
            failures++;
        }
        OK(cudaFree(dc));
    }
    OK(cudaFree(da));
    OK(cudaFree(db));
}

template <int M, int N, int K, class T, class Part, class C> static void check(const char *name)
{
    check_layout<M, N, K, T, Part, wmma::row_major, wmma::row_major, C>(name);
    check_layout<M, N, K, T, Part, wmma::row_major, wmma::col_major, C>(name);
    check_layout<M, N, K, T, Part, wmma::col_major, wmma::row_major, C>(name);
    check_layout<M, N, K, T, Part, wmma::col_major, wmma::col_major, C>(name);
}

template <class T, class C> static void check_shapes(const char *name)
{
    check<16, 16, 16, T, T, C>(name);
    check<32, 8, 16, T, T, C>(name);
    check<8, 32, 16, T, T, C>(name);
}

// C[64][64] = A[64][K] * B[K][64] by tiles in shared memory: ldmatrix, its transposed form, mma.
__global__ void tiled(const half *a, const half *b, float *c, int depth)
{
    __shared__ __align__(16) half ta[64][24], tb[16][72];
    const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
    float sum[8][4] = {};
    for (int k0 = 0; k0 < depth; k0 += 16) {
        __syncthreads();
        for (int n = (int)threadIdx.x; n < 64 * 16; n += 128) {
            ta[n / 16][n % 16] = a[n / 16 * depth + k0 + n % 16];
            tb[n / 64][n % 64] = b[(k0 + n / 64) * 64 + n % 64];
        }
        __syncthreads();
        unsigned x[4];
        unsigned at = (unsigned)__cvta_generic_to_shared(&ta[16 * warp + lane % 16][lane / 16 * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                     : "r"(at));
        for (int n = 0; n < 8; n++) {
            unsigned y[2];
            at = (unsigned)__cvta_generic_to_shared(&tb[lane % 16][8 * n]);
            asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                         : "=r"(y[0]), "=r"(y[1])
                         : "r"(at));
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                         "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                         : "+f"(sum[n][0]), "+f"(sum[n][1]), "+f"(sum[n][2]), "+f"(sum[n][3])
                         : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
        }
    }
    for (int n = 0; n < 8; n++) {
        for (int k = 0; k < 4; k++) {
            const int row = 16 * warp + lane / 4 + k / 2 * 8, col = 8 * n + lane % 4 * 2 + k % 2;
            c[row * 64 + col] = sum[n][k];
        }
    }
}

static void check_tiled()
{
    const int depth = 80;
    static half a[64 * depth], b[depth * 64];
    static float c[64 * 64];
    for (int k = 0; k < 64 * depth; k++) {
        a[k] = from<half>(rand() % 15 - 7);
        b[k] = from<half>(rand() % 15 - 7);
    }
    half *da = put(a, 64 * depth), *db = put(b, 64 * depth);
    float *dc = put(c, 64 * 64);
    tiled<<<1, 128>>>(da, db, dc, depth);
    OK(cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < 64; i++) {
        for (int j = 0; j < 64; j++) {
            float sum = 0;
            for (int k = 0; k < depth; k++) {
                sum += (float)a[i * depth + k] * (float)b[k * 64 + j];
            }
            wrong += c[i * 64 + j] != sum;
        }
    }
    CHECK(wrong == 0);
    OK(cudaFree(da));
    OK(cudaFree(db));
    OK(cudaFree(dc));
}

int main()
{
    check_shapes<half, float>("half, float");
    check_shapes<half, half>("half, half");
    check_shapes<__nv_bfloat16, float>("bfloat16");
    check_shapes<signed char, int>("signed char");
    check_shapes<unsigned char, int>("unsigned char");
    check<16, 16, 8, float, wmma::precision::tf32, float>("tf32");
    check<8, 8, 4, double, double, double>("double");
    check_tiled();
    return print_failures();
}
