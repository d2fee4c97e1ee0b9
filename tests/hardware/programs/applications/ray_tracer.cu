// A small path tracer: spheres, reflections, shadows, its own random numbers, vectors as classes.
#include <cmath>
#include <cstdio>

struct vec {
    float x, y, z;
    vec() = default;
    __host__ __device__ vec(float a, float b, float c) : x(a), y(b), z(c) {}
    __host__ __device__ vec operator+(const vec &o) const
    {
        return {x + o.x, y + o.y, z + o.z};
    }
    __host__ __device__ vec operator-(const vec &o) const
    {
        return {x - o.x, y - o.y, z - o.z};
    }
    __host__ __device__ vec operator*(float s) const
    {
        return {x * s, y * s, z * s};
    }
    __host__ __device__ vec operator*(const vec &o) const
    {
        return {x * o.x, y * o.y, z * o.z};
    }
};
__host__ __device__ float dot(const vec &a, const vec &b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
__device__ vec unit(const vec &a)
{
    return a * rsqrtf(dot(a, a));
}

struct Sphere {
    vec centre, colour;
    float radius, mirror;
};
__constant__ Sphere spheres[6];

__device__ bool hit(const vec &from, const vec &to, float &t, int &which)
{
    t = 1e20f;
    for (int i = 0; i < 6; i++) {
        vec oc = from - spheres[i].centre;
        float b = dot(oc, to), c = dot(oc, oc) - spheres[i].radius * spheres[i].radius,
              d = b * b - c;
        if (d < 0)
            continue;
        float root = sqrtf(d), near = -b - root;
        if (near < 1e-3f)
            near = -b + root;
        if (near > 1e-3f && near < t)
            t = near, which = i;
    }
    return t < 1e20f;
}

__device__ float random(unsigned &s)
{
    s ^= s << 13, s ^= s >> 17, s ^= s << 5;
    return (s >> 8) * (1.0f / 16777216);
}

__device__ vec trace(vec from, vec to, unsigned &seed)
{
    vec light = unit({1, 2, -1}), colour(0, 0, 0), share(1, 1, 1);
    for (int depth = 0; depth < 6; depth++) {
        float t, shadow;
        int which, other;
        if (!hit(from, to, t, which)) {
            colour = colour + share * vec(0.5f, 0.7f, 1.0f) * (0.5f * (to.y + 1));
            break;
        }
        const Sphere &s = spheres[which];
        vec at = from + to * t, normal = unit(at - s.centre);
        float lit = fmaxf(0.0f, dot(normal, light));
        if (hit(at, light, shadow, other))
            lit *= 0.2f;
        share = share * s.colour;
        colour = colour + share * (lit * (1 - s.mirror));
        if (random(seed) > s.mirror)
            break;
        vec blur(random(seed) - 0.5f, random(seed) - 0.5f, random(seed) - 0.5f);
        to = unit(to - normal * (2 * dot(to, normal)) + blur * 0.02f);
        from = at;
    }
    return colour;
}

__global__ void render(uchar4 *image, int w, int h, int samples)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    unsigned seed = 2463534242u ^ (y * w + x) * 2654435761u;
    vec sum(0, 0, 0);
    for (int s = 0; s < samples; s++) {
        float u = (x + random(seed) - w * 0.5f) / h, v = (h * 0.5f - y - random(seed)) / h;
        sum = sum + trace(vec(0, 1, -4), unit(vec(u, v, 1)), seed);
    }
    auto byte = [=](float c) { return (unsigned char)(255 * fminf(1.0f, sqrtf(c / samples))); };
    image[y * w + x] = make_uchar4(byte(sum.x), byte(sum.y), byte(sum.z), 255);
}

int main()
{
    Sphere scene[6];
    for (int i = 0; i < 6; i++)
        scene[i] = {vec(i - 2.5f, 0.5f + 0.1f * i, i % 3),
                    vec(0.3f + 0.1f * i, 0.8f - 0.1f * i, 0.5f), 0.5f, i * 0.15f};
    scene[5] = {vec(0, -1000, 0), vec(0.6f, 0.6f, 0.5f), 1000, 0.1f};
    cudaMemcpyToSymbol(spheres, scene, sizeof scene);
    const int w = 120, h = 80;
    uchar4 *image;
    cudaMallocManaged(&image, w * h * sizeof *image);
    render<<<dim3(w / 8, h / 8), dim3(8, 8)>>>(image, w, h, 8);
    cudaError_t error = cudaDeviceSynchronize();
    unsigned long long r = 0, g = 0, b = 0, hash = 0;
    for (int i = 0; i < w * h; i++) {
        r += image[i].x, g += image[i].y, b += image[i].z;
        hash = hash * 31 + image[i].x + 3 * image[i].y + 7 * image[i].z;
    }
    printf("%s %llu %llu %llu %016llx\n", cudaGetErrorName(error), r, g, b, hash);
    return 0;
}
