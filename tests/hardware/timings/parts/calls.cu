/* What calls cost: the host, by its own clock, from call to return; and the device, where a queue of
 * them waits for it. "behind": the queue stands behind a kernel that keeps the device busy until the
 * host has issued all, so that only the device's own time is left.
 *
 * Rows by the host's clock (host_*, in ms a call) are measured only: the emulator models none. */
#include "record.h"

#include <chrono>

__global__ void nothing() {}

__global__ void busy(long long cycles)
{
    long long begin = clock64();
    while (clock64() - begin < cycles) {
    }
}

enum { CALLS = 256 };

/* The median over rounds of the mean of CALLS calls, the device idle before and after. */
template <class Work> static void host(const char *name, size_t n, Work work)
{
    if (timings().emulated)
        return;
    std::vector<double> ms;
    for (int round = 0; round < 41; round++) {
        CHECK(cudaDeviceSynchronize());
        auto begin = std::chrono::steady_clock::now();
        for (int k = 0; k < CALLS; k++)
            work(k);
        auto end = std::chrono::steady_clock::now();
        ms.push_back(std::chrono::duration<double, std::milli>(end - begin).count() / CALLS);
    }
    CHECK(cudaDeviceSynchronize());
    std::sort(ms.begin(), ms.end());
    row(name, -1, n, 0, ms[ms.size() / 2]);
}

/* COUNT calls in a row as events see them; behind a busy kernel, without that kernel's own time. */
template <class Work> static void queued(const char *name, int count, Work work)
{
    char label[80];
    snprintf(label, sizeof label, "queued_%s", name);
    measure(label, count, count, 0, [&] {
        for (int k = 0; k < count; k++)
            work(k);
    });
    if (timings().emulated)
        return;
    const long long cycles = 40000ll + 24000ll * count; /* more than issuing takes */
    double with = median_ms([&] {
        busy<<<1, 1>>>(cycles);
        for (int k = 0; k < count; k++)
            work(k);
    });
    double without = median_ms([&] { busy<<<1, 1>>>(cycles); });
    snprintf(label, sizeof label, "behind_%s", name);
    row(label, count, count, 0, with - without);
}

int main()
{
    const size_t most = (size_t)8 << 20;
    device_array<char> in(most), out(most);
    char *pinned, *pageable = (char *)malloc(most);
    CHECK(cudaMallocHost(&pinned, most));
    memset(pinned, 1, most);
    memset(pageable, 1, most);
    cudaStream_t stream, other;
    cudaEvent_t event, timeless;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamCreate(&other));
    CHECK(cudaEventCreate(&event));
    CHECK(cudaEventCreateWithFlags(&timeless, cudaEventDisableTiming));

    host("host_launch", 1, [&](int) { nothing<<<1, 32, 0, stream>>>(); });
    host("host_launch_default_stream", 1, [&](int) { nothing<<<1, 32>>>(); });
    host("host_launch_two_streams", 1,
         [&](int k) { nothing<<<1, 32, 0, k % 2 ? stream : other>>>(); });
    for (size_t n : {(size_t)4, (size_t)4096, (size_t)65536, (size_t)1 << 20}) {
        char name[64];
        snprintf(name, sizeof name, "host_h2d_pinned");
        host(name, n, [&](int) {
            CHECK(cudaMemcpyAsync(in.p, pinned, n, cudaMemcpyHostToDevice, stream));
        });
        host("host_d2h_pinned", n, [&](int) {
            CHECK(cudaMemcpyAsync(pinned, out.p, n, cudaMemcpyDeviceToHost, stream));
        });
        host("host_h2d_pageable", n, [&](int) {
            CHECK(cudaMemcpyAsync(in.p, pageable, n, cudaMemcpyHostToDevice, stream));
        });
        host("host_d2d", n, [&](int) {
            CHECK(cudaMemcpyAsync(out.p, in.p, n, cudaMemcpyDeviceToDevice, stream));
        });
        host("host_memset", n, [&](int) { CHECK(cudaMemsetAsync(in.p, 0, n, stream)); });
        host("host_memcpy_waits", n,
             [&](int) { CHECK(cudaMemcpy(in.p, pinned, n, cudaMemcpyHostToDevice)); });
    }
    host("host_record", 1, [&](int) { CHECK(cudaEventRecord(event, stream)); });
    host("host_record_timeless", 1, [&](int) { CHECK(cudaEventRecord(timeless, stream)); });
    host("host_stream_wait", 1, [&](int) { CHECK(cudaStreamWaitEvent(other, timeless, 0)); });
    host("host_synchronize_idle", 1, [&](int) { CHECK(cudaStreamSynchronize(stream)); });
    host("host_launch_synchronize", 1, [&](int) {
        nothing<<<1, 32, 0, stream>>>();
        CHECK(cudaStreamSynchronize(stream));
    });
    host("host_malloc_free", 1 << 20, [&](int) {
        void *p;
        CHECK(cudaMalloc(&p, 1 << 20));
        CHECK(cudaFree(p));
    });

    for (int count : {1, 2, 4, 8, 16, 32, 64, 128, 256}) {
        queued("kernels", count, [&](int) { nothing<<<1, 32>>>(); });
        queued("h2d", count, [&](int) {
            CHECK(cudaMemcpyAsync(in.p, pinned, 4096, cudaMemcpyHostToDevice, 0));
        });
        queued("d2h", count, [&](int) {
            CHECK(cudaMemcpyAsync(pinned, out.p, 4096, cudaMemcpyDeviceToHost, 0));
        });
        queued("h2d_64k", count, [&](int) {
            CHECK(cudaMemcpyAsync(in.p, pinned, 65536, cudaMemcpyHostToDevice, 0));
        });
        queued("copy_kernel_copy", count, [&](int) {
            CHECK(cudaMemcpyAsync(in.p, pinned, 4096, cudaMemcpyHostToDevice, 0));
            nothing<<<1, 32>>>();
            CHECK(cudaMemcpyAsync(pinned, out.p, 4096, cudaMemcpyDeviceToHost, 0));
        });
        queued("records", count, [&](int) { CHECK(cudaEventRecord(event, 0)); });
    }
    return 0;
}
