/* Measurements: events around a launch, warm-up, median, effective bandwidth, and a copy to
 * compare with. On the emulator the clock is modelled and repeats to the digit: one run after one
 * that fills the caches will do. */
#ifndef WARPBOOK_LAB_MEASURE_H
#define WARPBOOK_LAB_MEASURE_H

#include "lab_array.h"

/* What came first after a pause took an eighth longer on an H200, for all of its 24 launches: on a
 * GPU a warm-up lasts LAB_WARM_MS at least. */
enum { LAB_WARM_UP = 3, LAB_WARM_MS = 40, LAB_REPEATS = 21, LAB_BAR = 13 };

/* The copy that the variants are held against: 16 bytes a thread. N4: number of float4. */
static __global__ void lab_copy(float4 *out, const float4 *in, int n4)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n4)
        out[i] = in[i];
}

static inline void lab_print_row(const char *name, const char *x, double ms, double gbs)
{
    lab_state &run = lab_run();
    double part = run.copy_gbs > 0 ? gbs / run.copy_gbs : 0;
    int length = (int)(part * LAB_BAR + 0.5);
    char bar[LAB_BAR + 1];
    length = length > LAB_BAR ? LAB_BAR : length;
    memset(bar, run.emulated ? ':' : '#', sizeof bar);
    bar[length] = '\0';
    printf("  %-24s %5s %10.4f %9.1f %5.0f %%  %s\n", name, x, ms, gbs, 100 * part, bar);
    fflush(stdout);
}

static inline double lab_median(float *ms, int count)
{
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && ms[j - 1] > ms[j]; j--) {
            float swap = ms[j];
            ms[j] = ms[j - 1];
            ms[j - 1] = swap;
        }
    return ms[count / 2];
}

/* Milliseconds, as LAB_MEASURE takes them, for what work() issues to the default stream, or to
 * streams that wait for it. For checks that are about time; nothing is recorded. */
template <class F> static double lab_time(F work)
{
    bool emulated = lab_run().emulated;
    int warm_up = emulated ? 1 : LAB_WARM_UP, turns = warm_up + (emulated ? 1 : LAB_REPEATS);
    float ms[LAB_REPEATS] = {0};
    cudaEvent_t start, stop;
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    for (int turn = 0; turn < turns && !lab_failed(); turn++) {
        CUDA_CHECK(cudaEventRecord(start));
        work();
        CUDA_CHECK(cudaEventRecord(stop));
        CUDA_CHECK(cudaEventSynchronize(stop));
        CUDA_CHECK(cudaEventElapsedTime(&ms[turn < warm_up ? 0 : turn - warm_up], start, stop));
    }
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    return lab_median(ms, turns - warm_up);
}

/* What stands behind LAB_MEASURE and LAB_SWEEP: the body is the launch, run once a repeat. */
struct lab_measure_run {
    lab_measure_run(const char *kind, const char *name, const char *x, long n, double bytes)
        : kind(kind), name(name), n(n), bytes(bytes), turn(-1), start(NULL), stop(NULL)
    {
        snprintf(this->x, sizeof this->x, "%s", x);
        warm_up = lab_run().emulated ? 1 : LAB_WARM_UP;
        turns = warm_up + (lab_run().emulated ? 1 : LAB_REPEATS);
    }

    lab_measure_run(const char *name, long n, double bytes);
    lab_measure_run(const char *name, double x, long n, double bytes);

    bool more(void)
    {
        if (turn < 0) {
            if (!wanted())
                return false;
            CUDA_CHECK(cudaEventCreate(&start));
            CUDA_CHECK(cudaEventCreate(&stop));
            begun = now_ms();
        } else {
            float took = 0;
            CUDA_CHECK(cudaEventRecord(stop));
            CUDA_CHECK(cudaGetLastError());
            CUDA_CHECK(cudaEventSynchronize(stop));
            CUDA_CHECK(cudaEventElapsedTime(&took, start, stop));
            if (turn >= warm_up)
                ms[turn - warm_up] = took;
            if (turn == warm_up - 1 && !lab_run().emulated && now_ms() - begun < LAB_WARM_MS)
                turn--; // once more
        }
        if (++turn == turns) {
            finish();
            return false;
        }
        CUDA_CHECK(cudaEventRecord(start));
        return true;
    }

  private:
    const char *kind, *name;
    char x[32];
    long n;
    double bytes;
    int turn, turns, warm_up;
    cudaEvent_t start, stop;
    float ms[LAB_REPEATS];
    double begun; /* the warm-up, in ms */

    static double now_ms(void)
    {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
    }

    bool wanted(void)
    {
        lab_state &run = lab_run();
        if (run.only_check || run.device_lost)
            return false;
        lab_variant *variant = lab_find(name);
        if (variant && variant->failed) {
            printf("  %-24s %5s   not measured: its check failed\n", name, x);
            return false;
        }
        return true;
    }

    void finish(void)
    {
        lab_state &run = lab_run();
        int count = turns - warm_up;
        double median = lab_median(ms, count), gbs = median > 0 ? bytes / median / 1e6 : 0;
        char size[32], numbers[96];
        if (strcmp(kind, "copy") == 0)
            run.copy_gbs = gbs;
        snprintf(size, sizeof size, "%ld", n);
        snprintf(numbers, sizeof numbers, "%.0f\t%.6g\t%.6g", bytes, median, gbs);
        lab_record(kind, name, x, size, numbers, "-", "-");
        lab_print_row(name, x, median, gbs);
        CUDA_CHECK(cudaEventDestroy(start));
        CUDA_CHECK(cudaEventDestroy(stop));
    }
};

/* The heading of the table and its first row, the device's own copy; once a run. */
static inline void lab_measure_copy(long n)
{
    lab_state &run = lab_run();
    if (run.copy_gbs > 0 || run.only_check || run.device_lost)
        return;
    if (run.copy_elements > 0)
        n = run.copy_elements;
    long n4 = n < 4 ? 1 : n / 4;
    printf("\nEffective bandwidth, %s: %s, %ld elements%s\n", lab_source(), run.device, n,
           run.emulated ? "" : ", medians");
    printf("  %-24s %5s %10s %9s %7s\n", "variant", "x", "ms", "GB/s", "of copy");
    lab_array<float> in(4 * n4), out(4 * n4, LAB_POISON);
    unsigned blocks = (unsigned)((n4 + 255) / 256);
    for (lab_measure_run copy("copy", "copy", "-", 4 * n4, 32.0 * (double)n4); copy.more();)
        lab_copy<<<blocks, 256>>>((float4 *)out.device, (const float4 *)in.device, (int)n4);
}

inline lab_measure_run::lab_measure_run(const char *name, long n, double bytes)
    : lab_measure_run("measure", name, "-", n, bytes)
{
    lab_measure_copy(n);
}

inline lab_measure_run::lab_measure_run(const char *name, double x, long n, double bytes)
    : lab_measure_run("measure", name, "-", n, bytes)
{
    snprintf(this->x, sizeof this->x, "%g", x);
    lab_measure_copy(n);
}

/* How many elements to measure with; see lab.h. */
static inline long lab_elements(long emulated, long gpu)
{
    lab_state &run = lab_run();
    size_t free_bytes = 0, total = 0;
    long n = run.elements > 0 ? run.elements : run.emulated ? emulated : gpu;
    CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total));
    while (n > 1024 && (double)n * 4 * 4 > 0.8 * (double)free_bytes)
        n /= 2;
    run.copy_elements = n;
    return n;
}

#endif
