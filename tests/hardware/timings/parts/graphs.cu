/* What the host asks of the device besides launches and copies one by one: graphs as they are
 * launched again, managed memory that moves to who touches it, memory of the stream's pool, copies
 * of two dimensions, empty events. Times are those of events around it. */
#include "record.h"

#include <chrono>

__global__ void nothing() {}

__global__ void add_one(float *p, size_t n)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        p[i] += 1;
}

static cudaGraphExec_t chain_of(int nodes, bool parallel, cudaGraph_t *graph, float *p)
{
    CHECK(cudaGraphCreate(graph, 0));
    cudaGraphNode_t last = NULL, node;
    size_t n = 1024;
    void *arguments[] = {&p, &n};
    cudaKernelNodeParams how = {};
    how.func = p ? (void *)add_one : (void *)nothing;
    how.gridDim = dim3(p ? 4 : 1);
    how.blockDim = dim3(p ? 256 : 32);
    how.kernelParams = arguments;
    for (int k = 0; k < nodes; k++) {
        CHECK(cudaGraphAddKernelNode(&node, *graph, parallel || !last ? NULL : &last,
                                     parallel || !last ? 0 : 1, &how));
        last = node;
    }
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, *graph, 0));
    return exec;
}

int main()
{
    measure("empty_events", -1, 1, 0, [] {});
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    device_array<float> data(1 << 24), other(1 << 24);
    for (int nodes : {1, 2, 4, 8, 16, 32, 64, 128})
        for (int shape = 0; shape < 3; shape++) {
            cudaGraph_t graph;
            cudaGraphExec_t exec = chain_of(nodes, shape == 1, &graph, shape == 2 ? data.p : NULL);
            static const char *const name[] = {"graph_chain", "graph_fan", "graph_chain_work"};
            measure(name[shape], nodes, nodes, 0, [&] { CHECK(cudaGraphLaunch(exec, 0)); });
            if (shape == 2)
                measure("launched_chain_work", nodes, nodes, 0, [&] {
                    for (int k = 0; k < nodes; k++)
                        add_one<<<4, 256>>>(data.p, 1024);
                });
            CHECK(cudaGraphExecDestroy(exec));
            CHECK(cudaGraphDestroy(graph));
        }
    for (size_t n = 1 << 10; n <= (size_t)1 << 24; n *= 16) {
        float *managed;
        CHECK(cudaMallocManaged(&managed, n * 4));
        unsigned blocks = n < 1 << 18 ? (unsigned)(n / 256) : 1056;
        auto from_host = [&](bool prefetch) {
            std::vector<float> ms;
            cudaEvent_t start, stop;
            CHECK(cudaEventCreate(&start));
            CHECK(cudaEventCreate(&stop));
            for (int k = 0; k < (timings().emulated ? 1 : 11); k++) {
                for (size_t i = 0; i < n; i++)
                    managed[i] = (float)i;
                float took;
                CHECK(cudaEventRecord(start));
                if (prefetch) {
                    cudaMemLocation there = {cudaMemLocationTypeDevice, 0};
                    CHECK(cudaMemPrefetchAsync(managed, n * 4, there, 0, 0));
                }
                add_one<<<blocks, 256>>>(managed, n);
                CHECK(cudaEventRecord(stop));
                CHECK(cudaEventSynchronize(stop));
                CHECK(cudaEventElapsedTime(&took, start, stop));
                ms.push_back(took);
            }
            std::sort(ms.begin(), ms.end());
            CHECK(cudaEventDestroy(start));
            CHECK(cudaEventDestroy(stop));
            return (double)ms[ms.size() / 2];
        };
        row("managed_touched_by_host", n * 4.0, n, 8.0 * n, from_host(false));
        row("managed_prefetched", n * 4.0, n, 8.0 * n, from_host(true));
        measure("managed_on_device", n * 4.0, n, 8.0 * n,
                [&] { add_one<<<blocks, 256>>>(managed, n); });
        CHECK(cudaDeviceSynchronize());
        if (!timings().emulated) { /* the host's own clock: pages that come back */
            auto begin = std::chrono::steady_clock::now();
            double sum = 0;
            for (size_t i = 0; i < n; i += 1024)
                sum += managed[i];
            auto end = std::chrono::steady_clock::now();
            if (sum != 12345)
                row("managed_back", n * 4.0, n, 0,
                    std::chrono::duration<double, std::milli>(end - begin).count());
        }
        CHECK(cudaFree(managed));
        float *pinned;
        CHECK(cudaHostAlloc(&pinned, n * 4, cudaHostAllocMapped));
        memset(pinned, 0, n * 4);
        if (n <= 1 << 22)
            measure("mapped", n * 4.0, n, 8.0 * n, [&] { add_one<<<blocks, 256>>>(pinned, n); });
        CHECK(cudaFreeHost(pinned));
    }
    char *pinned, *pageable = (char *)malloc((size_t)64 << 20);
    CHECK(cudaMallocHost(&pinned, (size_t)64 << 20));
    memset(pinned, 1, (size_t)64 << 20);
    memset(pageable, 1, (size_t)64 << 20);
    for (int width : {64, 1024, 4096})
        for (int height : {16, 256, 1024}) {
            size_t n = (size_t)width * height;
            char name[64];
            snprintf(name, sizeof name, "copy_2d_in_%d", width);
            measure(name, height, n, 1.0 * n, [&] {
                CHECK(cudaMemcpy2DAsync(data.p, 8192, pinned, width, width, height,
                                        cudaMemcpyHostToDevice, 0));
            });
            snprintf(name, sizeof name, "copy_2d_within_%d", width);
            measure(name, height, n, 2.0 * n, [&] {
                CHECK(cudaMemcpy2DAsync(data.p, 8192, other.p, width, width, height,
                                        cudaMemcpyDeviceToDevice, 0));
            });
            snprintf(name, sizeof name, "fill_2d_%d", width);
            measure(name, height, n, 1.0 * n,
                    [&] { CHECK(cudaMemset2DAsync(data.p, 8192, 0, width, height, 0)); });
        }
    for (size_t n = 256; n <= (size_t)64 << 20; n *= 8) {
        measure("async_in_pageable", (double)n, n, 1.0 * n,
                [&] { CHECK(cudaMemcpyAsync(data.p, pageable, n, cudaMemcpyHostToDevice, 0)); });
        measure("async_out_pageable", (double)n, n, 1.0 * n,
                [&] { CHECK(cudaMemcpyAsync(pageable, data.p, n, cudaMemcpyDeviceToHost, 0)); });
        measure("copy_within", (double)n, n, 2.0 * n,
                [&] { CHECK(cudaMemcpyAsync(data.p, other.p, n, cudaMemcpyDeviceToDevice, 0)); });
        measure("fill", (double)n, n, 1.0 * n, [&] { CHECK(cudaMemsetAsync(data.p, 1, n, 0)); });
    }
    for (size_t n : {1024, 4096, 4100, 6144, 8192, 12288, 32768})
        measure("fill", (double)n, n, 1.0 * n, [&] { CHECK(cudaMemsetAsync(data.p, 1, n, 0)); });
    measure("pool_alloc_free", 1 << 20, 1 << 20, 0, [&] {
        void *p;
        CHECK(cudaMallocAsync(&p, 1 << 20, 0));
        nothing<<<1, 32>>>();
        CHECK(cudaFreeAsync(p, 0));
    });
    return 0;
}
