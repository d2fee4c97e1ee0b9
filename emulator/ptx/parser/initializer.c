/* Initialisers of variables (PTX ISA 5.4.4). */
#include "parser.h"

#include <string.h>

typedef struct initializer_state {
    ptx_var *var;       /* the variable being initialised */
    uint64_t stride[8]; /* bytes between elements, by nesting level of braces */
    unsigned levels;    /* number of entries in stride */
    unsigned element;   /* bytes per element */
    ptx_type type;      /* type of an element */
    bool open;          /* the first dimension has no size, as in x[] */
    uint64_t limit;     /* maximum size in bytes */
    uint8_t *bytes;     /* the initialised data */
    uint64_t size, cap; /* bytes used in `bytes`; bytes allocated */
} initializer_state;

/* Maximum size of initialised data, in proportion to the length of the PTX text: guards against
 * huge gaps filled with zeros. */
static uint64_t initializer_budget(const ptx_parser *p)
{
    return 64 * (uint64_t)(p->lex.end - p->lex.text) + (1 << 20);
}

static uint8_t *at(ptx_parser *p, initializer_state *in, const ptx_token *tok, uint64_t pos,
                   unsigned n)
{
    if (pos + n > in->limit)
        ptx_fail(p, tok, "more values than %s has room for", in->var->name);
    if (pos + n > in->cap) {
        uint64_t cap = in->cap ? in->cap * 2 : 64;
        while (cap < pos + n)
            cap *= 2;
        uint8_t *grown = ptx_alloc_array(p, cap, 1);
        if (in->size)
            memcpy(grown, in->bytes, in->size);
        in->bytes = grown;
        in->cap = cap;
    }
    if (pos + n > in->size)
        in->size = pos + n;
    return in->bytes + pos;
}

/* Parse a symbol in an initialiser: symbol, symbol+4 or generic(symbol)+4. */
static void parse_symbol(ptx_parser *p, ptx_reloc *r)
{
    ptx_token name = ptx_expect_name(p, "the name of a variable or function");
    bool generic = ptx_token_is_word(&name, "generic") && ptx_accept_token(p, '(');
    if (generic) {
        name = ptx_expect_name(p, "the name of a variable");
        ptx_expect_token(p, ')', "')'");
    }
    const ptx_symbol *s =
        ptx_symbol_find(&p->symbols, name.s, name.len, ptx_hash(name.s, name.len));
    if (s && s->kind == PTX_SYM_VAR) {
        r->var = s->var;
    } else if (s && s->kind == PTX_SYM_FUNC) {
        r->func = s->func;
    } else {
        ptx_fail(p, &name, "%.*s is not declared here as a variable or function",
                 (int)(name.len < 100 ? name.len : 100), name.s);
    }
    r->generic = generic;
    r->offset = ptx_parse_offset(p);
}

/* Is the current token a number that begins an address mask, as in 0xFF00(symbol)? */
static bool is_at_address_mask(const ptx_parser *p)
{
    const char *c = p->lex.p;
    while (*c == ' ')
        c++;
    return *c == '(';
}

static void parse_scalar(ptx_parser *p, initializer_state *in, uint64_t pos)
{
    ptx_token t = p->lex.tok;
    ptx_reloc r = {.at = pos, .bytes = (uint8_t)in->element};
    if (ptx_is_token(p, PTX_TOK_INT) && is_at_address_mask(p)) {
        uint32_t shift = 0;
        while (shift < 56 && t.bits >> shift != 0xff)
            shift += 8;
        if (t.bits >> shift != 0xff || t.bits != (uint64_t)0xff << shift)
            ptx_fail(p, &t, "a mask selects one byte of an address: 0xFF, 0xFF00, 0xFF0000 ...");
        ptx_next_token(p);
        ptx_expect_token(p, '(', "'('");
        parse_symbol(p, &r);
        ptx_expect_token(p, ')', "')'");
        r.bytes = 1;
        r.mask_shift = shift;
    } else if (ptx_is_token(p, PTX_TOK_NAME) && !ptx_token_is_word(&t, "WARP_SZ")) {
        parse_symbol(p, &r);
        if (in->element != 4 && in->element != 8)
            ptx_fail(p, &t, "an address does not fit an element of %u bytes", in->element);
    } else {
        ptx_const c = ptx_parse_constant(p);
        if (c.kind == PTX_CONST_INT && ptx_type_class(in->type) == 'F') {
            c.kind = PTX_CONST_DECIMAL; /* a 0 is often written for 0.0 */
            double d = (double)(int64_t)c.bits;
            memcpy(&c.bits, &d, sizeof d);
        }
        uint64_t bits = ptx_constant_bits(p, &t, c, in->type);
        memcpy(at(p, in, &t, pos, in->element), &bits, in->element < 8 ? in->element : 8);
        return;
    }
    at(p, in, &t, pos, in->element);
    *(ptx_reloc *)ptx_push_item(p, &p->relocs, sizeof r) = r;
}

/* Parse a list of values in braces that begins at byte BASE of the variable. */
static void parse_value_list(ptx_parser *p, initializer_state *in, uint64_t base, unsigned level)
{
    ptx_token open = p->lex.tok;
    if (level >= in->levels)
        ptx_fail(p, &open, "%s has no dimension for these braces", in->var->name);
    ptx_expect_token(p, '{', "'{'");
    uint64_t pos = base, stride = in->stride[level];
    while (!ptx_is_token(p, '}')) {
        if (ptx_is_token(p, '{')) {
            uint64_t row = (pos - base + stride - 1) / stride * stride;
            parse_value_list(p, in, base + row, level + 1);
            pos = base + row + stride;
        } else {
            parse_scalar(p, in, pos);
            pos += in->element;
        }
        if (!ptx_accept_token(p, ','))
            break;
    }
    ptx_expect_token(p, '}', "',' or '}'");
}

/* Skip the fields of a sampler or texture: the runtime sets them. */
static void skip_sampler_fields(ptx_parser *p)
{
    ptx_expect_token(p, '{', "'{'");
    while (!ptx_is_token(p, '}')) {
        if (ptx_is_token(p, PTX_TOK_END))
            ptx_fail(p, &p->lex.tok, "expected '}', but the text ends here");
        ptx_next_token(p);
    }
    ptx_next_token(p);
}

void ptx_parse_initialiser(ptx_parser *p, ptx_var *v, const uint64_t *dims, unsigned dim_count,
                           unsigned vec)
{
    if (v->type == PTX_texref || v->type == PTX_samplerref || v->type == PTX_surfref) {
        skip_sampler_fields(p);
        return;
    }
    initializer_state in = {.var = v, .type = v->type, .element = ptx_type_bytes(v->type)};
    in.open = dim_count && !dims[0];
    in.levels = dim_count + (vec > 1);
    uint64_t stride = in.element;
    for (unsigned i = in.levels; i--;) {
        in.stride[i] = stride;
        stride *= i == dim_count ? vec : dims[i] ? dims[i] : 1;
    }
    in.limit = in.open ? UINT64_MAX / 4 : v->size;
    if (in.limit > initializer_budget(p))
        in.limit = initializer_budget(p);
    p->relocs.count = 0;
    if (ptx_is_token(p, '{')) {
        if (!in.levels) { /* int x = {3}; */
            in.levels = 1;
            in.stride[0] = in.element;
        }
        parse_value_list(p, &in, 0, 0);
    } else {
        parse_scalar(p, &in, 0);
    }
    if (in.open)
        v->size = (in.size + in.stride[0] - 1) / in.stride[0] * in.stride[0];
    v->init = in.bytes;
    v->init_size = in.size;
    v->reloc = ptx_copy_list_to_arena(p, &p->relocs, sizeof(ptx_reloc));
    v->reloc_count = p->relocs.count;
}
