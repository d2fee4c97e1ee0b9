/* Tests which multiplications and additions are fused into an fma. Every expected result is what
 * ptxas 13.0 generates for the same code. */
#include "emulator/compile/ptxas/contract.h"
#include "emulator/ptx/ptx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Check that contraction of BODY yields the operations WANT (stores and returns are left out). */
static void expect_contracted_for_target(const char *target, const char *body, const char *want)
{
    char text[2000], got[400] = "";
    snprintf(text, sizeof text,
             ".version 9.0\n.target %s\n.address_size 64\n"
             ".visible .entry k(.param .u64 q) {\n"
             ".reg .f32 %%f<40>; .reg .f64 %%d<9>; .reg .b64 %%rd<3>; .reg .pred %%p<3>;\n"
             ".reg .b16 %%h<20>; .reg .b32 %%w<20>;\n"
             "ld.param.u64 %%rd1, [q];\n%s\nret; }\n",
             target, body);
    ptx_error err;
    ptx_module *m = ptx_parse(text, strlen(text), &err);
    assert_non_null(m);
    assert_true(compile_contract_to_fma(m));
    const ptx_func *f = ptx_find_func(m, "k");
    assert_true(ptx_check(m, f, &err));
    for (uint32_t k = 0; k < f->insn_count; k++) {
        const ptx_insn *in = &f->insns[k];
        if (in->op == PTX_OP_st || in->op == PTX_OP_ret || in->op == PTX_OP_ld)
            continue;
        strcat(got, *got ? " " : "");
        strcat(got, in->op == PTX_OP_fma && in->opd[1].v->negate && in->opd[3].v->negate ? "-ab-c"
                    : in->op == PTX_OP_fma && in->opd[1].v->negate                       ? "c-ab"
                    : in->op == PTX_OP_fma && in->opd[3].v->negate                       ? "ab-c"
                    : in->op == PTX_OP_fma                                               ? "ab+c"
                                           : ptx_op_name(in->op));
    }
    assert_string_equal(got, want);
    ptx_free(m);
}

static void expect_contracted(const char *body, const char *want)
{
    expect_contracted_for_target("sm_90", body, want);
}

#define M01              "mul.f32 %f10, %f0, %f1;"
#define M23              "mul.f32 %f12, %f2, %f3;"
#define OUT(offset, reg) "st.global.f32 [%rd1+" #offset "], " reg ";"

static void test_one_product(void **state)
{
    (void)state;
    expect_contracted(M01 "add.f32 %f11, %f10, %f2;" OUT(0, "%f11"), "mul ab+c");
    expect_contracted(M01 "sub.f32 %f11, %f2, %f10;" OUT(0, "%f11"), "mul c-ab");
    expect_contracted(M01 "sub.f32 %f11, %f10, %f2;" OUT(0, "%f11"), "mul ab-c");
    expect_contracted("mul.f64 %d4, %d0, %d1; add.f64 %d5, %d4, %d2; st.global.f64 [%rd1], %d5;",
                      "mul ab+c");
    expect_contracted("mul.ftz.f32 %f10, %f0, %f1; add.ftz.f32 %f11, %f10, %f2;" OUT(0, "%f11"),
                      "mul ab+c");
    expect_contracted(M01 "add.sat.f32 %f11, %f10, %f2;" OUT(0, "%f11"), "mul ab+c");
    expect_contracted("mul.f32 %f10, %f0, 0f40C00000; sub.f32 %f11, %f2, %f10;" OUT(0, "%f11"),
                      "mul c-ab");
}

static void explicitly_rounded_operations_are_not_fused(void **state)
{
    (void)state;
    expect_contracted("mul.rn.f32 %f10, %f0, %f1; add.f32 %f11, %f10, %f2;" OUT(0, "%f11"),
                      "mul add");
    expect_contracted(M01 "add.rn.f32 %f11, %f10, %f2;" OUT(0, "%f11"), "mul add");
    expect_contracted("mul.sat.f32 %f10, %f0, %f1; add.f32 %f11, %f10, %f2;" OUT(0, "%f11"),
                      "mul add");
    expect_contracted(M01 "add.ftz.f32 %f11, %f10, %f2;" OUT(0, "%f11"), "mul add");
}

/* An instruction that the assembler expands to several blocks separates a product from later
 * sums. */
static void expanded_instructions_prevent_fusion(void **state)
{
    (void)state;
    static const char *const apart[] = {
        "sqrt.rn.f32 %f20, %f6;",     "sqrt.rz.ftz.f32 %f20, %f6;",
        "div.rn.f32 %f20, %f6, %f7;", "div.rn.ftz.f32 %f20, %f6, %f7;",
        "rcp.rn.f32 %f20, %f6;",      "div.rn.f64 %d6, %d7, %d8;",
        "rcp.rn.f64 %d6, %d7;",       "sqrt.rn.f64 %d6, %d7;",
        "rsqrt.approx.f64 %d6, %d7;", "div.s32 %w10, %w11, %w12;",
        "rem.s32 %w10, %w11, 10;",    "rem.u64 %rd2, %rd2, %rd1;",
        "div.u16 %h10, %h11, %h12;",  "membar.gl;",
        "fence.acq_rel.gpu;",         "@%p1 st.global.f32 [%rd1+8], %f6;",
    };
    static const char *const within[] = {
        "sqrt.approx.f32 %f20, %f6;",     "div.full.f32 %f20, %f6, %f7;",
        "div.approx.f32 %f20, %f6, %f7;", "rcp.approx.ftz.f64 %d6, %d7;",
        "rsqrt.approx.f32 %f20, %f6;",    "div.u32 %w10, %w11, %w12;",
        "rem.u32 %w10, %w11, 10;",        "bar.sync 0;",
        "@%p1 mov.b32 %w10, %w11;",
    };
    char body[300], want[100];
    for (size_t k = 0; k < sizeof apart / sizeof *apart + sizeof within / sizeof *within; k++) {
        const bool in = k >= sizeof apart / sizeof *apart;
        const char *between = in ? within[k - sizeof apart / sizeof *apart] : apart[k];
        const char *name = strncmp(between, "@%p1 ", 5) == 0 ? between + 5 : between;
        const bool shown = strncmp(name, "st.", 3) != 0;
        snprintf(body, sizeof body, "%s%s%s", M01, between,
                 "add.f32 %f11, %f10, %f2;" OUT(0, "%f11"));
        snprintf(want, sizeof want, "mul %.*s%s%s", shown ? (int)strcspn(name, ". ;") : 0, name,
                 shown ? " " : "", in ? "ab+c" : "add");
        expect_contracted(body, want);
    }
    expect_contracted(M01 "sqrt.rn.f32 %f20, %f6;" M23 "sub.f32 %f11, %f10, %f12;" OUT(0, "%f11"),
                      "mul sqrt mul c-ab");
    expect_contracted(
        M01
        "add.f32 %f11, %f10, %f2; sqrt.rn.f32 %f20, %f6; add.f32 %f13, %f10, %f3;" OUT(0, "%f11")
            OUT(4, "%f13"),
        "mul add sqrt add");
    /* A product with an immediate operand is computed where its result is used. */
    expect_contracted(
        "mul.f32 %f10, %f0, 0f3FC00000; sub.f32 %f11, %f2, %f10; div.rn.f32 %f20, %f6, %f7;"
        "sub.f32 %f13, %f3, %f10;" OUT(0, "%f11") OUT(4, "%f13"),
        "mul c-ab div c-ab");
    expect_contracted("sqrt.rn.f32 %f20, %f6;" M01 "add.f32 %f11, %f10, %f20;" OUT(0, "%f11"),
                      "sqrt mul ab+c");
}

static void test_product_used_elsewhere(void **state)
{
    (void)state;
    expect_contracted(M01 "add.f32 %f11, %f10, %f2; add.f32 %f13, %f10, %f3;" OUT(0, "%f11")
                          OUT(4, "%f13"),
                      "mul ab+c ab+c");
    expect_contracted(M01 "add.f32 %f11, %f10, %f2;" OUT(0, "%f11") OUT(4, "%f10"), "mul add");
    expect_contracted(M01 "fma.rn.f32 %f13, %f10, %f3, %f4; add.f32 %f11, %f10, %f2;" OUT(0, "%f11")
                          OUT(4, "%f13"),
                      "mul ab+c add");
    expect_contracted(M01 "add.f32 %f11, %f10, %f10;" OUT(0, "%f11"), "mul add");
}

static void test_two_products(void **state)
{
    (void)state;
    expect_contracted(M01 M23 "add.f32 %f11, %f10, %f12;" OUT(0, "%f11"), "mul mul ab+c");
    expect_contracted(M01 M23 "sub.f32 %f11, %f10, %f12;" OUT(0, "%f11"), "mul mul ab-c");
    expect_contracted(M01 M23 "sub.f32 %f11, %f10, %f12;" OUT(0, "%f11") OUT(4, "%f10"),
                      "mul mul c-ab");
    /* The second sum fuses its first product, so the first product of the first sum is not
     * fused. */
    expect_contracted(
        M01 M23
        "mul.f32 %f14, %f4, %f5; sub.f32 %f11, %f10, %f12; add.f32 %f13, %f14, %f10;" OUT(0, "%f11")
            OUT(4, "%f13"),
        "mul mul mul c-ab ab+c");
}

static void products_with_fewer_sums_are_fused_first(void **state)
{
    (void)state;
    /* The first product has two sums, the second product has one: the second is fused, the first is
     * not. */
    expect_contracted(M01 M23 "add.f32 %f11, %f10, %f12; add.f32 %f13, %f10, %f4;" OUT(0, "%f11")
                          OUT(4, "%f13"),
                      "mul mul ab+c add");
    /* A product used by only one sum is preferred to a product that comes first in the text. */
    expect_contracted(
        M01 "add.f32 %f11, %f2, %f10; mul.f32 %f12, %f11, %f3; sub.f32 %f13, %f10, %f12;" OUT(
            0, "%f13"),
        "mul add mul c-ab");
    /* For half precision only the order of the code matters. */
    expect_contracted("mul.f16x2 %w0, %w8, %w9; add.f16x2 %w1, %w2, %w0; mul.f16x2 %w3, %w1, %w4;"
                      "add.f16x2 %w5, %w0, %w3; st.global.b32 [%rd1], %w5;",
                      "mul ab+c mul ab+c");
    /* Two sums of the same two products: the first product is fused into both sums. */
    expect_contracted(M01 M23 "add.f32 %f11, %f10, %f12; sub.f32 %f13, %f10, %f12;" OUT(0, "%f11")
                          OUT(4, "%f13"),
                      "mul mul ab+c ab-c");
}

/* Some comparisons of a sum with zero, such as `lt`, prevent the fusion of a product that has two
 * sums; others, such as `le`, do not. */
static void comparisons_with_zero_prevent_fusion(void **state)
{
    (void)state;
#define TWO_SUMS \
    M01 "sub.f32 %f11, %f2, %f10; add.f32 %f13, %f3, %f10;" OUT(0, "%f11") OUT(4, "%f13")
    static const struct {
        const char *ask, *want;
    } asked[] = {
        {"setp.lt.f32 %p1, %f11, 0f00000000;", "mul sub add setp"},
        {"setp.gt.f32 %p1, 0f80000000, %f13;", "mul sub add setp"},
        {"setp.leu.f32 %p1, %f11, 0f00000000;", "mul sub add setp"},
        {"setp.equ.f32 %p1, %f11, 0f00000000;", "mul sub add setp"},
        {"set.lt.u32.f32 %w0, %f11, 0f00000000;", "mul sub add set"},
        {"neg.f32 %f20, %f11; setp.lt.f32 %p1, %f20, 0f00000000;", "mul sub add neg setp"},
        {"@%p2 bra L; setp.lt.f32 %p1, %f11, 0f00000000; L:", "mul sub add bra setp"},
        {"setp.le.f32 %p1, %f11, 0f00000000;", "mul c-ab ab+c setp"},
        {"setp.eq.f32 %p1, %f11, 0f00000000;", "mul c-ab ab+c setp"},
        {"setp.ltu.f32 %p1, %f11, 0f00000000;", "mul c-ab ab+c setp"},
        {"set.eq.u32.f32 %w0, %f11, 0f00000000;", "mul c-ab ab+c set"},
        {"setp.lt.f32 %p1, %f11, 0f3F800000;", "mul c-ab ab+c setp"},
        {"setp.lt.f32 %p1, %f11, %f5;", "mul c-ab ab+c setp"},
        {"setp.lt.ftz.f32 %p1, %f11, 0f00000000;", "mul sub add setp"},
        {"setp.lt.and.f32 %p1, %f11, 0f00000000, %p2;", "mul c-ab ab+c setp"},
        {"abs.f32 %f20, %f11; setp.lt.f32 %p1, %f20, 0f00000000;", "mul c-ab ab+c abs setp"},
    };
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
        char body[800];
        snprintf(body, sizeof body, "%s%s", TWO_SUMS, asked[k].ask);
        expect_contracted(body, asked[k].want);
    }
#undef TWO_SUMS
    expect_contracted(
        "mul.ftz.f32 %f10, %f0, %f1; sub.ftz.f32 %f11, %f2, %f10; add.ftz.f32 %f13, %f3, %f10;"
        "setp.lt.f32 %p1, %f11, 0f00000000;" OUT(0, "%f11") OUT(4, "%f13"),
        "mul c-ab ab+c setp");
    /* A product used by only one sum is fused even with such a comparison with zero. */
    expect_contracted(M01
                      "sub.f32 %f11, %f2, %f10; setp.lt.f32 %p1, %f11, 0f00000000;" OUT(0, "%f11"),
                      "mul c-ab setp");
    expect_contracted("mul.f64 %d4, %d0, %d1; sub.f64 %d5, %d2, %d4; sub.f64 %d6, %d3, %d4;"
                      "setp.lt.f64 %p1, %d5, 0d0000000000000000; st.global.f64 [%rd1], %d5;"
                      "st.global.f64 [%rd1+8], %d6;",
                      "mul c-ab c-ab setp");
}

/* Approximate functions with constant operands. */
static void test_constants(void **state)
{
    (void)state;
    expect_contracted(
        "div.approx.ftz.f32 %f10, %f0, 0f40400000; add.ftz.f32 %f11, %f10, %f2;" OUT(0, "%f11"),
        "mul ab+c");
    expect_contracted("div.full.f32 %f10, %f0, 0f40400000;" OUT(0, "%f10"), "mul");
    expect_contracted("mov.f32 %f9, 0f41A00000; div.approx.f32 %f10, %f0, %f9;" OUT(0, "%f10"),
                      "mov mul");
    expect_contracted(
        "mov.f32 %f9, 0f41A00000; @%p1 mov.f32 %f9, %f8; div.approx.f32 %f10, %f0, %f9;" OUT(
            0, "%f10"),
        "mov mov div");
    expect_contracted("div.approx.f32 %f10, %f0, 0f7F000000;" OUT(0, "%f10"), "div");
    expect_contracted("div.approx.f32 %f10, %f0, 0f00000000;" OUT(0, "%f10"), "div");
    expect_contracted("mov.f32 %f9, 0f461C4000; lg2.approx.ftz.f32 %f10, %f9;" OUT(0, "%f10"),
                      "mov mov");
    expect_contracted("mov.f32 %f9, 0f3F8C4000; ex2.approx.ftz.f32 %f10, %f9;" OUT(0, "%f10"),
                      "mov mov");
    expect_contracted("mov.f32 %f9, 0f3DCCCCCD; rcp.approx.ftz.f32 %f10, %f9;" OUT(0, "%f10"),
                      "mov mov");
    expect_contracted("mov.f32 %f9, 0f461C4000; sqrt.approx.f32 %f10, %f9;" OUT(0, "%f10"),
                      "mov mov");
    expect_contracted("mov.f32 %f9, 0f40400000; rsqrt.approx.f32 %f10, %f9;" OUT(0, "%f10"),
                      "mov mov");
    expect_contracted("mov.f32 %f9, 0f42C80000; sin.approx.f32 %f10, %f9;" OUT(0, "%f10"),
                      "mov mov");
    expect_contracted("mov.f32 %f9, 0f3F333333; tanh.approx.f32 %f10, %f9;" OUT(0, "%f10"),
                      "mov tanh");
    expect_contracted("ex2.approx.ftz.f32 %f10, %f0; rcp.approx.ftz.f32 %f11, %f10;" OUT(0, "%f11"),
                      "neg ex2");
    expect_contracted("ex2.approx.ftz.f32 %f10, %f0; rcp.approx.ftz.f32 %f11, %f10;" OUT(0, "%f11")
                          OUT(4, "%f10"),
                      "ex2 rcp");
    expect_contracted("ex2.approx.f32 %f10, %f0; rcp.approx.f32 %f11, %f10;" OUT(0, "%f11"),
                      "ex2 rcp");
    /* 1 / x is a reciprocal and not a product. */
    expect_contracted(
        "div.approx.f32 %f10, 0f3F800000, %f1; add.f32 %f11, %f10, %f2;" OUT(0, "%f11"), "div add");
}

static void test_half_precision(void **state)
{
    (void)state;
    static const char *const types[] = {"f16", "bf16"};
    for (unsigned k = 0; k < 2; k++) {
        char body[200];
        snprintf(body, sizeof body,
                 "mul.%s %%h0, %%h1, %%h2; sub.%s %%h3, %%h4, %%h0; st.global.b16 [%%rd1], %%h3;",
                 types[k], types[k]);
        expect_contracted(body, "mul c-ab");
        snprintf(
            body, sizeof body,
            "mul.%sx2 %%w0, %%w1, %%w2; sub.%sx2 %%w3, %%w0, %%w4; st.global.b32 [%%rd1], %%w3;",
            types[k], types[k]);
        expect_contracted(body, "mul ab-c");
    }
    expect_contracted("mul.rn.f16 %h0, %h1, %h2; add.f16 %h3, %h4, %h0; st.global.b16 [%rd1], %h3;",
                      "mul add");
}

static void copies_and_negations(void **state)
{
    (void)state;
    expect_contracted(M01 "mov.f32 %f11, %f10; add.f32 %f12, %f11, %f2;" OUT(0, "%f12"),
                      "mul mov ab+c");
    expect_contracted(M01 "neg.f32 %f11, %f10; add.f32 %f12, %f11, %f2;" OUT(0, "%f12"),
                      "mul neg c-ab");
    expect_contracted(M01 "neg.f32 %f11, %f10; sub.f32 %f12, %f11, %f2;" OUT(0, "%f12"),
                      "mul neg -ab-c");
    expect_contracted(M01 "neg.f32 %f11, %f10; sub.f32 %f12, %f2, %f11;" OUT(0, "%f12"),
                      "mul neg ab+c");
    expect_contracted(M01 "neg.f32 %f11, %f10; add.f32 %f12, %f11, %f2;" OUT(0, "%f12")
                          OUT(4, "%f11"),
                      "mul neg add");
    expect_contracted("mul.bf16 %h0, %h1, %h2; neg.bf16 %h3, %h0; add.bf16 %h4, %h3, %h5;"
                      "st.global.b16 [%rd1], %h4;",
                      "mul neg c-ab");
    /* The negation of a pair of bfloat16 is a separate fma. */
    expect_contracted("mul.bf16x2 %w0, %w1, %w2; neg.bf16x2 %w3, %w0; add.bf16x2 %w4, %w3, %w5;"
                      "st.global.b32 [%rd1], %w4;",
                      "mul neg add");
}

static void other_blocks_and_values(void **state)
{
    (void)state;
    expect_contracted(M01 "@%p1 bra L;" OUT(8, "%f0") "L: add.f32 %f11, %f10, %f2;" OUT(0, "%f11"),
                      "mul bra add");
    expect_contracted("L: " M01 "add.f32 %f0, %f10, %f2;" OUT(0, "%f0") "@%p1 bra L;",
                      "mul ab+c bra");
    expect_contracted("@%p1 " M01 "add.f32 %f11, %f10, %f2;" OUT(0, "%f11"), "mul add");
    /* A register that is written again: its first value ends at the second write, or at the end of
     * the block. */
    expect_contracted(
        M01
        "add.f32 %f10, %f10, %f2; mul.f32 %f11, %f10, %f3; add.f32 %f11, %f11, %f4;" OUT(0, "%f11"),
        "mul ab+c mul ab+c");
    expect_contracted("L: " M01 "add.f32 %f11, %f10, %f2; @%p1 bra L;" OUT(0, "%f10"),
                      "mul add bra");
    expect_contracted("L: add.f32 %f11, %f10, %f2; " M01
                      "add.f32 %f12, %f10, %f2; @%p1 bra L;" OUT(0, "%f11") OUT(4, "%f12"),
                      "add mul add bra");
    expect_contracted(M01 "add.f32 %f11, %f10, %f2; @%p1 mov.f32 %f10, %f5;" OUT(0, "%f11")
                          OUT(4, "%f10"),
                      "mul add mov");
    /* The product's source register changes before the sum: the emulator does not fuse, but ptxas
     * does. */
    expect_contracted("mul.f32 %f10, %f10, %f0; add.f32 %f11, %f10, %f2;" OUT(0, "%f11"),
                      "mul add");
    expect_contracted(M01 "mov.f32 %f0, %f4; add.f32 %f11, %f10, %f2;" OUT(0, "%f11") OUT(4, "%f0"),
                      "mul mov add");
}

/* Sums with a quotient, as computed by an H200: the quotient is fused as a product with the
 * reciprocal. */
#define D01 "div.approx.ftz.f32 %f10, %f0, %f1;"
static void test_quotients(void **state)
{
    (void)state;
    expect_contracted(D01 "add.ftz.f32 %f11, %f10, %f2;" OUT(0, "%f11"), "rcp ab+c");
    expect_contracted(D01 "sub.ftz.f32 %f11, %f2, %f10;" OUT(0, "%f11"), "rcp c-ab");
    expect_contracted(D01
                      "mul.ftz.f32 %f12, %f2, %f3; sub.ftz.f32 %f11, %f10, %f12;" OUT(0, "%f11"),
                      "rcp mul ab-c");
    expect_contracted(D01 "add.ftz.f32 %f11, %f10, %f2;" OUT(0, "%f11") OUT(4, "%f10"), "div add");
    expect_contracted(D01 "add.ftz.f32 %f11, %f10, %f2; add.ftz.f32 %f12, %f10, %f3;" OUT(0, "%f11")
                          OUT(4, "%f12"),
                      "rcp ab+c ab+c");
    expect_contracted("div.approx.f32 %f10, %f0, %f1; add.f32 %f11, %f10, %f2;" OUT(0, "%f11"),
                      "rcp ab+c");
    expect_contracted("div.full.f32 %f10, %f0, %f1; sub.f32 %f11, %f2, %f10;" OUT(0, "%f11"),
                      "rcp c-ab");
    expect_contracted(
        "div.full.ftz.f32 %f10, %f0, %f1; add.ftz.f32 %f11, %f10, %f2;" OUT(0, "%f11"), "rcp ab+c");
    expect_contracted("div.rn.f32 %f10, %f0, %f1; add.f32 %f11, %f10, %f2;" OUT(0, "%f11"),
                      "div add");
    expect_contracted(D01 "mov.f32 %f12, %f10; mov.f32 %f10, %f3; add.ftz.f32 %f11, %f12, %f2;" OUT(
                          0, "%f11") OUT(4, "%f10"),
                      "div mov mov add");
    expect_contracted(D01 "add.rn.ftz.f32 %f11, %f10, %f2;" OUT(0, "%f11"), "div add");
}

/* Nothing is fused in code compiled with nvcc -G. */
static void test_unoptimized_module(void **state)
{
    (void)state;
    expect_contracted_for_target("sm_90, debug", M01 "add.f32 %f11, %f10, %f2;" OUT(0, "%f11"),
                                 "mul add");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_product),
        cmocka_unit_test(explicitly_rounded_operations_are_not_fused),
        cmocka_unit_test(expanded_instructions_prevent_fusion),
        cmocka_unit_test(test_product_used_elsewhere),
        cmocka_unit_test(test_two_products),
        cmocka_unit_test(products_with_fewer_sums_are_fused_first),
        cmocka_unit_test(comparisons_with_zero_prevent_fusion),
        cmocka_unit_test(test_constants),
        cmocka_unit_test(test_half_precision),
        cmocka_unit_test(copies_and_negations),
        cmocka_unit_test(other_blocks_and_values),
        cmocka_unit_test(test_quotients),
        cmocka_unit_test(test_unoptimized_module),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
