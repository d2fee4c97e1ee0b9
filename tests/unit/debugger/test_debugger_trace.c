/* Tests WARPBOOK_TRACE: which launches, blocks and warps its value selects; one line per
 * instruction, in order, with the lane mask and the registers written; a limited file size; and
 * that tracing does not change results and counters. */
#include "sm_kernel.h"

#include "emulator/debugger/trace/trace.h"
#include "scratch.h"

#include <assert.h>
#include <unistd.h>

static char err[512], text[1 << 16]; /* message on a refused value; contents of the trace file */

static const char *path; /* path of the trace file */

static bool parses(const char *value, trace_filter *wish)
{
    return trace_read(value, wish, err, sizeof err);
}

static void test_values_of_the_variable(void **state)
{
    (void)state;
    trace_filter w;
    assert_true(parses("out.tsv", &w));
    assert_string_equal(w.path, "out.tsv");
    assert_string_equal(w.kernel, "*");
    assert_true(w.all_blocks && w.all_warps);
    assert_true(parses("/a/b:ns::sum<int>:7:2", &w));
    assert_string_equal(w.path, "/a/b");
    assert_string_equal(w.kernel, "ns::sum<int>");
    assert_true(!w.all_blocks && w.by_number && w.block[0] == 7 && !w.all_warps && w.warp == 2);
    assert_true(parses("f:k*:1,2,3", &w));
    assert_true(!w.by_number && w.block[0] == 1 && w.block[1] == 2 && w.block[2] == 3);
    assert_true(w.all_warps);
    static const char *const bad[] = {"",        ":k",       "f:",        "f:k:",          "f:k:x",
                                      "f:k:1,2", "f:k:1:-1", "f:k:1:2:3", "f:k:4294967296"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        assert_false(parses(bad[k], &w));
        assert_non_null(strstr(err, "FILE:KERNEL:BLOCK:WARP"));
    }
}

/* Run BODY traced as VALUE says (after the file's name); the file's text is in `text`. */
static void run_traced(kernel_run *run, const char *body, uint32_t threads, uint32_t blocks,
                       const char *value, uint64_t limit)
{
    char wish_text[5000];
    trace_filter wish;
    snprintf(wish_text, sizeof wish_text, "%s%s", path, value);
    assert_true(parses(wish_text, &wish));
    assert_true(trace_open(&wish, limit, err, sizeof err));
    const sm_observer *by[SM_OBSERVERS + 1] = {NULL};
    trace_add_observer(by);
    const sm_launch shape = {
        .grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .workers = 2, .observers = by};
    kernel_keeps_registers = true;
    run_grid(run, body, &shape, NULL, 0);
    kernel_keeps_registers = false;
    trace_close();
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    remove(path);
}

/* The text of line LINE (0: the header) from column FROM to the end of the line. */
static const char *line_text(uint32_t line, uint32_t from)
{
    static char out[2000];
    const char *at = text;
    for (uint32_t k = 0; k < line && at; k++) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    for (uint32_t k = 0; k < from && at; k++) {
        at = strchr(at, '\t');
        at = at ? at + 1 : NULL;
    }
    snprintf(out, sizeof out, "%.*s", at ? (int)strcspn(at, "\n") : 0, at ? at : "");
    return out;
}

#define KERNEL_HEAD                                            \
    ".visible .entry k(.param .u64 k_0, .param .u64 k_1)\n{\n" \
    ".reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .f32 %f<8>;\n.reg .b64 %rd<16>;\n"

/* A trace includes copies that are normally optimised away, guards that are true for some or no
 * lanes, a product that is fused into a sum, and lanes that exit under a guard. */
static void test_every_instruction(void **state)
{
    (void)state;
    kernel_run run;
    run_traced(&run,
               KERNEL_HEAD "mov.u32 %r1, %tid.x;\n"
                           "mov.b32 %r2, 7;\n"
                           "setp.lt.u32 %p1, %r1, 2;\n"
                           "@%p1 add.s32 %r2, %r2, -9;\n"
                           "setp.gt.u32 %p2, %r1, 99;\n"
                           "@%p2 add.s32 %r2, %r2, 1;\n"
                           "cvt.rn.f32.u32 %f1, %r1;\n"
                           "mul.f32 %f2, %f1, 0f40000000;\n"
                           "add.f32 %f3, %f2, 0f3F800000;\n"
                           "@%p2 ret;\n"
                           "@%p1 ret;\n"
                           "xor.b32 %r3, %r2, 1;\nret;\n}\n",
               4, 1, "", UINT64_MAX);
    expect_ok(&run);
    assert_string_equal(line_text(0, 0),
                        "launch\tkernel\tblock\twarp\tcount\tpc\tsource\tmask\tptx\twritten");
    assert_string_equal(line_text(1, 0),
                        "0\tk\t0,0,0\t0\t0\t0\tPTX line 10\t0000000f\tmov.u32 %r1, %tid.x;\t"
                        "%r1=0,1,2,3");
    static const char *const rest[] = {
        "0000000f\tmov.b32 %r2, 7;\t%r2=7",
        "0000000f\tsetp.lt.u32 %p1, %r1, 2;\t%p1=1,1,0,0",
        "00000003\t@%p1 add.s32 %r2, %r2, -9;\t%r2=-2",
        "0000000f\tsetp.gt.u32 %p2, %r1, 99;\t%p2=0",
        "00000000\t@%p2 add.s32 %r2, %r2, 1;\t-",
        "0000000f\tcvt.rn.f32.u32 %f1, %r1;\t%f1=0,1,2,3",
        "0000000f\tmul.f32 %f2, %f1, 0f40000000;\t%f2=0,2,4,6",
        "0000000f\tadd.f32 %f3, %f2, 0f3F800000;\t%f3=1,3,5,7",
        "00000000\t@%p2 ret;\t-",
        "00000003\t@%p1 ret;\t-",
        "0000000c\txor.b32 %r3, %r2, 1;\t%r3=0x6",
        "0000000c\tret;\t-",
    };
    for (uint32_t k = 0; k < sizeof rest / sizeof *rest; k++)
        assert_string_equal(line_text(k + 2, 7), rest[k]);
    assert_string_equal(line_text(14, 0), "");
    free_kernel_run(&run);
}

/* Lanes that reach a shuffle first wait there for the other lanes of their member mask. */
static void test_waiting_lanes(void **state)
{
    (void)state;
    kernel_run run;
    run_traced(&run,
               KERNEL_HEAD
               "mov.u32 %r1, %tid.x;\n"
               "setp.lt.u32 %p1, %r1, 1;\n"
               "@%p1 bra FIRST;\n"
               "shfl.sync.idx.b32 %r7, %r1, 3, 31, 15;\nret;\n"
               "FIRST:\nshfl.sync.idx.b32 %r8, %r1, 2, 31, 15;\nadd.u32 %r9, %r8, 0;\nret;\n}\n",
               4, 1, "", UINT64_MAX);
    expect_ok(&run);
    assert_string_equal(line_text(4, 7), "00000001\tshfl.sync.idx.b32 %r8, %r1, 2, 31, 15;\twaits");
    assert_string_equal(line_text(5, 7),
                        "0000000e\tshfl.sync.idx.b32 %r7, %r1, 3, 31, 15;\t%r7=0x3");
    assert_string_equal(line_text(6, 7), "00000001\tadd.u32 %r9, %r8, 0;\t%r9=2");
    free_kernel_run(&run);
}

static void test_selected_launches_and_warps(void **state)
{
    (void)state;
    static const char body[] = KERNEL_HEAD "mov.u32 %r1, %tid.x;\nret;\n}\n";
    kernel_run run;
    run_traced(&run, body, 64, 3, ":k:2:1", UINT64_MAX);
    assert_string_equal(line_text(1, 0),
                        "0\tk\t2,0,0\t1\t10\t0\tPTX line 10\tffffffff\tmov.u32 %r1, "
                        "%tid.x;\t%r1=32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,"
                        "47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63");
    assert_string_equal(line_text(2, 3), "1\t11\t1\tPTX line 11\tffffffff\tret;\t-");
    assert_string_equal(line_text(3, 0), "");
    free_kernel_run(&run);
    run_traced(&run, body, 64, 3, ":other", UINT64_MAX);
    assert_string_equal(line_text(1, 0), "");
    free_kernel_run(&run);
}

static void test_limited_file_size(void **state)
{
    (void)state;
    kernel_run run;
    run_traced(&run, KERNEL_HEAD "mov.u32 %r1, %tid.x;\nret;\n}\n", 32, 100, "", 600);
    expect_ok(&run);
    const char *end = strstr(text, "# The trace ends here");
    assert_non_null(end);
    assert_true(end - text <= 600);
    assert_int_equal(end[-1], '\n');
    assert_string_equal(end + strlen(end) - 1, "\n");
    free_kernel_run(&run);
}

/* A traced launch has the same results and counters as an untraced launch. */
static void test_same_results(void **state)
{
    (void)state;
    static const char body[] =
        KERNEL_HEAD "ld.param.u64 %rd1, [k_0];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\n"
                    "LOOP:\nadd.u32 %r2, %r2, %r1;\nadd.u32 %r1, %r1, 3;\n"
                    "setp.lt.u32 %p1, %r1, 200;\n@%p1 bra LOOP;\nbar.sync 0;\n"
                    "mov.u32 %r3, %tid.x;\nmul.wide.u32 %rd2, %r3, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
                    "st.global.u32 [%rd3], %r2;\nret;\n}\n";
    kernel_run run, plain;
    run_traced(&run, body, 96, 2, "", UINT64_MAX);
    const sm_launch shape = {.grid = {2, 1, 1}, .block = {96, 1, 1}, .workers = 2};
    assert_true(run_grid(&plain, body, &shape, NULL, 0));
    assert_memory_equal(run.bytes, plain.bytes, 96 * 4);
    assert_memory_equal(&run.result.total, &plain.result.total, sizeof run.result.total);
    free_kernel_run(&run);
    free_kernel_run(&plain);
}

int main(void)
{
    char made[5000];
    snprintf(made, sizeof made, "%s", scratch_template("trace-XXXXXX"));
    const int fd = mkstemp(made);
    assert(fd >= 0);
    close(fd);
    path = made;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_of_the_variable),
        cmocka_unit_test(test_every_instruction),
        cmocka_unit_test(test_waiting_lanes),
        cmocka_unit_test(test_selected_launches_and_warps),
        cmocka_unit_test(test_limited_file_size),
        cmocka_unit_test(test_same_results),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
