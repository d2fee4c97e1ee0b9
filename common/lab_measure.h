/* Measurements: events around a launch, warm-up, median, effective bandwidth, and a copy for
 * comparison. On the emulator times are modelled: repeatable, and equal without a warm-up run. */
#ifndef WARPBOOK_LAB_MEASURE_H
#define WARPBOOK_LAB_MEASURE_H

#include "lab_check.h"

/* On a GPU the warm-up lasts at least LAB_WARM_MS: on an H200, the first 24 launches after a pause
 * took 12 % longer. */
enum {
    LAB_WARM_UPS = 3,  /* launches before the timed ones, at least */
    LAB_WARM_MS = 40,  /* time that these launches take, at least, in milliseconds */
    LAB_REPEATS = 21,  /* timed launches, of which the median counts */
    LAB_TRIM = 3,      /* ratios left out at each end of a sorted list */
    LAB_BAR_WIDTH = 13 /* characters of the longest bar in the table of bandwidths */
};

/* The copy kernel that variants are compared with: 16 bytes per thread. N4: number of float4. */
static __global__ void lab_copy(float4 *out, const float4 *in, int n4)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n4)
        out[i] = in[i];
}

/* Append a row with a time to the record. */
static inline void lab_record_time(const char *kind, const char *name, const char *x, long n,
                                   double bytes, double ms, const char *status)
{
    char size[32], numbers[96];
    snprintf(size, sizeof size, "%ld", n);
    snprintf(numbers, sizeof numbers, "%.0f\t%.6g\t%.6g", bytes, ms, ms > 0 ? bytes / ms / 1e6 : 0);
    lab_append_row(kind, name, x, size, numbers, status, "-");
}

static inline void lab_print_row(const char *name, const char *x, double ms, double gbs)
{
    lab_state &run = lab_run();
    double part = run.copy_gbs > 0 ? gbs / run.copy_gbs : 0;
    int length = (int)(part * LAB_BAR_WIDTH + 0.5);
    char bar[LAB_BAR_WIDTH + 1];
    length = length > LAB_BAR_WIDTH ? LAB_BAR_WIDTH : length;
    memset(bar, run.emulated ? ':' : '#', sizeof bar);
    bar[length] = '\0';
    printf("  %-24s %5s %10.4f %9.1f %5.0f %%  %s\n", name, x, ms, gbs, 100 * part, bar);
    fflush(stdout);
}

/* Sort VALUES and return the median. */
template <class T> static double lab_median(T *values, int count)
{
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && values[j - 1] > values[j]; j--) {
            T swap = values[j];
            values[j] = values[j - 1];
            values[j - 1] = swap;
        }
    return values[count / 2];
}

static inline double lab_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

/* Two events, and a function that returns the milliseconds between them. */
struct lab_stopwatch {
    cudaEvent_t start, stop; /* events before and after the work that is timed */

    lab_stopwatch(void)
    {
        CUDA_CHECK(cudaEventCreate(&start));
        CUDA_CHECK(cudaEventCreate(&stop));
    }

    ~lab_stopwatch(void)
    {
        CUDA_CHECK(cudaEventDestroy(start));
        CUDA_CHECK(cudaEventDestroy(stop));
    }

    template <class F> float time(F work) // milliseconds that the device needs for work()
    {
        float ms = 0;
        CUDA_CHECK(cudaEventRecord(start));
        work();
        CUDA_CHECK(cudaEventRecord(stop));
        CUDA_CHECK(cudaEventSynchronize(stop));
        CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
        return ms;
    }
};

/* The median time of work() in milliseconds, measured as by LAB_MEASURE. work() issues to the
 * default stream, or to streams that wait for it. For checks about time; nothing is recorded. */
template <class F> static double lab_time(F work)
{
    bool emulated = lab_run().emulated;
    int warm_up = emulated ? 0 : LAB_WARM_UPS, repeats = warm_up + (emulated ? 1 : LAB_REPEATS);
    float ms[LAB_REPEATS] = {0};
    lab_stopwatch watch;
    for (int repeat = 0; repeat < repeats && !lab_failed(); repeat++)
        ms[repeat < warm_up ? 0 : repeat - warm_up] = watch.time(work);
    return lab_median(ms, repeats - warm_up);
}

/* A ratio in percent: the median of several measurements, and the interval that contains the true
 * value. */
struct lab_percent {
    double median, low, high; /* the median; ends of its confidence interval */
};

/* The result of mine() in percent of the result of others(). On a GPU the two alternate, because
 * the state of the device drifts, and each pair gives one ratio. If all but LAB_TRIM of 21 ratios
 * are on one side of a limit, that happens by chance once in 1300 times. On the emulator: one
 * pair. */
template <class F, class G> static lab_percent lab_pairs_percent(F mine, G others)
{
    const int warm_up = lab_run().emulated ? 0 : LAB_WARM_UPS;
    const int pairs = lab_run().emulated ? 1 : LAB_REPEATS, few = lab_run().emulated ? 0 : LAB_TRIM;
    double share[LAB_REPEATS] = {0};
    for (int pair = -warm_up; pair < pairs && !lab_failed(); pair++) {
        double first = mine(), second = others();
        share[pair < 0 ? 0 : pair] = second > 0 ? 100 * first / second : 0;
    }
    double median = lab_median(share, pairs); /* also sorts */
    return {median, share[few], share[pairs - 1 - few]};
}

/* The result of mine(), in ms, in percent of the time of work(). */
template <class F, class G> static lab_percent lab_own_percent(F mine, G work)
{
    lab_stopwatch watch;
    return lab_pairs_percent(mine, [&] { return watch.time(work); });
}

/* The time of work() in percent of the time of other(). */
template <class F, class G> static lab_percent lab_time_percent(F work, G other)
{
    if (lab_run().emulated) {
        double share = 100 * lab_time(work) / lab_time(other);
        return {share, share, share};
    }
    lab_stopwatch watch;
    return lab_pairs_percent([&] { return watch.time(work); }, [&] { return watch.time(other); });
}

/* Require that a ratio lies between LOW and HIGH, as far as its spread permits that conclusion. */
static inline void lab_between(const lab_percent &share, double low, double high, const char *what,
                               const char *why)
{
    bool within = share.low <= high && share.high >= low;
    lab_between(within ? fmin(fmax(share.median, low), high) : share.median, low, high, what, why);
}

/* Require that work(), in several streams, takes LOW to HIGH percent of the time of serial(), the
 * same operations in one stream. Below LOW it cannot have done, or waited for, all of them. */
template <class F, class G>
static void lab_expect_overlap(F work, G serial, double low, double high)
{
    lab_between(lab_time_percent(work, serial), low, high,
                "the pipeline's time in % of that in one stream",
                "50 at best, if the kernel takes no longer than a copy");
}

/* The measured times of one variant, or of the copy. */
struct lab_timing {
    const char *kind; /* "measure", or "copy" for the device's own copy */
    char name[LAB_NAME], x[32]; /* name of the variant; value of the swept parameter, or "-" */
    long n; /* number of elements */
    double bytes; /* bytes that the algorithm must move */
    float ms[LAB_REPEATS]; /* [count] measured times in milliseconds */
    int count; /* number of measured times */
};

/* Print and record the median. Sorts the times. */
static inline void lab_report_timing(lab_timing &timing)
{
    double median = lab_median(timing.ms, timing.count);
    double gbs = median > 0 ? timing.bytes / median / 1e6 : 0;
    if (strcmp(timing.kind, "copy") == 0)
        lab_run().copy_gbs = gbs;
    lab_record_time(timing.kind, timing.name, timing.x, timing.n, timing.bytes, median, "-");
    lab_print_row(timing.name, timing.x, median, gbs);
}

/* Implements LAB_MEASURE and LAB_SWEEP: runs the body, which is the launch, once per repeat. Inside
 * LAB_ROUNDS it runs twice per round: once so that the caches contain what the variant itself left
 * there, as between two repeats, and once timed. */
struct lab_measure_run {
    lab_measure_run(const char *kind, const char *name, const char *x, long n, double bytes)
        : own(), repeat(-1), start(NULL), stop(NULL)
    {
        bool once = lab_run().emulated || lab_run().rounds;
        own.kind = kind;
        own.n = n;
        own.bytes = bytes;
        snprintf(own.name, sizeof own.name, "%s", name);
        snprintf(own.x, sizeof own.x, "%s", x);
        /* Modelled times assume warm caches, but the first launch of a program takes longer. */
        bool cold = lab_run().emulated && strcmp(kind, "copy") != 0;
        warm_up = cold ? 0 : once ? 1 : LAB_WARM_UPS;
        repeats = warm_up + (once ? 1 : LAB_REPEATS);
    }

    lab_measure_run(const char *name, long n, double bytes);
    lab_measure_run(const char *name, double x, long n, double bytes);

    bool more(void) // the body runs once more
    {
        if (repeat < 0) {
            if (!wanted())
                return false;
            CUDA_CHECK(cudaEventCreate(&start));
            CUDA_CHECK(cudaEventCreate(&stop));
            begun = lab_now_ms();
            if (lab_run().emulated) /* on a GPU the user's profiler settings select the launches */
                CUDA_CHECK(cudaProfilerStart());
        } else {
            float took = 0;
            CUDA_CHECK(cudaEventRecord(stop));
            CUDA_CHECK(cudaGetLastError());
            CUDA_CHECK(cudaEventSynchronize(stop));
            CUDA_CHECK(cudaEventElapsedTime(&took, start, stop));
            if (repeat >= warm_up)
                own.ms[own.count++] = took;
            if (repeat == warm_up - 1 && warm_up > 1 && lab_now_ms() - begun < LAB_WARM_MS)
                repeat--; // run the body again
        }
        if (++repeat == repeats) {
            if (lab_run().emulated)
                CUDA_CHECK(cudaProfilerStop());
            finish();
            return false;
        }
        CUDA_CHECK(cudaEventRecord(start));
        return true;
    }

  private:
    lab_timing own; /* times of the variant that this LAB_MEASURE measures */
    int repeat; /* index of the present launch */
    int repeats, warm_up; /* number of launches; number of those at the start that are not timed */
    cudaEvent_t start, stop; /* events before and after a launch */
    double begun; /* time of the first launch, by lab_now_ms */

    bool wanted(void); /* whether the variant is measured in this run */
    void finish(void); /* print and record the times */
};

/* Measures the device's own copy of N elements, rounded down to a whole number of float4. */
struct lab_copy_run {
    long n4;
    lab_array<float> in, out;

    explicit lab_copy_run(long n) : n4(n < 4 ? 1 : n / 4), in(4 * n4), out(4 * n4, LAB_POISON) {}

    void measure(void) // launch and time the copy
    {
        unsigned blocks = (unsigned)((n4 + 255) / 256);
        for (lab_measure_run copy("copy", "copy", "-", 4 * n4, 32.0 * (double)n4); copy.more();)
            lab_copy<<<blocks, 256>>>((float4 *)out.device, (const float4 *)in.device, (int)n4);
    }
};

static inline void lab_print_heading(long n)
{
    lab_state &run = lab_run();
    lab_record_end_of_checks();
    printf("\nEffective bandwidth, %s: %s, %ld elements%s\n", lab_source_of_times(), run.device, n,
           run.emulated ? "" : ", medians");
    printf("  %-24s %5s %10s %9s %7s\n", "variant", "x", "ms", "GB/s", "of copy");
}

/* Implements LAB_ROUNDS. On a GPU every round measures the device's own copy and then each
 * LAB_MEASURE of the body once, so that a temporary slowdown of the device affects all of them.
 * Each round gives one ratio of two variants. */
struct lab_rounds_run {
    lab_rounds_run(void)
        : plain(lab_run().emulated || lab_run().only_check || lab_run().device_lost), round(-1),
          warm(0), begun(0), copy(NULL), copied(false), timings(0)
    {
        if (lab_run().rounds)
            lab_stop(2, "LAB_ROUNDS is nested in another LAB_ROUNDS.");
    }

    bool more(void) // the body runs once more
    {
        if (plain)
            return ++round == 0;
        if (round < 0) {
            lab_run().rounds = this;
            begun = lab_now_ms();
            round = 0;
        } else if (warming()) {
            warm = warm + 1 < LAB_WARM_UPS || lab_now_ms() - begun >= LAB_WARM_MS ? warm + 1 : warm;
        } else {
            round++;
        }
        copied = false;
        if (round < LAB_REPEATS)
            return true;
        finish();
        return false;
    }

    /* Measure the copy before the first variant of each round. N: elements of the variant. */
    void measure_copy(long n) // time the device's own copy, once in each round
    {
        if (copied || lab_run().device_lost)
            return;
        copied = true;
        if (!copy) {
            if (!(lab_run().copy_gbs > 0))
                lab_print_heading(n);
            copy = new lab_copy_run(n);
        }
        copy->measure();
    }

    /* True: this is the round in which one-time messages are printed. */
    bool first(void) const // messages are printed in this round only
    {
        return warm == 0;
    }

    void keep(const lab_timing &once) // store the time of one round
    {
        int i = 0;
        if (warming())
            return;
        while (i < timings &&
               (strcmp(timing[i].name, once.name) != 0 || strcmp(timing[i].x, once.x) != 0))
            i++;
        if (i == LAB_MAX_VARIANTS)
            lab_stop(2, "LAB_ROUNDS takes at most %d variants.", (int)LAB_MAX_VARIANTS);
        if (i == timings) {
            timing[timings] = once;
            timing[timings++].count = 0;
        }
        timing[i].ms[timing[i].count++] = once.ms[0];
    }

  private:
    enum { LAB_MAX_VARIANTS = 16 }; /* variants in one LAB_ROUNDS */
    bool plain;      /* the body runs only once: times are modelled, or nothing is measured */
    int round, warm; /* index of the timed round; number of untimed rounds before it, so far */
    double begun;    /* time of the first round, by lab_now_ms */
    lab_copy_run *copy; /* measures the device's own copy; NULL: not needed */
    bool copied; /* the device's own copy has been measured in this round */
    lab_timing timing[LAB_MAX_VARIANTS]; /* [timings] times of each variant, one per round */
    int timings; /* number of variants measured so far */

    bool warming(void) const // this round is not timed: it warms the device up
    {
        return warm < LAB_WARM_UPS;
    }

    void finish(void)
    {
        for (int i = 0; i < timings; i++) {
            for (int k = 0; k < timing[i].count; k++) {
                char number[16];
                snprintf(number, sizeof number, "%d", k + 1);
                lab_record_time("round", timing[i].name, timing[i].x, timing[i].n, timing[i].bytes,
                                timing[i].ms[k], number);
            }
        }
        bool copy_is_known = lab_run().copy_gbs > 0;
        for (int i = 0; i < timings; i++)
            if (!copy_is_known || strcmp(timing[i].kind, "copy") != 0)
                lab_report_timing(timing[i]);
        delete copy;
        lab_run().rounds = NULL;
    }
};

inline bool lab_measure_run::wanted(void)
{
    lab_state &run = lab_run();
    if (run.only_check || run.device_lost)
        return false;
    lab_variant *variant = lab_find_variant(own.name);
    if (variant && variant->failed) {
        if (!run.rounds || run.rounds->first())
            printf("  %-24s %5s   not measured: its check failed\n", own.name, own.x);
        return false;
    }
    return true;
}

inline void lab_measure_run::finish(void)
{
    if (lab_run().rounds)
        lab_run().rounds->keep(own);
    else
        lab_report_timing(own);
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
}

/* Print the heading of the table and measure the device's own copy: once per run, or once per
 * round. */
static inline void lab_measure_copy(long n)
{
    lab_state &run = lab_run();
    if (run.copy_elements > 0)
        n = run.copy_elements;
    if (run.rounds)
        return run.rounds->measure_copy(n);
    if (run.copy_gbs > 0 || run.only_check || run.device_lost)
        return;
    lab_print_heading(n);
    lab_copy_run(n).measure();
}

inline lab_measure_run::lab_measure_run(const char *name, long n, double bytes)
    : lab_measure_run("measure", name, "-", n, bytes)
{
    lab_measure_copy(n);
}

inline lab_measure_run::lab_measure_run(const char *name, double x, long n, double bytes)
    : lab_measure_run("measure", name, "-", n, bytes)
{
    snprintf(own.x, sizeof own.x, "%g", x);
    lab_measure_copy(n);
}

/* True: this run measures the curve NAME, which earns no points. If it does not, the record
   has a row `left_out`. */
static inline bool lab_curve(const char *name)
{
    lab_state &run = lab_run();
    if (run.no_curves)
        lab_append_row("left_out", name, "-", "-", NULL, "-", "-");
    return !run.no_curves;
}

/* The number of elements to measure with; lab.h explains the arguments. The device's
 * own copy has as many elements as the first call returns. */
static inline long lab_elements(long emulated, long gpu)
{
    lab_state &run = lab_run();
    size_t free_bytes = 0, total = 0;
    long n = run.elements > 0 ? run.elements : run.emulated ? emulated : gpu;
    CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total));
    while (n > 1024 && (double)n * 4 * 4 > 0.8 * (double)free_bytes)
        n /= 2;
    if (run.copy_elements == 0)
        run.copy_elements = n;
    return n;
}

#endif
