/* Shared by all timing programs of tests/hardware/timings: prints rows of a record
 * (docs/FORMATS.md), each with the median of CUDA-event times after a warm-up. The
 * emulator's modelled clock is exactly repeatable, so one warm-up launch and one timed launch are
 * enough there.
 *
 * Measurements with more than 2^TIMINGS_LOG2 elements are left out (environment variable). */
#ifndef TIMINGS_RECORD_H
#define TIMINGS_RECORD_H

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

struct timings_state {
    bool emulated;    /* the device is the emulator, not a GPU */
    int log2_most;    /* larger measurements have more than 2^log2_most elements and are left out */
    char device[256]; /* name of the device */

    timings_state()
    {
        cudaDeviceProp properties;
        CHECK(cudaGetDeviceProperties(&properties, 0));
        snprintf(device, sizeof device, "%s", properties.name);
        emulated = strstr(device, "(warpbook)") != NULL;
        const char *most = getenv("TIMINGS_LOG2");
        log2_most = most && *most ? atoi(most) : 28;
        puts("kind\tname\tx\tn\tbytes\tms\tgbs\tstatus\tsource\tdevice\tdetail");
    }
};

inline timings_state &timings()
{
    static timings_state state;
    return state;
}

inline bool fits(size_t n)
{
    return n <= (size_t)1 << timings().log2_most;
}

/* Write one row. X < 0: no sweep value. BYTES: number of bytes that the algorithm must move; 0:
 * print no bandwidth. */
inline void row(const char *name, double x, size_t n, double bytes, double ms)
{
    char value[32] = "-", moved[32] = "-", rate[32] = "-";
    if (x >= 0)
        snprintf(value, sizeof value, "%.10g", x);
    if (bytes > 0) {
        snprintf(moved, sizeof moved, "%.0f", bytes);
        snprintf(rate, sizeof rate, "%.5g", bytes / ms / 1e6);
    }
    printf("measure\t%s\t%s\t%zu\t%s\t%.6g\t%s\t-\t%s\t%s\t-\n", name, value, n, moved, ms, rate,
           timings().emulated ? "modelled" : "measured", timings().device);
    fflush(stdout);
}

/* The median times of WORKS, one after another in turn, on the default stream, in ms. Each runs at
 * least 21 times, and more often if the first is short. */
template <class... Works> std::vector<double> medians_ms(Works... works)
{
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    std::vector<float> ms[sizeof...(works)];
    size_t warm = timings().emulated ? 1 : 3, repeats = timings().emulated ? 1 : 21;
    for (size_t i = 0; i < warm + repeats; i++) {
        size_t which = 0;
        const auto once = [&](auto work) {
            float took;
            CHECK(cudaEventRecord(start));
            work();
            CHECK(cudaEventRecord(stop));
            CHECK(cudaGetLastError());
            CHECK(cudaEventSynchronize(stop));
            CHECK(cudaEventElapsedTime(&took, start, stop));
            if (i >= warm)
                ms[which].push_back(took);
            if (i == warm && which == 0 && !timings().emulated && took < 0.1f)
                repeats = 101;
            which++;
        };
        (once(works), ...);
    }
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    std::vector<double> medians;
    for (std::vector<float> &of : ms) {
        std::sort(of.begin(), of.end());
        medians.push_back(of[of.size() / 2]);
    }
    return medians;
}

template <class Work> double median_ms(Work work)
{
    return medians_ms(work)[0];
}

template <class Work> void measure(const char *name, double x, size_t n, double bytes, Work work)
{
    row(name, x, n, bytes, median_ms(work));
}

/* Device memory filled with bit patterns that are small numbers both as floats and as ints. */
template <class T> struct device_array {
    T *p;
    explicit device_array(size_t n)
    {
        CHECK(cudaMalloc(&p, n * sizeof(T)));
        CHECK(cudaMemset(p, 0, n * sizeof(T)));
    }
    ~device_array()
    {
        cudaFree(p);
    }
    device_array(const device_array &) = delete;
    device_array &operator=(const device_array &) = delete;
};

inline unsigned blocks_for(size_t n, size_t block)
{
    return (unsigned)((n + block - 1) / block);
}

#endif
