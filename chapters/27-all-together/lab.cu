// Chapter 27: all together. The derivative of a signal and its norm, streamed through the device.
// Build and run: ./warpbook run 27     or, with a GPU: nvcc -I ../../common lab.cu && ./a.out
#include "lab.h"

enum { RADIUS = 4, BLOCK = 256, PART = 2 * BLOCK, MOST = 64 }; // PART: float4 per block
__constant__ float coef[RADIUS] = {4.f / 5, -1.f / 5, 4.f / 105, -1.f / 280};
cudaStream_t arrive, work, leave; // one for each engine of the device: copy in, compute, copy out
cudaEvent_t here[MOST], ready[MOST];

// HELPERS: functions of your own, for the TODO regions below
// END HELPERS

// The sum of VALUE over the block of BLOCK threads, right in thread 0.
__device__ float block_sum(float value)
{
    // TODO 1 (about 11 lines): add up each warp by shuffles; then the sums of the warps.
    // Hint: __shfl_xor_sync, distances 16 ... 1; a __shared__ word a warp; one __syncthreads()
    // END TODO 1
    return value;
}

// out = derivative of in, sums = its squares, added up by block. First float4: FIRST. Outside: 0.
__global__ void derivative(float4 *out, float *sums, const float4 *in, int n4, int first)
{
    __shared__ float4 tile[PART + 2]; // tile[1 + j]: float4 number begin + j; halo: one each side
    int t = threadIdx.x, begin = first + blockIdx.x * PART;
    // TODO 2 (about 8 lines): fill the tile and its halo, 0 beyond the ends; wait for the block.
    // Hint: two elements per thread, BLOCK apart; the halo is tile[0] and tile[PART + 1]
    // END TODO 2
    float square = 0;
    for (int k = 0, j = t; k < PART / BLOCK && begin + j < n4; k++, j += BLOCK) {
        float4 a = tile[j], b = tile[j + 1], c = tile[j + 2];
        float d[4] = {}, f[] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, c.x, c.y, c.z, c.w};
        for (int e = 0; e < 4; e++) {
            for (int r = 1; r <= RADIUS; r++) d[e] += coef[r - 1] * (f[4 + e + r] - f[4 + e - r]);
            square += d[e] * d[e];
        }
        out[begin + j] = make_float4(d[0], d[1], d[2], d[3]);
    }
    if (sums) square = block_sum(square);
    if (sums && t == 0)
        sums[begin / PART] = square;
}

static int blocks(int n4) { return (n4 + PART - 1) / PART; }

// signal and result: n4 float4, pinned, on the host; in, out, sums: room on the device.
static void pipeline(float4 *result, float4 *signal, float4 *out, float *sums, float4 *in, int n4,
                     int chunks)
{
    int size = (blocks(n4) + chunks - 1) / chunks * PART; // whole blocks
    for (int c = 0; c * size < n4; c++) {
        size_t first = c * size, bytes = min(size, n4 - c * size) * sizeof(float4);
        CUDA_CHECK(cudaMemcpyAsync(in + first, signal + first, bytes, cudaMemcpyDefault, arrive));
        CUDA_CHECK(cudaEventRecord(here[c], arrive));
    }
    for (int c = 0; c * size < n4; c++) {
        // TODO 3 (about 7 lines): derivative of chunk c in work; copy it to the host in leave.
        // Hint: cudaStreamWaitEvent(stream, event), twice; which chunks must be here for the halo?
        // END TODO 3
    }
}

int main(void)
{
    float4 *signal, *result;
    lab_begin("27-all-together");
    int n4 = (int)lab_elements(1 << 24, 1 << 28) / 4, n = 4 * n4, link = n4 / 4;
    for (auto stream : {&arrive, &work, &leave}) CUDA_CHECK(cudaStreamCreate(stream));
    for (int c = 0; c < 2 * MOST; c++)
        CUDA_CHECK(cudaEventCreate(c < MOST ? &here[c] : &ready[c - MOST]));
    CUDA_CHECK(cudaMallocHost(&signal, max(link, 1 << 17) * sizeof(float4)));
    CUDA_CHECK(cudaMallocHost(&result, max(link, 1 << 17) * sizeof(float4)));

    auto slope = [](const lab_array<float> &in, long i) {
        const double c[] = {4. / 5, -1. / 5, 4. / 105, -1. / 280};
        double sum = 0;
        for (int k = -RADIUS; k <= RADIUS && i < in.n; k++)
            if (k != 0 && i + k >= 0 && i + k < in.n)
                sum += (k > 0 ? 1 : -1) * c[abs(k) - 1] * in[i + k];
        return sum;
    };
    auto expect = [&](const lab_array<float> &in, const lab_array<float> &out,
                      const lab_array<float> &sums) {
        auto norm = [&](long b) {
            double sum = 0;
            for (long i = 4 * PART * b; i < 4 * PART * (b + 1); i++)
                sum += pow(slope(in, i), 2);
            return sum;
        };
        lab_expect(out, [&](long i) { return slope(in, i); }, 2e-6, "a dozen roundings of up to 2");
        lab_expect(sums, norm, 4e-3, "sums of 2048 squares of up to 5");
    };
    LAB_CHECK("derivative", m4) {
        lab_array<float> in(4 * m4), out(4 * m4, LAB_POISON), sums(blocks(m4), LAB_POISON);
        float4 *to = (float4 *)out.device, *from = (float4 *)in.device;
        derivative<<<blocks(m4), BLOCK>>>(to, sums.device, from, m4, 0);
        expect(in, out, sums);
    }
    LAB_CHECK("pipeline", m4) {
        for (int chunks : {1, 3, 8}) {
            lab_case("chunks", chunks);
            lab_array<float> in(4 * m4), sums(blocks(m4), LAB_POISON);
            lab_array<float> there(4 * m4, LAB_POISON), out(4 * m4, LAB_POISON);
            CUDA_CHECK(cudaMemcpy(signal, in.device, 16 * m4, cudaMemcpyDefault));
            CUDA_CHECK(cudaMemcpy(result, out.device, 16 * m4, cudaMemcpyDefault));
            lab_hold(chunks == 1 ? leave : chunks == 3 ? work : arrive); // the others run ahead
            pipeline(result, signal, (float4 *)out.device, sums.device, (float4 *)there.device, m4,
                     chunks);
            lab_require(lab_release(), "the host waited for a stream: it is only to enqueue work");
            CUDA_CHECK(cudaMemcpy(out.device, result, 16 * m4, cudaMemcpyDefault));
            expect(in, out, sums);
        }
    }

    lab_array<float> in(n), out(n, LAB_POISON), sums(blocks(n4), LAB_POISON);
    float4 *from = (float4 *)in.device, *to = (float4 *)out.device;
    CUDA_CHECK(cudaMemcpy(signal, from + link, 16 * link, cudaMemcpyDefault)); // not what is there
    auto overlapped = [&](int chunks) {
        pipeline(result, signal, to, sums.device, from, link, chunks);
    };
    auto serial = [&] { // the same in one stream
        CUDA_CHECK(cudaMemcpyAsync(from, signal, 16 * link, cudaMemcpyDefault, work));
        derivative<<<blocks(link), BLOCK, 0, work>>>(to, sums.device, from, link, 0);
        CUDA_CHECK(cudaMemcpyAsync(result, to, 16 * link, cudaMemcpyDefault, work));
    };
    LAB_CHECK_AT("overlap", 4 * link)
        lab_expect_overlap([&] { overlapped(16); }, serial, 30, 75);
    LAB_MEASURE("derivative/slope_only", n, 8.0 * n)
        derivative<<<blocks(n4), BLOCK>>>(to, NULL, from, n4, 0);
    LAB_MEASURE("derivative/with_norm", n, 8.0 * n)
        derivative<<<blocks(n4), BLOCK>>>(to, sums.device, from, n4, 0);
    for (int chunks : {1, 2, 4, 8, 16, 32, 64})
        LAB_SWEEP("pipeline", chunks, 4 * link, 32.0 * link) overlapped(chunks);

    CUDA_CHECK(cudaFreeHost(signal)), CUDA_CHECK(cudaFreeHost(result));
    for (auto stream : {arrive, work, leave}) CUDA_CHECK(cudaStreamDestroy(stream));
    for (int c = 0; c < 2 * MOST; c++)
        CUDA_CHECK(cudaEventDestroy(c < MOST ? here[c] : ready[c - MOST]));
    LAB_GOAL("derivative", "shared_load_conflicts", "at_most", 0, "float4 side by side");
    LAB_GOAL("derivative", "shuffles_per_warp", "at_most", 2.7, "5.375 in runs with a sum");
    LAB_WORK("derivative", 2.3, 2.1, 28);
    return lab_end();
}
