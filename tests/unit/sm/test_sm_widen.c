/* Tests which loads from shared memory the assembler merges, and which it cannot merge. */
#include "sm_kernel.h"

#define KERNEL_HEAD                                                                      \
    ".visible .entry k(.param .u64 k_0, .param .u64 k_1)\n{\n"                           \
    ".reg .pred %p<4>;\n.reg .b32 %r<32>;\n.reg .f32 %f<4>;\n.reg .b64 %rd<8>;\n"        \
    ".shared .align 16 .b8 tile[16];\nld.param.u64 %rd1, [k_0];\nmov.u32 %r1, %tid.x;\n" \
    "shl.b32 %r2, %r1, 4;\nsetp.gt.u32 %p1, %r1, 99;\n"

/* Load four consecutive words, starting at address %r3. */
#define LOAD_FOUR_WORDS                                          \
    "ld.shared.u32 %r10, [%r3];\nld.shared.u32 %r11, [%r3+4];\n" \
    "ld.shared.u32 %r12, [%r3+8];\nld.shared.u32 %r13, [%r3+12];\n"

#define KERNEL_END                                                                      \
    "add.u32 %r10, %r10, %r11;\nadd.u32 %r12, %r12, %r13;\nadd.u32 %r10, %r10, %r12;\n" \
    "st.global.u32 [%rd1], %r10;\nret;\n}\n"

typedef struct widen_case {
    const char *what, *text; /* what the code does; the code */
    uint32_t widened;        /* number of loads that are merged into another load */
} widen_case;

static void expect_widened(const widen_case *cases, size_t count)
{
    for (size_t c = 0; c < count; c++) {
        kernel_run run = {0};
        run_kernel(&run, cases[c].text, 32, 4096, NULL, 0, false);
        expect_ok(&run);
        if (C(run, shared_widened) != cases[c].widened) {
            fail_msg("%s: %llu loads are merged into others, not %u", cases[c].what,
                     (unsigned long long)C(run, shared_widened), cases[c].widened);
        }
        free_kernel_run(&run);
    }
}

#define CASES(list) expect_widened(list, sizeof(list) / sizeof(list)[0])

static void loads_with_known_alignment_are_merged(void **state)
{
    (void)state;
    static const widen_case cases[] = {
        {"16 bytes per lane", KERNEL_HEAD "mov.u32 %r3, %r2;\n" LOAD_FOUR_WORDS KERNEL_END, 3},
        {"8 bytes per lane", KERNEL_HEAD "shl.b32 %r3, %r1, 3;\n" LOAD_FOUR_WORDS KERNEL_END, 2},
        {"4 bytes per lane", KERNEL_HEAD "shl.b32 %r3, %r1, 2;\n" LOAD_FOUR_WORDS KERNEL_END, 0},
        {"a product", KERNEL_HEAD "mul.lo.u32 %r3, %r1, 48;\n" LOAD_FOUR_WORDS KERNEL_END, 3},
        {"a product and a sum",
         KERNEL_HEAD "mad.lo.u32 %r3, %r1, 16, %r2;\n" LOAD_FOUR_WORDS KERNEL_END, 3},
        {"rows of 33 words", KERNEL_HEAD "mul.lo.u32 %r3, %r1, 68;\n" LOAD_FOUR_WORDS KERNEL_END,
         0},
        {"a variable",
         KERNEL_HEAD "mov.u32 %r3, tile;\nadd.u32 %r3, %r3, %r2;\n" LOAD_FOUR_WORDS KERNEL_END, 3},
        {"one of two", KERNEL_HEAD "selp.b32 %r3, %r2, 64, %p1;\n" LOAD_FOUR_WORDS KERNEL_END, 3},
        {"one of two, of which one is not",
         KERNEL_HEAD "selp.b32 %r3, 4, %r2, %p1;\n" LOAD_FOUR_WORDS KERNEL_END, 0},
        {"bits cut off",
         KERNEL_HEAD
         "mul.lo.u32 %r4, %r1, 20;\nand.b32 %r3, %r4, 0xff0;\n" LOAD_FOUR_WORDS KERNEL_END,
         3},
    };
    CASES(cases);
}

static void loads_with_unknown_alignment_are_not_merged(void **state)
{
    (void)state;
    static const widen_case cases[] = {
        {"the upper half of a product",
         KERNEL_HEAD "mul.hi.u32 %r3, %r1, 16;\n" LOAD_FOUR_WORDS KERNEL_END, 0},
        {"a sum with the upper half of a product",
         KERNEL_HEAD "mad.hi.u32 %r3, %r1, 16, %r2;\n" LOAD_FOUR_WORDS KERNEL_END, 0},
        {"a number that was a float",
         KERNEL_HEAD
         "mov.f32 %f1, 0f42800000;\ncvt.rzi.u32.f32 %r3, %f1;\n" LOAD_FOUR_WORDS KERNEL_END,
         0},
        {"a sum that is limited",
         KERNEL_HEAD "add.sat.s32 %r3, %r2, 2147483632;\nsub.s32 %r3, %r3, 2147483647;\n"
                     "mov.u32 %r3, 0;\nadd.sat.s32 %r3, %r3, %r2;\n" LOAD_FOUR_WORDS KERNEL_END,
         0},
        {"lanes that are active",
         KERNEL_HEAD "activemask.b32 %r3;\nand.b32 %r3, %r3, 12;\n" LOAD_FOUR_WORDS KERNEL_END, 0},
        {"set under a guard as well",
         KERNEL_HEAD "mov.u32 %r3, %r2;\n@%p1 mov.u32 %r3, 4;\n" LOAD_FOUR_WORDS KERNEL_END, 0},
        {"an argument in a register",
         ".global .u32 out;\n.func f(.reg .b32 %a)\n{\n.reg .b32 %r<32>;\n.reg .b64 %rd<4>;\n"
         "mov.u64 %rd1, out;\nld.shared.u32 %r10, [%a];\nld.shared.u32 %r11, [%a+4];\n"
         "add.u32 %r10, %r10, %r11;\nst.global.u32 [%rd1], %r10;\nret;\n}\n"
         ".visible .entry k(.param .u64 k_0, .param .u64 k_1)\n{\n.reg .b32 %r<4>;\n"
         "mov.u32 %r1, 0;\ncall f, (%r1);\nret;\n}\n",
         0},
    };
    CASES(cases);
}

static void what_prevents_merging_loads(void **state)
{
    (void)state;
    static const widen_case cases[] = {
        {"the register moves on between two halves",
         KERNEL_HEAD "mov.u32 %r3, %r2;\nld.shared.u32 %r10, [%r3];\nld.shared.u32 %r11, [%r3+4];\n"
                     "add.u32 %r3, %r3, 16;\nld.shared.u32 %r12, [%r3+8];\n"
                     "ld.shared.u32 %r13, [%r3+12];\n" KERNEL_END,
         2},
        {"the register moves on between two words",
         KERNEL_HEAD
         "mov.u32 %r3, %r2;\nld.shared.u32 %r10, [%r3];\nadd.u32 %r3, %r3, 16;\n"
         "ld.shared.u32 %r11, [%r3+4];\nmov.u32 %r12, %r11;\nmov.u32 %r13, %r11;\n" KERNEL_END,
         0},
        {"a load into the register itself",
         KERNEL_HEAD "mov.u32 %r3, %r2;\nld.shared.u32 %r3, [%r3];\nand.b32 %r3, %r3, 0xf0;\n"
                     "ld.shared.u32 %r11, [%r3+4];\nmov.u32 %r10, %r11;\nmov.u32 %r12, %r11;\n"
                     "mov.u32 %r13, %r11;\n" KERNEL_END,
         0},
        {"a store that may be to the same place",
         KERNEL_HEAD
         "mov.u32 %r3, %r2;\nld.shared.u32 %r10, [%r3];\nst.shared.u32 [%r3+4], %r10;\n"
         "ld.shared.u32 %r11, [%r3+4];\nmov.u32 %r12, %r11;\nmov.u32 %r13, %r11;\n" KERNEL_END,
         0},
        {"a store elsewhere",
         KERNEL_HEAD
         "mov.u32 %r3, %r2;\nld.shared.u32 %r10, [%r3];\nst.global.u32 [%rd1+4], %r10;\n"
         "ld.shared.u32 %r11, [%r3+4];\nmov.u32 %r12, %r11;\nmov.u32 %r13, %r11;\n" KERNEL_END,
         1},
        {"an atomic operation",
         KERNEL_HEAD
         "mov.u32 %r3, %r2;\nld.shared.u32 %r10, [%r3];\nred.shared.add.u32 [%r3+4], %r10;\n"
         "ld.shared.u32 %r11, [%r3+4];\nmov.u32 %r12, %r11;\nmov.u32 %r13, %r11;\n" KERNEL_END,
         0},
        {"a fence",
         KERNEL_HEAD
         "mov.u32 %r3, %r2;\nld.shared.u32 %r10, [%r3];\nmembar.cta;\n"
         "ld.shared.u32 %r11, [%r3+4];\nmov.u32 %r12, %r11;\nmov.u32 %r13, %r11;\n" KERNEL_END,
         0},
        {"an asynchronous copy",
         KERNEL_HEAD
         "mov.u32 %r3, %r2;\nld.shared.u32 %r10, [%r3];\n"
         "cp.async.ca.shared.global [%r3], [%rd1], 4;\ncp.async.wait_all;\n"
         "ld.shared.u32 %r11, [%r3+4];\nmov.u32 %r12, %r11;\nmov.u32 %r13, %r11;\n" KERNEL_END,
         0},
        {"words that others may write meanwhile",
         KERNEL_HEAD
         "mov.u32 %r3, %r2;\nld.volatile.shared.u32 %r10, [%r3];\n"
         "ld.volatile.shared.u32 %r11, [%r3+4];\nld.relaxed.cta.shared.u32 %r12, [%r3+8];\n"
         "ld.acquire.cta.shared.u32 %r13, [%r3+12];\n" KERNEL_END,
         0},
        {"a word under a guard",
         KERNEL_HEAD "mov.u32 %r3, %r2;\nld.shared.u32 %r10, [%r3];\n"
                     "@!%p1 ld.shared.u32 %r11, [%r3+4];\nmov.u32 %r12, %r11;\nmov.u32 %r13, "
                     "%r11;\n" KERNEL_END,
         0},
        {"words below the register",
         KERNEL_HEAD "add.u32 %r3, %r2, 16;\nld.shared.u32 %r10, [%r3+-16];\n"
                     "ld.shared.u32 %r11, [%r3+-12];\nld.shared.u32 %r12, [%r3+-8];\n"
                     "ld.shared.u32 %r13, [%r3+-4];\n" KERNEL_END,
         3},
    };
    CASES(cases);
}

static void every_iteration_of_a_loop_counts(void **state)
{
    (void)state;
    kernel_run run = {0};
    run_kernel(&run,
               KERNEL_HEAD
               "mov.u32 %r3, %r2;\nmov.u32 %r20, 0;\nL:\n" LOAD_FOUR_WORDS
               "add.u32 %r20, %r20, 1;\nsetp.lt.u32 %p2, %r20, 5;\n@%p2 bra L;\n" KERNEL_END,
               64, 4096, NULL, 0, false);
    expect_ok(&run);
    assert_int_equal(C(run, shared_widened), 2 * 5 * 3);
    free_kernel_run(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_with_known_alignment_are_merged),
        cmocka_unit_test(loads_with_unknown_alignment_are_not_merged),
        cmocka_unit_test(what_prevents_merging_loads),
        cmocka_unit_test(every_iteration_of_a_loop_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
