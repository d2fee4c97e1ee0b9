/* Tests splitting PTX text into tokens: literals, comments, mnemonics, positions of errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "emulator/ptx/parser/lexer.h"

#include <string.h>

static ptx_token first_token(const char *text)
{
    ptx_lexer l;
    ptx_lex_init(&l, text, strlen(text));
    return l.tok;
}

static void test_integers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t bits;
        bool is_unsigned;
    } cases[] = {
        {"0", 0, false},
        {"42", 42, false},
        {"42U", 42, true},
        {"0x1F", 31, false},
        {"0XffU", 255, true},
        {"017", 15, false},
        {"0b101", 5, false},
        {"9223372036854775807", INT64_MAX, false},
        {"18446744073709551615", UINT64_MAX, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ptx_token t = first_token(cases[i].text);
        assert_int_equal(t.kind, PTX_TOK_INT);
        assert_int_equal(t.bits, cases[i].bits);
        assert_int_equal(t.is_unsigned, cases[i].is_unsigned);
        assert_int_equal(t.len, strlen(cases[i].text));
    }
}

static void test_floats(void **state)
{
    (void)state;
    ptx_token t = first_token("0f3F800000");
    assert_int_equal(t.kind, PTX_TOK_F32);
    assert_int_equal(t.bits, 0x3F800000);
    t = first_token("0D7FF8000000000001");
    assert_int_equal(t.kind, PTX_TOK_F64);
    assert_int_equal(t.bits, 0x7FF8000000000001);
    static const struct {
        const char *text;
        double value;
    } decimals[] = {{"1.5", 1.5}, {"2e3", 2e3}, {"0.25e-2", 0.25e-2}, {"3.", 3}};
    for (size_t i = 0; i < sizeof decimals / sizeof *decimals; i++) {
        t = first_token(decimals[i].text);
        double value;
        memcpy(&value, &t.bits, sizeof value);
        assert_int_equal(t.kind, PTX_TOK_DECIMAL);
        assert_true(value == decimals[i].value);
    }
}

static void test_bad_literals(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "0f3F80000", "0f3F8000000", "0d0",  "0xZ", "12ab", "08", "99999999999999999999",
        "\"open",    "/* open",     "\x01", "`",   "1.5x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ptx_lexer l;
        ptx_lex_init(&l, bad[i], strlen(bad[i]));
        assert_int_equal(l.tok.kind, PTX_TOK_ERROR);
        assert_non_null(l.problem);
    }
    ptx_lexer l; /* a NUL byte inside the text is an error, not the end */
    ptx_lex_init(&l, "\0;", 2);
    assert_int_equal(l.tok.kind, PTX_TOK_ERROR);
}

static void names_and_punctuation(void **state)
{
    (void)state;
    static const struct {
        int kind;
        const char *text;
    } want[] = {
        {PTX_TOK_NAME, "%rd1"},
        {'|', "|"},
        {PTX_TOK_NAME, "_"},
        {PTX_TOK_NAME, "$L__BB0"},
        {PTX_TOK_DOT, ".b32"},
        {PTX_TOK_DOT, ".param::func"},
        {PTX_TOK_SHL, "<<"},
        {PTX_TOK_INT, "4"},
        {'%', "%"},
        {PTX_TOK_INT, "3"},
        {PTX_TOK_STRING, "\"a b\""},
        {PTX_TOK_END, ""},
    };
    const char *text = "%rd1|_ $L__BB0 .b32 /* x\ny */ .param::func // z\n<<4 % 3 \"a b\"";
    ptx_lexer l;
    ptx_lex_init(&l, text, strlen(text));
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        assert_int_equal(l.tok.kind, want[i].kind);
        assert_true(ptx_token_is_word(&l.tok, want[i].text));
        ptx_lex_next(&l);
    }
    assert_int_equal(l.line, 3);
}

static void test_mnemonics(void **state)
{
    (void)state;
    static const struct {
        const char *text, *mnemonic;
    } cases[] = {
        {"ld.shared::cta.v2.u32 {a}", "ld.shared::cta.v2.u32"},
        {"tex.1d.v4.f32.s32 x", "tex.1d.v4.f32.s32"},
        {"ret;", "ret"},
        {"mma.sync.aligned.m16n8k16.row {", "mma.sync.aligned.m16n8k16.row"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ptx_lexer l;
        ptx_lex_init(&l, cases[i].text, strlen(cases[i].text));
        ptx_lex_rest_of_mnemonic(&l);
        assert_true(ptx_token_is_word(&l.tok, cases[i].mnemonic));
    }
}

static void test_labels(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool label;
    } cases[] = {{"L:", true}, {"L /* c */ :", true}, {"L::x", false}, {"L;", false}, {"L", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ptx_lexer l;
        ptx_lex_init(&l, cases[i].text, strlen(cases[i].text));
        assert_int_equal(ptx_lex_at_label(&l), cases[i].label);
    }
}

static void test_columns(void **state)
{
    (void)state;
    const char *text = "a\n  bc d";
    ptx_lexer l;
    ptx_lex_init(&l, text, strlen(text));
    ptx_lex_next(&l);
    assert_int_equal(l.tok.line, 2);
    assert_int_equal(ptx_lex_column(&l, l.tok.s), 3);
    ptx_lex_next(&l);
    assert_int_equal(ptx_lex_column(&l, l.tok.s), 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers),     cmocka_unit_test(test_floats),
        cmocka_unit_test(test_bad_literals), cmocka_unit_test(names_and_punctuation),
        cmocka_unit_test(test_mnemonics),    cmocka_unit_test(test_labels),
        cmocka_unit_test(test_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
