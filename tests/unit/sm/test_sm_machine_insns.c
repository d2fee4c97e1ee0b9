/* Tests how many turns of a scheduler the clock counts for PTX instructions: one for each machine
 * instruction that nvcc 13.0 generates for sm_90. */
#include "sm_kernel.h"

typedef struct machine_counts {
    uint64_t all, alu, doubles, floats, chain; /* machine instructions; those of a unit; cycles */
    uint64_t idle_shared;       /* requests of shared memory whose predicate no lane has */
    uint64_t branches, fetches; /* branches over long code; other code that warps fetch there */
} machine_counts;

/* The counts of a warp that executes BODY. */
static machine_counts counts_of(const char *body)
{
    char text[2048];
    snprintf(text, sizeof text,
             ".visible .entry k(.param .u64 k_0, .param .u64 k_1)\n{\n.reg .b32 %%r<9>;\n"
             ".reg .b64 %%rd<9>;\n.reg .f32 %%f<9>;\n.reg .f64 %%fd<9>;\n.reg .pred %%p<3>;\n"
             ".shared .b32 s[64];\nld.param.u64 %%rd1, [k_0];\nmov.u32 %%r1, %%tid.x;\n%sret;\n}\n",
             body);
    kernel_run run = {0};
    run_kernel(&run, text, 32, 0, NULL, 0, false);
    expect_ok(&run);
    const machine_counts counts = {C(run, inst) + C(run, inst_more) - C(run, inst_folded),
                                   C(run, inst_alu),
                                   C(run, inst_f64),
                                   C(run, inst_fma),
                                   C(run, chain_cycles),
                                   C(run, shared_predicated) - C(run, shared_taken),
                                   C(run, branch_parts),
                                   C(run, branch_fetches)};
    free_kernel_run(&run);
    return counts;
}

static void instructions_take_as_many_as_in_machine_code(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        uint32_t all, alu, doubles, floats;
    } cases[] = {
        {"and.b32 %r2, %r1, %r3;\n", 1, 1, 0, 0},
        {"and.b64 %rd2, %rd1, %rd3;\n", 2, 2, 0, 0},
        {"add.s64 %rd2, %rd1, %rd3;\n", 2, 0, 0, 0},
        {"shl.b64 %rd2, %rd1, 5;\n", 2, 0, 0, 0},
        {"shr.u64 %rd2, %rd1, 5;\n", 2, 2, 0, 0},
        {"shr.u64 %rd2, %rd1, 32;\n", 0, 0, 0, 0},
        {"shr.u64 %rd2, %rd1, 40;\n", 1, 1, 0, 0},
        {"min.s64 %rd2, %rd1, %rd3;\n", 4, 4, 0, 0},
        {"mul.hi.u64 %rd2, %rd1, %rd3;\n", 7, 0, 0, 0},
        {"popc.b64 %r2, %rd1;\n", 3, 0, 0, 0},
        /* lower words only: SHF, IMAD, IADD3; LOP3 and, for the order of two numbers, two ISETP */
        {"shr.u64 %rd2, %rd1, 5;\ncvt.u32.u64 %r2, %rd2;\n", 1, 1, 0, 0},
        {"mul.lo.s64 %rd2, %rd1, %rd3;\ncvt.u32.u64 %r2, %rd2;\n", 1, 0, 0, 0},
        {"sub.s64 %rd2, %rd1, %rd3;\nst.shared.u32 [s], %rd2;\n", 2, 0, 0, 0},
        {"add.s64 %rd2, %rd1, %rd3;\nst.shared.u64 [s], %rd2;\n", 3, 0, 0, 0},
        {"and.b64 %rd2, %rd1, 15;\nst.shared.u64 [s], %rd2;\n", 2, 1, 0, 0},
        {"and.b64 %rd2, %rd1, 15;\nsetp.ne.s64 %p1, %rd2, 7;\n", 2, 2, 0, 0},
        {"and.b64 %rd2, %rd1, 15;\nsetp.lt.s64 %p1, %rd2, 7;\n", 3, 3, 0, 0},
        /* LOP3 has a predicate besides: whether its result is zero */
        {"and.b32 %r2, %r1, %r3;\nsetp.ne.s32 %p1, %r2, 0;\n", 1, 1, 0, 0},
        {"xor.b32 %r2, %r1, %r3;\nand.b32 %r4, %r2, %r5;\nsetp.eq.s32 %p1, %r4, 0;\n", 1, 1, 0, 0},
        {"and.b64 %rd2, %rd1, 15;\nsetp.ne.s64 %p1, %rd2, 0;\n", 1, 1, 0, 0},
        {"and.b32 %r2, %r1, %r3;\nsetp.ne.s32 %p1, %r2, 1;\n", 2, 2, 0, 0},
        {"and.b32 %r2, %r1, %r3;\nsetp.ne.s32 %p1, %r2, 0;\nadd.u32 %r4, %r2, %r3;\n", 3, 2, 0, 0},
        /* IMAD.WIDE, which takes two turns, LOP3, IADD3, LEA */
        {"mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n", 2, 0, 0, 0},
        {"and.b32 %r2, %r1, %r3;\nxor.b32 %r4, %r2, %r5;\n", 1, 1, 0, 0},
        {"add.u32 %r2, %r1, %r3;\nadd.u32 %r4, %r2, %r5;\n", 1, 1, 0, 0},
        {"shl.b32 %r2, %r1, 3;\nadd.u32 %r4, %r2, %r5;\n", 1, 1, 0, 0},
        /* 0.5 has a low word of 0 and stands in the instruction, 0.1 is moved to registers */
        {"mul.f64 %fd2, %fd1, 0d3FE0000000000000;\n", 1, 0, 1, 0},
        {"mul.f64 %fd2, %fd1, 0d3FB999999999999A;\n", 3, 0, 1, 0},
        {"rsqrt.approx.f64 %fd2, %fd1;\n", 14, 0, 5, 0},
        {"add.f32 %f2, %f1, %f3;\n", 1, 0, 0, 1},
        {"fma.rn.f32 %f2, %f1, %f3, %f4;\n", 1, 0, 0, 1},
        {"add.u32 %r2, %r1, %r3;\n", 1, 0, 0, 0},
        {"div.full.f32 %f2, %f1, %f3;\n", 3, 0, 0, 2},
        {"rcp.rn.f32 %f2, %f1;\n", 10, 3, 0, 6},
    };
    const machine_counts empty = counts_of("");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const machine_counts c = counts_of(cases[k].body);
        if (c.all - empty.all != cases[k].all || c.alu - empty.alu != cases[k].alu ||
            c.doubles - empty.doubles != cases[k].doubles || c.floats != cases[k].floats)
            fail_msg(
                "%s: %d machine instructions, %d of the integer unit, %d of doubles, %d of f32",
                cases[k].body, (int)(c.all - empty.all), (int)(c.alu - empty.alu),
                (int)(c.doubles - empty.doubles), (int)c.floats);
    }
}

static void nothing_overlaps_with_an_exact_root(void **state)
{
    (void)state;
    const uint64_t one = counts_of("rsqrt.approx.f64 %fd2, %fd1;\n").chain;
    const uint64_t two =
        counts_of("rsqrt.approx.f64 %fd2, %fd1;\nrsqrt.approx.f64 %fd3, %fd4;\n").chain;
    const uint64_t products =
                       counts_of("mul.f64 %fd2, %fd1, %fd1;\nmul.f64 %fd3, %fd4, %fd4;\n").chain,
                   product = counts_of("mul.f64 %fd2, %fd1, %fd1;\n").chain;
    assert_true(two >= 2 * one - one / 8);
    assert_true(products < 2 * product);
}

/* COUNT products and REST below a branch that lanes from number LEAST on take. */
static machine_counts counts_of_body(int least, int count, const char *rest)
{
    char body[1024];
    int n = snprintf(body, sizeof body, "setp.ge.u32 %%p1, %%r1, %d;\n@%%p1 bra END;\n", least);
    for (int k = 0; k < count; k++)
        n += snprintf(body + n, sizeof body - (size_t)n, "mul.lo.u32 %%r3, %%r3, %%r4;\n");
    snprintf(body + n, sizeof body - (size_t)n, "%sEND:\nbar.sync 0;\n", rest);
    return counts_of(body);
}

/* Up to eight instructions stand under a predicate, so a warp issues them though no lane executes
 * them, and there is no branch; a longer body, or one with an atomic, is jumped over. */
static void short_code_is_issued_without_lanes(void **state)
{
    (void)state;
    const uint64_t none = counts_of("setp.ge.u32 %p1, %r1, 9;\nbar.sync 0;\n").all;
    static const char store[] = "st.shared.u32 [s], %r3;\n";
    static const char add[] = "atom.shared.add.u32 %r5, [s], 1;\n";
    for (int count = 1; count <= 8; count++) {
        assert_int_equal(counts_of_body(9, count, "").all - none, count);
        assert_int_equal(counts_of_body(0, count, "").all - none, count);
    }
    assert_int_equal(counts_of_body(9, 9, "").all - none, 1 + 9);
    assert_int_equal(counts_of_body(0, 9, "").all - none, 1);
    assert_int_equal(counts_of_body(0, 7, store).all - none, 8);
    assert_int_equal(counts_of_body(0, 7, store).idle_shared, 1);
    assert_int_equal(counts_of_body(9, 7, store).idle_shared, 0);
    assert_int_equal(counts_of_body(0, 8, store).all - none, 1);
    assert_int_equal(counts_of_body(0, 8, store).idle_shared, 0);
    assert_int_equal(counts_of_body(0, 1, add).all - none, 1);
    /* of an if with an else both sides are issued */
    static const char other[] =
        "bra.uni OUT;\nEND:\nand.b32 %r5, %r3, %r4;\nst.shared.u32 [s], %r5;\nOUT:\nbar.sync 0;\n";
    char two[512];
    snprintf(two, sizeof two,
             "setp.ge.u32 %%p1, %%r1, 9;\n@%%p1 bra END;\nmul.lo.u32 %%r3, %%r3, %%r4;\n%s", other);
    assert_int_equal(counts_of(two).all - none, 3);
    two[sizeof "setp.ge.u32 %p1, %r1, " - 1] = '0';
    assert_int_equal(counts_of(two).all - none, 3);
    assert_int_equal(counts_of(two).idle_shared, 0);
}

/* Whole warps that jump over a long body fetch what follows it; where lanes diverge, both sides are
 * fetched. */
static void warps_fetch_what_they_jump_to(void **state)
{
    (void)state;
    static const struct {
        int least, count, branches, fetches;
    } cases[] = {{0, 8, 0, 0}, {9, 8, 0, 0}, {0, 9, 1, 1}, {9, 9, 1, 2}, {32, 9, 1, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const machine_counts c = counts_of_body(cases[k].least, cases[k].count, "");
        assert_int_equal(c.branches, cases[k].branches);
        assert_int_equal(c.fetches, cases[k].fetches);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_take_as_many_as_in_machine_code),
        cmocka_unit_test(nothing_overlaps_with_an_exact_root),
        cmocka_unit_test(short_code_is_issued_without_lanes),
        cmocka_unit_test(warps_fetch_what_they_jump_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
