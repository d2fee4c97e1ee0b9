// Fetches from textures and surfaces of memory that nobody has written, and right programs that look like them.
// The fetch is marked, and the call that allocates. As init.cu.
#include "cases.h"

enum { WIDE = 32, HIGH = 8 };

__global__ void fetch(cudaTextureObject_t t, float *out, float shift)
{
    int x = threadIdx.x, y = blockIdx.x;
    float v = tex2D<float>(t, x + 0.5f + shift, y + 0.5f); // BUG never_copied init // BUG half_copied init
    out[y * WIDE + x] = v;
}
__global__ void fetch_linear(cudaTextureObject_t t, float *out)
{
    int i = blockIdx.x * WIDE + threadIdx.x;
    out[i] = tex1Dfetch<float>(t, i); // BUG linear_memory init
}
__global__ void load(cudaSurfaceObject_t s, float *out)
{
    int x = threadIdx.x, y = blockIdx.x;
    out[y * WIDE + x] = surf2Dread<float>(s, x * 4, y); // BUG surface_not_stored init
}
__global__ void store(cudaSurfaceObject_t s, int high)
{
    if ((int)blockIdx.x < high)
        surf2Dwrite(1.0f, s, threadIdx.x * 4, blockIdx.x);
}

static float *out, numbers[WIDE * HIGH];
static cudaArray_t texels;
static const cudaChannelFormatDesc one_float = {32, 0, 0, 0, cudaChannelFormatKindFloat};
static const size_t ROW = WIDE * sizeof(float);

static cudaTextureObject_t texture(cudaTextureFilterMode filter = cudaFilterModePoint)
{
    cudaTextureObject_t t;
    cudaResourceDesc what = {};
    cudaTextureDesc how = {};
    what.resType = cudaResourceTypeArray;
    what.res.array.array = texels;
    how.filterMode = filter;
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeBorder;
    cudaCreateTextureObject(&t, &what, &how, NULL);
    return t;
}
static cudaSurfaceObject_t surface()
{
    cudaSurfaceObject_t s;
    cudaResourceDesc what = {};
    what.resType = cudaResourceTypeArray;
    what.res.array.array = texels;
    cudaCreateSurfaceObject(&s, &what);
    return s;
}
static cudaTextureObject_t linear(float *p)
{
    cudaTextureObject_t t;
    cudaResourceDesc what = {};
    cudaTextureDesc how = {};
    what.resType = cudaResourceTypeLinear;
    what.res.linear.devPtr = p;
    what.res.linear.desc = one_float;
    what.res.linear.sizeInBytes = sizeof numbers;
    cudaCreateTextureObject(&t, &what, &how, NULL);
    return t;
}
static void rows(int high)
{
    cudaMemcpy2DToArray(texels, 0, 0, numbers, ROW, ROW, high, cudaMemcpyHostToDevice);
}

static void never_copied()
{
    cudaMallocArray(&texels, &one_float, WIDE, HIGH); // SEE never_copied init
    fetch<<<HIGH, WIDE>>>(texture(), out, 0);
}
static void half_copied()
{
    cudaMallocArray(&texels, &one_float, WIDE, HIGH); // SEE half_copied init
    rows(HIGH / 2);
    fetch<<<HIGH, WIDE>>>(texture(), out, 0);
}
static void linear_memory()
{
    float *p;
    cudaMalloc(&p, sizeof numbers); // SEE linear_memory init
    cudaMemcpy(p, numbers, sizeof numbers / 2, cudaMemcpyHostToDevice);
    fetch_linear<<<HIGH, WIDE>>>(linear(p), out);
}
static void surface_not_stored()
{
    cudaMallocArray(&texels, &one_float, WIDE, HIGH, cudaArraySurfaceLoadStore); // SEE surface_not_stored init
    store<<<HIGH, WIDE>>>(surface(), HIGH - 1);
    load<<<HIGH, WIDE>>>(surface(), out);
}
static void fine_copied()
{
    cudaMallocArray(&texels, &one_float, WIDE, HIGH);
    rows(HIGH);
    fetch<<<HIGH, WIDE>>>(texture(), out, 0);
    fetch<<<HIGH, WIDE>>>(texture(), out, WIDE / 2); // beyond the right edge
}
static void fine_filter_at_the_edge() // half of the texels of a fetch have been written
{
    cudaMallocArray(&texels, &one_float, WIDE, HIGH);
    rows(HIGH / 2);
    fetch<<<HIGH / 2, WIDE>>>(texture(cudaFilterModeLinear), out, 0.5f);
}
static void fine_surface()
{
    cudaMallocArray(&texels, &one_float, WIDE, HIGH, cudaArraySurfaceLoadStore);
    store<<<HIGH, WIDE>>>(surface(), HIGH);
    load<<<HIGH, WIDE>>>(surface(), out);
    fetch<<<HIGH, WIDE>>>(texture(), out, 0);
}
static void fine_linear()
{
    float *p;
    cudaMalloc(&p, sizeof numbers);
    cudaMemset(p, 0, sizeof numbers);
    fetch_linear<<<HIGH, WIDE>>>(linear(p), out);
}

#define CASES(X)                                                                                   \
    X(never_copied) X(half_copied) X(linear_memory) X(surface_not_stored) X(fine_copied)           \
    X(fine_filter_at_the_edge) X(fine_surface) X(fine_linear)

int main(int argc, char **argv)
{
    cudaMalloc(&out, sizeof numbers);
    RUN_CASES(CASES)
    return 0;
}
