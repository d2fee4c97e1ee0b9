/* The library for the labs of warpbook. The functions up to lab_end take five minutes to learn;
 * the functions after it are for chapters about time and streams.
 *
 *     nvcc -I common lab.cu && ./a.out              on a machine with a GPU
 *     nvcc -cudart shared -I common lab.cu          then ./warpbook exec ./a.out, without one
 *
 *   CUDA_CHECK(call)               stops with file, line and CUDA's error text if CALL fails
 *   lab_begin("04-...")            finds the device, prints its name, chooses the seed
 *   lab_array<T> a(n, LAB_RANDOM)  n ints, floats or other numbers on the device (a.device),
 * random, known to the host (a[i]); LAB_LETTERS: bytes of a text; LAB_ALIKE: equal but for one in
 * 4096; LAB_POISON: an output, filled with NaN or a marker. Guarded: a store past either end is
 * detected. (n, LAB_RANDOM, low, high) draws from another range than -1..1 or -1000..1000
 *   LAB_CHECK("kernel", n) {...}   runs the block for 20 sizes n from 1 to 100003 until one fails
 *   lab_case("block", b)           in a check: names the case being checked, for messages
 *   lab_expect(out, f, tol, why)   in a check: out[i] must be within TOL of f(i), for every i
 *   lab_elements(e, g)             how many elements to measure, on the emulator and on a GPU;
 *                                  fewer if the device's memory is small; WARPBOOK_N overrides both
 *   LAB_MEASURE("kernel", n, bytes) {...}   times the launch in the block: warm-up, 21 repeats, the
 *                                  median; BYTES is what the algorithm must move, and bytes over
 *                                  time is the effective bandwidth. Skipped after a failed check
 *   LAB_SWEEP("kernel", x, n, bytes) {...}  the same for one point x of a curve
 *   lab_curve("kernel")            before the LAB_SWEEPs of a curve on which no points rest: false
 *                                  when the run is graded, and the record says so
 *   LAB_ROUNDS {...}               around LAB_MEASUREs to compare with each other or with
 *                                  the copy: on a GPU they and the copy alternate in 21 rounds, and
 *                                  the record has every round's time
 *   LAB_GOAL("kernel", metric, relation, limit, why)   a goal for the counters: the relation
 *                                  is "at_most", "at_least" or "equal"; ./warpbook check judges it
 *   LAB_WORK("kernel", loads, stores, lanes)   four goals: at most so many load and store requests
 *                                  a warp, at least so many of 32 lanes active in an instruction,
 *                                  and no warp with over four times the average warp's work
 *   return lab_end();              prints the summary; 0 if every check passed, else 1
 *
 *   LAB_CHECK_UP_TO("kernel", n, most) {...}   LAB_CHECK with no size above MOST, at least 4096
 *   LAB_CHECK_AT("kernel", n) {...}   LAB_CHECK at one size, for instance for a time
 *   lab_choose(CHOICE, programs)   for an assignment with several programs: the number of the
 * program to run, from 1; 0: none yet, and lab_chosen(k) is true for all k lab_between(value, low,
 * high, what, why)   in a check: a number must lie in this interval lab_require(so, sentence) in a
 * check: SO must be true, else SENTENCE says what is wrong lab_time(work)                 the time
 * in ms of the operations that work() issues, measured as by LAB_MEASURE lab_time_percent(work,
 * other)  the time of work() in percent of that of other(), for lab_between; on a GPU the two
 * alternate lab_expect_overlap(work, serial, low, high)   in a check: the time of work(), in
 * several streams, in percent of that of serial(), in one lab_own_percent(mine, work)    likewise
 * the result of mine(), in ms, in percent of the time of work() lab_bound(within, bounds)      in a
 * break.cu: the choice must lie WITHIN its bounds, a sentence lab_launched()                 in a
 * break.cu, after a launch: ends the run if the launch failed LAB_TIMELINE {...}             runs
 * the block once and records when each operation of each stream ran, if WARPBOOK_TIMELINE is set
 *   lab_hold(stream)               blocks the stream: operations issued to it from now on wait
 *   lab_release()                  unblocks the stream; false if the host waited for it meanwhile
 *   lab_free_pinned(p)             free page-locked memory, or unlock registered memory
 *   lab_pinned(p, n)               true if these n floats are in page-locked host memory
 *   lab_free_pinned(p)             frees it, allocated or registered
 *
 * Times are modelled if the device is warpbook's emulator, and measured if it is a GPU.
 * WARPBOOK_SEED repeats a run's inputs, WARPBOOK_ONLY=check or =measure runs one half,
 * WARPBOOK_LARGEST=N leaves out the sizes of LAB_CHECK above N,
 * WARPBOOK_CURVES=0 makes lab_curve false,
 * WARPBOOK_RECORD=FILE appends every check and measurement to a tab-separated table. */
#ifndef WARPBOOK_LAB_H
#define WARPBOOK_LAB_H

#define LAB_CHECK(kernel, n)                                       \
    for (lab_check_run lab_checking(kernel); lab_checking.more();) \
        for (int n = lab_checking.size(), lab_once = 1; lab_once; lab_once = 0)

#define LAB_CHECK_UP_TO(kernel, n, most)                                    \
    for (lab_check_run lab_checking(kernel, 0, most); lab_checking.more();) \
        for (int n = lab_checking.size(), lab_once = 1; lab_once; lab_once = 0)

#define LAB_CHECK_AT(kernel, n)                                       \
    for (lab_check_run lab_checking(kernel, n); lab_checking.more();) \
        for (int lab_once = 1; lab_once; lab_once = 0)

#define LAB_TIMELINE for (lab_timeline_run lab_line; lab_line.more();)

#define LAB_MEASURE(kernel, n, bytes) \
    for (lab_measure_run lab_measuring(kernel, (long)(n), (double)(bytes)); lab_measuring.more();)

#define LAB_SWEEP(kernel, x, n, bytes)                                                   \
    for (lab_measure_run lab_measuring(kernel, (double)(x), (long)(n), (double)(bytes)); \
         lab_measuring.more();)

#define LAB_ROUNDS for (lab_rounds_run lab_rounding; lab_rounding.more();)

#define LAB_GOAL(kernel, metric, relation, limit, why) \
    lab_goal(kernel, metric, relation, (double)(limit), why)

#define LAB_WORK(kernels, loads, stores, lanes) lab_work(kernels, loads, stores, lanes)

#include "lab_array.h"
#include "lab_base.h"
#include "lab_check.h"
#include "lab_measure.h"
#include "lab_streams.h"
#include "lab_timeline.h"

static inline void lab_begin(const char *chapter)
{
    lab_state &run = lab_run();
    cudaDeviceProp device;
    int devices = 0;
    run.current = -1;
    cudaError_t error = cudaGetDeviceCount(&devices);
    if (error != cudaSuccess || devices == 0)
        lab_stop(3,
                 "No CUDA device: %s. Without a GPU, build with -cudart shared and run\n"
                 "    ./warpbook exec PROGRAM",
                 error == cudaSuccess ? "none is there" : cudaGetErrorString(error));
    CUDA_CHECK(cudaGetDeviceProperties(&device, 0));
    snprintf(run.device, sizeof run.device, "%s", device.name);
    const char *mark = strstr(run.device, "(warpbook)");
    run.emulated = mark && mark[strlen("(warpbook)")] == '\0';
    const char *only = getenv("WARPBOOK_ONLY");
    if (only && *only) {
        run.only_check = strcmp(only, "check") == 0;
        run.only_measure = strcmp(only, "measure") == 0;
        if (!run.only_check && !run.only_measure)
            lab_stop(2, "WARPBOOK_ONLY is '%s': give check or measure, or unset it.", only);
    }
    run.all_sizes = lab_env_number("WARPBOOK_ALL_SIZES", 0, 0, 1) == 1;
    run.no_curves = lab_env_number("WARPBOOK_CURVES", 1, 0, 1) == 0;
    run.largest = (long)lab_env_number("WARPBOOK_LARGEST", 0, 4096, 1 << 30);
    run.elements = (long)lab_env_number("WARPBOOK_N", 0, 1024, 1 << 30);
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t clock = ((uint64_t)now.tv_sec * 1000003u + (uint64_t)now.tv_nsec) % 1000000000u;
    run.seed = run.random = lab_env_number("WARPBOOK_SEED", clock, 0, UINT64_MAX);
    lab_open_record();
    run.begun = true;
    char seed[32];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)run.seed);
    lab_append_row("seed", "-", "-", seed, NULL, "-", "-");
    printf("%s\nDevice %s: sm_%d%d, %d SMs, times are %s\n", chapter, run.device, device.major,
           device.minor, device.multiProcessorCount, lab_source_of_times());
    printf("Seed %s (WARPBOOK_SEED=%s repeats these inputs)\n", seed, seed);
    fflush(stdout);
}

static inline void lab_goal_row(const char *kernel, const char *metric, const char *relation,
                                double limit, const char *why)
{
    char value[32];
    snprintf(value, sizeof value, "%g", limit);
    if (lab_run().goals++ == 0)
        printf("\nGoals (./warpbook check reads the counters)\n");
    lab_append_row("goal", kernel, metric, value, NULL, relation, why);
}

static inline void lab_goal(const char *kernel, const char *metric, const char *relation,
                            double limit, const char *why)
{
    char value[32];
    snprintf(value, sizeof value, "%g", limit);
    lab_goal_row(kernel, metric, relation, limit, why);
    printf("  %s: %s %s %s\n", kernel, metric,
           strcmp(relation, "equal") == 0     ? "equal to"
           : strcmp(relation, "at_most") == 0 ? "at most"
                                              : "at least",
           value);
}

/* Goals that each element is loaded and stored once and that the work is shared by all lanes, warps
 * and blocks. KERNELS: names, separated by blanks. LOADS includes elements loaded twice (halos). */
static inline void lab_work(const char *kernels, double loads, double stores, double lanes)
{
    char kernel[64];
    for (int used; sscanf(kernels, " %63s%n", kernel, &used) == 1; kernels += used) {
        lab_goal_row(kernel, "load_requests_per_warp", "at_most", loads, "load each element once");
        lab_goal_row(kernel, "store_requests_per_warp", "at_most", stores, "store each once");
        lab_goal_row(kernel, "lanes_per_instruction", "at_least", lanes,
                     "let the lanes of a warp share the work");
        lab_goal_row(kernel, "busiest_warp", "at_most", 4, "let warps and blocks share the work");
        printf("  %s: at most %g loads and %g stores per warp, work shared\n", kernel, loads,
               stores);
    }
}

/* Set the program to run: number CHOICE of PROGRAMS, or WARPBOOK_CHOICE if it is set; 0: all
 * programs. */
static inline void lab_choose(int choice, int programs)
{
    lab_state &run = lab_run();
    run.choice = (int)lab_env_number("WARPBOOK_CHOICE", (uint64_t)choice, 0, (uint64_t)programs);
    if (run.choice < 0 || run.choice > programs)
        lab_stop(2, "CHOICE is %d: make it a number from 1 to %d.", choice, programs);
    if (run.choice == 0)
        printf("CHOICE is 0: all %d programs run. Points are for one: write its number there.\n",
               programs);
}

static inline bool lab_chosen(int program)
{
    return lab_run().choice == 0 || lab_run().choice == program;
}

static inline int lab_end(void)
{
    lab_state &run = lab_run();
    lab_record_end_of_checks();
    if (run.record)
        fclose(run.record);
    run.record = NULL;
    if (run.only_measure && !run.device_lost) {
        printf("\nMeasured; nothing was checked.\n");
        return 0;
    }
    if (run.failures > 0) {
        printf("\n%d of %d checks failed. Begin with %s.\n", run.failures, run.checks,
               [&]() -> const char * {
                   for (int i = 0; i < run.checks; i++)
                       if (run.variant[i].failed)
                           return run.variant[i].name;
                   return "-";
               }());
        return 1;
    }
    if (run.checks == 0 || run.device_lost) {
        printf("\nNothing was checked.\n");
        return 1;
    }
    printf("\nAll %d checks passed.\n", run.checks);
    return 0;
}

#endif
