/* Tests the PTX parser: each case parses a small text and examines the result. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "emulator/ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

#define MODULE_HEADER ".version 9.0\n.target sm_90\n.address_size 64\n"

static ptx_module *parse_text(const char *text)
{
    ptx_error err;
    ptx_module *m = ptx_parse(text, strlen(text), &err);
    if (!m)
        print_error("%s\n", err.text);
    assert_non_null(m);
    return m;
}

/* A module with one kernel `k` whose body is BODY. */
static ptx_module *parse_body(const char *body)
{
    char text[4096];
    snprintf(text, sizeof text,
             MODULE_HEADER
             ".global .align 4 .b32 g[8];\n.func f(.param .b32 x) { ret; }\n"
             ".entry k(.param .u64 a) {\n.reg .pred %%p<4>; .reg .b16 %%h<4>; .reg .b32 %%r<6>;"
             " .reg .f32 %%f<4>; .reg .f64 %%d<4>; .reg .b64 %%rd<4>;\n%s\n}\n",
             body);
    return parse_text(text);
}

static const ptx_func *first_kernel(const ptx_module *m)
{
    const ptx_func *f = ptx_find_func(m, "k");
    assert_non_null(f);
    return f;
}

static void expect_refused(const char *text, uint32_t line, const char *why)
{
    ptx_error err;
    ptx_module *m = ptx_parse(text, strlen(text), &err);
    assert_null(m);
    if (!strstr(err.text, why))
        print_error("\"%s\" lacks \"%s\"\n", err.text, why);
    assert_non_null(strstr(err.text, why));
    assert_int_equal(err.line, line);
    assert_int_not_equal(err.column, 0);
}

static void test_module_directives(void **state)
{
    (void)state;
    ptx_module *m = parse_text(".version 8.7 .target sm_90a, texmode_independent .address_size 64\n"
                               ".file 1 \"dir/a.cu\", 123, 456\n.pragma \"x\";\n"
                               ".section .debug_str { L: .b8 1, 2 { } }\n#line 3\n");
    assert_int_equal(m->version_major, 8);
    assert_int_equal(m->version_minor, 7);
    assert_int_equal(m->target, 90);
    assert_int_equal(m->address_bytes, 8);
    assert_string_equal(m->files[1], "dir/a.cu");
    ptx_free(m);
}

static void test_initialisers(void **state)
{
    (void)state;
    ptx_module *m = parse_text(
        MODULE_HEADER ".func f() { ret; }\n"
                      ".global .attribute(.managed) .align 16 .v4 .f32 v = {1.0, 0f40000000};\n"
                      ".const .b8 grid[2][3] = {{1, -2}, {0x3, 017, 0b11}};\n"
                      ".extern .shared .align 16 .b8 sm[];\n"
                      ".global .u64 ptrs[] = {generic(grid)+2, v, f, 0};\n"
                      ".global .b8 bytes[3] = {0xFF(v), 0xFF00(generic(v)+4), 7};\n"
                      ".weak .global .s32 w = WARP_SZ * -(1 << 3) + 2;\n"
                      ".global .b32 zero[4];\n");
    const ptx_var *v = ptx_find_var(m, "v");
    assert_true(v->is_managed);
    assert_int_equal(v->align, 16);
    assert_int_equal(v->size, 16);
    assert_memory_equal(v->init, "\0\0\x80\x3f\0\0\0\x40", 8);

    v = ptx_find_var(m, "grid");
    assert_int_equal(v->space, PTX_SPACE_CONST);
    assert_int_equal(v->size, 6);
    assert_memory_equal(v->init, "\1\xfe\0\3\xf\3", 6);

    v = ptx_find_var(m, "sm");
    assert_true(v->is_extern);
    assert_int_equal(v->size, 0);

    v = ptx_find_var(m, "ptrs");
    assert_int_equal(v->size, 32);
    assert_int_equal(v->reloc_count, 3);
    assert_ptr_equal(v->reloc[0].var, ptx_find_var(m, "grid"));
    assert_true(v->reloc[0].generic);
    assert_int_equal(v->reloc[0].offset, 2);
    assert_int_equal(v->reloc[1].at, 8);
    assert_false(v->reloc[1].generic);
    assert_ptr_equal(v->reloc[2].func, ptx_find_func(m, "f"));
    assert_int_equal(v->reloc[2].bytes, 8);

    v = ptx_find_var(m, "bytes");
    assert_int_equal(v->reloc_count, 2);
    assert_int_equal(v->reloc[1].bytes, 1);
    assert_int_equal(v->reloc[1].mask_shift, 8);
    assert_int_equal(v->reloc[1].offset, 4);
    assert_int_equal(v->init[2], 7);

    v = ptx_find_var(m, "w");
    int32_t w;
    memcpy(&w, v->init, 4);
    assert_int_equal(w, 32 * -8 + 2);
    assert_true(v->is_weak);
    assert_null(ptx_find_var(m, "zero")->init);
    assert_null(ptx_find_var(m, "none"));
    ptx_free(m);
}

static void test_parameters(void **state)
{
    (void)state;
    ptx_module *m = parse_text(
        MODULE_HEADER ".visible .entry k(.param .u8 a, .param .u64 .ptr .global .align 16 b,\n"
                      ".param .align 8 .b8 s[20], .param .f32 c)\n.maxntid 128, 2\n"
                      ".minnctapersm 3\n.reqntid 64 .maxnreg 32\n"
                      "{ .reg .f32 %f; ld.param.f32 %f, [c+0]; ret; }\n");
    const ptx_func *f = first_kernel(m);
    assert_true(f->is_entry && f->is_visible && f->has_body);
    static const uint64_t offset[] = {0, 8, 16, 36};
    assert_int_equal(f->param_count, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(f->params[i].offset, offset[i]);
        assert_int_equal(f->params[i].var->space, PTX_SPACE_PARAM);
    }
    assert_int_equal(f->params[2].size, 20);
    assert_int_equal(f->param_bytes, 40);
    assert_int_equal(f->maxntid[0], 128);
    assert_int_equal(f->maxntid[1], 2);
    assert_int_equal(f->maxntid[2], 1);
    assert_int_equal(f->minnctapersm, 3);
    assert_int_equal(f->reqntid[0], 64);
    assert_int_equal(f->maxnreg, 32);
    assert_ptr_equal(f->insns[0].opd[1].v->var, f->params[3].var);
    ptx_free(m);
}

static uint64_t parse_immediate(const char *insn, unsigned operand)
{
    ptx_module *m = parse_body(insn);
    const ptx_operand *o = &first_kernel(m)->insns[0].opd[operand];
    assert_int_equal(o->v->kind, PTX_VAL_IMM);
    uint64_t bits = o->v->imm;
    ptx_free(m);
    return bits;
}

static void test_immediates(void **state)
{
    (void)state;
    assert_int_equal(parse_immediate("mov.u32 %r1, -1;", 1), 0xffffffff);
    assert_int_equal(parse_immediate("add.s64 %rd1, %rd1, -4;", 2), (uint64_t)-4);
    assert_int_equal(parse_immediate("add.s16 %h1, %h1, -2;", 2), 0xfffe);
    assert_int_equal(parse_immediate("mov.f32 %f1, 0f7F800001;", 1),
                     0x7f800001); /* a NaN keeps its bits */
    assert_int_equal(parse_immediate("mov.b32 %r1, 0f3F800000;", 1), 0x3f800000);
    assert_int_equal(parse_immediate("mov.f32 %f1, 0d3FF8000000000000;", 1), 0x3fc00000);
    assert_int_equal(parse_immediate("add.f32 %f1, %f1, -2.25;", 2), 0xc0100000);
    assert_int_equal(parse_immediate("mov.f64 %d1, 0f3F800000;", 1), 0x3ff0000000000000);
    assert_int_equal(parse_immediate("add.f64 %d1, %d1, 1.5;", 2), 0x3ff8000000000000);
    assert_int_equal(parse_immediate("add.f16 %h1, %h1, 1.5;", 2), 0x3e00);
    assert_int_equal(parse_immediate("add.f16 %h1, %h1, 65520.0;", 2), 0x7c00);
    assert_int_equal(parse_immediate("add.f16 %h1, %h1, 5.9604644775390625e-8;", 2), 1);
    assert_int_equal(parse_immediate("fma.rn.f16x2 %r1, %r2, %r3, 1.0;", 3), 0x3c003c00);
    assert_int_equal(parse_immediate("fma.rn.bf16 %h1, %h1, %h1, -1.0;", 3), 0xbf80);
    assert_int_equal(parse_immediate("mad.wide.s32 %rd1, %r1, 4, -8;", 3), (uint64_t)-8);
    assert_int_equal(parse_immediate("mad.wide.s32 %rd1, %r1, -4, %rd2;", 2), 0xfffffffc);
    assert_int_equal(parse_immediate("shl.b64 %rd1, %rd2, 40;", 2), 40);
    assert_int_equal(parse_immediate("cvt.rn.f32.s32 %f1, -1;", 1), 0xffffffff);
    assert_int_equal(parse_immediate("setp.lt.s16 %p1, %h1, -1;", 2), 0xffff);
    assert_int_equal(parse_immediate("mov.u32 %r1, WARP_SZ;", 1), 32);
    assert_int_equal(
        parse_immediate("mov.u64 %rd1, (.u64)(7 / -2) >> 60 ? ~0 : (3 < 4) + 0x10U;", 1),
        UINT64_MAX);
    assert_int_equal(parse_immediate("mov.s64 %rd1, 7 % 4 * 2 - 1 == 5 && 1 || 0;", 1), 1);
}

static void test_operands(void **state)
{
    (void)state;
    ptx_module *m = parse_body("ld.global.v2.u32 {%r1, _}, [%rd1+-8];\n"
                               "st.shared.u32 [g+4], %r1;\n"
                               "ld.global.u32 %r2, [64];\n"
                               "setp.ne.and.s32 %p1|%p2, %r1, 3, !%p3;\n"
                               "mov.u32 %r1, %ctaid.y;\n"
                               "mov.u64 %rd1, g+12;\n"
                               "mov.u64 %rd2, f;\n"
                               "add .s32 %r1 , %r1, 1;\n"
                               "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd1, {%f1, %f2}];\n"
                               "vadd.u32.u32.u32 %r1, %r2.b3, %r3.h1;\n");
    const ptx_insn *in = first_kernel(m)->insns;
    assert_int_equal(in[0].op, PTX_OP_ld);
    assert_int_equal(in[0].vec, 2);
    assert_int_equal(in[0].space, PTX_SPACE_GLOBAL);
    assert_true(in[0].opd[0].vector);
    assert_int_equal(in[0].opd[0].v[1].kind, PTX_VAL_SINK);
    assert_true(in[0].opd[1].memory);
    assert_int_equal(in[0].opd[1].v->offset, -8);
    assert_string_equal(in[0].text, "ld.global.v2.u32");
    assert_int_equal(in[1].opd[0].v->kind, PTX_VAL_VAR);
    assert_int_equal(in[1].opd[0].v->offset, 4);
    assert_int_equal(in[2].opd[1].v->kind, PTX_VAL_IMM);
    assert_int_equal(in[2].opd[1].v->imm, 64);
    assert_int_equal(in[3].opd[0].second.kind, PTX_VAL_REG);
    assert_true(in[3].opd[3].v->negate);
    assert_true(ptx_has_modifier(&in[3], PTX_MOD_ne) && ptx_has_modifier(&in[3], PTX_MOD_and));
    assert_int_equal(in[4].opd[1].v->sreg, PTX_SREG_ctaid_y);
    assert_int_equal(in[5].opd[1].v->offset, 12);
    assert_int_equal(in[6].opd[1].v->kind, PTX_VAL_FUNC);
    assert_string_equal(in[7].text, "add.s32");
    assert_int_equal(in[8].opd[1].lead, 1);
    assert_int_equal(in[8].opd[1].count, 3);
    assert_int_equal(in[9].opd[1].v->select, PTX_SELECT_B0 + 3);
    assert_int_equal(in[9].opd[2].v->select, PTX_SELECT_H0 + 1);
    ptx_free(m);
}

static void test_scopes(void **state)
{
    (void)state;
    ptx_module *m = parse_body("bra L;\n"
                               "{ .reg .b32 %r1; .shared .b32 x[2]; L: mov.u32 %r1, 1; @%p1 bra L;"
                               " { bra L; bra M; } }\n"
                               "{ .reg .b32 %r1; L: mov.u32 %r1, 2; @!%p1 bra L; bra M; }\n"
                               "L: mov.u32 %r1, 3;\nM:");
    const ptx_func *f = first_kernel(m);
    assert_int_equal(f->insns[0].opd[0].v->target, 8);
    assert_int_equal(f->insns[2].opd[0].v->target, 1);
    assert_int_equal(f->insns[3].opd[0].v->target, 1);
    assert_int_equal(f->insns[4].opd[0].v->target, 9); /* the index after the last instruction */
    assert_int_equal(f->insns[6].opd[0].v->target, 5);
    assert_true(f->insns[6].guard_negate);
    uint32_t a = f->insns[1].opd[0].v->reg, b = f->insns[5].opd[0].v->reg,
             c = f->insns[8].opd[0].v->reg;
    assert_true(a != b && b != c && a != c);
    assert_int_equal(f->insn_count, 9);
    ptx_free(m);
}

static void test_calls(void **state)
{
    (void)state;
    ptx_module *m =
        parse_text(MODULE_HEADER
                   ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
                   ".func (.param .b32 o) later (.param .b32 i);\n"
                   ".func (.reg .b32 o) twice (.reg .b32 i) { add.s32 o, i, i; ret; }\n"
                   ".entry k() { .reg .b32 %r<3>; .reg .b64 %rd<2>; .param .b32 q;\n"
                   "call.uni (q), \n later, \n ( \n q \n ) ;\n"
                   "call (%r1), twice, (%r2);\n"
                   "P: .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 8 .b8 _[16]) "
                   ".noreturn;\n"
                   "call (q), %rd1, (q, q), P;\n"
                   "T: .branchtargets A, B, A;\nbrx.idx %r1, T;\nA: trap;\nB: exit; }\n"
                   ".func (.param .b32 o) later (.param .b32 i) { ret; }\n.alias also, later;\n");
    const ptx_insn *in = first_kernel(m)->insns;
    assert_int_equal(in[0].operand_count, 4);
    assert_int_equal(in[0].opd[0].count, 1);
    assert_ptr_equal(in[0].opd[1].v->func, ptx_find_func(m, "later"));
    assert_true(in[0].opd[1].v->func->has_body);
    assert_int_equal(in[0].opd[2].v->kind, PTX_VAL_VAR);
    assert_int_equal(in[0].opd[3].count, 0);
    assert_int_equal(in[1].opd[2].v->kind, PTX_VAL_REG);
    const ptx_func *proto = in[2].opd[3].v->func;
    assert_int_equal(in[2].opd[1].v->kind, PTX_VAL_REG);
    assert_true(proto->is_proto && proto->no_return);
    assert_int_equal(proto->param_count, 2);
    assert_int_equal(proto->params[1].size, 16);
    assert_int_equal(proto->ret_bytes, 4);
    assert_int_equal(in[3].target_count, 3);
    assert_int_equal(in[3].targets[0], 4);
    assert_int_equal(in[3].targets[1], 5);
    const ptx_func *twice = ptx_find_func(m, "twice");
    assert_int_equal(twice->params[0].reg, twice->insns[0].opd[1].v->reg);
    assert_true(ptx_find_func(m, "vprintf")->is_extern);
    assert_int_equal(ptx_find_func(m, "also")->insn_count, 1);
    ptx_free(m);
}

static void test_vector_registers(void **state)
{
    (void)state;
    ptx_module *m =
        parse_body(".reg .v4 .f32 v;\nmov.f32 v.y, v.a;\nmov.v4.f32 v, {%f1, %f1, %f1, %f1};\n"
                   "mov.v4.u32 {%r1, %r2, %r3, %r4}, %ntid;\n");
    const ptx_insn *in = first_kernel(m)->insns;
    assert_int_equal(in[0].opd[0].v->reg + 2, in[0].opd[1].v->reg);
    assert_int_equal(in[1].opd[0].count, 4);
    assert_int_equal(in[2].opd[1].v[1].sreg, PTX_SREG_ntid_y);
    ptx_free(m);
}

/* A generic address given by a variable's name refers to the state space of the variable. */
static void test_names_of_every_kind(void **state)
{
    (void)state;
    ptx_module *m =
        parse_body(".shared .b32 s; .local .b32 l;\nld.u32 %r1, [g];\nst.u32 [s], 1;\n"
                   "atom.add.u32 %r1, [s+4], 1;\nld.u32 %r1, [l];\nld.u32 %r1, [%rd1];\n"
                   "ld.param.u64 %rd1, [a];\n");
    static const ptx_space want[] = {PTX_SPACE_GLOBAL, PTX_SPACE_SHARED, PTX_SPACE_SHARED,
                                     PTX_SPACE_LOCAL,  PTX_SPACE_NONE,   PTX_SPACE_PARAM};
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(first_kernel(m)->insns[i].space, want[i]);
    ptx_free(m);
}

/* An operand %r1+1 becomes an add instruction before the instruction; labels point to the add, and
 * the add has no guard. */
static void test_sums_in_operands(void **state)
{
    (void)state;
    ptx_module *m =
        parse_body("bra L;\nL: @%p1 sub.u32 %r1, %r2+1, %r3+0;\nst.u64 [%rd1+8], g+0;\n");
    const ptx_insn *in = first_kernel(m)->insns;
    assert_int_equal(first_kernel(m)->insn_count, 5);
    assert_int_equal(in[0].opd[0].v->target, 1);
    for (unsigned k = 1; k <= 2; k++) {
        assert_string_equal(in[k].text, "add.u32");
        assert_int_equal(in[k].guard, PTX_NO_REGISTER);
        assert_int_equal(in[k].opd[2].v->imm, 2 - k);
        assert_int_equal(in[k].opd[0].v->reg, in[3].opd[k].v->reg);
        assert_int_equal(in[k].line, in[3].line);
    }
    assert_int_not_equal(in[3].guard, PTX_NO_REGISTER);
    assert_int_not_equal(in[3].opd[1].v->reg, in[3].opd[2].v->reg);
    assert_true(in[4].opd[1].v->sum);
    ptx_free(m);
}

/* g[2] is [g+8]. */
static void test_vector_elements(void **state)
{
    (void)state;
    ptx_module *m = parse_body("ld.u32 %r1, g[2];\nst.global.u32 g[1+2], %r1;\n");
    const ptx_insn *in = first_kernel(m)->insns;
    assert_true(in[0].opd[1].memory && in[1].opd[0].memory);
    assert_int_equal(in[0].opd[1].v->offset, 8);
    assert_int_equal(in[1].opd[0].v->offset, 12);
    assert_int_equal(in[0].space, PTX_SPACE_GLOBAL);
    ptx_free(m);
}

/* A vector of registers counts as one parameter per register. */
static void test_vector_parameters(void **state)
{
    (void)state;
    ptx_module *m =
        parse_text(MODULE_HEADER ".func (.reg .v2 .u32 r) f(.reg .u32 o, .reg .v4 .f32 q);\n"
                                 ".func (.reg .v2 .u32 r) f(.reg .u32 o, .reg .v4 .f32 q) {\n"
                                 "mov.u32 r.y, o; mov.f32 q.b, q.w; ret;\n}\n"
                                 ".entry k() {\n.reg .u32 a; .reg .v2 .u32 v; .reg .v4 .f32 w;\n"
                                 "call (v), f, (a, w);\n}\n");
    const ptx_func *f = ptx_find_func(m, "f");
    const ptx_insn *call = first_kernel(m)->insns;
    assert_int_equal(f->ret_count, 2);
    assert_int_equal(f->param_count, 5);
    assert_int_equal(f->insns[0].opd[0].v->reg, f->rets[1].reg);
    assert_int_equal(f->insns[0].opd[1].v->reg, f->params[0].reg);
    assert_int_equal(f->insns[1].opd[0].v->reg, f->params[3].reg);
    assert_int_equal(f->insns[1].opd[1].v->reg, f->params[4].reg);
    assert_int_equal(f->params[4].offset, 16);
    assert_int_equal(call->opd[0].count, 2);
    assert_int_equal(call->opd[2].count, 5);
    assert_int_equal(call->opd[2].v[4].reg, call->opd[2].v[1].reg + 3);
    ptx_free(m);
}

static void test_source_positions(void **state)
{
    (void)state;
    ptx_module *m =
        parse_text(MODULE_HEADER
                   ".entry k() {\n.loc 1 31 5\ntrap;\n"
                   ".loc 1 12 3, function_name I, inlined_at 1 31 5\ntrap;\n"
                   ".loc 2 88 9, function_name I+7, inlined_at 1 12 3\ntrap;\n"
                   ".loc 2 90 1, function_name I, inlined_at 1 40 2\ntrap;\n"
                   ".loc 1 0 5\ntrap;\n}\n"
                   ".entry j() { trap; }\n.file 1 \"/somewhere/lab.cu\"\n.file 2 \"math.hpp\"\n");
    static const char *const want[] = {"lab.cu:31", "lab.cu:12", "lab.cu:12", "lab.cu:40",
                                       "lab.cu:40"};
    char buf[64];
    for (int i = 0; i < 5; i++) {
        assert_string_equal(ptx_source_position(m, &first_kernel(m)->insns[i], buf, sizeof buf),
                            want[i]);
    }
    assert_string_equal(ptx_source_position(m, ptx_find_func(m, "j")->insns, buf, sizeof buf),
                        "PTX line 16");
    assert_string_equal(ptx_source_position(m, &first_kernel(m)->insns[0], buf, 4), "lab");
    ptx_free(m);
}

static void test_unknown_instructions(void **state)
{
    (void)state;
    ptx_module *m = parse_body("tcgen05.mma.cta_group::1.kind::f16 [%r1], {x, y}, \"z\", (1);\n"
                               "ld.global.sideways.u32 %r1, [%rd1];\nret;\n");
    const ptx_func *f = first_kernel(m);
    assert_int_equal(f->insn_count, 3);
    assert_int_equal(f->insns[0].op, PTX_OP_NONE);
    assert_string_equal(f->insns[0].text, "tcgen05.mma.cta_group::1.kind::f16");
    assert_int_equal(f->insns[1].op, PTX_OP_NONE);
    assert_int_equal(f->insns[2].op, PTX_OP_ret);
    ptx_free(m);
}

static void test_error_messages(void **state)
{
    (void)state;
    expect_refused("", 1, ".version");
    expect_refused(".version 9.0\nhello", 2, ".target");
    expect_refused(".version 9.0 .target sm_90 .address_size 32\n", 1, "64-bit");
    expect_refused(MODULE_HEADER ".global .b32 x[2] = {1, 2, 3};", 4, "more values");
    expect_refused(MODULE_HEADER ".global .b32 x; .global .b32 x;", 4, "already declared");
    expect_refused(MODULE_HEADER ".global .u64 x = nothing;", 4, "nothing is not declared");
    expect_refused(MODULE_HEADER ".entry k() {\n bra L;\n}", 5, "no label L");
    expect_refused(MODULE_HEADER ".entry k() {\n add.s32 %r1, 2;\n}", 5, "%r1 is not declared");
    expect_refused(MODULE_HEADER ".entry k() { .reg .b32 r;\n add.s32 r, r r;\n}", 5,
                   "expected ',' or ';'");
    expect_refused(MODULE_HEADER ".entry k() { .reg .f32 r;\n mov.f32 r, 3;\n}", 5, "integer");
    expect_refused(MODULE_HEADER ".entry k() { .reg .b32 r;\n@r ret;\n}", 5, "predicate");
    expect_refused(MODULE_HEADER ".entry k() { .reg .b64 r;\ncall r;\n}", 5, "callprototype");
    expect_refused(MODULE_HEADER ".entry k() { ret;", 4, "'}' is missing");
    expect_refused(MODULE_HEADER ".global .b32 x = 1 / 0;", 4, "division by zero");
    expect_refused(MODULE_HEADER ".reg .b32 x;", 4, "state space");
    expect_refused(MODULE_HEADER ".entry k() { .reg .f32 f;\nst.f32 [0], f+1;\n}", 5,
                   "16, 32 or 64-bit integers");
    expect_refused(MODULE_HEADER ".entry k() { .reg .pred p;\nmov.pred p, p+1;\n}", 5,
                   "16, 32 or 64-bit integers");
    expect_refused(MODULE_HEADER ".entry k() { .reg .b32 r;\nmov.u32 r+1, r;\n}", 5,
                   "expected ',' or ';'");
    expect_refused(MODULE_HEADER ".entry k() { .reg .b32 r;\nst.u32 [0], r-1;\n}", 5,
                   "expected ',' or ';'");
    expect_refused(MODULE_HEADER ".global .u32 g;\n.entry k() { ld.u32 _, g[0]; }", 5,
                   "g is not an array");
    expect_refused(MODULE_HEADER ".global .u32 g[4];\n.entry k() { ld.u32 _, g[1.0]; }", 5,
                   "must be an integer or a register");
    expect_refused(MODULE_HEADER ".global .u32 g[4];\n.entry k() { .reg .f32 f; ld.u32 _, g[f]; }",
                   5, "a register of 16, 32 or 64-bit integers");
    expect_refused(
        MODULE_HEADER
        ".func f(.reg .u32 q) { ret; }\n.entry k() { .reg .v2 .u32 v;\ncall f, (v.x);\n}",
        6, "a whole vector register");
    expect_refused(MODULE_HEADER ".entry k() {.reg .b32 r<999999999>;}", 4, "registers");
}

static void test_caret_below_error(void **state)
{
    (void)state;
    const char *text = MODULE_HEADER ".entry k() {\n\tadd.s32 %r1, 2;\n}";
    ptx_error err;
    assert_null(ptx_parse(text, strlen(text), &err));
    assert_int_equal(err.kind, PTX_ERR_SYNTAX);
    assert_string_equal(err.text, "PTX line 5, column 10: %r1 is not declared here\n"
                                  "    add.s32 %r1, 2;\n"
                                  "            ^");
}

/* Nesting, sizes and counts that could exhaust the machine. */
static void test_excessive_sizes(void **state)
{
    (void)state;
    char *text = malloc(1 << 17);
    strcpy(text, MODULE_HEADER ".global .b32 x = ");
    memset(text + strlen(text), '(', 100000);
    text[100000] = 0;
    ptx_error err;
    assert_null(ptx_parse(text, strlen(text), &err));
    assert_non_null(strstr(err.text, "nested too deeply"));
    strcpy(text, MODULE_HEADER ".entry k() ");
    memset(text + strlen(text), '{', 100000);
    text[100000] = 0;
    assert_null(ptx_parse(text, strlen(text), &err));
    assert_non_null(strstr(err.text, "nested too deeply"));
    strcpy(text, MODULE_HEADER ".global .b8 x[1000][1000000000] = {{1}, {2}};");
    assert_null(ptx_parse(text, strlen(text), &err));
    assert_non_null(strstr(err.text, "room"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_module_directives),
        cmocka_unit_test(test_initialisers),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_immediates),
        cmocka_unit_test(test_operands),
        cmocka_unit_test(test_scopes),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_vector_registers),
        cmocka_unit_test(test_source_positions),
        cmocka_unit_test(test_unknown_instructions),
        cmocka_unit_test(test_error_messages),
        cmocka_unit_test(test_caret_below_error),
        cmocka_unit_test(test_excessive_sizes),
        cmocka_unit_test(test_names_of_every_kind),
        cmocka_unit_test(test_sums_in_operands),
        cmocka_unit_test(test_vector_elements),
        cmocka_unit_test(test_vector_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
