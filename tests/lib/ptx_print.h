/* Print a module as PTX text. Names from nested scopes are moved to one scope and made unique if
 * they collide; labels are named after the index of the instruction that they precede. Parsing the
 * printed text and printing it again gives the same text. */
#ifndef WARPBOOK_TESTS_PTX_PRINT_H
#define WARPBOOK_TESTS_PTX_PRINT_H

#include "../../emulator/ptx/names.h"
#include "../../emulator/ptx/print.h"
#include "../../emulator/ptx/traits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- unique names within a function --- */

/* The names that occur in a function. A name that occurs twice in the function, or also in
 * module scope, gets a suffix "$1", "$2" ... */
typedef struct name_set {
    const char **name; /* [slots] hash table of the names; NULL: an empty slot */
    uint32_t slots;    /* size of the hash table of names */
} name_set;

static bool add_name(name_set *s, const char *name)
{
    for (uint32_t at = ptx_hash(name, strlen(name));; at++) {
        const char **slot = &s->name[at &= s->slots - 1];
        if (!*slot) {
            *slot = name;
            return false;
        }
        if (strcmp(*slot, name) == 0)
            return true;
    }
}

static bool contains_name(const name_set *s, const char *name)
{
    for (uint32_t at = ptx_hash(name, strlen(name));; at++) {
        const char *n = s->name[at &= s->slots - 1];
        if (!n || strcmp(n, name) == 0)
            return n != NULL;
    }
}

static bool is_module_name(const ptx_module *m, const char *name)
{
    return ptx_find_var(m, name) || ptx_find_func(m, name);
}

/* A suffix that makes the repeated NAME unique; *last is the last suffix tried. */
static uint32_t find_unused_suffix(const ptx_module *m, const name_set *s, const char *name,
                                   uint32_t *last)
{
    char buf[512];
    do {
        snprintf(buf, sizeof buf, "%s$%u", name, ++*last);
    } while (contains_name(s, buf) || is_module_name(m, buf));
    return *last;
}

static bool make_names_unique(ptx_printer *p)
{
    const ptx_func *f = p->f;
    uint32_t total = f->reg_count + f->var_count, last = 0;
    name_set s = {NULL, 16};
    while (s.slots < 2 * total)
        s.slots *= 2;
    s.name = calloc(s.slots, sizeof *s.name);
    bool *again = calloc(total + 1, sizeof *again);
    p->reg_suffix = calloc(f->reg_count + 1, sizeof *p->reg_suffix);
    p->var_suffix = calloc(f->var_count + 1, sizeof *p->var_suffix);
    p->label = calloc(f->insn_count / 32 + 1, sizeof *p->label);
    bool ok = s.name && again && p->reg_suffix && p->var_suffix && p->label;
    if (ok) {
        for (uint32_t i = 0; i < f->var_count; i++)
            again[i] = add_name(&s, f->vars[i]->name) || is_module_name(p->m, f->vars[i]->name);
        for (uint32_t i = 0; i < f->reg_count; i++) {
            again[f->var_count + i] =
                add_name(&s, f->regs[i].name) || is_module_name(p->m, f->regs[i].name);
        }
        for (uint32_t i = 0; i < f->var_count; i++)
            p->var_suffix[i] = again[i] ? find_unused_suffix(p->m, &s, f->vars[i]->name, &last) : 0;
        for (uint32_t i = 0; i < f->reg_count; i++) {
            bool twice = again[f->var_count + i];
            p->reg_suffix[i] = twice ? find_unused_suffix(p->m, &s, f->regs[i].name, &last) : 0;
        }
    }
    free(again);
    free(s.name);
    return ok;
}

/* --- declarations --- */

static void print_linking_directives(const ptx_printer *p, bool is_extern, bool is_visible,
                                     bool is_weak)
{
    fputs(is_extern ? ".extern " : is_visible ? ".visible " : is_weak ? ".weak " : "", p->to);
}

static void print_symbol(const ptx_printer *p, const ptx_reloc *r)
{
    if (r->bytes == 1)
        fprintf(p->to, "0x%" PRIX64 "(", UINT64_C(0xff) << r->mask_shift);
    fputs(r->generic ? "generic(" : "", p->to);
    if (r->var)
        ptx_print_var(p, r->var);
    else
        fputs(r->func->name, p->to);
    fputs(r->generic ? ")" : "", p->to);
    ptx_print_offset(p, r->offset);
    fputs(r->bytes == 1 ? ")" : "", p->to);
}

static void print_initialiser(const ptx_printer *p, const ptx_var *v)
{
    unsigned bytes = ptx_type_bytes(v->type);
    uint32_t reloc = 0;
    if (!v->init || !bytes)
        return;
    fputs(" = {", p->to);
    for (uint64_t at = 0; at + bytes <= v->init_size; at += bytes) {
        fputs(at ? ", " : "", p->to);
        if (reloc < v->reloc_count && v->reloc[reloc].at == at) {
            print_symbol(p, &v->reloc[reloc++]);
        } else {
            uint64_t bits = 0;
            memcpy(&bits, v->init + at, bytes < 8 ? bytes : 8);
            ptx_print_bits(p, bits, v->type);
        }
    }
    fputc('}', p->to);
}

static void print_variable(const ptx_printer *p, const ptx_var *v)
{
    unsigned bytes = ptx_type_bytes(v->type);
    print_linking_directives(p, v->is_extern, v->is_visible, v->is_weak);
    fprintf(p->to, ".%s %s.align %u .%s ", ptx_space_name(v->space),
            v->is_managed ? ".attribute(.managed) " : "", v->align, ptx_type_name(v->type));
    ptx_print_var(p, v);
    if (!v->size)
        fputs("[]", p->to);
    else if (v->size != bytes || v->init)
        fprintf(p->to, "[%" PRIu64 "]", v->size / bytes);
    print_initialiser(p, v);
    fputs(";\n", p->to);
}

static void print_params(const ptx_printer *p, const ptx_param *q, uint32_t count)
{
    fputc('(', p->to);
    for (uint32_t i = 0; i < count; i++, q++) {
        unsigned bytes = ptx_type_bytes(q->type);
        fputs(i ? ", " : "", p->to);
        if (q->reg != PTX_NO_REGISTER)
            fprintf(p->to, ".reg .%s ", ptx_type_name(q->type));
        else
            fprintf(p->to, ".param .align %u .%s ", q->align, ptx_type_name(q->type));
        if (q->var)
            ptx_print_var(p, q->var);
        else
            fputs(q->name, p->to);
        if (q->size != bytes)
            fprintf(p->to, "[%" PRIu64 "]", bytes ? q->size / bytes : 0);
    }
    fputc(')', p->to);
}

static void print_up_to_three_sizes(const ptx_printer *p, const char *word, const uint32_t *n)
{
    if (n[0])
        fprintf(p->to, " %s %u, %u, %u", word, n[0], n[1], n[2]);
}

static void print_func_head(const ptx_printer *p, const ptx_func *f)
{
    print_linking_directives(p, f->is_extern, f->is_visible, f->is_weak);
    fputs(f->is_entry ? ".entry " : ".func ", p->to);
    if (f->ret_count) {
        print_params(p, f->rets, f->ret_count);
        fputc(' ', p->to);
    }
    fputs(f->name, p->to);
    print_params(p, f->params, f->param_count);
    print_up_to_three_sizes(p, ".maxntid", f->maxntid);
    print_up_to_three_sizes(p, ".reqntid", f->reqntid);
    if (f->minnctapersm)
        fprintf(p->to, " .minnctapersm %u", f->minnctapersm);
    if (f->maxnreg)
        fprintf(p->to, " .maxnreg %u", f->maxnreg);
    fputs(f->explicit_cluster ? " .explicitcluster" : "", p->to);
    print_up_to_three_sizes(p, ".reqnctapercluster", f->cluster);
    fputs(f->no_return ? " .noreturn" : "", p->to);
}

/* --- bodies --- */

static bool is_param(const ptx_func *f, const ptx_var *v)
{
    for (uint32_t i = 0; i < f->param_count + f->ret_count; i++) {
        const ptx_param *q = i < f->param_count ? &f->params[i] : &f->rets[i - f->param_count];
        if (q->var == v)
            return true;
    }
    return false;
}

static bool is_reg_param(const ptx_func *f, uint32_t reg)
{
    for (uint32_t i = 0; i < f->param_count + f->ret_count; i++) {
        const ptx_param *q = i < f->param_count ? &f->params[i] : &f->rets[i - f->param_count];
        if (!q->var && q->reg == reg)
            return true;
    }
    return false;
}

static void print_register_decls(const ptx_printer *p)
{
    const ptx_func *f = p->f;
    unsigned on_line = 0;
    ptx_type type = PTX_NOTYPE;
    for (uint32_t i = 0; i < f->reg_count; i++) {
        if (i < f->param_count + f->ret_count && is_reg_param(f, i))
            continue;
        bool same = on_line && f->regs[i].type == type && on_line < 16;
        fputs(same ? ", " : on_line ? ";\n" : "", p->to);
        if (!same) {
            type = f->regs[i].type;
            fprintf(p->to, "    .reg .%s ", ptx_type_name(type));
            on_line = 0;
        }
        ptx_print_reg(p, i);
        on_line++;
    }
    fputs(on_line ? ";\n" : "", p->to);
}

static void mark_target_label(const ptx_printer *p, uint32_t target)
{
    p->label[target / 32] |= 1u << target % 32;
}

static bool has_label(const ptx_printer *p, uint32_t target)
{
    return p->label[target / 32] >> (target % 32) & 1;
}

static void mark_labels(const ptx_printer *p)
{
    for (uint32_t i = 0; i < p->f->insn_count; i++) {
        const ptx_insn *in = &p->f->insns[i];
        for (unsigned k = 0; k < in->operand_count; k++)
            if (in->opd[k].count && in->opd[k].v->kind == PTX_VAL_LABEL)
                mark_target_label(p, in->opd[k].v->target);
        for (uint32_t k = 0; k < in->target_count; k++)
            mark_target_label(p, in->targets[k]);
    }
}

static void print_prototype(const ptx_printer *p, uint32_t index)
{
    const ptx_func *f = p->f->insns[index].opd[3].v->func;
    if (!f->is_proto) {
        fprintf(p->to, "    $C%u: .calltargets %s;\n", index, f->name);
        return;
    }
    fprintf(p->to, "    $C%u: .callprototype ", index);
    if (f->ret_count) {
        print_params(p, f->rets, f->ret_count);
        fputc(' ', p->to);
    }
    fputs("_ ", p->to);
    print_params(p, f->params, f->param_count);
    fputs(f->no_return ? " .noreturn;\n" : ";\n", p->to);
}

static void print_loc(const ptx_printer *p, uint32_t loc)
{
    const ptx_loc *l = &p->m->locs[loc], *outer = &p->m->locs[l->inlined_at];
    fprintf(p->to, "    .loc %u %u %u", l->file, l->line, l->column);
    if (l->inlined_at) {
        fprintf(p->to, ", function_name $name, inlined_at %u %u %u", outer->file, outer->line,
                outer->column);
    }
    fputc('\n', p->to);
}

/* Print the positions of the callers before an inlined position, so that parsing finds the chain
 * of calls again. */
static void print_locs(const ptx_printer *p, uint32_t loc)
{
    uint32_t chain[16], n = 0;
    for (; loc && n < 16; loc = p->m->locs[loc].inlined_at)
        chain[n++] = loc;
    while (n)
        print_loc(p, chain[--n]);
}

static void print_body(ptx_printer *p)
{
    const ptx_func *f = p->f;
    uint32_t loc = 0;
    fputs("\n{\n", p->to);
    print_register_decls(p);
    for (uint32_t i = 0; i < f->var_count; i++) {
        if (!is_param(f, f->vars[i])) {
            fputs("    ", p->to);
            print_variable(p, f->vars[i]);
        }
    }
    mark_labels(p);
    for (uint32_t i = 0; i < f->insn_count; i++) {
        const ptx_insn *in = &f->insns[i];
        if (in->loc != loc) {
            loc = in->loc;
            print_locs(p, loc);
        }
        if (has_label(p, i))
            fprintf(p->to, "$L%u:\n", i);
        if (in->target_count) {
            fprintf(p->to, "    $T%u: .branchtargets ", i);
            for (uint32_t k = 0; k < in->target_count; k++)
                fprintf(p->to, "%s$L%u", k ? ", " : "", in->targets[k]);
            fputs(";\n", p->to);
        }
        if (ptx_traits_of(in)->flow == PTX_FLOW_call && in->opd[3].count)
            print_prototype(p, i);
        fputs("    ", p->to);
        ptx_print_indexed_insn(p, in, i);
        fputc('\n', p->to);
    }
    if (has_label(p, f->insn_count))
        fprintf(p->to, "$L%u:\n", f->insn_count);
    fputs("}\n", p->to);
}

static void print_func(FILE *to, const ptx_module *m, const ptx_func *f)
{
    ptx_printer p = {.to = to, .m = m, .f = f};
    if (f->has_body && !make_names_unique(&p)) {
        fprintf(to, "// %s: out of memory\n", f->name);
    } else {
        print_func_head(&p, f);
        if (f->has_body)
            print_body(&p);
        else
            fputs(";\n", to);
    }
    free(p.reg_suffix);
    free(p.var_suffix);
    free(p.label);
}

static void ptx_print(FILE *to, const ptx_module *m)
{
    ptx_printer p = {.to = to, .m = m};
    fprintf(to, ".version %u.%u\n.target sm_%u%s\n.address_size %u\n", m->version_major,
            m->version_minor, m->target, m->debug ? ", debug" : "", 8u * m->address_bytes);
    for (uint32_t i = 1; i < m->file_count; i++)
        fprintf(to, ".file %u \"%s\"\n", i, m->files[i]);
    /* functions are declared first, because initialisers and calls may refer to functions
     * defined later */
    for (uint32_t i = 0; i < m->func_count; i++) {
        if (!m->funcs[i]->is_entry && !m->funcs[i]->is_proto) {
            ptx_func head = *m->funcs[i];
            head.has_body = false;
            print_func(to, m, &head);
        }
    }
    for (uint32_t i = 0; i < m->var_count; i++)
        if (!m->vars[i]->scope)
            print_variable(&p, m->vars[i]);
    for (int entries = 0; entries < 2; entries++) {
        for (uint32_t i = 0; i < m->func_count; i++) {
            const ptx_func *f = m->funcs[i];
            if (f->is_entry == entries && !f->is_proto && (f->has_body || f->is_entry))
                print_func(to, m, f);
        }
    }
    /* the function names in .loc directives refer to this section */
    fputs(".section .debug_str\n{\n$name:\n.b8 0\n}\n", to);
}

#endif
