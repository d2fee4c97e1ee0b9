/* Exact divisions and roots whose operands leave the short path: by kind of operand and by how many
 * lanes of a warp have it, for one warp (chain) and for full SMs (warps). */
#include "record.h"

#include <cmath>
#include <cstring>

enum { ROUNDS = 256, MOST_THREADS = 256 };

struct quotient {
    template <class T> __device__ T operator()(T a, T b) const
    {
        return a / b;
    }
};

struct inverse {
    template <class T> __device__ T operator()(T a, T b) const
    {
        return 1 / a + b;
    }
};

struct root {
    template <class T> __device__ T operator()(T a, T b) const
    {
        return sqrt(a) + b;
    }
};

/* ZERO is 0: each round depends on the one before it, with the same operands. */
template <class T, class Operation>
__global__ void rounds_of(T *out, const T *as, const T *bs, T zero, Operation of)
{
    T a = as[threadIdx.x], b = bs[threadIdx.x];
#pragma unroll 4
    for (int k = 0; k < ROUNDS; k++)
        a = fma(of(a, b), zero, a);
    out[blockIdx.x * blockDim.x + threadIdx.x] = a;
}

/* COUNT quotients with one divisor, or each with its own. */
template <int COUNT, bool OWN> __global__ void quotients(float *out, const float *as, float zero)
{
    float a[COUNT], b[COUNT];
    for (int c = 0; c < COUNT; c++)
        a[c] = as[threadIdx.x] + c, b[c] = as[threadIdx.x + c] + 2;
#pragma unroll 1
    for (int k = 0; k < ROUNDS / COUNT; k++) {
#pragma unroll
        for (int c = 0; c < COUNT; c++)
            a[c] = fma(a[c] / b[OWN ? c : 0], zero, a[c]);
        b[0] = fma(a[0], zero, b[0]);
    }
    float sum = 0;
    for (int c = 0; c < COUNT; c++)
        sum += a[c];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* LANES of each warp have A and B, the others 1.5 and 3. */
template <class T, class Operation>
static void pair(const char *op, const char *type, const char *operands, int lanes, T a, T b,
                 Operation of)
{
    device_array<T> out(132 * 8 * MOST_THREADS), as(MOST_THREADS), bs(MOST_THREADS);
    T ha[MOST_THREADS], hb[MOST_THREADS];
    for (int k = 0; k < MOST_THREADS; k++)
        ha[k] = k % 32 < lanes ? a : (T)1.5, hb[k] = k % 32 < lanes ? b : (T)3;
    CHECK(cudaMemcpy(as.p, ha, sizeof ha, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(bs.p, hb, sizeof hb, cudaMemcpyHostToDevice));
    char name[80];
    snprintf(name, sizeof name, "%s_%s_%s.chain", op, type, operands);
    measure(name, lanes, ROUNDS, 0, [&] { rounds_of<<<1, 32>>>(out.p, as.p, bs.p, (T)0, of); });
    snprintf(name, sizeof name, "%s_%s_%s.warps", op, type, operands);
    measure(name, lanes, ROUNDS, 0,
            [&] { rounds_of<<<132 * 8, MOST_THREADS>>>(out.p, as.p, bs.p, (T)0, of); });
}

template <class T> static void all_of(const char *t, T tiny, T small, T large, T huge)
{
    const quotient q;
    pair<T>("div", t, "usual", 32, (T)1.5, (T)3, q);
    for (int lanes : {1, 16, 32}) {
        pair<T>("div", t, "zero", lanes, 0, 3, q);
        pair<T>("div", t, "by_tiny", lanes, (T)1e-3, tiny, q);
    }
    pair<T>("div", t, "negative_zero", 32, (T)-0.0, 3, q);
    pair<T>("div", t, "tiny", 32, tiny, 3, q);
    pair<T>("div", t, "small", 32, small, 3, q);
    pair<T>("div", t, "large", 32, large, 3, q);
    pair<T>("div", t, "huge", 32, huge, 3, q);
    pair<T>("div", t, "by_small", 32, (T)1.5, small, q);
    pair<T>("div", t, "by_large", 32, (T)1.5, large, q);
    pair<T>("div", t, "by_huge", 32, (T)1.5, huge, q);
    pair<T>("div", t, "small_by_large", 32, small, large, q);
    pair<T>("div", t, "far_apart", 32, sqrt(small), 1 / sqrt(small), q);
    pair<T>("div", t, "by_infinity", 32, (T)1.5, (T)INFINITY, q);
    for (const auto &of : {inverse()}) {
        pair<T>("rcp", t, "usual", 32, (T)1.5, 0, of);
        for (int lanes : {1, 32})
            pair<T>("rcp", t, "tiny", lanes, tiny, 0, of);
        pair<T>("rcp", t, "small", 32, small, 0, of);
        pair<T>("rcp", t, "large", 32, large, 0, of);
        pair<T>("rcp", t, "huge", 32, huge, 0, of);
    }
    for (const auto &of : {root()}) {
        pair<T>("sqrt", t, "usual", 32, (T)1.5, 0, of);
        for (int lanes : {1, 32})
            pair<T>("sqrt", t, "zero", lanes, 0, 0, of);
        pair<T>("sqrt", t, "tiny", 32, tiny, 0, of);
        pair<T>("sqrt", t, "small", 32, small, 0, of);
        pair<T>("sqrt", t, "large", 32, large, 0, of);
        pair<T>("sqrt", t, "huge", 32, huge, 0, of);
    }
}

int main()
{
    all_of<float>("f32", 5e-39f, 0x1p-110f, 0x1p110f, 0x1p127f);
    all_of<double>("f64", 1e-308, 0x1p-1000, 0x1p1000, 0x1p1023);
    device_array<float> out(132 * 8 * MOST_THREADS), as(2 * MOST_THREADS);
    std::vector<float> h(2 * MOST_THREADS, 1.5f);
    CHECK(cudaMemcpy(as.p, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice));
    const unsigned blocks = 132 * 8;
#define QUOTIENTS(n)                                                                    \
    measure("quotients_one_divisor", n, ROUNDS, 0,                                      \
            [&] { quotients<n, false><<<blocks, MOST_THREADS>>>(out.p, as.p, 0.0f); }); \
    measure("quotients_own_divisors", n, ROUNDS, 0,                                     \
            [&] { quotients<n, true><<<blocks, MOST_THREADS>>>(out.p, as.p, 0.0f); })
    QUOTIENTS(1);
    QUOTIENTS(2);
    QUOTIENTS(4);
    QUOTIENTS(8);
}
