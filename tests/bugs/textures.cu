// Fetches from textures and surfaces of memory that nobody has written or that somebody writes meanwhile, and right
// programs that look like them. The fetch is marked, and the call that allocates or the other access. As init.cu.
#include "cases.h"

enum { WIDE = 32, HIGH = 8 };
__device__ float result[WIDE * HIGH];

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

__global__ void store_and_fetch(float *p, cudaTextureObject_t t)
{
    int i = threadIdx.x;
    p[i] = i;                                        // SEE fetched_after_barrier race
    __syncthreads();
    result[i] = tex1Dfetch<float>(t, WIDE - 1 - i); // BUG fetched_after_barrier race
}
__global__ void fetch_and_store(float *p, cudaTextureObject_t t)
{
    int i = threadIdx.x;
    float v = tex1Dfetch<float>(t, i + 1); // SEE neighbour_stored race
    p[i] = v + 1;                          // BUG neighbour_stored race
}
__global__ void shift_surface(cudaSurfaceObject_t s)
{
    int x = threadIdx.x;
    float v = surf2Dread<float>(s, (x + 1) % WIDE * 4, 0); // SEE surface_shifted race
    surf2Dwrite(v, s, x * 4, 0);                           // BUG surface_shifted race
}
__global__ void one_texel(cudaSurfaceObject_t s)
{
    surf2Dwrite((float)threadIdx.x, s, 0, 0); // BUG surface_one_texel race
}
__global__ void back_from_surface(cudaSurfaceObject_t s)
{
    int x = threadIdx.x;
    surf2Dwrite(1.0f, s, x * 4, 0);         // SEE surface_read_back race
    result[x] = surf2Dread<float>(s, x * 4, 0); // BUG surface_read_back race
}
__global__ void twice_in_place(cudaSurfaceObject_t s)
{
    int x = threadIdx.x, y = blockIdx.x;
    surf2Dwrite(2 * surf2Dread<float>(s, x * 4, y), s, x * 4, y);
}
__global__ void plus_one_in_place(float *p, cudaTextureObject_t t)
{
    int i = blockIdx.x * WIDE + threadIdx.x;
    p[i] = tex1Dfetch<float>(t, i) + 1;
}
__global__ void fill(float *p)
{
    p[blockIdx.x * WIDE + threadIdx.x] = 1;
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
// --- races
static float *set()
{
    float *p;
    cudaMalloc(&p, sizeof numbers);
    cudaMemset(p, 0, sizeof numbers);
    return p;
}
static void make(int high = HIGH)
{
    cudaMallocArray(&texels, &one_float, WIDE, HIGH, cudaArraySurfaceLoadStore);
    rows(high);
}
static cudaStream_t stream()
{
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    return s;
}
static void fetched_after_barrier()
{
    float *p = set();
    store_and_fetch<<<1, WIDE>>>(p, linear(p));
}
static void neighbour_stored()
{
    float *p = set();
    fetch_and_store<<<1, WIDE>>>(p, linear(p));
}
static void surface_shifted()
{
    make();
    shift_surface<<<1, WIDE>>>(surface());
}
static void surface_one_texel()
{
    make();
    one_texel<<<1, WIDE>>>(surface());
}
static void surface_read_back()
{
    make();
    back_from_surface<<<1, WIDE>>>(surface());
}
static void stored_in_another_stream()
{
    float *p = set();
    cudaTextureObject_t t = linear(p);
    cudaStream_t a = stream(), b = stream();
    cudaDeviceSynchronize();
    fill<<<HIGH, WIDE, 0, a>>>(p);                // SEE stored_in_another_stream race
    fetch_linear<<<HIGH, WIDE, 0, b>>>(t, out); // BUG stored_in_another_stream race
}
static void surface_in_another_stream()
{
    make();
    cudaTextureObject_t t = texture();
    cudaSurfaceObject_t s = surface();
    cudaStream_t a = stream(), b = stream();
    cudaDeviceSynchronize();
    fetch<<<HIGH, WIDE, 0, a>>>(t, out, 0); // SEE surface_in_another_stream race
    store<<<HIGH, WIDE, 0, b>>>(s, HIGH);   // BUG surface_in_another_stream race
}
static void array_copied_meanwhile()
{
    make();
    cudaTextureObject_t t = texture();
    cudaStream_t a = stream(), b = stream();
    float *pinned;
    cudaMallocHost(&pinned, sizeof numbers);
    cudaDeviceSynchronize();
    fetch<<<HIGH, WIDE, 0, a>>>(t, out, 0);                                                           // SEE array_copied_meanwhile race
    cudaMemcpy2DToArrayAsync(texels, 0, 0, pinned, ROW, ROW, HIGH, cudaMemcpyHostToDevice, b); // BUG array_copied_meanwhile race
}
static void fine_in_place()
{
    float *p = set();
    make();
    twice_in_place<<<HIGH, WIDE>>>(surface());
    plus_one_in_place<<<HIGH, WIDE>>>(p, linear(p));
}
static void fine_kernel_after_kernel()
{
    float *p = set();
    make();
    fill<<<HIGH, WIDE>>>(p);
    fetch_linear<<<HIGH, WIDE>>>(linear(p), out);
    store<<<HIGH, WIDE>>>(surface(), HIGH);
    fetch<<<HIGH, WIDE>>>(texture(), out, 0.5f);
}
static void fine_event_between()
{
    make();
    float *p = set();
    cudaTextureObject_t t = texture(), l = linear(p);
    cudaSurfaceObject_t s = surface();
    cudaStream_t a = stream(), b = stream();
    cudaEvent_t done;
    cudaEventCreate(&done);
    cudaDeviceSynchronize();
    store<<<HIGH, WIDE, 0, a>>>(s, HIGH);
    fill<<<HIGH, WIDE, 0, a>>>(p);
    cudaEventRecord(done, a);
    cudaStreamWaitEvent(b, done);
    fetch<<<HIGH, WIDE, 0, b>>>(t, out, 0);
    fetch_linear<<<HIGH, WIDE, 0, b>>>(l, out);
    cudaStreamSynchronize(b);
    cudaMemcpy2DToArrayAsync(texels, 0, 0, numbers, ROW, ROW, HIGH, cudaMemcpyHostToDevice, a);
}
static void fine_both_fetch() // and each stream stores to rows that the other leaves alone
{
    make();
    cudaTextureObject_t t = texture();
    cudaSurfaceObject_t s = surface();
    cudaStream_t a = stream(), b = stream();
    float *other = set();
    cudaDeviceSynchronize();
    fetch<<<HIGH, WIDE, 0, a>>>(t, out, 0);
    fetch<<<HIGH, WIDE, 0, b>>>(t, other, 0);
    cudaDeviceSynchronize();
    store<<<HIGH, WIDE, 0, a>>>(s, HIGH / 2);
    fetch<<<1, WIDE, 0, b>>>(t, other, HIGH * WIDE); // beyond the edge: the border
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
    X(fetched_after_barrier) X(neighbour_stored) X(surface_shifted) X(surface_one_texel)           \
    X(surface_read_back) X(stored_in_another_stream) X(surface_in_another_stream)                  \
    X(array_copied_meanwhile) X(fine_in_place) X(fine_kernel_after_kernel)                         \
    X(fine_event_between) X(fine_both_fetch)                                                       \
    X(never_copied) X(half_copied) X(linear_memory) X(surface_not_stored) X(fine_copied)           \
    X(fine_filter_at_the_edge) X(fine_surface) X(fine_linear)

int main(int argc, char **argv)
{
    cudaMalloc(&out, sizeof numbers);
    RUN_CASES(CASES)
    return 0;
}
