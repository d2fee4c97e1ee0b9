/* cuLink* with options of the JIT compiler. The options become directives in each PTX text (jit.h),
 * so the linked text needs no options. */
#include "jit.h"
#include "merge.h"

#include "../../ptx/link/link.h"
#include "../../ptx/link/statements.h"
#include "../../sm/syscalls.h"
#include "../core/call.h"
#include "kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Write TEXT with the directives that options added to M's kernels in each kernel's declaration. */
static void print_with_directives(FILE *to, const char *text, const ptx_module *m)
{
    const char *from = text;
    ptx_statement s;
    for (const char *p = text; ptx_next_statement(&p, &s);) {
        char name[1000];
        snprintf(name, sizeof name, "%.*s", (int)s.name.length, s.name.at);
        const ptx_func *f = s.is_entry && s.body ? ptx_find_func(m, name) : NULL;
        if (!f)
            continue;
        fwrite(from, 1, (size_t)(s.head - from), to);
        from = s.head;
        if (f->maxntid[0]) {
            fprintf(to, "\n.maxntid %u,%u,%u", f->maxntid[0], f->maxntid[1] ? f->maxntid[1] : 1,
                    f->maxntid[2] ? f->maxntid[2] : 1);
        }
        fprintf(to, "\n.maxnreg %u\n", rt_jit_register_limit(f));
    }
    fputs(from, to);
}

bool rt_jit_are_symbols_resolvable(const char *text, const rt_jit_options *jit, char *said,
                                   size_t cap)
{
    const ptx_link_text part = {text, "the module"};
    said[0] = '\0';
    char *whole =
        jit->symbol_count ? NULL : ptx_link_texts(&part, 1, merge_is_function_provided, said, cap);
    free(whole);
    return !said[0];
}

static cudaError_t parse_and_check_ptx(const char *text, const rt_jit_options *jit, ptx_module **m)
{
    ptx_error err = {0};
    *m = ptx_parse(text, strlen(text), &err);
    if (*m)
        return cudaSuccess;
    rt_jit_write_log(&jit->error, err.text);
    return err.kind == PTX_ERR_MEMORY    ? cudaErrorMemoryAllocation
           : err.kind == PTX_ERR_VERSION ? cudaErrorUnsupportedPtxVersion
                                         : cudaErrorInvalidPtx;
}

cudaError_t rt_jit_add_directives(const char *text, const rt_jit_options *jit, char **out)
{
    ptx_module *m;
    rt_jit_write_log(&jit->info, NULL);
    rt_jit_write_log(&jit->error, NULL);
    cudaError_t e = parse_and_check_ptx(text, jit, &m);
    if (e)
        return e;
    rt_jit_apply_limits(jit, m);
    size_t size;
    *out = NULL;
    FILE *to = open_memstream(out, &size);
    if (to)
        print_with_directives(to, text, m);
    ptx_free(m);
    return to && !fclose(to) ? cudaSuccess : cudaErrorMemoryAllocation;
}

enum { MAX_SYMBOL_NAME_BYTES = 1000 }; /* longest name of a variable in linked text, with NUL */

bool rt_jit_read_linked_symbols(const char *text, rt_jit_options *jit)
{
    char name[MAX_SYMBOL_NAME_BYTES];
    unsigned long long address;
    uint32_t count = 0;
    const char *lines = strchr(text, '\n');
    for (const char *at = lines; at && !strncmp(at + 1, "// symbol ", 10);
         at = strchr(at + 1, '\n'))
        count++;
    char **names = calloc(count + 1u, sizeof *names);
    void **addresses = calloc(count + 1u, sizeof *addresses);
    bool good = names && addresses;
    for (uint32_t i = 0; good && i < count; i++) {
        good = sscanf(lines + 1, "// symbol %999s %llx", name, &address) == 2 &&
               (names[i] = strdup(name)) != NULL;
        addresses[i] = (void *)(uintptr_t)address;
        lines = strchr(lines + 1, '\n');
    }
    jit->name = (const char *const *)names;
    jit->address = addresses;
    jit->symbol_count = names && addresses ? count : 0;
    return good;
}

void rt_jit_free_symbols(rt_jit_options *jit)
{
    for (uint32_t i = 0; i < jit->symbol_count; i++)
        free((void *)(uintptr_t)jit->name[i]);
    free((void *)(uintptr_t)jit->name);
    free((void *)(uintptr_t)jit->address);
}

static void print_symbols(FILE *to, const rt_jit_options *jit)
{
    for (uint32_t i = 0; i < jit->symbol_count; i++) {
        if (jit->name[i] && strlen(jit->name[i]) < MAX_SYMBOL_NAME_BYTES) {
            fprintf(to, RT_JIT_SYMBOL_FORMAT, jit->name[i],
                    (unsigned long long)(uintptr_t)jit->address[i]);
        }
    }
}

/* JIT options of the link that runs in this thread: the linker calls is_symbol_provided, which has
 * no parameter for these options. */
static __thread const rt_jit_options *link_options;

static bool is_symbol_provided(const char *name)
{
    return sm_is_device_function(name) || rt_jit_provided_symbol_address(link_options, name);
}

/* Write the info log for the kernels in TEXT. */
static void log_kernels_of(const char *text, const rt_jit_options *jit)
{
    const rt_jit_options verbose = {.info = jit->info,
                                    .verbose = true,
                                    .name = jit->name,
                                    .address = jit->address,
                                    .symbol_count = jit->symbol_count};
    rt_module *m;
    if (jit->verbose && jit->info.text && !rt_module_open(text, &verbose, &m))
        rt_module_remove(m);
}

cudaError_t rt_jit_link_texts(const char *const *text, unsigned count, const rt_jit_options *jit,
                              char **out)
{
    char said[1000] = "";
    *out = NULL;
    ptx_link_text *part = calloc(count + 1, sizeof *part);
    for (unsigned i = 0; part && i < count; i++)
        part[i] = (ptx_link_text){text[i], "a source"};
    link_options = jit;
    char *whole =
        part && count ? ptx_link_texts(part, count, is_symbol_provided, said, sizeof said) : NULL;
    link_options = NULL;
    free(part);
    if (!whole) {
        rt_jit_write_log(&jit->error, said);
        return said[0] || !count ? cudaErrorInvalidSource : cudaErrorMemoryAllocation;
    }
    size_t size;
    FILE *to = open_memstream(out, &size);
    if (to) {
        fprintf(to, RT_JIT_LINKED_FORMAT, jit->target ? jit->target : rt_compute_capability());
        print_symbols(to, jit);
        fputs(whole, to);
    }
    const bool written = to && !fclose(to);
    if (written)
        log_kernels_of(whole, jit);
    free(whole);
    return written ? cudaSuccess : cudaErrorMemoryAllocation;
}
