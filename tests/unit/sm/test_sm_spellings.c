/* Tests rare forms of PTX by executing them: each is equivalent to a more common form (ptxas
 * generates the same code for both). */
#include "sm_kernel.h"

#define MODULE_VARIABLES ".global .align 16 .u32 ga[4] = {10, 20, 30, 40};\n"
#define KERNEL_HEAD                                                                        \
    ".visible .entry k(.param .u64 p, .param .u64 other)\n{\n"                             \
    ".reg .b16 h;\n.reg .b32 a, b, d, e;\n.reg .b64 ad, x;\n.reg .f32 f;\n.reg .pred t;\n" \
    ".reg .v2 .u32 v2;\n.reg .v4 .u32 v4;\n.reg .v4 .f32 vf;\n.reg .v2 .b64 vd;\n"         \
    ".shared .align 16 .u32 sa[4];\n.local .align 16 .u32 la[4];\nld.param.u64 ad, [p];\n" \
    "mov.u32 a, 1;\nmov.u32 b, 2;\nmov.u32 d, 3;\nmov.u32 e, 4;\nmov.f32 f, 2.5;\n"

/* Run BODY on one thread; the first COUNT words of the buffer must be WANT. */
static void expect_results(const char *functions, const char *body, const uint32_t *want,
                           size_t count)
{
    char text[4096];
    kernel_run run;
    snprintf(text, sizeof text, MODULE_VARIABLES "%s" KERNEL_HEAD "%s\nret;\n}\n", functions, body);
    assert_true(run_kernel(&run, text, 1, 0, NULL, 0, false));
    expect_ok(&run);
    for (size_t i = 0; i < count; i++)
        if (words(&run)[i] != want[i])
            fail_msg("%s: word %zu is %#x, not %#x", body, i, words(&run)[i], want[i]);
    free_kernel_run(&run);
}

#define EXPECT_RESULTS(functions, body, ...)                               \
    do {                                                                   \
        static const uint32_t want[] = {__VA_ARGS__};                      \
        expect_results(functions, body, want, sizeof want / sizeof *want); \
    } while (0)

/* A generic access by a variable's name uses the variable's state space. */
static void generic_accesses_by_name(void **state)
{
    (void)state;
    EXPECT_RESULTS("", "st.u32 [sa+4], 7; ld.shared.u32 a, [sa+4]; st.global.u32 [ad], a;", 7);
    EXPECT_RESULTS("", "st.shared.u32 [sa+4], 8; ld.u32 a, [sa+4]; st.global.u32 [ad], a;", 8);
    EXPECT_RESULTS("", "st.shared.u32 [sa], 8; ld.volatile.u32 a, [sa]; st.global.u32 [ad], a;", 8);
    EXPECT_RESULTS(
        "", "st.shared.v2.u32 [sa], {5, 6}; ld.v2.u32 v2, [sa]; st.global.v2.u32 [ad], v2;", 5, 6);
    EXPECT_RESULTS("", "st.u32 [la+8], 9; ld.local.u32 a, [la+8]; st.global.u32 [ad], a;", 9);
    EXPECT_RESULTS("", "st.local.u32 [la+8], 9; ld.u32 a, [la+8]; st.global.u32 [ad], a;", 9);
    EXPECT_RESULTS(
        "", "st.u32 [ga], 3; ld.u32 a, [ga]; ld.u32 b, [ga+4]; st.global.v2.u32 [ad], {a, b};", 3,
        20);
    EXPECT_RESULTS("",
                   "st.shared.u32 [sa], 8; atom.add.u32 a, [sa], 2; red.add.u32 [sa], 5;"
                   "ld.shared.u32 b, [sa]; st.global.v2.u32 [ad], {a, b};",
                   8, 15);
}

/* Generic accesses by name are counted as accesses of the variable's state space. */
static void generic_accesses_by_name_are_counted_by_space(void **state)
{
    (void)state;
    kernel_run run;
    run_kernel(&run, MODULE_VARIABLES KERNEL_HEAD "st.u32 [sa], a;\nld.u32 b, [sa];\nret;\n}\n", 32,
               0, NULL, 0, false);
    expect_ok(&run);
    assert_int_equal(C(run, shared_st_requests), 1);
    assert_int_equal(C(run, shared_ld_requests), 1);
    free_kernel_run(&run);
}

/* A mov of vectors moves element by element; all sources are read before any destination is
 * written. */
static void moves_of_vectors(void **state)
{
    (void)state;
    EXPECT_RESULTS("", "mov.v4.u32 v4, {a, b, d, e}; st.global.v4.u32 [ad], v4;", 1, 2, 3, 4);
    EXPECT_RESULTS("",
                   "mov.v4.u32 v4, {a, b, d, e}; mov.v4.u32 {e, d, b, a}, v4;"
                   "st.global.v4.u32 [ad], {a, b, d, e};",
                   4, 3, 2, 1);
    EXPECT_RESULTS("",
                   "mov.v4.u32 {a, b, d, e}, {e, a, b, 7}; st.global.v4.u32 [ad], {a, b, d, e};", 4,
                   1, 2, 7);
    EXPECT_RESULTS(
        "", "mov.v2.u32 v2, {a, b}; mov.v2.u32 v2, {v2.y, v2.x}; st.global.v2.u32 [ad], v2;", 2, 1);
    EXPECT_RESULTS("",
                   "mov.v4.u32 v4, {a, b, d, e}; mov.v4.u32 {e, _, _, a}, v4;"
                   "st.global.v4.u32 [ad], {a, b, d, e};",
                   4, 2, 3, 1);
    EXPECT_RESULTS("", "mov.v4.f32 vf, {f, 1.0, 0f40000000, f}; st.global.v4.f32 [ad], vf;",
                   0x40200000, 0x3f800000, 0x40000000, 0x40200000);
    EXPECT_RESULTS("", "mov.b64 x, {a, b}; mov.v2.b64 vd, {x, 5}; st.global.v2.b64 [ad], vd;", 1, 2,
                   5, 0);
    EXPECT_RESULTS("", "mov.v4.u32 v4, %ntid; st.global.v4.u32 [ad], v4;", 1, 1, 1, 0);
    EXPECT_RESULTS("",
                   "setp.eq.u32 t, a, b; mov.v2.u32 v2, {a, b}; @t mov.v2.u32 v2, {d, e};"
                   "@!t mov.v2.u32 {_, a}, {d, e}; st.global.v4.u32 [ad], {v2.x, v2.y, a, a};",
                   1, 2, 4, 4);
}

/* Only a mov without .v2 or .v4 packs. */
static void moves_that_pack(void **state)
{
    (void)state;
    EXPECT_RESULTS("", "mov.b64 x, {d, e}; st.global.u64 [ad], x;", 3, 4);
    EXPECT_RESULTS("", "mov.b64 x, {d, e}; mov.b64 {e, d}, x; st.global.v2.u32 [ad], {d, e};", 4,
                   3);
    EXPECT_RESULTS("", "mov.b64 x, {d, e}; mov.b64 v2, x; st.global.v2.u32 [ad], v2;", 3, 4);
}

static void sums_as_sources(void **state)
{
    (void)state;
    EXPECT_RESULTS("", "st.global.u32 [ad], d+4;", 7);
    EXPECT_RESULTS("", "mov.u32 a, d+4; st.global.v2.u32 [ad], {a, d};", 7, 3);
    EXPECT_RESULTS("", "mov.u32 a, d+-4; st.global.u32 [ad], a;", UINT32_MAX);
    EXPECT_RESULTS("", "add.u32 a, d+1, e+2; st.global.u32 [ad], a;", 10);
    EXPECT_RESULTS("", "mov.u64 x, ad+4; st.global.u32 [x], e+0;", 0, 4);
    EXPECT_RESULTS(
        "", "mov.b16 h, 0xffff; mov.b16 h, h+1; cvt.u32.u16 a, h; st.global.u32 [ad], a+5;", 5);
    EXPECT_RESULTS(
        "", "st.global.u32 [ad], 40; atom.global.add.u32 b, [ad], a+1; st.global.u32 [ad+4], b;",
        42, 40);
    EXPECT_RESULTS("",
                   "setp.eq.u32 t, a+1, b; mov.u32 d, 0; @t mov.u32 d, d+9; @!t mov.u32 d, d+5;"
                   "st.global.u32 [ad], d;",
                   9);
    /* A branch to an instruction with a sum as operand goes to the addition before that
     * instruction. */
    EXPECT_RESULTS("",
                   "mov.u32 d, 0; L: mov.u32 d, d+3; setp.lt.u32 t, d, 10; @t bra L;"
                   "st.global.u32 [ad], d;",
                   12);
}

static void elements_of_arrays(void **state)
{
    (void)state;
    EXPECT_RESULTS("", "ld.global.u32 a, ga[1]; ld.u32 b, ga[1+1]; st.global.v2.u32 [ad], {a, b};",
                   20, 30);
    EXPECT_RESULTS("", "st.shared.u32 sa[2], 6; ld.shared.u32 a, [sa+8]; st.global.u32 [ad], a;",
                   6);
    EXPECT_RESULTS(".global .align 16 .v4 .u32 gv[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}};\n",
                   "ld.global.u32 a, gv[5]; st.global.u32 [ad], a;", 6);
}

/* Indexing by a register, as on an H200: the register counts elements, and the offset from the
 * array has 32 bits. */
static void elements_by_registers(void **state)
{
    (void)state;
    EXPECT_RESULTS(
        "",
        "mov.u32 d, 2; ld.global.u32 a, ga[d]; ld.u32 b, ga[d+1]; st.global.v2.u32 [ad], {a, b};",
        30, 40);
    EXPECT_RESULTS("", "mov.u64 x, 2; ld.global.u32 a, ga[x+-1]; st.global.u32 [ad], a;", 20);
    EXPECT_RESULTS(
        "", "mov.u32 d, 2; st.shared.u32 sa[d], 6; ld.shared.u32 a, [sa+8]; st.global.u32 [ad], a;",
        6);
    EXPECT_RESULTS(
        "",
        "mov.u32 d, -1; st.shared.u32 [sa+4], 7; mov.u32 b, sa[2]; mov.u32 a, sa[d]; sub.u32 a, "
        "b, a;"
        "st.global.u32 [ad], a;",
        12);
    EXPECT_RESULTS("",
                   "mov.u64 x, ga; mov.u64 ad, ga[-1]; sub.u64 x, ad, x; mov.b64 {a, b}, x;"
                   "ld.param.u64 ad, [p]; st.global.v2.u32 [ad], {a, b};",
                   0xfffffffc, 0);
}

#define FUNCTION_WITH_VECTOR_ARGUMENT \
    ".func (.reg .u32 r) sum2(.reg .v2 .u32 q)\n{\nmad.lo.u32 r, q.x, 10, q.g;\nret;\n}\n"
#define FUNCTION_WITH_VECTOR_RESULT \
    ".func (.reg .v2 .u32 r) both(.reg .u32 q)\n{\nmov.u32 r.x, q;\nadd.u32 r.y, q, 1;\nret;\n}\n"
#define FUNCTION_WITH_64_BIT_VECTORS \
    ".func (.reg .v2 .b64 r) wide(.reg .v2 .b64 q)\n{\nmov.v2.b64 r, {q.y, q.x};\nret;\n}\n"
#define FUNCTION_WITH_VECTOR_AMONG_SCALARS                                       \
    ".func (.reg .u32 r) middle(.reg .u32 o, .reg .v2 .u32 q, .reg .u32 s);\n"   \
    ".func (.reg .u32 r) middle(.reg .u32 o, .reg .v2 .u32 q, .reg .u32 s)\n{\n" \
    "mad.lo.u32 r, o, 10, q.x;\nmad.lo.u32 r, r, 10, q.y;\nmad.lo.u32 r, r, 10, s;\nret;\n}\n"
#define FUNCTION_WITH_4_FLOATS \
    ".func (.reg .f32 r) ends(.reg .v4 .f32 q)\n{\nadd.f32 r, q.x, q.w;\nret;\n}\n"

static void vectors_in_calls(void **state)
{
    (void)state;
    EXPECT_RESULTS(FUNCTION_WITH_VECTOR_ARGUMENT,
                   "mov.v2.u32 v2, {b, d}; call (a), sum2, (v2); st.global.u32 [ad], a;", 23);
    EXPECT_RESULTS(FUNCTION_WITH_VECTOR_RESULT, "call (v2), both, (e); st.global.v2.u32 [ad], v2;",
                   4, 5);
    EXPECT_RESULTS(FUNCTION_WITH_64_BIT_VECTORS,
                   "mov.v2.b64 vd, {7, 8}; call (vd), wide, (vd); st.global.v2.b64 [ad], vd;", 8, 0,
                   7, 0);
    EXPECT_RESULTS(FUNCTION_WITH_VECTOR_AMONG_SCALARS,
                   "mov.v2.u32 v2, {d, b}; call (a), middle, (e, v2, a); st.global.u32 [ad], a;",
                   4321);
    EXPECT_RESULTS(
        FUNCTION_WITH_4_FLOATS,
        "mov.v4.f32 vf, {f, 9.0, 9.0, 1.0}; call (f), ends, (vf); st.global.f32 [ad], f;",
        0x40600000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generic_accesses_by_name),
        cmocka_unit_test(generic_accesses_by_name_are_counted_by_space),
        cmocka_unit_test(moves_of_vectors),
        cmocka_unit_test(moves_that_pack),
        cmocka_unit_test(sums_as_sources),
        cmocka_unit_test(elements_of_arrays),
        cmocka_unit_test(elements_by_registers),
        cmocka_unit_test(vectors_in_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
