/* Declare the registers and other names of a function (PTX ISA 5.1, 5.4.2). */
#include "parser.h"

#include <stdio.h>
#include <string.h>

ptx_symbol *ptx_declare_symbol(ptx_parser *p, const ptx_token *at, const char *name, size_t len,
                               ptx_symbol_kind kind)
{
    uint32_t hash = ptx_hash(name, len);
    const ptx_symbol *old = ptx_symbol_find(&p->symbols, name, len, hash);
    if (old && old->depth == p->depth)
        ptx_fail(p, at, "%.*s is already declared", (int)(len < 100 ? len : 100), name);
    ptx_symbol *s = ptx_symbol_add(&p->symbols, name, len, hash, p->depth, kind);
    if (!s)
        ptx_fail_out_of_memory(p);
    return s;
}

static uint32_t append_register(ptx_parser *p, const ptx_token *at, const char *name, ptx_type type)
{
    if (p->regs.count >= PTX_LIMIT_REGS)
        ptx_fail(p, at, "a function has up to %d registers", PTX_LIMIT_REGS);
    ptx_reg *r = ptx_push_item(p, &p->regs, sizeof *r);
    r->name = name;
    r->type = type;
    return p->regs.count - 1;
}

void ptx_add_reg(ptx_parser *p, const ptx_token *at, const char *name, size_t len, ptx_type type)
{
    uint32_t reg = append_register(p, at, name, type);
    ptx_declare_symbol(p, at, name, len, PTX_SYM_REG)->reg = reg;
}

/* Declare the registers of `.reg .b32 %r<100>`: %r0 to %r99. */
void ptx_add_numbered_regs(ptx_parser *p, const ptx_token *name, ptx_type type, uint64_t count)
{
    if (count > PTX_LIMIT_REGS)
        ptx_fail(p, name, "a function has up to %d registers", PTX_LIMIT_REGS);
    size_t width = name->len + 7;
    char *names = ptx_alloc_array(p, count, width);
    char digits[8];
    for (uint32_t i = 0; i < count; i++, names += width) {
        size_t n = 0;
        for (uint32_t rest = i; n == 0 || rest; rest /= 10)
            digits[n++] = (char)('0' + rest % 10);
        memcpy(names, name->s, name->len);
        for (size_t k = 0; k < n; k++)
            names[name->len + k] = digits[n - 1 - k];
        ptx_add_reg(p, name, names, name->len + n, type);
    }
}

char *ptx_vector_element_name(ptx_parser *p, const char *name, size_t len, unsigned k)
{
    char *part = ptx_alloc_array(p, len + 3, 1);
    memcpy(part, name, len);
    part[len] = '$';
    part[len + 1] = "xyzw"[k & 3];
    return part;
}

/* Declare the registers of `.reg .v4 .f32 v`: one for each element. */
uint32_t ptx_add_vector_reg(ptx_parser *p, const ptx_token *at, const char *name, size_t len,
                            unsigned count, ptx_type type)
{
    uint32_t first = p->regs.count;
    if (count > 4)
        ptx_fail(p, at, "vector registers have two or four elements");
    for (unsigned i = 0; i < count; i++)
        append_register(p, at, ptx_vector_element_name(p, name, len, i), type);
    ptx_symbol *sym = ptx_declare_symbol(p, at, name, len, PTX_SYM_VECTOR);
    sym->reg = first;
    sym->count = count;
    return first;
}

uint32_t ptx_add_unnamed_reg(ptx_parser *p, const ptx_token *at, ptx_type type)
{
    char name[32];
    const int len = snprintf(name, sizeof name, "%%sum$%u", p->regs.count);
    return append_register(p, at, ptx_copy_text(p, name, (size_t)len), type);
}
