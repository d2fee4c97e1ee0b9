/* What a TODO region must not contain, and that the book's own solutions obey. */
#include "runner/attempt/trust.h"

#include "runner/base/files.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A lab whose region is BODY, which begins in line 4 of the text. */
static char *lab(const char *body)
{
    return xprintf("#include \"lab.h\"\nint main() {\n    // TODO 1 (about 1 line): do\n%s\n"
                   "    // END TODO 1\n    lab_end();\n}\n",
                   body);
}

/* The first finding in a region, and its line; NULL if there is none. */
static void finds(const char *body, const char *what, int line)
{
    arena a = {0};
    size_t count;
    char *text = lab(body);
    flaw *f = trust_flaws(text, NULL, &a, &count);
    if (!what) {
        if (count)
            print_message("%s: %s\n", body, f[0].sentence);
        assert_int_equal(count, 0);
    } else {
        if (!count)
            print_message("nothing found in: %s\n", body);
        assert_true(count > 0);
        assert_string_equal(f[0].what, what);
        assert_int_equal(f[0].line, line);
        assert_non_null(strstr(f[0].sentence, what));
    }
    free(text);
    arena_free(&a);
}

static void test_names(void **state)
{
    (void)state;
    finds("lab_run().failures = 0;", "lab_run", 4);
    finds("x = 1;\nLAB_CHECK(\"a\", n);", "LAB_CHECK", 5);
    finds("la\\\nb_run();", "lab_run", 4);
    finds("char *p = getenv(\"HOME\");", "getenv", 4);
    finds("puts(\"WARPBOOK_RECORD\");", "WARPBOOK_", 4);
    finds("FILE *f = 0;", "FILE", 4);
    finds("std::ofstream out(\"x\");", "ofstream", 4);
    finds("system (\"true\");", "system", 4);
    finds("asm volatile(\"ret;\");", "asm", 4);
    finds("__attribute__((constructor)) void f();", "constructor", 4);
    finds("write(3, a, n);", "write", 4);
}

static void test_names_that_are_harmless(void **state)
{
    (void)state;
    finds("int write = 0, open = 1; write += open;", NULL, 0);
    finds("// lab_run() is the book's; see getenv", NULL, 0);
    finds("/* LAB_CHECK */ printf(\"system(1)\\n\");", NULL, 0);
    finds("int collab_run = 1, slab_ = 2;", NULL, 0);
    finds("for (int k = 0; k < 1'000'000; k++) { a[k] = '{'; }", NULL, 0);
    finds("if (cudaMemcpy(a, b, n, cudaMemcpyHostToDevice)) { return; }", NULL, 0);
    finds("auto f = [&](int i) { return a[i]; };", NULL, 0);
}

static void test_directives(void **state)
{
    (void)state;
    finds("#pragma unroll 4\nfor (;;) {}", NULL, 0);
    finds("#pragma   unroll", NULL, 0);
    finds("#define fabs(x) 0", "#define", 4);
    finds("#  undef LAB", "#undef", 4);
    finds("%: include <cstdio>", "#include", 4);
    finds("#include <fstream>", "#include", 4);
    finds("#pragma push_macro(\"x\")", "#pragma push_macro", 4);
    finds("#if 0", "#if", 4);
    finds("#line 1", "#line", 4);
    finds("_Pragma(\"x\")", "_Pragma", 4);
}

static void test_what_reaches_out(void **state)
{
    (void)state;
    finds("}\nint forged() {", "}", 4);
    finds("int f() {", "{", 5);
    finds("f(", "(", 5);
    finds("x = 1; /* until the next comment", "/*", 5);
    finds("char *s = R\"(", "R\"", 4);
    finds("x = 1; \\", "\\", 5);
    finds("int \\u006cab_run;", "\\", 4);
    finds("char *s = \"open", "\"", 4);
    finds("cudaError_t cudaEventElapsedTime(float *t, cudaEvent_t a, cudaEvent_t b) { return 0; }",
          "cudaEventElapsedTime", 4);
    finds("double fabs(double x)\n{ return 0; }", "fabs", 4);
}

static void test_what_the_book_does_is_allowed(void **state)
{
    (void)state;
    arena a = {0};
    size_t count;
    char *mine = lab("lab_pinned(p, n); getenv(p);"), *book = lab("if (lab_pinned(q, 1)) {}");
    flaw *f = trust_flaws(mine, book, &a, &count);
    assert_int_equal(count, 1);
    assert_string_equal(f[0].what, "getenv");
    free(mine);
    free(book);
    arena_free(&a);
}

static void test_the_solutions(void **state)
{
    (void)state;
    glob_t g = {0};
    glob("chapters/*/solution.cu", 0, NULL, &g);
    glob("solutions/*/solution.cu", GLOB_APPEND, NULL, &g);
    for (size_t i = 0; i < g.gl_pathc; i++) {
        arena a = {0};
        size_t count;
        char *text = file_read(g.gl_pathv[i], 4 << 20, NULL);
        assert_non_null(text);
        flaw *f = trust_flaws(text, NULL, &a, &count);
        for (size_t k = 0; k < count; k++)
            print_message("%s:%d: %s\n", g.gl_pathv[i], f[k].line, f[k].sentence);
        assert_int_equal(count, 0);
        free(text);
        arena_free(&a);
    }
    globfree(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_names_that_are_harmless),
        cmocka_unit_test(test_directives),
        cmocka_unit_test(test_what_reaches_out),
        cmocka_unit_test(test_what_the_book_does_is_allowed),
        cmocka_unit_test(test_the_solutions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
