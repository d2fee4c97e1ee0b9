// Chapter 18: streams. An order between two queues; then copies that run beside others.
// Build and run: ./warpbook run 18      or, with a GPU: nvcc -I ../../common lab.cu && ./a.out
#include "lab.h"

enum { BLOCK = 256, ROUNDS = 32, STREAMS = 3, CHUNKS = 16 };

// HELPERS: functions of your own, for the TODO regions below
// END HELPERS

// Host memory for n floats, which the device can copy from and to.
static float *pinned_array(long n)
{
    float *p = NULL;
    // TODO 1 (about 1 line): allocate it page-locked.
    // The copy engine uses physical addresses, so the pages must not move. Data in pageable memory
    // would first be copied to a pinned buffer by the host, before cudaMemcpyAsync returns.
    CUDA_CHECK(cudaMallocHost(&p, n * sizeof(float)));
    // END TODO 1
    return p;
}

__global__ void reverse(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[n - 1 - i];
}

__global__ void relax(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = i < n ? data[i] : 0;
    for (int k = 0; k < ROUNDS; k++)
        x = 0.99f * x + 0.01f;
    if (i < n)
        data[i] = x;
}

static int blocks(int threads) { return (threads + BLOCK - 1) / BLOCK; }

// out = data, relaxed and then reversed, in two streams: reverse must not start before relax ends.
static void in_order(float *out, float *data, int n, cudaStream_t one, cudaStream_t two)
{
    cudaEvent_t done;
    CUDA_CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    relax<<<blocks(n), BLOCK, 0, one>>>(data, n);
    // TODO 2 (about 2 lines): let stream two wait for relax. The host must not wait.
    // The event stands in stream one, after relax. Work put into stream two after the wait starts
    // when the device has reached the event. The host only enqueues both.
    CUDA_CHECK(cudaEventRecord(done, one));
    CUDA_CHECK(cudaStreamWaitEvent(two, done));
    // END TODO 2
    reverse<<<blocks(n), BLOCK, 0, two>>>(out, data, n);
    CUDA_CHECK(cudaEventDestroy(done));
}

// to[i] = the result of relax for from[i]. to, from: on the host; device: n floats on the device.
static void pipeline(float *to, const float *from, float *device, int n, int chunks,
                     const cudaStream_t *stream)
{
    // TODO 3 (about 10 lines): for each chunk, in one of the STREAMS streams: in, relax, out.
    // Work in a stream is in order: copy, kernel, copy. Work in different streams may overlap: one
    // chunk is copied in while another is computed and a third is copied out, each by its engine.
    int chunk = (n + chunks - 1) / chunks; // the last one may be shorter
    for (int k = 0; k < chunks && k * chunk < n; k++) {
        int first = k * chunk, count = first + chunk <= n ? chunk : n - first;
        size_t bytes = count * sizeof(float);
        cudaStream_t s = stream[k % STREAMS];
        CUDA_CHECK(cudaMemcpyAsync(device + first, from + first, bytes, cudaMemcpyHostToDevice, s));
        relax<<<blocks(count), BLOCK, 0, s>>>(device + first, count);
        CUDA_CHECK(cudaMemcpyAsync(to + first, device + first, bytes, cudaMemcpyDeviceToHost, s));
    }
    // END TODO 3
}

int main(void)
{
    lab_begin("18-streams");
    int n = (int)lab_elements(1 << 22, 1 << 26), room = n > 1 << 17 ? n : 1 << 17;
    cudaStream_t stream[STREAMS]; // made thus, they and the default stream wait for each other
    for (cudaStream_t &s : stream)
        CUDA_CHECK(cudaStreamCreate(&s));
    lab_array<float> in(n), work(n, LAB_POISON);
    float *from = pinned_array(room), *to = pinned_array(room);
    bool pinned = lab_pinned(from, room) && lab_pinned(to, room);
    CUDA_CHECK(pinned ? cudaMemcpy(from, in.device, 4L * n, cudaMemcpyDefault) : cudaSuccess);
    auto copy = [&](void *out, const void *in, int s) {
        CUDA_CHECK(cudaMemcpyAsync(out, in, n * sizeof(float), cudaMemcpyDefault, stream[s]));
    };
    auto serial = [&] {
        copy(work.device, from, 0);
        relax<<<blocks(n), BLOCK, 0, stream[0]>>>(work.device, n);
        copy(to, work.device, 0);
    };
    auto overlapped = [&](int chunks) { pipeline(to, from, work.device, n, chunks, stream); };
    auto end = [](double x) { return 1 + (x - 1) * pow((double)0.99f, ROUNDS); };

    LAB_CHECK_AT("pinned_array", room)
        lab_require(pinned, from ? "that memory is pageable, or too small: cudaMallocHost, in bytes"
                                 : "it gives NULL: is anything allocated?");
    relax<<<1, 1>>>(NULL, 0), reverse<<<1, 1>>>(NULL, NULL, 0); // loading them makes the host wait
    LAB_CHECK("in_order", size) {
        lab_array<float> data(size), out(size, LAB_POISON);
        lab_hold(stream[0]); // does stream 1 run ahead?
        in_order(out.device, data.device, size, stream[0], stream[1]);
        lab_require(lab_release(), "the host waited for stream one: only stream two is to wait");
        lab_expect(out, [&](long i) { return end(data[size - 1 - i]); }, 1e-5, "32 roundings");
    }
    LAB_CHECK("pipeline", size) {
        lab_require(pinned, "it needs what pinned_array gives");
        for (int chunks = 1; pinned && chunks <= 7; chunks += 3) {
            lab_case("chunks", chunks);
            size_t bytes = size * sizeof(float);
            lab_array<float> data(size), device(size, LAB_POISON), out(size, LAB_POISON);
            CUDA_CHECK(cudaMemcpy(from, data.device, bytes, cudaMemcpyDefault));
            CUDA_CHECK(cudaMemcpy(to, out.device, bytes, cudaMemcpyDefault));
            lab_hold(stream[chunks / 3]); // each in turn; the others run ahead
            pipeline(to, from, device.device, size, chunks, stream);
            lab_require(lab_release(), "the host waited for a stream: it is only to enqueue work");
            CUDA_CHECK(cudaMemcpy(out.device, to, bytes, cudaMemcpyDefault));
            lab_expect(out, [&](long i) { return end(data[i]); }, 1e-5, "32 roundings");
        }
    }
    LAB_CHECK_AT("overlap", n) {
        lab_require(pinned, "it needs what pinned_array gives");
        if (pinned) lab_expect_overlap([&] { overlapped(CHUNKS); }, serial, 40, 75);
    }

    const char *ways[] = {"", "one_way_in", "one_way_out", "both_ways"};
    for (int way = 1; way <= 3 && pinned; way++)
        LAB_MEASURE(ways[way], n, 4.0 * n * (way == 3 ? 2 : 1)) {
            if (way & 1)
                copy(work.device, from, 0);
            if (way & 2)
                copy(to, in.device, 1);
        }
    for (int chunks = 1; chunks <= 256 && pinned; chunks *= 2)
        LAB_SWEEP("pipeline", chunks, n, 8.0 * n)
            overlapped(chunks);
    LAB_TIMELINE
        serial(), CUDA_CHECK(cudaDeviceSynchronize()), overlapped(6);
    lab_free_pinned(pinned ? from : NULL), lab_free_pinned(pinned ? to : NULL);
    for (cudaStream_t s : stream) CUDA_CHECK(cudaStreamDestroy(s));
    LAB_GOAL("relax", "bytes_per_sector", "at_least", 31, "chunks begin at whole sectors");
    return lab_end();
}
