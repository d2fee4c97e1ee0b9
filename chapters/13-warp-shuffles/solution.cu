// Chapter 13: warp shuffles. Lanes of a warp read one another's registers; no memory is involved.
// Build and run: ./warpbook run 13      or, with a GPU: nvcc -I ../../common lab.cu && ./a.out
#include "lab.h"

enum : unsigned { ALL = 0xffffffff, REPEATS = 64 }; // ALL: a mask of every lane of the warp

// HELPERS: functions of your own, for the TODO regions below
// END HELPERS

// out[i] = what lane SOURCE of the same segment of WIDTH lanes has in in[]; past the end in is 0.
__global__ void broadcast(int *out, const int *in, int n, int source, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, value = i < n ? in[i] : 0;
    // TODO 1 (about 1 line): every lane takes the value of lane SOURCE of its segment.
    // SOURCE counts inside the segment: with width 16 and source 3, lanes 0-15 read lane 3 and
    // lanes 16-31 read lane 19. All 32 lanes take part, also those past the end of the array.
    value = __shfl_sync(ALL, value, source, width);
    // END TODO 1
    if (i < n)
        out[i] = value;
}

// out[i] = in[i-1] - 2 in[i] + in[i+1]; beyond both ends in counts as 0. One load a thread will do.
__global__ void curvature(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float here = i < n ? in[i] : 0, left = 0, right = 0;
    // TODO 2 (about 6 lines): left and right from the neighbouring lanes or, at the edges, in[].
    // The shuffles stand outside every if: all lanes must take part. At the edge of the warp a lane
    // gets its own value back, so lanes 0 and 31 load their neighbour from memory.
    int lane = threadIdx.x % 32;
    left = __shfl_up_sync(ALL, here, 1);
    right = __shfl_down_sync(ALL, here, 1);
    if (lane == 0)
        left = i > 0 && i < n ? in[i - 1] : 0;
    if (lane == 31)
        right = i + 1 < n ? in[i + 1] : 0;
    // END TODO 2
    if (i < n)
        out[i] = left - 2 * here + right;
}

// out[i] = the sum of in[] over the segment of WIDTH lanes that i lies in; every lane gets it.
__global__ void segment_sums(int *out, const int *in, int n, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = i < n ? in[i] : 0;
    // TODO 3 (about 2 lines): add up the segment in log2(width) steps, a butterfly.
    // After the step of distance d a lane has the sum of the lanes that differ from it in the bits
    // done so far. xor stays inside an aligned segment, so no width is needed.
    for (int distance = width / 2; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(ALL, sum, distance);
    // END TODO 3
    if (i < n)
        out[i] = sum;
}

// The next step: four elements per thread, 16 bytes per load; only the outer two need a shuffle.
__global__ void curvature_float4(float4 *out, const float4 *in, int n4)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    float4 v = i < n4 ? in[i] : make_float4(0, 0, 0, 0);
    float left = __shfl_up_sync(ALL, v.w, 1), right = __shfl_down_sync(ALL, v.x, 1);
    if (lane == 0) left = i > 0 && i < n4 ? ((const float *)in)[4 * i - 1] : 0;
    if (lane == 31) right = i + 1 < n4 ? ((const float *)in)[4 * i + 4] : 0;
    if (i < n4)
        out[i] = make_float4(left - 2 * v.x + v.y, v.x - 2 * v.y + v.z, v.y - 2 * v.z + v.w,
                             v.z - 2 * v.w + right);
}

// REPEATS butterflies, by shuffles or through shared memory, without loads of device memory.
template <bool SHUFFLE> __global__ void exchange(unsigned *out, int width)
{
    __shared__ unsigned tile[1024];
    unsigned sum = threadIdx.x;
    for (int k = 0; k < REPEATS; k++)
        for (int distance = width / 2; distance > 0; distance /= 2) {
            if (SHUFFLE) {
                sum += __shfl_xor_sync(ALL, sum, distance);
                continue;
            }
            tile[threadIdx.x] = sum;
            __syncwarp(); // written before it is read
            sum += tile[threadIdx.x ^ distance];
            __syncwarp(); // read before it is written again
        }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int main(void)
{
    lab_begin("13-warp-shuffles");

    LAB_CHECK("broadcast", n) {
        for (int width : {32, 16, 8, 2}) {
            lab_case("width", width);
            lab_array<int> in(n), out(n, LAB_POISON);
            broadcast<<<(n + 255) / 256, 256>>>(out.device, in.device, n, n % width, width);
            auto from = [&](long i) { return i - i % width + n % width; };
            lab_expect(out, [&](long i) { return from(i) < n ? in[from(i)] : 0; }, 0, "a copy");
        }
    }
    LAB_CHECK("curvature", n) {
        lab_array<float> in(n), out(n, LAB_POISON);
        curvature<<<(n + 255) / 256, 256>>>(out.device, in.device, n);
        auto at = [&](long i) { return i >= 0 && i < n ? (double)in[i] : 0.0; };
        lab_expect(out, [&](long i) { return at(i - 1) - 2 * at(i) + at(i + 1); }, 1e-6, "rounded");
    }
    LAB_CHECK("segment_sums", n) {
        for (int width : {32, 16, 4, 1}) {
            lab_case("width", width);
            lab_array<int> in(n), out(n, LAB_POISON);
            segment_sums<<<(n + 255) / 256, 256>>>(out.device, in.device, n, width);
            auto sum = [&](long i) {
                double all = 0;
                for (long j = i - i % width; j < i - i % width + width && j < n; j++)
                    all += in[j];
                return all;
            };
            lab_expect(out, sum, 0, "sums of integers are exact");
        }
    }

    int n = (int)lab_elements(1 << 24, 1 << 28) / 4 * 4, threads = n / 256;
    lab_array<float> in(n), out(n, LAB_POISON);
    LAB_MEASURE("curvature", n, 8.0 * n)
        curvature<<<(n + 255) / 256, 256>>>(out.device, in.device, n);
    LAB_MEASURE("curvature_float4", n, 8.0 * n)
        curvature_float4<<<(n / 4 + 255) / 256, 256>>>((float4 *)out.device,
                                                       (const float4 *)in.device, n / 4);
    for (int width = 2, steps = 1; width <= 32; width *= 2, steps++) { // bytes: exchanged by lanes
        LAB_SWEEP("exchange_shuffle", width, threads, 4.0 * REPEATS * steps * threads)
            exchange<true><<<threads / 256, 256>>>((unsigned *)out.device, width);
        LAB_SWEEP("exchange_shared", width, threads, 4.0 * REPEATS * steps * threads)
            exchange<false><<<threads / 256, 256>>>((unsigned *)out.device, width);
    }

    LAB_GOAL("curvature", "shuffles_per_warp", "at_most", 2, "one to the left, one to the right");
    LAB_GOAL("segment_sums", "shuffles_per_warp", "at_most", 2.75, "5, 4, 2 and 0 steps");
    LAB_GOAL("broadcast", "shuffles_per_warp", "at_most", 1, "the exchange");
    for (const char *kernel : {"curvature", "segment_sums", "broadcast"})
        LAB_GOAL(kernel, "shuffles_per_warp", "at_least", 0.5, "lanes pass values by shuffles");
    LAB_WORK("broadcast segment_sums", 1, 1, 28);
    LAB_GOAL("curvature", "load_sectors_per_store_sector", "at_most", 1.6, "one load of all lanes");
    return lab_end();
}
