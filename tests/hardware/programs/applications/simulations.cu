// Small physics: n bodies, heat on a plate until it rests, waves, life, a lattice gas, fractals.
#include <cmath>
#include <cstdio>
#include <vector>

__device__ float3 pull(float4 bi, float4 bj, float3 a)
{
    float3 r = {bj.x - bi.x, bj.y - bi.y, bj.z - bi.z};
    float d = r.x * r.x + r.y * r.y + r.z * r.z + 0.01f;
    float s = bj.w * rsqrtf(d * d * d);
    return {a.x + r.x * s, a.y + r.y * s, a.z + r.z * s};
}

__global__ void bodies(const float4 *in, float4 *out, float4 *velocity, int n, float dt)
{
    extern __shared__ float4 tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = in[i];
    float3 a = {0, 0, 0};
    for (int t = 0; t < gridDim.x; t++) {
        tile[threadIdx.x] = in[t * blockDim.x + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < blockDim.x; j++)
            a = pull(me, tile[j], a);
        __syncthreads();
    }
    float4 v = velocity[i];
    v.x += a.x * dt, v.y += a.y * dt, v.z += a.z * dt;
    velocity[i] = v;
    out[i] = make_float4(me.x + v.x * dt, me.y + v.y * dt, me.z + v.z * dt, me.w);
}

__global__ void heat(const float *in, float *out, float *change, int w, int h)
{
    __shared__ float most[256];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y,
        t = threadIdx.y * 16 + threadIdx.x;
    float d = 0;
    if (x > 0 && y > 0 && x < w - 1 && y < h - 1) {
        float v = 0.25f * (in[y * w + x - 1] + in[y * w + x + 1] + in[(y - 1) * w + x] +
                           in[(y + 1) * w + x]);
        d = fabsf(v - in[y * w + x]);
        out[y * w + x] = v;
    }
    most[t] = d;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
        if (t < s)
            most[t] = fmaxf(most[t], most[t + s]);
        __syncthreads();
    }
    if (t == 0)
        atomicMax((int *)change, __float_as_int(most[0]));
}

__global__ void life(const unsigned char *in, unsigned char *out, int w, int h)
{
    __shared__ unsigned char s[18][18];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    for (int i = threadIdx.y * 16 + threadIdx.x; i < 18 * 18; i += 256)
        s[i / 18][i % 18] =
            in[(blockIdx.y * 16 + i / 18 - 1 + h) % h * w + (blockIdx.x * 16 + i % 18 - 1 + w) % w];
    __syncthreads();
    int n = 0;
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++)
            n += s[threadIdx.y + dy][threadIdx.x + dx];
    int self = s[threadIdx.y + 1][threadIdx.x + 1];
    out[y * w + x] = n == 3 || (n == 4 && self);
}

__global__ void mandelbrot(int *out, int w, int h, double x0, double y0, double step)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    double cx = x0 + x * step, cy = y0 + y * step, zx = 0, zy = 0;
    int i = 0;
    while (i < 200 && zx * zx + zy * zy < 4) {
        double t = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = t;
        i++;
    }
    out[y * w + x] = i;
}

__global__ void wave3d(const float *now, float *next, int n, float c)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1,
        y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x >= n - 1 || y >= n - 1)
        return;
    float below = now[y * n + x], here = now[n * n + y * n + x];
    for (int z = 1; z < n - 1; z++) {
        float above = now[(z + 1) * n * n + y * n + x];
        int at = z * n * n + y * n + x;
        float lap =
            now[at - 1] + now[at + 1] + now[at - n] + now[at + n] + below + above - 6 * here;
        next[at] = 2 * here - next[at] + c * lap;
        below = here;
        here = above;
    }
}

__global__ void black_scholes(float *call, float *put, const float *s, const float *x,
                              const float *t, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float r = 0.02f, v = 0.3f;
    float root = sqrtf(t[i]), d1 = (logf(s[i] / x[i]) + (r + 0.5f * v * v) * t[i]) / (v * root);
    float d2 = d1 - v * root, n1 = normcdff(d1), n2 = normcdff(d2), e = expf(-r * t[i]);
    call[i] = s[i] * n1 - x[i] * e * n2;
    put[i] = x[i] * e * (1 - n2) - s[i] * (1 - n1);
}

int main()
{
    const int n = 512;
    float4 *p[2], *v;
    for (float4 *&q : p)
        cudaMallocManaged(&q, n * sizeof(float4));
    cudaMallocManaged(&v, n * sizeof(float4));
    for (int i = 0; i < n; i++) {
        p[0][i] = make_float4(i % 8, i / 8 % 8, i / 64, 1 + i % 3);
        v[i] = make_float4(0, 0, 0, 0);
    }
    for (int k = 0; k < 4; k++)
        bodies<<<n / 128, 128, 128 * sizeof(float4)>>>(p[k % 2], p[1 - k % 2], v, n, 0.001f);
    cudaDeviceSynchronize();
    printf("bodies %.9g %.9g %.9g\n", p[0][0].x, p[0][77].y, v[511].z);

    const int w = 96, h = 80;
    float *a, *b, *change;
    cudaMallocManaged(&a, w * h * sizeof(float));
    cudaMallocManaged(&b, w * h * sizeof(float));
    cudaMallocManaged(&change, sizeof(float));
    for (int i = 0; i < w * h; i++)
        a[i] = b[i] = i < w ? 100 : 0;
    int steps = 0;
    do {
        *change = 0;
        heat<<<dim3(w / 16, h / 16), dim3(16, 16)>>>(a, b, change, w, h);
        cudaDeviceSynchronize();
        std::swap(a, b);
    } while (++steps < 400 && *change > 0.05f);
    printf("heat %d steps, %.9g %.9g\n", steps, a[w + w / 2], a[20 * w + 11]);

    unsigned char *c, *d;
    cudaMallocManaged(&c, 64 * 64);
    cudaMallocManaged(&d, 64 * 64);
    for (int i = 0; i < 64 * 64; i++)
        c[i] = ((unsigned)i * i * 40503u >> 9) % 3 == 0;
    for (int k = 0; k < 30; k++) {
        life<<<dim3(4, 4), dim3(16, 16)>>>(c, d, 64, 64);
        std::swap(c, d);
    }
    cudaDeviceSynchronize();
    int alive = 0, where = 0;
    for (int i = 0; i < 64 * 64; i++)
        alive += c[i], where += c[i] * i;
    printf("life %d %d\n", alive, where);

    int *m;
    cudaMallocManaged(&m, 200 * 150 * sizeof(int));
    mandelbrot<<<dim3(13, 10), dim3(16, 16)>>>(m, 200, 150, -2.2, -1.1, 0.015);
    cudaDeviceSynchronize();
    unsigned hash = 0;
    for (int i = 0; i < 200 * 150; i++)
        hash = hash * 31 + m[i];
    printf("mandelbrot %08x %d\n", hash, m[75 * 200 + 100]);

    const int e = 34;
    float *u0, *u1;
    cudaMallocManaged(&u0, e * e * e * sizeof(float));
    cudaMallocManaged(&u1, e * e * e * sizeof(float));
    for (int i = 0; i < e * e * e; i++)
        u0[i] = u1[i] = i == e * e * 17 + e * 17 + 17;
    for (int k = 0; k < 12; k++) {
        wave3d<<<dim3(2, 4), dim3(16, 8)>>>(u0, u1, e, 0.2f);
        std::swap(u0, u1);
    }
    cudaDeviceSynchronize();
    printf("wave %.9g %.9g\n", u0[e * e * 17 + e * 17 + 17], u0[e * e * 12 + e * 15 + 16]);

    const int o = 1000;
    float *f;
    cudaMallocManaged(&f, 5 * o * sizeof(float));
    for (int i = 0; i < o; i++)
        f[2 * o + i] = 5 + i % 26, f[3 * o + i] = 1 + i % 100, f[4 * o + i] = 0.25f + i % 10;
    black_scholes<<<4, 256>>>(f, f + o, f + 2 * o, f + 3 * o, f + 4 * o, o);
    cudaDeviceSynchronize();
    printf("options %.9g %.9g %.9g\n", f[0], f[o + 999], f[123]);
    return 0;
}
