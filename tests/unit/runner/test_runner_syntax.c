/* Tests the colours of code: which style each part of a line has. */
#include "runner/book/syntax.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static bool in_comment;

/* Letters for the styles, one per byte of CODE. */
static void expect_styles(const char *code, const char *letters)
{
    static const char letter_of[STYLE_COUNT] = {
        [STYLE_NORMAL] = '.',  [STYLE_KEYWORD] = 'k', [STYLE_CUDA] = 'c',
        [STYLE_LITERAL] = 'l', [STYLE_COMMENT] = '/', [STYLE_DIRECTIVE] = '#'};
    styled t = {0};
    char found[200] = "";
    syntax_add_line(&t, code, &in_comment);
    assert_int_equal(t.text.len, strlen(code));
    for (size_t i = 0; i < t.text.len; i++)
        found[i] = letter_of[(unsigned char)t.styles.s[i]];
    assert_string_equal(found, letters);
    styled_free(&t);
}

static void words_and_literals(void **unused)
{
    (void)unused;
    in_comment = false;
    expect_styles("__global__ void k(float *in)", "cccccccccc.kkkk...kkkkk.....");
    expect_styles("int i = threadIdx.x + 0x1Fu;", "kkk.....ccccccccc.....lllll.");
    expect_styles("f(1.5e-3f, '\\'', \"a//b\"); // 2", "..lllllll..llll..llllll...////");
    expect_styles("format = iffy + warpSized;", "..........................");
}

static void directives(void **unused)
{
    (void)unused;
    in_comment = false;
    expect_styles("#include \"lab.h\" // x", "#################////");
    expect_styles("  # pragma unroll 4", "###################");
}

static void comments_go_on(void **unused)
{
    (void)unused;
    in_comment = false;
    expect_styles("a /* if", "..//"
                             "///");
    expect_styles("if */ if", "/////.kk");
    assert_false(in_comment);
    expect_styles("a /* b */ 1", "..///////.l");
    expect_styles("\"open", "lllll");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_and_literals),
        cmocka_unit_test(directives),
        cmocka_unit_test(comments_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
