/* Tests the table of PTX instructions (the sheet), and the checks of instructions against it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "emulator/ptx/names.h"
#include "emulator/ptx/sheet.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

/* Every row of the sheet is found by its full spelling, but not by a shorter one. */
static void rows_are_found_by_their_full_spelling(void **state)
{
    (void)state;
    for (unsigned op = 1; op < PTX_OP_COUNT; op++) {
        const char *name = ptx_op_name((ptx_op)op);
        size_t used;
        assert_int_equal(ptx_op_find(name, strlen(name), &used), op);
        assert_int_equal(used, strlen(name));
    }
    size_t used;
    assert_int_equal(ptx_op_find("cp.async.ca.shared", 18, &used), PTX_OP_cp_async);
    assert_int_equal(used, 8);
    assert_int_equal(ptx_op_find("mbarrier.test_wait.parity", 25, &used),
                     PTX_OP_mbarrier_test__wait);
    assert_int_equal(ptx_op_find("mbarrier", 8, &used), PTX_OP_NONE);
    assert_int_equal(ptx_op_find("", 0, &used), PTX_OP_NONE);
}

/* Check BODY in a kernel with some registers; WHY is part of the error message, or NULL if it is
 * legal. */
static void expect_check_result(bool (*check)(const ptx_module *, const ptx_func *, ptx_error *),
                                const char *body, const char *why)
{
    char text[1024];
    snprintf(text, sizeof text,
             ".version 9.0\n.target sm_90\n.entry k() {\n.reg .pred %%p<4>; .reg .b16 %%h<4>;"
             " .reg .b32 %%r<9>; .reg .f32 %%f<4>; .reg .b64 %%rd<4>;\n%s\n}\n",
             body);
    ptx_error err;
    ptx_module *m = ptx_parse(text, strlen(text), &err);
    if (!m)
        print_error("%s\n", err.text);
    assert_non_null(m);
    bool ok = check(m, m->funcs[0], &err);
    if (ok != !why || (why && !strstr(err.text, why)))
        print_error("%s: %s\n", body, ok ? "legal" : err.text);
    assert_int_equal(ok, !why);
    if (why) {
        assert_non_null(strstr(err.text, why));
        assert_int_equal(err.kind, PTX_ERR_UNSUPPORTED);
        assert_int_equal(err.line, 5);
    }
    ptx_free(m);
}

static void test_legal_instructions(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "add.s32 %r1, %r2, 3;",
        "mul.wide.s32 %rd1, %r1, -4;",
        "mad.wide.u16 %r1, %h1, %h2, %r3;",
        "ld.global.nc.L1::no_allocate.v4.f32 {%f0, %f1, %f2, %f3}, [%rd1];",
        "ld.shared::cta.u8 %r1, [%r2];",
        "ld.u8 %h1, [%rd1];",
        "cvt.u8.u32 %r1, %r2;",
        "cvt.rn.bf16x2.f32 %r1, %f1, %f2;",
        "set.lt.f32.s32 %f1, %r1, %r2;",
        "selp.b64 %rd1, %rd2, %rd3, %p1;",
        "mov.b64 %rd1, {%r1, %r2};",
        "mov.b32 {%h1, %h2}, %r1;",
        "shl.b64 %rd1, %rd2, %r1;",
        "bar.red.popc.u32 %r1, 0, %p1;",
        "barrier.sync.aligned 1, 64;",
        "vote.sync.ballot.b32 %r1, !%p1, -1;",
        "shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1;",
        "atom.acq_rel.gpu.global.cas.b32 %r1, [%rd1], %r2, %r3;",
        "red.global.add.f32 [%rd1], %f1;",
        ("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f0,%f1,%f2,%f3},"
         " {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%f0,%f1,%f2,%f3};"),
        "lop3.b32 %r1, %r2, %r3, %r4, 0x96;",
        "dp4a.u32.s32 %r1, %r2, %r3, %r4;",
        "fence.proxy.async.shared::cta;",
        "membar.gl;",
        "prefetch.global.L2 [%rd1];",
        "vmad.s32.s32.s32 %r1, -%r2, %r3, %r4;",
        "vadd.u32.u32.s32.sat %r1.h1, %r2.b3, %r3, %r4;",
        ".shared .u32 s; ld.u32 %r1, [s]; st.u32 [s], %r1; atom.add.u32 %r1, [s], 1;",
        ".const .u32 c; ld.const.u32 %r1, [c]; mov.u64 %rd1, c; st.u64 [%rd1], c+4;",
        ".shared .u32 s; st.shared.u64 [s], s+0; cvta.shared.u64 %rd1, s;",
        "mov.v2.f32 {%f1, %f2}, {%f2, 1.0}; mov.v4.b32 {_, %r1, _, %r2}, {%r1, %f1, 0, 1};",
        "mov.v2.b64 {%rd1, %rd2}, {%rd2, %rd1};",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        expect_check_result(ptx_is_legal, bodies[i], NULL);
}

static void test_illegal_instructions(void **state)
{
    (void)state;
    static const struct {
        const char *body, *why;
    } cases[] = {
        {"frobnicate.u32 %r1;", "instruction \"frobnicate.u32\""},
        {"add.b32 %r1, %r2, %r3;", "types of \"add.b32\""},
        {"add %r1, %r2, %r3;", "types of \"add\""},
        {"add.s32.s32 %r1, %r2, %r3;", "types"},
        {"dp4a.u32 %r1, %r2, %r3, %r4;", "types"},
        {"add.approx.f32 %f1, %f2, %f3;", "modifier .approx"},
        {"add.ftz.s32 %r1, %r2, %r3;", "modifier .ftz"},
        {"add.sat.u32 %r1, %r2, %r3;", "modifier .sat"},
        {"add.global.s32 %r1, %r2, %r3;", "state space"},
        {"add.v2.s32 %r1, %r2, %r3;", "vector width"},
        {"add.s32 %r1, %r2;", "2 operands"},
        {"add.s32 %r1, %r2, %r3, %r4;", "4 operands"},
        {"add.s64 %rd1, %rd2, %r1;", "register %r1 is .b32, but .s64"},
        {"add.s32 %p1, %r2, %r1;", "register %p1 is .pred"},
        {"selp.b32 %r1, %r2, %r3, %r4;", "but .pred"},
        {"mul.wide.s32 %r1, %r2, %r3;", "but .s64"},
        {"ld.global.u64 %r1, [%rd1];", "but .u64"},
        {"ld.global.v2.u32 %r1, [%rd1];", "vector of 1"},
        {"ld.global.u32 %r1, %rd1;", "brackets"},
        {"add.s32 %r1, [%r2], %r3;", "brackets"},
        {"ld.global.u32 %r1, [%h1];", "no address"},
        {"ld.global.u32 %r1, [%p1];", "no address"},
        {"add.s32 %r1|%p1, %r2, %r3;", "a pair"},
        {"add.s32 %r1, -%r2, %r3;", "negation"},
        {"add.s32 %r1, !%r2, %r3;", "negation"},
        {"add.s32 %r1, %r2.b0, %r3;", "part of a register"},
        {"ld.global.u32 %r1, [%r2.h0];", "part of a register"},
        {"call (%r1), k;", "with 1 results"},
        {"call k, (%r1);", "1 arguments: the function has 0 results and 0 parameters"},
        {"vadd4.u32.u32.u32 %r1, %r2.b3210, %r3, %r4;", "part of a register"},
        {"setp.eq.s32 %p1|%r1, %r2, %r3;", "but .pred"},
        {"mov.b64 %rd1, {%r1, %h1};", "6 bytes"},
        {"mov.b64 {%r1, %r2}, {%r3, %r4};", "two vectors"},
        {"mov.v2.b32 %r1, {%r3, %r4};", "operand 1 of \"mov.v2.b32\": a vector of 2"},
        {"mov.v4.b32 {%r1, %r2, %r3, %r4}, {%r3, %r4};", "operand 2 of \"mov.v4.b32\": a vector"},
        {"mov.v2.b32 {%r1, %r2}, {%r1, _};", "_ has no value"},
        {"mov.v2.b64 {%r1, %r2}, {%rd1, %rd2};", "register %r1 is .b32"},
        {"mov.v2.pred {%p1, %p2}, {%p2, %p1};", "vector width"},
        {".const .u32 c; ld.u32 %r1, [c];", "\"ld.u32\" of c: .const"},
        {".param .u32 q; ld.u32 %r1, [q];", "\"ld.u32\" of q: .param"},
        {".shared .u32 s; ld.global.u32 %r1, [s];", "of s, which lies in .shared"},
        {".global .u32 g; st.shared.u32 [g], %r1;", "of g, which lies in .global"},
        {".global .u32 g; atom.shared.add.u32 %r1, [g], 1;", "of g, which lies in .global"},
        {".local .u32 l; ld.param.u32 %r1, [l];", "of l, which lies in .local"},
        {".global .u32 g; st.u64 [%rd1], g;", "operand 2 of \"st.u64\": the name g"},
        {".global .u32 g; atom.add.u64 %rd1, [%rd1], g;",
         "operand 3 of \"atom.add.u64\": the name g"},
        {".global .u32 g; add.u64 %rd1, g, %rd2;", "operand 2 of \"add.u64\": the name g"},
        {"mma.sync.aligned.m16n8k8.row.col.f32.f16.tf32.f32 {%f0,%f1,%f2,%f3},"
         " {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%f0,%f1,%f2,%f3};",
         "types"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_check_result(ptx_is_legal, cases[i].body, cases[i].why);
    expect_check_result(ptx_check, "add.b32 %r1, %r2, %r3;", "types of");
    expect_check_result(ptx_check, "foo %r1;", "instruction \"foo\"");
}

/* A row without a handler is refused by name even if its form is correct. */
static void rows_without_a_handler_are_refused(void **state)
{
    (void)state;
    unsigned op = 1;
    while (op < PTX_OP_COUNT && ptx_row_of_op((ptx_op)op)->implemented)
        op++;
    if (op == PTX_OP_COUNT)
        return;
    ptx_insn in = {.op = (ptx_op)op, .text = ptx_op_name((ptx_op)op), .line = 7};
    ptx_loc none = {0};
    ptx_func f = {.insns = &in, .insn_count = 1};
    ptx_module m = {.locs = &none, .loc_count = 1};
    ptx_error err;
    assert_false(ptx_check(&m, &f, &err));
    assert_non_null(strstr(err.text, "PTX line 7: unsupported instruction"));
    assert_non_null(strstr(err.text, in.text));
}

static void names_the_source_line(void **state)
{
    (void)state;
    static const char text[] = ".version 9.0 .target sm_90 .file 1 \"x/lab.cu\"\n"
                               ".entry k() {\n.loc 1 31 5\nfoo.bar;\n}\n";
    ptx_error err;
    ptx_module *m = ptx_parse(text, sizeof text - 1, &err);
    assert_non_null(m);
    assert_false(ptx_check(m, m->funcs[0], &err));
    assert_string_equal(err.text, "PTX line 4 (lab.cu:31): unsupported instruction \"foo.bar\"");
    ptx_free(m);
}

/* Everything in the toolkit's headers is legal, except what the README lists as missing. */
static void corpus_is_legal(void **state)
{
    (void)state;
    glob_t files;
    assert_int_equal(glob("tests/ptx/corpus/*.ptx", 0, NULL, &files), 0);
    assert_true(files.gl_pathc >= 20);
    char *text = malloc(1 << 20);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        FILE *f = fopen(files.gl_pathv[i], "rb");
        assert_non_null(f);
        size_t len = fread(text, 1, 1 << 20, f);
        fclose(f);
        ptx_error err;
        ptx_module *m = ptx_parse(text, len, &err);
        assert_non_null(m);
        for (uint32_t k = 0; k < m->func_count; k++) {
            if (!ptx_is_legal(m, m->funcs[k], &err) && !strstr(err.text, "cp.async.bulk")) {
                print_error("%s: %s\n", files.gl_pathv[i], err.text);
                fail();
            }
        }
        ptx_free(m);
    }
    free(text);
    globfree(&files);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_found_by_their_full_spelling),
        cmocka_unit_test(test_legal_instructions),
        cmocka_unit_test(test_illegal_instructions),
        cmocka_unit_test(rows_without_a_handler_are_refused),
        cmocka_unit_test(names_the_source_line),
        cmocka_unit_test(corpus_is_legal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
