/* Tests linking the PTX of several files, as the device linker links machine code. */
#include "emulator/ptx/link/link.h"
#include "emulator/ptx/ptx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEADER ".version 9.0\n.target sm_90\n.address_size 64\n"

static const char first_text[] =
    HEADER ".extern .func (.param .b32 r) other\n(\n.param .b32 x\n)\n;\n"
           ".extern .global .align 4 .u32 shared_word;\n"
           ".global .align 1 .b8 $str[3] = {49, 10};\n"
           ".weak .global .align 4 .u32 inline_word = 7;\n"
           ".weak .func (.param .b32 r) twice(.param .b32 x) { .loc 1 5 3\n ret; }\n"
           ".func helper() { ret; } // helper of the first\n"
           ".visible .entry k() {\n .loc 1 9 1\n call helper, (); ret; }\n"
           ".file 1 \"one.cu\"\n";

static const char second_text[] =
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

/* The linker's message for two texts that cannot be linked. */
static char link_message[400];

static char *join_texts(const char *const *texts, size_t count)
{
    static const char *const names[] = {"one.o", "two.o", "three.o"};
    ptx_link_text part[3];
    for (size_t i = 0; i < count; i++)
        part[i] = (ptx_link_text){texts[i], names[i]};
    return ptx_link_texts(part, count, NULL, link_message, sizeof link_message);
}

static size_t occurrences(const char *text, const char *what)
{
    size_t n = 0;
    for (const char *p = text; (p = strstr(p, what)); p += strlen(what))
        n++;
    return n;
}

static void joins_two_files(void **state)
{
    (void)state;
    const char *texts[] = {first_text, second_text};
    char *whole = join_texts(texts, 2);
    assert_non_null(whole);
    assert_int_equal(occurrences(whole, ".version"), 1);
    assert_int_equal(occurrences(whole, ".weak .global .align 4 .u32 inline_word"), 1);
    assert_non_null(strstr(whole, "$str$in1[3] = {50, 10}"));
    assert_non_null(strstr(whole, "{$str$in1, generic(shared_word)}"));
    assert_non_null(strstr(whole, ".func helper$in1()"));
    assert_non_null(strstr(whole, "call helper$in1, ()"));
    assert_non_null(strstr(whole, "call helper, ()"));
    assert_int_equal(occurrences(whole, ".weak .func (.param .b32 r) twice"), 1);
    assert_null(strstr(whole, "twice$in1"));
    assert_non_null(strstr(whole, ".file 2 \"two.cu\""));
    assert_non_null(strstr(whole, ".file 3 \"two.h\""));
    assert_non_null(strstr(whole, ".loc 2 4 2\n"));
    assert_non_null(
        strstr(whole, ".loc 3 4 2, function_name $L__info_string0$in1, inlined_at 2 6"));

    ptx_error err = {0};
    ptx_module *m = ptx_parse(whole, strlen(whole), &err);
    if (!m)
        print_message("%s\n", err.text);
    assert_non_null(m);
    assert_non_null(ptx_find_func(m, "k"));
    assert_true(ptx_find_func(m, "other")->has_body);
    assert_false(ptx_find_var(m, "shared_word")->is_extern);
    assert_string_equal(m->files[2], "two.cu");
    ptx_free(m);
    free(whole);
}

static void a_single_file_is_not_changed(void **state)
{
    (void)state;
    const char *texts[] = {second_text};
    char *whole = join_texts(texts, 1);
    assert_non_null(whole);
    assert_int_equal(occurrences(whole, "$in1"), 0);
    assert_non_null(strstr(whole, ".file 2 \"two.h\""));
    free(whole);
}

static ptx_module *parse_linked(char *whole)
{
    ptx_error err = {0};
    ptx_module *m = whole ? ptx_parse(whole, strlen(whole), &err) : NULL;
    if (!m)
        print_message("%s%s\n%s\n", link_message, err.text, whole ? whole : "");
    assert_non_null(m);
    free(whole);
    return m;
}

/* The host finds a kernel by its name, even a static one, so kernel names must not change; nvcc
 * itself gives strings unique numbers. */
static void only_names_that_collide_change(void **state)
{
    (void)state;
    const char *texts[] = {
        HEADER ".global .align 1 .b8 $str[1] = {1};\n.global .align 1 .b8 $str$1[1] = {2};\n"
               ".visible .func f() { ret; }\n",
        HEADER ".global .align 1 .b8 $str[1] = {3};\n.global .align 1 .b8 own[1] = {4};\n"
               ".entry its() { ret; }\n.weak .entry both() { ret; }\n",
        HEADER ".func f() { ret; }\n.visible .entry calls() { call f, (); ret; }\n"
               ".weak .entry both() { ret; }\n"};
    ptx_module *m = parse_linked(join_texts(texts, 3));
    assert_non_null(ptx_find_func(m, "its"));
    assert_true(ptx_find_func(m, "both")->has_body);
    assert_non_null(ptx_find_var(m, "own"));
    assert_int_equal(ptx_find_var(m, "$str$1")->init[0], 2);
    assert_int_equal(ptx_find_var(m, "$str$in1")->init[0], 3);
    assert_non_null(ptx_find_func(m, "f$in2"));
    assert_true(ptx_find_func(m, "f")->is_visible);
    ptx_free(m);
}

/* A strong definition replaces weak ones wherever it is, and code before it may refer to it. */
static void strong_definitions_replace_weak_ones(void **state)
{
    (void)state;
    const char *texts[] = {
        HEADER ".weak .global .align 4 .u32 word = 1;\n"
               ".weak .func (.param .b32 r) pick(.param .b32 x) { .reg .b32 %first; ret; }\n"
               ".global .align 8 .u64 where = word;\n.global .align 8 .u64 what = pick;\n"
               ".visible .entry k() { .param .b32 a; .param .b32 b; call (a), pick, (b); ret; }\n",
        HEADER ".visible .global .align 4 .u32 word = 2;\n"
               ".visible .func (.param .b32 r) pick(.param .b32 x) { .reg .b64 %second; ret; }\n",
        HEADER ".weak .global .align 4 .u32 word = 3;\n"
               ".extern .func (.param .b32 r) pick(.param .b32 x);\n"};
    ptx_module *m = parse_linked(join_texts(texts, 3));
    const ptx_var *word = ptx_find_var(m, "word");
    assert_int_equal(word->init[0], 2);
    assert_ptr_equal(ptx_find_var(m, "where")->reloc[0].var, word);
    const ptx_func *pick = ptx_find_func(m, "pick");
    assert_true(pick->has_body);
    assert_ptr_equal(ptx_find_var(m, "what")->reloc[0].func, pick);
    assert_string_equal(pick->regs[0].name, "%second");
    ptx_free(m);
}

static void largest_common_and_newest_header_count(void **state)
{
    (void)state;
    const char *texts[] = {".version 7.8\n.target sm_80\n.address_size 64\n"
                           ".common .global .align 4 .b8 room[4];\n",
                           HEADER ".common .global .align 8 .b8 room[16];\n",
                           HEADER ".common .global .align 4 .b8 room[8];\n"};
    char *whole = join_texts(texts, 3);
    assert_int_equal(occurrences(whole, ".target"), 1);
    assert_non_null(strstr(whole, ".version 9.0\n.target sm_90\n"));
    ptx_module *m = parse_linked(whole);
    assert_int_equal(ptx_find_var(m, "room")->size, 16);
    ptx_free(m);
}

static bool device_has_variable(const char *name)
{
    return strcmp(name, "vprintf") == 0;
}

static void conflicting_declarations_are_reported(void **state)
{
    (void)state;
    static const struct {
        const char *first, *second, *says;
    } rows[] = {
        {".visible .func f() { ret; }", ".visible .func f() { ret; }",
         "Multiple definition of 'f' in 'two.o', first defined in 'one.o'\n"},
        {".visible .global .u32 v;", ".visible .global .u32 v;",
         "Multiple definition of 'v' in 'two.o', first defined in 'one.o'\n"},
        {".extern .global .u64 g;", ".visible .global .u32 g;",
         "Size doesn't match for 'g' in 'two.o', first specified in 'one.o'\n"},
        {".extern .const .u32 h;", ".visible .global .u32 h;",
         "Memory space doesn't match for 'h' in 'two.o', first specified in 'one.o'\n"},
        {".extern .func f();\n.extern .func idle();",
         ".extern .func f();\n"
         ".extern .func vprintf();\n"
         ".entry k() { .reg .u32 %r; call vprintf, (); call f, (); ld.global.u32 %r, [g]; }\n"
         ".extern .global .u32 g;",
         "Undefined reference to 'f' in 'two.o'\nUndefined reference to 'g' in 'two.o'\n"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const ptx_link_text part[] = {{rows[k].first, "one.o"}, {rows[k].second, "two.o"}};
        assert_null(
            ptx_link_texts(part, 2, device_has_variable, link_message, sizeof link_message));
        assert_string_equal(link_message, rows[k].says);
    }
    /* An array without size, a weak copy, and shared memory that each file declares differently. */
    const ptx_link_text good[] = {
        {HEADER ".extern .global .u32 a[];\n.weak .func f() { ret; }\n"
                ".extern .shared .align 4 .b8 s[];\n",
         "one.o"},
        {HEADER ".visible .global .u32 a[8];\n.weak .func f() { ret; }\n"
                ".extern .shared .align 8 .f64 s[];\n"
                ".entry k() { .reg .f64 %d; ld.shared.f64 %d, [s]; call f, (); ret; }\n",
         "two.o"}};
    ptx_module *m = parse_linked(
        ptx_link_texts(good, 2, device_has_variable, link_message, sizeof link_message));
    assert_int_equal(ptx_find_var(m, "a")->size, 32);
    ptx_free(m);
}

static void linking_any_text_terminates(void **state)
{
    (void)state;
    for (size_t length = 0; length < sizeof second_text; length++) {
        char cut[sizeof second_text];
        memcpy(cut, second_text, length);
        cut[length] = 0;
        const char *texts[] = {first_text, cut};
        free(join_texts(texts, 2));
        if (length) { /* also with the last character changed */
            cut[length - 1] = "{}()\";/\x80"[length % 8];
            free(join_texts(texts, 2));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joins_two_files),
        cmocka_unit_test(a_single_file_is_not_changed),
        cmocka_unit_test(only_names_that_collide_change),
        cmocka_unit_test(strong_definitions_replace_weak_ones),
        cmocka_unit_test(largest_common_and_newest_header_count),
        cmocka_unit_test(conflicting_declarations_are_reported),
        cmocka_unit_test(linking_any_text_terminates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
