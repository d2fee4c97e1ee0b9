/* Modules: the program's device code, registered before main, and loaded at first use. */
#include "module.h"
#include "../../compile/program.h"
#include "../../compile/ptxas/contract.h"
#include "../../debugger/step/step.h"
#include "../../timing/timing.h"
#include "../checks/checks.h"
#include "../core/context.h"
#include "../core/machine.h"
#include "../core/name.h"
#include "../core/recorder.h"
#include "../core/report.h"
#include "../core/state.h"
#include "fatbin.h"
#include "jit.h"
#include "merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned hash_bucket_of(const void *p)
{
    return (unsigned)(((uintptr_t)p >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 56) %
           RT_MODULE_HASH_BUCKETS;
}

/* --- registration ----------------------------------------------------------------------------- */

rt_module *rt_module_add(const void *wrapper)
{
    rt_module *m = calloc(1, sizeof *m);
    if (m) {
        m->wrapper = wrapper;
        m->next = rt.modules.first;
        rt.modules.first = m;
    }
    return m;
}

bool rt_is_module(const rt_module *m)
{
    for (const rt_module *i = rt.modules.first; i; i = i->next)
        if (i == m)
            return true;
    return false;
}

void rt_module_add_kernel(rt_module *m, const void *host, const char *name)
{
    rt_kernel *k = calloc(1, sizeof *k);
    char *copy = strdup(name);
    if (!k || !copy) {
        free(k);
        free(copy);
        return; /* the kernel stays unknown: launches return cudaErrorInvalidDeviceFunction */
    }
    *k = (rt_kernel){.module = m, .host = host, .name = copy, .max_dynamic = -1, .carveout = -1};
    k->next = rt.modules.kernels[hash_bucket_of(host)];
    rt.modules.kernels[hash_bucket_of(host)] = k;
}

void rt_module_add_symbol(rt_module *m, const void *host, const char *name, size_t size,
                          bool constant, void **managed)
{
    rt_symbol *s = calloc(1, sizeof *s);
    char *copy = strdup(name);
    if (!s || !copy) {
        free(s);
        free(copy);
        return; /* without memory it stays unknown: its use returns cudaErrorInvalidSymbol */
    }
    *s = (rt_symbol){.module = m,
                     .host = host,
                     .name = copy,
                     .size = size,
                     .constant = constant,
                     .host_value = managed ? NULL : rt_new_shadow_value(host, size),
                     .managed = managed};
    s->next = rt.modules.symbols[hash_bucket_of(host)];
    rt.modules.symbols[hash_bucket_of(host)] = s;
}

rt_kernel *rt_find_kernel(const void *key)
{
    for (rt_kernel *k = rt.modules.kernels[hash_bucket_of(key)]; k; k = k->next)
        if (k->host == key)
            return k;
    for (unsigned b = 0; b < RT_MODULE_HASH_BUCKETS;
         b++) { /* KEY may also be a cudaKernel_t handle */
        for (rt_kernel *k = rt.modules.kernels[b]; k; k = k->next)
            if (k == key)
                return k;
    }
    return NULL;
}

rt_symbol *rt_find_symbol(const void *host)
{
    for (rt_symbol *s = rt.modules.symbols[hash_bucket_of(host)]; s; s = s->next)
        if (s->host == host || (s->managed && *s->managed == host && host))
            return s;
    /* The handle may be the value of a managed variable's pointer. */
    for (unsigned b = 0; b < RT_MODULE_HASH_BUCKETS; b++) {
        for (rt_symbol *s = rt.modules.symbols[b]; s; s = s->next)
            if (s->managed && (s->managed == host || *s->managed == host))
                return s;
    }
    return NULL;
}

/* --- loading ---------------------------------------------------------------------------------- */

static void unload_module(rt_module *m)
{
    if (m->program)
        RT_CALL_RECORDER(module_gone, m);
    rt_module_free_variables(m);
    if (m->ptx)
        ptx_free(m->ptx);
    free(m->text);
    free(m->machine);
    m->machine = NULL;
    m->ptx = NULL;
    m->text = NULL;
    m->load_tried = false;
    m->error = cudaSuccess;
    for (unsigned b = 0; b < RT_MODULE_HASH_BUCKETS; b++) {
        for (rt_kernel *k = rt.modules.kernels[b]; k; k = k->next) {
            if (k->module == m) {
                k->ready = false;
                k->load_error = cudaSuccess;
                k->func = NULL;
            }
        }
        for (rt_symbol *s = rt.modules.symbols[b]; s; s = s->next)
            if (s->module == m)
                s->address = 0;
    }
}

void rt_reset_modules(void)
{
    rt_destroy_modules_of_context(NULL);
    for (rt_module *m = rt.modules.first; m; m = m->next)
        if (!m->opened)
            unload_module(m);
}

void rt_destroy_modules_of_context(const void *context)
{
    for (rt_module *m = rt.modules.first, *next; m; m = next) {
        next = m->next;
        if (m->opened && m->context == context)
            rt_module_remove(m);
    }
}

void rt_module_remove(rt_module *m)
{
    for (unsigned b = 0; b < RT_MODULE_HASH_BUCKETS; b++) {
        for (rt_kernel **p = &rt.modules.kernels[b]; *p;) {
            rt_kernel *k = *p;
            if (k->module == m) {
                *p = k->next;
                free(k->name);
                free(k->display_name);
                free(k);
            } else {
                p = &k->next;
            }
        }
        for (rt_symbol **p = &rt.modules.symbols[b]; *p;) {
            rt_symbol *s = *p;
            if (s->module == m) {
                *p = s->next;
                free(s->name);
                free(s->host_value);
                free(s);
            } else {
                p = &s->next;
            }
        }
    }
    for (rt_module **p = &rt.modules.first; *p; p = &(*p)->next) {
        if (*p == m) {
            *p = m->next;
            break;
        }
    }
    unload_module(m);
    free(m);
}

void rt_module_set_managed(const rt_module *m, const char *name, void *host)
{
    for (unsigned b = 0; b < RT_MODULE_HASH_BUCKETS; b++) {
        for (rt_symbol *s = rt.modules.symbols[b]; s; s = s->next)
            if (s->module == m && s->managed && !strcmp(s->name, name))
                *s->managed = host;
    }
}

cudaError_t rt_module_report_error(const ptx_error *err)
{
    rt_print_message("the program's PTX cannot be read%s%s", err->text[0] ? ": " : "", err->text);
    switch (err->kind) {
    case PTX_ERR_MEMORY: return cudaErrorMemoryAllocation;
    case PTX_ERR_VERSION: return cudaErrorUnsupportedPtxVersion;
    default: return cudaErrorInvalidPtx;
    }
}

ptx_module *rt_module_parse(const char *text, ptx_error *err)
{
    ptx_module *m = ptx_parse(text, strlen(text), err);
    if (m && !compile_contract_to_fma(m)) {
        ptx_free(m);
        *err = (ptx_error){.kind = PTX_ERR_MEMORY};
        return NULL;
    }
    if (m)
        step_read_module_variables(m, text);
    return m;
}

/* The program has no code for this device, but PTX for TARGET, which is newer. */
static void note_newer_target(uint32_t target)
{
    const uint32_t own = rt_compute_capability();
    rt_print_message("the program is built for compute capability %u.%u and later; a device of "
                     "%u.%u refuses it (cudaErrorNoKernelImageForDevice). Here its PTX runs: build "
                     "with `nvcc -arch=sm_%u` for such a device",
                     target / 10, target % 10, own / 10, own % 10, own);
}

static cudaError_t load_module(rt_module *m)
{
    const fatbin_wrapper *w = m->wrapper;
    if (!w || w->magic != FATBIN_WRAPPER_MAGIC || (w->version != 1 && w->version != 2)) {
        rt_print_message("the program's fat binary has an unknown format (wrapper version %d)",
                         w ? w->version : 0);
        return cudaErrorInvalidKernelImage;
    }
    char message[400];
    fatbin_status status =
        merge_text(w, rt_compute_capability(), &m->text, message, sizeof message);
    switch (status) {
    case FATBIN_OK: break;
    case FATBIN_MEMORY: return cudaErrorMemoryAllocation;
    default:
        rt_print_message("%s", message);
        return status == FATBIN_DAMAGED ? cudaErrorInvalidKernelImage
               : status == FATBIN_UNLINKED
                   ? cudaErrorInvalidSource /* an H200 returns this error, too */
                   : cudaErrorNoKernelImageForDevice;
    }
    m->machine = fatbin_find_machine_code(w->data, fatbin_readable_bytes(w->data),
                                          rt_compute_capability(), &m->machine_size);
    ptx_error err = {0};
    m->ptx = rt_module_parse(m->text, &err);
    const cudaError_t e = m->ptx ? rt_module_place_variables(m) : rt_module_report_error(&err);
    if (!e && !m->machine && m->ptx->target > rt_compute_capability())
        note_newer_target(m->ptx->target);
    if (!e)
        RT_CALL_RECORDER(module, m, NULL);
    return e;
}

cudaError_t rt_module_load_once(rt_module *m)
{
    if (!m->load_tried) {
        m->load_tried = true;
        m->error = load_module(m);
        if (m->error == cudaErrorMemoryAllocation) {
            unload_module(m); /* unload, so the next call may try again with more free memory */
            return cudaErrorMemoryAllocation;
        }
    }
    return m->error;
}

/* Reduce k->max_threads until the registers of a block fit into the SM. */
static void set_max_block_threads(rt_kernel *k)
{
    while (k->max_threads > 32 &&
           !timing_blocks_per_sm(&rt.profile, k->max_threads, k->info.registers, 0))
        k->max_threads = (k->max_threads - 1) / 32 * 32;
}

/* For a kernel compiled from PTX here: registers above the limit of its directives are spilled to
 * local memory. */
static void set_register_count(rt_kernel *k)
{
    const uint32_t most = rt_jit_register_limit(k->func);
    if (k->info.registers > most) {
        k->spilled_bytes = ((uint64_t)(k->info.registers - most) * 4 + 7) / 8 * 8;
        k->info.local_bytes += k->spilled_bytes;
        k->info.registers = most;
        set_max_block_threads(k);
    }
}

/* Set the resources that limit a kernel's launches. Values from the toolkit's machine code take
 * precedence over estimates from the PTX. */
static void set_kernel_resources(rt_kernel *k)
{
    const rt_module *m = k->module;
    machine_kernel_info known;
    k->max_threads =
        k->info.max_threads < RT_BLOCK_THREADS ? k->info.max_threads : RT_BLOCK_THREADS;
    if (m->machine && machine_read_kernel_info(m->machine, m->machine_size, k->name, &known)) {
        k->info.registers = known.registers;
        k->knows_registers = true;
        k->spilled_bytes =
            known.frame > k->info.local_bytes ? known.frame - k->info.local_bytes : 0;
        k->kept_in_registers = known.frame == 0 ? k->info.local_bytes : 0;
        k->info.local_bytes = known.frame;
        set_max_block_threads(k);
    } else {
        set_register_count(k);
    }
}

cudaError_t rt_kernel_load_once(rt_kernel *k)
{
    if (k->ready || k->load_error)
        return k->load_error; /* the reason has been printed already */
    cudaError_t e = rt_module_load_once(k->module);
    if (e)
        return e;
    k->func = ptx_find_func(k->module->ptx, k->name);
    if (!k->func || !k->func->is_entry || !k->func->has_body) {
        k->func = NULL;
        rt_print_message("kernel %s is not in the program's PTX", rt_kernel_display_name(k));
        return k->load_error = cudaErrorInvalidDeviceFunction;
    }
    sm_fault fault = {0};
    if (!compile_describe_kernel(k->module->program, k->func, &k->info, &fault)) {
        if (fault.kind == SM_OK || fault.kind == SM_FAULT_MEMORY)
            return cudaErrorMemoryAllocation;
        rt_print(fault.text);
        append_fault_report(rt_kernel_display_name(k), &fault, NULL, NULL);
        return k->load_error = rt_error_of_fault(fault.kind);
    }
    set_kernel_resources(k);
    k->ready = true;
    return cudaSuccess;
}

cudaError_t rt_symbol_load_once(rt_symbol *s)
{
    cudaError_t e = rt_module_load_once(s->module);
    if (e || s->address)
        return e;
    const ptx_var *v = ptx_find_var(s->module->ptx, s->name);
    if (!v || !s->module->address[v->index])
        return cudaErrorInvalidSymbol; /* the compiler has removed it, as no kernel uses it */
    s->address = s->module->address[v->index];
    return cudaSuccess;
}

sm_program *rt_kernel_program(const rt_kernel *k)
{
    return k->module->program;
}

const char *rt_kernel_display_name(rt_kernel *k)
{
    if (!k->display_name)
        k->display_name = name_of_kernel(k->name);
    return k->display_name ? k->display_name : k->name;
}

uint32_t rt_module_compute_capability(const rt_module *m)
{
    return m->ptx ? m->ptx->target : 0;
}

/* --- modules opened by the driver API --------------------------------------------------------- */

/* Find the PTX in an image, and set m->text. */
static cudaError_t find_ptx_in_image(rt_module *m, const void *image)
{
    uint32_t magic;
    memcpy(&magic, image, sizeof magic);
    if (magic == FATBIN_WRAPPER_MAGIC) {
        image = ((const fatbin_wrapper *)image)->data;
        memcpy(&magic, image, sizeof magic);
    }
    if (magic == FATBIN_MAGIC) {
        fatbin_text text;
        fatbin_status status =
            fatbin_choose_ptx(image, fatbin_readable_bytes(image), rt_compute_capability(), &text);
        m->text = text.ptx;
        if (status == FATBIN_OK) {
            m->machine = fatbin_find_machine_code(image, fatbin_readable_bytes(image),
                                                  rt_compute_capability(), &m->machine_size);
            return cudaSuccess;
        }
        rt_print_message("%s", text.message);
        return status == FATBIN_MEMORY    ? cudaErrorMemoryAllocation
               : status == FATBIN_DAMAGED ? cudaErrorInvalidKernelImage
                                          : cudaErrorNoKernelImageForDevice;
    }
    if (!memcmp(image, "\177ELF", 4)) {
        rt_print_message(
            "the module is machine code, and this device runs PTX: load PTX or a fat binary "
            "that contains it");
        return cudaErrorNoKernelImageForDevice;
    }
    if (!strstr(image, ".version"))
        return cudaErrorInvalidKernelImage; /* every PTX text has a .version directive */
    uint32_t target;
    m->linked = sscanf(image, RT_JIT_LINKED_FORMAT, &target) == 1;
    if (m->linked && target != rt_compute_capability()) {
        rt_print_message(
            "the module was linked for compute capability %u.%u, this device has %u.%u",
            target / 10, target % 10, rt_compute_capability() / 10, rt_compute_capability() % 10);
        return cudaErrorNoKernelImageForDevice;
    }
    m->text = strdup(image);
    return m->text ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* Parse m->text with the options of JIT. On failure *ERR describes the error. */
static cudaError_t compile_module(rt_module *m, const rt_jit_options *jit, ptx_error *err)
{
    m->ptx = rt_module_parse(m->text, err);
    if (!m->ptx)
        return rt_module_report_error(err);
    if (m->ptx->target > rt_compute_capability()) {
        snprintf(err->text, sizeof err->text,
                 "the module's PTX is for compute capability %u.%u, this device has %u.%u",
                 (unsigned)m->ptx->target / 10, (unsigned)m->ptx->target % 10,
                 rt_compute_capability() / 10, rt_compute_capability() % 10);
        rt_print_message("%s", err->text);
        return cudaErrorInvalidPtx;
    }
    if (!m->machine && !rt_jit_are_symbols_resolvable(m->text, jit, err->text, sizeof err->text)) {
        rt_print_message("%s", err->text);
        return cudaErrorInvalidPtx;
    }
    if (!m->machine && !m->linked) {
        cudaError_t e = rt_jit_check_target_option(jit, m->ptx->target);
        if (e)
            return e;
        rt_jit_apply_limits(jit, m->ptx);
    }
    m->jit = jit;
    cudaError_t e = rt_module_place_variables(m);
    m->jit = NULL;
    if (!e)
        RT_CALL_RECORDER(module, m, m->machine ? NULL : jit);
    return e;
}

/* Like compile_module, for text that cuLinkComplete returned: the symbols are those of the link. */
static cudaError_t compile_linked_text(rt_module *m, const rt_jit_options *jit, ptx_error *err)
{
    rt_jit_options with = *jit;
    cudaError_t e = rt_jit_read_linked_symbols(m->text, &with) ? compile_module(m, &with, err)
                                                               : cudaErrorMemoryAllocation;
    rt_jit_free_symbols(&with);
    return e;
}

cudaError_t rt_module_open(const void *image, const rt_jit_options *jit, rt_module **out)
{
    static const rt_jit_options as_usual;
    jit = jit ? jit : &as_usual;
    const double began = rt_monotonic_seconds();
    rt_module *m = rt_module_add(NULL);
    if (!m)
        return cudaErrorMemoryAllocation;
    m->opened = m->load_tried = true;
    m->context = rt_current_owner_context();
    ptx_error err = {.text = "the image is neither PTX nor a fat binary with PTX for this device"};
    m->error = find_ptx_in_image(m, image);
    if (!m->error) {
        err = (ptx_error){0};
        m->error = m->linked ? compile_linked_text(m, jit, &err) : compile_module(m, jit, &err);
    }
    cudaError_t e = m->error;
    rt_jit_write_log(&jit->error, e ? err.text : NULL);
    rt_jit_log_kernels(jit, e ? NULL : m);
    if (e)
        rt_module_remove(m);
    else
        *out = m;
    rt_jit_store_results(jit, rt_monotonic_seconds() - began);
    return e;
}

bool rt_is_module_opened(const rt_module *m)
{
    return rt_is_module(m) && m->opened;
}

void *rt_module_context(const rt_module *m)
{
    return m->context;
}

cudaError_t rt_module_kernel(rt_module *m, const char *name, rt_kernel **out)
{
    for (unsigned b = 0; b < RT_MODULE_HASH_BUCKETS; b++) {
        for (rt_kernel *k = rt.modules.kernels[b]; k; k = k->next) {
            if (k->module == m && !strcmp(k->name, name)) {
                *out = k;
                return cudaSuccess;
            }
        }
    }
    const ptx_func *f = ptx_find_func(m->ptx, name);
    if (!f || !f->is_entry || !f->has_body)
        return cudaErrorSymbolNotFound;
    rt_kernel *k = calloc(1, sizeof *k);
    char *copy = strdup(name);
    if (!k || !copy) {
        free(k);
        free(copy);
        return cudaErrorMemoryAllocation;
    }
    *k = (rt_kernel){.module = m, .host = k, .name = copy, .max_dynamic = -1, .carveout = -1};
    k->next = rt.modules.kernels[hash_bucket_of(k)];
    rt.modules.kernels[hash_bucket_of(k)] = k;
    *out = k;
    return cudaSuccess;
}

rt_kernel *rt_module_kernel_at(rt_module *m, uint64_t function)
{
    const ptx_func *f = compile_func_at_address(m->ptx, function);
    rt_kernel *k = NULL;
    return f && !rt_module_kernel(m, f->name, &k) && !rt_kernel_load_once(k) ? k : NULL;
}

const char *rt_module_kernel_name(const rt_module *m, unsigned i)
{
    for (uint32_t k = 0; k < m->ptx->func_count; k++) {
        const ptx_func *f = m->ptx->funcs[k];
        if (f->is_entry && f->has_body && !i--)
            return f->name;
    }
    return NULL;
}

uint64_t rt_module_variable(rt_module *m, const char *name, size_t *size, bool *managed)
{
    const ptx_var *v = ptx_find_var(m->ptx, name);
    if (!v || !m->address[v->index])
        return 0;
    *size = v->size;
    *managed = v->is_managed;
    return m->address[v->index];
}
