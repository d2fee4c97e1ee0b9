/* Programs and their units: a unit is a kernel together with every function that it may call. */
#include "../../base/lock.h"
#include "../../ptx/traits.h"
#include "../build.h"
#include "../program.h"
#include "../ptxas/facts.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define FUNC_ADDRESS_WINDOW UINT64_C(0x0400000000000000) /* least function pointer, minus 16 */

struct compile_unit_table {
    pthread_mutex_t lock; /* protects the entries */
    struct compile_unit_entry {
        bool tried;     /* the translation has been tried: `unit` or `fault` is set */
        sm_unit *unit;  /* the translated kernel */
        sm_fault fault; /* why the unit could not be built */
    } of[];             /* [function of the module] the unit of each kernel */
};

uint64_t compile_func_address(const ptx_func *f)
{
    return FUNC_ADDRESS_WINDOW + (f->index + UINT64_C(1)) * 16;
}

const ptx_func *compile_func_at_address(const ptx_module *m, uint64_t address)
{
    const uint64_t index = (address - FUNC_ADDRESS_WINDOW) / 16 - 1;
    return index < m->func_count && compile_func_address(m->funcs[index]) == address
               ? m->funcs[index]
               : NULL;
}

sm_program *compile_load_program(const ptx_module *m, const uint64_t *var_address,
                                 const sm_cycles *cycles, const sm_handlers *handlers)
{
    sm_program *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->module = m;
    p->handlers = handlers;
    p->cycles = cycles ? *cycles : sm_cycles_one_each();
    p->var_address = calloc(m->var_count + 1u, sizeof *p->var_address);
    p->units = calloc(1, sizeof *p->units + (m->func_count + 1u) * sizeof p->units->of[0]);
    if (!p->var_address || !p->units) {
        free(p->var_address);
        free(p->units);
        free(p);
        return NULL;
    }
    if (m->var_count)
        memcpy(p->var_address, var_address, m->var_count * sizeof *var_address);
    pthread_mutex_init(&p->units->lock, NULL);
    return p;
}

static void free_code(sm_code *c)
{
    if (!c)
        return;
    for (struct sm_owned *o = c->owned, *next; o; o = next) {
        next = o->next;
        free(o);
    }
    free(c->insn);
    free(c->fill);
    free(c->block);
    free(c->reg_slot);
    free(c);
}

static void free_unit(sm_unit *u)
{
    if (!u)
        return;
    for (uint32_t k = 0; u->code && k < u->code_count; k++)
        free_code(u->code[k]);
    free(u->code);
    free(u->by_func);
    free(u->site_code);
    free(u->site_insn);
    free(u->shared_offset);
    free(u->habit);
    free(u);
}

void compile_disable_optimizations(sm_program *p)
{
    p->plain = true;
}

void compile_unload_program(sm_program *p)
{
    if (!p)
        return;
    for (uint32_t k = 0; k < p->module->func_count; k++)
        free_unit(p->units->of[k].unit);
    pthread_mutex_destroy(&p->units->lock);
    free(p->units);
    free(p->var_address);
    free(p);
}

static void set_fault_text(sm_fault *f, sm_fault_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void set_fault_text(sm_fault *f, sm_fault_kind kind, const char *format, ...)
{
    memset(f, 0, sizeof *f);
    f->kind = kind;
    va_list args;
    va_start(args, format);
    vsnprintf(f->text, sizeof f->text, format, args);
    va_end(args);
}

/* --- which functions and shared variables a kernel uses --- */

static bool add_function(sm_unit *u, const ptx_func *f)
{
    if (!f->has_body && !f->is_entry) {
        const ptx_func *body = ptx_find_func(u->module, f->name);
        f = body ? body : f;
    }
    if (!f->has_body || u->by_func[f->index])
        return true;
    sm_code *c = calloc(1, sizeof *c);
    if (!c)
        return false;
    c->func = f;
    c->program = u->program;
    c->unit = u;
    c->index = u->code_count;
    c->site_base = u->site_count;
    u->site_count += f->insn_count + 1;
    u->code[u->code_count++] = c;
    u->by_func[f->index] = c;
    return true;
}

static bool add_called_functions(sm_unit *u)
{
    bool all = false; /* an address is taken or a call indirect: any function may be called */
    if (!add_function(u, u->kernel))
        return false;
    for (uint32_t k = 0; k < u->code_count; k++) {
        const ptx_func *f = u->code[k]->func;
        for (uint32_t n = 0; n < f->insn_count; n++) {
            const ptx_insn *in = &f->insns[n];
            u->calls = u->calls || ptx_traits_of(in)->unit == PTX_UNIT_stack;
            if (ptx_traits_of(in)->flow != PTX_FLOW_call)
                continue;
            u->calls = true;
            const ptx_value *to = in->operand_count > 1 && in->opd[1].count ? in->opd[1].v : NULL;
            if (to && to->kind == PTX_VAL_FUNC) {
                if (!add_function(u, to->func))
                    return false;
            } else if (!all) {
                all = true;
                for (uint32_t i = 0; i < u->module->func_count; i++) {
                    const ptx_func *g = u->module->funcs[i];
                    if (!g->is_entry && !g->is_proto && !add_function(u, g))
                        return false;
                }
            }
        }
    }
    return true;
}

/* --- recursion --- */

typedef struct recursion_search {
    const sm_unit *unit; /* the functions */
    uint8_t *state;      /* [functions of the module] 0: not seen, 1: being examined, 2: examined */
    bool found;          /* a function may call itself */
} recursion_search;

static void examine_calls(recursion_search *s, const ptx_func *f);

static void examine_callee(recursion_search *s, const ptx_func *f)
{
    const sm_code *c = s->unit->by_func[f->index];
    if (!c && !f->has_body) {
        const ptx_func *body = ptx_find_func(s->unit->module, f->name);
        c = body ? s->unit->by_func[body->index] : NULL;
    }
    if (c && !c->func->is_entry)
        examine_calls(s, c->func);
}

static void examine_calls(recursion_search *s, const ptx_func *f)
{
    s->found = s->found || s->state[f->index] == 1;
    if (s->state[f->index])
        return;
    s->state[f->index] = 1;
    for (uint32_t n = 0; n < f->insn_count && !s->found; n++) {
        const ptx_insn *in = &f->insns[n];
        if (ptx_traits_of(in)->flow != PTX_FLOW_call)
            continue;
        const ptx_value *to = in->operand_count > 1 && in->opd[1].count ? in->opd[1].v : NULL;
        if (to && to->kind == PTX_VAL_FUNC) {
            examine_callee(s, to->func);
            continue;
        }
        for (uint32_t k = 0; k < s->unit->code_count; k++)
            examine_callee(s, s->unit->code[k]->func);
    }
    s->state[f->index] = 2;
}

static bool find_recursion(sm_unit *u)
{
    recursion_search s = {.unit = u, .state = calloc(u->module->func_count + 1u, 1)};
    if (!s.state)
        return false;
    examine_calls(&s, u->kernel);
    u->recurses = s.found;
    free(s.state);
    return true;
}

static bool any_function_reads_clock(const sm_unit *u)
{
    for (uint32_t k = 0; k < u->code_count; k++) {
        const ptx_func *f = u->code[k]->func;
        for (uint32_t n = 0; n < f->insn_count; n++)
            if (compile_reads_clock(&f->insns[n]))
                return true;
    }
    return false;
}

static void place_shared_variable(sm_unit *u, const ptx_var *v)
{
    if (v->space != PTX_SPACE_SHARED || u->shared_offset[v->index] != UINT64_MAX)
        return;
    if (v->is_extern || v->size == 0) {
        u->shared_offset[v->index] =
            UINT64_MAX -
            1; /* the offset of dynamic shared memory is assigned after all other variables */
        return;
    }
    const uint64_t align = v->align ? v->align : 1;
    u->static_shared = (u->static_shared + align - 1) / align * align;
    u->shared_offset[v->index] = u->static_shared;
    u->static_shared += v->size;
}

static void lay_out_shared(sm_unit *u)
{
    memset(u->shared_offset, 0xff, u->module->var_count * sizeof *u->shared_offset);
    uint64_t align = 16;
    for (uint32_t k = 0; k < u->code_count; k++) {
        const ptx_func *f = u->code[k]->func;
        for (uint32_t n = 0; n < f->insn_count; n++) {
            const ptx_insn *in = &f->insns[n];
            for (uint32_t o = 0; o < in->operand_count; o++) {
                for (uint32_t v = 0; v < in->opd[o].count; v++)
                    if (in->opd[o].v[v].kind == PTX_VAL_VAR)
                        place_shared_variable(u, in->opd[o].v[v].var);
            }
        }
    }
    /* Shared variables declared in a function count even if unused. As in ptxas, the alignment of
     * the module's dynamic shared memory also aligns the end of the static part of every kernel. */
    uint64_t end_align = 1;
    for (uint32_t k = 0; k < u->module->var_count; k++) {
        const ptx_var *v = u->module->vars[k];
        if (v->scope == u->kernel && !v->is_extern)
            place_shared_variable(u, v);
        if (u->shared_offset[k] == UINT64_MAX - 1 && v->align > align)
            align = v->align;
        if (v->space == PTX_SPACE_SHARED && v->is_extern && v->align > end_align)
            end_align = v->align;
    }
    u->static_shared = (u->static_shared + end_align - 1) / end_align * end_align;
    u->dynamic_offset = (u->static_shared + align - 1) / align * align;
    for (uint32_t k = 0; k < u->module->var_count; k++)
        if (u->shared_offset[k] == UINT64_MAX - 1)
            u->shared_offset[k] = u->dynamic_offset;
}

/* --- building a unit --- */

static bool translate_function(sm_unit *u, sm_code *c, sm_fault *fault)
{
    ptx_error refused;
    if (!ptx_check(u->module, c->func, &refused)) {
        set_fault_text(fault, SM_FAULT_UNSUPPORTED, "kernel %s cannot run here: %s",
                       u->kernel->name, refused.text);
        return false;
    }
    compile_build b = {0};
    compile_translation t = {
        .module = u->module, .func = c->func, .code = c, .program = u->program, .build = &b};
    b.plain = u->program->plain;
    c->visit_base = u->visit_count;
    const bool good = compile_translate_function(&t);
    u->visit_count += c->block_count;
    if (b.plain) {
        c->reg_slot = b.reg_slot;
        b.reg_slot = NULL;
    }
    free(b.reg_slot);
    free(b.local_offset);
    free(b.folded);
    free(b.fold_at);
    free(b.constant);
    if (!good && b.refusal[0]) {
        set_fault_text(fault, SM_FAULT_UNSUPPORTED,
                       "kernel %s cannot run here: %s\nA GPU can run it; for the emulator, write "
                       "that part in another way.",
                       u->kernel->name, b.refusal);
    }
    return good;
}

/* Set the properties of the unit that are true if they are true for one of its functions. */
static void combine_facts_of_functions(sm_unit *u)
{
    u->sees_order =
        u->heap; /* addresses returned by malloc depend on which threads called malloc before */
    for (uint32_t k = 0; k < u->code_count; k++) {
        for (uint32_t n = 0; n < u->code[k]->func->insn_count; n++)
            u->waits |= (u->code[k]->facts->of[n] & COMPILE_FACT_WAITS) != 0;
        u->sees_order |= u->code[k]->facts->sees_order;
        u->polls |= u->code[k]->facts->polls;
        u->updates |= u->code[k]->facts->updates;
    }
}

static sm_unit *translate_kernel_unit(sm_program *p, const ptx_func *kernel, sm_fault *fault)
{
    const ptx_module *m = p->module;
    set_fault_text(fault, SM_FAULT_MEMORY, "The host is out of memory while translating kernel %s.",
                   kernel->name);
    sm_unit *u = calloc(1, sizeof *u);
    if (!u)
        return NULL;
    u->program = p;
    u->module = m;
    u->kernel = kernel;
    u->code = calloc(m->func_count + 1u, sizeof(sm_code *));
    u->by_func = calloc(m->func_count + 1u, sizeof(sm_code *));
    u->shared_offset = calloc(m->var_count + 1u, sizeof *u->shared_offset);
    u->habit = calloc(2, sizeof *u->habit);
    bool good = u->code && u->by_func && u->shared_offset && u->habit && add_called_functions(u) &&
                find_recursion(u);
    if (good) {
        u->site_code = calloc(u->site_count + 1u, sizeof *u->site_code);
        u->site_insn = calloc(u->site_count + 1u, sizeof(const ptx_insn *));
        good = u->site_code && u->site_insn;
    }
    if (good) {
        lay_out_shared(u);
        u->clock = any_function_reads_clock(u);
    }
    for (uint32_t k = 0; good && k < u->code_count; k++) {
        const ptx_func *f = u->code[k]->func;
        for (uint32_t n = 0; n <= f->insn_count; n++) {
            u->site_code[u->code[k]->site_base + n] = k;
            u->site_insn[u->code[k]->site_base + n] = &f->insns[n < f->insn_count ? n : n - 1];
        }
        good = translate_function(u, u->code[k], fault);
    }
    if (!good) {
        free_unit(u);
        return NULL;
    }
    combine_facts_of_functions(u);
    memset(fault, 0, sizeof *fault);
    return u;
}

sm_unit *compile_kernel_unit(sm_program *p, const ptx_func *kernel, sm_fault *fault)
{
    if (!kernel->is_entry || !kernel->has_body) {
        set_fault_text(fault, SM_FAULT_UNSUPPORTED, "%s is not a kernel with a body.",
                       kernel->name);
        return NULL;
    }
    HOLD_LOCK(&p->units->lock);
    struct compile_unit_entry *entry = &p->units->of[kernel->index];
    if (!entry->tried) {
        entry->unit = translate_kernel_unit(p, kernel, &entry->fault);
        entry->tried = entry->unit || entry->fault.kind != SM_FAULT_MEMORY;
    }
    sm_unit *u = entry->unit;
    *fault = entry->fault;
    return u;
}

bool compile_describe_kernel(sm_program *p, const ptx_func *kernel, compile_kernel_info *out,
                             sm_fault *fault)
{
    const sm_unit *u = compile_kernel_unit(p, kernel, fault);
    memset(out, 0, sizeof *out);
    if (!u)
        return false;
    for (uint32_t k = 0; k < u->code_count; k++) {
        out->registers =
            u->code[k]->registers > out->registers ? u->code[k]->registers : out->registers;
        out->local_bytes += u->code[k]->local_bytes;
    }
    out->registers = out->registers < 8 ? 8 : out->registers;
    out->static_shared = u->static_shared;
    out->param_bytes = kernel->param_bytes;
    out->calls_runtime = u->runtime;
    for (uint32_t k = 0; k < p->module->var_count; k++) {
        const ptx_var *v = p->module->vars[k];
        out->const_bytes += v->space == PTX_SPACE_CONST ? v->size : 0;
    }
    const uint32_t *ntid = kernel->reqntid[0] ? kernel->reqntid : kernel->maxntid;
    out->max_threads = ntid[0] ? ntid[0] * (ntid[1] ? ntid[1] : 1) * (ntid[2] ? ntid[2] : 1) : 1024;
    return true;
}
