/* Tests barriers, shuffles, votes and other instructions in which lanes cooperate. */
#include "sm_kernel.h"

#define KERNEL_HEAD                                                             \
    ".visible .entry k(.param .u64 k_0, .param .u64 k_1)\n{\n"                  \
    ".reg .pred %p<16>;\n.reg .b32 %r<64>;\n.reg .b64 %rd<16>;\n"               \
    "ld.param.u64 %rd1, [k_0];\nmov.u32 %r1, %tid.x;\nmov.u32 %r50, %laneid;\n" \
    "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
#define OUT(n) "st.global.u32 [%rd3+" #n "], "

static void expect_fault(kernel_run *run, sm_fault_kind kind, const char *const *parts)
{
    assert_int_equal(run->result.fault.kind, kind);
    for (; *parts; parts++)
        if (!strstr(run->result.fault.text, *parts))
            fail_msg("\"%s\" is missing in the fault message: %s", *parts, run->result.fault.text);
    free_kernel_run(run);
}

/* --- shfl --- */

/* The source lane of a shuffle, by the pseudocode in section 9.7.9.6 of the PTX ISA. */
static uint32_t shfl_source(char mode, uint32_t lane, uint32_t b, uint32_t c, bool *p)
{
    const uint32_t segment = c >> 8 & 31, clamp = c & 31, by = b & 31;
    const uint32_t most = (lane & segment) | (clamp & ~segment), least = lane & segment;
    int32_t j;
    switch (mode) {
    case 'u':
        j = (int32_t)lane - (int32_t)by;
        *p = j >= (int32_t)most;
        break;
    case 'd':
        j = (int32_t)(lane + by);
        *p = j <= (int32_t)most;
        break;
    case 'b':
        j = (int32_t)(lane ^ by);
        *p = j <= (int32_t)most;
        break;
    default: j = (int32_t)(least | (by & ~segment)); *p = j <= (int32_t)most;
    }
    return *p ? (uint32_t)j : lane;
}

static void shuffles_of_every_form(void **state)
{
    (void)state;
    static const char *const names[] = {"up", "down", "bfly", "idx"};
    static const uint32_t clamps[] = {0, 31, 0x181f, 0x1800, 0x1c1f, 0x1e01};
    for (uint32_t mode = 0; mode < 4; mode++) {
        for (uint32_t k = 0; k < sizeof clamps / sizeof *clamps; k++) {
            for (uint32_t b = 0; b < 40; b += 3) {
                char text[2000];
                snprintf(text, sizeof text,
                         "%smad.lo.s32 %%r2, %%r1, 7, 3;\n"
                         "shfl.sync.%s.b32 %%r3|%%p1, %%r2, %u, %u, -1;\n"
                         "selp.u32 %%r4, 1, 0, %%p1;\nst.global.u32 [%%rd3], %%r3;\n"
                         "st.global.u32 [%%rd3+1024], %%r4;\nret;\n}\n",
                         KERNEL_HEAD, names[mode], b, clamps[k]);
                kernel_run run;
                run_kernel(&run, text, 32, 0, NULL, 0, false);
                expect_ok(&run);
                for (uint32_t l = 0; l < 32; l++) {
                    bool p;
                    const uint32_t from = shfl_source(names[mode][0], l, b, clamps[k], &p);
                    assert_int_equal(words(&run)[l], from * 7 + 3);
                    assert_int_equal(words(&run)[256 + l], p);
                }
                assert_int_equal(run.result.total.v[CTR_shuffles], 1);
                free_kernel_run(&run);
            }
        }
    }
}

/* Lanes reach the shuffle at different times, because some lanes took a longer path. */
static void diverged_lanes_wait_in_a_shuffle(void **state)
{
    (void)state;
    kernel_run run;
    run_kernel(&run,
               KERNEL_HEAD "setp.lt.u32 %p1, %r1, 7;\n@%p1 bra S;\n"
                           "mov.u32 %r2, %r1;\nbra T;\nS:\nadd.s32 %r2, %r1, 100;\nbra T2;\n"
                           "T:\nshfl.sync.bfly.b32 %r3, %r2, 1, 31, -1;\nbra E;\n"
                           "T2:\nmov.u32 %r20, %r2;\nshfl.sync.bfly.b32 %r3, %r20, 1, 31, -1;\n"
                           "E:\n" OUT(0) "%r3;\nret;\n}\n",
               32, 0, NULL, 0, false);
    expect_ok(&run);
    for (uint32_t l = 0; l < 32; l++) {
        const uint32_t from = l ^ 1;
        assert_int_equal(words(&run)[l], from < 7 ? from + 100 : from);
    }
    free_kernel_run(&run);
}

/* Groups of eight lanes, each with its own mask, in one instruction and after divergence. */
static void each_group_has_its_own_mask(void **state)
{
    (void)state;
    for (uint32_t part = 0; part < 2; part++) {
        char text[2000];
        snprintf(text, sizeof text,
                 "%sand.b32 %%r2, %%r50, 24;\nmov.u32 %%r3, 255;\nshl.b32 %%r3, %%r3, %%r2;\n"
                 "setp.lt.u32 %%p1, %%r50, %u;\n@%%p1 bra A;\nadd.s32 %%r9, %%r50, 0;\nA:\n"
                 "and.b32 %%r4, %%r50, 1;\nsetp.eq.s32 %%p2, %%r4, 0;\n"
                 "vote.sync.ballot.b32 %%r5, %%p2, %%r3;\n"
                 "redux.sync.add.s32 %%r6, %%r50, %%r3;\n"
                 "match.any.sync.b32 %%r7, %%r4, %%r3;\nst.global.u32 [%%rd3], %%r5;\n"
                 "st.global.u32 [%%rd3+1024], %%r6;\nst.global.u32 [%%rd3+2048], %%r7;\n"
                 "ret;\n}\n",
                 KERNEL_HEAD, part ? 13 : 0);
        kernel_run run;
        run_kernel(&run, text, 32, 0, NULL, 0, false);
        expect_ok(&run);
        for (uint32_t l = 0; l < 32; l++) {
            const uint32_t base = l & 24;
            assert_int_equal(words(&run)[l], 0x55u << base);
            assert_int_equal(words(&run)[256 + l], 8 * base + 28);
            assert_int_equal(words(&run)[512 + l], (l & 1 ? 0xaau : 0x55u) << base);
        }
        free_kernel_run(&run);
    }
}

static void test_votes(void **state)
{
    (void)state;
    kernel_run run;
    run_kernel(&run,
               KERNEL_HEAD
               "setp.lt.u32 %p1, %r50, 20;\nsetp.lt.u32 %p2, %r50, 40;\n"
               "setp.gt.u32 %p3, %r50, 40;\n"
               "vote.sync.all.pred %p4, %p1, -1;\nvote.sync.all.pred %p5, %p2, -1;\n"
               "vote.sync.any.pred %p6, %p1, -1;\nvote.sync.any.pred %p7, %p3, -1;\n"
               "vote.sync.uni.pred %p8, %p1, -1;\nvote.sync.uni.pred %p9, %p3, -1;\n"
               "vote.sync.ballot.b32 %r2, !%p1, -1;\nvote.sync.all.pred %p10, !%p3, -1;\n"
               "selp.u32 %r3, 1, 0, %p4;\nselp.u32 %r4, 2, 0, %p5;\nselp.u32 %r5, 4, 0, %p6;\n"
               "selp.u32 %r6, 8, 0, %p7;\nselp.u32 %r7, 16, 0, %p8;\nselp.u32 %r8, 32, 0, %p9;\n"
               "selp.u32 %r9, 64, 0, %p10;\n"
               "or.b32 %r3, %r3, %r4;\nor.b32 %r3, %r3, %r5;\nor.b32 %r3, %r3, %r6;\n"
               "or.b32 %r3, %r3, %r7;\nor.b32 %r3, %r3, %r8;\nor.b32 %r3, %r3, %r9;\n" OUT(
                   0) "%r3;\n" OUT(1024) "%r2;\nret;\n}\n",
               32, 0, NULL, 0, false);
    expect_ok(&run);
    for (uint32_t l = 0; l < 32; l++) {
        assert_int_equal(words(&run)[l], 2 | 4 | 32 | 64);
        assert_int_equal(words(&run)[256 + l], 0xfff00000);
    }
    free_kernel_run(&run);
}

/* PTX strings and macros in a manual layout. */
/* clang-format off */
static void redux_match_and_elect(void **state)
{
    (void)state;
    kernel_run run;
    run_kernel(&run,
               KERNEL_HEAD
               "sub.s32 %r2, %r50, 10;\n"
               "redux.sync.min.s32 %r3, %r2, -1;\nredux.sync.min.u32 %r4, %r2, -1;\n"
               "redux.sync.max.s32 %r5, %r2, -1;\nredux.sync.max.u32 %r6, %r2, -1;\n"
               "redux.sync.xor.b32 %r7, %r2, -1;\nredux.sync.or.b32 %r8, %r50, -1;\n"
               "shr.u32 %r9, %r50, 3;\nmatch.any.sync.b32 %r10, %r9, -1;\n"
               "mov.u32 %r11, 5;\nmatch.all.sync.b32 %r12|%p1, %r11, -1;\n"
               "cvt.u64.u32 %rd5, %r50;\nmatch.all.sync.b64 %r13|%p2, %rd5, -1;\n"
               "setp.lt.u32 %p5, %r50, 9;\n@%p5 bra E;\nelect.sync %r14|%p3, 0xfffffe00;\n"
               "selp.u32 %r15, 1, 0, %p3;\nbra F;\nE:\nmov.u32 %r14, 77;\nmov.u32 %r15, "
               "2;\nF:\n" OUT(0) "%r3;\n" OUT(256) "%r4;\n" OUT(512) "%r5;\n" OUT(768) "%r6;\n" OUT(1024) "%r7;\n" OUT(
                   1280) "%r8;\n" OUT(1536) "%r10;\n" OUT(1792) "%r12;\n" OUT(2048) "%r13;\n" OUT(2304) "%r14;\n" OUT(2560) "%r15;\nret;\n}\n",
               32, 0, NULL, 0, false);
    expect_ok(&run);
    uint32_t x = 0;
    for (uint32_t l = 0; l < 32; l++)
        x ^= l - 10;
    for (uint32_t l = 0; l < 32; l++) {
        const uint32_t *w = words(&run) + l;
        assert_int_equal((int32_t)w[0], -10);
        assert_int_equal(w[64], 0);
        assert_int_equal((int32_t)w[128], 21);
        assert_int_equal(w[192], UINT32_MAX);
        assert_int_equal(w[256], x);
        assert_int_equal(w[320], 31);
        assert_int_equal(w[384], 0xffu << (l & 24));
        assert_int_equal(w[448], UINT32_MAX);
        assert_int_equal(w[512], 0);
        assert_int_equal(w[576], l < 9 ? 77 : 9);
        assert_int_equal(w[640], l < 9 ? 2 : l == 9);
    }
    free_kernel_run(&run);
}
/* clang-format on */

/* --- misuse --- */

static void a_lane_outside_its_mask_is_reported(void **state)
{
    (void)state;
    kernel_run run;
    run_kernel(&run, KERNEL_HEAD "shfl.sync.idx.b32 %r2, %r1, 0, 31, 0xffff;\nret;\n}\n", 32, 0,
               NULL, 0, false);
    expect_fault(
        &run, SM_FAULT_SYNC,
        (const char *[]){"lane 16", "0x0000ffff", "shfl.sync.idx", "thread (16,0,0)", NULL});
}

static void masks_that_differ_are_reported(void **state)
{
    (void)state;
    kernel_run run;
    run_kernel(&run,
               KERNEL_HEAD
               "setp.lt.u32 %p1, %r1, 16;\nmov.u32 %r2, -1;\n@%p1 mov.u32 %r2, 0x1ffff;\n"
               "shfl.sync.idx.b32 %r3, %r1, 0, 31, %r2;\nret;\n}\n",
               32, 0, NULL, 0, false);
    expect_fault(&run, SM_FAULT_SYNC,
                 (const char *[]){"0x0001ffff", "0xffffffff", "lanes 0-15", "lanes 16-31", NULL});
}

static void an_exited_source_lane_is_reported(void **state)
{
    (void)state;
    kernel_run run;
    run_kernel(&run,
               KERNEL_HEAD "setp.ge.u32 %p1, %r1, 20;\n@%p1 exit;\n"
                           "shfl.sync.down.b32 %r3, %r1, 16, 31, -1;\nret;\n}\n",
               32, 0, NULL, 0, false);
    expect_fault(&run, SM_FAULT_SYNC, (const char *[]){"lane 4", "lane 20", "has exited", NULL});
    run_kernel(&run, KERNEL_HEAD "shfl.sync.down.b32 %r3, %r1, 16, 31, -1;\nret;\n}\n", 20, 0, NULL,
               0, true);
    expect_ok(&run); /* with a value that nobody uses */
    free_kernel_run(&run);
}

/* A source lane that does not exist gives zero, as on an H200: a warp of 24 threads still computes
 * its sum. */
static void a_source_lane_that_does_not_exist_gives_zero(void **state)
{
    (void)state;
    kernel_run run;
    run_kernel(&run,
               KERNEL_HEAD "add.s32 %r2, %r1, 1000;\nshfl.sync.bfly.b32 %r3, %r2, 16, 31, -1;\n"
                           "st.global.u32 [%rd3], %r3;\nret;\n}\n",
               24, 0, NULL, 0, false);
    expect_ok(&run);
    for (uint32_t t = 0; t < 24; t++)
        assert_int_equal(words(&run)[t], t < 8 ? 1016 + t : t < 16 ? 0 : 1000 + t - 16);
    free_kernel_run(&run);
}

/* --- barriers --- */

static void a_barrier_orders_shared_memory(void **state)
{
    (void)state;
    kernel_run run;
    run_kernel(&run,
               ".extern .shared .align 4 .b8 s[];\n" KERNEL_HEAD
               "mov.u32 %r2, s;\nshl.b32 %r3, %r1, 2;\nadd.s32 %r4, %r2, %r3;\n"
               "st.shared.u32 [%r4], %r1;\nbar.sync 0;\n"
               "mov.u32 %r5, %ntid.x;\nsub.s32 %r5, %r5, 1;\nsub.s32 %r5, %r5, %r1;\n"
               "shl.b32 %r5, %r5, 2;\nadd.s32 %r5, %r5, %r2;\nld.shared.u32 %r6, [%r5];\n" OUT(
                   0) "%r6;\nret;\n}\n",
               200, 800, NULL, 0, false);
    expect_ok(&run);
    for (uint32_t t = 0; t < 200; t++)
        assert_int_equal(words(&run)[t], 199 - t);
    assert_int_equal(run.result.total.v[CTR_barriers], 7);
    free_kernel_run(&run);
}

static void barriers_count_and_combine(void **state)
{
    (void)state;
    kernel_run run;
    run_kernel(
        &run,
        KERNEL_HEAD
        "setp.lt.u32 %p1, %r1, 33;\nsetp.lt.u32 %p2, %r1, 300;\n"
        "barrier.sync.aligned 3;\nbar.red.popc.u32 %r2, 1, %p1;\n"
        "bar.red.popc.u32 %r3, 1, 96, !%p1;\n"
        "bar.red.and.pred %p3, 0, %p1;\nbar.red.and.pred %p4, 0, %p2;\n"
        "bar.red.or.pred %p5, 0, %p1;\nbar.red.or.pred %p6, 0, !%p2;\n"
        "selp.u32 %r4, 1, 0, %p3;\nselp.u32 %r5, 2, 0, %p4;\nselp.u32 %r6, 4, 0, %p5;\n"
        "selp.u32 %r7, 8, 0, %p6;\nor.b32 %r4, %r4, %r5;\nor.b32 %r4, %r4, %r6;\n"
        "or.b32 %r4, %r4, %r7;\n" OUT(0) "%r2;\n" OUT(1024) "%r3;\n" OUT(2048) "%r4;\nret;\n}\n",
        80, 0, NULL, 0, false);
    expect_ok(&run);
    for (uint32_t t = 0; t < 80; t++) {
        assert_int_equal(words(&run)[t], 33);
        assert_int_equal(words(&run)[256 + t], 80 - 33);
        assert_int_equal(words(&run)[512 + t], 2 | 4);
    }
    free_kernel_run(&run);
}

/* Warps 0 and 1 produce and arrive, warp 2 consumes: barrier 5 with 96 threads. */
static void producers_arrive_without_waiting(void **state)
{
    (void)state;
    kernel_run run;
    run_kernel(
        &run,
        KERNEL_HEAD "setp.ge.u32 %p1, %r1, 64;\n@%p1 bra CONSUME;\n" OUT(
            0) "%r1;\nmembar.cta;\nbar.arrive 5, 96;\nret;\n"
               "CONSUME:\nbar.sync 5, 96;\nld.global.u32 %r2, [%rd3+-128];\n"
               "ld.global.u32 %r3, [%rd3+-256];\nadd.s32 %r2, %r2, %r3;\n" OUT(0) "%r2;\nret;\n}\n",
        96, 0, NULL, 0, false);
    expect_ok(&run);
    for (uint32_t t = 64; t < 96; t++)
        assert_int_equal(words(&run)[t], 2 * t - 96);
    free_kernel_run(&run);
}

/* Lanes of one warp wait at the barrier at different times and at different instructions. */
static void lanes_arrive_at_a_barrier_apart(void **state)
{
    (void)state;
    kernel_run run;
    run_kernel(&run,
               KERNEL_HEAD "setp.lt.u32 %p1, %r50, 5;\n@%p1 bra A;\n" OUT(
                   0) "%r1;\nbarrier.sync 0;\nbra E;\n"
                      "A:\n" OUT(0) "%r1;\nbarrier.sync 0;\nE:\nxor.b32 %r2, %r1, 63;\n"
                                    "mul.wide.u32 %rd5, %r2, 4;\nadd.s64 %rd6, %rd1, %rd5;\n"
                                    "ld.global.u32 %r3, [%rd6];\n" OUT(1024) "%r3;\nret;\n}\n",
               64, 0, NULL, 0, false);
    expect_ok(&run);
    for (uint32_t t = 0; t < 64; t++)
        assert_int_equal(words(&run)[256 + t], t ^ 63);
    assert_int_equal(run.result.total.v[CTR_barriers], 2); /* of two warps */
    free_kernel_run(&run);
}

static void a_deadlock_says_who_waits_where(void **state)
{
    (void)state;
    kernel_run run;
    run_kernel(&run,
               KERNEL_HEAD "setp.lt.u32 %p1, %r1, 40;\n@%p1 bra A;\nbar.sync 1;\nret;\n"
                           "A:\nbar.sync 2;\nret;\n}\n",
               64, 0, NULL, 0, false);
    expect_fault(&run, SM_FAULT_DEADLOCK,
                 (const char *[]){"Deadlock in block (0,0,0)", "lanes 0-31 of warp 0",
                                  "lanes 8-31 of warp 1", "barrier 1", "barrier 2", NULL});
    run_kernel(&run,
               KERNEL_HEAD "setp.lt.u32 %p1, %r1, 10;\n@%p1 bra A;\nbar.warp.sync -1;\nret;\n"
                           "A:\nbar.sync 0;\nret;\n}\n",
               32, 0, NULL, 0, false);
    expect_fault(&run, SM_FAULT_DEADLOCK,
                 (const char *[]){"lanes 10-31", "bar.warp.sync", "0xffffffff", "lanes 0-9", NULL});
}

static void a_barrier_number_must_exist(void **state)
{
    (void)state;
    kernel_run run;
    run_kernel(&run, KERNEL_HEAD "add.s32 %r2, %r1, 16;\nbar.sync %r2;\nret;\n}\n", 1, 0, NULL, 0,
               false);
    expect_fault(&run, SM_FAULT_SYNC, (const char *[]){"barrier 16", "0 to 15", NULL});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shuffles_of_every_form),
        cmocka_unit_test(diverged_lanes_wait_in_a_shuffle),
        cmocka_unit_test(each_group_has_its_own_mask),
        cmocka_unit_test(test_votes),
        cmocka_unit_test(redux_match_and_elect),
        cmocka_unit_test(a_lane_outside_its_mask_is_reported),
        cmocka_unit_test(masks_that_differ_are_reported),
        cmocka_unit_test(an_exited_source_lane_is_reported),
        cmocka_unit_test(a_source_lane_that_does_not_exist_gives_zero),
        cmocka_unit_test(a_barrier_orders_shared_memory),
        cmocka_unit_test(barriers_count_and_combine),
        cmocka_unit_test(producers_arrive_without_waiting),
        cmocka_unit_test(lanes_arrive_at_a_barrier_apart),
        cmocka_unit_test(a_deadlock_says_who_waits_where),
        cmocka_unit_test(a_barrier_number_must_exist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
