// Assignment 6: a pipeline. More data than the device has room for: in, through a kernel, and out.
// Build and run: ./warpbook run pipeline   or, with a GPU: nvcc -I ../../common lab.cu
#include "lab.h"

enum { BLOCK = 256, SLOTS = 3, CHUNKS = 16 }; // SLOTS and CHUNKS are yours to choose
struct slot { cudaStream_t stream; float *in, *out; }; // a chunk: chunk + 2 floats in, chunk out
struct piece { // the outputs first .. first + count - 1, and the inputs begin .. begin + size - 1
    long first, count, begin, size;
};
static_assert(SLOTS >= 1 && SLOTS <= 64, "1 to 64 slots"); static_assert(CHUNKS >= 1, "a chunk");

// HELPERS: functions of your own, for the TODO regions below
// END HELPERS

// p: n floats on the host, allocated already. Page-locks them: true if that works.
static bool pin(float *p, long n)
{
    // TODO 1 (about 1 line): page-lock the memory where it is; allocate nothing.
    // Hint: cudaHostRegister(pointer, bytes, cudaHostRegisterDefault)
    return p && n < 0;
    // END TODO 1
}

// Chunk k of n elements in chunks of CHUNK: its outputs, and the inputs that they need.
static piece piece_of(long k, long chunk, long n)
{
    piece p = {0, 0, 0, 0};
    // TODO 2 (about 4 lines): fill p; an output needs its own input and a neighbour on each side.
    // Hint: count is not CHUNK everywhere; begin and first are not the same everywhere
    // END TODO 2
    return p;
}

// out[i] = (left + 2 in[before + i] + right) / 4 for i < count, where in has SIZE floats.
__global__ void smooth(float *out, const float *in, int before, int count, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = before + i;
    if (i < count)
        out[i] = 0.25f * ((j > 0 ? in[j - 1] : 0) + 2 * in[j] + (j + 1 < size ? in[j + 1] : 0));
}

// to: smooth of from, n floats, both on the host, pinned. CHUNK elements at a time fit into a slot.
static void pipeline(float *to, const float *from, long n, long chunk, const slot *slots)
{
    // TODO 3 (about 10 lines): each chunk in, through smooth, and out. The host must not wait.
    // Hint: chapter 18's TODO 3, in the slots' own streams and with piece_of
    // END TODO 3
}

struct ring { // the slots for n elements in so many chunks, each slot with its stream
    long chunk, pitch;
    lab_array<float> in, out;
    slot slots[SLOTS];

    ring(long n, long chunks, const cudaStream_t *stream)
        : chunk((n + chunks - 1) / chunks), pitch((chunk + 2 + 63) / 64 * 64),
          in((SLOTS - 1) * pitch + chunk + 2, LAB_POISON),
          out((SLOTS - 1) * pitch + chunk, LAB_POISON)
    {
        for (int k = 0; k < SLOTS; k++)
            slots[k] = {stream[k], in.device + k * pitch, out.device + k * pitch};
    }
};

int main(void)
{
    lab_begin("labs/06-pipeline");
    long n = lab_elements(1 << 23, 1 << 26), all = max(n, 1L << 17);
    cudaStream_t stream[SLOTS];
    for (cudaStream_t &s : stream) CUDA_CHECK(cudaStreamCreate(&s));
    float *from = (float *)calloc(all, sizeof(float)), *to = (float *)calloc(all, sizeof(float));
    bool pinned = pin(from, all) && pin(to, all) && lab_pinned(from, all) && lab_pinned(to, all);
    bool in_pieces = pinned && !lab_pins_at_once(pin, all);

    LAB_CHECK_AT("pin", all) {
        lab_require(pinned, "pageable, in part or whole: cudaHostRegister?");
        lab_require(!in_pieces, "in pieces: a copy across two of them makes the host wait");
    }
    pinned = pinned && !in_pieces;
    LAB_CHECK("piece_of", size)
        for (int chunks : {1, 2, 5, 11}) {
            lab_case("chunks", chunks);
            long chunk = (size + chunks - 1) / chunks, n = size;
            for (long k = 0; k * chunk < n; k++) {
                piece p = piece_of(k, chunk, n);
                long first = k * chunk, end = min(first + chunk, n), begin = max(first - 1, 0L);
                lab_between(p.first, first, first, "first", "chunk by chunk");
                lab_between(p.count, end - first, end - first, "count", "the last may be shorter");
                lab_between(p.begin, begin, begin, "begin", "one before first, where there is one");
                lab_between(p.size, min(end + 1, n) - begin, min(end + 1, n) - begin, "size",
                            "the outputs' own, and one on each side where there is one");
            }
        }
    smooth<<<1, 1>>>(NULL, NULL, 0, 0, 0); // loading it makes the host wait
    LAB_CHECK("pipeline", size) {
        lab_require(pinned, "it needs what pin gives");
        for (int chunks = 1; pinned && chunks <= 11; chunks += 3) {
            lab_case("chunks", chunks);
            lab_array<float> data(size), out(size, LAB_POISON);
            ring device(size, chunks, stream);
            CUDA_CHECK(cudaMemcpy(from, data.device, size * sizeof(float), cudaMemcpyDefault));
            CUDA_CHECK(cudaMemcpy(to, out.device, size * sizeof(float), cudaMemcpyDefault));
            lab_hold(stream[chunks / 3 % SLOTS]); // each in turn; the others run ahead
            pipeline(to, from, size, device.chunk, device.slots);
            lab_require(lab_release(), "the host waited for a stream: it is only to enqueue work");
            CUDA_CHECK(cudaMemcpy(out.device, to, size * sizeof(float), cudaMemcpyDefault));
            auto at = [&](long i) { return i < 0 || i >= size ? 0.0 : data[i]; };
            lab_expect(out, [&](long i) { return (at(i - 1) + 2 * at(i) + at(i + 1)) / 4; }, 3e-7,
                       "two roundings");
        }
    }

    ring device(n, CHUNKS, stream);
    lab_array<float> there(n), back(n, LAB_POISON);
    CUDA_CHECK(cudaMemcpy(from, there.device, n * sizeof(float), cudaMemcpyDefault));
    auto run = [&](ring &ring) { pipeline(to, from, n, ring.chunk, ring.slots); };
    auto copy = [&](float *a, const float *b, int s) { // n floats, by stream s
        CUDA_CHECK(cudaMemcpyAsync(a, b, 4 * n, cudaMemcpyDefault, stream[s]));
    };
    auto serial = [&] { // all at once, as if the device had room
        copy(there.device, from, 0);
        smooth<<<n / BLOCK + 1, BLOCK, 0, stream[0]>>>(back.device, there.device, 0, n, n);
        copy(to, back.device, 0);
    };
    LAB_CHECK_AT("overlap", n) {
        lab_require(pinned, "it needs what pin gives");
        if (pinned) lab_expect_overlap([&] { run(device); }, serial, 25, 70);
    }
    if (pinned) LAB_ROUNDS {
        LAB_MEASURE("both_ways", n, 8.0 * n) copy(back.device, from, 0), copy(to, there.device, 1);
        LAB_MEASURE("pipeline", n, 8.0 * n) run(device);
    }
    for (int chunks = 1; chunks <= 256 && pinned && lab_curve("pipeline/chunks"); chunks *= 2) {
        ring r(n, chunks, stream); LAB_SWEEP("pipeline/chunks", chunks, n, 8.0 * n) run(r);
    }
    LAB_TIMELINE run(device);
    for (cudaStream_t s : stream) CUDA_CHECK(cudaStreamDestroy(s));
    LAB_GOAL("smooth", "load_sectors_per_request", "at_most", 5, "a slot begins at a sector");
    return lab_end();
}
