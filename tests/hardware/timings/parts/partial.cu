/* Sectors of which a launch writes a part, by the distance of the lanes: stores alone, loads alone,
 * and loads and stores of one array, where the sector has been read before it is written. */
#include "record.h"

__global__ void store_apart(float *out, size_t n, int stride)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i * stride] = 1;
}

__global__ void load_apart(float *out, const float *in, size_t n, int stride)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i * stride] == 12345.0f)
        out[0] = 1;
}

__global__ void update_apart(float *data, size_t n, int stride)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i * stride] += 1;
}

__global__ void copy_apart(float *out, const float *in, size_t n, int stride)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i * stride] = in[i * stride];
}

/* One sector of every 128-byte line, whole. */
__global__ void store_sectors(float *out, size_t n, int stride)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i / 8 * stride + i % 8] = 1;
}

__global__ void load_sectors(float *out, const float *in, size_t n, int stride)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i / 8 * stride + i % 8] == 12345.0f)
        out[0] = 1;
}

int main()
{
    for (int log2 : {22, 24, 28}) { /* words of the whole array: 16 MiB stay in L2 */
        size_t words = (size_t)1 << log2;
        if (!fits(words))
            continue;
        device_array<float> out(words), in(words);
        char name[64];
        auto call = [&](const char *what) {
            snprintf(name, sizeof name, "%s_%zu", what, words * 4 >> 20);
            return name;
        };
        for (int stride : {1, 2, 4, 8, 16, 32, 64, 128, 256}) {
            size_t n = words / stride;
            unsigned blocks = blocks_for(n, 256);
            measure(call("store_apart"), stride, n, 4.0 * n,
                    [&] { store_apart<<<blocks, 256>>>(out.p, n, stride); });
            measure(call("load_apart"), stride, n, 4.0 * n,
                    [&] { load_apart<<<blocks, 256>>>(out.p, in.p, n, stride); });
            measure(call("update_apart"), stride, n, 8.0 * n,
                    [&] { update_apart<<<blocks, 256>>>(out.p, n, stride); });
            measure(call("copy_apart"), stride, n, 8.0 * n,
                    [&] { copy_apart<<<blocks, 256>>>(out.p, in.p, n, stride); });
        }
        for (int stride : {8, 16, 32, 64}) {
            size_t n = words / stride * 8;
            unsigned blocks = blocks_for(n, 256);
            measure(call("store_sectors"), stride, n, 4.0 * n,
                    [&] { store_sectors<<<blocks, 256>>>(out.p, n, stride); });
            measure(call("load_sectors"), stride, n, 4.0 * n,
                    [&] { load_sectors<<<blocks, 256>>>(out.p, in.p, n, stride); });
        }
    }
    return 0;
}
