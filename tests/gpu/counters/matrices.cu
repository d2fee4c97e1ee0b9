// matrices rows|stores|wmma: what moving a warp's matrices costs. One warp; a launch is a
// form with one distance between rows, in bytes.
#include "pattern.h"

#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

extern __shared__ __align__(128) unsigned char memory[];

// ldmatrix of COUNT matrices whose rows are ROW bytes apart.
template <int Count, bool Trans> __global__ void load_rows(int row, unsigned *out)
{
    const unsigned at =
        (unsigned)__cvta_generic_to_shared(memory) + threadIdx.x % (8 * Count) * row;
    unsigned d[4] = {0, 0, 0, 0};
    if (Count == 1) {
        if (Trans) {
            asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
                         : "=r"(d[0]) : "r"(at));
        } else {
            asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                         : "=r"(d[0]) : "r"(at));
        }
    } else if (Count == 2) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                     : "=r"(d[0]), "=r"(d[1]) : "r"(at));
    } else if (Trans) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(at));
    } else {
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(at));
    }
    out[threadIdx.x] = d[0] ^ d[1] ^ d[2] ^ d[3];
}

// stmatrix likewise.
template <int Count> __global__ void store_rows(int row, unsigned *out)
{
    const unsigned at =
        (unsigned)__cvta_generic_to_shared(memory) + threadIdx.x % (8 * Count) * row;
    const unsigned v = out[threadIdx.x];
    if (Count == 1) {
        asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(at), "r"(v)
                     : "memory");
    } else if (Count == 2) {
        asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %1};" ::"r"(at), "r"(v)
                     : "memory");
    } else {
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %1, %1, %1};" ::"r"(at),
                     "r"(v)
                     : "memory");
    }
}

// One fragment of each kind, from and to shared or global memory.
template <bool Shared, class Use, class T, class Layout>
__global__ void load_part(const T *in, T *out, int lead)
{
    wmma::fragment<Use, 16, 16, 16, T, Layout> f;
    wmma::load_matrix_sync(f, Shared ? (const T *)memory : in, lead);
    T x = f.x[0];
    for (int k = 1; k < f.num_elements; k++) {
        x = (T)((float)x + (float)f.x[k]);
    }
    out[threadIdx.x] = x;
}

template <bool Shared, class T> __global__ void move_sums(T *to, T *out, int lead)
{
    wmma::fragment<wmma::accumulator, 16, 16, 16, T> f;
    T *at = Shared ? (T *)memory : to;
    wmma::load_matrix_sync(f, at, lead, wmma::mem_row_major);
    wmma::store_matrix_sync(at + 16 * lead, f, lead, wmma::mem_row_major);
    out[threadIdx.x] = f.x[0];
}

template <bool Shared> void fragments(half *in, half *out, int lead)
{
    using namespace wmma;
    load_part<Shared, matrix_a, half, row_major><<<1, 32, 16384>>>(in, out, lead);
    load_part<Shared, matrix_a, half, col_major><<<1, 32, 16384>>>(in, out, lead);
    load_part<Shared, matrix_b, half, row_major><<<1, 32, 16384>>>(in, out, lead);
    load_part<Shared, matrix_b, half, col_major><<<1, 32, 16384>>>(in, out, lead);
    load_part<Shared, matrix_a, signed char, row_major>
        <<<1, 32, 16384>>>((signed char *)in, (signed char *)out, lead);
    move_sums<Shared><<<1, 32, 16384>>>(in, out, lead);
    move_sums<Shared><<<1, 32, 16384>>>((float *)in, (float *)out, lead);
}

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
    if (!strcmp(what, "rows")) {
        for (int row : rows) {
            load_rows<1, false><<<1, 32, 16384>>>(row, out);
            load_rows<1, true><<<1, 32, 16384>>>(row, out);
            load_rows<2, false><<<1, 32, 16384>>>(row, out);
            load_rows<4, false><<<1, 32, 16384>>>(row, out);
            load_rows<4, true><<<1, 32, 16384>>>(row, out);
        }
    } else if (!strcmp(what, "stores")) {
        for (int row : rows) {
            store_rows<1><<<1, 32, 16384>>>(row, out);
            store_rows<2><<<1, 32, 16384>>>(row, out);
            store_rows<4><<<1, 32, 16384>>>(row, out);
        }
    } else if (!strcmp(what, "wmma")) {
        half *global = (half *)space(1 << 16);
        for (int lead : {16, 24, 32, 64}) {
            fragments<false>(global, (half *)out, lead);
            fragments<true>(global, (half *)out, lead);
        }
    } else {
        fprintf(stderr, "usage: matrices rows|stores|wmma\n");
        return 2;
    }
    CHECK(cudaDeviceSynchronize());
    return 0;
}
