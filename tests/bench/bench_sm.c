/* Speed of the emulated SM: thousand million lane-instructions a second, counters and bounds checks
 * on, for four kernels, on one host thread and on two.
 *
 *   bench_sm KERNELS.ptx [KERNEL] */
#include "emulator/memory/memory.h"
#include "emulator/sm/sm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void die(const char *what)
{
    fprintf(stderr, "bench_sm: %s\n", what);
    exit(1);
}

static char *slurp(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        die(path);
    }
    char *text = NULL;
    FILE *to = open_memstream(&text, size);
    char part[4096];
    size_t n;
    while ((n = fread(part, 1, sizeof part, f)) > 0) {
        fwrite(part, 1, n, to);
    }
    fclose(f);
    fclose(to);
    return text;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

typedef struct bench {
    const char *kernel;
    uint32_t grid[3], block[3];
    uint64_t elements[3]; /* of each buffer, 4 bytes an element */
    uint32_t buffers;
    int n;
} bench;

static const bench benches[] = {
    {"stencil", {8192, 1, 1}, {256, 1, 1}, {2097160, 2097152}, 2, 2097152},
    {"fma_loop", {1024, 1, 1}, {256, 1, 1}, {262144, 262144}, 2, 262144},
    {"reduce", {8192, 1, 1}, {256, 1, 1}, {2097152, 8192}, 2, 2097152},
    {"matmul", {16, 16, 1}, {16, 16, 1}, {65536, 65536, 65536}, 3, 256},
};

typedef struct outcome {
    double rate, seconds;
    uint64_t lane_instructions;
} outcome;

static outcome run(sm_program *p, const ptx_module *m, const bench *b, uint32_t workers)
{
    uint64_t params[4] = {0};
    for (uint32_t k = 0; k < b->buffers; k++) {
        params[k] = mem_alloc(b->elements[k] * 4, 256, MEM_DEVICE, NULL);
        void *host = params[k] ? mem_host(params[k], b->elements[k] * 4) : NULL;
        if (!host) {
            die("no device memory");
        }
        memset(host, 0, b->elements[k] * 4);
    }
    memcpy(&params[b->buffers], &b->n, sizeof b->n);
    const sm_launch launch = {.kernel = ptx_find_func(m, b->kernel),
                              .grid = {b->grid[0], b->grid[1], b->grid[2]},
                              .block = {b->block[0], b->block[1], b->block[2]},
                              .params = params,
                              .workers = workers,
                              .sm_count = 132,
                              .l1_bytes = 256 << 10,
                              .clock_mhz = 1980};
    outcome best = {0};
    for (int turn = 0; turn < 5; turn++) {
        sm_result result;
        const double start = now();
        if (!sm_run(p, &launch, &result)) {
            die(result.fault.text);
        }
        const double seconds = now() - start;
        const double rate = (double)result.total.v[CTR_thread_inst] / seconds * 1e-9;
        if (rate > best.rate) {
            best = (outcome){rate, seconds, result.total.v[CTR_thread_inst]};
        }
        sm_result_clear(&result);
    }
    for (uint32_t k = 0; k < b->buffers; k++) {
        mem_free(params[k]);
    }
    return best;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        die("usage: bench_sm KERNELS.ptx [KERNEL]");
    }
    size_t size;
    char *text = slurp(argv[1], &size);
    ptx_error error;
    ptx_module *m = ptx_parse(text, size, &error);
    free(text);
    if (!m || !mem_open(UINT64_C(1) << 32)) {
        die(m ? "no address space" : error.text);
    }
    uint64_t *addresses = calloc(m->var_count + 1u, sizeof *addresses);
    sm_program *p = addresses ? sm_load(m, addresses) : NULL;
    if (!p) {
        die("out of memory");
    }
    printf("# %s; thousand million lane-instructions a second, best of 5\n", sm_isa());
    printf("%-10s %14s %9s %9s %9s\n", "kernel", "lane-insts", "1 core", "2 cores", "scaling");
    for (size_t k = 0; k < sizeof benches / sizeof *benches; k++) {
        const bench *b = &benches[k];
        if (argc > 2 && strcmp(argv[2], b->kernel) != 0) {
            continue;
        }
        const outcome one = run(p, m, b, 1), two = run(p, m, b, 2);
        printf("%-10s %14llu %9.2f %9.2f %9.2f\n", b->kernel,
               (unsigned long long)one.lane_instructions, one.rate, two.rate, two.rate / one.rate);
    }
    sm_unload(p);
    ptx_free(m);
    free(addresses);
    return 0;
}
