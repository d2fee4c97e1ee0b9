/* Print one instruction as PTX text. */
#include "print.h"
#include "traits.h"

#include "names.h"
#include "sheet.h"

#include <inttypes.h>
#include <string.h>

static uint32_t var_position(const ptx_printer *p, const ptx_var *v)
{
    /* f->vars is sorted by index */
    uint32_t low = 0, high = p->f ? p->f->var_count : 0;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (p->f->vars[mid]->index < v->index)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static void print_name(const ptx_printer *p, const char *name, uint32_t suffix)
{
    fputs(name, p->to);
    if (suffix)
        fprintf(p->to, "$%u", suffix);
}

void ptx_print_reg(const ptx_printer *p, uint32_t reg)
{
    if (!p->f || reg >= p->f->reg_count) {
        fputs("%?", p->to);
        return;
    }
    print_name(p, p->f->regs[reg].name, p->reg_suffix ? p->reg_suffix[reg] : 0);
}

void ptx_print_var(const ptx_printer *p, const ptx_var *v)
{
    uint32_t suffix = 0;
    if (v->scope && v->scope == p->f && p->var_suffix)
        suffix = p->var_suffix[var_position(p, v)];
    print_name(p, v->name, suffix);
}

/* --- operands --- */

void ptx_print_bits(const ptx_printer *p, uint64_t bits, ptx_type t)
{
    switch (t) {
    case PTX_f32:
    case PTX_tf32: fprintf(p->to, "0f%08" PRIX64, bits & UINT32_MAX); break;
    case PTX_f64: fprintf(p->to, "0d%016" PRIX64, bits); break;
    case PTX_f16:
    case PTX_f16x2:
    case PTX_bf16:
    case PTX_bf16x2: { /* literals of 16-bit floating-point types are written as f32 literals */
        uint16_t h = (uint16_t)bits;
        bool half = t == PTX_f16 || t == PTX_f16x2;
        unsigned mantissa = half ? 10 : 7, exponents = half ? 31 : 255;
        unsigned e = h >> mantissa & exponents, fraction = h & ((1u << mantissa) - 1);
        double value = fraction;
        int power = (int)(e ? e : 1) - (int)(exponents / 2) - (int)mantissa;
        value += e ? 1u << mantissa : 0;
        for (; power > 0; power--)
            value *= 2;
        for (; power < 0; power++)
            value /= 2;
        float f = (float)value;
        uint32_t word;
        memcpy(&word, &f, sizeof word);
        if (e == exponents)
            word = fraction ? 0x7fffffff : 0x7f800000;
        fprintf(p->to, "0f%08X", word | (uint32_t)(h >> 15) << 31);
        break;
    }
    default:
        if (ptx_type_class(t) == 'S') {
            unsigned shift = 64 - 8 * ptx_type_bytes(t);
            fprintf(p->to, "%" PRId64, (int64_t)(bits << shift) >> shift);
        } else if (t == PTX_NOTYPE) {
            fprintf(p->to, "%" PRId64, (int64_t)bits);
        } else {
            fprintf(p->to, "%" PRIu64, bits);
        }
    }
}

void ptx_print_offset(const ptx_printer *p, int64_t offset)
{
    if (offset)
        fprintf(p->to, "%+" PRId64, offset);
}

/* Print the value V. INDEX: number of the instruction; the names of lists and prototypes
 * declared before the instruction contain it. */
static void print_value(const ptx_printer *p, const ptx_value *v, ptx_type t, uint32_t index)
{
    static const char *const selects[] = {"", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1", ".other"};
    if (v->negate) {
        bool pred = v->kind == PTX_VAL_REG && p->f && p->f->regs[v->reg].type == PTX_pred;
        fputc(pred ? '!' : '-', p->to);
    }
    switch (v->kind) {
    case PTX_VAL_NONE: break;
    case PTX_VAL_REG:
        ptx_print_reg(p, v->reg);
        fputs(selects[v->select], p->to);
        ptx_print_offset(p, v->offset);
        break;
    case PTX_VAL_IMM: ptx_print_bits(p, v->imm, t); break;
    case PTX_VAL_SREG: fputs(ptx_sreg_name(v->sreg), p->to); break;
    case PTX_VAL_VAR:
        ptx_print_var(p, v->var);
        ptx_print_offset(p, v->offset);
        fputs(v->sum && !v->offset ? "+0" : "", p->to);
        break;
    case PTX_VAL_FUNC: fputs(v->func->name, p->to); break;
    case PTX_VAL_PROTO: fprintf(p->to, "$C%u", index); break;
    case PTX_VAL_LABEL: fprintf(p->to, "$L%u", v->target); break;
    case PTX_VAL_SINK: fputc('_', p->to); break;
    }
}

static void print_list(const ptx_printer *p, const ptx_value *v, unsigned count,
                       const char *brackets, ptx_type t)
{
    fputc(brackets[0], p->to);
    for (unsigned i = 0; i < count; i++) {
        fputs(i ? ", " : "", p->to);
        print_value(p, &v[i], t, 0);
    }
    fputc(brackets[1], p->to);
}

static void print_address(const ptx_printer *p, const ptx_operand *o)
{
    unsigned lead = o->vector ? o->lead : o->count;
    fputc('[', p->to);
    for (unsigned i = 0; i < lead; i++) {
        fputs(i ? ", " : "", p->to);
        print_value(p, &o->v[i], PTX_NOTYPE, 0);
    }
    if (o->vector) {
        fputs(lead ? ", " : "", p->to);
        print_list(p, o->v + lead, o->count - lead, "{}", PTX_NOTYPE);
    }
    fputc(']', p->to);
}

static void print_call(const ptx_printer *p, const ptx_insn *in, uint32_t index)
{
    const ptx_operand *o = in->opd;
    fputc(' ', p->to);
    if (o[0].count) {
        print_list(p, o[0].v, o[0].count, "()", PTX_NOTYPE);
        fputs(", ", p->to);
    }
    print_value(p, o[1].v, PTX_NOTYPE, index);
    if (o[2].count) {
        fputs(", ", p->to);
        print_list(p, o[2].v, o[2].count, "()", PTX_NOTYPE);
    }
    if (o[3].count) {
        fputs(", ", p->to);
        print_value(p, o[3].v, PTX_NOTYPE, index);
    }
}

/* Is operand O a special register as a whole vector, such as %tid? It is printed without braces. */
static bool is_whole_special_register(const ptx_operand *o)
{
    return o->vector && o->count == 4 && o->v[0].kind == PTX_VAL_SREG &&
           o->v[1].kind == PTX_VAL_SREG && o->v[1].sreg == o->v[0].sreg + 1 &&
           o->v[2].kind == PTX_VAL_SREG && o->v[2].sreg == o->v[0].sreg + 2;
}

static void print_operands(const ptx_printer *p, const ptx_insn *in, uint32_t index)
{
    if (ptx_traits_of(in)->flow == PTX_FLOW_call) {
        print_call(p, in, index);
        return;
    }
    for (unsigned i = 0; i < in->operand_count; i++) {
        const ptx_operand *o = &in->opd[i];
        ptx_type t = ptx_operand_type(in, i);
        fputs(i ? ", " : " ", p->to);
        if (ptx_traits_of(in)->flow == PTX_FLOW_table && !o->count) {
            fprintf(p->to, "$T%u", index);
        } else if (o->memory) {
            print_address(p, o);
        } else if (is_whole_special_register(o)) {
            const char *name = ptx_sreg_name(o->v->sreg);
            fprintf(p->to, "%.*s", (int)strcspn(name, "."), name);
        } else if (o->vector) {
            print_list(p, o->v, o->count, "{}", ptx_is_packing_mov(in) ? PTX_NOTYPE : t);
        } else {
            print_value(p, o->v, t, index);
        }
        if (o->second.kind != PTX_VAL_NONE) {
            fputc('|', p->to);
            print_value(p, &o->second, t, index);
        }
    }
}

void ptx_print_indexed_insn(const ptx_printer *p, const ptx_insn *in, uint32_t index)
{
    if (in->guard != PTX_NO_REGISTER) {
        fprintf(p->to, "@%s", in->guard_negate ? "!" : "");
        ptx_print_reg(p, in->guard);
        fputc(' ', p->to);
    }
    fputs(in->text, p->to);
    print_operands(p, in, index);
    fputc(';', p->to);
}

void ptx_print_insn(FILE *to, const ptx_module *m, const ptx_func *f, const ptx_insn *in)
{
    ptx_printer p = {.to = to, .m = m, .f = f};
    bool inside = f && in >= f->insns && in < f->insns + f->insn_count;
    ptx_print_indexed_insn(&p, in, inside ? (uint32_t)(in - f->insns) : 0);
}
