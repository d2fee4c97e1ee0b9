/* Worlds: physics, money, graphs, genes, geometry. */
#include "public.h"

KERNEL(heat_in_3d)
{
    const int x = INDEX & 127, y = INDEX / 128 & 127, z = INDEX / 16384;
    if (x > 0 && x < 127 && y > 0 && y < 127 && z > 0 && z < 255)
        out[INDEX] =
            in[INDEX] + 0.1f * (in[INDEX - 1] + in[INDEX + 1] + in[INDEX - 128] + in[INDEX + 128] +
                                in[INDEX - 16384] + in[INDEX + 16384] - 6 * in[INDEX]);
}

KERNEL(wave_of_order_8)
{
    const float c[5] = {-2.8472f, 1.6f, -0.2f, 0.02540f, -0.00179f};
    const int x = INDEX & 2047, y = INDEX / 2048;
    if (x < 4 || x >= 2044 || y < 4 || y >= 2044)
        return;
    float sum = 2 * c[0] * in[INDEX];
    for (int k = 1; k < 5; k++)
        sum += c[k] * (in[INDEX - k] + in[INDEX + k] + in[INDEX - 2048 * k] + in[INDEX + 2048 * k]);
    out[INDEX] = 2 * in[INDEX] - out[INDEX] + 0.1f * sum;
}

KERNEL(lattice_gas_of_nine)
{
    const int m = 1 << 18, dx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1},
              dy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    float f[9], rho = 0, ux = 0, uy = 0;
    for (int k = 0; k < 9; k++) {
        f[k] = in[k * m + ((INDEX - dx[k] - 512 * dy[k]) & (m - 1))] + 0.5f;
        rho += f[k], ux += f[k] * dx[k], uy += f[k] * dy[k];
    }
    ux /= rho, uy /= rho;
    const float uu = 1.5f * (ux * ux + uy * uy);
    for (int k = 0; k < 9; k++) {
        const float cu = 3 * (dx[k] * ux + dy[k] * uy), w = k == 0  ? 4 / 9.0f
                                                            : k < 5 ? 1 / 9.0f
                                                                    : 1 / 36.0f;
        out[k * m + INDEX] = f[k] + 1.2f * (w * rho * (1 + cu + 0.5f * cu * cu - uu) - f[k]);
    }
}

KERNEL(field_step_2d)
{
    const float *ex = in, *ey = in + n / 4, *hz = in + n / 2;
    const int i = INDEX;
    const float h = hz[i];
    out[i] = ex[i] + 0.5f * (hz[i + 1024] - h);
    out[n / 4 + i] = ey[i] - 0.5f * (hz[i + 1] - h);
}

KERNEL(bodies_without_tiles)
{
    const float4 *at = (const float4 *)in;
    const float4 me = at[INDEX];
    float ax = 0, ay = 0, az = 0;
    for (int k = 0; k < 1024; k++) {
        const float4 p = at[k];
        const float dx = p.x - me.x, dy = p.y - me.y, dz = p.z - me.z,
                    r2 = dx * dx + dy * dy + dz * dz + 0.01f;
        const float f = p.w / (r2 * sqrtf(r2));
        ax += f * dx, ay += f * dy, az += f * dz;
    }
    ((float4 *)out)[INDEX] = make_float4(ax, ay, az, me.w);
}

KERNEL(bodies_in_double)
{
    double ax = 0, ay = 0;
    const double x = in[2 * INDEX], y = in[2 * INDEX + 1];
    for (int k = 0; k < 256; k++) {
        const double dx = in[2 * k] - x, dy = in[2 * k + 1] - y, r2 = dx * dx + dy * dy + 0.01;
        const double f = 1 / (r2 * sqrt(r2));
        ax += f * dx, ay += f * dy;
    }
    out[2 * INDEX] = (float)ax, out[2 * INDEX + 1] = (float)ay;
}

KERNEL(neighbours_in_cells)
{
    const float x = in[INDEX], y = in[INDEX ^ 1];
    const int cell = (int)(y * 64) * 64 + (int)(x * 64);
    float density = 0;
    for (int c = 0; c < 9; c++) {
        const int other = (cell + (c / 3 - 1) * 64 + c % 3 - 1) & 4095;
        const int count = words[other] & 15;
        for (int k = 0; k < count; k++) {
            const float dx = in[other * 32 + 2 * k] - x, dy = in[other * 32 + 2 * k + 1] - y,
                        q = 1 - dx * dx - dy * dy;
            density += q > 0 ? q * q * q : 0;
        }
    }
    out[INDEX] = density;
}

KERNEL(spins)
{
    int *spin = (int *)out;
    const int x = INDEX & 1023, y = INDEX / 1024, i = y * 2048 + 2 * x + (y & 1);
    const int sum = spin[(i + 1) & (n - 1)] + spin[(i - 1) & (n - 1)] + spin[(i + 2048) & (n - 1)] +
                    spin[(i - 2048) & (n - 1)];
    const float chance = __expf(-0.44f * 2 * sum);
    if (in[INDEX] < chance)
        spin[i] ^= 1;
}

KERNEL(ballistic_flights)
{
    const float angle = in[INDEX] * 1.5f, speed = 100 + 50 * in[INDEX ^ 1];
    float t = 0;
    for (int k = 0; k < 16; k++) {
        const float s = sinf(angle + t), c = cosf(angle + t);
        t += 0.01f * powf(speed * s / 9.81f + 1, 1.5f) / (1 + c * c);
    }
    out[INDEX] = t;
}

KERNEL(cooling_chain)
{
    float t = in[INDEX] * 1e4f + 1;
    for (int k = 0; k < 64; k++)
        t -= 0.01f * (t * sqrtf(t) / (1 + t * 1e-3f) + 1 / sqrtf(t + 1));
    out[INDEX] = t;
}

KERNEL(pendulums_by_runge_kutta)
{
    float a = in[INDEX] * 3, v = 0;
    for (int k = 0; k < 32; k++) {
        const float h = 0.05f, k1 = -__sinf(a), k2 = -__sinf(a + 0.5f * h * v),
                    k3 = -__sinf(a + 0.5f * h * (v + 0.5f * h * k1)),
                    k4 = -__sinf(a + h * (v + 0.5f * h * k2));
        a += h * (v + h / 6 * (k1 + k2 + k3)), v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    out[INDEX] = a;
}

KERNEL(binomial_tree)
{
    __shared__ float value[256];
    const int t = threadIdx.x;
    value[t] = fmaxf(0, 100 * expf(0.02f * (2 * t - 255)) - 80 - 40 * in[blockIdx.x]);
    for (int step = 255; step > 0; step--) {
        __syncthreads();
        const float v = t < step ? 0.999f * (0.51f * value[t + 1] + 0.49f * value[t]) : 0;
        __syncthreads();
        if (t < step)
            value[t] = v;
    }
    if (t == 0)
        out[blockIdx.x] = value[0];
}

KERNEL(asian_options)
{
    unsigned state = words[INDEX];
    float price = 1, sum = 0;
    for (int k = 0; k < 64; k++) {
        state = state * 1664525u + 1013904223u;
        const float u = (state >> 8) / 16777216.0f + 1e-7f;
        state = state * 1664525u + 1013904223u;
        price *= expf(0.0001f +
                      0.02f * sqrtf(-2 * logf(u)) * cosf(6.2831853f * (state >> 8) / 16777216.0f));
        sum += price;
    }
    out[INDEX] = fmaxf(sum / 64 - 1, 0);
}

KERNEL(normal_distributions_in_double)
{
    const double x = in[INDEX] * 6 - 3;
    out[INDEX] = (float)(0.5 * erfc(-x * 0.70710678118654752) + exp(-0.5 * x * x));
}

KERNEL(frontier_of_graph)
{
    const int *level = (const int *)out;
    if ((words[INDEX] & 7) != 0)
        return;
    for (int k = 0; k < 8; k++) {
        const int to = words[(INDEX * 8 + k) & (n - 1)] & (n / 4 - 1);
        if (level[to] == 0)
            ((int *)out)[to] = 0;
    }
}

KERNEL(page_ranks)
{
    float sum = 0;
    const int degree = words[INDEX] & 15;
    for (int k = 0; k < degree; k++) {
        const unsigned from = words[(INDEX * 16 + k) & (n - 1)] & 0x3ffff;
        sum += in[from] / ((words[from] & 15) + 1);
    }
    out[INDEX] = 0.15f + 0.85f * sum;
}

KERNEL(shortest_paths_relax)
{
    const unsigned a = words[INDEX] & 0xffff, b = words[INDEX ^ 1] >> 16;
    const int length = (int)(in[INDEX] * 100) + 1;
    atomicMin((int *)out + b, ((int *)out)[a] - length);
}

KERNEL(labels_by_hooking)
{
    int *parent = (int *)out;
    int label = words[INDEX] & 0xfffff;
    for (int k = 0; k < 8; k++)
        label = (label + parent[label]) * 5 + 1 & 0xfffff;
    parent[n / 2 + INDEX] = label;
}

KERNEL(triangles)
{
    const unsigned *a = words + (INDEX & 0xffff) * 32, *b = words + (INDEX * 7 & 0xffff) * 32;
    int i = 0, j = 0, count = 0;
    while (i < 32 && j < 32) {
        const unsigned x = a[i] >> 22, y = b[j] >> 22;
        count += x == y, i += x <= y, j += y <= x;
    }
    out[INDEX] = count;
}

KERNEL(local_alignment)
{
    int row[16], best = 0;
    for (int k = 0; k < 16; k++)
        row[k] = 0;
    const unsigned query = words[INDEX];
    for (int i = 0; i < 64; i++) {
        const unsigned letter = words[i * 4096 + (INDEX & 4095)] & 3;
        int diagonal = 0, left = 0;
#pragma unroll
        for (int k = 0; k < 16; k++) {
            const int v = max(
                max(diagonal + ((query >> 2 * k & 3) == letter ? 2 : -1), max(row[k], left) - 1),
                0);
            diagonal = row[k], row[k] = left = v, best = max(best, v);
        }
    }
    out[INDEX] = best;
}

KERNEL(count_words_of_genes)
{
    unsigned word = 0;
    for (int k = 0; k < 16; k++) {
        word = word << 2 | (words[INDEX * 4 + k / 4] >> 8 * (k & 3) & 3);
        if (k >= 7)
            atomicAdd((unsigned *)out + (word & 0xffff), 1u);
    }
}

KERNEL(points_in_polygon)
{
    __shared__ float px[128], py[128];
    if (threadIdx.x < 128)
        px[threadIdx.x] = in[threadIdx.x], py[threadIdx.x] = in[threadIdx.x + 128];
    __syncthreads();
    const float x = in[INDEX], y = in[INDEX ^ 1];
    bool inside = false;
    for (int k = 0, j = 127; k < 128; j = k++)
        if ((py[k] > y) != (py[j] > y) &&
            x < (px[j] - px[k]) * (y - py[k]) / (py[j] - py[k]) + px[k])
            inside = !inside;
    out[INDEX] = inside;
}

KERNEL(nearest_centres)
{
    __shared__ float centre[64][4];
    for (int k = threadIdx.x; k < 256; k += blockDim.x)
        centre[k / 4][k % 4] = in[k];
    __syncthreads();
    const float4 p = ((const float4 *)in)[INDEX];
    float least = FLT_MAX;
    int which = 0;
    for (int k = 0; k < 64; k++) {
        const float a = p.x - centre[k][0], b = p.y - centre[k][1], c = p.z - centre[k][2],
                    d = p.w - centre[k][3];
        const float r = a * a + b * b + c * c + d * d;
        if (r < least)
            least = r, which = k;
    }
    ((int *)out)[INDEX] = which;
}

KERNEL(cubes_classified)
{
    const int x = INDEX & 127, y = INDEX / 128 & 127, z = INDEX / 16384;
    unsigned kind = 0;
    for (int k = 0; k < 8; k++)
        kind |=
            (in[(min(z + k / 4, 255) * 128 + min(y + k / 2 % 2, 127)) * 128 + min(x + k % 2, 127)] >
             0.7f)
            << k;
    float sum = 0;
    const int edges = __popc(kind) & 3;
    for (int k = 0; k < edges; k++)
        sum += (0.7f - in[(INDEX + k) & (n - 1)]) /
               (in[(INDEX + k + 1) & (n - 1)] - in[(INDEX + k) & (n - 1)] + 0.001f);
    out[INDEX] = kind + sum;
}

KERNEL(turns_by_quaternions)
{
    const float4 q = ((const float4 *)in)[INDEX];
    const float s = rsqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w), x = q.x * s, y = q.y * s,
                z = q.z * s, w = q.w * s;
    float vx = 1, vy = 0.5f, vz = 0.25f;
    for (int k = 0; k < 8; k++) {
        const float tx = 2 * (y * vz - z * vy), ty = 2 * (z * vx - x * vz),
                    tz = 2 * (x * vy - y * vx);
        const float nx = vx + w * tx + y * tz - z * ty, ny = vy + w * ty + z * tx - x * tz,
                    nz = vz + w * tz + x * ty - y * tx;
        vx = nx, vy = ny, vz = nz;
    }
    out[3 * INDEX] = vx, out[3 * INDEX + 1] = vy, out[3 * INDEX + 2] = vz;
}

int main()
{
    static const public_kernel kernels[] = {
        {"heat_in_3d", heat_in_3d, 16384, 256},
        {"wave_of_order_8", wave_of_order_8, 16384, 256},
        {"lattice_gas_of_nine", lattice_gas_of_nine, 1024, 256},
        {"field_step_2d", field_step_2d, 4096, 256},
        {"bodies_without_tiles", bodies_without_tiles, 128, 128},
        {"bodies_in_double", bodies_in_double, 128, 128},
        {"neighbours_in_cells", neighbours_in_cells, 512, 256},
        {"spins", spins, 8192, 256},
        {"ballistic_flights", ballistic_flights, 1024, 256},
        {"cooling_chain", cooling_chain, 1024, 256},
        {"pendulums_by_runge_kutta", pendulums_by_runge_kutta, 2048, 256},
        {"binomial_tree", binomial_tree, 1024, 256},
        {"asian_options", asian_options, 1024, 256},
        {"normal_distributions_in_double", normal_distributions_in_double, 2048, 256},
        {"frontier_of_graph", frontier_of_graph, 4096, 256},
        {"page_ranks", page_ranks, 1024, 256},
        {"shortest_paths_relax", shortest_paths_relax, 8192, 256},
        {"labels_by_hooking", labels_by_hooking, 4096, 256},
        {"triangles", triangles, 256, 256},
        {"local_alignment", local_alignment, 1024, 128},
        {"count_words_of_genes", count_words_of_genes, 1024, 256},
        {"points_in_polygon", points_in_polygon, 1024, 256},
        {"nearest_centres", nearest_centres, 1024, 256},
        {"cubes_classified", cubes_classified, 16384, 256},
        {"turns_by_quaternions", turns_by_quaternions, 4096, 256},
    };
    return measure_all(kernels);
}
