/* Tests the scheduling of diverged lanes (fragments of a warp): lanes that diverge, reconverge,
 * wait for each other's stores, and exit. */
#include "counter_names.h"
#include "sm_kernel.h"

#define KERNEL_HEAD                                                                        \
    ".visible .entry k(.param .u64 k_0, .param .u64 k_1)\n{\n"                             \
    ".reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<16>;\n"                           \
    "ld.param.u64 %rd1, [k_0];\nmov.u32 %r1, %tid.x;\n"                                    \
    "mov.u32 %r30, %ctaid.x;\nmov.u32 %r31, %ntid.x;\nmad.lo.s32 %r29, %r30, %r31, %r1;\n" \
    "mul.wide.u32 %rd2, %r29, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"

/* if (tid & 1) r = 3 * tid; else r = tid + 100; out = r + activemask */
static void lanes_diverge_and_reconverge(void **state)
{
    (void)state;
    kernel_run run;
    run_kernel(&run,
               KERNEL_HEAD "and.b32 %r2, %r1, 1;\nsetp.eq.s32 %p1, %r2, 0;\n@%p1 bra EVEN;\n"
                           "mul.lo.s32 %r3, %r1, 3;\nbra JOIN;\n"
                           "EVEN:\nadd.s32 %r3, %r1, 100;\n"
                           "JOIN:\nactivemask.b32 %r4;\nadd.s32 %r3, %r3, %r4;\n"
                           "st.global.u32 [%rd3], %r3;\nret;\n}\n",
               40, 0, NULL, 0, false);
    expect_ok(&run);
    for (uint32_t t = 0; t < 40; t++) {
        const uint32_t all = t < 32 ? UINT32_MAX : 0xff;
        assert_int_equal(words(&run)[t], (t & 1 ? 3 * t : t + 100) + all);
    }
    assert_int_equal(C(run, divergent_branches), 2);
    /* Per warp: 10 instructions up to the branch, 1 + 2 + 1 on its sides, 4 afterwards. */
    assert_int_equal(C(run, inst), 2 * (10 + 2 + 1 + 4));
    assert_int_equal(C(run, thread_inst), 40 * (10 + 4) + 20 * 2 + 20 * 1);
    free_kernel_run(&run);
}

/* Lane t runs its loop t times: lanes leave one by one and reconverge after the loop. */
static void lanes_reconverge_after_loops_of_different_length(void **state)
{
    (void)state;
    kernel_run run;
    run_kernel(&run,
               KERNEL_HEAD
               "mov.u32 %r2, 0;\nmov.u32 %r3, 0;\n"
               "LOOP:\nsetp.ge.u32 %p1, %r2, %r1;\n@%p1 bra DONE;\n"
               "add.s32 %r3, %r3, %r2;\nadd.s32 %r2, %r2, 1;\nbra LOOP;\n"
               "DONE:\nactivemask.b32 %r4;\nshl.b32 %r4, %r4, 16;\nor.b32 %r3, %r3, %r4;\n"
               "st.global.u32 [%rd3], %r3;\nret;\n}\n",
               32, 0, NULL, 0, false);
    expect_ok(&run);
    for (uint32_t t = 0; t < 32; t++)
        assert_int_equal(words(&run)[t], t * (t - 1) / 2 | 0xffff0000);
    assert_int_equal(C(run, divergent_branches), 31);
    free_kernel_run(&run);
}

/* Lane t runs its loop 40 t times, so that lanes after the loop run while others are still in it.
 * Lanes after the loop must not overwrite registers that lanes in the loop still need. */
static void lanes_after_a_loop_keep_the_registers_of_lanes_in_it(void **state)
{
    (void)state;
    kernel_run run;
    run_kernel(&run,
               KERNEL_HEAD "mul.lo.u32 %r2, %r1, 40;\nmov.u32 %r3, 0;\nmov.u64 %rd4, 0;\n"
                           "bra TEST;\n"
                           "LOOP:\nadd.u32 %r3, %r3, 1;\nadd.u64 %rd4, %rd4, 3;\n"
                           "TEST:\nsetp.lt.u32 %p1, %r3, %r2;\n@%p1 bra LOOP;\n"
                           "mul.wide.u32 %rd5, %r29, 8;\nadd.u64 %rd6, %rd1, %rd5;\n"
                           "mul.wide.u32 %rd7, %r1, %r1;\nadd.u64 %rd7, %rd7, %rd4;\n"
                           "st.global.u64 [%rd6], %rd7;\nret;\n}\n",
               32, 0, NULL, 0, false);
    expect_ok(&run);
    for (uint32_t t = 0; t < 32; t++)
        assert_int_equal(((const uint64_t *)run.bytes)[t], 120 * t + t * t);
    free_kernel_run(&run);
}

/* while (atomicCAS(lock, 0, 1)); count++; atomicExch(lock, 0): the lanes of one warp take the lock
 * one after another, and all finish. */
static const char spin_lock[] =
    KERNEL_HEAD "SPIN:\natom.global.cas.b32 %r2, [%rd1+4096], 0, 1;\nsetp.ne.s32 %p1, %r2, 0;\n"
                "@%p1 bra SPIN;\n"
                "ld.volatile.global.u32 %r3, [%rd1+4100];\nadd.s32 %r3, %r3, 1;\n"
                "st.volatile.global.u32 [%rd1+4100], %r3;\nmembar.gl;\n"
                "atom.global.exch.b32 %r4, [%rd1+4096], 0;\nret;\n}\n";

static void a_spin_lock_between_lanes_makes_progress(void **state)
{
    (void)state;
    kernel_run run;
    run_kernel(&run, spin_lock, 32, 0, NULL, 0, false);
    expect_ok(&run);
    assert_int_equal(words(&run)[1025], 32);
    free_kernel_run(&run);
    run_kernel(&run, spin_lock, 256, 0, NULL, 0, false);
    expect_ok(&run);
    assert_int_equal(words(&run)[1025], 256);
    free_kernel_run(&run);
}

static void a_spin_lock_between_blocks_makes_progress(void **state)
{
    (void)state;
    for (uint32_t workers = 1; workers <= 2; workers++) {
        kernel_run run;
        const sm_launch shape = {.grid = {20, 1, 1}, .block = {64, 1, 1}, .workers = workers};
        run_grid(&run, spin_lock, &shape, NULL, 0);
        expect_ok(&run);
        assert_int_equal(words(&run)[1025], 20 * 64);
        free_kernel_run(&run);
    }
}

/* Warp 0 polls a flag that warp 3 sets. */
static void a_warp_that_polls_lets_others_run(void **state)
{
    (void)state;
    kernel_run run;
    run_kernel(&run,
               KERNEL_HEAD "setp.lt.u32 %p1, %r1, 96;\n@%p1 bra WAIT;\n"
                           "st.volatile.global.u32 [%rd1+8192], 7;\nbra DONE;\n"
                           "WAIT:\nld.volatile.global.u32 %r2, [%rd1+8192];\n"
                           "setp.eq.s32 %p2, %r2, 0;\n@%p2 bra WAIT;\n"
                           "DONE:\nst.global.u32 [%rd3], 1;\nret;\n}\n",
               128, 0, NULL, 0, false);
    expect_ok(&run);
    for (uint32_t t = 0; t < 128; t++)
        assert_int_equal(words(&run)[t], 1);
    free_kernel_run(&run);
}

/* Every block waits for the last block, so all blocks must be resident at the same time. */
static void blocks_that_wait_for_later_ones_finish(void **state)
{
    (void)state;
    for (uint32_t workers = 1; workers <= 2; workers++) {
        kernel_run run;
        const sm_launch shape = {
            .grid = {50, 1, 1}, .block = {32, 1, 1}, .workers = workers, .cooperative = true};
        run_grid(&run,
                 KERNEL_HEAD "setp.ne.s32 %p1, %r1, 0;\n@%p1 bra MEET;\n"
                             "atom.global.add.u32 %r2, [%rd1+16384], 1;\n"
                             "WAIT:\nld.acquire.gpu.global.u32 %r3, [%rd1+16384];\n"
                             "setp.lt.u32 %p2, %r3, 50;\n@%p2 bra WAIT;\n"
                             "MEET:\nbar.sync 0;\nst.global.u32 [%rd3], 5;\nret;\n}\n",
                 &shape, NULL, 0);
        expect_ok(&run);
        for (uint32_t t = 0; t < 50 * 32; t++)
            assert_int_equal(words(&run)[t], 5);
        free_kernel_run(&run);
    }
}

/* Half of the threads exit before the barrier; the other threads do not wait for them. */
static void barriers_do_not_wait_for_exited_threads(void **state)
{
    (void)state;
    kernel_run run;
    run_kernel(&run,
               KERNEL_HEAD "setp.ge.u32 %p1, %r1, 50;\n@%p1 exit;\n"
                           "bar.sync 0;\nst.global.u32 [%rd3], 9;\nret;\n}\n",
               100, 0, NULL, 0, false);
    expect_ok(&run);
    for (uint32_t t = 0; t < 100; t++)
        assert_int_equal(words(&run)[t], t < 50 ? 9 : 0);
    assert_int_equal(C(run, barriers), 2);
    assert_int_equal(C(run, branches), 0);
    free_kernel_run(&run);
}

/* @p and @!p on an instruction that is not a branch affect only that instruction. */
static void a_guard_affects_only_its_instruction(void **state)
{
    (void)state;
    kernel_run run;
    run_kernel(&run,
               KERNEL_HEAD "setp.lt.u32 %p1, %r1, 5;\nmov.u32 %r2, 1;\n@%p1 mov.u32 %r2, 2;\n"
                           "@!%p1 add.s32 %r2, %r2, %r1;\n@%p1 st.global.u32 [%rd3+4096], %r2;\n"
                           "st.global.u32 [%rd3], %r2;\nret;\n}\n",
               32, 0, NULL, 0, false);
    expect_ok(&run);
    for (uint32_t t = 0; t < 32; t++) {
        assert_int_equal(words(&run)[t], t < 5 ? 2 : 1 + t);
        assert_int_equal(words(&run)[1024 + t], t < 5 ? 2 : 0);
    }
    assert_int_equal(C(run, inst), 14);
    assert_int_equal(C(run, divergent_branches), 0);
    free_kernel_run(&run);
}

/* brx.idx with four targets, three of them taken. */
static void a_branch_table_goes_to_each_target(void **state)
{
    (void)state;
    kernel_run run;
    const char *text =
        KERNEL_HEAD "rem.u32 %r2, %r1, 3;\nTABLE: .branchtargets A, B, D, A;\nbrx.idx %r2, TABLE;\n"
                    "A:\nmov.u32 %r3, 10;\nbra E;\nB:\nmov.u32 %r3, 20;\nbra E;\n"
                    "D:\nmov.u32 %r3, 30;\nE:\nst.global.u32 [%rd3], %r3;\nret;\n}\n";
    run_kernel(&run, text, 32, 0, NULL, 0, false);
    expect_ok(&run);
    for (uint32_t t = 0; t < 32; t++)
        assert_int_equal(words(&run)[t], 10 * (t % 3 + 1));
    free_kernel_run(&run);
}

/* Counters are equal with one and with three host threads. */
static void counters_do_not_depend_on_workers(void **state)
{
    (void)state;
    counters seen[2];
    for (uint32_t k = 0; k < 2; k++) {
        kernel_run run;
        const sm_launch shape = {.grid = {77, 2, 1}, .block = {70, 1, 1}, .workers = k ? 3 : 1};
        run_grid(&run,
                 KERNEL_HEAD
                 "and.b32 %r2, %r1, 3;\nLOOP:\nsetp.eq.s32 %p1, %r2, 0;\n@%p1 bra OUT;\n"
                 "add.s32 %r2, %r2, -1;\nbra LOOP;\nOUT:\nst.global.u32 [%rd3], %r1;\n"
                 "bar.sync 0;\nret;\n}\n",
                 &shape, NULL, 0);
        expect_ok(&run);
        seen[k] = run.result.total;
        free_kernel_run(&run);
    }
    for (uint32_t c = 0; c < CTR_COUNT; c++) {
        if (seen[0].v[c] != seen[1].v[c]) {
            fail_msg("%s: %llu with one host thread, %llu with three", counter_names[c],
                     (unsigned long long)seen[0].v[c], (unsigned long long)seen[1].v[c]);
        }
    }
    assert_int_equal(seen[0].v[CTR_blocks], 154);
    assert_int_equal(seen[0].v[CTR_warps], 462);
}

/* Two sums over 256 threads through the same words, with no barrier between the loads of the first
 * sum and the stores of the second. */
#define ADD_WARP_SUMS                                                \
    "@%p1 st.shared.u32 [%r6], %r3;\nbar.sync 0;\nmov.u32 %r3, 0;\n" \
    "@%p2 ld.shared.u32 %r3, [%r7];\nredux.sync.add.s32 %r3, %r3, 0xffffffff;\n"

static void a_late_store_does_not_overtake_loads_of_other_warps(void **state)
{
    (void)state;
    kernel_run run;
    run_kernel(&run,
               KERNEL_HEAD ".shared .align 4 .b8 s[32];\nmov.u32 %r4, s;\nand.b32 %r5, %r1, 31;\n"
                           "shr.u32 %r2, %r1, 5;\nshl.b32 %r6, %r2, 2;\nadd.s32 %r6, %r6, %r4;\n"
                           "shl.b32 %r7, %r5, 2;\nadd.s32 %r7, %r7, %r4;\n"
                           "setp.eq.u32 %p1, %r5, 0;\nsetp.lt.u32 %p2, %r5, 8;\n"
                           "add.s32 %r3, %r2, 1;\n" ADD_WARP_SUMS ADD_WARP_SUMS ADD_WARP_SUMS
                           "st.global.u32 [%rd3], %r3;\nret;\n}\n",
               256, 0, NULL, 0, false);
    expect_ok(&run);
    for (uint32_t t = 0; t < 256; t++)
        assert_int_equal(words(&run)[t], 36 * 8 * 8);
    free_kernel_run(&run);
}

/* Registers that share a storage slot must not be live at the same time; here many values are live
 * across a branch. */
static void slots_are_not_shared_by_live_registers(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fputs(".visible .entry k(.param .u64 k_0, .param .u64 k_1)\n{\n.reg .pred %p<8>;\n"
          ".reg .b32 %r<200>;\n.reg .b64 %rd<200>;\nld.param.u64 %rd1, [k_0];\n"
          "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n",
          f);
    for (int k = 10; k < 60; k++)
        fprintf(f, "add.s32 %%r%d, %%r1, %d;\ncvt.u64.u32 %%rd%d, %%r%d;\n", k, k, k, k);
    fputs("and.b32 %r2, %r1, 1;\nsetp.eq.s32 %p1, %r2, 0;\nmov.u32 %r3, 0;\n@%p1 bra B;\n", f);
    for (int k = 10; k < 60; k += 2)
        fprintf(f, "add.s32 %%r%d, %%r%d, 1;\nadd.s32 %%r3, %%r3, %%r%d;\n", k + 100, k, k + 100);
    fputs("B:\nmov.u64 %rd4, 0;\n", f);
    for (int k = 10; k < 60; k++)
        fprintf(f, "add.s32 %%r3, %%r3, %%r%d;\nadd.s64 %%rd4, %%rd4, %%rd%d;\n", k, k);
    fputs("cvt.u32.u64 %r4, %rd4;\nsub.s32 %r3, %r3, %r4;\nst.global.u32 [%rd3], %r3;\nret;\n}\n",
          f);
    fclose(f);
    kernel_run run;
    run_kernel(&run, text, 32, 0, NULL, 0, false);
    free(text);
    expect_ok(&run);
    for (uint32_t t = 0; t < 32; t++) {
        uint32_t sum = 0;
        for (uint32_t k = 10; k < 60 && t & 1; k += 2)
            sum += t + k + 1;
        assert_int_equal(words(&run)[t], sum);
    }
    free_kernel_run(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_diverge_and_reconverge),
        cmocka_unit_test(lanes_reconverge_after_loops_of_different_length),
        cmocka_unit_test(lanes_after_a_loop_keep_the_registers_of_lanes_in_it),
        cmocka_unit_test(a_spin_lock_between_lanes_makes_progress),
        cmocka_unit_test(a_spin_lock_between_blocks_makes_progress),
        cmocka_unit_test(a_warp_that_polls_lets_others_run),
        cmocka_unit_test(blocks_that_wait_for_later_ones_finish),
        cmocka_unit_test(barriers_do_not_wait_for_exited_threads),
        cmocka_unit_test(a_guard_affects_only_its_instruction),
        cmocka_unit_test(a_branch_table_goes_to_each_target),
        cmocka_unit_test(counters_do_not_depend_on_workers),
        cmocka_unit_test(a_late_store_does_not_overtake_loads_of_other_warps),
        cmocka_unit_test(slots_are_not_shared_by_live_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
