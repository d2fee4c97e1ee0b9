/* ld and st in the parameter space (PTX ISA 5.1.6): parameters of kernels, and of calls.
 *
 * Kernel parameters are the same for all threads, so a load is a broadcast. Call parameters are
 * stored in the register window as 4-byte words of 32 lanes each, so passing them means copying
 * words (exec/control/call.c). */
#include "../../sm/fault.h"
#include "../exec.h"

/* An access to the parameter space; field `extra` of all instructions whose handlers are in this
 * file points to one. */
typedef struct param_access {
    uint32_t bytes;       /* bytes per element in memory */
    uint32_t shift;       /* bit position in the first word, for elements smaller than four bytes */
    uint64_t offset;      /* for a kernel parameter: byte offset from the first parameter */
    uint32_t word;        /* for a call parameter: register-window offset of the first word */
    bool is_signed;       /* sign-extend the elements */
    const uint32_t *slot; /* [vec] window slots of the registers */
    uint32_t lane_bytes[8]; /* bytes per lane of each register: 4 or 8 */
    uint64_t keep[8];       /* [vec] masks of the bits that each register has as declared */
} param_access;

static uint64_t extend_value(const param_access *p, uint64_t v)
{
    if (p->is_signed) {
        const uint32_t up = 64 - 8 * p->bytes;
        return (uint64_t)((int64_t)(v << up) >> up);
    }
    return v;
}

/* Write V, the value of an element in memory, to all lanes of register K. */
static void write_param_to_all_lanes(sm_warp *w, const param_access *p, uint32_t k, uint64_t v)
{
    v = extend_value(p, v) & p->keep[k];
    if (p->lane_bytes[k] == 8)
        EXEC_LANES_DO(w, uint64_t, SM_R(uint64_t, w, p->slot[k]), v);
    else
        EXEC_LANES_DO(w, uint32_t, SM_R(uint32_t, w, p->slot[k]), (uint32_t)v);
}

/* Write V, the value of an element in memory, to lane L of register K. */
static inline void write_param_to_lane(sm_warp *w, const param_access *p, uint32_t k, uint32_t l,
                                       uint64_t v)
{
    v = extend_value(p, v) & p->keep[k];
    if (p->lane_bytes[k] == 8)
        SM_R(uint64_t, w, p->slot[k])[l] = v;
    else
        SM_R(uint32_t, w, p->slot[k])[l] = (uint32_t)v;
}

static const sm_insn *load_kernel_param(sm_warp *w, const sm_insn *i)
{
    const param_access *p = i->extra;
    const uint8_t *from = w->block->grid->params + p->offset;
    for (uint32_t k = 0; k < i->vec; k++) {
        if (p->bytes == 16) {
            for (uint32_t m = w->mask; m; m &= m - 1)
                memcpy(w->r + p->slot[k] + 16 * __builtin_ctz(m), from, 16);
            continue;
        }
        uint64_t v = 0;
        memcpy(&v, from + (size_t)k * p->bytes, p->bytes);
        write_param_to_all_lanes(w, p, k, v);
    }
    return i + 1;
}

/* Load a parameter from an address in a register: the kernel indexes an array among them. */
static const sm_insn *load_indexed_kernel_param(sm_warp *w, const sm_insn *i)
{
    const param_access *p = i->extra;
    const uint64_t total = w->block->grid->code->func->param_bytes;
    const uint64_t size = (uint64_t)p->bytes * i->vec;
    uint64_t at[SM_LANES];
    const bool wide = i->mode == 8;
    SM_EACH_LANE(l, w->mask) {
        at[l] = (wide ? SM_R(uint64_t, w, i->a)[l] : SM_R(uint32_t, w, i->a)[l]) + i->imm;
        if (at[l] > total || total - at[l] < size) {
            return sm_stop_launch(
                w, i, SM_FAULT_ADDRESS, 1u << l, at[l], (uint32_t)size, PTX_SPACE_PARAM,
                "reads %u bytes at offset %llu of the kernel's parameters, which are "
                "%llu bytes",
                (unsigned)size, (unsigned long long)at[l], (unsigned long long)total);
        }
    }
    for (uint32_t k = 0; k < i->vec; k++) {
        SM_EACH_LANE(l, w->mask) {
            uint64_t v = 0;
            /* cppcheck-suppress uninitvar ; filled above for the same lanes */
            memcpy(&v, w->block->grid->params + at[l] + (size_t)k * p->bytes, p->bytes);
            write_param_to_lane(w, p, k, l, v);
        }
    }
    return i + 1;
}

static const sm_insn *load_call_word(sm_warp *w, const sm_insn *i)
{
    const uint32_t *from = SM_R(uint32_t, w, i->a);
    EXEC_LANES_DO(w, uint32_t, SM_R(uint32_t, w, i->d), from[l]);
    return i + 1;
}

static const sm_insn *store_call_word(sm_warp *w, const sm_insn *i)
{
    const uint32_t *from = SM_R(uint32_t, w, i->b);
    EXEC_LANES_DO(w, uint32_t, SM_R(uint32_t, w, i->a), from[l]);
    return i + 1;
}

static const sm_insn *load_call_two_words(sm_warp *w, const sm_insn *i)
{
    const uint32_t *low = SM_R(uint32_t, w, i->a), *high = low + SM_LANES;
    EXEC_LANES_DO(w, uint64_t, SM_R(uint64_t, w, i->d), (uint64_t)high[l] << 32 | low[l]);
    return i + 1;
}

static const sm_insn *store_call_two_words(sm_warp *w, const sm_insn *i)
{
    const uint64_t *from = SM_R(uint64_t, w, i->b);
    uint32_t *to = SM_R(uint32_t, w, i->a);
    EXEC_LANES_DO(w, uint32_t, to, (uint32_t)from[l]);
    EXEC_LANES_DO(w, uint32_t, to + SM_LANES, (uint32_t)(from[l] >> 32));
    return i + 1;
}

/* Load a call parameter of any size and any number of elements. */
static const sm_insn *load_call_param(sm_warp *w, const sm_insn *i)
{
    const param_access *p = i->extra;
    for (uint32_t k = 0; k < i->vec; k++) {
        SM_EACH_LANE(l, w->mask) {
            const uint32_t bit = p->shift + 8 * p->bytes * k;
            const uint32_t *word = SM_R(uint32_t, w, p->word) + (size_t)(bit / 32) * SM_LANES + l;
            uint64_t v = word[0] >> bit % 32;
            if (p->bytes < 4)
                v &= (UINT64_C(1) << 8 * p->bytes) - 1;
            else if (p->bytes >= 8)
                v |= (uint64_t)word[SM_LANES] << 32;
            if (p->bytes == 16) {
                uint64_t *to = (uint64_t *)(w->r + p->slot[k] + 16 * l);
                to[0] = v;
                to[1] = word[2 * SM_LANES] | (uint64_t)word[3 * SM_LANES] << 32;
                continue;
            }
            write_param_to_lane(w, p, k, l, v);
        }
    }
    return i + 1;
}

static const sm_insn *store_call_param(sm_warp *w, const sm_insn *i)
{
    const param_access *p = i->extra;
    for (uint32_t k = 0; k < i->vec; k++) {
        SM_EACH_LANE(l, w->mask) {
            const uint32_t bit = p->shift + 8 * p->bytes * k;
            uint32_t *word = SM_R(uint32_t, w, p->word) + (size_t)(bit / 32) * SM_LANES + l;
            if (p->bytes == 16) {
                const uint32_t *from = (const uint32_t *)(w->r + p->slot[k] + 16 * l);
                for (uint32_t n = 0; n < 4; n++)
                    word[n * SM_LANES] = from[n];
                continue;
            }
            const uint64_t v = p->lane_bytes[k] == 8 ? SM_R(uint64_t, w, p->slot[k])[l]
                                                     : SM_R(uint32_t, w, p->slot[k])[l];
            if (p->bytes < 4) {
                const uint32_t keep = ((1u << 8 * p->bytes) - 1) << bit % 32;
                word[0] = (word[0] & ~keep) | ((uint32_t)v << bit % 32 & keep);
            } else {
                word[0] = (uint32_t)v;
            }
            if (p->bytes == 8)
                word[SM_LANES] = (uint32_t)(v >> 32);
        }
    }
    return i + 1;
}

static param_access *describe_access(compile_translation *t, const ptx_insn *in, sm_insn *out,
                                     const ptx_operand *data)
{
    param_access *p = compile_alloc_with_code(t, sizeof *p);
    const uint32_t bytes = ptx_type_bytes(in->type[0]);
    if (!p || data->count > 8)
        return NULL;
    const char cls = ptx_type_class(in->type[0]);
    p->bytes = bytes;
    p->is_signed = cls == 'S' && bytes < 8;
    p->slot = compile_slots_of_vector(t, data, bytes < 4 ? 4 : bytes);
    out->vec = (uint8_t)data->count;
    for (uint32_t k = 0; k < data->count && p->slot; k++) {
        p->lane_bytes[k] = bytes > 4 ? 8 : 4;
        p->keep[k] = UINT64_MAX;
        if (data->v[k].kind == PTX_VAL_REG) {
            const uint32_t size = ptx_type_bytes(t->func->regs[data->v[k].reg].type);
            p->lane_bytes[k] = compile_register_bytes(t, &data->v[k]);
            p->keep[k] = size >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;
        }
    }
    out->extra = p;
    return p->slot ? p : NULL;
}

/* Find the words of the call parameter at [VAR+offset]. */
static bool find_call_words(compile_translation *t, const ptx_value *v, uint64_t size,
                            param_access *p)
{
    const uint32_t slot = t->code->var_slot[v->var->index];
    if (v->offset < 0 || (uint64_t)v->offset + size > v->var->size) {
        snprintf(t->error, sizeof t->error,
                 "it accesses memory beyond the %llu bytes of parameter %s",
                 (unsigned long long)v->var->size, v->var->name);
        return false;
    }
    if (p->bytes >= 4 ? v->offset % 4 : v->offset % p->bytes) {
        snprintf(t->error, sizeof t->error, "its access to parameter %s is misaligned",
                 v->var->name);
        return false;
    }
    p->word = slot + (uint32_t)v->offset / 4 * 4 * SM_LANES;
    p->shift = (uint32_t)v->offset % 4 * 8;
    return true;
}

EXEC_SELECT(ld_param)
{
    const ptx_value *v = &in->opd[1].v[0];
    param_access *p = describe_access(t, in, out, &in->opd[0]);
    if (!p)
        return NULL;
    if (v->kind == PTX_VAL_REG) {
        if (!t->func->is_entry) {
            snprintf(t->error, sizeof t->error,
                     "it reads a function's parameter through an address in a register");
            return NULL;
        }
        out->mode = (uint16_t)compile_register_bytes(t, v);
        return p->bytes == 16 ? NULL : load_indexed_kernel_param;
    }
    if (v->kind != PTX_VAL_VAR)
        return NULL;
    const ptx_param *param = compile_kernel_param(t->func, v->var);
    const uint64_t size = (uint64_t)p->bytes * out->vec;
    if (param) {
        p->offset = param->offset + (uint64_t)v->offset;
        if (p->offset > t->func->param_bytes || t->func->param_bytes - p->offset < size) {
            snprintf(t->error, sizeof t->error, "it reads beyond the kernel's parameters");
            return NULL;
        }
        return load_kernel_param;
    }
    if (!find_call_words(t, v, size, p))
        return NULL;
    out->a = p->word;
    out->d = p->slot[0];
    const bool plain = out->vec == 1 && p->lane_bytes[0] == p->bytes;
    return plain && p->bytes == 4   ? load_call_word
           : plain && p->bytes == 8 ? load_call_two_words
                                    : load_call_param;
}

EXEC_SELECT(st_param)
{
    const ptx_value *v = &in->opd[0].v[0];
    param_access *p = describe_access(t, in, out, &in->opd[1]);
    if (!p || v->kind != PTX_VAL_VAR || !find_call_words(t, v, (uint64_t)p->bytes * out->vec, p))
        return NULL;
    out->a = p->word;
    out->b = p->slot[0];
    const bool plain = out->vec == 1 && p->lane_bytes[0] == p->bytes;
    return plain && p->bytes == 4   ? store_call_word
           : plain && p->bytes == 8 ? store_call_two_words
                                    : store_call_param;
}
