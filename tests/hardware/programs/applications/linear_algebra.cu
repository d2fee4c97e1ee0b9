// Dense and sparse: Gauss elimination, LU, Cholesky, conjugate gradients, CSR and ELL products,
// matrix-vector products, dot products by atomics on double.
#include <cmath>
#include <cstdio>
#include <vector>

__global__ void eliminate(double *a, double *b, int n, int k)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y + k + 1,
        col = blockIdx.x * blockDim.x + threadIdx.x + k;
    if (row >= n || col > n)
        return;
    double f = a[row * n + k] / a[k * n + k];
    if (col == n)
        b[row] -= f * b[k];
    else if (col > k)
        a[row * n + col] -= f * a[k * n + col];
}

__global__ void cholesky(float *a, int n)
{
    for (int k = 0; k < n; k++) {
        if (threadIdx.x == 0)
            a[k * n + k] = sqrtf(a[k * n + k]);
        __syncthreads();
        for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x)
            a[i * n + k] /= a[k * n + k];
        __syncthreads();
        for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x)
            for (int j = k + 1; j <= i; j++)
                a[i * n + j] -= a[i * n + k] * a[j * n + k];
        __syncthreads();
    }
}

__global__ void csr(const int *row, const int *col, const float *val, const float *x, float *y,
                    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int e = row[i]; e < row[i + 1]; e++)
        sum += val[e] * x[col[e]];
    y[i] = sum;
}

__global__ void axpby(float a, const float *x, float b, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + b * y[i];
}

__global__ void dot(const float *x, const float *y, float *parts, int n)
{
    __shared__ float s[128];
    float sum = 0;
    for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128)
        sum += x[i] * y[i];
    s[threadIdx.x] = sum;
    for (int d = 64; d > 0; d /= 2) {
        __syncthreads();
        if (threadIdx.x < d)
            s[threadIdx.x] += s[threadIdx.x + d];
    }
    if (threadIdx.x == 0)
        parts[blockIdx.x] = s[0];
}

__global__ void matvec(const double *a, const double *x, double *y, int n)
{
    extern __shared__ double s[];
    double sum = 0;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        sum += a[blockIdx.x * n + j] * x[j];
    s[threadIdx.x] = sum;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d >>= 1) {
        if (threadIdx.x < d)
            s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(&y[blockIdx.x], s[0]);
}

template <typename T> static T *device(const std::vector<T> &h)
{
    T *p;
    cudaMalloc(&p, h.size() * sizeof(T));
    cudaMemcpy(p, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice);
    return p;
}

int main()
{
    const int n = 60;
    std::vector<double> a(n * n), b(n), x(n);
    for (int i = 0; i < n * n; i++)
        a[i] = (i * 29 % 41 - 20) / 16.0 + (i / n == i % n ? 30 : 0);
    for (int i = 0; i < n; i++)
        b[i] = i % 11 - 4;
    double *da = device(a), *db = device(b), *dy = device(std::vector<double>(n, 0.0));
    matvec<<<n, 32, 32 * sizeof(double)>>>(da, db, dy, n);
    cudaMemcpy(x.data(), dy, n * sizeof(double), cudaMemcpyDeviceToHost);
    printf("product %.15g %.15g\n", x[0], x[n - 1]);
    for (int k = 0; k < n - 1; k++)
        eliminate<<<dim3(n / 16 + 1, n / 16 + 1), dim3(16, 16)>>>(da, db, n, k);
    cudaMemcpy(a.data(), da, n * n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaMemcpy(b.data(), db, n * sizeof(double), cudaMemcpyDeviceToHost);
    for (int i = n - 1; i >= 0; i--) {
        x[i] = b[i];
        for (int j = i + 1; j < n; j++)
            x[i] -= a[i * n + j] * x[j];
        x[i] /= a[i * n + i];
    }
    printf("gauss %.15g %.15g %.15g\n", x[0], x[30], x[n - 1]);
    std::vector<float> s(n * n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            s[i * n + j] = (i == j ? n : 0) + ((i + j) % 7) / 8.0f;
    float *ds = device(s);
    cholesky<<<1, 64>>>(ds, n);
    cudaMemcpy(s.data(), ds, n * n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("cholesky %.9g %.9g\n", s[0], s[n * n - 1]);
    const int m = 1024;
    std::vector<int> row(1, 0), col;
    std::vector<float> val, rhs(m, 1.0f);
    for (int i = 0; i < m; i++) {
        for (int j : {i - 32, i - 1, i, i + 1, i + 32})
            if (j >= 0 && j < m)
                col.push_back(j), val.push_back(j == i ? 4.5f : -1.0f);
        row.push_back(col.size());
    }
    int *r = device(row), *c = device(col);
    float *v = device(val), *res = device(rhs), *p = device(rhs),
          *sol = device(std::vector<float>(m, 0.0f));
    float *q = device(rhs), *parts = device(std::vector<float>(8, 0.0f));
    auto inner = [&](const float *y, const float *z) {
        float h[8], sum = 0;
        dot<<<8, 128>>>(y, z, parts, m);
        cudaMemcpy(h, parts, sizeof h, cudaMemcpyDeviceToHost);
        for (float t : h)
            sum += t;
        return sum;
    };
    float rr = inner(res, res);
    int steps = 0;
    for (; steps < 200 && rr > 1e-8f; steps++) {
        csr<<<m / 128, 128>>>(r, c, v, p, q, m);
        float alpha = rr / inner(p, q);
        axpby<<<m / 128, 128>>>(alpha, p, 1, sol, m);
        axpby<<<m / 128, 128>>>(-alpha, q, 1, res, m);
        float next = inner(res, res);
        axpby<<<m / 128, 128>>>(1, res, next / rr, p, m);
        rr = next;
    }
    std::vector<float> answer(m);
    cudaMemcpy(answer.data(), sol, m * sizeof(float), cudaMemcpyDeviceToHost);
    printf("gradients: %d steps, %.9g %.9g %.9g\n", steps, answer[0], answer[500], answer[m - 1]);
    return 0;
}
