/* Measures the speed of the emulated SM: 10^9 lane-instructions per second with bounds checks, on
 * one and two host threads, with and without counters; the cost of a launch; the cost of a thread
 * for few to many threads; and the time to load PTX.
 *
 *   bench_sm KERNELS.ptx all measurements
 *   bench_sm KERNELS.ptx KERNEL      the row of one kernel
 *   bench_sm KERNELS.ptx --scaling   two host threads over one, by launches in turn
 *   bench_sm KERNELS.ptx --loaded    the cost of host threads on a machine that others use too
 *   bench_sm KERNELS.ptx --threads   prints "KERNEL seconds per thread" on one core, for comparison
 */
#include "emulator/compile/program.h"
#include "emulator/core/observer.h"
#include "emulator/core/sm.h"
#include "emulator/exec/level.h"
#include "emulator/launch/launch.h"
#include "emulator/memory/memory.h"
#include "emulator/sanitizer/init/written.h"
#include "emulator/sanitizer/kinds.h"
#include "emulator/sanitizer/watch.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void die(const char *what)
{
    fprintf(stderr, "bench_sm: %s\n", what);
    exit(1);
}

static char *read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        die(path);
    char *text = NULL;
    FILE *to = open_memstream(&text, size);
    char part[4096];
    size_t n;
    while ((n = fread(part, 1, sizeof part, f)) > 0)
        fwrite(part, 1, n, to);
    fclose(f);
    fclose(to);
    return text;
}

static clockid_t clock_of_launches = CLOCK_MONOTONIC;

static double read_clock(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double now(void)
{
    return read_clock(clock_of_launches);
}

typedef struct bench {
    const char *kernel;         /* name of the kernel */
    uint32_t grid[3], block[3]; /* blocks of the grid, threads of a block, in x, y, z */
    uint64_t elements[3];       /* number of 4-byte elements in each buffer */
    uint32_t buffers;           /* number of buffers that the kernel takes */
    int n; /* the kernel's last argument, mostly the number of elements; 0: it has none */
} bench;

static const bench benches[] = {
    {"stencil", {8192, 1, 1}, {256, 1, 1}, {2097160, 2097152}, 2, 2097152},
    {"fma_loop", {1024, 1, 1}, {256, 1, 1}, {262144, 262144}, 2, 262144},
    {"reduce", {8192, 1, 1}, {256, 1, 1}, {2097152, 8192}, 2, 2097152},
    {"matmul", {16, 16, 1}, {16, 16, 1}, {65536, 65536, 65536}, 3, 256},
    {"transpose", {32, 32, 1}, {32, 8, 1}, {1048576, 1048576}, 2, 0},
    {"histogram", {512, 1, 1}, {256, 1, 1}, {2097152, 256}, 2, 2097152},
    {"nbody", {8, 1, 1}, {256, 1, 1}, {8192, 8192}, 2, 2048},
    {"mandelbrot", {32, 32, 1}, {16, 16, 1}, {1, 262144}, 2, 512},
    {"strided", {1024, 1, 1}, {256, 1, 1}, {8388616, 262144}, 2, 262144},
    {"gather", {1024, 1, 1}, {256, 1, 1}, {1048576, 262144}, 2, 262144},
    {"atomics", {1024, 1, 1}, {256, 1, 1}, {262144, 1024}, 2, 262144},
    {"scan_shuffle", {4096, 1, 1}, {256, 1, 1}, {1048576, 1048576}, 2, 1048576},
    {"bitonic", {256, 1, 1}, {256, 1, 1}, {131072, 131072}, 2, 0},
    {"collatz", {512, 1, 1}, {256, 1, 1}, {1, 131072}, 2, 131072},
    {"doubles", {1024, 1, 1}, {256, 1, 1}, {524288, 524288}, 2, 262144},
    {"halves", {1024, 1, 1}, {256, 1, 1}, {262144, 262144}, 2, 262144},
    {"tensor_matmul", {32, 1, 1}, {256, 1, 1}, {32768, 32768, 65536}, 3, 256},
    {"producer_consumer", {128, 1, 1}, {256, 1, 1}, {1048576, 16384}, 2, 8192},
    {"bulk_copies", {128, 1, 1}, {256, 1, 1}, {1048576, 1048576}, 2, 8192},
    {"few_words", {1024, 1, 1}, {256, 1, 1}, {262144, 256}, 2, 262144},
    {"many_words", {1024, 1, 1}, {256, 1, 1}, {262144, 4194304}, 2, 262144},
    {"watch_clock", {64, 1, 1}, {256, 1, 1}, {1, 16384}, 2, 1},
};

typedef struct outcome {
    double rate, seconds;       /* 10^9 lane-instructions per second; seconds of the run */
    uint64_t lane_instructions; /* instructions executed, times their active lanes */
} outcome;

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static sm_launch make_launch(const ptx_func *kernel, uint32_t blocks, const void *params)
{
    return (sm_launch){.kernel = kernel,
                       .grid = {blocks, 1, 1},
                       .block = {256, 1, 1},
                       .params = params,
                       .sm_count = 132,
                       .l1_bytes = 256 << 10,
                       .clock_mhz = 1980};
}

/* Run time in seconds of the fastest of TURNS launches. */
static double fastest_run_seconds(sm_program *p, const sm_launch *launch, int turns,
                                  uint64_t *lanes)
{
    double best = 1e9;
    for (int turn = 0; turn < turns; turn++) {
        sm_result result;
        const double start = now();
        if (!launch_run(p, launch, &result))
            die(result.fault.text);
        const double seconds = now() - start;
        best = seconds < best ? seconds : best;
        if (lanes)
            *lanes = result.total.v[CTR_thread_inst];
        launch_result_clear(&result);
    }
    return best;
}

static uint64_t device_zeros(uint64_t bytes)
{
    const uint64_t at = mem_alloc(bytes, 256, MEM_DEVICE, NULL);
    void *host = at ? mem_host_pointer(at, bytes) : NULL;
    if (!host)
        die("device memory is exhausted");
    memset(host, 0, bytes);
    static const san_caller nobody;
    san_add_unwritten(at, bytes, &nobody);
    san_mark_written(at, bytes);
    return at;
}

enum { MOST_PARAMS = 4 };

/* A launch of B, whose buffers, of zeros, are in PARAMS until release_buffers. */
static sm_launch launch_of_benchmark(const ptx_module *m, const bench *b,
                                     uint64_t params[MOST_PARAMS])
{
    for (uint32_t k = 0; k < b->buffers; k++)
        params[k] = device_zeros(b->elements[k] * 4);
    memcpy(&params[b->buffers], &b->n, sizeof b->n);
    sm_launch launch = make_launch(ptx_find_func(m, b->kernel), 1, params);
    memcpy(launch.grid, b->grid, sizeof launch.grid);
    memcpy(launch.block, b->block, sizeof launch.block);
    return launch;
}

static void release_buffers(const bench *b, const uint64_t params[MOST_PARAMS])
{
    for (uint32_t k = 0; k < b->buffers; k++) {
        san_forget_tracked_allocation(params[k]);
        mem_free_range(params[k]);
    }
}

static outcome run_benchmark(sm_program *p, const ptx_module *m, const bench *b, uint32_t workers,
                             bool counting, const sm_observer *const *observers)
{
    uint64_t params[MOST_PARAMS] = {0};
    sm_launch launch = launch_of_benchmark(m, b, params);
    launch.workers = workers;
    launch.skip_memory_cost = !counting;
    launch.observers = observers;
    outcome o;
    o.seconds = fastest_run_seconds(p, &launch, 5, &o.lane_instructions);
    o.rate = (double)o.lane_instructions / o.seconds * 1e-9;
    release_buffers(b, params);
    return o;
}

/* How many times as long a launch takes with counters as without, on one host thread: CPU times of
 * the fastest of 60 launches each, in turn, as the machine may do other work meanwhile. */
static double counting_factor(sm_program *p, const ptx_module *m, const bench *b)
{
    enum { TURNS = 60 };
    uint64_t params[MOST_PARAMS] = {0};
    sm_launch launch = launch_of_benchmark(m, b, params);
    double fastest[2] = {1e9, 1e9}; /* with counters, without */
    launch.workers = 1;
    clock_of_launches = CLOCK_PROCESS_CPUTIME_ID;
    for (int turn = 0; turn < 2 * TURNS; turn++) {
        launch.skip_memory_cost = turn % 2;
        const double seconds = fastest_run_seconds(p, &launch, 1, NULL);
        fastest[turn % 2] = seconds < fastest[turn % 2] ? seconds : fastest[turn % 2];
    }
    clock_of_launches = CLOCK_MONOTONIC;
    release_buffers(b, params);
    return fastest[0] / fastest[1];
}

static void print_rates(sm_program *p, const ptx_module *m, const char *only)
{
    printf("# instruction set %s; speed in 10^9 lane-instructions per second, best of 5 launches; "
           "scaling: 2 cores / 1 core; uncounted: without counters\n",
           exec_isa_name());
    printf("%-17s %12s %8s %8s %8s %18s %18s\n", "kernel", "lane-insts", "1 core", "2 cores",
           "scaling", "1 core, uncounted", "2 cores, uncounted");
    for (size_t k = 0; k < sizeof benches / sizeof *benches; k++) {
        const bench *b = &benches[k];
        if (only && strcmp(only, b->kernel) != 0)
            continue;
        const outcome one = run_benchmark(p, m, b, 1, true, NULL),
                      two = run_benchmark(p, m, b, 2, true, NULL);
        const outcome one_off = run_benchmark(p, m, b, 1, false, NULL),
                      two_off = run_benchmark(p, m, b, 2, false, NULL);
        printf("%-17s %12llu %8.2f %8.2f %8.2f %18.2f %18.2f\n", b->kernel,
               (unsigned long long)one.lane_instructions, one.rate, two.rate, two.rate / one.rate,
               one_off.rate, two_off.rate);
    }
}

/* CPU time of the process in the fastest of five launches that BY observe, on one host thread. */
static double cpu_cost(sm_program *p, const ptx_module *m, const bench *b,
                       const sm_observer *const *by)
{
    clock_of_launches = CLOCK_PROCESS_CPUTIME_ID;
    const double seconds = run_benchmark(p, m, b, 1, true, by).seconds;
    clock_of_launches = CLOCK_MONOTONIC;
    return seconds;
}

static void *begin_idle_launch(const sm_grid *g)
{
    return (void *)(uintptr_t)g;
}

static sm_report *end_without_report(void *launch)
{
    (void)launch;
    return NULL;
}

static void *open_idle_block(void *launch, const sm_block *b)
{
    (void)b;
    return launch;
}

static void close_idle_block(void *block)
{
    (void)block;
}

static void ignore_access(void *block, const sm_access *a)
{
    (void)block, (void)a;
}

/* Observes accesses to global and shared memory, and does nothing. */
static const sm_observer idle_observer = {.sees = SM_SEES_GLOBAL | SM_SEES_SHARED,
                                          .launch_begins = begin_idle_launch,
                                          .launch_ends = end_without_report,
                                          .block_opens = open_idle_block,
                                          .block_closes = close_idle_block,
                                          .access = ignore_access};

/* Measure what counting, an idle observer, and looking for mistakes cost. */
static void print_checking_costs(sm_program *p, const ptx_module *m, const char *only)
{
    static const struct {
        const char *name;
        unsigned kinds; /* kinds of mistakes that are looked for: SAN_*; 0: idle_observer runs */
    } observers_of_kinds[] = {
        {"idle", 0}, {"race", SAN_RACE}, {"init", SAN_INIT}, {"all", SAN_ALL}};
    printf(
        "# CPU time of a launch on 1 core; how many times as long as without counters that is; "
        "then "
        "how many times as long it takes with an observer that ignores all accesses (idle), and "
        "with checks for races (race), reads of unwritten memory (init) or all mistakes (all)\n");
    printf("%-17s %10s %9s   %s\n", "kernel", "CPU ms", "counting", "factor of each case");
    for (size_t k = 0; k < sizeof benches / sizeof *benches; k++) {
        const bench *b = &benches[k];
        if (only && strcmp(only, b->kernel) != 0)
            continue;
        const double alone = cpu_cost(p, m, b, NULL);
        printf("%-17s %10.2f %9.2f  ", b->kernel, alone * 1e3, counting_factor(p, m, b));
        for (size_t n = 0; n < sizeof observers_of_kinds / sizeof *observers_of_kinds; n++) {
            const sm_observer *list[SM_OBSERVERS + 1] = {&idle_observer, NULL};
            if (observers_of_kinds[n].kinds)
                san_list_observers(observers_of_kinds[n].kinds, list);
            const double with = cpu_cost(p, m, b, list);
            printf(" %s %.*f", observers_of_kinds[n].name, observers_of_kinds[n].kinds ? 1 : 2,
                   with / alone);
            fflush(stdout);
        }
        puts("");
    }
}

/* Two host threads over one: medians of the quotients of launches in turn, after one of each. */
static void print_scaling(sm_program *p, const ptx_module *m)
{
    enum { TURNS = 15 };
    printf("# two host threads over one, medians of %d launches in turn\n", TURNS);
    printf("%-17s %10s %10s %18s %18s\n", "kernel", "time", "CPU time", "time, uncounted",
           "CPU time, uncounted");
    for (size_t k = 0; k < sizeof benches / sizeof *benches; k++) {
        const bench *b = &benches[k];
        uint64_t params[MOST_PARAMS] = {0};
        sm_launch launch = launch_of_benchmark(m, b, params);
        printf("%-17s", b->kernel);
        for (int uncounted = 0; uncounted <= 1; uncounted++) {
            launch.skip_memory_cost = uncounted;
            double times[TURNS], cpu_times[TURNS];
            for (int turn = -1; turn < TURNS; turn++) {
                double took[2], cpu[2];
                for (uint32_t workers = 1; workers <= 2; workers++) {
                    launch.workers = workers;
                    const double start = read_clock(CLOCK_PROCESS_CPUTIME_ID);
                    took[workers - 1] = fastest_run_seconds(p, &launch, 1, NULL);
                    cpu[workers - 1] = read_clock(CLOCK_PROCESS_CPUTIME_ID) - start;
                }
                if (turn >= 0) {
                    times[turn] = took[1] / took[0];
                    cpu_times[turn] = cpu[1] / cpu[0];
                }
            }
            qsort(times, TURNS, sizeof *times, compare_doubles);
            qsort(cpu_times, TURNS, sizeof *cpu_times, compare_doubles);
            printf(" %*.2f %*.2f", uncounted ? 18 : 10, times[TURNS / 2], uncounted ? 18 : 10,
                   cpu_times[TURNS / 2]);
            fflush(stdout);
        }
        puts("");
        release_buffers(b, params);
    }
}

static void print_thread_costs(sm_program *p, const ptx_module *m)
{
    for (size_t k = 0; k < sizeof benches / sizeof *benches; k++) {
        const bench *b = &benches[k];
        const double threads = (double)b->grid[0] * b->grid[1] * b->block[0] * b->block[1];
        printf("%s %.3e\n", b->kernel, run_benchmark(p, m, b, 1, true, NULL).seconds / threads);
    }
}

static void print_launch_costs(sm_program *p, const ptx_module *m)
{
    for (uint32_t blocks = 1; blocks <= 16; blocks *= 16) {
        const sm_launch launch = make_launch(ptx_find_func(m, "empty"), blocks, NULL);
        fastest_run_seconds(p, &launch, 1, NULL);
        const double start = now();
        fastest_run_seconds(p, &launch, 2000, NULL);
        printf("empty kernel, %2u block%s of 256 threads: %.1f microseconds a launch\n", blocks,
               blocks > 1 ? "s" : "", (now() - start) / 2000 * 1e6);
    }
}

/* Compare one and two host threads while two other processes keep the cores busy: 500,000 blocks
 * with almost no work, alternating runs, medians. */
static void compare_on_busy_machine(sm_program *p, const ptx_module *m)
{
    enum { TURNS = 7, OTHERS = 2 };
    double took[2][TURNS];
    pid_t busy[OTHERS];
    uint64_t params[1] = {device_zeros(4 << 20)};
    fflush(stdout);
    for (int k = 0; k < OTHERS; k++) {
        busy[k] = fork();
        if (busy[k] == 0) {
            alarm(300);
            for (;;) {
            }
        }
    }
    for (int turn = 0; turn < TURNS; turn++) {
        for (uint32_t workers = 1; workers <= 2; workers++) {
            sm_launch launch = make_launch(ptx_find_func(m, "scale"), 500000, params);
            launch.block[0] = 32;
            launch.workers = workers;
            took[workers - 1][turn] = fastest_run_seconds(p, &launch, 1, NULL);
        }
    }
    for (int k = 0; k < OTHERS; k++) {
        if (busy[k] > 0) {
            kill(busy[k], SIGKILL);
            waitpid(busy[k], NULL, 0);
        }
    }
    for (int w = 0; w < 2; w++)
        qsort(took[w], TURNS, sizeof took[w][0], compare_doubles);
    const double one = took[0][TURNS / 2], two = took[1][TURNS / 2];
    printf("500000 blocks of one warp, with two other busy processes: %.2f s with 1 host thread, "
           "%.2f s with 2 host threads, %.2f times as long\n",
           one, two, two / one);
    mem_free_range(params[0]);
}

static void print_seconds_per_thread(sm_program *p, const ptx_module *m)
{
    uint64_t params[1] = {device_zeros(4 << 20)};
    printf("threads of a launch      nanoseconds a thread, on 1 core\n");
    for (uint32_t log = 10; log <= 26; log += 4) {
        sm_launch launch = make_launch(ptx_find_func(m, "scale"), 1u << (log - 8), params);
        launch.workers = 1;
        printf("2^%-2u %28.3f\n", log,
               fastest_run_seconds(p, &launch, log < 20 ? 20 : 2, NULL) / (1u << log) * 1e9);
    }
    mem_free_range(params[0]);
}

/* Time to parse a module with KERNELS kernels of LINES lines each, and to translate every
 * kernel. */
static void print_load_time(uint32_t kernels, uint32_t lines)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    fputs(".version 8.0\n.target sm_90\n.address_size 64\n", to);
    for (uint32_t k = 0; k < kernels; k++) {
        fprintf(to,
                ".visible .entry k%u(.param .u64 p)\n{\n.reg .f32 %%f<%u>;\n.reg .b64 %%rd<2>;\n",
                k, lines + 1);
        fputs("ld.param.u64 %rd1, [p];\nld.global.f32 %f0, [%rd1];\n", to);
        for (uint32_t n = 1; n + 8 < lines; n++) {
            fprintf(to, "fma.rn.f32 %%f%u, %%f%u, 0f3F%06X, %%f%u;\n", n, n - 1, n % 64,
                    n > 4 ? n - 4 : 0);
        }
        fprintf(to, "st.global.f32 [%%rd1], %%f%u;\nret;\n}\n", lines - 9);
    }
    fclose(to);
    double best = 1e9;
    for (int turn = 0; turn < 3; turn++) {
        const double start = now();
        ptx_error error;
        ptx_module *m = ptx_parse(text, size, &error);
        if (!m)
            die(error.text);
        static const uint64_t none[1];
        sm_program *p = compile_load_program(m, none, NULL, exec_handlers());
        for (uint32_t k = 0; k < m->func_count; k++) {
            compile_kernel_info info;
            sm_fault fault;
            if (!compile_describe_kernel(p, m->funcs[k], &info, &fault))
                die(fault.text);
        }
        const double seconds = now() - start;
        best = seconds < best ? seconds : best;
        compile_unload_program(p);
        ptx_free(m);
    }
    free(text);
    printf("PTX of %u lines in %u kernel%s: %.1f ms to parse and translate\n", kernels * lines,
           kernels, kernels > 1 ? "s" : "", best * 1e3);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        die("usage: bench_sm KERNELS.ptx [KERNEL | --scaling | --loaded | --threads]");
    size_t size;
    char *text = read_file(argv[1], &size);
    ptx_error error;
    ptx_module *m = ptx_parse(text, size, &error);
    free(text);
    if (!m || !mem_reserve_window(UINT64_C(1) << 32))
        die(m ? "cannot reserve addresses for device memory" : error.text);
    uint64_t *addresses = calloc(m->var_count + 1u, sizeof *addresses);
    sm_program *p = addresses ? compile_load_program(m, addresses, NULL, exec_handlers()) : NULL;
    if (!p)
        die("the host is out of memory");
    const char *only = argc > 2 ? argv[2] : NULL;
    if (only && strcmp(only, "--threads") == 0) {
        print_thread_costs(p, m);
    } else if (only && strcmp(only, "--scaling") == 0) {
        print_scaling(p, m);
    } else if (only && strcmp(only, "--loaded") == 0) {
        compare_on_busy_machine(p, m);
    } else {
        print_rates(p, m, only);
        print_checking_costs(p, m, only);
    }
    if (!only) {
        print_launch_costs(p, m);
        compare_on_busy_machine(p, m);
        print_seconds_per_thread(p, m);
        print_load_time(100, 100);
        print_load_time(1, 10000);
    }
    compile_unload_program(p);
    ptx_free(m);
    free(addresses);
    return 0;
}
