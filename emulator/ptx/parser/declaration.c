/* Declarations: variables, registers, parameters, functions (PTX ISA 5.4, 7 and 11). */
#include "parser.h"

#include <string.h>

enum { MAX_ARRAY_DIMS = 6 };
#define MAX_VARIABLE_BYTES ((uint64_t)1 << 48)

/* The specifiers that stand before the name of a variable, register or parameter. */
typedef struct specifier_set {
    ptx_type type;                                   /* type of the variable or register */
    uint32_t align;                                  /* alignment in bytes; 0: natural alignment */
    unsigned vec;                                    /* vector width */
    bool is_extern, is_visible, is_weak, is_managed; /* linking directives */
} specifier_set;

static uint32_t parse_alignment(ptx_parser *p)
{
    ptx_token t = p->lex.tok;
    uint64_t n = ptx_parse_constant_int(p);
    if (!n || n & (n - 1) || n > 1 << 20)
        ptx_fail(p, &t, "an alignment must be a power of two");
    return (uint32_t)n;
}

/* Parse .attribute(.managed) or .attribute(.unified(1, 2)). */
static void parse_attributes(ptx_parser *p, specifier_set *s)
{
    ptx_expect_token(p, '(', "'('");
    unsigned open = 1;
    while (open) {
        if (ptx_is_dot_word(p, ".managed"))
            s->is_managed = true;
        else if (ptx_is_token(p, '('))
            open++;
        else if (ptx_is_token(p, ')'))
            open--;
        else if (ptx_is_token(p, PTX_TOK_END))
            ptx_fail(p, &p->lex.tok, "expected ')', but the text ends here");
        ptx_next_token(p);
    }
}

static bool parse_linking(ptx_parser *p, specifier_set *s)
{
    if (ptx_accept_dot_word(p, ".extern"))
        s->is_extern = true;
    else if (ptx_accept_dot_word(p, ".visible"))
        s->is_visible = true;
    else if (ptx_accept_dot_word(p, ".weak") || ptx_accept_dot_word(p, ".common"))
        s->is_weak = true;
    else
        return false;
    return true;
}

/* Parse alignment, vector width, type and attributes in any order. The contents of a parameter's
 * .ptr are skipped. */
static void parse_specifiers(ptx_parser *p, specifier_set *s)
{
    bool pointee = false; /* after .ptr, .align refers to the pointee */
    s->vec = 1;
    while (ptx_is_token(p, PTX_TOK_DOT)) {
        ptx_token t = p->lex.tok;
        unsigned value;
        if (ptx_accept_dot_word(p, ".align")) {
            uint32_t n = parse_alignment(p);
            s->align = pointee ? s->align : n;
            continue;
        }
        if (ptx_accept_dot_word(p, ".attribute")) {
            parse_attributes(p, s);
            continue;
        }
        if (ptx_accept_dot_word(p, ".ptr")) {
            pointee = true;
            continue;
        }
        switch (ptx_word_find(t.s + 1, t.len - 1, &value)) {
        case PTX_WORD_TYPE: s->type = (ptx_type)value; break;
        case PTX_WORD_VEC: s->vec = value; break;
        case PTX_WORD_SPACE:
            if (pointee)
                break;
            /* fall through */
        default: ptx_fail(p, &t, "expected a type or another specifier");
        }
        ptx_next_token(p);
    }
    if (!s->type)
        ptx_fail(p, &p->lex.tok, "expected a type such as .b32");
}

/* Parse array dimensions such as [4][8]; [] gives 0. Returns the product, in which 0 counts as
 * 1. */
static uint64_t parse_dimensions(ptx_parser *p, uint64_t *dims, unsigned *count)
{
    uint64_t product = 1;
    for (*count = 0; ptx_accept_token(p, '['); ++*count) {
        ptx_token t = p->lex.tok;
        if (*count == MAX_ARRAY_DIMS)
            ptx_fail(p, &t, "arrays have up to %d dimensions", MAX_ARRAY_DIMS);
        uint64_t n = 0;
        if (!ptx_is_token(p, ']')) {
            ptx_const c = ptx_parse_constant(p);
            n = c.bits;
            if (c.kind != PTX_CONST_INT || n > MAX_VARIABLE_BYTES ||
                n * product > MAX_VARIABLE_BYTES)
                ptx_fail(p, &t, "this array exceeds the maximum size of a variable");
        } else if (*count) {
            ptx_fail(p, &t, "only the first dimension may be left open");
        }
        dims[*count] = n;
        product *= n ? n : 1;
        ptx_expect_token(p, ']', "']'");
    }
    return product;
}

static uint32_t natural_align(const specifier_set *s)
{
    uint32_t n = ptx_type_bytes(s->type) * s->vec;
    return s->align ? s->align : n > 16 ? 16 : n;
}

static ptx_var *add_variable(ptx_parser *p, const char *name, ptx_space space, uint32_t line)
{
    ptx_var *v = ptx_alloc_array(p, 1, sizeof *v);
    v->name = name;
    v->space = space;
    v->scope = p->func;
    v->line = line;
    v->index = p->vars.count;
    *(ptx_var **)ptx_push_item(p, &p->vars, sizeof v) = v;
    if (p->func)
        *(ptx_var **)ptx_push_item(p, &p->locals, sizeof v) = v;
    return v;
}

/* --- variables --- */

static void parse_variable(ptx_parser *p, ptx_space space, const specifier_set *s)
{
    ptx_token name = ptx_expect_name(p, "a name");
    ptx_symbol *old = ptx_symbol_find(&p->symbols, name.s, name.len, ptx_hash(name.s, name.len));
    ptx_var *v;
    if (old && old->depth == p->depth && old->kind == PTX_SYM_VAR && old->var->space == space &&
        (old->var->is_extern || s->is_extern)) {
        v = old->var; /* an .extern declaration and a definition are one, in either order */
    } else {
        v = add_variable(p, ptx_copy_text(p, name.s, name.len), space, name.line);
        ptx_declare_symbol(p, &name, name.s, name.len, PTX_SYM_VAR)->var = v;
        v->is_extern = s->is_extern;
    }
    uint64_t dims[MAX_ARRAY_DIMS];
    unsigned dim_count;
    uint64_t elements = parse_dimensions(p, dims, &dim_count);
    bool open = dim_count && !dims[0];
    uint64_t size = open ? 0 : elements * ptx_type_bytes(s->type) * s->vec;
    v->type = s->type;
    v->align = natural_align(s) > v->align ? natural_align(s) : v->align;
    v->size = size > v->size ? size : v->size;
    v->is_extern &= s->is_extern;
    v->is_visible |= s->is_visible;
    v->is_weak |= s->is_weak;
    v->is_managed |= s->is_managed;
    v->is_array |= dim_count > 0;
    if (ptx_accept_token(p, '='))
        ptx_parse_initialiser(p, v, dims, dim_count, s->vec);
    else if (open && !s->is_extern)
        ptx_fail(p, &name, "an array without a size needs an initialiser, or .extern");
}

static bool is_storage_space(const ptx_parser *p, ptx_space *space)
{
    static const struct {
        const char *word;
        ptx_space space;
    } words[] = {
        {".global", PTX_SPACE_GLOBAL}, {".const", PTX_SPACE_CONST}, {".shared", PTX_SPACE_SHARED},
        {".local", PTX_SPACE_LOCAL},   {".param", PTX_SPACE_PARAM}, {".tex", PTX_SPACE_TEX},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (ptx_is_dot_word(p, words[i].word)) {
            *space = words[i].space;
            return true;
        }
    }
    return false;
}

static void parse_variables(ptx_parser *p, specifier_set *s)
{
    ptx_space space = PTX_SPACE_NONE;
    if (!is_storage_space(p, &space))
        ptx_fail(p, &p->lex.tok, "expected a state space such as .global, or .func or .entry");
    ptx_next_token(p);
    parse_specifiers(p, s);
    if (s->type == PTX_pred)
        ptx_fail(p, &p->lex.tok, "predicates can only be registers");
    do {
        parse_variable(p, space, s);
    } while (ptx_accept_token(p, ','));
    ptx_expect_token(p, ';', "';'");
}

/* --- registers --- */

static void parse_registers(ptx_parser *p)
{
    specifier_set s = {0};
    parse_specifiers(p, &s);
    do {
        ptx_token name = ptx_expect_name(p, "the name of a register");
        if (s.vec > 1) {
            ptx_add_vector_reg(p, &name, name.s, name.len, s.vec, s.type);
        } else if (ptx_accept_token(p, '<')) {
            ptx_token t = p->lex.tok;
            uint64_t count = ptx_parse_constant_int(p);
            ptx_expect_token(p, '>', "'>'");
            ptx_add_numbered_regs(p, count > PTX_LIMIT_REGS ? &t : &name, s.type, count);
        } else {
            ptx_add_reg(p, &name, ptx_copy_text(p, name.s, name.len), name.len, s.type);
        }
    } while (ptx_accept_token(p, ','));
    ptx_expect_token(p, ';', "';'");
}

bool ptx_parse_local(ptx_parser *p)
{
    if (ptx_accept_dot_word(p, ".reg")) {
        parse_registers(p);
        return true;
    }
    specifier_set s = {0};
    bool linked = false;
    while (parse_linking(p, &s))
        linked = true;
    ptx_space space;
    if (!linked && !is_storage_space(p, &space))
        return false;
    parse_variables(p, &s);
    return true;
}

/* --- parameters --- */

/* Append a parameter. It is allocated in the arena, so that an error does not leak it. */
static ptx_param *append_param(ptx_parser *p, ptx_param **out, uint32_t *count)
{
    enum { FEWEST = 8 }; /* places allocated at first; doubled when they are used */
    if (*count == 0 || (*count >= FEWEST && (*count & (*count - 1)) == 0)) {
        ptx_param *grown = ptx_alloc_array(p, *count ? 2 * *count : FEWEST, sizeof *grown);
        if (*count)
            memcpy(grown, *out, *count * sizeof *grown);
        *out = grown;
    }
    return &(*out)[(*count)++];
}

/* Parse "(" parameters ")". Returns the size of the parameters in bytes, laid out in order. */
static uint64_t parse_parameters(ptx_parser *p, ptx_param **out, uint32_t *count)
{
    uint64_t bytes = 0;
    *out = NULL;
    *count = 0;
    ptx_expect_token(p, '(', "'('");
    while (!ptx_is_token(p, ')')) {
        bool in_reg = ptx_accept_dot_word(p, ".reg");
        if (!in_reg && !ptx_accept_dot_word(p, ".param"))
            ptx_fail(p, &p->lex.tok, "expected a parameter: .param or .reg");
        specifier_set s = {0};
        parse_specifiers(p, &s);
        ptx_token name = ptx_expect_name(p, "the name of a parameter");
        uint64_t dims[MAX_ARRAY_DIMS];
        unsigned dim_count;
        uint64_t elements = parse_dimensions(p, dims, &dim_count);
        const unsigned parts = in_reg ? s.vec : 1; /* number of registers: each register of a
                                                    * vector is a parameter */
        s.vec = in_reg ? 1 : s.vec;
        for (unsigned k = 0; k < parts; k++) {
            ptx_param *q = append_param(p, out, count);
            q->name = parts > 1 ? ptx_vector_element_name(p, name.s, name.len, k)
                                : ptx_copy_text(p, name.s, name.len);
            q->type = s.type;
            q->align = natural_align(&s);
            q->size = (dim_count && !dims[0] ? 0 : elements) * ptx_type_bytes(s.type) * s.vec;
            q->reg = in_reg ? 0 : PTX_NO_REGISTER; /* its index is known when the body is parsed */
            q->parts = k ? 0 : parts;
            q->is_array = dim_count > 0;
            q->offset = (bytes + q->align - 1) / q->align * q->align;
            if (q->size > MAX_VARIABLE_BYTES - q->offset)
                ptx_fail(p, &name, "the parameters are too large");
            bytes = q->offset + q->size;
        }
        if (!ptx_accept_token(p, ','))
            break;
    }
    ptx_expect_token(p, ')', "',' or ')'");
    return bytes;
}

/* Declare the parameters of a function in the scope of its body. */
static void declare_parameters(ptx_parser *p, ptx_param *q, uint32_t count, const ptx_token *at)
{
    for (uint32_t i = 0; i < count; i++, q++) {
        size_t len = strlen(q->name);
        if (strcmp(q->name, "_") == 0)
            continue;
        if (q->reg != PTX_NO_REGISTER) {
            q->reg = q->parts ? p->regs.count : q[-1].reg + 1;
            if (q->parts > 1)
                ptx_add_vector_reg(p, at, q->name, len - 2, q->parts, q->type);
            else if (q->parts)
                ptx_add_reg(p, at, q->name, len, q->type);
            continue;
        }
        ptx_var *v = add_variable(p, q->name, PTX_SPACE_PARAM, at->line);
        ptx_declare_symbol(p, at, q->name, len, PTX_SYM_VAR)->var = v;
        v->type = q->type;
        v->align = q->align;
        v->size = q->size;
        v->is_array = q->is_array;
        q->var = v;
    }
}

/* --- functions --- */

static uint32_t parse_up_to_three_sizes(ptx_parser *p, uint32_t *to)
{
    uint32_t n = 0;
    to[0] = to[1] = to[2] = 1;
    do {
        ptx_token t = p->lex.tok;
        uint64_t value = ptx_parse_constant_int(p);
        if (n == 3 || value > INT32_MAX)
            ptx_fail(p, &t, "expected up to three sizes");
        to[n++] = (uint32_t)value;
    } while (ptx_accept_token(p, ','));
    return n;
}

/* Parse the directives between the parameters and the body of a function, such as performance
 * directives (PTX ISA 11.3, 11.4). */
static void parse_directives(ptx_parser *p, ptx_func *f)
{
    uint32_t size[3];
    specifier_set unused = {0};
    while (ptx_is_token(p, PTX_TOK_DOT)) {
        ptx_token t = p->lex.tok;
        if (ptx_accept_dot_word(p, ".maxntid")) {
            parse_up_to_three_sizes(p, f->maxntid);
        } else if (ptx_accept_dot_word(p, ".reqntid")) {
            parse_up_to_three_sizes(p, f->reqntid);
        } else if (ptx_accept_dot_word(p, ".minnctapersm")) {
            parse_up_to_three_sizes(p, size);
            f->minnctapersm = size[0];
        } else if (ptx_accept_dot_word(p, ".maxnreg")) {
            parse_up_to_three_sizes(p, size);
            f->maxnreg = size[0];
        } else if (ptx_accept_dot_word(p, ".reqnctapercluster")) {
            parse_up_to_three_sizes(p, f->cluster);
        } else if (ptx_accept_dot_word(p, ".maxnctapersm") ||
                   ptx_accept_dot_word(p, ".maxclusterrank") ||
                   ptx_accept_dot_word(p, ".abi_preserve") ||
                   ptx_accept_dot_word(p, ".abi_preserve_control")) {
            parse_up_to_three_sizes(p, size);
        } else if (ptx_accept_dot_word(p, ".explicitcluster")) {
            f->explicit_cluster = true;
        } else if (ptx_accept_dot_word(p, ".noreturn")) {
            f->no_return = true;
        } else if (ptx_accept_dot_word(p, ".blocksareclusters")) {
            f->explicit_cluster = true;
        } else if (ptx_accept_dot_word(p, ".attribute")) {
            parse_attributes(p, &unused);
        } else if (ptx_accept_dot_word(p, ".pragma")) {
            ptx_expect_token(p, PTX_TOK_STRING, "a string");
            ptx_accept_token(p, ';');
        } else {
            ptx_fail(p, &t, "unknown directive before a function's body");
        }
    }
}

static void parse_body(ptx_parser *p, ptx_func *f, const ptx_token *at)
{
    f->has_body = true;
    p->func = f;
    p->depth = 1;
    p->loc = 0;
    p->moved = false;
    p->regs.count = p->locals.count = p->fixups.count = 0;
    declare_parameters(p, f->rets, f->ret_count, at);
    declare_parameters(p, f->params, f->param_count, at);
    ptx_parse_body(p);
    f->regs = ptx_copy_list_to_arena(p, &p->regs, sizeof *f->regs);
    f->reg_count = p->regs.count;
    f->vars = ptx_copy_list_to_arena(p, &p->locals, sizeof *f->vars);
    f->var_count = p->locals.count;
    f->insns = p->insn;
    f->insn_count = p->insn_count;
    p->func = NULL;
    p->depth = 0;
    p->loc = 0;
}

static ptx_func *add_function(ptx_parser *p, const ptx_token *name)
{
    ptx_func *f = ptx_alloc_array(p, 1, sizeof *f);
    f->name = ptx_copy_text(p, name->s, name->len);
    f->index = p->funcs.count;
    f->line = name->line;
    *(ptx_func **)ptx_push_item(p, &p->funcs, sizeof f) = f;
    return f;
}

/* Parse a function from the word after .func or .entry. A declaration shares its ptx_func. */
static void parse_function(ptx_parser *p, const specifier_set *s, bool is_entry)
{
    ptx_func head = {.is_entry = is_entry};
    specifier_set unused = {0};
    while (ptx_accept_dot_word(p, ".attribute"))
        parse_attributes(p, &unused);
    if (ptx_accept_dot_word(p, ".noreturn"))
        head.no_return = true;
    if (ptx_is_token(p, '('))
        head.ret_bytes = parse_parameters(p, &head.rets, &head.ret_count);
    ptx_token name = ptx_expect_name(p, "the name of a function");
    if (ptx_is_token(p, '('))
        head.param_bytes = parse_parameters(p, &head.params, &head.param_count);
    parse_directives(p, &head);

    ptx_symbol *old = ptx_symbol_find(&p->symbols, name.s, name.len, ptx_hash(name.s, name.len));
    bool has_body = ptx_is_token(p, '{');
    ptx_func *f;
    if (old && old->kind == PTX_SYM_FUNC && !(old->func->has_body && has_body)) {
        f = old->func;
    } else {
        f = add_function(p, &name);
        ptx_declare_symbol(p, &name, name.s, name.len, PTX_SYM_FUNC)->func = f;
        f->is_extern = s->is_extern;
    }
    f->is_extern &= s->is_extern;
    f->is_visible |= s->is_visible;
    f->is_weak |= s->is_weak;
    if (!f->has_body) { /* the head of a definition replaces the head of the declaration */
        head.name = f->name;
        head.index = f->index;
        head.line = name.line;
        head.is_extern = f->is_extern;
        head.is_visible = f->is_visible;
        head.is_weak = f->is_weak;
        *f = head;
    }
    if (has_body)
        parse_body(p, f, &name);
    else
        ptx_expect_token(p, ';', "'{' or ';'");
}

ptx_func *ptx_parse_prototype(ptx_parser *p, const ptx_token *name)
{
    ptx_func *f = add_function(p, name);
    f->is_proto = true;
    if (ptx_is_token(p, '('))
        f->ret_bytes = parse_parameters(p, &f->rets, &f->ret_count);
    ptx_expect_name(p, "'_'");
    if (ptx_is_token(p, '('))
        f->param_bytes = parse_parameters(p, &f->params, &f->param_count);
    parse_directives(p, f);
    ptx_expect_token(p, ';', "';'");
    return f;
}

/* Parse the directive .alias NEW, OLD; */
void ptx_parse_alias(ptx_parser *p)
{
    ptx_token alias = ptx_expect_name(p, "the name of a function");
    ptx_expect_token(p, ',', "','");
    ptx_token name = ptx_expect_name(p, "the name of a function");
    ptx_expect_token(p, ';', "';'");
    const ptx_symbol *s =
        ptx_symbol_find(&p->symbols, name.s, name.len, ptx_hash(name.s, name.len));
    if (!s || s->kind != PTX_SYM_FUNC)
        ptx_fail(p, &name, "expected the name of a function");
    ptx_func *f = s->func;
    ptx_symbol *a = ptx_symbol_find(&p->symbols, alias.s, alias.len, ptx_hash(alias.s, alias.len));
    if (a && a->kind != PTX_SYM_FUNC)
        ptx_fail(p, &alias, "expected the name of a function");
    ptx_func *to = a ? a->func : add_function(p, &alias);
    if (!a)
        ptx_declare_symbol(p, &alias, alias.s, alias.len, PTX_SYM_FUNC)->func = to;
    const char *own = to->name;
    uint32_t index = to->index;
    *to = *f; /* after .alias NEW, OLD both names stand for the same function body */
    to->name = own;
    to->index = index;
}

void ptx_parse_declaration(ptx_parser *p)
{
    specifier_set s = {0};
    while (parse_linking(p, &s)) {
    }
    if (ptx_accept_dot_word(p, ".func"))
        parse_function(p, &s, false);
    else if (ptx_accept_dot_word(p, ".entry"))
        parse_function(p, &s, true);
    else
        parse_variables(p, &s);
}
