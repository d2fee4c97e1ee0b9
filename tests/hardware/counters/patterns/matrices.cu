// matrices rows|stores|wmma: what moving a warp's matrices costs. One warp; a launch is a
// form with one distance between rows, in bytes.
#include "pattern.h"

#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;
typedef signed char signed_char;

extern __shared__ __align__(128) unsigned char memory[];

// ldmatrix and stmatrix of COUNT matrices whose rows are ROW bytes apart.
#define AT(count) ((unsigned)__cvta_generic_to_shared(memory) + threadIdx.x % (8 * count) * row)
#define LOAD(count, name, form, list, ...)                                                    \
    extern "C" __global__ void load_rows_##name(int row, unsigned *out)                       \
    {                                                                                         \
        unsigned d[4] = {0, 0, 0, 0};                                                         \
        asm volatile("ldmatrix.sync.aligned.m8n8." form ".shared.b16 " list : __VA_ARGS__     \
                     : "r"(AT(count)));                                                       \
        out[threadIdx.x] = d[0] ^ d[1] ^ d[2] ^ d[3];                                         \
    }
#define FOUR "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
LOAD(1, x1, "x1", "{%0}, [%1];", "=r"(d[0]))
LOAD(1, x1t, "x1.trans", "{%0}, [%1];", "=r"(d[0]))
LOAD(2, x2, "x2", "{%0, %1}, [%2];", "=r"(d[0]), "=r"(d[1]))
LOAD(4, x4, "x4", "{%0, %1, %2, %3}, [%4];", FOUR)
LOAD(4, x4t, "x4.trans", "{%0, %1, %2, %3}, [%4];", FOUR)

#define STORE(count, name, list)                                                              \
    extern "C" __global__ void store_rows_##name(int row, unsigned *out)                      \
    {                                                                                         \
        asm volatile("stmatrix.sync.aligned.m8n8." #name ".shared.b16 [%0], " list            \
                     ::"r"(AT(count)), "r"(out[threadIdx.x]) : "memory");                     \
    }
STORE(1, x1, "{%1};")
STORE(2, x2, "{%1, %1};")
STORE(4, x4, "{%1, %1, %1, %1};")

// One fragment of each kind, from and to global or shared memory.
#define PART(name, use, T, layout)                                                            \
    extern "C" __global__ void global_##name(const T *in, T *out, int lead)                   \
    {                                                                                         \
        wmma::fragment<wmma::use, 16, 16, 16, T, wmma::layout> f;                             \
        wmma::load_matrix_sync(f, in, lead);                                                  \
        sum_of(f, out);                                                                       \
    }                                                                                         \
    extern "C" __global__ void shared_##name(const T *, T *out, int lead)                     \
    {                                                                                         \
        wmma::fragment<wmma::use, 16, 16, 16, T, wmma::layout> f;                             \
        wmma::load_matrix_sync(f, (const T *)memory, lead);                                   \
        sum_of(f, out);                                                                       \
    }
#define SUMS(name, T)                                                                         \
    extern "C" __global__ void global_##name(T *at, T *out, int lead)                         \
    {                                                                                         \
        move_sums(at, lead);                                                                  \
    }                                                                                         \
    extern "C" __global__ void shared_##name(T *, T *out, int lead)                           \
    {                                                                                         \
        move_sums((T *)memory, lead);                                                         \
    }

template <class F, class T> __device__ void sum_of(const F &f, T *out)
{
    float x = 0;
    for (int k = 0; k < f.num_elements; k++) {
        x += (float)f.x[k];
    }
    out[threadIdx.x] = (T)x;
}

template <class T> __device__ void move_sums(T *at, int lead)
{
    wmma::fragment<wmma::accumulator, 16, 16, 16, T> f;
    wmma::load_matrix_sync(f, at, lead, wmma::mem_row_major);
    wmma::store_matrix_sync(at + 16 * lead, f, lead, wmma::mem_row_major);
}

PART(a_rows, matrix_a, half, row_major)
PART(a_columns, matrix_a, half, col_major)
PART(b_rows, matrix_b, half, row_major)
PART(b_columns, matrix_b, half, col_major)
PART(bytes, matrix_a, signed_char, row_major)
SUMS(half_sums, half)
SUMS(float_sums, float)

static void *space(size_t bytes)
{
    void *p;
    CHECK(cudaMalloc(&p, bytes));
    CHECK(cudaMemset(p, 0, bytes));
    return p;
}

static const int rows[] = {16, 32, 48, 64, 80, 128, 144, 160, 256, 272};

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    unsigned *out = (unsigned *)space(1 << 16);
    half *in = (half *)space(1 << 16);
    if (!strcmp(what, "rows")) {
        for (int row : rows) {
            load_rows_x1<<<1, 32, 16384>>>(row, out);
            load_rows_x1t<<<1, 32, 16384>>>(row, out);
            load_rows_x2<<<1, 32, 16384>>>(row, out);
            load_rows_x4<<<1, 32, 16384>>>(row, out);
            load_rows_x4t<<<1, 32, 16384>>>(row, out);
        }
    } else if (!strcmp(what, "stores")) {
        for (int row : rows) {
            store_rows_x1<<<1, 32, 16384>>>(row, out);
            store_rows_x2<<<1, 32, 16384>>>(row, out);
            store_rows_x4<<<1, 32, 16384>>>(row, out);
        }
    } else if (!strcmp(what, "wmma")) {
        half *h = (half *)out;
        float *f = (float *)out;
        signed_char *b = (signed_char *)out;
        for (int lead : {16, 32, 48, 64}) {
#define BOTH(name, in, out)                     \
    global_##name<<<1, 32, 16384>>>(in, out, lead); \
    shared_##name<<<1, 32, 16384>>>(in, out, lead);
            BOTH(a_rows, in, h)
            BOTH(a_columns, in, h)
            BOTH(b_rows, in, h)
            BOTH(b_columns, in, h)
            BOTH(bytes, (signed_char *)in, b)
            BOTH(half_sums, in, h)
            BOTH(float_sums, (float *)in, f)
        }
    } else {
        fprintf(stderr, "usage: matrices rows|stores|wmma\n");
        return 2;
    }
    CHECK(cudaDeviceSynchronize());
    return 0;
}
