/* Slots in the register window of registers, parameters, special registers and constants. */
#include "../../base/list.h"
#include "../program.h"
#include "../ptxas/liveness.h"
#include "fold.h"

#include <stdlib.h>
#include <string.h>

#define SCRATCH_SLOT_BYTES 512 /* size of slot 0, the place of absent operands */

void *compile_alloc_with_code(compile_translation *t, size_t bytes)
{
    struct sm_owned *o = calloc(1, sizeof *o + bytes);
    if (!o) {
        t->failed = true;
        return NULL;
    }
    o->next = t->code->owned;
    t->code->owned = o;
    return o->bytes;
}

/* Does the value of special register S differ from block to block? */
static bool is_per_block(ptx_sreg s)
{
    switch (s) {
    case PTX_SREG_ctaid_x:
    case PTX_SREG_ctaid_y:
    case PTX_SREG_ctaid_z:
    case PTX_SREG_clusterid_x:
    case PTX_SREG_clusterid_y:
    case PTX_SREG_clusterid_z:
    case PTX_SREG_smid: return true;
    default: return false;
    }
}

bool compile_special_reg_is_clock(ptx_sreg s)
{
    switch (s) {
    case PTX_SREG_clock:
    case PTX_SREG_clock_hi:
    case PTX_SREG_clock64:
    case PTX_SREG_globaltimer:
    case PTX_SREG_globaltimer_lo:
    case PTX_SREG_globaltimer_hi: return true;
    default: return false;
    }
}

bool compile_reads_clock(const ptx_insn *in)
{
    for (uint32_t k = 0; k < in->operand_count; k++) {
        for (uint32_t n = 0; n < in->opd[k].count; n++)
            if (in->opd[k].v[n].kind == PTX_VAL_SREG &&
                compile_special_reg_is_clock(in->opd[k].v[n].sreg))
                return true;
    }
    return false;
}

uint32_t compile_special_reg_bytes(ptx_sreg s)
{
    static const uint8_t bytes[PTX_SREG_COUNT] = {
#define SREG(name, spelling, type) [PTX_SREG_##name] = PTX_##type == PTX_u64 ? 8 : 4,
#include "../../ptx/sregs.def"
#undef SREG
    };
    return bytes[s];
}

/* --- allocating bytes of the register window --- */

static uint32_t allocate_slot(compile_build *b, uint32_t bytes, uint32_t align)
{
    const uint32_t at = (b->end + align - 1) / align * align;
    b->end = at + bytes;
    return at;
}

static uint32_t register_bytes(ptx_type type)
{
    const uint32_t bytes = ptx_type_bytes(type);
    return bytes <= 4 ? 4 : bytes;
}

static uint32_t window_bytes_of_variable(const ptx_var *v)
{
    return ((uint32_t)v->size + 3) / 4 * 4 * SM_LANES;
}

/* A register or variable that needs space in the register window during part of the function. */
typedef struct slot_claim {
    compile_live_range span; /* where the register is live */
    uint32_t bytes;          /* bytes that the register or variable needs */
    uint32_t stride;         /* bytes between the values of adjacent lanes */
    uint32_t *slot;          /* receives the assigned window offset */
} slot_claim;

static int compare_by_first_use(const void *a, const void *b)
{
    const slot_claim *x = a, *y = b;
    if (x->span.first != y->span.first)
        return x->span.first < y->span.first ? -1 : 1;
    return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/* Linear-scan allocation: each claim with stride STRIDE gets the lowest space that is free over its
 * live range. Divergent lanes are at different instructions, so a space may be free for one lane
 * and in use for another; therefore only claims with the same bytes per lane share space. */
static bool assign_slots(compile_build *b, const slot_claim *list, uint32_t count, uint32_t stride)
{
    const uint32_t unit = stride * SM_LANES;
    uint32_t *busy = NULL, units = 0, cap = 0; /* one element for each unit of window space: the
                                                   last instruction that uses the unit, plus 1 */
    for (uint32_t k = 0; k < count; k++) {
        const slot_claim *c = &list[k];
        if (c->stride != stride)
            continue;
        const uint32_t need = c->bytes / unit;
        uint32_t at = 0, run = 0;
        for (uint32_t u = 0; u < units && run < need; u++) {
            run = busy[u] <= c->span.first ? run + 1 : 0;
            at = u + 1 - run;
        }
        at = run ? at : units;
        if (at + need > cap) {
            cap = 2 * (at + need) + 64;
            uint32_t *bigger = realloc(busy, cap * sizeof *bigger);
            if (!bigger) {
                free(busy);
                return false;
            }
            busy = bigger;
        }
        units = at + need > units ? at + need : units;
        for (uint32_t u = at; u < at + need; u++)
            busy[u] = b->plain ? COMPILE_NO_INSN_INDEX : c->span.last + 1;
        *c->slot = b->end + at * unit;
    }
    free(busy);
    b->end += units * unit;
    return true;
}

static uint32_t claim_parameter_slots(compile_translation *t, slot_claim *list, uint32_t count)
{
    const ptx_func *f = t->func;
    for (uint32_t k = 0; k < f->insn_count; k++) {
        const ptx_insn *in = &f->insns[k];
        for (uint32_t o = 0; o < in->operand_count; o++) {
            for (uint32_t n = 0; n < in->opd[o].count; n++) {
                const ptx_value *v = &in->opd[o].v[n];
                if (v->kind != PTX_VAL_VAR || v->var->space != PTX_SPACE_PARAM)
                    continue;
                uint32_t *slot = &t->code->var_slot[v->var->index];
                uint32_t c = 0;
                while (c < count && list[c].slot != slot)
                    c++;
                if (c == count)
                    list[count++] = (slot_claim){{k, k}, window_bytes_of_variable(v->var), 4, slot};
                list[c].span.last = k;
            }
        }
    }
    /* a function's own parameters and results live from call to return */
    for (uint32_t k = 0; k < f->param_count + f->ret_count; k++) {
        const ptx_param *p = k < f->param_count ? &f->params[k] : &f->rets[k - f->param_count];
        uint32_t *slot = p->var ? &t->code->var_slot[p->var->index] : NULL;
        uint32_t c = 0;
        while (c < count && list[c].slot != slot)
            c++;
        if (slot && f->is_entry) {
            list[c] = c < count ? list[--count] : list[c];
        } else if (slot) {
            list[c] = (slot_claim){{0, f->insn_count}, window_bytes_of_variable(p->var), 4, slot};
            count += c == count;
        }
    }
    return count;
}

static void add_zero_range(sm_code *c, uint32_t slot, uint32_t bytes)
{
    c->zero[c->zero_count++] = (sm_call_operand){.slot = slot, .bytes = bytes};
}

static bool assign_shared_slots(compile_translation *t, const bool *leader)
{
    compile_build *b = t->build;
    const ptx_func *f = t->func;
    compile_live_range *span = calloc(f->reg_count + 1u, sizeof *span);
    bool *live_in = calloc(f->reg_count + 1u, sizeof *live_in);
    slot_claim *list =
        calloc(f->reg_count + f->var_count + f->param_count + f->ret_count + 1u, sizeof *list);
    t->code->zero = compile_alloc_with_code(t, (f->reg_count + 1u) * sizeof *t->code->zero);
    bool good = span && live_in && list && t->code->zero &&
                compile_find_live_ranges(f, leader, t->code->facts, span, &t->code->registers,
                                         &t->code->kept_across_calls, live_in) &&
                compile_find_folded_copies(t, live_in);
    uint32_t count = good ? claim_parameter_slots(t, list, 0) : 0;
    b->end = SCRATCH_SLOT_BYTES;
    for (uint32_t k = 0; good && k < f->param_count + f->ret_count; k++) {
        const ptx_param *p = k < f->param_count ? &f->params[k] : &f->rets[k - f->param_count];
        if (p->reg != PTX_NO_REGISTER && !p->var)
            span[p->reg] = (compile_live_range){0, f->insn_count};
    }
    for (uint32_t r = 0; good && r < f->reg_count; r++) {
        if (span[r].first == COMPILE_NO_INSN_INDEX || compile_is_register_folded(b, r))
            continue;
        if (f->regs[r].type == PTX_pred) {
            b->reg_slot[r] = allocate_slot(b, 4, 4);
        } else {
            const uint32_t bytes = register_bytes(f->regs[r].type);
            list[count++] = (slot_claim){span[r], bytes * SM_LANES, bytes, &b->reg_slot[r]};
        }
    }
    b->end = (b->end + 63) / 64 * 64;
    if (good)
        qsort(list, count, sizeof *list, compare_by_first_use);
    for (uint32_t stride = 4; stride <= 16; stride *= 2)
        good = good && assign_slots(b, list, count, stride);
    for (uint32_t r = 0; good && r < f->reg_count; r++) {
        if (live_in[r]) {
            const bool predicate = f->regs[r].type == PTX_pred;
            add_zero_range(t->code, b->reg_slot[r],
                           predicate ? 4 : register_bytes(f->regs[r].type) * SM_LANES);
        }
    }
    free(span);
    free(live_in);
    free(list);
    return good;
}

static bool describe_parameters(compile_translation *t, const ptx_param *list, uint32_t count,
                                sm_call_operand **out)
{
    *out = compile_alloc_with_code(t, (count + 1u) * sizeof **out);
    for (uint32_t k = 0; *out && k < count; k++) {
        sm_call_operand *a = &(*out)[k];
        if (list[k].var) {
            *a = (sm_call_operand){t->code->var_slot[list[k].var->index], (uint32_t)list[k].size,
                                   true};
        } else if (list[k].reg != PTX_NO_REGISTER) {
            *a = (sm_call_operand){t->build->reg_slot[list[k].reg],
                                   register_bytes(t->func->regs[list[k].reg].type), false};
        }
    }
    return *out != NULL;
}

/* A function saves its return address and the registers that its callers use: about as many as it
 * has values to keep while it calls another. With this, recursion reaches the depths that were
 * measured on an H200 for arrays of 1 to 64 words and limits from 512 to 4096 bytes. */
static uint32_t bytes_of_frame(const sm_code *c)
{
    enum { RETURN_ADDRESS = 8, ALIGNMENT = 16 };
    const uint64_t bytes = c->local_bytes + RETURN_ADDRESS + 4 * (uint64_t)c->kept_across_calls;
    return (uint32_t)((bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

bool compile_assign_reg_slots(compile_translation *t, const bool *leader)
{
    compile_build *b = t->build;
    const ptx_func *f = t->func;
    b->reg_slot = calloc(f->reg_count + 1u, sizeof *b->reg_slot);
    b->local_offset = calloc(t->module->var_count + 1u, sizeof *b->local_offset);
    t->code->var_slot = compile_alloc_with_code(t, (t->module->var_count + 1u) * sizeof(uint32_t));
    if (!b->reg_slot || !b->local_offset || t->failed) {
        t->failed = true;
        return false;
    }
    if (!assign_shared_slots(t, leader)) {
        t->failed = true;
        return false;
    }
    for (uint32_t k = 0; k < f->var_count; k++) {
        const ptx_var *v = f->vars[k];
        if (v->space == PTX_SPACE_LOCAL) {
            const uint64_t align = v->align ? v->align : 1;
            const uint64_t at = (t->code->local_bytes + align - 1) / align * align;
            b->local_offset[v->index] = at;
            t->code->local_bytes = at + v->size;
        }
    }
    t->code->frame_bytes = bytes_of_frame(t->code);
    if (!f->is_entry && !(describe_parameters(t, f->params, f->param_count, &t->code->arg) &&
                          describe_parameters(t, f->rets, f->ret_count, &t->code->ret)))
        return false;
    b->end = (b->end + 63) / 64 * 64;
    t->code->const_offset = b->end;
    compile_assign_folded_slots(t);
    return !t->failed;
}

/* --- constants, and values that are filled into each new register window --- */

static uint32_t constant_slot(compile_translation *t, uint64_t value, uint32_t bytes)
{
    compile_build *b = t->build;
    for (uint32_t k = 0; k < b->const_count; k++)
        if (b->constant[k].value == value && b->constant[k].bytes == bytes)
            return b->constant[k].slot;
    compile_const *c = LIST_ADD(b->constant, b->const_count);
    t->failed |= !c;
    if (!c)
        return 0;
    const uint32_t size = bytes == COMPILE_BYTES_PREDICATE ? 4 : bytes * SM_LANES;
    *c = (compile_const){value, bytes,
                         allocate_slot(b, size, bytes == COMPILE_BYTES_PREDICATE ? 4 : 64)};
    return c->slot;
}

static uint32_t window_fill_slot(compile_translation *t, sm_window_fill what)
{
    compile_build *b = t->build;
    sm_code *c = t->code;
    for (uint32_t k = 0; k < c->fill_count; k++) {
        const sm_window_fill *f = &c->fill[k];
        if (f->sreg == what.sreg && f->offset == what.offset && f->bytes == what.bytes &&
            f->param == what.param && f->shared == what.shared)
            return f->slot;
    }
    sm_window_fill *f = LIST_ADD(c->fill, c->fill_count);
    t->failed |= !f;
    if (!f)
        return 0;
    *f = what;
    return f->slot = allocate_slot(b, what.bytes * SM_LANES, 64);
}

static uint32_t variable_address_slot(compile_translation *t, const ptx_value *v, uint32_t bytes)
{
    const ptx_var *var = v->var;
    const uint64_t offset = (uint64_t)v->offset;
    switch (var->space) {
    case PTX_SPACE_SHARED:
        return window_fill_slot(
            t, (sm_window_fill){.bytes = bytes,
                                .shared = true,
                                .offset = t->code->unit->shared_offset[var->index] + offset});
    case PTX_SPACE_LOCAL:
        return window_fill_slot(
            t, (sm_window_fill){.bytes = bytes,
                                .offset = t->build->local_offset[var->index] + offset});
    case PTX_SPACE_PARAM:
        if (compile_kernel_param(t->func, var))
            return constant_slot(t, compile_kernel_param(t->func, var)->offset + offset, bytes);
        snprintf(t->error, sizeof t->error, "it takes the address of %s, a parameter of a call",
                 var->name);
        t->failed = true;
        return 0;
    default: return constant_slot(t, t->program->var_address[var->index] + offset, bytes);
    }
}

uint32_t compile_slot_of_kernel_param(compile_translation *t, uint64_t offset, uint32_t bytes)
{
    return window_fill_slot(t, (sm_window_fill){.param = true, .offset = offset, .bytes = bytes});
}

uint32_t compile_slot_of_value(compile_translation *t, const ptx_value *v, uint32_t bytes)
{
    switch (v->kind) {
    case PTX_VAL_REG: return t->build->reg_slot[v->reg];
    case PTX_VAL_IMM: return constant_slot(t, bytes == 4 ? (uint32_t)v->imm : v->imm, bytes);
    case PTX_VAL_SREG:
        return window_fill_slot(
            t, (sm_window_fill){.sreg = v->sreg, .bytes = compile_special_reg_bytes(v->sreg)});
    case PTX_VAL_VAR: return variable_address_slot(t, v, bytes < 8 ? 4 : 8);
    case PTX_VAL_FUNC: return constant_slot(t, compile_func_address(v->func), 8);
    default: return 0;
    }
}

uint32_t compile_slot_of_typed_value(compile_translation *t, const ptx_value *v, uint32_t bytes)
{
    if (v->kind == PTX_VAL_IMM && bytes == COMPILE_BYTES_PREDICATE)
        return constant_slot(t, v->imm ? SM_FULL : 0, COMPILE_BYTES_PREDICATE);
    if (v->kind == PTX_VAL_IMM && bytes < 4)
        return constant_slot(t, v->imm & ((UINT64_C(1) << 8 * bytes) - 1), 4);
    return compile_slot_of_value(t, v, bytes < 4 ? 4 : bytes);
}

uint32_t compile_register_bytes(const compile_translation *t, const ptx_value *v)
{
    switch (v->kind) {
    case PTX_VAL_REG: return register_bytes(t->func->regs[v->reg].type);
    case PTX_VAL_SREG: return compile_special_reg_bytes(v->sreg);
    default: return 8;
    }
}

const uint32_t *compile_slots_of_vector(compile_translation *t, const ptx_operand *o,
                                        uint32_t bytes)
{
    uint32_t *slot = compile_alloc_with_code(t, (o->count + 1u) * sizeof *slot);
    for (uint32_t k = 0; slot && k < o->count; k++)
        slot[k] = compile_slot_of_value(t, &o->v[k], bytes);
    return slot;
}

/* Build the array of constants that is copied to each new window. Call it when all are known. */
bool compile_finish_reg_slots(compile_translation *t)
{
    compile_build *b = t->build;
    sm_code *c = t->code;
    for (uint32_t k = 0; k < c->fill_count; k++) {
        if (is_per_block(c->fill[k].sreg)) {
            const sm_window_fill moved = c->fill[k];
            c->fill[k] = c->fill[c->block_fill_count];
            c->fill[c->block_fill_count++] = moved;
        }
    }
    c->window_bytes = (b->end + 63) / 64 * 64;
    uint8_t *image = compile_alloc_with_code(t, c->window_bytes - c->const_offset + 1u);
    if (!image)
        return false;
    for (uint32_t k = 0; k < b->const_count; k++) {
        const compile_const *v = &b->constant[k];
        uint8_t *to = image + (v->slot - c->const_offset);
        if (v->bytes == COMPILE_BYTES_PREDICATE) {
            memcpy(to, &v->value, 4);
            continue;
        }
        for (uint32_t l = 0; l < SM_LANES; l++)
            memcpy(to + (size_t)l * v->bytes, &v->value, v->bytes < 8 ? v->bytes : 8);
    }
    c->consts = image;
    return true;
}
