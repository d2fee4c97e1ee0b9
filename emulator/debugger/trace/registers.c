/* Finds out how a function uses its registers, and prints their values accordingly. */
#include "registers.h"

#include "../../ptx/sheet.h"
#include "../../ptx/traits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    HALF_BYTES = 2, /* bytes of a half-precision float */
    WIDE_BYTES = 16 /* bytes of the widest register (.b128) */
};

/* --- forms --- */

/* How values of the PTX type T are printed. */
static dbg_form form_of_type(ptx_type t)
{
    switch (ptx_type_class(t)) {
    case 'F': return ptx_type_bytes(t) >= 4 ? DBG_FLOAT : DBG_BITS;
    case 'S': return DBG_SIGNED;
    case 'U': return DBG_UNSIGNED;
    default: return DBG_BITS;
    }
}

/* Forms are ordered from the least to the most certain; a more certain form replaces a less certain
 * one. A float wins over an integer, since float code also moves and compares floats with integer
 * instructions. */
static bool merge_form(dbg_form *form, dbg_form to)
{
    const bool better = to > *form && *form != DBG_PREDICATE;
    *form = better ? to : *form;
    return better;
}

/* Note that an operand of BYTES bytes uses value V in the form TO. True: a form has changed. */
static bool note_value_form(const ptx_func *f, dbg_form *form, const ptx_value *v, dbg_form to,
                            uint32_t bytes)
{
    const bool fits = v->kind == PTX_VAL_REG && bytes >= ptx_type_bytes(f->regs[v->reg].type);
    return fits && merge_form(&form[v->reg], to);
}

/* Note how IN uses each of its registers: as an address, or in the type of the operand. */
static void note_forms_of_insn(const ptx_func *f, dbg_form *form, const ptx_insn *in)
{
    for (uint32_t k = 0; k < in->operand_count; k++) {
        const ptx_type t = ptx_operand_type(in, k);
        const bool address = in->opd[k].memory && in->opd[k].lead == 0;
        for (uint32_t n = 0; n < in->opd[k].count; n++)
            if (address)
                note_value_form(f, form, &in->opd[k].v[n], DBG_ADDRESS, 8);
            else if (t != PTX_NOTYPE)
                note_value_form(f, form, &in->opd[k].v[n], form_of_type(t), ptx_type_bytes(t));
    }
    if (ptx_traits_of(in)->means == PTX_MEANS_address) {
        note_value_form(f, form, &in->opd[0].v[0], DBG_ADDRESS, 8);
        note_value_form(f, form, &in->opd[1].v[0], DBG_ADDRESS, 8);
    }
}

/* Show the source and the destination of a copy instruction in one form (integer, float, address).
 * Returns true if a form has changed. */
static bool propagate_form(dbg_form *form, const ptx_insn *in)
{
    const bool copies = ptx_traits_of(in)->means == PTX_MEANS_copy && !ptx_is_packing_mov(in) &&
                        in->operand_count == 2 && in->opd[0].count == 1 && in->opd[1].count == 1;
    const ptx_value *d = copies ? in->opd[0].v : NULL, *a = copies ? in->opd[1].v : NULL;
    if (!copies || d->kind != PTX_VAL_REG || a->kind != PTX_VAL_REG)
        return false;
    const bool there = merge_form(&form[d->reg], form[a->reg]);
    return merge_form(&form[a->reg], form[d->reg]) || there;
}

dbg_form *dbg_find_register_forms(const ptx_func *f)
{
    dbg_form *form = calloc(f->reg_count + 1u, sizeof *form);
    if (!form)
        return NULL;
    for (uint32_t r = 0; r < f->reg_count; r++)
        form[r] = f->regs[r].type == PTX_pred ? DBG_PREDICATE : form_of_type(f->regs[r].type);
    for (uint32_t k = 0; k < f->insn_count; k++)
        note_forms_of_insn(f, form, &f->insns[k]);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t k = 0; k < f->insn_count; k++)
            more |= propagate_form(form, &f->insns[k]);
    }
    return form;
}

/* --- values --- */

uint32_t dbg_register_bytes(const ptx_func *f, uint32_t reg)
{
    const ptx_type t = f->regs[reg].type;
    return t == PTX_pred ? 0 : ptx_type_bytes(t);
}

bool dbg_register_value(const sm_code *c, const uint8_t *window, uint32_t reg, uint32_t lane,
                        uint64_t value[2])
{
    const uint32_t slot = c->reg_slot ? c->reg_slot[reg] : 0,
                   bytes = dbg_register_bytes(c->func, reg);
    const uint32_t stride = bytes <= 4 ? 4 : bytes;
    value[0] = value[1] = 0;
    if (slot == 0)
        return false;
    if (bytes == 0) {
        uint32_t lanes;
        memcpy(&lanes, window + slot, sizeof lanes);
        value[0] = lanes >> lane & 1;
    } else {
        memcpy(value, window + slot + lane * stride, bytes < WIDE_BYTES ? bytes : WIDE_BYTES);
    }
    return true;
}

/* Write the bits of a float or double, by its size in BYTES, as a decimal number. */
static void text_of_float(uint32_t bytes, uint64_t bits, char *out, size_t size)
{
    float f;
    double d;
    memcpy(&f, &bits, sizeof f);
    memcpy(&d, &bits, sizeof d);
    if (bytes == sizeof f)
        snprintf(out, size, "%.9g", (double)f);
    else
        snprintf(out, size, "%.17g", d);
}

const char *dbg_value_text(dbg_form form, uint32_t bytes, const uint64_t value[2], char *out,
                           size_t size)
{
    const unsigned unused = bytes && bytes < 8 ? 64 - 8 * bytes : 0;
    if (bytes == WIDE_BYTES)
        snprintf(out, size, "0x%016" PRIx64 "%016" PRIx64, value[1], value[0]);
    else if (form == DBG_FLOAT && bytes > HALF_BYTES)
        text_of_float(bytes, value[0], out, size);
    else if (form == DBG_SIGNED)
        snprintf(out, size, "%" PRId64, (int64_t)(value[0] << unused) >> unused);
    else if (form == DBG_UNSIGNED || form == DBG_PREDICATE)
        snprintf(out, size, "%" PRIu64, value[0]);
    else
        snprintf(out, size, "0x%" PRIx64, value[0]);
    return out;
}

void dbg_register_text(FILE *to, const sm_code *c, const dbg_form *forms, const uint8_t *window,
                       uint32_t reg, uint32_t mask)
{
    const uint32_t bytes = dbg_register_bytes(c->func, reg);
    uint64_t value[SM_LANES][2];
    bool same = true;
    const uint32_t first = mask ? (uint32_t)__builtin_ctz(mask) : 0;
    for (uint32_t l = 0; l < SM_LANES; l++)
        if (!dbg_register_value(c, window, reg, l, value[l]))
            return;
    for (uint32_t m = mask; m; m &= m - 1)
        same = same && memcmp(value[__builtin_ctz(m)], value[first], sizeof value[0]) == 0;
    char text[64];
    fprintf(to, "%s=", c->func->regs[reg].name);
    if (same) {
        fputs(dbg_value_text(forms[reg], bytes, value[first], text, sizeof text), to);
        return;
    }
    const uint32_t last = 31 - (uint32_t)__builtin_clz(mask);
    for (uint32_t l = 0; l <= last; l++) {
        const bool in = mask >> l & 1;
        fprintf(to, "%s%s", l ? "," : "",
                in ? dbg_value_text(forms[reg], bytes, value[l], text, sizeof text) : "_");
    }
}

uint32_t dbg_register_find(const ptx_func *f, const char *name)
{
    for (uint32_t r = 0; r < f->reg_count; r++) {
        const char *is = f->regs[r].name;
        if (strcmp(is, name) == 0 || (*is == '%' && strcmp(is + 1, name) == 0))
            return r;
    }
    return PTX_NO_REGISTER;
}

char *dbg_insn_text(const ptx_module *m, const ptx_func *f, const ptx_insn *in)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return NULL;
    ptx_print_insn(to, m, f, in);
    fflush(to);
    /* remove the indentation */
    const size_t from = text ? strspn(text, " \t") : 0;
    const size_t length = text ? strcspn(text + from, "\n") : 0;
    const char *is = ptx_op_name(in->op);
    const bool changed = in->text && strncmp(in->text, is, strlen(is)) != 0;
    fclose(to);
    char *line = NULL;
    if (!text || asprintf(&line, changed ? "%.*s // written as %s" : "%.*s", (int)length,
                          text + from, in->text) < 0)
        line = NULL;
    free(text);
    for (char *c = line; c && *c; c++)
        *c = *c == '\t' ? ' ' : *c;
    return line;
}
