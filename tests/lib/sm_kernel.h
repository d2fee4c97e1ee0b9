/* For unit tests of the emulated SM: runs a PTX kernel and gives access to its results. */
#ifndef SM_KERNEL_H
#define SM_KERNEL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../emulator/compile/program.h"
#include "../../emulator/exec/level.h"
#include "../../emulator/launch/launch.h"
#include "emulator/core/sm.h"
#include "emulator/memory/memory.h"
#include "emulator/sanitizer/shared/race.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL_BYTES                                                             \
    (1 << 16) /* size of the buffer to which the kernel's first parameter points \
               */

typedef struct kernel_run {
    sm_result result;  /* what the launch returned */
    uint64_t buffer;   /* device address of the buffer */
    uint8_t *bytes;    /* host address of the buffer */
    uint64_t constant; /* device address of the module's first constant variable */
} kernel_run;

/* latencies of the device; NULL: each instruction takes one cycle */
static const sm_cycles *kernel_cycles;
static bool kernel_keeps_registers; /* translate with compile_disable_optimizations */
static uint32_t kernel_blocks = 1, kernel_workers = 1; /* configuration of run_kernel */

/* Run kernel k(.param .u64 buffer, .param .u64 other) of the module TEXT, which has no header.
 * SHAPE holds grid, block, dynamic shared memory, workers and so on. FILL is the initial contents
 * of the buffer (KERNEL_BYTES; NULL: zeros). */
static bool run_grid(kernel_run *run, const char *text, const sm_launch *shape, const void *fill,
                     uint64_t other)
{
    char *module = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&module, &length);
    fprintf(f, ".version 8.0\n.target sm_90\n.address_size 64\n%s", text);
    fclose(f);
    ptx_error err = {0};
    ptx_module *m = ptx_parse(module, length, &err);
    free(module);
    if (!m)
        fail_msg("%s", err.text);
    assert_true(mem_reserve_window(UINT64_C(1) << 34));
    uint64_t address[64] = {0};
    for (uint32_t v = 0; v < m->var_count && v < 64; v++) {
        const ptx_var *var = m->vars[v];
        if (var->space == PTX_SPACE_CONST || var->space == PTX_SPACE_GLOBAL) {
            const bool constant = var->space == PTX_SPACE_CONST;
            address[v] = mem_alloc(var->size, 256, constant ? MEM_CONSTANT : MEM_MODULE, var->name);
            memset(mem_host_pointer(address[v], var->size), 0, var->size);
            if (var->init)
                memcpy(mem_host_pointer(address[v], var->size), var->init, var->init_size);
            for (uint32_t r = 0; r < var->reloc_count; r++) {
                if (var->reloc[r].func) {
                    const uint64_t to = compile_func_address(var->reloc[r].func);
                    memcpy((uint8_t *)mem_host_pointer(address[v], var->size) + var->reloc[r].at,
                           &to, 8);
                }
            }
            run->constant = constant ? address[v] : run->constant;
        }
    }
    run->buffer = mem_alloc(KERNEL_BYTES, 256, MEM_DEVICE, NULL);
    run->bytes = mem_host_pointer(run->buffer, KERNEL_BYTES);
    memset(run->bytes, 0, KERNEL_BYTES);
    if (fill)
        memcpy(run->bytes, fill, KERNEL_BYTES);
    const uint64_t params[2] = {run->buffer, other};
    sm_program *p = compile_load_program(m, address, kernel_cycles, exec_handlers());
    assert_non_null(p);
    if (kernel_keeps_registers)
        compile_disable_optimizations(p);
    sm_launch launch = *shape;
    launch.kernel = ptx_find_func(m, "k");
    launch.params = params;
    launch.sm_count = shape->sm_count ? shape->sm_count : 1;
    launch.clock_mhz = 1000;
    const bool ok = launch_run(p, &launch, &run->result);
    compile_unload_program(p);
    ptx_free(m);
    for (uint32_t v = 0; v < 64; v++)
        if (address[v])
            mem_free_range(address[v]);
    return ok;
}

/* Like run_grid, with one block of THREADS threads and SHARED bytes of dynamic shared memory. */
__attribute__((unused)) static bool run_kernel(kernel_run *run, const char *text, uint32_t threads,
                                               uint64_t shared, const void *fill, uint64_t other,
                                               bool race)
{
    const sm_launch shape = {.grid = {kernel_blocks, 1, 1},
                             .block = {threads, 1, 1},
                             .dynamic_shared = shared,
                             .workers = kernel_workers,
                             .want_lines = true,
                             .observers = race ? san_race_observers : NULL};
    return run_grid(run, text, &shape, fill, other);
}

/* The reports of the launch's observers, one per line; empty if there are none. Valid until the
 * next call. */
static inline const char *reports_text(const kernel_run *run)
{
    static char text[20000];
    size_t used = 0;
    text[0] = '\0';
    for (const sm_report *r = run->result.reports; r && used < sizeof text; r = r->next)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s\n", r->text);
    return text;
}

static void free_kernel_run(kernel_run *run)
{
    launch_result_clear(&run->result);
    mem_free_range(run->buffer);
    memset(run, 0, sizeof *run);
}

/* The value of a counter for the whole launch. */
#define C(run, name) ((run).result.total.v[CTR_##name])

__attribute__((unused)) static const uint32_t *words(const kernel_run *run)
{
    return (const uint32_t *)run->bytes;
}

__attribute__((unused)) static void expect_ok(const kernel_run *run)
{
    if (run->result.fault.kind != SM_OK)
        fail_msg("%s", run->result.fault.text);
}

#endif
