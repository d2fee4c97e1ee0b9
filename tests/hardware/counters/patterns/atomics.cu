// atomics global|shared: one warp updates memory, with and without a use of the old value.
#include "pattern.h"

#define RETURNS(name, T, call)                                       \
    extern "C" __global__ void name(const int *index, T *at, T *out) \
    {                                                                \
        int i = index[threadIdx.x];                                  \
        if (i >= 0) {                                                \
            T *p = at + i;                                           \
            out[threadIdx.x] = call;                                 \
        }                                                            \
    }
#define PLAIN(name, T, call)                                         \
    extern "C" __global__ void name(const int *index, T *at, T *out) \
    {                                                                \
        int i = index[threadIdx.x];                                  \
        if (i >= 0) {                                                \
            T *p = at + i;                                           \
            call;                                                    \
        }                                                            \
    }
typedef unsigned long long u64;
RETURNS(atomic_add_returns, int, atomicAdd(p, 3))
PLAIN(atomic_add_plain, int, atomicAdd(p, 3))
RETURNS(atomic_add_float_returns, float, atomicAdd(p, 3.0f))
PLAIN(atomic_add_float_plain, float, atomicAdd(p, 3.0f))
RETURNS(atomic_add_long_returns, u64, atomicAdd(p, 3ull))
PLAIN(atomic_add_long_plain, u64, atomicAdd(p, 3ull))
PLAIN(atomic_add_double_plain, double, atomicAdd(p, 3.0))
PLAIN(atomic_max_plain, int, atomicMax(p, (int)threadIdx.x))
RETURNS(atomic_exchange, int, atomicExch(p, (int)threadIdx.x))
RETURNS(atomic_compare, int, atomicCAS(p, 0, (int)threadIdx.x))
RETURNS(atomic_increment, unsigned, atomicInc(p, 100u))

extern __shared__ int table[];

#define SHARED(name, call)                                               \
    extern "C" __global__ void name(const int *index, int *at, int *out) \
    {                                                                    \
        int i = index[threadIdx.x];                                      \
        if (i >= 0) {                                                    \
            int *p = table + i;                                          \
            call;                                                        \
        }                                                                \
    }
SHARED(shared_add_returns, out[threadIdx.x] = atomicAdd(p, 3))
SHARED(shared_add_plain, atomicAdd(p, 3))
SHARED(shared_compare, out[threadIdx.x] = atomicCAS(p, 0, 7))

template <class T> static void run(void (*kernel)(const int *, T *, T *), int shared = 0)
{
    T *at, *out;
    CHECK(cudaMalloc(&at, PATTERN_ELEMENTS * sizeof(T)));
    CHECK(cudaMalloc(&out, 32 * sizeof(T)));
    CHECK(cudaMemset(at, 0, PATTERN_ELEMENTS * sizeof(T)));
    for_patterns(true, [&](const int *index) { kernel<<<1, 32, shared>>>(index, at, out); });
    CHECK(cudaFree(at));
    CHECK(cudaFree(out));
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "global")) {
        run(atomic_add_returns);
        run(atomic_add_plain);
        run(atomic_add_float_returns);
        run(atomic_add_float_plain);
        run(atomic_add_long_returns);
        run(atomic_add_long_plain);
        run(atomic_add_double_plain);
        run(atomic_max_plain);
        run(atomic_exchange);
        run(atomic_compare);
        run(atomic_increment);
    } else if (argc > 1 && !strcmp(argv[1], "shared")) {
        run(shared_add_returns, PATTERN_ELEMENTS * (int)sizeof(int));
        run(shared_add_plain, PATTERN_ELEMENTS * (int)sizeof(int));
        run(shared_compare, PATTERN_ELEMENTS * (int)sizeof(int));
    } else {
        fprintf(stderr, "usage: atomics global|shared\n");
        return 2;
    }
    return 0;
}
