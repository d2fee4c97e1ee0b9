// Chapter 2: effective bandwidth. Three copies that move the same bytes in different ways.
// Build and run: ./warpbook run 2      or, with a GPU: nvcc -I ../../common lab.cu && ./a.out
#include "lab.h"

// HELPERS: functions of your own, for the TODO regions below
// END HELPERS

// out[i] = in[i] for 0 <= i < n; one thread per element.
__global__ void copy_scalar(float *out, const float *in, int n)
{
    // TODO 1 (about 3 lines): find this thread's i; copy one float, if i is inside the array.
    // The last block may have more threads than there are elements left: the test excludes them.
    // Neighbouring threads take neighbouring floats, so a warp loads 128 contiguous bytes.
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
    // END TODO 1
}

// out[i] = in[i * stride] for 0 <= i < n; one thread per element of out.
__global__ void copy_strided(float *out, const float *in, int n, int stride)
{
    // TODO 2 (about 3 lines): as before, but read every stride-th float only.
    // The stores stay contiguous. The loads of a warp spread over 32 * stride floats, and the
    // floats between them are fetched with their sectors, but not used.
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i * stride];
    // END TODO 2
}

// out[i] = in[i] for 0 <= i < n; one thread four elements, as one float4. n need not be a multiple
// of 4.
__global__ void copy_float4(float *out, const float *in, int n)
{
    // TODO 3 (about 7 lines): copy the i-th float4 where all of it is inside; else the last floats.
    // One instruction moves 16 bytes per lane: fewer instructions for the same bytes, and more
    // bytes in flight. The thread at the end copies the n % 4 floats that are left.
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i + 3 < n) {
        ((float4 *)out)[i] = ((const float4 *)in)[i];
    } else {
        for (int k = 4 * i; k < n; k++)
            out[k] = in[k];
    }
    // END TODO 3
}

static int blocks(int threads, int block)
{
    return (threads + block - 1) / block; // round up: the remainder needs a block as well
}

int main(void)
{
    const int block = 256, strides[] = {1, 2, 4, 8, 16, 32};
    const char *exact = "a copy changes no bit";
    lab_begin("02-effective-bandwidth");

    LAB_CHECK("copy_scalar", n) {
        lab_array<float> in(n), out(n, LAB_POISON);
        copy_scalar<<<blocks(n, block), block>>>(out.device, in.device, n);
        lab_expect(out, [&](long i) { return in[i]; }, 0, exact);
    }
    LAB_CHECK("copy_strided", n) {
        for (int stride : strides) {
            lab_case("stride", stride);
            lab_array<float> in((long)n * stride), out(n, LAB_POISON);
            copy_strided<<<blocks(n, block), block>>>(out.device, in.device, n, stride);
            lab_expect(out, [&](long i) { return in[i * stride]; }, 0, exact);
        }
    }
    LAB_CHECK("copy_float4", n) {
        lab_array<float> in(n), out(n, LAB_POISON);
        copy_float4<<<blocks(blocks(n, 4), block), block>>>(out.device, in.device, n);
        lab_expect(out, [&](long i) { return in[i]; }, 0, exact);
    }

    int n = (int)lab_elements(1 << 24, 1 << 28);
    lab_array<float> in(n), out(n, LAB_POISON);
    LAB_MEASURE("copy_scalar", n, 8.0 * n) { // 4 bytes in and 4 bytes out an element
        copy_scalar<<<blocks(n, block), block>>>(out.device, in.device, n);
    }
    LAB_MEASURE("copy_float4", n, 8.0 * n) {
        copy_float4<<<blocks(blocks(n, 4), block), block>>>(out.device, in.device, n);
    }
    for (int stride : strides) {
        int m = n / stride; // only the floats that are used count as moved
        LAB_SWEEP("copy_strided", stride, m, 8.0 * m) {
            copy_strided<<<blocks(m, block), block>>>(out.device, in.device, m, stride);
        }
    }

    LAB_GOAL("copy_scalar", "bytes_per_sector", "at_least", 31, "each sector moves once, whole");
    LAB_GOAL("copy_float4", "load_sectors_per_request", "at_least", 15, "32 float4 fill 16");
    LAB_GOAL("copy_strided", "bytes_per_sector", "at_least", 31, "no sector is moved twice");
    LAB_WORK("copy_scalar copy_strided copy_float4", 1, 1, 28);
    return lab_end();
}
