/* What L2 keeps from launch to launch: of an array w that each launch reads, beside data that each
 * reads and writes once, plain, with hints and with a window; of rows that several steps read; and
 * how much is fetched for a sector. The number in a name is MiB: of w, or of a group of rows. */
#include "record.h"

#include <cstdint>

const size_t MB = 1 << 20;

__device__ float4 product(float4 a, float4 b)
{
    return make_float4(a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w);
}

/* HINTS: 1 the loads of x, 2 the stores of y, 4 the loads of w are streamed, 8 the loads of x are the
 * last use. */
template <int HINTS>
__global__ void weigh(float4 *y, const float4 *x, const float4 *w, size_t n, size_t of_w)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float4 a = HINTS & 1 ? __ldcs(&x[i]) : HINTS & 8 ? __ldlu(&x[i]) : x[i];
    const uint32_t at = (uint32_t)i % (uint32_t)of_w;
    const float4 b = HINTS & 4 ? __ldcs(&w[at]) : w[at];
    if (HINTS & 2)
        __stcs(&y[i], product(a, b));
    else
        y[i] = product(a, b);
}

__global__ void sum_rows(float *out, const float4 *x, size_t n)
{
    float sum = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        sum += x[i].x + x[i].y + x[i].z + x[i].w;
    if (sum == 12345.0f)
        *out = sum;
}

__global__ void load_apart(float *out, const float *x, size_t n, int stride)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i * stride] == 12345.0f)
        *out = 1;
}

/* Twelve launches, which alternate between two x and y of BYTES bytes each. */
template <int HINTS>
void weighs(const char *what, float4 *y, float4 *x, float4 *w, size_t of_w, size_t bytes)
{
    char name[64];
    const size_t n = bytes / sizeof(float4);
    snprintf(name, sizeof name, "weigh_%s_%zu", what, of_w / MB);
    measure(name, (double)(bytes / MB), n, 0, [&] {
        for (int turn = 0; turn < 12; turn++)
            weigh<HINTS><<<blocks_for(n, 256), 256>>>(y + turn % 2 * n, x + turn % 2 * n, w, n,
                                                      of_w / sizeof(float4));
    });
}

static void set_window(void *at, size_t bytes, float ratio)
{
    cudaStreamAttrValue value = {};
    value.accessPolicyWindow.base_ptr = at;
    value.accessPolicyWindow.num_bytes = bytes;
    value.accessPolicyWindow.hitRatio = ratio;
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    CHECK(cudaStreamSetAttribute(0, cudaStreamAttributeAccessPolicyWindow, &value));
    if (!bytes)
        CHECK(cudaCtxResetPersistingL2Cache());
}

static void weigh_all_ways(float4 *y, float4 *x, float4 *w, size_t of_w, size_t bytes, size_t most)
{
    size_t before;
    weighs<0>("plain", y, x, w, of_w, bytes);
    weighs<1>("loads", y, x, w, of_w, bytes);
    weighs<8>("last_use", y, x, w, of_w, bytes);
    weighs<2>("stores", y, x, w, of_w, bytes);
    weighs<3>("hinted", y, x, w, of_w, bytes);
    weighs<7>("all", y, x, w, of_w, bytes);
    CHECK(cudaDeviceGetLimit(&before, cudaLimitPersistingL2CacheSize));
    set_window(w, of_w, 1);
    weighs<0>("window_default", y, x, w, of_w, bytes);
    set_window(w, 0, 0);
    const size_t aside = of_w < most ? of_w : most;
    CHECK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, aside));
    set_window(w, of_w, 1);
    weighs<0>("window", y, x, w, of_w, bytes);
    set_window(w, 0, 0);
    set_window(w, of_w, (float)aside / (float)of_w);
    weighs<0>("window_ratio", y, x, w, of_w, bytes);
    set_window(w, 0, 0);
    CHECK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, before));
}

int main()
{
    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    const size_t all = 80 * MB;
    if (!fits(2 * all / sizeof(float)))
        return 0;
    device_array<float4> x(2 * all / 16), y(2 * all / 16), w(all / 16);
    for (size_t of_w : {4, 8, 16, 24, 28, 32, 40, 48})
        for (size_t bytes : {28, 80})
            weigh_all_ways(y.p, x.p, w.p, of_w * MB, bytes * MB,
                           (size_t)device.persistingL2CacheMaxSize);
    for (size_t group : {4, 8, 16, 24, 28, 32, 40, 64})
        for (int steps : {1, 3, 11}) {
            char name[64];
            const size_t n = group * MB / 16, rows = 2 * all / 16;
            snprintf(name, sizeof name, "steps_%d", steps);
            measure(name, (double)group, rows, 0, [&] {
                for (size_t at = 0; at < rows; at += n)
                    for (int step = 0; step < steps; step++)
                        sum_rows<<<528, 256>>>((float *)y.p, x.p + at,
                                               rows - at < n ? rows - at : n);
            });
        }
    for (int bytes : {32, 64, 128}) {
        char name[64];
        const size_t n = 2 * all / sizeof(float) / 32;
        snprintf(name, sizeof name, "fetch_%d", bytes);
        CHECK(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, bytes));
        for (int stride : {1, 2, 4, 8, 16, 32})
            measure(name, stride, n, 0, [&] {
                load_apart<<<blocks_for(n, 256), 256>>>((float *)y.p, (float *)x.p, n, stride);
            });
    }
    return 0;
}
