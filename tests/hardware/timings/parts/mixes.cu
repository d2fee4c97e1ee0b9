/* Kernels that load, work and store: how these parts add up, for blocks of one wave and of many. */
#include "record.h"

enum { N = 1 << 22 };

/* Each thread loads LOADS words, works WORK times on four chains, stores STORES words. */
template <int LOADS, int STORES>
__global__ void mix(float *out, const float *in, int work, int words)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    float a = 1, b = 2, c = 3, d = 4;
    for (int at = i; at < words; at += all) {
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            a += in[(at + k * 1024) & (N - 1)];
    }
    for (int w = 0; w < work; w++)
        a = a * 1.5f + 1, b = b * 1.5f + a, c = c * 1.5f + 1, d = d * 1.5f + 1;
#pragma unroll
    for (int k = 0; k < STORES; k++)
        out[i * STORES + k] = a + b + c + d;
}

/* The same in integers: minima and maxima, two registers each. */
__global__ void mix_alu(int *out, const int *in, int work)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int a = in[i], b = in[(i + 1024) & (N - 1)], c = in[(i + 2048) & (N - 1)], d = i;
    for (int w = 0; w < work; w++) {
        const int least = min(a, b), most = max(a, b), low = min(c, d), high = max(c, d);
        a = least ^ w, b = high, c = low, d = most;
    }
    out[i] = a + b + c + d;
}

int main()
{
    device_array<float> in(N), out((size_t)N * 2);
    for (int work = 0; work <= 256; work = work ? work * 2 : 4) {
        measure(
            "load_work_store", work, N, 0,
            [&] { mix<1, 1><<<N / 256, 256>>>(out.p, in.p, work, N); });
        measure(
            "nine_loads_work_store", work, N, 0,
            [&] { mix<9, 1><<<N / 256, 256>>>(out.p, in.p, work, N); });
        measure("loads_work_store_alu", work, N, 0,
                [&] { mix_alu<<<N / 256, 256>>>((int *)out.p, (int *)in.p, work); });
    }
    for (int work = 0; work <= 1024; work = work ? work * 2 : 16) {
        measure(
            "one_wave_loads_work", work, N, 0,
            [&] { mix<1, 1><<<1056, 256>>>(out.p, in.p, work, N); });
        measure(
            "one_wave_work_stores", work, N, 0,
            [&] { mix<1, 16><<<1056, 256>>>(out.p, in.p, work, 0); });
        measure("many_waves_work_stores", work, N, 0,
                [&] { mix<1, 16><<<8192, 64>>>(out.p, in.p, work, 0); });
    }
}
