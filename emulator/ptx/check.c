/* Check instructions against their rows in ops.def. */
#include "names.h"
#include "sheet.h"
#include "traits.h"

#include <stdarg.h>
#include <string.h>

static bool report_unsupported(const ptx_module *m, const ptx_insn *in, ptx_error *err,
                               const char *format, ...) __attribute__((format(printf, 4, 5)));

static bool report_unsupported(const ptx_module *m, const ptx_insn *in, ptx_error *err,
                               const char *format, ...)
{
    char where[160];
    *err = (ptx_error){.line = in->line, .kind = PTX_ERR_UNSUPPORTED};
    int n = in->loc ? snprintf(err->text, sizeof err->text, "PTX line %u (%s): unsupported ",
                               in->line, ptx_source_position(m, in, where, sizeof where))
                    : snprintf(err->text, sizeof err->text, "PTX line %u: unsupported ", in->line);
    va_list args;
    va_start(args, format);
    vsnprintf(err->text + n, sizeof err->text - (size_t)n, format, args);
    va_end(args);
    return false;
}

/* --- the types and modifiers of an instruction --- */

static bool types_match(const ptx_row *r, const ptx_insn *in)
{
    for (unsigned i = 0; i < r->alternative_count; i++) {
        const ptx_alternative *a = &r->alternative[i];
        bool ok = a->count == in->type_count;
        for (unsigned k = 0; ok && k < a->count; k++)
            ok = a->set[k] >> in->type[k] & 1;
        if (ok)
            return true;
    }
    return false;
}

/* Are the first and the second type of IN in the sets FIRST and SECOND? Set 0: any type. An
 * instruction without types has the type PTX_NOTYPE. */
static bool are_types_in(const ptx_insn *in, uint64_t first, uint64_t second)
{
    const ptx_type a = in->type_count ? in->type[0] : PTX_NOTYPE;
    const ptx_type b = in->type_count > 1 ? in->type[1] : PTX_NOTYPE;
    return (!first || first >> a & 1) && (!second || second >> b & 1);
}

/* The first modifier that is not allowed, or PTX_MOD_COUNT. */
static unsigned refused_modifier(const ptx_row *r, const ptx_insn *in)
{
    for (unsigned w = 0; w < 4; w++) {
        uint64_t rest = in->mods[w];
        for (unsigned k = 0; rest && k < r->permit_count; k++) {
            const ptx_modifier_permit *p = &r->permit[k];
            if (p->mod / 64 == w && are_types_in(in, p->types, p->second))
                rest &= ~((uint64_t)1 << (p->mod % 64));
        }
        if (rest)
            return w * 64 + (unsigned)__builtin_ctzll(rest);
    }
    return PTX_MOD_COUNT;
}

/* The first group rule that IN's modifiers break (exactly, or at most, one of ...), or NULL. */
static const ptx_modifier_rule *violated_modifier_rule(const ptx_row *r, const ptx_insn *in)
{
    for (unsigned k = 0; k < r->group_count; k++) {
        const ptx_modifier_rule *g = &r->group[k];
        if (!are_types_in(in, g->types, g->second))
            continue;
        int there = 0, all = 0;
        for (unsigned w = 0; w < 4; w++) {
            there += __builtin_popcountll(in->mods[w] & g->mods[w]);
            all += __builtin_popcountll(g->mods[w]);
        }
        if (g->kind == PTX_GROUP_ALL_OR_NONE ? there && there < all
                                             : there > 1 || (!there && g->kind == PTX_GROUP_ONE))
            return g;
    }
    return NULL;
}

static bool report_modifier_rule(const ptx_module *m, const ptx_insn *in,
                                 const ptx_modifier_rule *g, ptx_error *err)
{
    char list[200] = "";
    size_t n = 0;
    for (unsigned k = 0; k < PTX_MOD_COUNT && n < sizeof list - 32; k++)
        if (g->mods[k / 64] >> (k % 64) & 1)
            n += (size_t)snprintf(list + n, sizeof list - n, " .%s", ptx_mod_name((ptx_mod)k));
    static const char *const says[] = {"exactly one of", "at most one of", "all or none of"};
    return report_unsupported(m, in, err, "\"%s\": it must have %s%s", in->text, says[g->kind],
                              list);
}

/* --- operands --- */

/* Does a register of type HAVE fit an operand of type WANT? Loads, stores and conversions also
 * accept wider registers. */
static bool width_fits(const ptx_insn *in, ptx_type want, ptx_type have)
{
    if ((want == PTX_pred) != (have == PTX_pred))
        return false;
    unsigned w = ptx_type_bytes(want), h = ptx_type_bytes(have);
    const bool wider = ptx_is_per_lane_load(in) || ptx_is_per_lane_store(in) ||
                       ptx_traits_of(in)->means == PTX_MEANS_conversion;
    return wider ? h >= w : h == w || (w == 1 && h <= 4);
}

static bool check_register(const ptx_module *m, const ptx_func *f, const ptx_insn *in, unsigned i,
                           const ptx_value *v, ptx_type want, ptx_error *err)
{
    if (v->kind != PTX_VAL_REG || want == PTX_NOTYPE || v->select)
        return true;
    const ptx_reg *r = &f->regs[v->reg];
    if (width_fits(in, want, r->type))
        return true;
    return report_unsupported(
        m, in, err, "operand %u of \"%s\": register %s is .%s, but .%s belongs here", i + 1,
        in->text, r->name, ptx_type_name(r->type), ptx_type_name(want));
}

/* Check mov.v2 and mov.v4: both sides have the vector's values, each of the instruction's type. */
static bool check_elements(const ptx_module *m, const ptx_func *f, const ptx_insn *in, unsigned i,
                           ptx_error *err)
{
    const ptx_operand *o = &in->opd[i];
    const ptx_type type = in->type[0];
    if (type == PTX_pred || ptx_type_bytes(type) > 8)
        return report_unsupported(m, in, err, "vector width of \"%s\"", in->text);
    if (!o->vector || o->count != in->vec) {
        return report_unsupported(m, in, err, "operand %u of \"%s\": a vector of %u belongs here",
                                  i + 1, in->text, in->vec);
    }
    for (unsigned k = 0; k < o->count; k++) {
        if (o->v[k].kind == PTX_VAL_SINK && i) {
            return report_unsupported(m, in, err, "operand %u of \"%s\": _ has no value", i + 1,
                                      in->text);
        }
        if (!check_register(m, f, in, i, &o->v[k], type, err))
            return false;
    }
    return true;
}

/* Check a mov that packs or unpacks: together the elements must be as wide as the register. */
static bool check_packing(const ptx_module *m, const ptx_func *f, const ptx_insn *in,
                          const ptx_operand *o, ptx_error *err)
{
    unsigned bytes = 0;
    if (in->opd[0].vector && in->operand_count > 1 && in->opd[1].vector) {
        return report_unsupported(m, in, err, "\"%s\" of two vectors: it has no .v2 or .v4",
                                  in->text);
    }
    for (unsigned k = 0; k < o->count; k++) {
        if (o->v[k].kind != PTX_VAL_REG)
            return true; /* `_` or an immediate takes the bytes that the others leave */
        bytes += ptx_type_bytes(f->regs[o->v[k].reg].type);
    }
    unsigned whole = ptx_type_bytes(in->type[0]);
    return bytes == whole ||
           report_unsupported(m, in, err, "\"%s\": a vector of %u bytes where %u bytes belong",
                              in->text, bytes, whole);
}

/* A variable must lie in the state space that the mnemonic names. If the mnemonic names no
 * space, ptx/parser/instruction.c has filled in the variable's space. */
static bool check_space(const ptx_module *m, const ptx_insn *in, const ptx_var *v, ptx_error *err)
{
    const ptx_traits *t = ptx_traits_of(in);
    if (t->reach != PTX_REACH_any || t->access == PTX_ACCESS_copy || in->space == v->space)
        return true;
    const char *space = ptx_space_name(v->space);
    return in->space
               ? report_unsupported(m, in, err, "\"%s\" of %s, which lies in .%s", in->text,
                                    v->name, space)
               : report_unsupported(m, in, err, "\"%s\" of %s: .%s has no generic addresses here",
                                    in->text, v->name, space);
}

/* An address must be in a 32-bit or 64-bit register. */
static bool check_address(const ptx_module *m, const ptx_func *f, const ptx_insn *in, unsigned i,
                          const ptx_operand *o, ptx_error *err)
{
    const ptx_value *a = o->v;
    unsigned bytes = a->kind == PTX_VAL_REG ? ptx_type_bytes(f->regs[a->reg].type) : 8;
    bool is_pred = a->kind == PTX_VAL_REG && f->regs[a->reg].type == PTX_pred;
    if (bytes < 4 || bytes > 8 || is_pred || a->kind == PTX_VAL_SINK || a->negate)
        return report_unsupported(m, in, err, "operand %u of \"%s\": no address", i + 1, in->text);
    return a->kind != PTX_VAL_VAR || check_space(m, in, a->var, err);
}

/* Can a source operand be a variable's name without an offset? */
static bool accepts_plain_name(const ptx_insn *in)
{
    const ptx_result_meaning means = ptx_traits_of(in)->means;
    if (means == PTX_MEANS__)
        return !ptx_is_per_lane_store(in) && !ptx_is_per_lane_atomic(in);
    return means == PTX_MEANS_copy || means == PTX_MEANS_peer_address ||
           (means == PTX_MEANS_address && !ptx_has_modifier(in, PTX_MOD_to));
}

/* Check the marks on an operand. A part of a register is allowed in video instructions only;
 * negation is allowed for predicates, and for operands with a minus in the row of ops.def. */
static bool check_operand_marks(const ptx_module *m, const ptx_func *f, const ptx_insn *in,
                                unsigned i, const ptx_value *v, ptx_error *err)
{
    const ptx_row *r = ptx_row_of_op(in->op);
    const bool video = ptx_traits_of(in)->unit == PTX_UNIT_video;
    if (v->select && (!video || v->select == PTX_SELECT_OTHER || in->opd[i].memory)) {
        return report_unsupported(m, in, err, "operand %u of \"%s\": part of a register", i + 1,
                                  in->text);
    }
    if (v->negate && !(v->kind == PTX_VAL_REG && !in->opd[i].memory &&
                       ptx_traits_of(in)->flow != PTX_FLOW_call &&
                       (f->regs[v->reg].type == PTX_pred || r->shape[i].minus ||
                        (f->contracted && ptx_traits_of(in)->means == PTX_MEANS_fused))))
        return report_unsupported(m, in, err, "operand %u of \"%s\": negation", i + 1, in->text);
    return true;
}

/* Compare arguments and results of a call with the function's parameters. */
static bool check_call(const ptx_module *m, const ptx_insn *in, ptx_error *err)
{
    const ptx_value *callee = in->opd[1].v;
    const ptx_func *f = callee->kind == PTX_VAL_FUNC ? callee->func : in->opd[3].v->func;
    if (in->opd[0].count != f->ret_count || in->opd[2].count != f->param_count) {
        return report_unsupported(m, in, err,
                                  "call of %s with %u results and %u arguments: the function has "
                                  "%u results and %u parameters",
                                  f->name, in->opd[0].count, in->opd[2].count, f->ret_count,
                                  f->param_count);
    }
    for (unsigned i = 0; i < f->ret_count + f->param_count; i++) {
        bool result = i < f->ret_count;
        const ptx_value *v = result ? &in->opd[0].v[i] : &in->opd[2].v[i - f->ret_count];
        bool param = v->kind == PTX_VAL_VAR && v->var->space == PTX_SPACE_PARAM && !v->offset;
        bool scalar = v->kind == PTX_VAL_REG || (v->kind == PTX_VAL_IMM && !result);
        if (!param && !scalar) {
            return report_unsupported(m, in, err,
                                      "%s of a call of %s: neither a parameter nor a register",
                                      result ? "result" : "argument", f->name);
        }
    }
    return true;
}

static bool check_operand(const ptx_module *m, const ptx_func *f, const ptx_insn *in, unsigned i,
                          const ptx_operand_form *s, ptx_error *err)
{
    const ptx_operand *o = &in->opd[i];
    for (unsigned k = 0; k < o->count; k++)
        if (!check_operand_marks(m, f, in, i, &o->v[k], err))
            return false;
    if (s->role == PTX_ROLE_LABEL || s->role == PTX_ROLE_LIST || s->role == PTX_ROLE_CALL)
        return true;
    if (!o->count || o->memory != (s->role == PTX_ROLE_MEMORY)) {
        return report_unsupported(m, in, err, "operand %u of \"%s\": %s", i + 1, in->text,
                                  s->role == PTX_ROLE_MEMORY ? "an address in brackets belongs here"
                                                             : "no brackets belong here");
    }
    if (o->second.kind != PTX_VAL_NONE && !s->pair)
        return report_unsupported(m, in, err, "operand %u of \"%s\": a pair p|q", i + 1, in->text);
    if (o->memory)
        return check_address(m, f, in, i, o, err);
    if (ptx_is_packing_mov(in) && o->vector)
        return check_packing(m, f, in, o, err);
    if (ptx_traits_of(in)->means == PTX_MEANS_copy && in->vec > 1)
        return check_elements(m, f, in, i, err);
    if (o->count == 1 && o->v->kind == PTX_VAL_VAR && !o->v->sum && !accepts_plain_name(in)) {
        return report_unsupported(m, in, err,
                                  "operand %u of \"%s\": the name %s (mov gives its address)",
                                  i + 1, in->text, o->v->var->name);
    }
    ptx_type want = ptx_operand_type(in, i);
    for (unsigned k = 0; k < o->count; k++)
        if (!check_register(m, f, in, i, &o->v[k], want, err))
            return false;
    return check_register(m, f, in, i, &o->second, PTX_pred, err); /* in every pair p|q, q is a
                                                                    * predicate */
}

/* A vector operand must have as many elements as .v2 or .v4 says. */
static bool check_vector(const ptx_module *m, const ptx_insn *in, ptx_error *err)
{
    if (!ptx_is_per_lane_load(in) && !ptx_is_per_lane_store(in))
        return true;
    const unsigned i = ptx_is_per_lane_store(in);
    const ptx_operand *o = &in->opd[i];
    if (o->count != in->vec || (in->vec > 1) != o->vector) {
        return report_unsupported(m, in, err, "\"%s\" with a vector of %u elements", in->text,
                                  o->count);
    }
    return true;
}

/* Operands of a block barrier, by its kind. sync: a, b?; arrive: a, b; red: d, a, b?, c. */
static void barrier_operand_range(const ptx_insn *in, unsigned *least, unsigned *most)
{
    const bool red = ptx_has_modifier(in, PTX_MOD_red),
               arrive = ptx_has_modifier(in, PTX_MOD_arrive);
    *least = red ? 3 : arrive ? 2 : 1;
    *most = red ? 4 : ptx_has_modifier(in, PTX_MOD_warp) ? 1 : 2;
}

static void operand_range(const ptx_row *r, const ptx_insn *in, unsigned *least, unsigned *most)
{
    if (ptx_is_barrier(in)) {
        barrier_operand_range(in, least, most);
        return;
    }
    *least = r->required;
    *most = r->shape_count;
    for (unsigned i = 0; i < *most; i++) {
        const ptx_operand_form *s = &r->shape[i];
        if (!s->when)
            continue;
        bool there = false, asked = false;
        for (unsigned w = 0; w < 4; w++) {
            there = there || in->mods[w] & s->when_mods[w];
            asked = asked || s->when_mods[w];
        }
        there = asked ? there : are_types_in(in, s->when_types, s->when_second);
        if (there)
            *least = i + 1;
        else if (!s->elsewhere)
            *most = i;
    }
}

static bool check_insn(const ptx_module *m, const ptx_func *f, const ptx_insn *in, ptx_error *err)
{
    if (in->op == PTX_OP_NONE)
        return report_unsupported(m, in, err, "instruction \"%s\"", in->text);
    const ptx_row *r = ptx_row_of_op(in->op);
    if (!types_match(r, in))
        return report_unsupported(m, in, err, "types of \"%s\"", in->text);
    unsigned mod = refused_modifier(r, in);
    if (mod != PTX_MOD_COUNT) {
        return report_unsupported(m, in, err, "modifier .%s of \"%s\"", ptx_mod_name((ptx_mod)mod),
                                  in->text);
    }
    const ptx_modifier_rule *g = violated_modifier_rule(r, in);
    if (g)
        return report_modifier_rule(m, in, g, err);
    unsigned spaces = (1u << in->space | 1u << in->space2) & ~(1u << PTX_SPACE_NONE);
    if (spaces & ~r->spaces)
        return report_unsupported(m, in, err, "state space of \"%s\"", in->text);
    if (in->vec > 1 && !(r->vecs >> in->vec & 1))
        return report_unsupported(m, in, err, "vector width of \"%s\"", in->text);
    unsigned least, most;
    operand_range(r, in, &least, &most);
    if (in->operand_count < least || in->operand_count > most) {
        return report_unsupported(m, in, err, "\"%s\" with %u operands", in->text,
                                  in->operand_count);
    }
    for (unsigned i = 0; i < in->operand_count; i++)
        if (!check_operand(m, f, in, i, &r->shape[i], err))
            return false;
    return ptx_traits_of(in)->flow == PTX_FLOW_call ? check_call(m, in, err)
                                                    : check_vector(m, in, err);
}

bool ptx_is_legal(const ptx_module *m, const ptx_func *f, ptx_error *err)
{
    memset(err, 0, sizeof *err);
    for (uint32_t i = 0; i < f->insn_count; i++)
        if (!check_insn(m, f, &f->insns[i], err))
            return false;
    return true;
}

bool ptx_check(const ptx_module *m, const ptx_func *f, ptx_error *err)
{
    for (uint32_t i = 0; i < f->insn_count; i++) {
        const ptx_insn *in = &f->insns[i];
        const ptx_row *r = ptx_row_of_op(in->op);
        if (in->op && !r->implemented) {
            return report_unsupported(
                m, in, err, "instruction \"%s\" (PTX ISA %s): warpbook does not run it yet",
                in->text, r->isa);
        }
    }
    return ptx_is_legal(m, f, err);
}
