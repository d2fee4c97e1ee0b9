/* Parse constant expressions (PTX ISA 4.6), and convert literals to the bits of a type. */
#include "parser.h"

#include <math.h>
#include <string.h>

static ptx_const const_of_int(uint64_t bits, bool is_unsigned)
{
    return (ptx_const){PTX_CONST_INT, is_unsigned, bits};
}

static double const_as_double(ptx_const c)
{
    double d;
    float f;
    switch (c.kind) {
    case PTX_CONST_F32: {
        uint32_t bits = (uint32_t)c.bits;
        memcpy(&f, &bits, sizeof f);
        return f;
    }
    case PTX_CONST_INT: return c.is_unsigned ? (double)c.bits : (double)(int64_t)c.bits;
    default: memcpy(&d, &c.bits, sizeof d); return d;
    }
}

static ptx_const const_of_double(double d)
{
    ptx_const c = {PTX_CONST_DECIMAL, false, 0};
    memcpy(&c.bits, &d, sizeof d);
    return c;
}

static bool is_true(ptx_const c)
{
    return c.kind == PTX_CONST_INT ? c.bits != 0 : const_as_double(c) != 0;
}

/* Precedence of the binary operator OP; a higher number binds tighter. */
static unsigned precedence(int op)
{
    switch (op) {
    case '*':
    case '/':
    case '%': return 10;
    case '+':
    case '-': return 9;
    case PTX_TOK_SHL:
    case PTX_TOK_SHR: return 8;
    case '<':
    case '>':
    case PTX_TOK_LE:
    case PTX_TOK_GE: return 7;
    case PTX_TOK_EQ:
    case PTX_TOK_NE: return 6;
    case '&': return 5;
    case '^': return 4;
    case '|': return 3;
    case PTX_TOK_AND_AND: return 2;
    case PTX_TOK_OR_OR: return 1;
    default: return 0;
    }
}

static ptx_const apply_operator_to_doubles(ptx_parser *p, const ptx_token *at, double a, double b)
{
    switch ((int)at->kind) {
    case '*': return const_of_double(a * b);
    case '/': return const_of_double(a / b);
    case '+': return const_of_double(a + b);
    case '-': return const_of_double(a - b);
    case '<': return const_of_int(a < b, false);
    case '>': return const_of_int(a > b, false);
    case PTX_TOK_LE: return const_of_int(a <= b, false);
    case PTX_TOK_GE: return const_of_int(a >= b, false);
    case PTX_TOK_EQ: return const_of_int(a == b, false);
    case PTX_TOK_NE: return const_of_int(a != b, false);
    default: ptx_fail(p, at, "this operator does not take floating-point numbers");
    }
}

static ptx_const apply_operator_to_ints(ptx_parser *p, const ptx_token *at, ptx_const x,
                                        ptx_const y)
{
    uint64_t a = x.bits, b = y.bits;
    int64_t sa = (int64_t)a, sb = (int64_t)b;
    bool u = x.is_unsigned || y.is_unsigned;
    switch ((int)at->kind) {
    case '*': return const_of_int(a * b, u);
    case '/':
    case '%':
        if (!b)
            ptx_fail(p, at, "division by zero in a constant expression");
        if (!u && sb == -1) /* the quotient of INT64_MIN and -1 overflows */
            return const_of_int(at->kind == (ptx_token_kind)'/' ? 0 - a : 0, false);
        if (at->kind == (ptx_token_kind)'/')
            return const_of_int(u ? a / b : (uint64_t)(sa / sb), u);
        return const_of_int(u ? a % b : (uint64_t)(sa % sb), u);
    case '+': return const_of_int(a + b, u);
    case '-': return const_of_int(a - b, u);
    case PTX_TOK_SHL: return const_of_int(b > 63 ? 0 : a << b, x.is_unsigned);
    case PTX_TOK_SHR:
        if (x.is_unsigned)
            return const_of_int(b > 63 ? 0 : a >> b, true);
        return const_of_int((uint64_t)(sa >> (b > 63 ? 63 : b)), false);
    case '<': return const_of_int(u ? a < b : sa < sb, false);
    case '>': return const_of_int(u ? a > b : sa > sb, false);
    case PTX_TOK_LE: return const_of_int(u ? a <= b : sa <= sb, false);
    case PTX_TOK_GE: return const_of_int(u ? a >= b : sa >= sb, false);
    case PTX_TOK_EQ: return const_of_int(a == b, false);
    case PTX_TOK_NE: return const_of_int(a != b, false);
    case '&': return const_of_int(a & b, u);
    case '^': return const_of_int(a ^ b, u);
    case '|': return const_of_int(a | b, u);
    case PTX_TOK_AND_AND: return const_of_int(a && b, false);
    default: /* the remaining operator is PTX_TOK_OR_OR */ return const_of_int(a || b, false);
    }
}

static ptx_const parse_conditional(ptx_parser *p);

static ptx_const parse_unary(ptx_parser *p)
{
    ptx_token t = p->lex.tok;
    if (p->nesting >= PTX_LIMIT_NESTING)
        ptx_fail(p, &t, "this expression is nested too deeply");
    p->nesting++;
    ptx_const c;
    switch ((int)t.kind) {
    case PTX_TOK_INT:
        ptx_next_token(p);
        c = const_of_int(t.bits, t.is_unsigned);
        break;
    case PTX_TOK_F32:
        ptx_next_token(p);
        c = (ptx_const){PTX_CONST_F32, false, t.bits};
        break;
    case PTX_TOK_F64:
        ptx_next_token(p);
        c = (ptx_const){PTX_CONST_F64, false, t.bits};
        break;
    case PTX_TOK_DECIMAL:
        ptx_next_token(p);
        c = (ptx_const){PTX_CONST_DECIMAL, false, t.bits};
        break;
    case PTX_TOK_NAME:
        if (!ptx_token_is_word(&t, "WARP_SZ"))
            ptx_fail(p, &t, "expected a number");
        ptx_next_token(p);
        c = const_of_int(32, true);
        break;
    case '(':
        ptx_next_token(p);
        if (ptx_accept_dot_word(p, ".s64") || ptx_is_dot_word(p, ".u64")) { /* a cast */
            bool is_unsigned = ptx_accept_dot_word(p, ".u64");
            ptx_expect_token(p, ')', "')'");
            c = parse_unary(p);
            if (c.kind != PTX_CONST_INT) {
                double d = const_as_double(c);
                c.bits = !(fabs(d) < 9e18) ? 0 : (uint64_t)(int64_t)d;
            }
            c = const_of_int(c.bits, is_unsigned);
        } else {
            c = parse_conditional(p);
            ptx_expect_token(p, ')', "')'");
        }
        break;
    case '+':
        ptx_next_token(p);
        c = parse_unary(p);
        break;
    case '-':
        ptx_next_token(p);
        c = parse_unary(p);
        if (c.kind == PTX_CONST_INT)
            c.bits = 0 - c.bits;
        else
            c.bits ^= c.kind == PTX_CONST_F32 ? (uint64_t)1 << 31 : (uint64_t)1 << 63;
        break;
    case '~':
    case '!':
        ptx_next_token(p);
        c = parse_unary(p);
        if (t.kind == (ptx_token_kind)'!')
            c = const_of_int(!is_true(c), false);
        else if (c.kind == PTX_CONST_INT)
            c.bits = ~c.bits;
        else
            ptx_fail(p, &t, "~ does not take floating-point numbers");
        break;
    default: ptx_fail(p, &t, "expected a number%s", t.kind ? "" : ", but the text ends here");
    }
    p->nesting--;
    return c;
}

static ptx_const parse_binary(ptx_parser *p, unsigned least)
{
    ptx_const a = parse_unary(p);
    for (;;) {
        ptx_token op = p->lex.tok;
        unsigned bind = precedence((int)op.kind);
        if (!bind || bind < least)
            return a;
        ptx_next_token(p);
        ptx_const b = parse_binary(p, bind + 1);
        if (a.kind == PTX_CONST_INT && b.kind == PTX_CONST_INT)
            a = apply_operator_to_ints(p, &op, a, b);
        else
            a = apply_operator_to_doubles(p, &op, const_as_double(a), const_as_double(b));
    }
}

static ptx_const parse_conditional(ptx_parser *p)
{
    ptx_token at = p->lex.tok;
    if (p->nesting++ >= PTX_LIMIT_NESTING)
        ptx_fail(p, &at, "this expression is nested too deeply");
    ptx_const c = parse_binary(p, 1);
    if (ptx_accept_token(p, '?')) {
        ptx_const a = parse_conditional(p);
        ptx_expect_token(p, ':', "':'");
        ptx_const b = parse_conditional(p);
        c = is_true(c) ? a : b;
    }
    p->nesting--;
    return c;
}

ptx_const ptx_parse_constant(ptx_parser *p)
{
    return parse_conditional(p);
}

uint64_t ptx_parse_constant_int(ptx_parser *p)
{
    ptx_token at = p->lex.tok;
    ptx_const c = parse_unary(p);
    if (c.kind != PTX_CONST_INT)
        ptx_fail(p, &at, "expected an integer");
    return c.bits;
}

int64_t ptx_parse_offset(ptx_parser *p)
{
    if (!ptx_accept_token(p, '+') && !ptx_is_token(p, '-'))
        return 0;
    ptx_token at = p->lex.tok;
    ptx_const c = parse_conditional(p);
    if (c.kind != PTX_CONST_INT)
        ptx_fail(p, &at, "an offset must be an integer");
    return (int64_t)c.bits;
}

/* --- conversion to a type --- */

/* The bits of VALUE in a 16-bit floating-point format with MANTISSA stored bits and exponents
 * EMIN (normal) to EMAX, rounded once to nearest even. */
static uint16_t float16_bits(double value, int mantissa, int emin, int emax)
{
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    uint16_t infinity = (uint16_t)(0x7fff >> mantissa << mantissa);
    if (isnan(value))
        return 0x7fff;
    double a = fabs(value);
    if (isinf(value))
        return sign | infinity;
    if (a == 0)
        return sign;
    int e;
    frexp(a, &e);
    e -= 1; /* a = 1.x * 2^e */
    if (e < emin)
        e = emin;
    double units = nearbyint(ldexp(a, mantissa - e)); /* value in units of the last place; the
                                                       * argument of nearbyint is exact */
    if (units >= ldexp(1, mantissa + 1)) {
        units /= 2;
        e++;
    }
    if (e > emax)
        return sign | infinity;
    uint16_t u = (uint16_t)units;
    if (u >> mantissa) /* U is a normal number */
        u = (uint16_t)((u & ((1 << mantissa) - 1)) | (e - emin + 1) << mantissa);
    return sign | u;
}

static uint16_t half_bits(double value)
{
    return float16_bits(value, 10, -14, 15);
}

static uint16_t bfloat_bits(double value)
{
    return float16_bits(value, 7, -126, 127);
}

static uint64_t double_bits(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return bits;
}

static uint64_t float_bits(ptx_const c)
{
    if (c.kind == PTX_CONST_F32)
        return c.bits; /* a NaN keeps its payload */
    float f = (float)const_as_double(c);
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

uint64_t ptx_constant_bits(ptx_parser *p, const ptx_token *at, ptx_const c, ptx_type t)
{
    unsigned bytes = t == PTX_NOTYPE ? 8 : ptx_type_bytes(t);
    if (c.kind == PTX_CONST_INT) {
        if (ptx_type_class(t) == 'F') {
            ptx_fail(p, at, "expected a floating-point number of type .%s, found an integer",
                     ptx_type_name(t));
        }
        if (t == PTX_pred)
            return c.bits != 0;
        return bytes >= 8 ? c.bits : c.bits & (((uint64_t)1 << 8 * bytes) - 1);
    }
    switch (t) {
    case PTX_f32:
    case PTX_tf32: return float_bits(c);
    case PTX_f64: return c.kind == PTX_CONST_F64 ? c.bits : double_bits(const_as_double(c));
    case PTX_f16: return half_bits(const_as_double(c));
    case PTX_bf16: return bfloat_bits(const_as_double(c));
    case PTX_f16x2: return half_bits(const_as_double(c)) * UINT64_C(0x10001);
    case PTX_bf16x2: return bfloat_bits(const_as_double(c)) * UINT64_C(0x10001);
    default: break;
    }
    if (t == PTX_NOTYPE)
        return c.bits;
    bool is_double = c.kind == PTX_CONST_F64 || c.kind == PTX_CONST_DECIMAL;
    if (bytes == 4 && c.kind != PTX_CONST_F64)
        return float_bits(c);
    if (bytes == 8 && is_double)
        return c.bits;
    ptx_fail(p, at, "a floating-point number of %u bytes is used where %u bytes are expected",
             is_double ? 8u : 4u, bytes);
}
