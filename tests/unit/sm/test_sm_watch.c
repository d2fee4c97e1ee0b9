/* Tests that kernels that can never end are stopped, and that slow kernels are not. */
#include "sm_kernel.h"

#include "emulator/timing/timing.h"
#include "places.h"

#include <pthread.h>
#include <time.h>

#define KERNEL_HEAD                                             \
    ".visible .entry k(.param .u64 k_0, .param .u64 k_1)\n{\n"  \
    ".reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<8>;\n" \
    ".shared .align 4 .b8 s[8];\n"                              \
    "ld.param.u64 %rd1, [k_0];\nld.param.u64 %rd2, [k_1];\n"    \
    "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n"

#define TAKE_LOCK \
    "L:\natom.global.cas.b32 %r3, [%rd1], 0, 1;\nsetp.ne.s32 %p1, %r3, 0;\n@%p1 bra L;\n"

static void launch_kernel(kernel_run *run, const char *text, uint32_t blocks, uint32_t threads,
                          uint32_t workers, uint64_t other)
{
    const sm_launch shape = {.grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .workers = workers};
    run_grid(run, text, &shape, NULL, other);
}

static void expect_stopped(kernel_run *run, const char *words)
{
    if (run->result.fault.kind != SM_FAULT_DEADLOCK || !strstr(run->result.fault.text, words))
        fail_msg("kind %d: %s", run->result.fault.kind, run->result.fault.text);
    free_kernel_run(run);
}

static void expect_ends(kernel_run *run)
{
    if (run->result.fault.kind != SM_OK)
        fail_msg("%s", run->result.fault.text);
    free_kernel_run(run);
}

static void a_lock_that_is_never_released(void **state)
{
    (void)state;
    kernel_run run;
    launch_kernel(&run, KERNEL_HEAD TAKE_LOCK "ret;\n}\n", 1, 32, 1, 0);
    assert_int_equal(run.result.fault.address, run.buffer);
    assert_int_equal(run.result.fault.size, 4);
    assert_non_null(strstr(run.result.fault.text, "cudaMalloc"));
    expect_stopped(&run, "which hold 1, to change");
    for (uint32_t workers = 1; workers <= 4; workers += 3) {
        launch_kernel(&run, KERNEL_HEAD TAKE_LOCK "ret;\n}\n", 64, 96, workers, 0);
        expect_stopped(&run, "which hold 1, to change");
    }
}

static void a_lock_taken_by_exchange(void **state)
{
    (void)state;
    kernel_run run;
    launch_kernel(&run,
                  KERNEL_HEAD
                  "L:\natom.global.exch.b32 %r3, [%rd1+8], 7;\nsetp.ne.s32 %p1, %r3, 0;\n"
                  "@%p1 bra L;\nret;\n}\n",
                  3, 40, 2, 0);
    expect_stopped(&run, "which hold 7, to change");
}

static void a_flag_that_nobody_sets(void **state)
{
    (void)state;
    kernel_run run;
    /* Block 0 does some work and exits; the loop has two halves, so iterations end in either of
     * them. */
    launch_kernel(
        &run,
        KERNEL_HEAD
        "setp.eq.s32 %p2, %r2, 0;\n@%p2 bra END;\n"
        "L:\nld.volatile.global.u32 %r3, [%rd1];\nsetp.ne.s32 %p1, %r3, 0;\n@%p1 bra END;\n"
        "M:\nld.volatile.global.u32 %r4, [%rd1+4];\nsetp.eq.s32 %p1, %r4, 1;\n@%p1 bra M;\n"
        "bra L;\nEND:\nst.global.u32 [%rd1+16], %r2;\nret;\n}\n",
        5, 64, 2, 0);
    expect_stopped(&run, "which hold 0, to change");
}

static void a_flag_in_shared_memory_after_a_barrier(void **state)
{
    (void)state;
    kernel_run run;
    launch_kernel(&run,
                  KERNEL_HEAD
                  "mov.u32 %r5, 0;\nst.shared.u32 [s+4], %r5;\nbar.sync 0;\n"
                  "setp.eq.s32 %p2, %r1, 0;\n@!%p2 bra WAIT;\n"
                  "L:\nld.volatile.shared.u32 %r3, [s+4];\nst.volatile.shared.u32 [s], %r3;\n"
                  "setp.eq.s32 %p1, %r3, 0;\n@%p1 bra L;\n"
                  "WAIT:\nbar.sync 0;\nst.shared.u32 [s+4], %r1;\nret;\n}\n",
                  2, 128, 2, 0);
    expect_stopped(&run, "byte 4 of s");
}

/* A loop that changes registers and stores nothing is a computation, not a wait. */
static void a_long_computation_ends(void **state)
{
    (void)state;
    kernel_run run;
    launch_kernel(&run,
                  KERNEL_HEAD
                  "mov.u32 %r5, 0;\nL:\nadd.s32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, 3000000;\n"
                  "@%p1 bra L;\nst.global.u32 [%rd1], %r5;\nret;\n}\n",
                  1, 32, 1, 0);
    assert_int_equal(*(uint32_t *)run.bytes, 3000000);
    expect_ends(&run);
}

/* Blocks wait for the last block, which computes for a long time before it sets the flag. */
static void a_wait_for_a_long_computation_ends(void **state)
{
    (void)state;
    for (uint32_t workers = 1; workers <= 3; workers++) {
        kernel_run run;
        launch_kernel(&run,
                      KERNEL_HEAD
                      "setp.eq.s32 %p2, %r2, 3;\n@%p2 bra LAST;\n"
                      "L:\nld.volatile.global.u32 %r3, [%rd1];\nsetp.eq.s32 %p1, %r3, 0;\n"
                      "@%p1 bra L;\nret;\n"
                      "LAST:\nmov.u32 %r5, 0;\nM:\nadd.s32 %r5, %r5, 1;\n"
                      "setp.lt.u32 %p1, %r5, 2000000;\n@%p1 bra M;\n"
                      "st.volatile.global.u32 [%rd1], %r5;\nret;\n}\n",
                      4, 32, workers, 0);
        expect_ends(&run);
    }
}

/* Ticket locks: each lane waits for its number, and from time to time one lane changes memory. */
static void locks_that_are_released_end(void **state)
{
    (void)state;
    kernel_run run;
    launch_kernel(&run,
                  KERNEL_HEAD
                  "ld.volatile.global.u32 %r6, [%rd1+4];\n" TAKE_LOCK
                  "ld.volatile.global.u32 %r5, [%rd1+4];\nadd.s32 %r5, %r5, 1;\n"
                  "st.volatile.global.u32 [%rd1+4], %r5;\natom.global.exch.b32 %r4, [%rd1], 0;\n"
                  "ret;\n}\n",
                  40, 64, 2, 0);
    assert_int_equal(((uint32_t *)run.bytes)[1], 40 * 64);
    expect_ends(&run);
}

static void *set_flag_later(void *flag)
{
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    __atomic_store_n((uint32_t *)flag, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

static void a_flag_that_the_host_sets_ends(void **state)
{
    (void)state;
    static uint32_t flag[1024] __attribute__((aligned(4096)));
    assert_true(mem_reserve_window(UINT64_C(1) << 34));
    assert_true(mem_add_host_range(flag, sizeof flag, MEM_PINNED));
    pthread_t host;
    assert_int_equal(pthread_create(&host, NULL, set_flag_later, flag), 0);
    kernel_run run;
    launch_kernel(&run,
                  KERNEL_HEAD
                  "L:\nld.volatile.global.u32 %r3, [%rd2];\nsetp.eq.s32 %p1, %r3, 0;\n@%p1 bra L;\n"
                  "ret;\n}\n",
                  2, 64, 2, (uintptr_t)flag);
    pthread_join(host, NULL);
    expect_ends(&run);
    mem_free_range((uintptr_t)flag);
}

static bool always_true(void)
{
    return true;
}

static bool always_false(void)
{
    return false;
}

static uint32_t call_count; /* calls of true_at_the_third_call */

static bool true_at_the_third_call(void)
{
    return ++call_count > 2;
}

/* Pinned memory that no host thread can write, because the whole program waits. */
static void a_flag_that_no_host_can_set(void **state)
{
    (void)state;
    static uint32_t flag[1024] __attribute__((aligned(4096)));
    bool (*const waits[])(void) = {always_true, true_at_the_third_call};
    assert_true(mem_reserve_window(UINT64_C(1) << 34));
    assert_true(mem_add_host_range(flag, sizeof flag, MEM_PINNED));
    for (uint32_t k = 0; k < 2; k++) {
        kernel_run run;
        const sm_launch shape = {
            .grid = {3, 1, 1}, .block = {64, 1, 1}, .workers = 2, .host_waits = waits[k]};
        run_grid(&run,
                 KERNEL_HEAD "L:\nld.volatile.global.u32 %r3, [%rd2];\nsetp.eq.s32 %p1, %r3, 0;\n"
                             "@%p1 bra L;\nret;\n}\n",
                 &shape, NULL, (uintptr_t)flag);
        expect_stopped(&run, "which hold 0, to change");
    }
    assert_true(call_count > 2);
    mem_free_range((uintptr_t)flag);
}

/* A flag in memory that another host thread or process may write: the wait may end. */
static void a_flag_that_some_host_may_set(void **state)
{
    (void)state;
    static uint32_t flag[1024] __attribute__((aligned(4096)));
    const mem_kind kinds[] = {MEM_PINNED, MEM_REGISTERED};
    for (uint32_t k = 0; k < 2; k++) {
        flag[0] = 0;
        assert_true(mem_reserve_window(UINT64_C(1) << 34));
        assert_true(mem_add_host_range(flag, sizeof flag, kinds[k]));
        pthread_t host;
        assert_int_equal(pthread_create(&host, NULL, set_flag_later, flag), 0);
        kernel_run run;
        const sm_launch shape = {.grid = {2, 1, 1},
                                 .block = {64, 1, 1},
                                 .workers = 2,
                                 .host_waits = k == 0 ? always_false : always_true};
        run_grid(&run,
                 KERNEL_HEAD "L:\nld.volatile.global.u32 %r3, [%rd2];\nsetp.eq.s32 %p1, %r3, 0;\n"
                             "@%p1 bra L;\nret;\n}\n",
                 &shape, NULL, (uintptr_t)flag);
        pthread_join(host, NULL);
        expect_ends(&run);
        mem_free_range((uintptr_t)flag);
    }
}

/* A wait loop that reads a clock may end. */
static void a_wait_by_the_clock_ends(void **state)
{
    (void)state;
    kernel_run run;
    launch_kernel(&run,
                  KERNEL_HEAD
                  "L:\nmov.u64 %rd4, %clock64;\nsetp.lt.u64 %p1, %rd4, 4000000;\n@%p1 bra L;\n"
                  "ret;\n}\n",
                  1, 32, 1, 0);
    expect_ends(&run);
}

/* Warps of a block wait by the clock, each for its own number of cycles, some of them with half of
 * their lanes, some after others: nothing changes if iterations and whole rounds of the warps are
 * skipped, as without optimizations they are not. */
static void waits_by_the_clock_are_skipped_exactly(void **state)
{
    (void)state;
    static const char text[] = KERNEL_HEAD
        "mad.lo.u32 %r4, %r2, 256, %r1;\nmul.wide.u32 %rd6, %r4, 8;\nadd.s64 %rd6, %rd1, %rd6;\n"
        "mov.u64 %rd3, %clock64;\nshr.u32 %r3, %r1, 5;\nmad.lo.u32 %r3, %r3, 1237, 9000;\n"
        "cvt.u64.u32 %rd5, %r3;\nand.b32 %r6, %r1, 16;\nsetp.eq.u32 %p3, %r6, 0;\n"
        "setp.lt.u32 %p4, %r1, 160;\nor.pred %p3, %p3, %p4;\n@!%p3 bra END;\n"
        "L:\nmov.u64 %rd4, %clock64;\nsub.s64 %rd4, %rd4, %rd3;\nsetp.lt.u64 %p1, %rd4, %rd5;\n"
        "@%p1 bra L;\n"

        "st.global.u64 [%rd6], %rd4;\n"
        "M:\nmov.u32 %r7, %clock;\nadd.u32 %r8, %r7, 17;\nsetp.lt.u32 %p1, %r8, 40000;\n"
        "@%p1 bra M;\nst.global.u32 [%rd6+16384], %r8;\n"
        "END:\nbar.sync 0;\nmov.u64 %rd7, %clock64;\nst.global.u64 [%rd6+32768], %rd7;\nret;\n}\n";
    device_profile h200;
    char err[200];
    assert_true(profile_load("h200", &h200, err, sizeof err));
    const sm_cycles cycles = sm_cycles_of(&h200);
    for (uint32_t schedulers = 1; schedulers <= 4; schedulers += 3) {
        kernel_cycles = schedulers == 1 ? NULL : &cycles;
        for (uint32_t threads = 32; threads <= 256; threads += 96) {
            kernel_run run[2];
            const sm_launch shape = {.grid = {2, 1, 1},
                                     .block = {threads, 1, 1},
                                     .workers = 1,
                                     .schedulers = schedulers};
            for (int plain = 0; plain < 2; plain++) {
                kernel_keeps_registers = plain;
                run_grid(&run[plain], text, &shape, NULL, 0);
                expect_ok(&run[plain]);
            }
            kernel_keeps_registers = false;
            assert_memory_equal(run[0].bytes, run[1].bytes, KERNEL_BYTES);
            assert_memory_equal(&run[0].result.total, &run[1].result.total,
                                sizeof run[0].result.total);
            assert_true(((uint64_t *)run[0].bytes)[0] >= 9000);
            free_kernel_run(&run[0]);
            free_kernel_run(&run[1]);
        }
    }
    kernel_cycles = NULL;
}

/* A launch with a limit of CPU time, so small that the kernels which end take several times as
 * much. */
static void launch_limited(kernel_run *run, const char *text, uint32_t blocks)
{
    const sm_launch shape = {
        .grid = {blocks, 1, 1}, .block = {64, 1, 1}, .workers = 2, .patience_ms = 40};
    run_grid(run, text, &shape, NULL, 0);
}

#define COUNT_TO(label, from, step, relation, end)                                    \
    "mov.u32 %r5, " from ";\n" label ":\nadd.s32 %r5, %r5, " step ";\nsetp." relation \
    " %p1, %r5, " end ";\n@%p1 bra " label ";\n"

static void a_long_counting_loop_may_finish(void **state)
{
    (void)state;
    kernel_run run;
    launch_limited(
        &run,
        KERNEL_HEAD COUNT_TO("L", "0", "1", "ne.s32", "8000000") "st.global.u32 [%rd1], %r5;\n"
                                                                 "ret;\n}\n",
        1);
    assert_int_equal(*(uint32_t *)run.bytes, 8000000);
    expect_ends(&run);
}

static void threads_that_count_their_polls_may_wait(void **state)
{
    (void)state;
    skip_if(UNDER_TSAN); /* with ThreadSanitizer no lane finishes counting before the check */
    kernel_run run;
    launch_limited(&run,
                   KERNEL_HEAD "mov.u32 %r6, 0;\nsetp.eq.s32 %p2, %r2, 3;\n@%p2 bra LAST;\n"
                               "L:\nld.volatile.global.u32 %r3, [%rd1];\nadd.s32 %r6, %r6, 1;\n"
                               "setp.eq.s32 %p1, %r3, 0;\n@%p1 bra L;\n"
                               "st.global.u32 [%rd1+8], %r6;\nret;\n"
                               "LAST:\n" COUNT_TO("M", "0", "1", "lt.u32", "3000000") //
                   "st.volatile.global.u32 [%rd1], %r5;\nret;\n}\n",
                   4);
    expect_ends(&run);
}

static void a_counter_that_moves_away_from_its_limit(void **state)
{
    (void)state;
    kernel_run run;
    launch_limited(&run, KERNEL_HEAD COUNT_TO("L", "0", "-1", "lt.s32", "100") "ret;\n}\n", 3);
    expect_stopped(&run, "does not approach the loop's end. 64 of the block's 64 threads are in "
                         "the loop");
}

static void a_counter_whose_limit_is_too_far(void **state)
{
    (void)state;
    kernel_run run;
    launch_limited(&run,
                   KERNEL_HEAD
                   "mov.u64 %rd3, 1;\nL:\nadd.s64 %rd3, %rd3, 2;\n"
                   "setp.ne.s64 %p1, %rd3, 0;\n@%p1 bra L;\nst.global.u64 [%rd1], %rd3;\n"
                   "ret;\n}\n",
                   1);
    expect_stopped(&run, "its condition compares");
}

static void counted_polls_of_a_flag_that_nobody_sets(void **state)
{
    (void)state;
    kernel_run run;
    launch_limited(&run,
                   KERNEL_HEAD "mov.u32 %r6, 0;\nL:\nld.volatile.global.u32 %r3, [%rd1];\n"
                               "add.s32 %r6, %r6, 1;\nsetp.eq.s32 %p1, %r3, 0;\n@%p1 bra L;\n"
                               "st.global.u32 [%rd1+8], %r6;\nret;\n}\n",
                   4);
    expect_stopped(&run, "its condition compares 0 with 0");
}

static void a_loop_that_nothing_ends(void **state)
{
    (void)state;
    kernel_run run;
    launch_limited(&run,
                   KERNEL_HEAD "setp.eq.s32 %p1, %r1, 33;\n@%p1 bra L;\nret;\n"
                               "L:\nred.global.add.u32 [%rd1], 3;\nbra L;\n}\n",
                   2);
    expect_stopped(&run, "nothing in the loop changes what its condition compares, so it is always "
                         "true. 1 of the block's 64 threads is in the loop");
}

/* The limit is exceeded before the lanes that left the loop have run: the report still names the
 * loop. */
static void an_endless_loop_while_other_lanes_wait_to_run(void **state)
{
    (void)state;
    kernel_run run;
    const sm_launch shape = {
        .grid = {1, 1, 1}, .block = {64, 1, 1}, .workers = 1, .patience_ms = 1};
    run_grid(&run,
             KERNEL_HEAD
             "setp.eq.s32 %p1, %r1, 33;\n@%p1 bra L;\nst.global.u32 [%rd1+8], %r1;\nret;\n"
             "L:\nred.global.add.u32 [%rd1], 3;\nbra L;\n}\n",
             &shape, NULL, 0);
    expect_stopped(&run, "nothing in the loop changes what its condition compares");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lock_that_is_never_released),
        cmocka_unit_test(a_lock_taken_by_exchange),
        cmocka_unit_test(a_flag_that_nobody_sets),
        cmocka_unit_test(a_flag_in_shared_memory_after_a_barrier),
        cmocka_unit_test(a_long_computation_ends),
        cmocka_unit_test(a_wait_for_a_long_computation_ends),
        cmocka_unit_test(locks_that_are_released_end),
        cmocka_unit_test(a_flag_that_the_host_sets_ends),
        cmocka_unit_test(a_flag_that_no_host_can_set),
        cmocka_unit_test(a_flag_that_some_host_may_set),
        cmocka_unit_test(a_wait_by_the_clock_ends),
        cmocka_unit_test(waits_by_the_clock_are_skipped_exactly),
        cmocka_unit_test(a_long_counting_loop_may_finish),
        cmocka_unit_test(threads_that_count_their_polls_may_wait),
        cmocka_unit_test(a_counter_that_moves_away_from_its_limit),
        cmocka_unit_test(a_counter_whose_limit_is_too_far),
        cmocka_unit_test(counted_polls_of_a_flag_that_nobody_sets),
        cmocka_unit_test(a_loop_that_nothing_ends),
        cmocka_unit_test(an_endless_loop_while_other_lanes_wait_to_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
