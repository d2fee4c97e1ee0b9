/* Variables of a module: allocates their memory and stores their initial values. */
#include "../../compile/program.h"
#include "../../exec/level.h"
#include "../../memory/memory.h"
#include "../../memory/watcher.h"
#include "../checks/checks.h"
#include "../core/name.h"
#include "../core/state.h"
#include "jit.h"
#include "module.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static bool has_address(const ptx_var *v)
{
    return (v->space == PTX_SPACE_GLOBAL || v->space == PTX_SPACE_CONST) && !v->is_extern;
}

/* The address of V in the recording, if memory can be allocated there; else 0. */
static uint64_t recorded_address_of(const rt_module *m, const ptx_var *v)
{
    mem_range r;
    const uint64_t at = m->recorded_addresses[v->index];
    const mem_kind kind = v->is_managed                 ? MEM_MANAGED
                          : v->space == PTX_SPACE_CONST ? MEM_CONSTANT
                                                        : MEM_MODULE;
    return at && mem_find_range(at, &r) && r.base == at && r.size >= v->size && r.kind == kind ? at
                                                                                               : 0;
}

static uint64_t allocate_variable(rt_module *m, const ptx_var *v)
{
    if (m->from_recording)
        return recorded_address_of(m, v);
    if (!v->is_managed) {
        const mem_kind kind = v->space == PTX_SPACE_CONST ? MEM_CONSTANT : MEM_MODULE;
        char *name = name_of_variable(v->name);
        const uint64_t at =
            mem_alloc(v->size ? v->size : 1, v->align ? v->align : 1, kind, name ? name : v->name);
        free(name);
        return at;
    }
    void *host = mem_host_pages(v->size);
    if (!host)
        return 0;
    if (!mem_add_host_range(host, v->size, MEM_MANAGED)) {
        munmap(host, v->size);
        return 0;
    }
    rt_module_set_managed(m, v->name, host);
    return (uint64_t)(uintptr_t)host;
}

/* Write a variable's initial value, including the addresses of other variables that it contains. */
static cudaError_t initialise_variable(const rt_module *m, const ptx_var *v)
{
    uint8_t *to = mem_host_pointer(m->address[v->index], v->size);
    if (!to)
        return cudaErrorMemoryAllocation;
    if (v->init_size)
        memcpy(to, v->init, v->init_size < v->size ? v->init_size : v->size);
    for (uint32_t i = 0; i < v->reloc_count; i++) {
        const ptx_reloc *r = &v->reloc[i];
        uint64_t value = r->var    ? m->address[r->var->index]
                         : r->func ? compile_func_address(r->func)
                                   : 0;
        if (!value) {
            rt_print_message("variable %s: the address of %s in its initial value is not known",
                             v->name,
                             r->var    ? r->var->name
                             : r->func ? r->func->name
                                       : "?");
            return cudaErrorNotSupported;
        }
        value = (value + (uint64_t)r->offset) >> r->mask_shift;
        if (r->at + r->bytes <= v->size && r->bytes <= sizeof value)
            memcpy(to + r->at, &value, r->bytes);
    }
    return cudaSuccess;
}

/* Zero a variable that has no initial value: its memory may have been used before. */
static void clear_variable(const rt_module *m, const ptx_var *v)
{
    if (!v->init_size && v->size) {
        void *to = mem_host_pointer(m->address[v->index], v->size);
        if (to)
            memset(to, 0, v->size);
    }
}

cudaError_t rt_module_place_variables(rt_module *m)
{
    const ptx_module *p = m->ptx;
    m->address = calloc(p->var_count ? p->var_count : 1, sizeof *m->address);
    if (!m->address)
        return cudaErrorMemoryAllocation;
    for (uint32_t i = 0; i < p->var_count; i++) {
        const ptx_var *v = p->vars[i];
        if (has_address(v)) {
            m->address[i] = allocate_variable(m, v);
            if (!m->address[i]) {
                rt_print_message("no device memory left for the variable %s of %llu bytes", v->name,
                                 (unsigned long long)v->size);
                return cudaErrorMemoryAllocation;
            }
        } else if (v->space == PTX_SPACE_GLOBAL) {
            m->address[i] = m->from_recording ? m->recorded_addresses[i]
                                              : rt_jit_provided_symbol_address(m->jit, v->name);
        }
    }
    const sm_cycles cycles = sm_cycles_of(&rt.profile);
    m->program = compile_load_program(p, m->address, &cycles, exec_handlers());
    if (!m->program)
        return cudaErrorMemoryAllocation;
    if (rt_observes_each_insn())
        compile_disable_optimizations(m->program);
    rt_note_variables(p, m->address);
    for (uint32_t i = 0; i < p->var_count; i++) {
        if (has_address(p->vars[i]) && p->vars[i]->size) {
            clear_variable(m, p->vars[i]);
            cudaError_t e = initialise_variable(m, p->vars[i]);
            if (e)
                return e;
        }
    }
    return cudaSuccess;
}

void rt_module_free_variables(rt_module *m)
{
    for (uint32_t i = 0; m->ptx && m->address && i < m->ptx->var_count; i++) {
        const ptx_var *v = m->ptx->vars[i];
        if (m->address[i] && has_address(v) && !m->from_recording) {
            rt_note_variable_gone(v, m->address[i]);
            mem_free_range(m->address[i]);
            if (v->is_managed)
                munmap((void *)(uintptr_t)m->address[i], v->size);
        }
    }
    if (m->program)
        compile_unload_program(m->program);
    free(m->address);
    m->program = NULL;
    m->address = NULL;
}
