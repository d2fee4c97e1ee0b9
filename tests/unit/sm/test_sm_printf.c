/* Tests printf and assert in device code: every conversion gives the same text as the host's
 * printf, and blocks print in order. */
#include "sm_kernel.h"

#include <unistd.h>

/* Run TEXT and return what the launch wrote to FD (1 or 2). */
static char *captured_output(kernel_run *run, const char *text, const sm_launch *shape, int fd)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stdout);
    fflush(stderr);
    const int keep = dup(fd);
    dup2(fileno(file), fd);
    run_grid(run, text, shape, NULL, 0);
    fflush(stdout);
    fflush(stderr);
    dup2(keep, fd);
    close(keep);
    const long size = ftell(file) < 0 ? 0 : (fseek(file, 0, SEEK_END), ftell(file));
    rewind(file);
    char *out = calloc(1, (size_t)size + 1);
    assert_int_equal(fread(out, 1, (size_t)size, file), size);
    fclose(file);
    return out;
}

typedef struct argument {
    uint32_t bytes; /* 4 or 8; 1: the string "abc"; 0: end of the list */
    uint64_t bits;  /* bits of the value */
} argument;

static void put_bytes(FILE *f, const char *name, const char *s)
{
    fprintf(f, ".global .align 1 .b8 %s[%zu] = {", name, strlen(s) + 1);
    for (; *s; s++)
        fprintf(f, "%u, ", (unsigned char)*s);
    fputs("0};\n", f);
}

/* A kernel whose thread 0 prints FORMAT with ARGS. */
static char *kernel_that_prints(const char *format, const argument *args)
{
    char *text = NULL;
    size_t size, at = 0;
    FILE *f = open_memstream(&text, &size);
    fputs(".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n", f);
    put_bytes(f, "format", format);
    put_bytes(f, "string", "abc");
    fputs(".visible .entry k(.param .u64 k_0, .param .u64 k_1)\n{\n.local .align 8 .b8 d[128];\n"
          ".reg .b32 %r<4>;\n.reg .b64 %rd<8>;\nld.param.u64 %rd1, [k_0];\nmov.u64 %rd2, d;\n",
          f);
    for (; args->bytes; args++) {
        const uint32_t bytes = args->bytes == 1 ? 8 : args->bytes;
        at = (at + bytes - 1) / bytes * bytes;
        if (args->bytes == 1)
            fputs("mov.u64 %rd3, string;\n", f);
        else
            fprintf(f, "mov.u64 %%rd3, 0x%llx;\n", (unsigned long long)args->bits);
        if (bytes == 4)
            fputs("cvt.u32.u64 %r1, %rd3;\n", f);
        fprintf(f, "st.local.u%u [%%rd2+%zu], %s;\n", 8 * bytes, at, bytes == 4 ? "%r1" : "%rd3");
        at += bytes;
    }
    fputs("cvta.local.u64 %rd4, %rd2;\nmov.u64 %rd5, format;\n{\n.param .b64 a;\n"
          "st.param.b64 [a], %rd5;\n.param .b64 b;\nst.param.b64 [b], %rd4;\n.param .b32 c;\n"
          "call.uni (c), vprintf, (a, b);\nld.param.b32 %r2, [c];\n}\n"
          "st.global.u32 [%rd1], %r2;\nret;\n}\n",
          f);
    fclose(f);
    return text;
}

static void expect_print(const char *format, const argument *args, const char *wanted, int count)
{
    kernel_run run;
    char *text = kernel_that_prints(format, args);
    const sm_launch shape = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .workers = 1};
    char *out = captured_output(&run, text, &shape, 1);
    if (run.result.fault.kind != SM_OK)
        fail_msg("%s", run.result.fault.text);
    assert_string_equal(out, wanted);
    assert_int_equal(*(const int32_t *)run.bytes, count);
    free_kernel_run(&run);
    free(out);
    free(text);
}

static uint64_t bits(double v)
{
    uint64_t b;
    memcpy(&b, &v, sizeof b);
    return b;
}

static void test_every_conversion(void **state)
{
    (void)state;
    char wanted[400];
    expect_print("plain, %% and a tab\t\n", (const argument[]){{0, 0}}, "plain, % and a tab\t\n",
                 0);
    snprintf(wanted, sizeof wanted, "%d|%5d|%-5d|%05d|%+d|% d|%i|%u", -7, 42, 42, 42, 42, 42, -1,
             4000000000u);
    expect_print("%d|%5d|%-5d|%05d|%+d|% d|%i|%u",
                 (const argument[]){{4, (uint32_t)-7},
                                    {4, 42},
                                    {4, 42},
                                    {4, 42},
                                    {4, 42},
                                    {4, 42},
                                    {4, UINT32_MAX},
                                    {4, 4000000000u},
                                    {0, 0}},
                 wanted, 8);
    snprintf(wanted, sizeof wanted, "%x|%#X|%o|%c|%.3d", 255, 255, 8, 'z', 5);
    expect_print("%x|%#X|%o|%c|%.3d",
                 (const argument[]){{4, 255}, {4, 255}, {4, 8}, {4, 'z'}, {4, 5}, {0, 0}}, wanted,
                 5);
    snprintf(wanted, sizeof wanted, "%d|%lld|%d|%lu|%llx", 1, -5000000000ll, 2, 1ul << 40,
             0x123456789abcull);
    expect_print("%d|%lld|%d|%lu|%llx",
                 (const argument[]){{4, 1},
                                    {8, (uint64_t)-5000000000ll},
                                    {4, 2},
                                    {8, 1ull << 40},
                                    {8, 0x123456789abcull},
                                    {0, 0}},
                 wanted, 5);
    /* Sizes other than h, l and ll are not recognised: an H200 prints the text and consumes no
     * argument. */
    expect_print("%zu %zd|%Lf|%d", (const argument[]){{4, 5}, {0, 0}}, "%zu %zd|%Lf|5", 1);
    snprintf(wanted, sizeof wanted, "%f|%.2f|%10.3e|%g|%G|%a|%F", 3.25, -1.005, 12345.678, 1e-10,
             1e20, 0.5, 1.0);
    expect_print("%f|%.2f|%10.3e|%g|%G|%a|%F",
                 (const argument[]){{8, bits(3.25)},
                                    {8, bits(-1.005)},
                                    {8, bits(12345.678)},
                                    {8, bits(1e-10)},
                                    {8, bits(1e20)},
                                    {8, bits(0.5)},
                                    {8, bits(1.0)},
                                    {0, 0}},
                 wanted, 7);
    expect_print("%s|%6s|%-6s|%.2s|%p",
                 (const argument[]){{1, 0}, {1, 0}, {1, 0}, {1, 0}, {8, 0x1234}, {0, 0}},
                 "abc|   abc|abc   |ab|0x1234", 5);
    /* A width may be an argument; a precision may not: an H200 prints the text. */
    expect_print("%*d|%-*d|%.*f", (const argument[]){{4, 6}, {4, 42}, {4, 6}, {4, 42}, {0, 0}},
                 "    42|42    |%.*f", 4);
}

/* The output of blocks is in the order of the blocks, for any assignment to host threads. */
static void blocks_print_in_order(void **state)
{
    (void)state;
    kernel_run run;
    char format[32] = "%u.%u ";
    char *text = NULL, *wanted = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fputs(".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n", f);
    put_bytes(f, "format", format);
    fputs(".visible .entry k(.param .u64 k_0, .param .u64 k_1)\n{\n.local .align 8 .b8 d[8];\n"
          ".reg .b32 %r<4>;\n.reg .b64 %rd<8>;\nmov.u64 %rd2, d;\nmov.u32 %r1, %ctaid.x;\n"
          "mov.u32 %r2, %tid.x;\nst.local.u32 [%rd2], %r1;\nst.local.u32 [%rd2+4], %r2;\n"
          "cvta.local.u64 %rd4, %rd2;\nmov.u64 %rd5, format;\n{\n.param .b64 a;\n"
          "st.param.b64 [a], %rd5;\n.param .b64 b;\nst.param.b64 [b], %rd4;\n.param .b32 c;\n"
          "call.uni (c), vprintf, (a, b);\n}\nret;\n}\n",
          f);
    fclose(f);
    f = open_memstream(&wanted, &size);
    for (int b = 0; b < 40; b++)
        for (int t = 0; t < 3; t++)
            fprintf(f, "%d.%d ", b, t);
    fclose(f);
    const sm_launch shape = {.grid = {40, 1, 1}, .block = {3, 1, 1}, .workers = 3};
    char *out = captured_output(&run, text, &shape, 1);
    assert_string_equal(out, wanted);
    free_kernel_run(&run);
    free(out);
    free(wanted);
    free(text);
}

static void a_failed_assertion_names_its_threads(void **state)
{
    (void)state;
    kernel_run run;
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fputs(".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, "
          ".param .b64 e);\n",
          f);
    put_bytes(f, "message", "i < n");
    put_bytes(f, "file", "lab.cu");
    put_bytes(f, "function", "void k(int)");
    fputs(".visible .entry k(.param .u64 k_0, .param .u64 k_1)\n{\n.reg .pred %p<2>;\n"
          ".reg .b32 %r<4>;\n.reg .b64 %rd<8>;\nmov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 30;\n"
          "@%p1 bra E;\nmov.u64 %rd1, message;\nmov.u64 %rd2, file;\nmov.u64 %rd3, function;\n"
          "{\n.param .b64 a;\nst.param.b64 [a], %rd1;\n.param .b64 b;\nst.param.b64 [b], %rd2;\n"
          ".param .b32 c;\nst.param.b32 [c], 12;\n.param .b64 d;\nst.param.b64 [d], %rd3;\n"
          ".param .b64 e;\nst.param.b64 [e], 1;\ncall.uni __assertfail, (a, b, c, d, e);\n}\n"
          "E:\nret;\n}\n",
          f);
    fclose(f);
    const sm_launch shape = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .workers = 1};
    char *out = captured_output(&run, text, &shape, 2);
    assert_string_equal(out, "lab.cu:12: void k(int): block: [0,0,0], thread: [30,0,0] Assertion "
                             "`i < n` failed.\n"
                             "lab.cu:12: void k(int): block: [0,0,0], thread: [31,0,0] Assertion "
                             "`i < n` failed.\n");
    assert_int_equal(run.result.fault.kind, SM_FAULT_ASSERT);
    free_kernel_run(&run);
    free(out);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_conversion),
        cmocka_unit_test(blocks_print_in_order),
        cmocka_unit_test(a_failed_assertion_names_its_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
