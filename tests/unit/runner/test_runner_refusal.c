/* Tests which part of a compiler's message the runner shows, for messages of nvcc 13.0 and gcc
 * 12. */
#include "runner/run/refusal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char lab[] = "#include \"lab.h\"\n"
                          "__global__ void k(float *out, int n)\n"
                          "{\n"
                          "    // TODO 1 (about 3 lines): x\n"
                          "    int i = threadIdx.x\n"
                          "    if (i < n) {\n"
                          "        out[i] = '}' + thread; // }\n"
                          "    // END TODO 1\n"
                          "}\n"
                          "int main(void) { return nothing; }\n";

static void expect_shown_errors(const char *message, const char *source, const char *reason,
                                const char *text)
{
    arena a = {0};
    compile_report r;
    assert_true(read_compile_errors(message, source, "lab.cu", "build/kept", &a, &r));
    assert_string_equal(r.reason, reason);
    assert_string_equal(r.text, text);
    arena_free(&a);
}

static void a_missing_brace_comes_first(void **unused)
{
    (void)unused;
    expect_shown_errors("chapters/01/lab.cu(6): error: expected a \";\"\n"
                        "      if (i < n) {\n"
                        "      ^\n"
                        "\n"
                        "At end of source: error: expected a \"}\"\n"
                        "chapters/01/lab.cu(3): note #3196-D: to match this \"{\"\n"
                        "  {\n"
                        "  ^\n"
                        "\n"
                        "2 errors detected in the compilation of \"chapters/01/lab.cu\".\n",
                        lab, "lab.cu:6: TODO 1 has a { that is not closed: the } is missing",
                        "lab.cu:5: a ; is missing here\n"
                        "\n"
                        "    5 | int i = threadIdx.x\n"
                        "      |                    ^\n"
                        "\n"
                        "All that nvcc says is in build/kept\n");
}

static void expect_line(const char *line, bool is_warning, const char *file, int at, int column,
                        const char *text)
{
    arena a = {0};
    compiler_line l;
    assert_true(read_compiler_line(line, &a, &l));
    assert_int_equal(l.is_warning, is_warning);
    assert_int_equal(l.file != NULL, file != NULL);
    assert_string_equal(l.file ? l.file : "", file ? file : "");
    assert_int_equal(l.line, at);
    assert_int_equal(l.column, column);
    assert_string_equal(l.text, text);
    arena_free(&a);
}

static void test_lines_of_compilers(void **unused)
{
    (void)unused;
    arena a = {0};
    compiler_line l;
    expect_line("a.cu(6): error: a: b", false, "a.cu", 6, 0, "a: b");
    expect_line("my error.d (2)/errors/b:3:/a.cu(6): warning #177-D: x", true,
                "my error.d (2)/errors/b:3:/a.cu", 6, 0, "x");
    expect_line("a.h:6:5: fatal error: b.h: No such file", false, "a.h", 6, 5, "b.h: No such file");
    expect_line("a.cu(4): catastrophic error: x", false, "a.cu", 4, 0, "x");
    expect_line("ptxas error   : x", false, NULL, 0, 0, "x");
    expect_line("nvcc fatal   : x", false, NULL, 0, 0, "x");
    expect_line("At end of source: error: x", false, NULL, 0, 0, "x");
    static const char *const others[] = {"", "1 error detected in the compilation of \"a.cu\".",
                                         "      int error = x ? error : 1;", "error: x",
                                         "a.cu(3): note #3196-D: to match this"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(read_compiler_line(others[i], &a, &l));
    arena_free(&a);
}

static void too_much_shared_memory_is_counted_in_decimals(void **unused)
{
    (void)unused;
    expect_shown_errors(
        "ptxas error   : Entry function '_Z1kPi' uses too much shared data "
        "(0x10000 bytes, 0xc000 max)\n",
        lab,
        "kernel k declares 65536 bytes of shared memory; arrays of a fixed size may "
        "have 49152 bytes together. Chapter 12 asks for more: an extern __shared__ "
        "array and cudaFuncSetAttribute()",
        "All that nvcc says is in build/kept\n");
    expect_shown_errors("ptxas error   : Entry function '_ZN4labs3sumEPiPKii' uses too much local "
                        "data (0x100000 bytes, 0x80000 max)\n",
                        lab,
                        "kernel labs::sum uses 1048576 bytes of local memory, and may use 524288",
                        "All that nvcc says is in build/kept\n");
    expect_shown_errors("ptxas error   : File uses too much global constant data (0x13880 bytes, "
                        "0x10000 max)\n",
                        lab,
                        "the __constant__ variables take 80000 bytes, and may take 65536 together: "
                        "keep what is larger in global memory (chapter 6)",
                        "All that nvcc says is in build/kept\n");
}

/* Of several kernels, of a template and of an unnamed namespace, where all lines are shown. */
static void each_line_of_the_assembler_is_explained(void **unused)
{
    (void)unused;
    static const char says[] =
        "lab.cu(3): warning: no\n"
        "ptxas error   : Entry function '_Z4fillIfEvPT_' uses too much shared data (0x1e000 bytes, "
        "0xc000 max)\n"
        "ptxas error   : Entry function '_ZN34_GLOBAL__N__1e27c690_6_big_cu_main5threeEPf' uses "
        "too much local data (0x100000 bytes, 0x80000 max)\n"
        "ptxas error   : Entry function '";
    char *shown = explain_assembler_lines(says), *again = explain_assembler_lines(shown);
    assert_string_equal(
        shown, "lab.cu(3): warning: no\n"
               "ptxas error   : kernel fill declares 122880 bytes of shared memory; arrays of a "
               "fixed size may have 49152 bytes together. Chapter 12 asks for more: an extern "
               "__shared__ array and cudaFuncSetAttribute()\n"
               "ptxas error   : kernel three uses 1048576 bytes of local memory, and may use "
               "524288\n"
               "ptxas error   : Entry function '");
    assert_string_equal(again, shown);
    free(shown);
    free(again);
}

static void a_host_compiler_that_is_too_new(void **unused)
{
    (void)unused;
    expect_shown_errors(
        "/usr/include/crt/host_config.h:143:2: error: #error -- unsupported GNU version! gcc "
        "versions later than 13 are not supported! The nvcc flag\n",
        lab,
        "this nvcc takes no gcc later than 13 for host code: install g++-13, and set "
        "NVCC_CCBIN=g++-13",
        "All that nvcc says is in build/kept\n");
}

static void headers_of_arm64_that_are_too_new(void **unused)
{
    (void)unused;
    expect_shown_errors(
        "/usr/include/aarch64-linux-gnu/bits/math-vector.h(156): error: identifier "
        "\"__Float32x4_t\" is undefined\n  typedef __Float32x4_t __f32x4_t;\n          ^\n",
        lab,
        "this nvcc does not know the types of vectors in arm64's math.h: install CUDA Toolkit 12.5 "
        "or newer, or set NVCC_APPEND_FLAGS as docs/CI.md says",
        "All that nvcc says is in build/kept\n");
}

static void headers_of_glibc_that_are_too_new(void **unused)
{
    (void)unused;
    expect_shown_errors(
        "/usr/include/bits/mathcalls.h(79): error: exception specification is incompatible with "
        "that of previous function \"cospi\" (declared at line 2595 of "
        "/opt/cuda/bin/../include/crt/math_functions.h)\n   extern double cospi (double __x) "
        "noexcept (true);\n                 ^\n",
        lab,
        "this nvcc does not know cospi and others of this glibc's math.h: install CUDA Toolkit 13, "
        "or set NVCC_APPEND_FLAGS='-isystem /opt/cuda/bin/../include'",
        "All that nvcc says is in build/kept\n");
}

static void the_region_comes_first(void **unused)
{
    (void)unused;
    char *source = strdup(lab);
    /* remove the opening brace, so that the closing one has no match */
    *strchr(strstr(source, "n) {"), '{') = ' ';
    expect_shown_errors("lab.cu(10): warning #9: an error: nothing\n"
                        "lab.cu(10): error #20: identifier \"nothing\" is undefined\n"
                        "  int main(void) { return nothing; }\n"
                        "                          ^\n"
                        "\n"
                        "lab.cu(7): error: identifier \"thread\" is undefined,\n"
                        "            and so is more\n"
                        "          out[i] = '}' + thread; // }\n"
                        "                         ^\n",
                        source, "lab.cu:7: identifier \"thread\" is undefined, and so is more",
                        "    7 | out[i] = '}' + thread; // }\n"
                        "      |                ^\n"
                        "\n"
                        "1 more error; all that nvcc says is in build/kept\n");
    /* gcc's format of source locations. */
    expect_shown_errors("chapters/01/lab.cu: In function 'int main()':\n"
                        "chapters/01/lab.cu:10:25: error: 'nothing' was not declared\n"
                        "   10 | int main(void) { return nothing; }\n"
                        "      |                         ^~~~~~~\n",
                        source, "lab.cu:10: 'nothing' was not declared",
                        "   10 | int main(void) { return nothing; }\n"
                        "      |                         ^\n"
                        "\n"
                        "All that nvcc says is in build/kept\n");
    free(source);
}

/* nvcc names the word after the place, which may stand below the student's region. */
static void a_semicolon_is_missed_where_it_belongs(void **unused)
{
    (void)unused;
    expect_shown_errors("lab.cu(5): error: expected a \";\"\n"
                        "  }\n"
                        "  ^\n",
                        "    // TODO 1 (about 1 line): x\n"
                        "    out[i] = in[i] // no; \n"
                        "\n"
                        "    // END TODO 1\n"
                        "}\n",
                        "lab.cu:2: a ; is missing here",
                        "    2 | out[i] = in[i] // no; \n"
                        "      |               ^\n"
                        "\n"
                        "All that nvcc says is in build/kept\n");
    expect_shown_errors("lab.cu(1): error: expected a \";\"\n"
                        "  int a int b;\n"
                        "        ^\n",
                        "int a int b;\n", "lab.cu:1: expected a \";\"",
                        "    1 | int a int b;\n"
                        "      |       ^\n"
                        "\n"
                        "All that nvcc says is in build/kept\n");
}

static void a_bracket_too_many(void **unused)
{
    (void)unused;
    expect_shown_errors("lab.cu(4): error: expected a declaration\n",
                        "// TODO 1 (about 1 line): x\n"
                        "f(1));\n"
                        "// END TODO 1\n"
                        "}\n",
                        "lab.cu:2: TODO 1 has a ) without its (",
                        "lab.cu:4: expected a declaration\n"
                        "\n"
                        "    4 | }\n"
                        "\n"
                        "All that nvcc says is in build/kept\n");
}

static void test_error_in_other_file(void **unused)
{
    (void)unused;
    static const char *const messages[] = {"",
                                           "nvcc fatal   : Unknown option '-x'\n",
                                           "common/lab.h(7): error: no\n",
                                           "mylab.cu(7): error: no\n",
                                           "lab.cu(0): error: no\n",
                                           "lab.cu(",
                                           "lab.cu:7:",
                                           "lab.cu(7)"};
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        arena a = {0};
        compile_report r;
        assert_false(read_compile_errors(messages[i], lab, "lab.cu", "build/kept", &a, &r));
        arena_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_of_compilers),
        cmocka_unit_test(a_missing_brace_comes_first),
        cmocka_unit_test(too_much_shared_memory_is_counted_in_decimals),
        cmocka_unit_test(each_line_of_the_assembler_is_explained),
        cmocka_unit_test(a_host_compiler_that_is_too_new),
        cmocka_unit_test(headers_of_arm64_that_are_too_new),
        cmocka_unit_test(headers_of_glibc_that_are_too_new),
        cmocka_unit_test(the_region_comes_first),
        cmocka_unit_test(a_semicolon_is_missed_where_it_belongs),
        cmocka_unit_test(a_bracket_too_many),
        cmocka_unit_test(test_error_in_other_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
