/* Tests which code is forbidden in a TODO region, and that the book's solutions contain none. */
#include "runner/run/trust.h"

#include "runner/base/files.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The text of a lab with the TODO region BODY, which begins at line 4. */
static char *lab_with_body(const char *body)
{
    return xprintf("#include \"lab.h\"\nint main() {\n    // TODO 1 (about 1 line): do\n%s\n"
                   "    // END TODO 1\n    lab_end();\n}\n",
                   body);
}

/* Check the first finding in region BODY and its line; WHAT is NULL if no finding is expected. */
static void expect_finding(const char *body, const char *what, int line)
{
    arena a = {0};
    size_t count;
    char *text = lab_with_body(body);
    flaw *f = find_forbidden_names(text, NULL, &a, &count);
    if (!what) {
        if (count)
            print_message("%s: %s\n", body, f[0].sentence);
        assert_int_equal(count, 0);
    } else {
        if (!count)
            print_message("no forbidden code is found in the region: %s\n", body);
        assert_true(count > 0);
        assert_string_equal(f[0].what, what);
        assert_int_equal(f[0].line, line);
        assert_non_null(strstr(f[0].sentence, what));
    }
    free(text);
    arena_free(&a);
}

/* The first finding in the HELPERS block BODY; NULL: nothing is found. In A. */
static const char *finding_in_helpers(const char *body, arena *a)
{
    size_t count;
    char *text = xprintf("// HELPERS\n%s\n// END HELPERS\n// TODO 1\n// END TODO 1\n", body);
    flaw *f = find_forbidden_names(text, NULL, a, &count);
    free(text);
    return count ? f[0].sentence : NULL;
}

static void test_headers(void **state)
{
    (void)state;
    static const char *const allowed[] = {
        "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;",
        "#include <cooperative_groups/reduce.h>\nusing namespace cooperative_groups;",
        "  # include\t<cuda/std/atomic> // of the toolkit",
        "#include <cub/block/block_reduce.cuh>",
        "#include <mma.h>\n#include <cuda_fp16.h>\n#include <cuda/pipeline>\n",
    };
    static const char *const refused[] = {
        "#include <unistd.h>",
        "#include \"cuda/atomic\"",
        "#include <../../x>",
        "#include <cuda/../../../x>",
        "#include </etc/passwd>",
        "#include <cuda//atomic>",
        "#include <cuda/>",
        "#include <cuda/./x>",
        "#include <cub/x.y.z>",
        "#include <cooperative_groups/..>",
        "#include CUDA",
        "#include <cuda/atomic",
        "#include <cuda/atomic> int i;",
        "#include_next <cuda/atomic>",
        "#include <cuda/atomic> /* x",
        "#include <cuda\\\n/../x>",
        "#include",
        "#inc\\\nlude <unistd.h>",
        "#if __has_include(<cuda/atomic>)",
        "#include <cuda/../cuda/atomic>",
        "#include <cuda_fp16.hx>",
    };
    arena a = {0};
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        assert_null(finding_in_helpers(allowed[i], &a));
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_non_null(finding_in_helpers(refused[i], &a));
    assert_non_null(strstr(
        finding_in_helpers("#include <unistd.h>", &a),
        "#include <unistd.h> is not allowed: HELPERS may include these headers of the "
        "toolkit, each on a line of its own: <cooperative_groups.h>, <cooperative_groups/...>, "));
    expect_finding("#include <cuda/atomic>", "#include <cuda/atomic>", 4);
    arena_free(&a);
}

static void test_names(void **state)
{
    (void)state;
    expect_finding("lab_run().failures = 0;", "lab_run", 4);
    expect_finding("x = 1;\nLAB_CHECK(\"a\", n);", "LAB_CHECK", 5);
    expect_finding("la\\\nb_run();", "lab_run", 4);
    expect_finding("char *p = getenv(\"HOME\");", "getenv", 4);
    expect_finding("puts(\"WARPBOOK_RECORD\");", "WARPBOOK_", 4);
    expect_finding("FILE *f = 0;", "FILE", 4);
    expect_finding("std::ofstream out(\"x\");", "ofstream", 4);
    expect_finding("system (\"true\");", "system", 4);
    expect_finding("asm volatile(\"ret;\");", "asm", 4);
    expect_finding("__attribute__((constructor)) void f();", "constructor", 4);
    expect_finding("write(3, a, n);", "write", 4);
}

static void test_names_that_are_harmless(void **state)
{
    (void)state;
    expect_finding("int write = 0, open = 1; write += open;", NULL, 0);
    expect_finding("// lab_run() is the book's; see getenv", NULL, 0);
    expect_finding("/* LAB_CHECK */ printf(\"system(1)\\n\");", NULL, 0);
    expect_finding("int collab_run = 1, slab_ = 2;", NULL, 0);
    expect_finding("for (int k = 0; k < 1'000'000; k++) { a[k] = '{'; }", NULL, 0);
    expect_finding("if (cudaMemcpy(a, b, n, cudaMemcpyHostToDevice)) { return; }", NULL, 0);
    expect_finding("auto f = [&](int i) { return a[i]; };", NULL, 0);
}

static void test_directives(void **state)
{
    (void)state;
    expect_finding("#pragma unroll 4\nfor (;;) {}", NULL, 0);
    expect_finding("#pragma   unroll", NULL, 0);
    expect_finding("#define fabs(x) 0", "#define", 4);
    expect_finding("#  undef LAB", "#undef", 4);
    expect_finding("%: include <cstdio>", "#include <cstdio>", 4);
    expect_finding("#include <fstream>", "#include <fstream>", 4);
    expect_finding("#pragma push_macro(\"x\")", "#pragma push_macro", 4);
    expect_finding("#if 0", "#if", 4);
    expect_finding("#line 1", "#line", 4);
    expect_finding("_Pragma(\"x\")", "_Pragma", 4);
}

static void test_code_that_reaches_outside_its_region(void **state)
{
    (void)state;
    expect_finding("}\nint forged() {", "}", 4);
    expect_finding("int f() {", "{", 5);
    expect_finding("f(", "(", 5);
    expect_finding("x = 1; /* until the next comment", "/*", 5);
    expect_finding("char *s = R\"(", "R\"", 4);
    expect_finding("x = 1; \\", "\\", 5);
    expect_finding("int \\u006cab_run;", "\\", 4);
    expect_finding("char *s = \"open", "\"", 4);
    expect_finding(
        "cudaError_t cudaEventElapsedTime(float *t, cudaEvent_t a, cudaEvent_t b) { return 0; }",
        "cudaEventElapsedTime", 4);
    expect_finding("double fabs(double x)\n{ return 0; }", "fabs", 4);
}

static void test_what_the_book_does_is_allowed(void **state)
{
    (void)state;
    arena a = {0};
    size_t count;
    char *mine = lab_with_body("lab_pinned(p, n); getenv(p);"),
         *book = lab_with_body("if (lab_pinned(q, 1)) {}");
    flaw *f = find_forbidden_names(mine, book, &a, &count);
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
        char *text = read_whole_file(g.gl_pathv[i], 4 << 20, NULL);
        assert_non_null(text);
        flaw *f = find_forbidden_names(text, NULL, &a, &count);
        for (size_t k = 0; k < count; k++)
            print_message("%s:%d: %s\n", g.gl_pathv[i], f[k].line, f[k].sentence);
        assert_int_equal(count, 0);
        free(text);
        arena_free(&a);
    }
    globfree(&g);
}

/* Whether assembly in the first TODO region of the book's text is confined to the device. */
static bool is_assembly_on_device(const char *head, const char *above)
{
    static const char lab[] =
        "#include \"lab.h\"\n%s\n{\n    int i = 0;\n%s    // TODO 1 (about 1 line): do\n%s"
        "    // END TODO 1\n}\n";
    arena a = {0};
    size_t count;
    char *book = xprintf(lab, head, above, "    i++;\n"),
         *text = xprintf(lab, "__global__ void k(void)", "", "    asm(\"\");\n");
    flaw *f = find_forbidden_names(text, book, &a, &count);
    assert_int_equal(count, 1);
    const bool device = f[0].device;
    free(book);
    free(text);
    arena_free(&a);
    return device;
}

static void test_assembly_in_kernels(void **state)
{
    (void)state;
    assert_true(is_assembly_on_device("__global__ void k(int *out,\n                  int n)", ""));
    /* it is the book's text that says so, not the submission's */
    assert_false(is_assembly_on_device("static void k(void)", ""));
    assert_false(is_assembly_on_device("__global__ void k(int *);\nstatic void f(void)", ""));
    assert_false(is_assembly_on_device("__global__ void k(void)", "}\nstatic void f(void)\n{\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_assembly_in_kernels),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_names_that_are_harmless),
        cmocka_unit_test(test_directives),
        cmocka_unit_test(test_code_that_reaches_outside_its_region),
        cmocka_unit_test(test_what_the_book_does_is_allowed),
        cmocka_unit_test(test_the_solutions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
