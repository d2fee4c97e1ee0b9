// Surfaces: written by one kernel, read as a surface and as a texture by others.
#include "check.h"

#include <cstring>
#include <vector>

enum { W = 40, H = 24, D = 3 };

__global__ void draw(cudaSurfaceObject_t s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < W)
        surf2Dwrite(make_uchar4(x, y, x ^ y, 255), s, x * sizeof(uchar4), y);
}

__global__ void shift(cudaSurfaceObject_t from, cudaSurfaceObject_t to, bool zero)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= W)
        return;
    uchar4 v;
    if (zero)
        surf2Dread(&v, from, (x + 1) * 4, y - 1, cudaBoundaryModeZero);
    else
        surf2Dread(&v, from, (x + 1) * 4, y - 1, cudaBoundaryModeClamp);
    surf2Dwrite(v, to, x * 4, y);
}

__global__ void sum(cudaTextureObject_t t, int *out)
{
    int x = threadIdx.x, y = blockIdx.x;
    if (x < W) {
        uchar4 v = tex2D<uchar4>(t, x, y);
        atomicAdd(out, v.x + v.y + v.z);
    }
}

__global__ void fill(cudaSurfaceObject_t volume, cudaSurfaceObject_t layers)
{
    surf3Dwrite((float)(threadIdx.x + 100 * blockIdx.x), volume, threadIdx.x * 4, 0, blockIdx.x);
    surf2DLayeredwrite(make_short2(threadIdx.x, blockIdx.x), layers, threadIdx.x * 4, 1,
                       blockIdx.x);
}

static cudaResourceDesc of_array(cudaArray_t a)
{
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    return r;
}

static cudaSurfaceObject_t surface(cudaArray_t a)
{
    cudaResourceDesc r = of_array(a);
    cudaSurfaceObject_t s = 0;
    OK(cudaCreateSurfaceObject(&s, &r));
    return s;
}

int main()
{
    cudaChannelFormatDesc u = cudaCreateChannelDesc<uchar4>();
    cudaArray_t a, b;
    OK(cudaMallocArray(&a, &u, W, H, cudaArraySurfaceLoadStore));
    OK(cudaMallocArray(&b, &u, W, H, cudaArraySurfaceLoadStore));
    cudaSurfaceObject_t sa = surface(a), sb = surface(b);
    draw<<<dim3(2, H), 32>>>(sa);
    std::vector<uchar4> image(W * H), moved(W * H);
    OK(cudaMemcpy2DFromArray(image.data(), W * 4, a, 0, 0, W * 4, H, cudaMemcpyDeviceToHost));
    int total = 0;
    for (int i = 0; i < W * H; i++) {
        const uchar4 v = image[i];
        CHECK(v.x == i % W && v.y == i / W && v.z == (i % W ^ i / W) && v.w == 255);
        total += v.x + v.y + v.z;
    }
    cudaTextureDesc t;
    cudaTextureObject_t texture;
    cudaResourceDesc r = of_array(a);
    memset(&t, 0, sizeof t);
    OK(cudaCreateTextureObject(&texture, &r, &t, NULL));
    int *out, got;
    OK(cudaMalloc(&out, 4));
    OK(cudaMemset(out, 0, 4));
    sum<<<H, 64>>>(texture, out);
    OK(cudaMemcpy(&got, out, 4, cudaMemcpyDeviceToHost));
    CHECK(got == total);
    for (int zero = 0; zero < 2; zero++) {
        shift<<<dim3(2, H), 32>>>(sa, sb, zero != 0);
        OK(cudaMemcpy2DFromArray(moved.data(), W * 4, b, 0, 0, W * 4, H, cudaMemcpyDeviceToHost));
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) {
                const bool inside = x + 1 < W && y > 0;
                const int fx = x + 1 < W ? x + 1 : W - 1, fy = y > 0 ? y - 1 : 0;
                const uchar4 v = moved[y * W + x];
                CHECK(v.x == (inside || !zero ? fx : 0) && v.y == (inside || !zero ? fy : 0));
            }
    }
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>(), s2 = cudaCreateChannelDesc<short2>();
    cudaArray_t volume, layers;
    OK(cudaMalloc3DArray(&volume, &f, make_cudaExtent(8, 2, D), cudaArraySurfaceLoadStore));
    OK(cudaMalloc3DArray(&layers, &s2, make_cudaExtent(8, 2, D),
                         cudaArraySurfaceLoadStore | cudaArrayLayered));
    cudaSurfaceObject_t sv = surface(volume), sl = surface(layers);
    fill<<<D, 8>>>(sv, sl);
    float back[D][2][8];
    short2 pairs[D][2][8];
    cudaMemcpy3DParms p;
    memset(&p, 0, sizeof p);
    p.srcArray = volume;
    p.dstPtr = make_cudaPitchedPtr(back, 32, 8, 2);
    p.extent = make_cudaExtent(8, 2, D);
    p.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&p));
    p.srcArray = layers;
    p.dstPtr.ptr = pairs;
    OK(cudaMemcpy3D(&p));
    for (int z = 0; z < D; z++)
        for (int x = 0; x < 8; x++)
            CHECK(back[z][0][x] == x + 100 * z && pairs[z][1][x].x == x && pairs[z][1][x].y == z);
    for (cudaSurfaceObject_t s : {sa, sb, sv, sl})
        OK(cudaDestroySurfaceObject(s));
    OK(cudaDestroyTextureObject(texture));
    for (cudaArray_t array : {a, b, volume, layers})
        OK(cudaFreeArray(array));
    return print_failures();
}
