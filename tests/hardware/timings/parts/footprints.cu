// What a kernel that is repeated still finds in L2, by how many MB it touches in all: reads alone,
// a copy, and a sum of two arrays into a third.
#include "record.h"

enum { THREADS = 256, MB = 1 << 20 };

__global__ void read_once(float *out, const float4 *in)
{
    const float4 v = in[blockIdx.x * THREADS + threadIdx.x];
    if (v.x + v.y + v.z + v.w == 12345.0f)
        out[threadIdx.x] = v.x;
}

__global__ void copy_once(float4 *out, const float4 *in)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    out[i] = in[i];
}

__global__ void sum_once(float4 *out, const float4 *a, const float4 *b)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    const float4 x = a[i], y = b[i];
    out[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}

int main()
{
    device_array<float4> a(96 * MB / 16), b(96 * MB / 16), c(96 * MB / 16);
    for (int mb = 12; mb <= 96; mb += mb < 72 ? 4 : 12) {
        const size_t bytes = (size_t)mb * MB;
        const unsigned blocks = (unsigned)(bytes / 16 / THREADS);
        measure(
            "read_once", mb, bytes / 4, bytes,
            [&] { read_once<<<blocks, THREADS>>>((float *)c.p, a.p); });
        measure(
            "copy_once", mb, bytes / 4, bytes,
            [&] { copy_once<<<blocks / 2, THREADS>>>(b.p, a.p); });
        measure("sum_once", mb, bytes / 4, bytes,
                [&] { sum_once<<<blocks / 3, THREADS>>>(c.p, a.p, b.p); });
    }
}
