#include "lexer.h"

#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* What a character can be part of: bits of char_class. */
enum {
    CHAR_NAME = 1,      /* a name, after its first character */
    CHAR_DIGIT = 2,     /* a decimal digit */
    CHAR_SPACE = 4,     /* white space */
    CHAR_NAME_START = 8 /* the first character of a name */
};

#define L  CHAR_NAME | CHAR_NAME_START
#define D  CHAR_NAME | CHAR_DIGIT
#define U6 L, L, L, L, L, L
static const unsigned char char_class[256] = {
    [' '] = CHAR_SPACE,
    ['\t'] = CHAR_SPACE,
    ['\r'] = CHAR_SPACE,
    ['\v'] = CHAR_SPACE,
    ['\f'] = CHAR_SPACE,
    ['0'] = D,
    D,
    D,
    D,
    D,
    D,
    D,
    D,
    D,
    D,
    ['A'] = U6,
    U6,
    U6,
    U6,
    L,
    L,
    ['a'] = U6,
    U6,
    U6,
    U6,
    L,
    L,
    ['_'] = L,
    ['$'] = L,
};
#undef L
#undef D
#undef U6

static bool is(char c, unsigned cls)
{
    return char_class[(unsigned char)c] & cls;
}

static const char *skip_name(const char *p)
{
    while (is(*p, CHAR_NAME))
        p++;
    return p;
}

/* The end of a dotted word, which consists of name characters and "::name". */
static const char *skip_word(const char *p)
{
    for (;;) {
        p = skip_name(p);
        if (p[0] == ':' && p[1] == ':' && is(p[2], CHAR_NAME))
            p += 2;
        else
            return p;
    }
}

/* Skip white space, comments and preprocessor lines. False: a comment is not closed. */
static bool skip_space(ptx_lexer *l)
{
    const char *p = l->p;
    for (;;) {
        if (is(*p, CHAR_SPACE)) {
            p++;
        } else if (*p == '\n') {
            l->line++;
            p++;
        } else if (p[0] == '/' && p[1] == '/') {
            while (*p != '\n' && p < l->end)
                p++;
        } else if (p[0] == '/' && p[1] == '*') {
            const char *from = p;
            uint32_t line = l->line;
            for (p += 2; !(p[0] == '*' && p[1] == '/'); p++) {
                if (p >= l->end) {
                    l->p = from;
                    l->line = line;
                    return false;
                }
                l->line += *p == '\n';
            }
            p += 2;
        } else if (*p == '#' && (p == l->text || p[-1] == '\n')) {
            while (*p != '\n' && p < l->end)
                p++;
        } else {
            l->p = p;
            return true;
        }
    }
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

/* The "C" locale: PTX always has a decimal point, whatever the program's locale. */
static locale_t c_locale;
static void make_c_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static double parse_decimal(const char *s)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_c_locale);
    return c_locale ? strtod_l(s, NULL, c_locale) : strtod(s, NULL);
}

static ptx_token_kind lexical_error(ptx_lexer *l, const char *problem)
{
    l->problem = problem;
    return PTX_TOK_ERROR;
}

/* Read a numeric literal, PTX ISA 4.5. */
static ptx_token_kind read_number(ptx_lexer *l)
{
    const char *s = l->p, *p = s;
    ptx_token *t = &l->tok;
    char second = s[1];
    if (*s == '0' && (second == 'f' || second == 'F' || second == 'd' || second == 'D')) {
        int want = (second | 0x20) == 'f' ? 8 : 16, have = 0;
        uint64_t bits = 0;
        for (p = s + 2; have < want && digit_value(*p) < 16; p++, have++)
            bits = bits << 4 | (uint64_t)digit_value(*p);
        l->p = skip_name(p);
        if (have < want || l->p != p) {
            return lexical_error(l, want == 8 ? "0f needs 8 hexadecimal digits"
                                              : "0d needs 16 hexadecimal digits");
        }
        t->bits = bits;
        return want == 8 ? PTX_TOK_F32 : PTX_TOK_F64;
    }
    unsigned base = 10;
    if (*s == '0') {
        base = 8;
        if ((second | 0x20) == 'x') {
            base = 16;
            p += 2;
        } else if ((second | 0x20) == 'b') {
            base = 2;
            p += 2;
        }
    }
    if (base == 8 || base == 10) { /* the number may be a decimal floating-point literal */
        const char *q = s;
        while (is(*q, CHAR_DIGIT))
            q++;
        bool point = q[0] == '.' && is(q[1], CHAR_DIGIT);
        if (point)
            for (q++; is(*q, CHAR_DIGIT);)
                q++;
        if (q[0] == '.' && !point && !is(q[1], CHAR_NAME)) {
            point = true;
            q++;
        }
        const char *e = q;
        if ((*e | 0x20) == 'e') {
            e += 1 + (e[1] == '+' || e[1] == '-');
            if (is(*e, CHAR_DIGIT)) {
                point = true;
                for (q = e; is(*q, CHAR_DIGIT);)
                    q++;
            }
        }
        if (point) {
            l->p = skip_name(q);
            if (l->p != q)
                return lexical_error(l, "letters follow this number");
            double value = parse_decimal(s);
            memcpy(&t->bits, &value, sizeof value);
            return PTX_TOK_DECIMAL;
        }
    }
    const char *digits = p;
    uint64_t value = 0;
    bool overflow = false;
    for (; (unsigned)digit_value(*p) < base; p++) {
        overflow |= value > (UINT64_MAX - (unsigned)digit_value(*p)) / base;
        value = value * base + (unsigned)digit_value(*p);
    }
    bool none = p == digits;
    t->is_unsigned = value > INT64_MAX;
    if (*p == 'U' || *p == 'u') {
        t->is_unsigned = true;
        p++;
    }
    l->p = skip_name(p);
    if (none || l->p != p)
        return lexical_error(l, "this is not a number");
    if (overflow)
        return lexical_error(l, "this number does not fit 64 bits");
    t->bits = value;
    return PTX_TOK_INT;
}

static ptx_token_kind read_string(ptx_lexer *l)
{
    const char *p = l->p + 1;
    while (*p != '"') {
        if (*p == '\n' || p >= l->end) {
            l->p = p;
            return lexical_error(l, "this string has no closing quote");
        }
        p++;
    }
    l->p = p + 1;
    return PTX_TOK_STRING;
}

static ptx_token_kind read_punctuation(ptx_lexer *l)
{
    static const struct {
        char text[3];
        ptx_token_kind kind;
    } pairs[] = {
        {"<<", PTX_TOK_SHL}, {">>", PTX_TOK_SHR}, {"<=", PTX_TOK_LE},      {">=", PTX_TOK_GE},
        {"==", PTX_TOK_EQ},  {"!=", PTX_TOK_NE},  {"&&", PTX_TOK_AND_AND}, {"||", PTX_TOK_OR_OR},
    };
    char c = *l->p;
    if (!strchr("(){}[]<>,;:+-*/%&|^~!=?@", c)) {
        l->p++;
        return lexical_error(l, "this character is not allowed in PTX");
    }
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (c == pairs[i].text[0] && l->p[1] == pairs[i].text[1]) {
            l->p += 2;
            return pairs[i].kind;
        }
    }
    l->p++;
    return (ptx_token_kind)(unsigned char)c;
}

void ptx_lex_next(ptx_lexer *l)
{
    ptx_token *t = &l->tok;
    bool closed = skip_space(l);
    t->s = l->p;
    t->line = l->line;
    t->bits = 0;
    t->is_unsigned = false;
    if (!closed) {
        t->len = 2;
        t->kind = lexical_error(l, "this comment is never closed");
        l->p = l->end;
        return;
    }
    char c = *l->p;
    if (is(c, CHAR_NAME_START) || (c == '%' && is(l->p[1], CHAR_NAME_START))) {
        l->p = skip_name(l->p + 1);
        t->kind = PTX_TOK_NAME;
    } else if (c == '.' && is(l->p[1], CHAR_NAME)) {
        l->p = skip_word(l->p + 1);
        t->kind = PTX_TOK_DOT;
    } else if (is(c, CHAR_DIGIT)) {
        t->kind = read_number(l);
    } else if (c == '"') {
        t->kind = read_string(l);
    } else if (l->p >= l->end) {
        t->kind = PTX_TOK_END;
    } else if (c == 0) {
        l->p++;
        t->kind = lexical_error(l, "there is a NUL character in the text");
    } else {
        t->kind = read_punctuation(l);
    }
    t->len = (uint32_t)(l->p - t->s);
}

void ptx_lex_init(ptx_lexer *l, const char *text, size_t len)
{
    *l = (ptx_lexer){.text = text, .end = text + len, .p = text, .line = 1};
    ptx_lex_next(l);
}

void ptx_lex_rest_of_mnemonic(ptx_lexer *l)
{
    const char *p = skip_word(l->tok.s);
    while (p[0] == '.' && is(p[1], CHAR_NAME))
        p = skip_word(p + 1);
    l->p = p;
    l->tok.len = (uint32_t)(p - l->tok.s);
}

bool ptx_lex_at_label(const ptx_lexer *l)
{
    ptx_lexer ahead = *l;
    return skip_space(&ahead) && ahead.p[0] == ':' && ahead.p[1] != ':';
}

bool ptx_token_is_word(const ptx_token *t, const char *word)
{
    size_t n = strlen(word);
    return t->len == n && memcmp(t->s, word, n) == 0;
}

uint32_t ptx_lex_column(const ptx_lexer *l, const char *at)
{
    const char *from = at;
    while (from > l->text && from[-1] != '\n')
        from--;
    return (uint32_t)(at - from) + 1;
}
