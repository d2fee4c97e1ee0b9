/* Parse the operands of instructions (PTX ISA 6). */
#include "../traits.h"
#include "parser.h"

#include <string.h>

static const char *clipped_name(const ptx_token *t, int *len)
{
    *len = (int)(t->len < 100 ? t->len : 100);
    return t->s;
}

_Noreturn static void fail_not_declared(ptx_parser *p, const ptx_token *t)
{
    int len;
    const char *s = clipped_name(t, &len);
    ptx_fail(p, t, "%.*s is not declared here", len, s);
}

static ptx_symbol *find_symbol(const ptx_parser *p, const ptx_token *t)
{
    return ptx_symbol_find(&p->symbols, t->s, t->len, ptx_hash(t->s, t->len));
}

/* Parse the selector .b2 or .h1 after a register of a video instruction. */
static void parse_selector(ptx_parser *p, ptx_value *v)
{
    ptx_token t = p->lex.tok;
    if (t.kind != PTX_TOK_DOT)
        return;
    unsigned digit = t.len == 3 ? (unsigned)(t.s[2] - '0') : 9;
    if (t.s[1] == 'b' && digit < 4)
        v->select = (uint8_t)(PTX_SELECT_B0 + digit);
    else if (t.s[1] == 'h' && digit < 2)
        v->select = (uint8_t)(PTX_SELECT_H0 + digit);
    else if (t.s[1] == 'b' || t.s[1] == 'h')
        v->select = PTX_SELECT_OTHER; /* several bytes, such as b3210 */
    else
        ptx_fail(p, &t, "a register has the parts .b0 to .b3, .h0 and .h1");
    ptx_next_token(p);
}

/* Parse the element .x of a vector register v. */
static void parse_element(ptx_parser *p, const ptx_symbol *s, ptx_value *v)
{
    ptx_token t = p->lex.tok;
    uint32_t index = 0;
    if (t.kind == PTX_TOK_DOT && t.len == 2)
        while (index < 4 && t.s[1] != "xyzw"[index] && t.s[1] != "rgba"[index])
            index++;
    else
        index = 4;
    if (index >= s->count)
        ptx_fail(p, &t, "expected an element of a vector register, such as .x");
    v->kind = PTX_VAL_REG;
    v->reg = s->reg + index;
    ptx_next_token(p);
}

/* Parse a special register. To the lexer, %tid.x is a name and a dotted word. */
static bool parse_special_register(ptx_parser *p, const ptx_token *name, ptx_value *v)
{
    const ptx_token *t = &p->lex.tok;
    uint32_t len = name->len;
    bool dotted = t->kind == PTX_TOK_DOT && t->s == name->s + name->len;
    if (dotted)
        len += t->len;
    v->sreg = ptx_sreg_find(name->s, len);
    if (!v->sreg)
        return false;
    v->kind = PTX_VAL_SREG;
    if (dotted)
        ptx_next_token(p);
    return true;
}

/* Is the current token a minus sign before a register, as in operands of vmad? */
static bool is_negated_register(const ptx_parser *p)
{
    ptx_lexer ahead = p->lex;
    if (!ptx_is_token(p, '-'))
        return false;
    ptx_lex_next(&ahead);
    return ahead.tok.kind == PTX_TOK_NAME && !ptx_token_is_word(&ahead.tok, "WARP_SZ");
}

/* Parse a scalar operand. An immediate becomes the bits of a number of TYPE. */
static void parse_scalar_operand(ptx_parser *p, ptx_value *v, ptx_type type)
{
    ptx_token t = p->lex.tok;
    v->reg = PTX_NO_REGISTER;
    if (ptx_accept_token(p, '!')) {
        v->negate = true;
        if (!ptx_is_token(p, PTX_TOK_NAME))
            ptx_fail(p, &p->lex.tok, "expected a predicate register after '!'");
        t = p->lex.tok;
    } else if (is_negated_register(p)) {
        v->negate = true;
        ptx_next_token(p);
        t = p->lex.tok;
    }
    if (!ptx_is_token(p, PTX_TOK_NAME) || ptx_token_is_word(&t, "WARP_SZ")) {
        v->kind = PTX_VAL_IMM;
        v->imm = ptx_constant_bits(p, &t, ptx_parse_constant(p), type);
        return;
    }
    ptx_next_token(p);
    if (ptx_token_is_word(&t, "_")) {
        v->kind = PTX_VAL_SINK;
        return;
    }
    const ptx_symbol *s = find_symbol(p, &t);
    switch (s ? (int)s->kind : -1) {
    case PTX_SYM_REG:
        v->kind = PTX_VAL_REG;
        v->reg = s->reg;
        parse_selector(p, v);
        break;
    case PTX_SYM_VECTOR: parse_element(p, s, v); break;
    case PTX_SYM_VAR:
        v->kind = PTX_VAL_VAR;
        v->var = s->var;
        v->sum = ptx_is_token(p, '+') || ptx_is_token(p, '-');
        v->offset = ptx_parse_offset(p);
        break;
    case PTX_SYM_FUNC:
        v->kind = PTX_VAL_FUNC;
        v->func = s->func;
        break;
    default:
        if (s || !parse_special_register(p, &t, v))
            fail_not_declared(p, &t);
    }
}

/* --- lists of values --- */

static ptx_value *push_value(ptx_parser *p)
{
    if (p->values.count >= PTX_LIMIT_VALUES)
        ptx_fail(p, &p->lex.tok, "this operand has too many values");
    return ptx_push_item(p, &p->values, sizeof(ptx_value));
}

/* A vector or special register without .x is all elements: %tid is {%tid.x, %tid.y, ...}. */
static bool parse_whole_vector(ptx_parser *p, ptx_operand *o)
{
    ptx_token t = p->lex.tok;
    if (t.kind != PTX_TOK_NAME || p->lex.p[0] == '.')
        return false;
    const ptx_symbol *s = find_symbol(p, &t);
    if (s && s->kind == PTX_SYM_VECTOR) {
        o->count = (uint16_t)s->count;
        o->v = ptx_alloc_array(p, s->count, sizeof *o->v);
        for (uint32_t i = 0; i < s->count; i++) {
            o->v[i].kind = PTX_VAL_REG;
            o->v[i].reg = s->reg + i;
        }
    } else if (!s && t.s[0] == '%' && t.len < 30) {
        char name[32];
        memcpy(name, t.s, t.len);
        name[t.len] = '.';
        name[t.len + 1] = 'x';
        ptx_sreg x = ptx_sreg_find(name, t.len + 2);
        if (!x)
            return false;
        o->count = 4;
        o->v = ptx_alloc_array(p, 4, sizeof *o->v);
        for (uint32_t i = 0; i < 3; i++)
            o->v[i] = (ptx_value){.kind = PTX_VAL_SREG, .reg = PTX_NO_REGISTER, .sreg = x + i};
        o->v[3] = (ptx_value){.kind = PTX_VAL_IMM, .reg = PTX_NO_REGISTER};
    } else {
        return false;
    }
    o->vector = true;
    ptx_next_token(p);
    return true;
}

/* Parse a list of values up to the bracket CLOSE; the opening bracket has been consumed. */
static void parse_values(ptx_parser *p, int close, const char *what, ptx_type type)
{
    while (!ptx_is_token(p, close)) {
        ptx_operand whole = {0};
        const ptx_token t = p->lex.tok;
        if (close == ')' && parse_whole_vector(p, &whole)) { /* each element of a vector becomes a
                                                              * parameter of the call */
            for (uint32_t k = 0; k < whole.count; k++)
                *push_value(p) = whole.v[k];
        } else {
            const ptx_symbol *s =
                close == ')' && t.kind == PTX_TOK_NAME ? find_symbol(p, &t) : NULL;
            if (s && s->kind == PTX_SYM_VECTOR)
                ptx_fail(p, &t, "a call takes a whole vector register, not an element of one");
            ptx_value v = {0};
            parse_scalar_operand(p, &v, type);
            *push_value(p) = v;
        }
        if (!ptx_accept_token(p, ','))
            break;
    }
    ptx_expect_token(p, close, what);
}

static void move_values_to_operand(ptx_parser *p, ptx_operand *o)
{
    o->count = (uint16_t)p->values.count;
    o->v = ptx_copy_list_to_arena(p, &p->values, sizeof *o->v);
}

/* Parse a memory operand: [a], [a+4], [var], [16] or [tex, sampler, {x, y}]. */
static void parse_memory_operand(ptx_parser *p, ptx_operand *o)
{
    p->values.count = 0;
    o->memory = true;
    do {
        if (ptx_accept_token(p, '{')) {
            if (o->vector)
                ptx_fail(p, &p->lex.tok, "an address can have only one list of coordinates");
            o->vector = true;
            o->lead = (uint8_t)p->values.count;
            parse_values(p, '}', "'}'", PTX_NOTYPE);
            continue;
        }
        ptx_value v = {0};
        parse_scalar_operand(p, &v, PTX_NOTYPE);
        if (v.kind == PTX_VAL_REG)
            v.offset = ptx_parse_offset(p);
        *push_value(p) = v;
    } while (p->values.count < 16 && ptx_accept_token(p, ','));
    ptx_expect_token(p, ']', "']'");
    move_values_to_operand(p, o);
}

static void parse_vector_operand(ptx_parser *p, ptx_operand *o, ptx_type type)
{
    p->values.count = 0;
    o->vector = true;
    parse_values(p, '}', "',' or '}'", type);
    if (!p->values.count)
        ptx_fail(p, &p->lex.tok, "a vector needs at least one element");
    move_values_to_operand(p, o);
}

/* The offset of element INDEX of an array in bytes. ptxas computes it in 32 bits: an element
 * before an array in global memory is taken 4 GB after it. */
static int64_t element_offset(const ptx_var *var, int64_t index)
{
    const uint32_t bytes = (uint32_t)index * ptx_type_bytes(var->type);
    const bool narrow = var->space == PTX_SPACE_SHARED || var->space == PTX_SPACE_LOCAL;
    return narrow ? (int32_t)bytes : (int64_t)bytes;
}

/* Parse an array element a[2] or a[r+1], as the memory operand of a load or store or as the
 * source of mov. a[2] means [a+8] if numbers have 4 bytes, also for arrays of vectors. */
static bool parse_array_element(ptx_parser *p, const ptx_insn *in, ptx_operand *o)
{
    ptx_token t = p->lex.tok;
    const bool bracket = t.kind == PTX_TOK_NAME && p->lex.p[0] == '[';
    const ptx_symbol *s = bracket ? find_symbol(p, &t) : NULL;
    const bool access = ptx_is_per_lane_load(in) || ptx_is_per_lane_store(in);
    if (!s || s->kind != PTX_SYM_VAR || !(access || ptx_traits_of(in)->means == PTX_MEANS_copy))
        return false;
    if (!s->var->is_array)
        ptx_fail(p, &t, "%s is not an array", s->var->name);
    ptx_next_token(p);
    ptx_next_token(p);
    const ptx_token at = p->lex.tok;
    const ptx_symbol *index = at.kind == PTX_TOK_NAME ? find_symbol(p, &at) : NULL;
    o->v = ptx_alloc_array(p, 1, sizeof *o->v);
    o->v->kind = PTX_VAL_VAR;
    o->v->reg = PTX_NO_REGISTER;
    o->v->var = s->var;
    o->v->sum = !access;
    o->count = 1;
    o->memory = access;
    if (index && index->kind == PTX_SYM_REG) {
        ptx_next_token(p);
        o->v->reg = index->reg; /* ptx_parse_body computes the address of the element */
        o->v->offset = element_offset(s->var, ptx_parse_offset(p));
    } else {
        const ptx_const number = ptx_parse_constant(p);
        if (number.kind != PTX_CONST_INT)
            ptx_fail(p, &at, "the index of an element must be an integer or a register");
        o->v->offset = element_offset(s->var, (int64_t)number.bits);
    }
    ptx_expect_token(p, ']', "']'");
    return true;
}

/* --- call --- */

static void parse_parenthesized_list(ptx_parser *p, ptx_operand *o)
{
    p->values.count = 0;
    o->vector = true;
    parse_values(p, ')', "',' or ')'", PTX_NOTYPE);
    move_values_to_operand(p, o);
}

/* Parse the operands of call{.uni}: (results), function, (arguments), prototype; */
static void parse_call(ptx_parser *p, ptx_insn *in)
{
    in->operand_count = 4;
    if (ptx_accept_token(p, '(')) {
        parse_parenthesized_list(p, &in->opd[0]);
        ptx_expect_token(p, ',', "','");
    }
    ptx_token t = p->lex.tok;
    ptx_value *f = ptx_alloc_array(p, 1, sizeof *f);
    parse_scalar_operand(p, f, PTX_NOTYPE);
    if (f->kind != PTX_VAL_FUNC && f->kind != PTX_VAL_REG)
        ptx_fail(p, &t, "a call needs a function, or a register with its address");
    in->opd[1].v = f;
    in->opd[1].count = 1;
    bool more_follow = ptx_accept_token(p, ',');
    if (more_follow && ptx_accept_token(p, '(')) {
        parse_parenthesized_list(p, &in->opd[2]);
        more_follow = ptx_accept_token(p, ',');
    }
    if (more_follow) {
        ptx_token name = ptx_expect_name(p, "a prototype");
        const ptx_symbol *s = find_symbol(p, &name);
        if (!s || s->kind != PTX_SYM_PROTO)
            ptx_fail(p, &name, "expected the label of a .callprototype or .calltargets");
        ptx_value *v = ptx_alloc_array(p, 1, sizeof *v);
        v->kind = PTX_VAL_PROTO;
        v->reg = PTX_NO_REGISTER;
        v->func = s->func;
        in->opd[3].v = v;
        in->opd[3].count = 1;
    } else if (f->kind == PTX_VAL_REG) {
        ptx_fail(p, &t, "a call through a register needs a .callprototype");
    }
}

/* --- operands --- */

static void parse_branch_list(ptx_parser *p, ptx_insn *in, ptx_operand *o)
{
    ptx_token name = ptx_expect_name(p, "the label of a .branchtargets list");
    const ptx_symbol *s = find_symbol(p, &name);
    if (!s || s->kind != PTX_SYM_TARGETS)
        ptx_fail(p, &name, "expected the label of a .branchtargets list");
    in->targets = s->list;
    in->target_count = s->count;
    o->count = 0;
}

static void parse_operand(ptx_parser *p, ptx_insn *in, unsigned i)
{
    const ptx_row *row = ptx_row_of_op(in->op);
    ptx_operand_role role = i < row->shape_count ? row->shape[i].role : PTX_ROLE_VALUE;
    const bool result = i < row->shape_count && row->shape[i].result;
    ptx_operand *o = &in->opd[i];
    if (role == PTX_ROLE_LIST) {
        parse_branch_list(p, in, o);
        return;
    }
    if (role == PTX_ROLE_LABEL) {
        o->v = ptx_alloc_array(p, 1, sizeof *o->v);
        o->count = 1;
        o->v->kind = PTX_VAL_LABEL;
        o->v->reg = PTX_NO_REGISTER;
        ptx_set_label_target(p, &o->v->target);
        return;
    }
    ptx_type type = ptx_operand_type(in, i);
    if (ptx_accept_token(p, '[')) {
        parse_memory_operand(p, o);
    } else if (ptx_accept_token(p, '{')) {
        /* in a packing mov, the elements are narrower than TYPE */
        parse_vector_operand(p, o, ptx_is_packing_mov(in) ? PTX_NOTYPE : type);
    } else if (parse_array_element(p, in, o)) {
    } else if (!parse_whole_vector(p, o)) {
        ptx_value *v = ptx_alloc_array(p, 1, sizeof *v);
        parse_scalar_operand(p, v, type);
        if (v->kind == PTX_VAL_REG && ptx_is_token(p, '+') && !result) {
            v->sum = true; /* ptx_parse_body inserts an add instruction for this sum */
            v->offset = ptx_parse_offset(p);
        }
        o->v = v;
        o->count = 1;
    }
    if (ptx_accept_token(p, '|'))
        parse_scalar_operand(p, &o->second, type);
}

void ptx_parse_operands(ptx_parser *p, ptx_insn *in)
{
    if (ptx_traits_of(in)->flow == PTX_FLOW_call) {
        parse_call(p, in);
        return;
    }
    if (ptx_is_token(p, ';'))
        return;
    do {
        if (in->operand_count == PTX_MAX_OPERANDS)
            ptx_fail(p, &p->lex.tok, "an instruction has up to %d operands", PTX_MAX_OPERANDS);
        parse_operand(p, in, in->operand_count);
        in->operand_count++;
    } while (ptx_accept_token(p, ','));
}
