#include "loaded.h"

#include "../../ptx/traits.h"
#include "../intent.h"

#include <string.h>

enum { MAX_STEPS = 6 /* most instructions between a load and the store of the result */ };

static bool is_scalar_register(const ptx_operand *o)
{
    return o->count == 1 && o->v[0].kind == PTX_VAL_REG;
}

static bool is_same_address(const ptx_operand *a, const ptx_operand *b)
{
    const ptx_value *x = &a->v[0], *y = &b->v[0];
    return a->count == 1 && b->count == 1 && x->kind == y->kind && x->offset == y->offset &&
           (x->kind == PTX_VAL_REG   ? x->reg == y->reg
            : x->kind == PTX_VAL_VAR ? x->var == y->var
                                     : x->imm == y->imm);
}

/* The load whose value, changed by at most STEPS instructions, is in register REG before
 * instruction K, and which reads the address TO. NULL: none. */
static const ptx_insn *load_behind(const ptx_func *f, uint32_t k, uint32_t reg,
                                   const ptx_operand *to, uint32_t steps)
{
    const ptx_insn *in = ptx_writer_before(f, 0, k, reg);
    if (!in || ptx_is_per_lane_atomic(in))
        return NULL;
    if (ptx_is_per_lane_load(in))
        return in->operand_count > 1 && is_same_address(&in->opd[1], to) ? in : NULL;
    const ptx_insn *found = NULL;
    for (uint32_t o = 1; steps && !found && o < in->operand_count; o++)
        if (is_scalar_register(&in->opd[o]))
            found = load_behind(f, (uint32_t)(in - f->insns), in->opd[o].v[0].reg, to, steps - 1);
    return found;
}

/* The load whose value STORE of F writes back to the same address, changed; NULL: none. */
static const ptx_insn *updated_load(const ptx_func *f, const ptx_insn *store)
{
    if (!ptx_is_per_lane_store(store) || store->operand_count < 2 ||
        !is_scalar_register(&store->opd[1]))
        return NULL;
    return load_behind(f, (uint32_t)(store - f->insns), store->opd[1].v[0].reg, &store->opd[0],
                       MAX_STEPS);
}

static bool is_on_line_of(const ptx_module *m, const ptx_insn *a, const ptx_insn *b)
{
    uint32_t line, other;
    const char *path = ptx_source_file(m, a, &line), *path_of_b = ptx_source_file(m, b, &other);
    return !path || !path_of_b || (line == other && strcmp(path, path_of_b) == 0);
}

/* Is IN part of an update in place on the line of STORE? Unrolled loops have several. */
static bool updates_on_line_of(const sm_unit *u, const ptx_func *f, const ptx_insn *in,
                               const ptx_insn *store)
{
    if (san_function_of(u, in) != f || !is_on_line_of(u->module, in, store))
        return false;
    for (uint32_t k = 0; k < f->insn_count; k++) {
        const ptx_insn *other = &f->insns[k], *load = updated_load(f, other);
        if (load && (in == other || in == load) && is_on_line_of(u->module, other, store))
            return true;
    }
    return false;
}

bool san_is_update_in_place(const sm_unit *u, const ptx_insn *store, const ptx_insn *other)
{
    const ptx_func *f = san_function_of(u, store);
    const ptx_insn *load = f ? updated_load(f, store) : NULL;
    return load && (other == store || other == load || updates_on_line_of(u, f, other, store));
}

const ptx_insn *san_use_on_another_line(const sm_unit *u, const ptx_insn *load,
                                        const ptx_insn *store)
{
    const ptx_func *f = san_function_of(u, load);
    if (!f || !ptx_is_per_lane_load(load) || !is_scalar_register(&load->opd[0]) ||
        !(load->moved || is_on_line_of(u->module, load, store)))
        return NULL;
    /* The registers that hold the value: the load's, and copies of it. */
    uint32_t holder[MAX_STEPS] = {load->opd[0].v[0].reg}, count = 1;
    for (const ptx_insn *in = load + 1; in < f->insns + f->insn_count; in++) {
        bool read = false;
        PTX_EACH_READ(r, in)
            for (uint32_t k = 0; k < count; k++)
                read = read || holder[k] == r.reg;
        if (!read)
            continue;
        if (ptx_traits_of(in)->means == PTX_MEANS_copy && is_scalar_register(&in->opd[0])) {
            if (count < MAX_STEPS)
                holder[count++] = in->opd[0].v[0].reg;
        } else if (!in->moved && !is_on_line_of(u->module, in, store)) {
            return in;
        }
    }
    return NULL;
}

/* --- extern __shared__ arrays ----------------------------------------------------------------- */

static bool is_dynamic_array(const ptx_value *v)
{
    return v->kind == PTX_VAL_VAR && v->var->space == PTX_SPACE_SHARED && v->var->is_extern;
}

bool san_uses_several_dynamic_arrays(const sm_unit *u)
{
    const ptx_var *found = NULL;
    for (uint32_t site = 0; site < u->site_count; site++) {
        const ptx_insn *in = u->site_insn[site];
        for (uint32_t o = 0; in && o < in->operand_count; o++) {
            for (uint32_t k = 0; k < in->opd[o].count; k++) {
                const ptx_value *v = &in->opd[o].v[k];
                if (is_dynamic_array(v) && found && found != v->var)
                    return true;
                found = is_dynamic_array(v) ? v->var : found;
            }
        }
    }
    return false;
}

/* The array from which operand O of an instruction before number K of F is computed, in at most
 * STEPS instructions. */
static const ptx_var *array_behind(const ptx_func *f, uint32_t k, const ptx_operand *o,
                                   uint32_t steps)
{
    if (o->count == 1 && is_dynamic_array(&o->v[0]))
        return o->v[0].var;
    const ptx_insn *in =
        steps && is_scalar_register(o) ? ptx_writer_before(f, 0, k, o->v[0].reg) : NULL;
    const ptx_var *found = NULL;
    if (in && !ptx_is_per_lane_load(in) && !ptx_is_per_lane_atomic(in))
        for (uint32_t n = 1; !found && n < in->operand_count; n++)
            found = array_behind(f, (uint32_t)(in - f->insns), &in->opd[n], steps - 1);
    return found;
}

const ptx_var *san_dynamic_array_of(const sm_unit *u, const ptx_insn *in)
{
    const ptx_func *f = san_function_of(u, in);
    for (uint32_t o = 0; f && o < in->operand_count; o++)
        if (in->opd[o].memory)
            return array_behind(f, (uint32_t)(in - f->insns), &in->opd[o], MAX_STEPS);
    return NULL;
}
