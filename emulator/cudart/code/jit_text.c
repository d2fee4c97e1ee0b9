/* Writes the info log of the JIT compiler (jit.h) in the format of ptxas. It contains the known
 * values only: registers and memory of each kernel. */
#include "../core/call.h"
#include "jit.h"
#include "kernel.h"

#include <stdio.h>
#include <stdlib.h>

static void print_log_of_kernel(FILE *to, rt_kernel *k)
{
    const unsigned long long spilled = k->spilled_bytes;
    fprintf(to, "ptxas info    : Compiling entry function '%s' for 'sm_%u'\n", k->name,
            rt_compute_capability());
    fprintf(to, "ptxas info    : Function properties for %s\n", k->name);
    fprintf(to, "    %llu bytes stack frame, %llu bytes spill stores, %llu bytes spill loads\n",
            (unsigned long long)k->info.local_bytes, spilled, spilled);
    fprintf(to, "ptxas info    : Used %u registers, %llu bytes smem\n", k->info.registers,
            (unsigned long long)k->info.static_shared);
}

void rt_jit_log_kernels(const rt_jit_options *jit, rt_module *m)
{
    char *text = NULL;
    size_t size;
    FILE *to = m && jit->verbose && jit->info.text ? open_memstream(&text, &size) : NULL;
    const char *name;
    for (unsigned i = 0; to && (name = rt_module_kernel_name(m, i)); i++) {
        rt_kernel *k;
        if (!rt_module_kernel(m, name, &k) && !rt_kernel_load_once(k))
            print_log_of_kernel(to, k);
    }
    if (to)
        fclose(to);
    rt_jit_write_log(&jit->info, text);
    free(text);
}
