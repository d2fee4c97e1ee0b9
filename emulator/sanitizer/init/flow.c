#include "flow.h"

#include "../../ptx/traits.h"

#include <stdlib.h>
#include <string.h>

enum {
    WRITTEN_BY_LOAD = 1, /* a load writes the register */
    USED_OTHERWISE = 2 /* an instruction other than a load or store writes or reads the register */
};

/* --- values that a selection (selp) may drop -------------------------------------------------- */

/* Most arithmetic instructions between a load and the selection (selp) that may drop its value. */
enum { MAX_ARITHMETIC_CHAIN = 6 /* most instructions from a load to a selp */ };

static bool is_arithmetic(const ptx_insn *in)
{
    const ptx_traits *t = ptx_traits_of(in);
    return t->flow == PTX_FLOW__ && t->sync == PTX_SYNC__ && t->access == PTX_ACCESS__ &&
           t->unit == PTX_UNIT__;
}

/* Compilers load a value ahead of its test and compute with it, too: `i < n ? 2 * in[i] : 0`. Also
 * mark registers that are used only in arithmetic whose results a selection may drop. */
static void find_dropped_values(san_flow *f)
{
    const uint32_t n = f->func->reg_count + 1;
    /* dropped[r]: as far as known, a selection may drop every use of register R; kept[r]: it has a
     * use that none drops. */
    uint8_t *dropped = calloc(n, 1), *kept = malloc(n);
    bool grew = dropped && kept;
    for (uint32_t round = 0; grew && round < MAX_ARITHMETIC_CHAIN; round++) {
        memset(kept, 0, n);
        for (uint32_t k = 0; k < f->func->insn_count; k++) {
            const ptx_insn *in = &f->func->insns[k];
            const bool selects = ptx_traits_of(in)->means == PTX_MEANS_selection;
            bool results_dropped = is_arithmetic(in);
            PTX_EACH_WRITTEN(r, in)
                results_dropped &= dropped[r.reg];
            PTX_EACH_READ(r, in) {
                const bool chosen = selects && (r.operand == 1 || r.operand == 2);
                kept[r.reg] |= !chosen && (!results_dropped || r.operand == PTX_GUARD_OPERAND);
            }
        }
        grew = false;
        for (uint32_t r = 0; r < n; r++) {
            const bool drops = f->is_read[r] && !kept[r];
            grew = grew || drops != dropped[r];
            dropped[r] = drops;
        }
    }
    for (uint32_t r = 0; dropped && r < n; r++)
        f->is_selected[r] |= dropped[r];
    free(dropped);
    free(kept);
}

bool san_flow_analyse(san_flow *f, const ptx_func *func)
{
    const uint32_t n = func->reg_count + 1;
    *f = (san_flow){func, calloc(n, sizeof *f->number), calloc(n, sizeof *f->is_read),
                    calloc(n, sizeof *f->is_selected), 0};
    uint8_t *use = calloc(n, 1); /* WRITTEN_BY_LOAD and USED_OTHERWISE of each register */
    if (!f->number || !f->is_read || !f->is_selected || !use) {
        free(use);
        san_flow_clear(f);
        return false;
    }
    for (uint32_t k = 0; k < func->insn_count; k++) {
        const ptx_insn *in = &func->insns[k];
        PTX_EACH_READ(r, in) {
            f->is_read[r.reg] = true;
            f->is_selected[r.reg] |= ptx_traits_of(in)->means == PTX_MEANS_selection;
            if (!ptx_is_per_lane_store(in) || r.operand != 1)
                use[r.reg] |= USED_OTHERWISE;
        }
        PTX_EACH_WRITTEN(r, in)
            use[r.reg] |= ptx_is_per_lane_load(in) ? WRITTEN_BY_LOAD : USED_OTHERWISE;
    }
    for (uint32_t k = 0; k < func->reg_count; k++)
        f->number[k] = use[k] == WRITTEN_BY_LOAD ? ++f->count : 0;
    free(use);
    find_dropped_values(f);
    return true;
}

void san_flow_clear(san_flow *f)
{
    free(f->number);
    free(f->is_read);
    free(f->is_selected);
    *f = (san_flow){0};
}

static bool belongs_to_function(const san_flow *f, const ptx_insn *in)
{
    return in >= f->func->insns && in < f->func->insns + f->func->insn_count;
}

uint32_t san_flow_register_number(const san_flow *f, const ptx_insn *in, uint32_t k)
{
    const ptx_operand *o = &in->opd[ptx_is_per_lane_store(in)];
    if (!belongs_to_function(f, in) || k >= o->count || o->v[k].kind != PTX_VAL_REG)
        return 0;
    return f->number[o->v[k].reg];
}

bool san_flow_may_drop_element(const san_flow *f, const ptx_insn *in, uint32_t k)
{
    const ptx_operand *o = &in->opd[0];
    return belongs_to_function(f, in) && k < o->count && o->v[k].kind == PTX_VAL_REG &&
           f->is_selected[o->v[k].reg];
}

bool san_flow_is_result_used(const san_flow *f, const ptx_insn *in)
{
    const ptx_operand *o = &in->opd[0];
    if (!belongs_to_function(f, in) || o->memory)
        return true;
    bool used = false;
    for (uint32_t k = 0; k < o->count; k++)
        used = used || (o->v[k].kind == PTX_VAL_REG && f->is_read[o->v[k].reg]);
    return used;
}
