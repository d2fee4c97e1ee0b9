/* Graphs, gases, bodies, rays, trees of points, prices, genes. */
#include "public.h"

typedef unsigned long long u64;

struct alignas(16) body_of_four {
    double x, y, z, w;
};

KERNEL(normals_by_pairs)
{
    unsigned s = words[INDEX];
    float sum = 0;
    for (int k = 0; k < 16; k++) {
        s = s * 1664525u + 1013904223u;
        const float u = (s >> 8) * (1 / 16777216.0f) + 1e-7f;
        s = s * 1664525u + 1013904223u;
        const float r = sqrtf(-2 * logf(u)), t = 6.2831853f * (s >> 8) * (1 / 16777216.0f);
        sum += r * cosf(t) + r * sinf(t);
    }
    out[INDEX] = sum;
}

KERNEL(ranks_from_neighbours)
{
    float sum = 0;
    const int node = INDEX, edges = 4 + (words[node] & 15);
    for (int e = 0; e < edges; e++) {
        const unsigned from = words[(node * 8 + e) & (n - 1)] & 0xfffff;
        sum += in[from] / (float)(4 + (words[from] & 15));
    }
    out[node] = 0.15f + 0.85f * sum;
}

KERNEL(frontier_step)
{
    unsigned *level = (unsigned *)out;
    if (words[INDEX] & 7)
        return;
    const int edges = words[INDEX] >> 4 & 31;
    for (int e = 0; e < edges; e++) {
        const unsigned to = words[(INDEX + 97 * e) & (n - 1)] & 0xfffff;
        if (level[to] == 0)
            level[to] = 1;
    }
}

KERNEL(shortest_paths_by_tile)
{
    __shared__ float a[32][32], b[32][32];
    const int x = threadIdx.x & 31, y = threadIdx.x >> 5;
    float best[4];
    for (int k = 0; k < 4; k++) {
        a[y + 8 * k][x] = in[blockIdx.x * 1024 + (y + 8 * k) * 32 + x];
        b[y + 8 * k][x] = in[(blockIdx.x * 1024 + (y + 8 * k) * 32 + x) ^ 4096];
        best[k] = 1e9f;
    }
    __syncthreads();
    for (int m = 0; m < 32; m++)
        for (int k = 0; k < 4; k++)
            best[k] = fminf(best[k], a[y + 8 * k][m] + b[m][x]);
    for (int k = 0; k < 4; k++)
        out[blockIdx.x * 1024 + (y + 8 * k) * 32 + x] = best[k];
}

KERNEL(gas_on_nine_directions)
{
    const int cells = 1 << 18, i = INDEX;
    float f[9], rho = 0, ux = 0, uy = 0;
    const int dx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, dy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
#pragma unroll
    for (int k = 0; k < 9; k++) {
        f[k] = in[k * cells + ((i - dx[k] - 512 * dy[k]) & (cells - 1))];
        rho += f[k], ux += f[k] * dx[k], uy += f[k] * dy[k];
    }
    ux /= rho, uy /= rho;
    const float square = 1.5f * (ux * ux + uy * uy);
#pragma unroll
    for (int k = 0; k < 9; k++) {
        const float u = 3 * (dx[k] * ux + dy[k] * uy);
        const float w = k == 0 ? 4 / 9.0f : k < 5 ? 1 / 9.0f : 1 / 36.0f;
        out[k * cells + i] = f[k] + 0.6f * (w * rho * (1 + u + 0.5f * u * u - square) - f[k]);
    }
}

KERNEL(bodies_in_double)
{
    __shared__ body_of_four body[128];
    double ax = 0, ay = 0, az = 0;
    const double x = in[INDEX], y = in[INDEX + 4096], z = in[INDEX + 8192];
    for (int tile = 0; tile < 4; tile++) {
        const int j = tile * 128 + threadIdx.x;
        __syncthreads();
        body[threadIdx.x] = body_of_four{in[j], in[j + 512], in[j + 1024], in[j + 1536]};
        __syncthreads();
        for (int k = 0; k < 128; k++) {
            const body_of_four b = body[k];
            const double dx = b.x - x, dy = b.y - y, dz = b.z - z;
            const double r = rsqrt(dx * dx + dy * dy + dz * dz + 1e-3);
            const double s = b.w * r * r * r;
            ax += s * dx, ay += s * dy, az += s * dz;
        }
    }
    out[INDEX] = (float)(ax + ay + az);
}

KERNEL(rays_and_triangles)
{
    __shared__ float corner[64][9];
    for (int k = threadIdx.x; k < 576; k += 128)
        corner[k / 9][k % 9] = in[k];
    __syncthreads();
    const float dx = in[INDEX] - 0.5f, dy = in[INDEX + 1] - 0.5f, dz = 1;
    float nearest = 1e30f;
    for (int t = 0; t < 64; t++) {
        const float *c = corner[t];
        const float ax = c[3] - c[0], ay = c[4] - c[1], az = c[5] - c[2];
        const float bx = c[6] - c[0], by = c[7] - c[1], bz = c[8] - c[2];
        const float px = dy * bz - dz * by, py = dz * bx - dx * bz, pz = dx * by - dy * bx;
        const float det = ax * px + ay * py + az * pz;
        if (fabsf(det) < 1e-6f)
            continue;
        const float over = 1 / det, u = -(c[0] * px + c[1] * py + c[2] * pz) * over;
        if (u < 0 || u > 1)
            continue;
        const float qx = c[2] * ay - c[1] * az, qy = c[0] * az - c[2] * ax,
                    qz = c[1] * ax - c[0] * ay;
        const float v = (dx * qx + dy * qy + dz * qz) * over;
        if (v < 0 || u + v > 1)
            continue;
        nearest = fminf(nearest, (bx * qx + by * qy + bz * qz) * over);
    }
    out[INDEX] = nearest;
}

KERNEL(tree_walk_with_stack)
{
    int stack[24], top = 0, steps = 0;
    float best = 1e9f;
    const float x = in[INDEX];
    stack[top++] = 1;
    while (top && steps < 64) {
        const int node = stack[--top];
        const float at = in[node & 0x3ffff];
        steps++;
        best = fminf(best, fabsf(at - x));
        if (node < 1 << 16) {
            const bool left = x < at;
            if (fabsf(x - at) < best + 0.01f)
                stack[top++] = 2 * node + left;
            stack[top++] = 2 * node + !left;
        }
    }
    out[INDEX] = best + steps;
}

KERNEL(eight_nearest)
{
    float best[8];
    for (int k = 0; k < 8; k++)
        best[k] = 1e9f;
    const float x = in[INDEX], y = in[INDEX + 1];
    for (int j = 0; j < 256; j++) {
        const float dx = in[2 * j] - x, dy = in[2 * j + 1] - y;
        float d = dx * dx + dy * dy;
        if (d < best[7])
#pragma unroll
            for (int k = 0; k < 8; k++) {
                const float least = fminf(best[k], d);
                d = fmaxf(best[k], d), best[k] = least;
            }
    }
    float sum = 0;
    for (int k = 0; k < 8; k++)
        sum += best[k];
    out[INDEX] = sum;
}

KERNEL(prices_by_tree)
{
    __shared__ float value[257];
    const float s = 80 + 40 * in[blockIdx.x];
    const int k = threadIdx.x;
    value[k] = fmaxf(s * __expf(0.02f * (2 * k - 255)) - 100, 0);
    for (int step = 255; step > 0; step--) {
        __syncthreads();
        const float v = 0.51f * value[k + 1] + 0.48f * value[k];
        __syncthreads();
        if (k < step)
            value[k] = v;
    }
    if (k == 0)
        out[blockIdx.x] = value[0];
}

KERNEL(prices_by_formula)
{
    for (int i = INDEX; i < n; i += gridDim.x * blockDim.x) {
        const float s = 5 + 25 * in[i], x = 1 + 99 * in[(i + 999) & (n - 1)],
                    t = 0.25f + 9 * in[i ^ 64];
        const float root = sqrtf(t), d1 = (logf(s / x) + 0.07f * t) / (0.3f * root);
        const float d2 = d1 - 0.3f * root;
        out[i] = s * normcdff(d1) - x * expf(-0.02f * t) * normcdff(d2);
    }
}

KERNEL(paths_in_double)
{
    u64 s = words[INDEX];
    double price = 100, sum = 0;
    for (int k = 0; k < 16; k++) {
        s = s * 6364136223846793005ull + 1442695040888963407ull;
        price *= exp(0.01 * ((double)(s >> 11) * 0x1p-53 - 0.5));
        sum += log(price);
    }
    out[INDEX] = (float)(sum / 16);
}

KERNEL(life_of_bytes)
{
    const unsigned char *from = (const unsigned char *)words;
    const int x = INDEX & 2047, y = INDEX >> 11;
    int alive = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy)
                alive += from[((y + dy) & 2047) * 2048 + ((x + dx) & 2047)] & 1;
    ((unsigned char *)out)[INDEX] = alive == 3 || (alive == 2 && (from[INDEX] & 1));
}

KERNEL(clusters_of_points)
{
    __shared__ float centre[16 * 8];
    if (threadIdx.x < 128)
        centre[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    float p[8], best = 1e9f;
    int which = 0;
    for (int k = 0; k < 8; k++)
        p[k] = in[INDEX * 8 + k];
    for (int c = 0; c < 16; c++) {
        float d = 0;
        for (int k = 0; k < 8; k++)
            d += (p[k] - centre[c * 8 + k]) * (p[k] - centre[c * 8 + k]);
        if (d < best)
            best = d, which = c;
    }
    out[INDEX] = which;
}

KERNEL(alignment_by_diagonals)
{
    __shared__ int last[257], before[257];
    const int k = threadIdx.x;
    last[k + 1] = before[k + 1] = 0;
    if (k == 0)
        last[0] = before[0] = 0;
    int best = 0;
    const unsigned a = words[blockIdx.x * 256 + k] & 3;
    for (int d = 0; d < 256; d++) {
        __syncthreads();
        const int score = max(max(before[k] + (a == (words[blockIdx.x * 256 + d] & 3) ? 2 : -1), 0),
                              max(last[k], last[k + 1]) - 1);
        best = max(best, score);
        __syncthreads();
        before[k + 1] = last[k + 1];
        last[k + 1] = score;
    }
    atomicMax((int *)out + blockIdx.x, best);
}

KERNEL(fields_in_three_dimensions)
{
    const int x = INDEX & 127, y = INDEX >> 7 & 127, z = INDEX >> 14;
    if (x == 0 || y == 0 || z == 0 || x == 127 || y == 127 || z == 127)
        return;
    const int i = INDEX, cells = 1 << 21;
    const float ex = in[i], hy = in[i + cells];
    out[i] = ex + 0.5f * (in[i + 128] - in[i] - hy + in[i - 16384 + cells]);
    out[i + cells] = hy + 0.3f * (in[i + 1] - in[i - 1] + in[i + 16384 + cells - cells] - ex);
}

KERNEL(erosion_of_heights)
{
    const int x = INDEX & 1023, y = INDEX >> 10;
    const float h = in[INDEX];
    float lowest = h, total = 0;
    int to = INDEX;
    for (int d = 0; d < 4; d++) {
        const int j =
            ((y + (d == 0) - (d == 1)) & 1023) * 1024 + ((x + (d == 2) - (d == 3)) & 1023);
        const float other = in[j];
        total += fmaxf(h - other, 0);
        if (other < lowest)
            lowest = other, to = j;
    }
    if (to != INDEX)
        atomicAdd(&out[to], 0.1f * total);
}

int main()
{
    static const public_kernel kernels[] = {
        {"normals_by_pairs", normals_by_pairs, 2048, 256},
        {"ranks_from_neighbours", ranks_from_neighbours, 2048, 256},
        {"frontier_step", frontier_step, 8192, 256},
        {"shortest_paths_by_tile", shortest_paths_by_tile, 2048, 256},
        {"gas_on_nine_directions", gas_on_nine_directions, 1024, 256},
        {"bodies_in_double", bodies_in_double, 264, 128},
        {"rays_and_triangles", rays_and_triangles, 2048, 128},
        {"tree_walk_with_stack", tree_walk_with_stack, 1024, 256},
        {"eight_nearest", eight_nearest, 1024, 256},
        {"prices_by_tree", prices_by_tree, 2048, 256},
        {"prices_by_formula", prices_by_formula, 2112, 256},
        {"paths_in_double", paths_in_double, 1024, 256},
        {"life_of_bytes", life_of_bytes, 16384, 256},
        {"clusters_of_points", clusters_of_points, 1024, 256},
        {"alignment_by_diagonals", alignment_by_diagonals, 1024, 256},
        {"fields_in_three_dimensions", fields_in_three_dimensions, 8192, 256},
        {"erosion_of_heights", erosion_of_heights, 4096, 256},
    };
    return measure_all(kernels);
}
