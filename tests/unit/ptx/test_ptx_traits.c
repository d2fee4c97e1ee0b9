/* Tests the traits of instructions in the sheet (table of PTX instructions): consistent in each
 * row, and correct for the registers that an instruction reads and writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "emulator/ptx/sheet.h"
#include "emulator/ptx/traits.h"

#include <stdlib.h>
#include <string.h>

static bool permits_modifier(const ptx_row *r, ptx_mod m)
{
    for (unsigned k = 0; k < r->permit_count; k++)
        if (r->permit[k].mod == m)
            return true;
    return false;
}

/* Number of memory operands, including [tex] and [surface]. */
static unsigned count_memory_operands(const ptx_row *r)
{
    unsigned count = 0;
    for (unsigned k = 0; k < r->shape_count; k++)
        count += r->shape[k].role == PTX_ROLE_MEMORY;
    return count;
}

static unsigned contradiction_count; /* contradictions found in the rows so far */

static void expect_consistent(const char *name, bool good, const char *rule)
{
    if (!good) {
        print_error("%s: %s\n", name, rule);
        contradiction_count++;
    }
}

static void check_row(ptx_op op)
{
    const char *name = ptx_op_name(op);
    const ptx_row *r = ptx_row_of_op(op);
    const ptx_traits *t = &ptx_traits_table[op];
    const bool result = r->shape_count && r->shape[0].result;
    const bool accesses = t->access != PTX_ACCESS__;
    for (unsigned k = 1; k < r->shape_count; k++) {
        expect_consistent(name, !r->shape[k].result && !r->shape[k].updated,
                          "operand 0 alone is written");
    }
    expect_consistent(name, accesses == (t->reach != PTX_REACH__),
                      "an access reaches a space, and only that");
    expect_consistent(name, !accesses || count_memory_operands(r) || t->sync == PTX_SYNC_copies,
                      "an access has an address, or waits for one that had");
    expect_consistent(name, t->access != PTX_ACCESS_atom || result, "an atom gives the old value");
    expect_consistent(name, t->access != PTX_ACCESS_store || !result, "a store has no result");
    expect_consistent(name, t->access != PTX_ACCESS_load || result, "a load has a result");
    expect_consistent(name, t->access != PTX_ACCESS_copy || count_memory_operands(r) != 1,
                      "a copy has two addresses");
    expect_consistent(name, (t->unit == PTX_UNIT_lsu) <= (t->reach == PTX_REACH_any && r->spaces),
                      "what lanes access may be in several spaces");
    expect_consistent(name,
                      (t->unit == PTX_UNIT_texture || t->unit == PTX_UNIT_surface) ==
                          (t->reach == PTX_REACH_tex),
                      "textures and surfaces are a space of their own");
    expect_consistent(name, t->sync != PTX_SYNC_lanes || permits_modifier(r, PTX_MOD_sync),
                      "a convergent instruction has a .sync form");
    expect_consistent(
        name, t->unit != PTX_UNIT_tensor || (t->sync == PTX_SYNC_lanes && result && !accesses),
        "matrices are multiplied by a warp, in registers");
    expect_consistent(name,
                      t->means == PTX_MEANS__ || (result && !accesses && t->flow == PTX_FLOW__),
                      "what has a meaning makes a result of its sources and does nothing else");
    expect_consistent(name, t->flow == PTX_FLOW__ || (!accesses && t->sync == PTX_SYNC__),
                      "control does nothing else");
    expect_consistent(name, t->sync != PTX_SYNC_block || permits_modifier(r, PTX_MOD_aligned),
                      "a barrier of the block can be .aligned");
    expect_consistent(name, t->sync != PTX_SYNC_aligned || !permits_modifier(r, PTX_MOD_aligned),
                      "an instruction that is always aligned has no .aligned form");
    expect_consistent(name, t->unit != PTX_UNIT_mbarrier || t->reach == PTX_REACH_shared,
                      "an mbarrier is in shared memory");
}

static void rows_have_no_contradiction(void **state)
{
    (void)state;
    contradiction_count = 0;
    for (unsigned op = 1; op < PTX_OP_COUNT; op++)
        check_row((ptx_op)op);
    assert_int_equal(contradiction_count, 0);
}

/* Every word of a column must occur in some row. */
static void every_word_is_used(void **state)
{
    (void)state;
    uint64_t flow = 0, sync = 0, access = 0, reach = 0, unit = 0, means = 0, cost = 0;
    for (unsigned op = 1; op < PTX_OP_COUNT; op++) {
        const ptx_traits *t = &ptx_traits_table[op];
        flow |= UINT64_C(1) << t->flow;
        sync |= UINT64_C(1) << t->sync;
        access |= UINT64_C(1) << t->access;
        reach |= UINT64_C(1) << t->reach;
        unit |= UINT64_C(1) << t->unit;
        means |= UINT64_C(1) << t->means;
        cost |= UINT64_C(1) << t->cost;
    }
    assert_int_equal(flow, (UINT64_C(2) << PTX_FLOW_stop) - 1);
    assert_int_equal(sync, (UINT64_C(2) << PTX_SYNC_sleep) - 1);
    assert_int_equal(access, (UINT64_C(2) << PTX_ACCESS_copy) - 1);
    assert_int_equal(reach, (UINT64_C(2) << PTX_REACH_tex) - 1);
    assert_int_equal(unit, (UINT64_C(2) << PTX_UNIT_video) - 1);
    assert_int_equal(means, (UINT64_C(2) << PTX_MEANS_shift) - 1);
    assert_int_equal(cost, (UINT64_C(2) << PTX_COST_atom) - 1);
}

/* Append the name of register W of function F, without %, to TEXT. */
static void append_register(char text[200], const ptx_func *f, const ptx_register_walk *w)
{
    const size_t n = strlen(text);
    snprintf(text + n, 200 - n, "%s%s%s", n ? " " : "", w->operand == PTX_GUARD_OPERAND ? "@" : "",
             f->regs[w->reg].name + 1);
}

static const struct {
    const char *text, *reads, *writes; /* instruction; registers it reads; registers it writes */
} visits[] = {
    {"add.s32 %r1, %r2, %r3;", "r2 r3", "r1"},
    {"@%p1 mov.u32 %r1, %r2;", "r2 @p1", "r1"},
    {"setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p3;", "r1 r2 p3", "p1 p2"},
    {"st.global.v2.u32 [%d1], {%r1, %r2};", "d1 r1 r2", ""},
    {"@!%p1 ld.global.v2.u32 {%r1, %r2}, [%d1+8];", "d1 @p1", "r1 r2"},
    {"atom.global.add.u32 %r1, [%d1], %r2;", "d1 r2", "r1"},
    {"red.global.add.u32 [%d1], %r2;", "d1 r2", ""},
    {"shfl.sync.idx.b32 %r1|%p1, %r2, %r3, 31, -1;", "r2 r3", "r1 p1"},
    {"activemask.b32 %r1;", "", "r1"},
    {"nanosleep.u32 %r1;", "r1", ""},
    {"bar.sync %r1, %r2;", "r1 r2", ""},
    {"bar.red.popc.u32 %r1, %r2, %r3, %p1;", "r2 r3 p1", "r1"},
    {"barrier.red.or.pred %p1, %r2, %p2;", "r2 p2", "p1"},
    {"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f5, %f6}];", "d1 f5 f6", "f1 f2 f3 f4"},
    {"call.uni (%r1), f, (%r2);", "r2", "r1"},
    {"wmma.store.d.sync.aligned.row.m16n16k16.f16 [%d1], {%r1, %r2, %r3, %r4}, %r5;",
     "d1 r1 r2 r3 r4 r5", ""},
    {"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r1, %r2}, {%r3}, {%r4}, {%r5, %r6};",
     "r3 r4 r5 r6", "r1 r2"},
    {"wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%f1, %f2, %f3, %f4}, %d1, %d2, %p1, 1, "
     "1;",
     "f1 f2 f3 f4 d1 d2 p1", "f1 f2 f3 f4"},
};

static void registers_read_and_written(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof visits / sizeof *visits; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 ".version 8.0\n.target sm_90a\n.address_size 64\n"
                 ".func (.reg .b32 %%q1) f(.reg .b32 %%q2);\n"
                 ".entry k() {\n.reg .pred %%p<4>; .reg .b32 %%r<9>; .reg .f32 %%f<9>;"
                 " .reg .b64 %%d<4>;\n%s\n}\n",
                 visits[k].text);
        ptx_error err;
        ptx_module *m = ptx_parse(text, strlen(text), &err);
        if (!m)
            fail_msg("%s", err.text);
        const ptx_func *f = ptx_find_func(m, "k");
        if (!ptx_is_legal(m, f, &err))
            fail_msg("%s", err.text);
        char reads[200] = "", writes[200] = "";
        PTX_EACH_READ(w, &f->insns[0])
            append_register(reads, f, &w);
        PTX_EACH_WRITTEN(w, &f->insns[0])
            append_register(writes, f, &w);
        if (strcmp(reads, visits[k].reads) || strcmp(writes, visits[k].writes))
            fail_msg("%s\nreads \"%s\", writes \"%s\"", visits[k].text, reads, writes);
        ptx_free(m);
    }
}

/* Branches to existing labels, and the successors of other instructions. */
static void successors_of_instructions(void **state)
{
    (void)state;
    const char *text = ".version 8.0\n.target sm_90\n.address_size 64\n.entry k() {\n"
                       ".reg .pred %p<4>; .reg .b32 %r<4>;\nL: bra M;\n@%p1 bra L;\nM: trap;\n"
                       "T: .branchtargets L, M;\nbrx.idx %r1, T;\n@%p1 exit;\nret;\n}\n";
    ptx_error err;
    ptx_module *m = ptx_parse(text, strlen(text), &err);
    if (!m)
        fail_msg("%s", err.text);
    const ptx_insn *in = ptx_find_func(m, "k")->insns;
    static const uint32_t to[] = {2, 0, PTX_NO_TARGET, PTX_NO_TARGET, PTX_NO_TARGET, PTX_NO_TARGET};
    static const bool stays[] = {true, false, false, true, false, true};
    for (unsigned k = 0; k < 6; k++) {
        assert_int_equal(ptx_branch_target(&in[k]), to[k]);
        assert_int_equal(ptx_never_falls_through(&in[k]), stays[k]);
        assert_int_equal(ptx_is_branch(&in[k]), k == 0 || k == 1 || k == 3);
    }
    ptx_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_have_no_contradiction),
        cmocka_unit_test(every_word_is_used),
        cmocka_unit_test(registers_read_and_written),
        cmocka_unit_test(successors_of_instructions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
