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

#define SIDE 1024
extern "C" __global__ void transpose(const float *in, float *out)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) {
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * SIDE + x];
    }
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) {
        out[(y + j) * SIDE + x] = tile[threadIdx.x][threadIdx.y + j];
    }
}

extern "C" __global__ void histogram(const unsigned *in, unsigned *out, int n)
{
    __shared__ unsigned bin[256];
    bin[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&bin[(in[i] + i * 2654435761u) >> 24], 1);
    }
    __syncthreads();
    atomicAdd(&out[threadIdx.x], bin[threadIdx.x]);
}

extern "C" __global__ void nbody(const float4 *body, float4 *out, int n)
{
    __shared__ float4 part[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 me = body[i];
    float ax = 0, ay = 0, az = 0;
    for (int from = 0; from < n; from += blockDim.x) {
        part[threadIdx.x] = body[from + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 256; j++) {
            const float dx = part[j].x - me.x, dy = part[j].y - me.y, dz = part[j].z - me.z;
            const float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            const float s = part[j].w * r * r * r;
            ax += dx * s;
            ay += dy * s;
            az += dz * s;
        }
        __syncthreads();
    }
    out[i] = make_float4(ax, ay, az, 0);
}

extern "C" __global__ void mandelbrot(const int *unused, int *out, int width)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const float cx = x * 3.0f / width - 2.25f, cy = y * 2.5f / width - 1.25f;
    float zx = 0, zy = 0;
    int k = 0;
    for (; k < 256 && zx * zx + zy * zy < 4; k++) {
        const float t = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = t;
    }
    out[y * width + x] = k;
}

// What a launch costs, and what a thread costs from few to many.
extern "C" __global__ void empty() {}

extern "C" __global__ void scale(float *p)
{
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) & 0xfffff;
    p[i] = p[i] * 0.5f + 1;
}
