// C = A * B: one thread an element, then 16 x 16 tiles, in float and in double, odd sizes too.
#include <cstdio>
#include <vector>

#define TILE 16

template <typename T> __global__ void naive(const T *a, const T *b, T *c, int m, int k, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || col >= n)
        return;
    T sum = 0;
    for (int i = 0; i < k; i++)
        sum += a[row * k + i] * b[i * n + col];
    c[row * n + col] = sum;
}

template <typename T> __global__ void tiled(const T *a, const T *b, T *c, int m, int k, int n)
{
    __shared__ T as[TILE][TILE], bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    T sum = 0;
    for (int t = 0; t < (k + TILE - 1) / TILE; t++) {
        as[ty][tx] = row < m && t * TILE + tx < k ? a[row * k + t * TILE + tx] : T(0);
        bs[ty][tx] = col < n && t * TILE + ty < k ? b[(t * TILE + ty) * n + col] : T(0);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++)
            sum += as[ty][i] * bs[i][tx];
        __syncthreads();
    }
    if (row < m && col < n)
        c[row * n + col] = sum;
}

template <typename T> static void run(int m, int k, int n, const char *type)
{
    std::vector<T> a(m * k), b(k * n), c(m * n), d(m * n);
    for (int i = 0; i < m * k; i++)
        a[i] = T((i * 7 % 23) - 11) / 8;
    for (int i = 0; i < k * n; i++)
        b[i] = T((i * 5 % 19) - 9) / 16;
    T *da, *db, *dc;
    cudaMalloc(&da, a.size() * sizeof(T));
    cudaMalloc(&db, b.size() * sizeof(T));
    cudaMalloc(&dc, c.size() * sizeof(T));
    cudaMemcpy(da, a.data(), a.size() * sizeof(T), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(T), cudaMemcpyHostToDevice);
    dim3 block(TILE, TILE), grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    naive<T><<<grid, block>>>(da, db, dc, m, k, n);
    cudaMemcpy(c.data(), dc, c.size() * sizeof(T), cudaMemcpyDeviceToHost);
    tiled<T><<<grid, block>>>(da, db, dc, m, k, n);
    cudaMemcpy(d.data(), dc, d.size() * sizeof(T), cudaMemcpyDeviceToHost);
    double sum = 0;
    int differ = 0;
    for (int i = 0; i < m * n; i++) {
        sum += (i % 7 - 3) * (double)c[i];
        differ += c[i] != d[i];
    }
    printf("%s %dx%dx%d: %.12g, %d differ\n", type, m, k, n, sum, differ);
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
}

int main()
{
    run<float>(64, 64, 64, "float");
    run<float>(65, 33, 97, "float");
    run<double>(48, 80, 31, "double");
    return 0;
}
