#include "variables.h"

#include "../../ptx/traits.h"
#include "../source_line.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* --- variables that kernels may write --------------------------------------------------------- */

/* Which variable's address each register of a function may hold. */
typedef struct address_search {
    const ptx_var **holds; /* [registers] the variable; NULL: none */
    const ptx_var *found;  /* a variable whose address the instruction uses; NULL: none */
    bool *written;         /* [variables] a function may write the variable */
    bool changed;          /* `holds` has changed in this round */
} address_search;

/* IN uses the address of V. If it uses two, it is not known which of them the result is. */
static void note_address_used(address_search *s, const ptx_var *v)
{
    if (s->found && v && s->found != v)
        s->written[s->found->index] = s->written[v->index] = true;
    s->found = v ? v : s->found;
}

static void note_register_written(address_search *s, uint32_t reg)
{
    if (s->holds[reg] && s->holds[reg] != s->found)
        s->written[s->holds[reg]->index] = s->written[s->found->index] = true;
    s->changed = s->changed || !s->holds[reg];
    s->holds[reg] = s->found;
}

static void examine_insn(address_search *s, const ptx_insn *in)
{
    const ptx_traits *t = ptx_traits_of(in);
    s->found = NULL;
    PTX_EACH_READ(r, in)
        if (r.operand != PTX_GUARD_OPERAND)
            note_address_used(s, s->holds[r.reg]);
    for (uint32_t o = 0; o < in->operand_count; o++) {
        for (uint32_t k = 0; k < in->opd[o].count; k++)
            if (in->opd[o].v[k].kind == PTX_VAL_VAR && !in->opd[o].v[k].var->scope)
                note_address_used(s, in->opd[o].v[k].var);
    }
    if (!s->found || t->access == PTX_ACCESS_load || t->means == PTX_MEANS_comparison)
        return;
    if (t->access != PTX_ACCESS__ || t->flow != PTX_FLOW__ || t->unit != PTX_UNIT__)
        s->written[s->found->index] = true;
    else
        PTX_EACH_WRITTEN(r, in)
            note_register_written(s, r.reg);
}

static bool examine_function(const ptx_func *f, bool *written)
{
    address_search s = {
        .holds = calloc(f->reg_count + 1u, sizeof *s.holds), .written = written, .changed = true};
    while (s.holds && s.changed) {
        s.changed = false;
        for (uint32_t k = 0; k < f->insn_count; k++)
            examine_insn(&s, &f->insns[k]);
    }
    const bool good = s.holds;
    free(s.holds);
    return good;
}

bool *san_variables_written_by_kernels(const ptx_module *m)
{
    bool *written = calloc(m->var_count + 1u, sizeof *written);
    bool good = written;
    for (uint32_t k = 0; good && k < m->func_count; k++)
        good = examine_function(m->funcs[k], written);
    for (uint32_t k = 0; good && k < m->var_count; k++) {
        for (uint32_t r = 0; r < m->vars[k]->reloc_count; r++)
            if (m->vars[k]->reloc[r].var)
                written[m->vars[k]->reloc[r].var->index] = true;
    }
    if (!good) {
        free(written);
        return NULL;
    }
    return written;
}

/* --- declarations in source files ------------------------------------------------------------- */

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* What the declaration from TEXT to END says of NAME: is a value behind its dimensions? */
static san_declaration value_in_declaration(const char *text, const char *end, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = text; at + n <= end; at++) {
        if (strncmp(at, name, n) != 0 || is_name_char(at[-1]) || is_name_char(at[n]))
            continue;
        const char *after = at + n;
        for (int depth = 0;
             after < end && (depth || isspace((unsigned char)*after) || *after == '['); after++)
            depth += *after == '[' ? 1 : *after == ']' ? -1 : 0;
        return *after == '=' || *after == '{' ? SAN_WITH_VALUE : SAN_WITHOUT_VALUE;
    }
    return SAN_NOT_DECLARED;
}

/* The first declaration of NAME with the specifier WORD in TEXT. */
static san_declaration find_in_text(const char *text, const char *word, const char *name)
{
    san_declaration found = SAN_NOT_DECLARED;
    for (const char *at = text; !found && (at = strstr(at, word));) {
        at += strlen(word);
        found = value_in_declaration(at, at + strcspn(at, ";"), name);
    }
    return found;
}

san_declaration san_find_declaration(const ptx_module *m, const char *name)
{
    const char *colon = strrchr(name, ':');
    san_declaration found = SAN_NOT_DECLARED;
    for (uint32_t k = 1; !found && k < m->file_count; k++) {
        char *text = san_source_text(m->files[k]);
        if (text) {
            found = find_in_text(text, "__device__", colon ? colon + 1 : name);
            found = found ? found : find_in_text(text, "__constant__", colon ? colon + 1 : name);
        }
        free(text);
    }
    return found;
}
