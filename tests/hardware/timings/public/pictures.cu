/* Pictures and signals: filters, colours, transforms. A picture is 2048 x 2048. */
#include "public.h"

enum { W = 2048, H = 2048 };
#define X (INDEX & (W - 1))
#define Y (INDEX / W)

static __device__ float at(const float *in, int x, int y)
{
    return in[min(max(y, 0), H - 1) * W + min(max(x, 0), W - 1)];
}

KERNEL(sobel)
{
    const int x = X, y = Y;
    float gx = 0, gy = 0;
    for (int d = -1; d <= 1; d++) {
        const float w = d ? 1 : 2;
        gx += w * (at(in, x + 1, y + d) - at(in, x - 1, y + d));
        gy += w * (at(in, x + d, y + 1) - at(in, x + d, y - 1));
    }
    out[y * W + x] = sqrtf(gx * gx + gy * gy);
}

static __device__ void order(float &a, float &b)
{
    const float low = fminf(a, b);
    b = fmaxf(a, b), a = low;
}

KERNEL(median_3x3)
{
    float v[9];
    for (int k = 0; k < 9; k++)
        v[k] = at(in, X + k % 3 - 1, Y + k / 3 - 1);
#pragma unroll
    for (int i = 0; i < 5; i++)
#pragma unroll
        for (int j = i + 1; j < 9; j++)
            order(v[i], v[j]);
    out[INDEX] = v[4];
}

KERNEL(bilateral)
{
    const float here = in[INDEX];
    float sum = 0, weights = 0;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) {
            const float v = at(in, X + dx, Y + dy), d = v - here;
            const float w = expf(-(dx * dx + dy * dy) * 0.2f - d * d * 8);
            sum += w * v, weights += w;
        }
    out[INDEX] = sum / weights;
}

KERNEL(erode_by_tile)
{
    __shared__ float tile[34][34];
    const int bx = blockIdx.x % (W / 32) * 32, by = blockIdx.x / (W / 32) * 32;
    for (int k = threadIdx.x; k < 34 * 34; k += blockDim.x)
        tile[k / 34][k % 34] = at(in, bx + k % 34 - 1, by + k / 34 - 1);
    __syncthreads();
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) {
        float low = FLT_MAX;
        for (int d = 0; d < 9; d++)
            low = fminf(low, tile[k / 32 + d / 3][k % 32 + d % 3]);
        out[(by + k / 32) * W + bx + k % 32] = low;
    }
}

KERNEL(gamma_by_pow)
{
    out[INDEX] = powf(in[INDEX], 1 / 2.2f);
}

KERNEL(to_grey_from_bytes)
{
    const unsigned p = words[INDEX];
    ((unsigned char *)out)[INDEX] =
        (unsigned char)(((p & 255) * 77 + (p >> 8 & 255) * 150 + (p >> 16 & 255) * 29) >> 8);
}

KERNEL(hue_of_colours)
{
    const unsigned p = words[INDEX];
    const float r = (p & 255) / 255.0f, g = (p >> 8 & 255) / 255.0f, b = (p >> 16 & 255) / 255.0f;
    const float most = fmaxf(r, fmaxf(g, b)), range = most - fminf(r, fminf(g, b));
    float hue = 0;
    if (range > 0) {
        if (most == r)
            hue = fmodf((g - b) / range, 6);
        else if (most == g)
            hue = (b - r) / range + 2;
        else
            hue = (r - g) / range + 4;
    }
    out[INDEX] = hue * 60;
}

KERNEL(halve_picture)
{
    const int x = INDEX % (W / 2), y = INDEX / (W / 2);
    const float2 a = ((const float2 *)in)[y * W + x], b = ((const float2 *)in)[y * W + W / 2 + x];
    out[INDEX] = (a.x + a.y + b.x + b.y) / 4;
}

KERNEL(enlarge_bicubic)
{
    const float fx = X * 0.37f, fy = Y * 0.37f;
    const int ix = (int)fx, iy = (int)fy;
    float sum = 0;
    for (int dy = -1; dy <= 2; dy++)
        for (int dx = -1; dx <= 2; dx++) {
            const float u = fabsf(fx - (ix + dx)), v = fabsf(fy - (iy + dy));
            const float a =
                u < 1 ? (1.5f * u - 2.5f) * u * u + 1 : ((2.5f - 0.5f * u) * u - 4) * u + 2;
            const float b =
                v < 1 ? (1.5f * v - 2.5f) * v * v + 1 : ((2.5f - 0.5f * v) * v - 4) * v + 2;
            sum += a * b * at(in, ix + dx, iy + dy);
        }
    out[INDEX] = sum;
}

KERNEL(swirl)
{
    const float dx = X - W / 2, dy = Y - H / 2, r = sqrtf(dx * dx + dy * dy);
    const float turn = 5 * expf(-r / 300), c = cosf(turn), s = sinf(turn);
    out[INDEX] = at(in, (int)(W / 2 + c * dx - s * dy), (int)(H / 2 + s * dx + c * dy));
}

KERNEL(rows_prefix)
{
    __shared__ float part[32];
    const int row = blockIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x / 32;
    float before = 0;
    for (int x = threadIdx.x; x < W; x += blockDim.x) {
        float v = in[row * W + x];
        for (int d = 1; d < 32; d *= 2) {
            const float other = __shfl_up_sync(~0u, v, d);
            v += lane >= d ? other : 0;
        }
        if (lane == 31)
            part[warp] = v;
        __syncthreads();
        float all = 0, mine = 0;
        for (int k = 0; k < (int)blockDim.x / 32; k++)
            mine += k < warp ? part[k] : 0, all += part[k];
        out[row * W + x] = before + mine + v;
        before += all;
        __syncthreads();
    }
}

KERNEL(columns_prefix)
{
    float sum = 0;
    for (int y = 0; y < 512; y++)
        out[y * W + INDEX] = sum += in[y * W + INDEX];
}

KERNEL(histogram_256_by_warp)
{
    __shared__ unsigned bins[8][256];
    for (int k = threadIdx.x; k < 2048; k += blockDim.x)
        bins[k / 256][k % 256] = 0;
    __syncthreads();
    for (int i = INDEX; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[threadIdx.x / 32][words[i] & 255], 1u);
    __syncthreads();
    unsigned sum = 0;
    for (int k = 0; k < 8; k++)
        sum += bins[k][threadIdx.x];
    atomicAdd((unsigned *)out + threadIdx.x, sum);
}

KERNEL(dither_by_rows)
{
    float error = 0;
    for (int x = 0; x < 256; x++) {
        const float v = in[x * (n / 256) + INDEX] + error, level = v > 0.5f;
        error = (v - level) * 0.4375f;
        out[x * (n / 256) + INDEX] = level;
    }
}

KERNEL(cosines_8x8)
{
    __shared__ float block[8][8][9];
    const int u = threadIdx.x & 7, v = threadIdx.x / 8 & 7, b = threadIdx.x / 64;
    block[b][v][u] = in[INDEX] - 0.5f;
    __syncthreads();
    float sum = 0;
    for (int x = 0; x < 8; x++)
        sum += block[b][v][x] * cospif((2 * x + 1) * u / 16.0f);
    __syncthreads();
    block[b][v][u] = sum;
    __syncthreads();
    sum = 0;
    for (int y = 0; y < 8; y++)
        sum += block[b][y][u] * cospif((2 * y + 1) * v / 16.0f);
    out[INDEX] = sum / 4;
}

KERNEL(haar_wavelet)
{
    __shared__ float s[512];
    const int t = threadIdx.x;
    s[t] = in[blockIdx.x * 512 + t], s[t + 256] = in[blockIdx.x * 512 + t + 256];
    for (int half = 256; half >= 1; half /= 2) {
        __syncthreads();
        const float a = t < half ? s[2 * t] : 0, b = t < half ? s[2 * t + 1] : 0;
        __syncthreads();
        if (t < half)
            s[t] = (a + b) * 0.70710678f, s[half + t] = (a - b) * 0.70710678f;
    }
    __syncthreads();
    out[blockIdx.x * 512 + t] = s[t], out[blockIdx.x * 512 + t + 256] = s[t + 256];
}

__constant__ float taps[64];

KERNEL(fir_64_taps)
{
    float sum = 0;
    for (int k = 0; k < 64; k++)
        sum += taps[k] * in[(INDEX + k) & (n - 1)];
    out[INDEX] = sum;
}

KERNEL(iir_by_channel)
{
    float y1 = 0, y2 = 0;
    for (int t = 0; t < 128; t++) {
        const float y = in[t * (n / 128) + INDEX] + 1.6f * y1 - 0.7f * y2;
        out[t * (n / 128) + INDEX] = y;
        y2 = y1, y1 = y;
    }
}

KERNEL(fourier_step)
{
    const float2 *from = (const float2 *)in;
    const int i = INDEX, half = 1 << 9, k = i & (half - 1), a = (i / half) * 2 * half + k;
    float s, c;
    sincospif(-(float)k / half, &s, &c);
    const float2 u = from[a], v = from[a + half];
    const float2 w = make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
    ((float2 *)out)[a] = make_float2(u.x + w.x, u.y + w.y);
    ((float2 *)out)[a + half] = make_float2(u.x - w.x, u.y - w.y);
}

KERNEL(correlate_lags)
{
    float sum = 0;
    for (int k = 0; k < 256; k++)
        sum += in[(blockIdx.x & 15) * 1024 + k] * in[k + INDEX % 4096];
    out[INDEX] = sum;
}

KERNEL(fractal_flames)
{
    float x = in[INDEX], y = 1 - x;
    unsigned state = words[INDEX];
    for (int k = 0; k < 64; k++) {
        state = state * 1664525u + 1013904223u;
        const float r2 = x * x + y * y + 1e-6f, r = sqrtf(r2);
        if (state >> 30 == 0) {
            const float s = sinf(r2), c = cosf(r2), was = x;
            x = x * s - y * c, y = was * c + y * s;
        } else if (state >> 30 == 1) {
            x = sinf(x), y = sinf(y);
        } else if (state >> 30 == 2) {
            const float was = x;
            x = (x - y) * (x + y) / r, y = 2 * was * y / r;
        } else {
            const float angle = atan2f(x, y);
            x = angle * 0.31831f, y = r - 1;
        }
        x = 0.5f * x + 0.25f, y = 0.5f * y - 0.25f;
    }
    out[INDEX] = x + y;
}

KERNEL(julia_in_double)
{
    double x = X / 1024.0 - 1, y = Y / 1024.0 - 1;
    int k = 0;
    for (; k < 100 && x * x + y * y < 4; k++) {
        const double was = x;
        x = x * x - y * y - 0.8, y = 2 * was * y + 0.156;
    }
    out[INDEX] = k;
}

KERNEL(sphere_shading)
{
    const float dx = X / 1024.0f - 1, dy = Y / 1024.0f - 1, inv = rsqrtf(dx * dx + dy * dy + 1);
    float nearest = FLT_MAX, light = 0;
    for (int k = 0; k < 16; k++) {
        const float cx = in[3 * k] * 4 - 2, cy = in[3 * k + 1] * 4 - 2, cz = in[3 * k + 2] * 4 + 3;
        const float b = (cx * dx + cy * dy + cz) * inv,
                    d = b * b - (cx * cx + cy * cy + cz * cz) + 0.25f;
        if (d > 0) {
            const float t = b - sqrtf(d);
            if (t > 0 && t < nearest)
                nearest = t, light = fabsf((dx * inv * t - cx) + (dy * inv * t - cy)) * 2;
        }
    }
    out[INDEX] = nearest < FLT_MAX ? light / nearest : 0;
}

KERNEL(volume_steps)
{
    float sum = 0, clear = 1;
    const float dx = in[INDEX] - 0.5f;
    for (int k = 0; k < 64 && clear > 0.01f; k++) {
        const int x = (int)(INDEX % 128 + dx * k) & 127, y = INDEX / 128 & 127;
        const float v = in[((k * 2 & 127) * 128 + y) * 128 + x] * 0.05f;
        sum += clear * v, clear *= 1 - v;
    }
    out[INDEX] = sum;
}

KERNEL(runs_of_bytes)
{
    const unsigned char *from = (const unsigned char *)words;
    int runs = 0;
    for (int k = 1; k < 64; k++)
        runs += (from[INDEX * 64 + k] & 3) != (from[INDEX * 64 + k - 1] & 3);
    out[INDEX] = runs;
}

int main()
{
    const int all = W * H / 256;
    static const public_kernel kernels[] = {
        {"sobel", sobel, all, 256},
        {"median_3x3", median_3x3, all, 256},
        {"bilateral", bilateral, all, 256},
        {"erode_by_tile", erode_by_tile, W / 32 * (H / 32), 256},
        {"gamma_by_pow", gamma_by_pow, all, 256},
        {"to_grey_from_bytes", to_grey_from_bytes, all, 256},
        {"hue_of_colours", hue_of_colours, all, 256},
        {"halve_picture", halve_picture, all / 4, 256},
        {"enlarge_bicubic", enlarge_bicubic, all / 2, 256},
        {"swirl", swirl, all, 256},
        {"rows_prefix", rows_prefix, H, 256},
        {"columns_prefix", columns_prefix, W / 128, 128},
        {"histogram_256_by_warp", histogram_256_by_warp, 512, 256},
        {"dither_by_rows", dither_by_rows, 64, 256},
        {"cosines_8x8", cosines_8x8, all / 2, 512},
        {"haar_wavelet", haar_wavelet, W * H / 512, 256},
        {"fir_64_taps", fir_64_taps, all, 256},
        {"iir_by_channel", iir_by_channel, 128, 256},
        {"fourier_step", fourier_step, all / 4, 256},
        {"correlate_lags", correlate_lags, 1024, 256},
        {"fractal_flames", fractal_flames, 1024, 128},
        {"julia_in_double", julia_in_double, all / 8, 256},
        {"sphere_shading", sphere_shading, all / 2, 256},
        {"volume_steps", volume_steps, 2048, 128},
        {"runs_of_bytes", runs_of_bytes, 1024, 256},
    };
    return measure_all(kernels);
}
