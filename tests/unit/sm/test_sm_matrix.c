/* Tests PTX matrix instructions, mbarrier and stack instructions: which uses are refused and with
 * which messages, and cases that the program tests do not cover. */
#include "sm_kernel.h"

#define KERNEL_HEAD                                                                     \
    ".visible .entry k(.param .u64 a, .param .u64 b)\n"                                 \
    "{ .reg .pred p; .reg .b32 r<16>; .reg .b64 d<8>; .shared .align 16 .b8 m[1024];\n" \
    "  ld.param.u64 d0, [a]; mov.u32 r0, %tid.x;\n"

static bool run_threads(kernel_run *run, const char *text, uint32_t threads)
{
    return run_kernel(run, text, threads, 0, NULL, 0, true);
}

static void expect_fault(const char *text, uint32_t threads, const char *message)
{
    kernel_run run;
    assert_false(run_threads(&run, text, threads));
    if (!strstr(run.result.fault.text, message))
        fail_msg("the fault message \"%s\" lacks \"%s\"", run.result.fault.text, message);
    free_kernel_run(&run);
}

#define MULTIPLY "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {r1, r2}, {r3}, {r4}, {r5, r6};\n"

/* A lane that has exited never arrives, so the result would be undefined. */
static void test_exited_lane(void **state)
{
    (void)state;
    expect_fault(KERNEL_HEAD "setp.eq.u32 p, r0, 7; @p exit;\n" MULTIPLY "ret; }", 32,
                 "all 32 lanes of a warp execute it together, but lanes 7 have exited");
}

static void test_warp_that_is_not_full(void **state)
{
    (void)state;
    expect_fault(KERNEL_HEAD MULTIPLY "ret; }", 16, "lanes 16-31 do not exist");
}

/* If the two halves of a warp execute different matrix instructions, the launch stops with a
 * fault. */
static void test_diverged_lanes(void **state)
{
    (void)state;
    expect_fault(KERNEL_HEAD "setp.lt.u32 p, r0, 16; @p bra LOW;\n" MULTIPLY "bra END;\n"
                             "LOW:" MULTIPLY "END: ret; }",
                 32, "all lanes of a mask must execute the same instruction");
}

/* Half-warps that reach the same instruction at different times wait for each other. */
static void test_lanes_reconverge(void **state)
{
    (void)state;
    kernel_run run;
    assert_true(run_threads(
        &run,
        KERNEL_HEAD
        "mov.b32 r3, 0x01010101; mov.b32 r4, 0x02020202; mov.b32 r5, 0; mov.b32 r6, r0;\n"
        "setp.lt.u32 p, r0, 16; @p bra LOW;\n add.u32 r5, r5, 1000; bra.uni GO;\n"
        "LOW: add.u32 r5, r5, 2000;\n"
        "GO: " MULTIPLY "mad.wide.u32 d1, r0, 8, d0; st.global.v2.b32 [d1], {r1, r2}; ret; }",
        32));
    for (uint32_t l = 0; l < 32; l++) {
        assert_int_equal(words(&run)[2 * l], (l < 16 ? 2000 : 1000) + 32);
        assert_int_equal(words(&run)[2 * l + 1], l + 32);
    }
    free_kernel_run(&run);
}

static void test_rows_outside(void **state)
{
    (void)state;
    expect_fault(KERNEL_HEAD
                 "mov.u32 r1, m; mad.lo.u32 r1, r0, 48, r1;\n"
                 "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {r2, r3, r4, r5}, [r1]; ret; }",
                 32, "shared memory");
    expect_fault(KERNEL_HEAD "mov.u32 r1, m; mad.lo.u32 r1, r0, 8, r1;\n"
                             "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {r2}, [r1]; ret; }",
                 32, "misaligned");
}

/* --- mbarrier --------------------------------------------------------------------------------- */

static void test_uninitialized_mbarrier(void **state)
{
    (void)state;
    expect_fault(KERNEL_HEAD "mbarrier.arrive.shared.b64 d1, [m]; ret; }", 32,
                 "no mbarrier was initialised at byte 0 of m");
    expect_fault(KERNEL_HEAD "mbarrier.init.shared.b64 [m], 32; mbarrier.inval.shared.b64 [m];\n"
                             "mbarrier.arrive.shared.b64 d1, [m]; ret; }",
                 1, "no mbarrier was initialised");
}

static void test_too_many_arrivals(void **state)
{
    (void)state;
    expect_fault(KERNEL_HEAD
                 "setp.eq.u32 p, r0, 0; @p mbarrier.init.shared.b64 [m], 5; bar.sync 0;\n"
                 "mbarrier.arrive.shared.b64 d1, [m], 3; ret; }",
                 2, "more arrivals than this phase");
    expect_fault(KERNEL_HEAD "mbarrier.init.shared.b64 [m], 0; ret; }", 1, "1 to 1048575 arrivals");
    expect_fault(KERNEL_HEAD "mbarrier.init.shared.b64 [m], 1;\n"
                             "mbarrier.arrive.noComplete.shared.b64 d1, [m], 1; ret; }",
                 1, "completes the phase");
}

/* The lanes of a warp arrive one after another, also where a phase ends between two of them: each
 * gets the state before its own arrival. */
static void test_arrivals_of_a_warp(void **state)
{
    (void)state;
    static const struct {
        uint32_t expected, odd; /* arrivals of a phase; how many more an odd lane makes than 1 */
    } cases[] = {{8, 0}, {16, 0}, {32, 0}, {64, 0}, {24, 1}, {48, 1}, {96, 1}};
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "%ssetp.eq.u32 p, r0, 0; @p mbarrier.init.shared.b64 [m], %u; bar.sync 0;\n"
                 "and.b32 r1, r0, %u; add.u32 r1, r1, 1; mbarrier.arrive.shared.b64 d1, [m], r1;\n"
                 "mbarrier.pending_count.b64 r2, d1;\n"
                 "mbarrier.test_wait.parity.shared.b64 p, [m], 0; selp.u32 r3, 1000, 0, p;\n"
                 "add.u32 r2, r2, r3; mad.wide.u32 d2, r0, 4, d0; st.global.u32 [d2], r2; ret; }",
                 KERNEL_HEAD, cases[n].expected, cases[n].odd);
        kernel_run run;
        assert_true(run_threads(&run, text, 32));
        uint32_t pending = cases[n].expected, before[32], phases = 0;
        for (uint32_t k = 0; k < 32; k++) {
            before[k] = pending;
            pending -= 1 + (k & cases[n].odd);
            phases += pending == 0;
            pending = pending ? pending : cases[n].expected;
        }
        for (uint32_t k = 0; k < 32; k++)
            assert_int_equal(words(&run)[k], before[k] + phases % 2 * 1000);
        free_kernel_run(&run);
    }
}

static void test_address_not_shared(void **state)
{
    (void)state;
    expect_fault(KERNEL_HEAD "mbarrier.init.b64 [d0], 4; ret; }", 1,
                 "an mbarrier must lie in shared memory");
}

/* Warps wait at an mbarrier for a later warp that arrives without waiting. */
static void test_waits(void **state)
{
    (void)state;
    kernel_run run;
    assert_true(run_threads(
        &run,
        KERNEL_HEAD
        "setp.eq.u32 p, r0, 0; @p mbarrier.init.shared.b64 [m], 1; bar.sync 0;\n"
        "setp.lt.u32 p, r0, 96; @p bra WAIT;\n"
        "setp.ne.u32 p, r0, 100; @p bra END;\n"
        "mov.u32 r1, 77; st.shared.u32 [m+16], r1; mbarrier.arrive.shared.b64 d1, [m];\n"
        "bra END;\n"
        "WAIT: mbarrier.try_wait.parity.shared.b64 p, [m], 0; @!p bra WAIT;\n"
        "ld.shared.u32 r1, [m+16]; mad.wide.u32 d1, r0, 4, d0; st.global.u32 [d1], r1;\n"
        "END: ret; }",
        128));
    for (uint32_t k = 0; k < 96; k++)
        assert_int_equal(words(&run)[k], 77);
    assert_null(run.result.reports); /* the barrier orders the write and the reads */
    free_kernel_run(&run);
}

/* --- tests of alloca and the stack ------------------------------------------------------------ */

/* After stackrestore the same memory can be allocated again, for each lane. */
static void test_stack_restored(void **state)
{
    (void)state;
    kernel_run run;
    assert_true(run_threads(
        &run,
        KERNEL_HEAD
        "stacksave.u64 d1; add.u32 r1, r0, 1; cvt.u64.u32 d2, r1; alloca.u64 d3, d2, 16;\n"
        "stackrestore.u64 d1; mov.u64 d2, 8; alloca.u64 d4, d2; st.local.u64 [d4], d2;\n"
        "sub.u64 d5, d3, d4; mad.wide.u32 d6, r0, 8, d0; st.global.u64 [d6], d5; ret; }",
        64));
    for (uint32_t k = 0; k < 64; k++)
        assert_int_equal(((uint64_t *)(void *)run.bytes)[k], 0);
    free_kernel_run(&run);
}

static void test_stack_full(void **state)
{
    (void)state;
    expect_fault(KERNEL_HEAD
                 "mov.u64 d1, 10000000; alloca.u64 d2, d1; st.local.u64 [d2], d1; ret; }",
                 32, "alloca of 10000000 bytes");
}

/* --- packing ---------------------------------------------------------------------------------- */

static void test_packed(void **state)
{
    (void)state;
    kernel_run run;
    assert_true(run_threads(
        &run,
        KERNEL_HEAD
        "mov.b32 r1, 70000; mov.b32 r2, -5; mov.b32 r3, 0x12345678;\n"
        "cvt.pack.sat.u16.s32 r4, r1, r2; cvt.pack.sat.s16.s32 r5, r1, r2;\n"
        "cvt.pack.sat.u8.s32.b32 r6, r1, r2, r3; cvt.pack.sat.s8.s32.b32 r7, r1, r2, r3;\n"
        "st.global.v4.b32 [d0], {r4, r5, r6, r7}; ret; }",
        1));
    assert_int_equal(words(&run)[0], 0xffff0000);
    assert_int_equal(words(&run)[1], 0x7ffffffb);
    assert_int_equal(words(&run)[2], 0x5678ff00);
    assert_int_equal(words(&run)[3], 0x56787ffb);
    free_kernel_run(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exited_lane),
        cmocka_unit_test(test_warp_that_is_not_full),
        cmocka_unit_test(test_diverged_lanes),
        cmocka_unit_test(test_lanes_reconverge),
        cmocka_unit_test(test_rows_outside),
        cmocka_unit_test(test_uninitialized_mbarrier),
        cmocka_unit_test(test_too_many_arrivals),
        cmocka_unit_test(test_arrivals_of_a_warp),
        cmocka_unit_test(test_address_not_shared),
        cmocka_unit_test(test_waits),
        cmocka_unit_test(test_stack_restored),
        cmocka_unit_test(test_stack_full),
        cmocka_unit_test(test_packed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
