/* Copies between host and device by size: one and both directions at once, in pieces over streams,
 * by the calls that wait, and to and from symbols. */
#include "record.h"

__device__ char symbol[1 << 22];

__global__ void nothing() {}

int main()
{
    const size_t most = (size_t)64 << 20;
    device_array<char> in(most), out(most);
    cudaStream_t stream[4];
    for (cudaStream_t &s : stream)
        CHECK(cudaStreamCreate(&s));
    char *from, *to, *pageable = (char *)malloc(most);
    CHECK(cudaMallocHost(&from, most));
    CHECK(cudaMallocHost(&to, most));
    memset(from, 1, most);
    memset(pageable, 1, most);
    auto h2d = [&](size_t first, size_t n, cudaStream_t s) {
        CHECK(cudaMemcpyAsync(in.p + first, from + first, n, cudaMemcpyHostToDevice, s));
    };
    auto d2h = [&](size_t first, size_t n, cudaStream_t s) {
        CHECK(cudaMemcpyAsync(to + first, out.p + first, n, cudaMemcpyDeviceToHost, s));
    };
    for (size_t n = 1 << 10; n <= most; n *= 4) {
        measure("link_in", (double)n, n, 1.0 * n, [&] { h2d(0, n, stream[0]); });
        measure("link_out", (double)n, n, 1.0 * n, [&] { d2h(0, n, stream[0]); });
        measure("link_both", (double)n, n, 2.0 * n, [&] {
            h2d(0, n, stream[0]);
            d2h(0, n, stream[1]);
        });
    }
    /* 16 MiB in pieces: in one stream, over streams, both ways, and with a kernel between. */
    const size_t whole = 16 << 20;
    for (int pieces : {1, 2, 4, 8, 16, 32, 64, 128, 256}) {
        size_t part = whole / pieces;
        measure("pieces_in", pieces, whole, 1.0 * whole, [&] {
            for (int k = 0; k < pieces; k++)
                h2d(k * part, part, stream[0]);
        });
        measure("pieces_out", pieces, whole, 1.0 * whole, [&] {
            for (int k = 0; k < pieces; k++)
                d2h(k * part, part, stream[0]);
        });
        measure("pieces_in_streams", pieces, whole, 1.0 * whole, [&] {
            for (int k = 0; k < pieces; k++)
                h2d(k * part, part, stream[k % 4]);
        });
        measure("pieces_both", pieces, whole, 2.0 * whole, [&] {
            for (int k = 0; k < pieces; k++) {
                h2d(k * part, part, stream[0]);
                d2h(k * part, part, stream[1]);
            }
        });
        measure("pieces_there_and_back", pieces, whole, 2.0 * whole, [&] {
            for (int k = 0; k < pieces; k++) {
                h2d(k * part, part, stream[k % 4]);
                d2h(k * part, part, stream[k % 4]);
            }
        });
        measure("pieces_with_kernel", pieces, whole, 2.0 * whole, [&] {
            for (int k = 0; k < pieces; k++) {
                h2d(k * part, part, stream[k % 4]);
                nothing<<<1, 32, 0, stream[k % 4]>>>();
                d2h(k * part, part, stream[k % 4]);
            }
        });
        measure("pieces_kernels", pieces, pieces, 0, [&] {
            for (int k = 0; k < pieces; k++)
                nothing<<<1, 32, 0, stream[k % 4]>>>();
        });
    }
    /* The calls that wait, pageable memory. */
    for (size_t n = 4; n <= (size_t)1 << 22; n *= 4) {
        measure("wait_in", (double)n, n, 1.0 * n,
                [&] { CHECK(cudaMemcpy(in.p, pageable, n, cudaMemcpyHostToDevice)); });
        measure("wait_out", (double)n, n, 1.0 * n,
                [&] { CHECK(cudaMemcpy(pageable, out.p, n, cudaMemcpyDeviceToHost)); });
        measure("to_symbol", (double)n, n, 1.0 * n,
                [&] { CHECK(cudaMemcpyToSymbol(symbol, pageable, n)); });
        measure("from_symbol", (double)n, n, 1.0 * n,
                [&] { CHECK(cudaMemcpyFromSymbol(pageable, symbol, n)); });
        measure("within_symbol", (double)n, n, 2.0 * n,
                [&] { CHECK(cudaMemcpyToSymbol(symbol, in.p, n, 0, cudaMemcpyDeviceToDevice)); });
        measure("to_symbol_pinned", (double)n, n, 1.0 * n,
                [&] { CHECK(cudaMemcpyToSymbol(symbol, from, n)); });
    }
    return 0;
}
