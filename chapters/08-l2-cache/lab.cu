// Chapter 8: L2. What one launch leaves there, and whether the next one finds it.
// Build and run: ./warpbook run 8      or, with a GPU: nvcc -I ../../common lab.cu && ./a.out
#include "lab.h"

// A row has a piece for each of PIECES blocks. Its median is searched in PASSES steps.
enum { BLOCK = 256, PIECES = 64, PIECE = 64 * BLOCK, ROW = PIECES * PIECE, PASSES = 11 };
const long ROW_BYTES = ROW * sizeof(int); // 4 MB

// HELPERS: functions of your own, for the TODO regions below
// END HELPERS

// Step `pass` of the search in the rows from row `first` on, as many as gridDim.y: how many ints of
// a row are below a middle, which follows from the steps before.
__global__ void step(int *below, const int *x, int rows, int first, int pass);

// All steps for all rows. l2: bytes of L2. Step p for `count` rows from row a on:
// step<<<dim3(PIECES, count), BLOCK>>>(below, x, rows, a, p)
static void medians(int *below, const int *x, int rows, long l2)
{
    // TODO 1 (about 5 lines): so many rows at a time that the next step finds them in L2.
    (void)below, (void)x, (void)rows, (void)l2;
    // END TODO 1
}

__device__ float4 product(float4 a, float4 b)
{
    return make_float4(a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w);
}

// Given: y[i] = x[i] * w[i], for n float4. The next launch has another x and y, but the same w.
__global__ void weigh(float4 *y, const float4 *x, const float4 *w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = product(x[i], w[i]);
}

__global__ void weigh_hinted(float4 *y, const float4 *x, const float4 *w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; (void)&i;
    // TODO 2 (about 2 lines): the same, but such that w stays in L2 and the rest does not.
    // Hint: __ldcs(&x[i]) loads, and __stcs(&y[i], value) stores, what is used once
    (void)i;
    // END TODO 2
}

// Launches on `stream` are to keep the `bytes` from w on in L2, of which up to `most` can be set
// aside.
static void keep(cudaStream_t stream, void *w, size_t bytes, size_t most)
{
    cudaStreamAttrValue value = {};
    // TODO 3 (about 7 lines): set the limit, and fill in value.accessPolicyWindow.
    // Hint: cudaLimitPersistingL2CacheSize; base_ptr, num_bytes, hitRatio, hitProp, missProp
    (void)w, (void)bytes, (void)most;
    // END TODO 3
    CUDA_CHECK(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value));
}

static void let_go(cudaStream_t stream) // no window, no line that persists, nothing set aside
{
    cudaStreamAttrValue none = {};
    CUDA_CHECK(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &none));
    CUDA_CHECK(cudaCtxResetPersistingL2Cache());
    CUDA_CHECK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0));
}

// The middle of [-1024, 1024) after `pass` steps. below[p * rows + row]: what step p has counted.
__host__ __device__ int middle(const int *below, int rows, int row, int pass)
{
    int low = -1024, half = 1024;
    for (int p = 0; p < pass; p++, half /= 2)
        low += below[p * rows + row] > ROW / 2 ? 0 : half;
    return low + half;
}

__device__ void search(int *below, const int *x, int rows, int first, int pass)
{
    int row = first + blockIdx.y, at = middle(below, rows, row, pass), count = 0;
    const int4 *piece = (const int4 *)(x + (long)row * ROW + blockIdx.x * PIECE);
    for (int i = threadIdx.x; i < PIECE / 4; i += BLOCK) {
        int4 v = piece[i];
        count += (v.x < at) + (v.y < at) + (v.z < at) + (v.w < at);
    }
    count = __reduce_add_sync(~0u, count); // the sum over the lanes of the warp
    if (threadIdx.x % 32 == 0)
        atomicAdd(&below[pass * rows + row], count);
}
__global__ void step(int *b, const int *x, int rows, int a, int p) { search(b, x, rows, a, p); }
__global__ void step_whole(int *b, const int *x, int rows, int p) { search(b, x, rows, 0, p); }

static void check_window(cudaStream_t s, void *w, size_t bytes, size_t most)
{
    size_t aside = 0, fit = min(bytes, most);
    cudaStreamAttrValue has = {};
    keep(s, w, bytes, most);
    CUDA_CHECK(cudaDeviceGetLimit(&aside, cudaLimitPersistingL2CacheSize));
    CUDA_CHECK(cudaStreamGetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &has));
    cudaAccessPolicyWindow window = has.accessPolicyWindow;
    float persist = window.hitRatio * window.num_bytes;
    lab_require(window.base_ptr == w && window.num_bytes == bytes, "the window is not all of it");
    lab_require(window.hitProp == cudaAccessPropertyPersisting, "hitProp: nothing is to persist");
    lab_require(persist < 1.001f * aside, "more is to persist than the limit sets aside");
    lab_require(persist > 0.9f * fit, "hitRatio: more of it could persist");
    let_go(s);
}

int main(void)
{
    cudaDeviceProp device; cudaStream_t s;
    lab_begin("08-l2-cache");
    CUDA_CHECK(cudaGetDeviceProperties(&device, 0));
    const long l2 = device.l2CacheSize, most = device.persistingL2CacheMaxSize;

    LAB_CHECK_AT("medians", 3) {
        const int rows = 3;
        lab_array<int> x((long)rows * ROW);
        int want[rows * PASSES] = {};
        for (int k = 0; k < rows * PASSES; k++)
            for (int i = 0, at = middle(want, rows, k % rows, k / rows); i < ROW; i++)
                want[k] += x[k % rows * (long)ROW + i] < at;
        for (int fit : {0, 1, 4, 100}) {
            lab_case("rows that fit into L2", fit);
            lab_array<int> below(rows * PASSES, LAB_RANDOM, 0, 0);
            medians(below.device, x.device, rows, fit * ROW_BYTES);
            lab_expect(below, [&](long i) { return want[i]; }, 0, "numbers of ints are exact");
        }
    }
    LAB_CHECK("weigh_hinted", n) {
        lab_array<float> x(4L * n), w(4L * n), y(4L * n, LAB_POISON);
        float4 *data[] = {(float4 *)y.device, (float4 *)x.device, (float4 *)w.device};
        weigh_hinted<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(data[0], data[1], data[2], n);
        lab_expect(y, [&](long i) { return (double)x[i] * w[i]; }, 1e-6, "one rounding");
    }

    int rows = (int)(lab_elements(l2 / 4, l2) / ROW) + 1, m = (int)(l2 / 36); // w: 4/9 of L2
    lab_array<int> table((long)rows * ROW), below(rows * PASSES);
    lab_array<float> x(8L * m), w(4L * m), y(8L * m, LAB_POISON);
    CUDA_CHECK(cudaStreamCreate(&s));
    LAB_CHECK_AT("keep", m) {
        check_window(s, w.device, 16L * m, most);
        check_window(s, x.device, 32L * m, most); // more than can be set aside
    }

    CUDA_CHECK(cudaMemset(below.device, 0, rows * PASSES * sizeof(int)));
    LAB_MEASURE("medians", (long)rows * ROW, rows * ROW_BYTES)
        medians(below.device, table.device, rows, l2);
    LAB_MEASURE("medians_whole", (long)rows * ROW, rows * ROW_BYTES)
        for (int p = 0; p < PASSES; p++)
            step_whole<<<dim3(PIECES, rows), BLOCK>>>(below.device, table.device, rows, p);
    auto weighed = [&](decltype(weigh) *kernel) { // launch after launch, in two x and y
        for (int turn = 0; turn < 6; turn++)
            kernel<<<(m + BLOCK - 1) / BLOCK, BLOCK, 0, s>>>(
                (float4 *)y.device + turn % 2 * m, (float4 *)x.device + turn % 2 * m,
                (float4 *)w.device, m);
    };
    LAB_MEASURE("weighed", 24L * m, 192.0 * m) weighed(weigh);
    LAB_MEASURE("weighed_hinted", 24L * m, 192.0 * m) weighed(weigh_hinted);
    keep(s, w.device, 16L * m, most);
    LAB_MEASURE("weighed/window", 24L * m, 192.0 * m) weighed(weigh);
    let_go(s);
    CUDA_CHECK(cudaStreamDestroy(s));
    LAB_GOAL("step", "l2_found", "at_least", 0.7, "ten of eleven steps find their rows");
    LAB_GOAL("weigh_hinted", "l2_found", "at_least", 0.25, "w stays, a third of what is touched");
    LAB_WORK("weigh_hinted", 2, 1, 30);
    return lab_end();
}
