// The kernels of `make bench`: what the chapters' labs do, in four shapes of work.

extern "C" __global__ void stencil(const float *in, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const float *p = in + i;
        out[i] = 0.05f * p[0] + 0.1f * p[1] + 0.12f * p[2] + 0.14f * p[3] + 0.18f * p[4] +
                 0.14f * p[5] + 0.12f * p[6] + 0.1f * p[7] + 0.05f * p[8];
    }
}

extern "C" __global__ void fma_loop(const float *in, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float a = in[i], b = a + 1, c = a + 2, d = a + 3;
#pragma unroll 1
        for (int k = 0; k < 256; k += 4) {
            a = a * 0.999f + 0.5f;
            b = b * 0.999f + 0.5f;
            c = c * 0.999f + 0.5f;
            d = d * 0.999f + 0.5f;
        }
        out[i] = a + b + c + d;
    }
}

extern "C" __global__ void reduce(const int *in, int *out, int n)
{
    __shared__ int part[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (threadIdx.x < s) {
            part[threadIdx.x] += part[threadIdx.x + s];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = part[0];
    }
}

#define TILE 16
extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n)
{
    __shared__ float ta[TILE][TILE], tb[TILE][TILE];
    const int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        ta[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
        tb[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + col];
        __syncthreads();
        for (int j = 0; j < TILE; j++) {
            sum += ta[threadIdx.y][j] * tb[j][threadIdx.x];
        }
        __syncthreads();
    }
    c[row * n + col] = sum;
}
