/* Runs random kernels with and without the optimisation passes (sm_program.plain): memory,
 * counters, source lines and faults must be equal.
 *
 * fuzz_passes [COUNT [SEED]] tries COUNT kernels and prints a digest of all results, which must be
 * the same for all vector instruction sets of the host (WARPBOOK_ISA). */
#include "../lib/counter_names.h"
#include "emulator/compile/program.h"
#include "emulator/exec/level.h"
#include "emulator/launch/launch.h"
#include "emulator/memory/memory.h"
#include "fuzz.h"
#include "passes_text.h"

#include <stdio.h>
#include <string.h>

FUZZ_STATE;

static uint64_t digest = UINT64_C(0xcbf29ce484222325); /* hash of the results of all kernels */

static void add_to_digest(const void *bytes, size_t count)
{
    for (size_t k = 0; k < count; k++)
        digest = (digest ^ ((const uint8_t *)bytes)[k]) * UINT64_C(0x100000001b3);
}

typedef struct outcome {
    uint8_t memory[PASSES_BUFFER + PASSES_OTHER]; /* memory after the run */
    sm_result result;                             /* what the run returned */
} outcome;

static passes_arguments kernel_arguments;
static uint64_t variable_address[64]; /* device address of each variable of the module */

static void fill_memory(uint64_t seed)
{
    uint64_t z = seed;
    uint8_t *at[2] = {mem_host_pointer(kernel_arguments.buffer, PASSES_BUFFER),
                      mem_host_pointer(kernel_arguments.other, PASSES_OTHER)};
    const size_t bytes[2] = {PASSES_BUFFER, PASSES_OTHER};
    for (unsigned k = 0; k < 2; k++) {
        for (size_t n = 0; n < bytes[k]; n += 8) {
            z = z * UINT64_C(6364136223846793005) + 1442695040888963407;
            const uint64_t word = z >> 20;
            memcpy(at[k] + n, &word, 8);
        }
    }
}

static void run_kernel(const ptx_module *m, const sm_cycles *cycles, const sm_launch *shape,
                       uint64_t seed, bool plain, outcome *o)
{
    fill_memory(seed);
    sm_program *p = compile_load_program(m, variable_address, cycles, exec_handlers());
    if (!p)
        abort();
    p->plain = plain;
    launch_run(p, shape, &o->result);
    compile_unload_program(p);
    memcpy(o->memory, mem_host_pointer(kernel_arguments.buffer, PASSES_BUFFER), PASSES_BUFFER);
    memcpy(o->memory + PASSES_BUFFER, mem_host_pointer(kernel_arguments.other, PASSES_OTHER),
           PASSES_OTHER);
}

static bool same_lines(const sm_result *a, const sm_result *b)
{
    bool same = a->line_count == b->line_count;
    for (size_t k = 0; same && k < a->line_count; k++) {
        const line_row *x = &a->lines[k], *y = &b->lines[k];
        same = memcmp(&x->s, &y->s, sizeof x->s) == 0 && strcmp(x->op, y->op) == 0;
    }
    return same;
}

/* The name of the result that differs, or NULL. */
static const char *find_difference(const outcome *a, const outcome *b)
{
    static char text[200];
    for (size_t k = 0; k < sizeof a->memory; k++) {
        if (a->memory[k] != b->memory[k]) {
            snprintf(text, sizeof text, "byte %zu of memory", k);
            return text;
        }
    }
    if (a->result.fault.kind != b->result.fault.kind ||
        strcmp(a->result.fault.text, b->result.fault.text) != 0)
        return "the fault";
    for (unsigned k = 0; k < CTR_COUNT; k++) {
        if (a->result.total.v[k] != b->result.total.v[k]) {
            snprintf(text, sizeof text, "%s: %llu and %llu", counter_names[k],
                     (unsigned long long)a->result.total.v[k],
                     (unsigned long long)b->result.total.v[k]);
            return text;
        }
    }
    return same_lines(&a->result, &b->result) ? NULL : "the rows of source lines";
}

static ptx_module *make_module(char **text)
{
    size_t length;
    ptx_error err;
    FILE *f = open_memstream(text, &length);
    if (!f)
        abort();
    passes_write(f);
    fclose(f);
    ptx_module *m = ptx_parse(*text, length, &err);
    if (!m) {
        fprintf(stderr, "%s\n%s\n", *text, err.text);
        abort();
    }
    for (uint32_t v = 0; v < m->var_count; v++) {
        const ptx_var *var = m->vars[v];
        if (var->space == PTX_SPACE_CONST)
            memcpy(mem_host_pointer(variable_address[0], 256), var->init, var->init_size);
    }
    return m;
}

/* Test one kernel with both settings. Faults are rare, because a fault hides errors that would
 * follow it. */
static bool try_random_module(uint64_t seed)
{
    static outcome fast, plain;
    static const uint32_t shapes[][2] = {{32, 1}, {64, 1}, {48, 1}, {7, 1}, {16, 4}, {8, 9}};
    char *text;
    fuzz_state = seed;
    ptx_module *m = make_module(&text);
    const uint32_t *shape = shapes[fuzz_random_below(sizeof shapes / sizeof *shapes)];
    uint32_t figure[sizeof(sm_cycles) / sizeof(uint32_t)];
    for (size_t k = 0; k < sizeof figure / sizeof *figure; k++)
        figure[k] = 1 + (uint32_t)fuzz_random_below(24);
    sm_cycles cycles;
    memcpy(&cycles, figure, sizeof cycles);
    const sm_launch launch = {.kernel = ptx_find_func(m, "k"),
                              .grid = {1 + (uint32_t)fuzz_random_below(2), 1, 1},
                              .block = {shape[0], shape[1], 1},
                              .dynamic_shared = PASSES_DYNAMIC,
                              .params = &kernel_arguments,
                              .workers = 1,
                              .want_lines = true,
                              .sm_count = 1,
                              .schedulers = 1 + (uint32_t)fuzz_random_below(4),
                              .clock_mhz = 1000};
    run_kernel(m, &cycles, &launch, seed, false, &fast);
    run_kernel(m, &cycles, &launch, seed, true, &plain);
    const char *what = find_difference(&fast, &plain);
    if (what) {
        printf("%s\n%s: %s differ(s), seed %llu\n", text, fast.result.fault.text, what,
               (unsigned long long)seed);
    }
    if (fast.result.fault.kind == SM_FAULT_UNSUPPORTED) {
        printf("%s\n%s\n", text, fast.result.fault.text);
        what = "";
    }
    const bool whole = fast.result.fault.kind == SM_OK;
    add_to_digest(fast.memory, sizeof fast.memory);
    add_to_digest(fast.result.fault.text, strlen(fast.result.fault.text));
    add_to_digest(&fast.result.total, sizeof fast.result.total);
    launch_result_clear(&fast.result);
    launch_result_clear(&plain.result);
    ptx_free(m);
    free(text);
    if (what)
        exit(1);
    return whole;
}

int main(int argc, char **argv)
{
    const long count = fuzz_count(argc, argv, 1000);
    const uint64_t first = fuzz_state;
    long whole = 0;
    if (!mem_reserve_window(UINT64_C(1) << 30))
        return 2;
    kernel_arguments = (passes_arguments){.buffer = mem_alloc(PASSES_BUFFER, 256, MEM_DEVICE, NULL),
                                          .other = mem_alloc(PASSES_OTHER, 256, MEM_DEVICE, NULL),
                                          .number = {77, 0xfffffffe}};
    variable_address[0] = mem_alloc(256, 256, MEM_CONSTANT, "table");
    if (!kernel_arguments.buffer || !kernel_arguments.other || !variable_address[0])
        return 2;
    for (long k = 0; k < count; k++)
        whole += try_random_module(first + (uint64_t)k);
    printf("fuzz_passes: %ld kernels from seed %llu, %ld without a fault, digest %016llx, %s\n",
           count, (unsigned long long)first, whole, (unsigned long long)digest, exec_isa_name());
    return 0;
}
