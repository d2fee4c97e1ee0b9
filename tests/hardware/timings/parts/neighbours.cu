/* Words of one sector that a thread writes or reads one after another: structures of K floats,
 * member by member. */
#include "record.h"

enum { FLOATS = 1 << 22 };

/* Each thread writes K floats in a row, WORK dependent sums between two of them. */
template <int K, int WORK> __global__ void write_members(float *out, float a)
{
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) * K;
    float v = threadIdx.x;
#pragma unroll
    for (int k = 0; k < K; k++) {
        out[i + k] = v;
#pragma unroll
        for (int w = 0; w < WORK; w++)
            v = fmaf(v, a, 1);
    }
}

/* Each thread writes one of K floats. */
template <int K> __global__ void write_one(float *out)
{
    out[(blockIdx.x * blockDim.x + threadIdx.x) * K] = 1;
}

template <int K> __global__ void read_members(float *out, const float *in)
{
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) * K;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < K; k++)
        sum += in[i + k];
    if (sum == 12345.0f)
        out[i] = sum;
}

int main()
{
    device_array<float> out(FLOATS), in(FLOATS);
#define MEMBERS(k)                                                                         \
    {                                                                                      \
        const unsigned blocks = FLOATS / 256 / (k);                                        \
        measure("write_members", k, FLOATS, 4.0 * FLOATS,                                  \
                [&] { write_members<k, 0><<<blocks, 256>>>(out.p, 1); });                  \
        measure("write_members_64_sums", k, FLOATS, 4.0 * FLOATS,                          \
                [&] { write_members<k, 64><<<blocks, 256>>>(out.p, 1); });                 \
        measure("write_one", k, FLOATS, 0, [&] { write_one<k><<<blocks, 256>>>(out.p); }); \
        measure("read_members", k, FLOATS, 4.0 * FLOATS,                                   \
                [&] { read_members<k><<<blocks, 256>>>(out.p, in.p); });                   \
    }
    MEMBERS(1)
    MEMBERS(2)
    MEMBERS(3)
    MEMBERS(4)
    MEMBERS(6)
    MEMBERS(8)
    MEMBERS(16)
    MEMBERS(32)
}
