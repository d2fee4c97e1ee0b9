// shared ld4|ld8|ld16|st4|st8|st16: one warp reads or writes shared memory, pattern by pattern.
#include "pattern.h"

extern __shared__ __align__(16) unsigned char memory[];

#define LOAD(name, T)                                         \
    extern "C" __global__ void name(const int *index, T *out) \
    {                                                         \
        int i = index[threadIdx.x];                           \
        if (i >= 0) {                                         \
            out[threadIdx.x] = ((const T *)memory)[i];        \
        }                                                     \
    }
#define STORE(name, T)                                        \
    extern "C" __global__ void name(const int *index, T *out) \
    {                                                         \
        int i = index[threadIdx.x];                           \
        T value = out[threadIdx.x];                           \
        if (i >= 0) {                                         \
            ((T *)memory)[i] = value;                         \
        }                                                     \
    }
LOAD(shared_load_4, float)
LOAD(shared_load_8, float2)
LOAD(shared_load_16, float4)
STORE(shared_store_4, float)
STORE(shared_store_8, float2)
STORE(shared_store_16, float4)

template <class T> static void run(void (*kernel)(const int *, T *))
{
    T *out;
    int bytes = PATTERN_ELEMENTS * sizeof(T);
    CHECK(cudaMalloc(&out, 32 * sizeof(T)));
    CHECK(cudaMemset(out, 0, 32 * sizeof(T)));
    if (bytes > 48 * 1024) {
        CHECK(cudaFuncSetAttribute((const void *)kernel,
                                   cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    }
    for_patterns(false, [&](const int *index) { kernel<<<1, 32, bytes>>>(index, out); });
    CHECK(cudaFree(out));
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "ld4")) {
        run(shared_load_4);
    } else if (!strcmp(what, "ld8")) {
        run(shared_load_8);
    } else if (!strcmp(what, "ld16")) {
        run(shared_load_16);
    } else if (!strcmp(what, "st4")) {
        run(shared_store_4);
    } else if (!strcmp(what, "st8")) {
        run(shared_store_8);
    } else if (!strcmp(what, "st16")) {
        run(shared_store_16);
    } else {
        fprintf(stderr, "usage: shared ld4|ld8|ld16|st4|st8|st16\n");
        return 2;
    }
    return 0;
}
