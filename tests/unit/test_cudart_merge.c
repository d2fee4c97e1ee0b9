/* Joining the PTX of several files, as the device linker does with machine code. */
#include "emulator/cudart/merge.h"
#include "emulator/ptx/ptx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEADER ".version 9.0\n.target sm_90\n.address_size 64\n"

static const char one[] =
    HEADER ".extern .func (.param .b32 r) other\n(\n.param .b32 x\n)\n;\n"
           ".extern .global .align 4 .u32 shared_word;\n"
           ".global .align 1 .b8 $str[3] = {49, 10};\n"
           ".weak .global .align 4 .u32 inline_word = 7;\n"
           ".weak .func (.param .b32 r) twice(.param .b32 x) { .loc 1 5 3\n ret; }\n"
           ".func helper() { ret; } // helper of the first\n"
           ".visible .entry k() {\n .loc 1 9 1\n call helper, (); ret; }\n"
           ".file 1 \"one.cu\"\n";

static const char two[] =
    HEADER ".global .align 1 .b8 $str[3] = {50, 10};\n"
           ".weak .global .align 4 .u32 inline_word = 7;\n"
           ".visible .global .align 4 .u32 shared_word = 3;\n"
           ".global .align 8 .u64 where[2] = {$str, generic(shared_word)};\n"
           ".weak .func (.param .b32 r) twice(.param .b32 x) { ret; }\n"
           ".func helper() { ret; }\n"
           ".visible .func (.param .b32 r) other(.param .b32 x)\n"
           "{\n .loc 1 4 2\n .loc 2 4 2, function_name $L__info_string0, inlined_at 1 6 1\n"
           " call helper, (); ret; }\n"
           ".file 1 \"two.cu\"\n.file 2 \"two.h\"\n"
           ".section .debug_str\n{\n$L__info_string0:\n.b8 65,0\n}\n";

static size_t occurrences(const char *text, const char *what)
{
    size_t n = 0;
    for (const char *p = text; (p = strstr(p, what)); p += strlen(what)) {
        n++;
    }
    return n;
}

static void joins_two_files(void **state)
{
    (void)state;
    const char *texts[] = {one, two};
    char *whole = merge_ptx(texts, 2);
    assert_non_null(whole);
    assert_int_equal(occurrences(whole, ".version"), 1);
    assert_int_equal(occurrences(whole, ".weak .global .align 4 .u32 inline_word"), 1);
    assert_non_null(strstr(whole, "$str$1[3] = {50, 10}"));
    assert_non_null(strstr(whole, "{$str$1, generic(shared_word)}"));
    assert_non_null(strstr(whole, ".func helper$1()"));
    assert_non_null(strstr(whole, "call helper$1, ()"));
    assert_non_null(strstr(whole, "call helper, ()"));
    assert_non_null(strstr(whole, "twice$1("));
    assert_non_null(strstr(whole, ".file 2 \"two.cu\""));
    assert_non_null(strstr(whole, ".file 3 \"two.h\""));
    assert_non_null(strstr(whole, ".loc 2 4 2\n"));
    assert_non_null(strstr(whole, ".loc 3 4 2, function_name $L__info_string0$1, inlined_at 2 6"));

    ptx_error err = {0};
    ptx_module *m = ptx_parse(whole, strlen(whole), &err);
    if (!m) {
        print_message("%s\n", err.text);
    }
    assert_non_null(m);
    assert_non_null(ptx_find_func(m, "k"));
    assert_true(ptx_find_func(m, "other")->has_body);
    assert_false(ptx_find_var(m, "shared_word")->is_extern);
    assert_string_equal(m->files[2], "two.cu");
    ptx_free(m);
    free(whole);
}

static void one_file_is_left_alone(void **state)
{
    (void)state;
    const char *texts[] = {two};
    char *whole = merge_ptx(texts, 1);
    assert_non_null(whole);
    assert_int_equal(occurrences(whole, "$1"), 0);
    assert_non_null(strstr(whole, ".file 2 \"two.h\""));
    free(whole);
}

static void ends_on_any_text(void **state)
{
    (void)state;
    for (size_t length = 0; length < sizeof two; length++) {
        char cut[sizeof two];
        memcpy(cut, two, length);
        cut[length] = 0;
        const char *texts[] = {one, cut};
        free(merge_ptx(texts, 2));
        if (length) { /* and with its last character changed */
            cut[length - 1] = "{}()\";/\x80"[length % 8];
            free(merge_ptx(texts, 2));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joins_two_files),
        cmocka_unit_test(one_file_is_left_alone),
        cmocka_unit_test(ends_on_any_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
