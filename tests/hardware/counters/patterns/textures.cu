// textures: fetches and surface accesses of a warp, by shape, format, filter and geometry.
#include "pattern.h"

#include <cstring>
#include <vector>

enum { WIDTH = 256, HEIGHT = 128 };

struct Shape {
    int dx, dy;     // texels between neighbouring lanes in x, and between rows of eight lanes in y
    int row;        // lanes in a row
    float shift;    // of a texel
};

template <class V>
static __device__ V spread(cudaTextureObject_t t, Shape s)
{
    const int l = threadIdx.x % 32, w = threadIdx.x / 32;
    return tex2D<V>(t, (float)(l % s.row * s.dx) + s.shift,
                    (float)(l / s.row * s.dy + w * 8) + s.shift);
}

extern "C" __global__ void plane_float(cudaTextureObject_t t, Shape s, float *out)
{
    out[threadIdx.x] = spread<float>(t, s);
}

extern "C" __global__ void plane_float4(cudaTextureObject_t t, Shape s, float *out)
{
    const float4 v = spread<float4>(t, s);
    out[threadIdx.x] = v.x + v.y + v.z + v.w;
}

extern "C" __global__ void plane_byte(cudaTextureObject_t t, Shape s, float *out)
{
    out[threadIdx.x] = spread<unsigned char>(t, s);
}

extern "C" __global__ void plane_float2(cudaTextureObject_t t, Shape s, float *out)
{
    const float2 v = spread<float2>(t, s);
    out[threadIdx.x] = v.x + v.y;
}

extern "C" __global__ void plane_short4(cudaTextureObject_t t, Shape s, float *out)
{
    const float4 v = spread<float4>(t, s); /* read as normalized floats */
    out[threadIdx.x] = v.x + v.y + v.z + v.w;
}

extern "C" __global__ void gather_float(cudaTextureObject_t t, Shape s, float *out)
{
    const int l = threadIdx.x;
    const float4 v = tex2Dgather<float4>(t, (float)(l % s.row * s.dx) + s.shift,
                                         (float)(l / s.row * s.dy) + s.shift);
    out[threadIdx.x] = v.x + v.y + v.z + v.w;
}

extern "C" __global__ void surface_read4(cudaSurfaceObject_t s, Shape p, float *out)
{
    const int l = threadIdx.x;
    const float4 v = surf2Dread<float4>(s, l % p.row * p.dx * 16, l / p.row * p.dy);
    out[l] = v.x + v.y + v.z + v.w;
}

extern "C" __global__ void surface_write4(cudaSurfaceObject_t s, Shape p)
{
    const int l = threadIdx.x;
    surf2Dwrite(make_float4(l, l, l, l), s, l % p.row * p.dx * 16, l / p.row * p.dy);
}

extern "C" __global__ void linear_memory4(cudaTextureObject_t t, int stride, float *out)
{
    const float4 v = tex1Dfetch<float4>(t, threadIdx.x * stride);
    out[threadIdx.x] = v.x + v.y + v.z + v.w;
}

extern "C" __global__ void linear_memory(cudaTextureObject_t t, int stride, int shift, float *out)
{
    out[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x * stride + shift);
}

extern "C" __global__ void volume_float(cudaTextureObject_t t, float shift, float *out)
{
    const int l = threadIdx.x;
    out[l] = tex3D<float>(t, (float)(l % 4) + shift, (float)(l / 4 % 4) + shift,
                          (float)(l / 16) + shift);
}

extern "C" __global__ void layers_float(cudaTextureObject_t t, float *out)
{
    const int l = threadIdx.x;
    out[l] = tex2DLayered<float>(t, (float)(l % 8) + 0.5f, (float)(l / 8 % 2) + 0.5f, l / 16 % 4);
}

extern "C" __global__ void surface_read(cudaSurfaceObject_t s, Shape p, float *out)
{
    const int l = threadIdx.x;
    out[l] = surf2Dread<float>(s, l % p.row * p.dx * 4, l / p.row * p.dy);
}

extern "C" __global__ void surface_write(cudaSurfaceObject_t s, Shape p)
{
    const int l = threadIdx.x;
    surf2Dwrite((float)l, s, l % p.row * p.dx * 4, l / p.row * p.dy);
}

static cudaArray_t array_of(cudaChannelFormatDesc d, size_t depth, unsigned flags)
{
    cudaArray_t a;
    CHECK(cudaMalloc3DArray(&a, &d, make_cudaExtent(WIDTH, HEIGHT, depth), flags));
    return a;
}

static cudaTextureObject_t texture_of(cudaArray_t a, bool linear, bool to_float = false)
{
    cudaResourceDesc r;
    cudaTextureDesc t;
    cudaTextureObject_t o;
    memset(&r, 0, sizeof r);
    memset(&t, 0, sizeof t);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    for (int k = 0; k < 3; k++) {
        t.addressMode[k] = cudaAddressModeClamp;
    }
    t.readMode = to_float ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    t.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    CHECK(cudaCreateTextureObject(&o, &r, &t, NULL));
    return o;
}

int main()
{
    float *out, *memory;
    CHECK(cudaMalloc(&out, 4096));
    CHECK(cudaMalloc(&memory, 1 << 20));
    const std::vector<Shape> shapes = {{1, 1, 32, 0.5f},  {1, 1, 8, 0.5f},   {1, 1, 4, 0.5f},
                                       {1, 1, 16, 0.5f},  {2, 1, 8, 0.5f},   {4, 4, 8, 0.5f},
                                       {8, 1, 32, 0.5f},  {1, 2, 8, 0.5f},   {0, 0, 32, 0.5f},
                                       {0, 1, 32, 0.5f},  {1, 1, 1, 0.5f},   {1, 8, 2, 0.5f}};
    const cudaArray_t floats = array_of(cudaCreateChannelDesc<float>(), 0, 0);
    const cudaArray_t quads = array_of(cudaCreateChannelDesc<float4>(), 0, 0);
    const cudaArray_t bytes = array_of(cudaCreateChannelDesc<unsigned char>(), 0, 0);
    for (int linear = 0; linear < 2; linear++) {
        const cudaTextureObject_t f = texture_of(floats, linear), q = texture_of(quads, linear);
        for (Shape s : shapes) {
            s.shift = linear ? 1.25f : 0.5f;
            plane_float<<<1, 32>>>(f, s, out);
            plane_float4<<<1, 32>>>(q, s, out);
        }
        plane_float<<<2, 128>>>(f, Shape{1, 1, 8, 0.5f}, out);
    }
    const cudaTextureObject_t b = texture_of(bytes, false);
    for (const Shape &s : shapes) {
        plane_byte<<<1, 32>>>(b, s, out);
    }
    cudaResourceDesc r;
    cudaTextureDesc t;
    cudaTextureObject_t m;
    memset(&r, 0, sizeof r);
    memset(&t, 0, sizeof t);
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = memory;
    r.res.linear.desc = cudaCreateChannelDesc<float>();
    r.res.linear.sizeInBytes = 1 << 20;
    CHECK(cudaCreateTextureObject(&m, &r, &t, NULL));
    for (int stride : {0, 1, 2, 3, 8, 33}) {
        linear_memory<<<1, 32>>>(m, stride, 0, out);
        linear_memory<<<1, 32>>>(m, stride, 5, out);
    }
    linear_memory<<<1, 20>>>(m, 1, 0, out);
    const cudaTextureObject_t v =
        texture_of(array_of(cudaCreateChannelDesc<float>(), 16, 0), false);
    const cudaTextureObject_t w = texture_of(array_of(cudaCreateChannelDesc<float>(), 16, 0), true);
    volume_float<<<1, 32>>>(v, 0.5f, out);
    volume_float<<<1, 32>>>(w, 1.25f, out);
    layers_float<<<1, 32>>>(
        texture_of(array_of(cudaCreateChannelDesc<float>(), 4, cudaArrayLayered), false), out);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array_of(cudaCreateChannelDesc<float>(), 0, cudaArraySurfaceLoadStore);
    cudaSurfaceObject_t s;
    CHECK(cudaCreateSurfaceObject(&s, &r));
    for (const Shape &p : shapes) {
        surface_read<<<1, 32>>>(s, p, out);
        surface_write<<<1, 32>>>(s, p);
    }
    const cudaArray_t pairs = array_of(cudaCreateChannelDesc<float2>(), 0, 0);
    const cudaArray_t shorts = array_of(cudaCreateChannelDesc<short4>(), 0, 0);
    const cudaArray_t gathered = array_of(cudaCreateChannelDesc<float>(), 0, cudaArrayTextureGather);
    const cudaTextureObject_t g = texture_of(gathered, false);
    r.res.array.array = array_of(cudaCreateChannelDesc<float4>(), 0, cudaArraySurfaceLoadStore);
    cudaSurfaceObject_t s4;
    CHECK(cudaCreateSurfaceObject(&s4, &r));
    for (int k = 0; k < 9; k++) {
        Shape p = shapes[k];
        for (int linear = 0; linear < 2; linear++) {
            p.shift = linear ? 1.25f : 0.5f;
            plane_float2<<<1, 32>>>(texture_of(pairs, linear), p, out);
            plane_short4<<<1, 32>>>(texture_of(shorts, linear, true), p, out);
        }
        gather_float<<<1, 32>>>(g, p, out);
        surface_read4<<<1, 32>>>(s4, p, out);
        surface_write4<<<1, 32>>>(s4, p);
    }
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = memory;
    r.res.linear.desc = cudaCreateChannelDesc<float4>();
    r.res.linear.sizeInBytes = 1 << 20;
    CHECK(cudaCreateTextureObject(&m, &r, &t, NULL));
    for (int stride : {0, 1, 2, 9}) {
        linear_memory4<<<1, 32>>>(m, stride, out);
    }
    CHECK(cudaDeviceSynchronize());
    return 0;
}
