/* Shared by the programs of tests/hardware/clocks. A program measures cycles inside a kernel with
 * clock64() or clock(), as published microbenchmarks do, and prints one row per measurement:
 * median, minimum and maximum of several launches. The first launch is not counted. The emulator's
 * clock is exactly repeatable, so one launch after the first is enough there. */
#ifndef CLOCKS_CLOCKS_H
#define CLOCKS_CLOCKS_H

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call)                                                       \
    do {                                                                  \
        cudaError_t error_ = (call);                                      \
        if (error_ != cudaSuccess) {                                      \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                    cudaGetErrorString(error_));                          \
            exit(1);                                                      \
        }                                                                 \
    } while (0)

struct clocks_state {
    bool emulated; /* the device is the emulator, not a GPU */

    clocks_state()
    {
        cudaDeviceProp properties;
        CHECK(cudaGetDeviceProperties(&properties, 0));
        emulated = strstr(properties.name, "(warpbook)") != NULL;
        puts("name\tx\tn\tcycles\tleast\tmost");
    }
};

inline clocks_state &clocks()
{
    static clocks_state state;
    return state;
}

/* Print the row of measurement NAME at X (a size, a stride, or a number of warps; below 0: none),
 * with N steps in total. */
inline void row(const char *name, double x, unsigned long long n, std::vector<long long> cycles)
{
    char value[32] = "-";
    if (x >= 0)
        snprintf(value, sizeof value, "%.10g", x);
    std::sort(cycles.begin(), cycles.end());
    printf("%s\t%s\t%llu\t%lld\t%lld\t%lld\n", name, value, n, cycles[cycles.size() / 2], cycles[0],
           cycles.back());
    fflush(stdout);
}

/* LAUNCH(cycles) runs a kernel that writes COUNT numbers to device memory; print a row for each,
 * named by NAMES. */
template <class Launch>
void sample_all(const char *const *names, int count, double x, unsigned long long n, Launch launch)
{
    static long long *cycles;
    if (!cycles)
        CHECK(cudaMalloc(&cycles, 64 * sizeof *cycles));
    const bool emulated = clocks().emulated;
    std::vector<std::vector<long long>> all(count);
    for (int k = 0; k < (emulated ? 2 : 10); k++) {
        long long got[64];
        launch(cycles);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(got, cycles, count * sizeof *cycles, cudaMemcpyDeviceToHost));
        for (int c = 0; k > 0 && c < count; c++)
            all[c].push_back(got[c]);
    }
    for (int c = 0; c < count; c++)
        row(names[c], x, n, all[c]);
}

template <class Launch>
void sample(const char *name, double x, unsigned long long n, Launch launch)
{
    sample_all(&name, 1, x, n, launch);
}

#endif
