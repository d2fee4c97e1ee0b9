// Copies that are larger than a variable of device code or a CUDA array, one an argument: see host.cu for the marks.
// flags: -Wno-deprecated-declarations
#include <cuda_runtime.h>

namespace shape {
__device__ float edge[16];
}
static __constant__ float taps[8];
static float host[256];

enum { WIDE = 8, HIGH = 4, DEEP = 2 };

static cudaArray_t new_array(int depth = 0)
{
    cudaArray_t a;
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    cudaMalloc3DArray(&a, &d, make_cudaExtent(WIDE, HIGH, depth));
    return a;
}

// --- variables

static void symbol_of_doubles()
{
    cudaMemcpyToSymbol(taps, host, 8 * sizeof(double)); // BUG symbol_of_doubles memory
}

static void symbol_of_namespace()
{
    cudaMemcpyToSymbol(shape::edge, host, 128); // BUG symbol_of_namespace memory
}

static void symbol_from_offset()
{
    cudaMemcpyFromSymbol(host, shape::edge, sizeof shape::edge, 4); // BUG symbol_from_offset memory
}

static void symbol_beyond()
{
    cudaMemcpyToSymbol(taps, host, 4, 36); // BUG symbol_beyond memory
}

static void fine_symbols()
{
    cudaMemcpyToSymbol(taps, host, sizeof taps);
    cudaMemcpyToSymbol(shape::edge, host, 60, 4);
}

// --- arrays: consecutive bytes

static void array_twice()
{
    cudaMemcpyToArray(new_array(), 0, 0, host, 2 * WIDE * HIGH * 4, cudaMemcpyHostToDevice); // BUG array_twice memory
}

static void array_from_row()
{
    cudaMemcpyFromArray(host, new_array(), 4, 3, WIDE * 4, cudaMemcpyDeviceToHost); // BUG array_from_row memory
}

static void array_beyond()
{
    cudaMemcpyToArray(new_array(), WIDE * 4, 0, host, 4, cudaMemcpyHostToDevice); // BUG array_beyond memory
}

static void array_to_smaller()
{
    cudaArray_t from = new_array(), to = new_array();
    cudaMemcpyArrayToArray(to, 0, 1, from, 0, 0, WIDE * HIGH * 4); // BUG array_to_smaller memory
}

// --- arrays: boxes

static void rows_too_wide()
{
    cudaMemcpy2DToArray(new_array(), 16, 0, host, 64, 32, HIGH, cudaMemcpyHostToDevice); // BUG rows_too_wide memory
}

static void rows_too_many()
{
    cudaMemcpy2DToArray(new_array(), 0, 1, host, 32, 32, HIGH, cudaMemcpyHostToDevice); // BUG rows_too_many memory
}

static void rows_beyond()
{
    cudaMemcpy2DFromArray(host, 32, new_array(), 0, HIGH, 32, 1, cudaMemcpyDeviceToHost); // BUG rows_beyond memory
}

static void pitch_too_small()
{
    cudaMemcpy2DToArray(new_array(), 0, 0, host, 8, 32, HIGH, cudaMemcpyHostToDevice); // BUG pitch_too_small host
}

static cudaError_t copy_volume(int wide, int deep)
{
    cudaMemcpy3DParms p = {};
    p.dstArray = new_array(DEEP);
    p.srcPtr = make_cudaPitchedPtr(host, WIDE * 4, WIDE, HIGH);
    p.extent = make_cudaExtent(wide, HIGH, deep);
    p.kind = cudaMemcpyHostToDevice;
    return cudaMemcpy3D(&p); // BUG volume_in_bytes memory // BUG slices_too_many memory
}

static void volume_in_bytes()
{
    copy_volume(WIDE * 4, DEEP);
}

static void slices_too_many()
{
    copy_volume(WIDE, DEEP + 1);
}

static void fine_arrays()
{
    cudaArray_t a = new_array(), b = new_array();
    cudaMemcpyToArray(a, 0, 0, host, WIDE * HIGH * 4, cudaMemcpyHostToDevice);
    cudaMemcpyToArray(a, 4, 3, host, WIDE * 4 - 4, cudaMemcpyHostToDevice);
    cudaMemcpyArrayToArray(b, 0, 1, a, 0, 0, WIDE * (HIGH - 1) * 4);
    cudaMemcpy2DToArray(b, 16, 1, host, 16, 16, HIGH - 1, cudaMemcpyHostToDevice);
    copy_volume(WIDE, DEEP);
}

#define CASES(X)                                                                                  \
    X(symbol_of_doubles) X(symbol_of_namespace) X(symbol_from_offset) X(symbol_beyond)            \
    X(fine_symbols) X(array_twice) X(array_from_row) X(array_beyond) X(array_to_smaller)          \
    X(rows_too_wide) X(rows_too_many) X(rows_beyond) X(pitch_too_small) X(volume_in_bytes)        \
    X(slices_too_many) X(fine_arrays)

#include "../cases.h"

int main(int argc, char **argv)
{
    RUN_CASES(CASES)
}
