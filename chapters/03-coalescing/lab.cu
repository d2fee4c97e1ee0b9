// Chapter 3: coalescing. The same work, with the lanes of a warp at neighbouring addresses or not.
// Build and run: ./warpbook run 3      or, with a GPU: nvcc -I ../../common lab.cu && ./a.out
#include "lab.h"

enum { CHUNK = 1000, X = 0, VX = 3, FIELDS = 8 };
struct body { // an array of these is an array of structures; one is 32 bytes, a sector
    float x, y, z, vx, vy, vz, mass, charge;
};
const float DT = 0.25f;

// out[i] = 2 * in[i]: thread t does CHUNK neighbouring elements, as a CPU's threads would.
// __restrict__: no other pointer of the kernel reaches these elements (chapter 7).
__global__ void scale_chunks(float *__restrict__ out, const float *__restrict__ in, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = CHUNK * t; i < CHUNK * t + CHUNK && i < n; i++)
        out[i] = 2 * in[i];
}

// HELPERS: functions of your own, for the TODO regions below
// END HELPERS

// The same for any number of threads: in each iteration a warp has 32 contiguous floats.
__global__ void scale_turns(float *__restrict__ out, const float *__restrict__ in, int n)
{
    // TODO 1 (about 3 lines): out[i] = 2 * in[i] for every i < n that is this thread's.
    // Hint: the first i is the thread's number in the grid; how far is it to the next one?
    // END TODO 1
}

// x += DT * vx for n bodies. A structure of arrays: field f of body i is data[f * pitch + i].
__global__ void drift_columns(float *data, int n, int pitch)
{
    // TODO 2 (about 4 lines): move body i along x, if there is a body i.
    // Hint: column x begins at data + X * pitch, column vx at data + VX * pitch
    // END TODO 2
}

// Floats from the beginning of one column of n to that of the next: at least n.
static int column_pitch(int n)
{
    // TODO 3 (about 1 line): so that every column begins at a multiple of 128 bytes, but no more.
    // Hint: how many floats are 128 bytes?
    return n;
    // END TODO 3
}

// The same for an array of structures.
__global__ void drift_records(body *bodies, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        bodies[i].x += DT * bodies[i].vx;
}

// The next step: 16 bytes per load. It needs columns that begin at multiples of 16 bytes.
__global__ void drift_vector(float *data, int n, int pitch)
{
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    float *x = data + X * pitch + i, *vx = data + VX * pitch + i;
    if (i + 3 < n && pitch % 4 == 0) {
        float4 a = *(float4 *)x, b = *(float4 *)vx;
        *(float4 *)x = make_float4(a.x + DT * b.x, a.y + DT * b.y, a.z + DT * b.z, a.w + DT * b.w);
    } else {
        for (int k = 0; k < 4 && i + k < n; k++)
            x[k] += DT * vx[k];
    }
}

// The lanes begin OFFSET floats into a line, or are STRIDE floats apart.
__global__ void copy_apart(float *out, const float *in, int n, int offset, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i * stride] = in[i * stride + offset];
}

static int blocks(int threads) { return (threads + 255) / 256; } // of 256 threads

int main(void)
{
    lab_begin("03-coalescing");

    LAB_CHECK("scale_turns", n) {
        for (int grid : {1, 3}) {
            lab_case("blocks", grid);
            lab_array<float> in(n), out(n, LAB_POISON);
            scale_turns<<<grid, 256>>>(out.device, in.device, n);
            lab_expect(out, [&](long i) { return 2 * in[i]; }, 0, "twice is exact");
        }
    }
    auto check_columns = [](void (*drift)(float *, int, int), int n, int each) {
        int pitch = column_pitch(n);
        lab_array<float> data((long)FIELDS * pitch);
        drift<<<blocks((n + each - 1) / each), 256>>>(data.device, n, pitch);
        auto want = [&](long j) {
            double moves = j / pitch == X && j % pitch < n ? DT * data[j + (VX - X) * pitch] : 0;
            return data[j] + moves;
        };
        lab_expect(data, want, 2e-7, "two roundings of values up to 1.25");
        lab_between(pitch - n, -n, 31, "floats of a column past n", "to the next 128 bytes");
    };
    LAB_CHECK("drift_columns", n)
        check_columns(drift_columns, n, 1);
    LAB_CHECK("drift_vector", n)
        check_columns(drift_vector, n, 4);

    int m = (int)lab_elements(1 << 24, 1 << 28) / FIELDS - 3, pitch = column_pitch(m);
    int n = (int)lab_elements(1 << 22, 1 << 28);
    lab_array<float> in(n), out(n, LAB_POISON), data((long)FIELDS * pitch);
    LAB_MEASURE("drift_records", m, 12.0 * m) // x and vx in, x out
        drift_records<<<blocks(m), 256>>>((body *)data.device, m);
    LAB_MEASURE("drift_columns", m, 12.0 * m)
        drift_columns<<<blocks(m), 256>>>(data.device, m, pitch);
    LAB_MEASURE("drift_vector", m, 12.0 * m)
        drift_vector<<<blocks(m / 4 + 1), 256>>>(data.device, m, pitch);
    LAB_MEASURE("scale_chunks", n, 8.0 * n)
        scale_chunks<<<blocks(n / CHUNK + 1), 256>>>(out.device, in.device, n);
    LAB_MEASURE("scale_turns", n, 8.0 * n)
        scale_turns<<<blocks(n / CHUNK + 1), 256>>>(out.device, in.device, n);
    for (int offset : {0, 1, 4, 8, 12, 16, 24, 31, 32})
        LAB_SWEEP("copy_apart/offset", offset, n - 32, 8.0 * (n - 32))
            copy_apart<<<blocks(n - 32), 256>>>(out.device, in.device, n - 32, offset, 1);
    for (int stride : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32})
        LAB_SWEEP("copy_apart/stride", stride, n / stride, 8.0 * (n / stride))
            copy_apart<<<blocks(n / stride), 256>>>(out.device, in.device, n / stride, 0, stride);

    LAB_GOAL("scale_turns", "bytes_per_sector", "at_least", 31, "each sector is moved once");
    LAB_GOAL("drift_columns", "bytes_per_sector", "at_least", 31, "columns begin a sector");
    LAB_GOAL("scale_turns", "cost", "at_most", 4, "by parts: 1.2 times on an H200, 3.2 modelled");
    LAB_WORK("scale_turns", CHUNK, CHUNK, 28);
    LAB_WORK("drift_columns", 2, 1, 28); // x and vx
    return lab_end();
}
