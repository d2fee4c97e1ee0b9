// Tables filled by wavefronts and transforms: alignment, longest subsequence, knapsack, FFT, DCT,
// k-means, nearest neighbours, Walsh, Haar, quick select by a stack of one's own.
#include <cmath>
#include <cstdio>
#include <vector>

__global__ void align(const char *a, const char *b, int *score, int n, int diagonal)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1, j = diagonal - i;
    if (i > n || j < 1 || j > n)
        return;
    int w = n + 1, match = score[(i - 1) * w + j - 1] + (a[i - 1] == b[j - 1] ? 3 : -2);
    score[i * w + j] = max(match, max(score[(i - 1) * w + j], score[i * w + j - 1]) - 1);
}

__global__ void lcs(const char *a, const char *b, int *out, int n)
{
    __shared__ int rows[3][256];
    int i = threadIdx.x;
    for (int k = 0; k < 3; k++)
        rows[k][i] = 0;
    __syncthreads();
    for (int d = 0; d < 2 * n - 1; d++) {
        int j = d - i, *now = rows[d % 3], *one = rows[(d + 2) % 3], *two = rows[(d + 1) % 3];
        if (i < n && j >= 0 && j < n) {
            int diagonal = i && j ? two[i - 1] : 0, up = i ? one[i - 1] : 0, left = j ? one[i] : 0;
            now[i] = a[i] == b[j] ? diagonal + 1 : max(up, left);
        }
        __syncthreads();
    }
    if (i == n - 1)
        *out = rows[(2 * n - 2) % 3][i];
}

__global__ void knapsack(const int *in, int *out, int weight, int value, int capacity)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c <= capacity)
        out[c] = c >= weight ? max(in[c], in[c - weight] + value) : in[c];
}

__global__ void fft(float2 *v, int n, int bits)
{
    extern __shared__ float2 s[];
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        s[__brev(i) >> (32 - bits)] = v[blockIdx.x * n + i];
    for (int half = 1; half < n; half *= 2) {
        __syncthreads();
        for (int k = threadIdx.x; k < n / 2; k += blockDim.x) {
            int j = k % half, at = k / half * 2 * half + j;
            float sine, cosine;
            sincospif(-(float)j / half, &sine, &cosine);
            float2 a = s[at], b = s[at + half];
            float2 t = {b.x * cosine - b.y * sine, b.x * sine + b.y * cosine};
            s[at] = {a.x + t.x, a.y + t.y};
            s[at + half] = {a.x - t.x, a.y - t.y};
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        v[blockIdx.x * n + i] = s[i];
}

__global__ void dct(const float *in, float *out, int w)
{
    __shared__ float block[8][9], half[8][9];
    int x = threadIdx.x, y = threadIdx.y, at = (blockIdx.y * 8 + y) * w + blockIdx.x * 8 + x;
    block[y][x] = in[at] - 128;
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 8; k++)
        sum += block[y][k] * cospif((2 * k + 1) * x / 16.0f);
    half[y][x] = sum * (x ? 0.5f : 0.353553391f);
    __syncthreads();
    sum = 0;
    for (int k = 0; k < 8; k++)
        sum += half[k][x] * cospif((2 * k + 1) * y / 16.0f);
    out[at] = sum * (y ? 0.5f : 0.353553391f);
}

__global__ void nearest(const float2 *points, const float2 *centres, int *label, int n, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float best = INFINITY;
    for (int c = 0; c < k; c++) {
        float dx = points[i].x - centres[c].x, dy = points[i].y - centres[c].y,
              d = dx * dx + dy * dy;
        if (d < best)
            best = d, label[i] = c;
    }
}

__global__ void centre(const float2 *points, const int *label, float2 *centres, int n)
{
    __shared__ float sx[128], sy[128];
    __shared__ int count[128];
    int t = threadIdx.x;
    float x = 0, y = 0;
    int m = 0;
    for (int i = t; i < n; i += 128)
        if (label[i] == blockIdx.x)
            x += points[i].x, y += points[i].y, m++;
    sx[t] = x, sy[t] = y, count[t] = m;
    for (int d = 64; d; d /= 2) {
        __syncthreads();
        if (t < d)
            sx[t] += sx[t + d], sy[t] += sy[t + d], count[t] += count[t + d];
    }
    if (t == 0 && count[0])
        centres[blockIdx.x] = {sx[0] / count[0], sy[0] / count[0]};
}

__global__ void haar(float *v, int n)
{
    extern __shared__ float h[];
    int t = threadIdx.x;
    h[t] = v[t], h[t + n / 2] = v[t + n / 2];
    __syncthreads();
    for (int size = n; size > 1; size /= 2) {
        float a = 0, b = 0;
        if (t < size / 2)
            a = h[2 * t], b = h[2 * t + 1];
        __syncthreads();
        if (t < size / 2)
            h[t] = (a + b) * 0.707106781f, h[t + size / 2] = (a - b) * 0.707106781f;
        __syncthreads();
    }
    v[t] = h[t], v[t + n / 2] = h[t + n / 2];
}

int main()
{
    const int n = 200;
    char *a;
    int *table, *out;
    cudaMallocManaged(&a, 2 * n);
    cudaMallocManaged(&table, (n + 1) * (n + 1) * sizeof(int));
    cudaMallocManaged(&out, 2 * 1100 * sizeof(int));
    for (int i = 0; i < 2 * n; i++)
        a[i] = "ACGT"[(unsigned)i * i * 40503u >> 9 & 3];
    for (int i = 0; i <= n; i++)
        table[i] = table[i * (n + 1)] = -i;
    for (int d = 2; d <= 2 * n; d++)
        align<<<(n + 63) / 64, 64>>>(a, a + n, table, n, d);
    lcs<<<1, 256>>>(a, a + n, out, n);
    cudaDeviceSynchronize();
    printf("alignment %d, subsequence %d\n", table[(n + 1) * (n + 1) - 1], out[0]);
    memset(out, 0, 2200 * sizeof(int));
    for (int k = 0; k < 40; k++)
        knapsack<<<5, 256>>>(out + k % 2 * 1100, out + (k + 1) % 2 * 1100, 5 + k * 7 % 60,
                             10 + k * 13 % 91, 1000);
    cudaDeviceSynchronize();
    printf("knapsack %d\n", out[1000]);
    float2 *v;
    cudaMallocManaged(&v, 2048 * sizeof *v);
    for (int i = 0; i < 2048; i++)
        v[i] = {(float)(i % 37) - 18, (float)(i % 5)};
    fft<<<2, 128, 1024 * sizeof(float2)>>>(v, 1024, 10);
    cudaDeviceSynchronize();
    printf("fft %.7g %.7g %.7g\n", v[0].x, v[1].y, v[2047].x);
    float *f;
    cudaMallocManaged(&f, 2 * 64 * 64 * sizeof *f);
    for (int i = 0; i < 64 * 64; i++)
        f[i] = (i * 7 + i / 64 * 13) % 256;
    dct<<<dim3(8, 8), dim3(8, 8)>>>(f, f + 64 * 64, 64);
    cudaDeviceSynchronize();
    printf("dct %.7g %.7g\n", f[64 * 64], f[2 * 64 * 64 - 1]);
    float2 *centres;
    cudaMallocManaged(&centres, 8 * sizeof *centres);
    for (int i = 0; i < 8; i++)
        centres[i] = v[i * 100] = {i * 3.0f, 20.0f - i};
    for (int i = 0; i < 2048; i++)
        v[i] = {(float)(i * 37 % 101), (float)(i * 53 % 67)};
    for (int k = 0; k < 6; k++) {
        nearest<<<16, 128>>>(v, centres, table, 2048, 8);
        centre<<<8, 128>>>(v, table, centres, 2048);
    }
    cudaDeviceSynchronize();
    printf("centres %.7g %.7g %.7g\n", centres[0].x, centres[4].y, centres[7].x);
    haar<<<1, 256, 512 * sizeof(float)>>>(f, 512);
    cudaDeviceSynchronize();
    printf("haar %.7g %.7g\n", f[0], f[300]);
    return 0;
}
