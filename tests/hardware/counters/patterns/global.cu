// global load|store: one warp reads or writes global memory, 1 to 16 bytes a lane.
#include "pattern.h"

#define LOAD(name, T)                                                \
    extern "C" __global__ void name(const int *index, T *in, T *out) \
    {                                                                \
        int i = index[threadIdx.x];                                  \
        if (i >= 0) {                                                \
            out[threadIdx.x] = in[i];                                \
        }                                                            \
    }
#define STORE(name, T)                                               \
    extern "C" __global__ void name(const int *index, T *in, T *out) \
    {                                                                \
        int i = index[threadIdx.x];                                  \
        T value = in[threadIdx.x];                                   \
        if (i >= 0) {                                                \
            out[i] = value;                                          \
        }                                                            \
    }
LOAD(global_load_1, unsigned char)
LOAD(global_load_2, short)
LOAD(global_load_4, float)
LOAD(global_load_8, double)
LOAD(global_load_16, float4)
STORE(global_store_1, unsigned char)
STORE(global_store_2, short)
STORE(global_store_4, float)
STORE(global_store_8, double)
STORE(global_store_16, float4)

extern "C" __global__ void global_load_read_only(const int *__restrict__ index,
                                                 float *__restrict__ in, float *__restrict__ out)
{
    int i = index[threadIdx.x];
    if (i >= 0) {
        out[threadIdx.x] = __ldg(in + i);
    }
}

extern "C" __global__ void global_load_volatile(const int *index, float *in, float *out)
{
    int i = index[threadIdx.x];
    if (i >= 0) {
        out[threadIdx.x] = *(volatile float *)(in + i);
    }
}

template <class T> static void run(void (*kernel)(const int *, T *, T *))
{
    T *in, *out;
    CHECK(cudaMalloc(&in, PATTERN_ELEMENTS * sizeof(T)));
    CHECK(cudaMalloc(&out, PATTERN_ELEMENTS * sizeof(T)));
    CHECK(cudaMemset(in, 0, PATTERN_ELEMENTS * sizeof(T)));
    for_patterns(true, [&](const int *index) { kernel<<<1, 32>>>(index, in, out); });
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "load")) {
        run(global_load_1);
        run(global_load_2);
        run(global_load_4);
        run(global_load_8);
        run(global_load_16);
        run(global_load_read_only);
        run(global_load_volatile);
    } else if (argc > 1 && !strcmp(argv[1], "store")) {
        run(global_store_1);
        run(global_store_2);
        run(global_store_4);
        run(global_store_8);
        run(global_store_16);
    } else {
        fprintf(stderr, "usage: global load|store\n");
        return 2;
    }
    return 0;
}
