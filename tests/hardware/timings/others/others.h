/* What the programs of this folder share: kernels whose times on other devices other people
 * published (published.tsv), written here from what their sources do: the same work, blocks and
 * grid. An argument NAME:SIZE is a kernel to be timed; its row's work is bytes, or operations where
 * operations were published. */
#pragma once

#include "record.h"

struct other_kernel {
    const char *name;
    void (*run)(const char *name, size_t n);
};

/* The row of one of TIMES launches in a row, with events around all of them. A launch alone, which
 * takes long, has no warm-up on the emulator. */
template <class Launch>
void in_a_row(int times, const char *name, size_t n, double work, Launch launch)
{
    if (times > 1 || !timings().emulated)
        launch();
    cudaEvent_t start, stop;
    float ms;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start));
    for (int i = 0; i < times; i++)
        launch();
    CHECK(cudaEventRecord(stop));
    CHECK(cudaGetLastError());
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    row(name, -1, n, work, ms / times);
}

template <class Launch> void alone(const char *name, size_t n, double work, Launch launch)
{
    in_a_row(1, name, n, work, launch);
}

template <size_t count> int run_wanted(int argc, char **argv, const other_kernel (&kernels)[count])
{
    for (int a = 1; a < argc; a++) {
        const char *colon = strchr(argv[a], ':');
        size_t k = 0;
        while (k < count && (!colon || strncmp(kernels[k].name, argv[a], colon - argv[a]) ||
                             kernels[k].name[colon - argv[a]]))
            k++;
        if (k == count) {
            fprintf(stderr, "%s: no such kernel\n", argv[a]);
            return 2;
        }
        kernels[k].run(kernels[k].name, strtoull(colon + 1, NULL, 10));
    }
    return 0;
}
