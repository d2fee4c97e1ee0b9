// Volumes, layers, cube maps and mipmaps; copies of three dimensions from and to arrays.
// stderr: .*4 slices of 12 rows of 48 bytes, from byte 0 of row 0 of slice 9 on, do not lie within a CUDA array of 12 slices of 12 rows of 48 bytes.*
#include "check.h"

#include <cstring>
#include <vector>

enum { N = 12 };

static float value(int x, int y, int z)
{
    return (float)(x + 16 * y + 256 * z);
}

static cudaArray_t make(cudaExtent e, unsigned flags)
{
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    cudaArray_t a = NULL;
    OK(cudaMalloc3DArray(&a, &d, e, flags));
    std::vector<float> all(e.width * e.height * e.depth);
    for (size_t z = 0; z < e.depth; z++)
        for (size_t y = 0; y < e.height; y++)
            for (size_t x = 0; x < e.width; x++)
                all[(z * e.height + y) * e.width + x] = value((int)x, (int)y, (int)z);
    cudaMemcpy3DParms p;
    memset(&p, 0, sizeof p);
    p.srcPtr = make_cudaPitchedPtr(all.data(), e.width * 4, e.width, e.height);
    p.dstArray = a;
    p.extent = e;
    p.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&p));
    return a;
}

static cudaTextureObject_t texture(cudaResourceDesc r, bool linear, bool normalized)
{
    cudaTextureDesc t;
    memset(&t, 0, sizeof t);
    for (auto &mode : t.addressMode)
        mode = cudaAddressModeClamp;
    t.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    t.mipmapFilterMode = t.filterMode;
    t.maxMipmapLevelClamp = 10;
    t.normalizedCoords = normalized;
    cudaTextureObject_t o = 0;
    OK(cudaCreateTextureObject(&o, &r, &t, NULL));
    return o;
}

static cudaTextureObject_t texture(cudaArray_t a, bool linear, bool normalized)
{
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    return texture(r, linear, normalized);
}

__global__ void volume(cudaTextureObject_t t, float shift, float *out)
{
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    out[(z * N + y) * N + x] = tex3D<float>(t, x + 0.5f + shift, y + 0.5f, z + 0.5f);
}

__global__ void layers(cudaTextureObject_t t, float *out)
{
    out[blockIdx.x * N + threadIdx.x] = tex2DLayered<float>(t, threadIdx.x, 3, blockIdx.x);
}

__global__ void cube(cudaTextureObject_t t, float *out)
{
    const float d[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    const int k = threadIdx.x;
    out[k] = texCubemap<float>(t, d[k][0] + 0.1f * d[k][1], d[k][1] + 0.1f * d[k][2],
                               d[k][2] + 0.1f * d[k][0]);
}

__global__ void levels(cudaTextureObject_t t, float *out)
{
    out[threadIdx.x] = tex2DLod<float>(t, 0.5f, 0.5f, threadIdx.x * 0.25f);
}

int main()
{
    float *out;
    OK(cudaMallocManaged(&out, N * N * N * 4));

    cudaArray_t a = make(make_cudaExtent(N, N, N), 0);
    cudaTextureObject_t t = texture(a, true, false);
    volume<<<N, dim3(N, N)>>>(t, 0, out);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < N * N * N; i++)
        CHECK(out[i] == value(i % N, i / N % N, i / N / N));
    volume<<<N, dim3(N, N)>>>(t, 0.5f, out); // half way to the next in x, the last one stays
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < N * N * N; i++)
        CHECK(out[i] == value(i % N, i / N % N, i / N / N) + (i % N < N - 1 ? 0.5f : 0.0f));
    OK(cudaDestroyTextureObject(t));

    // A box from the middle of the array to pitched memory and back to another place.
    cudaPitchedPtr box;
    OK(cudaMalloc3D(&box, make_cudaExtent(5 * 4, 4, 3)));
    cudaMemcpy3DParms p;
    memset(&p, 0, sizeof p);
    p.srcArray = a;
    p.srcPos = make_cudaPos(2, 3, 4);
    p.dstPtr = box;
    p.extent = make_cudaExtent(5, 4, 3);
    p.kind = cudaMemcpyDeviceToDevice;
    OK(cudaMemcpy3D(&p));
    float part[3][4][5];
    memset(&p, 0, sizeof p);
    p.srcPtr = box;
    p.dstPtr = make_cudaPitchedPtr(part, 20, 20, 4);
    p.extent = make_cudaExtent(20, 4, 3);
    p.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&p));
    for (int z = 0; z < 3; z++)
        for (int y = 0; y < 4; y++)
            for (int x = 0; x < 5; x++)
                CHECK(part[z][y][x] == value(x + 2, y + 3, z + 4));
    cudaArray_t b = make(make_cudaExtent(N, N, N), 0);
    memset(&p, 0, sizeof p);
    p.srcArray = a;
    p.dstArray = b;
    p.srcPos = make_cudaPos(0, 0, 8);
    p.extent = make_cudaExtent(N, N, 4);
    p.kind = cudaMemcpyDeviceToDevice;
    OK(cudaMemcpy3D(&p));
    t = texture(b, false, false);
    volume<<<N, dim3(N, N)>>>(t, 0, out);
    OK(cudaDeviceSynchronize());
    CHECK(out[0] == value(0, 0, 8) && out[4 * N * N] == value(0, 0, 4));
    OK(cudaDestroyTextureObject(t));
    p.srcPos = make_cudaPos(0, 0, 9);
    EXPECT(cudaErrorInvalidValue, cudaMemcpy3D(&p));
    OK(cudaFreeArray(b));
    OK(cudaFreeArray(a));

    a = make(make_cudaExtent(N, 5, 4), cudaArrayLayered);
    t = texture(a, false, false);
    layers<<<4, N>>>(t, out);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 4 * N; i++)
        CHECK(out[i] == value(i % N, 3, i / N));
    OK(cudaDestroyTextureObject(t));
    OK(cudaFreeArray(a));

    a = make(make_cudaExtent(8, 8, 6), cudaArrayCubemap);
    t = texture(a, false, true);
    cube<<<1, 6>>>(t, out);
    OK(cudaDeviceSynchronize());
    for (int k = 0; k < 6; k++)
        CHECK((int)out[k] / 256 == k);
    OK(cudaDestroyTextureObject(t));
    OK(cudaFreeArray(a));

    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t m;
    OK(cudaMallocMipmappedArray(&m, &d, make_cudaExtent(16, 16, 0), 5));
    for (int k = 0; k < 5; k++) {
        std::vector<float> same((16 >> k) * (16 >> k), (float)k);
        cudaArray_t level;
        cudaExtent e;
        OK(cudaGetMipmappedArrayLevel(&level, m, k));
        OK(cudaArrayGetInfo(NULL, &e, NULL, level));
        CHECK((int)e.width == 16 >> k);
        OK(cudaMemcpy2DToArray(level, 0, 0, same.data(), e.width * 4, e.width * 4, e.height,
                               cudaMemcpyHostToDevice));
    }
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = m;
    t = texture(r, true, true);
    levels<<<1, 20>>>(t, out);
    OK(cudaDeviceSynchronize());
    for (int k = 0; k < 20; k++)
        CHECK(out[k] == (k < 16 ? k * 0.25f : 4.0f));
    OK(cudaDestroyTextureObject(t));
    OK(cudaFreeMipmappedArray(m));
    OK(cudaFree(box.ptr));
    OK(cudaFree(out));
    return print_failures();
}
