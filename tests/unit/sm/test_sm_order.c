/* Tests the order in which diverged lanes run, and which lane's store remains: both as on an H200
 * where the PTX ISA leaves them undefined. */
#include "sm_kernel.h"

#define KERNEL_HEAD                                              \
    ".visible .entry k(.param .u64 k_0, .param .u64 k_1)\n{\n"   \
    ".reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<16>;\n" \
    "ld.param.u64 %rd1, [k_0];\nmov.u32 %r1, %tid.x;\n"          \
    "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
/* Take the next number from a counter and store it AT bytes after the lane's own word. */
#define TAKE_TICKET(at)                          \
    "atom.global.add.u32 %r9, [%rd1+4096], 1;\n" \
    "st.global.u32 [%rd3+" #at "], %r9;\n"

/* if (tid < LIMIT) first; else second; third */
#define BRANCH_WITH_TICKETS(limit)                                                 \
    KERNEL_HEAD "setp.ge.u32 %p1, %r1, " #limit ";\n@%p1 bra ELSE;\n" TAKE_TICKET( \
        0) "bra JOIN;\n"                                                           \
           "ELSE:\n" TAKE_TICKET(0) "JOIN:\n" TAKE_TICKET(1024) "ret;\n}\n"

static void expect_sides(const char *text, uint32_t limit, bool jump_first)
{
    kernel_run run;
    run_kernel(&run, text, 32, 0, NULL, 0, false);
    expect_ok(&run);
    for (uint32_t t = 0; t < 32; t++) {
        const uint32_t before = (t < limit) == jump_first ? jump_first ? 32 - limit : limit : 0;
        assert_int_equal(words(&run)[t], before + (t < limit ? t : t - limit));
        assert_int_equal(words(&run)[256 + t], 32 + t);
    }
    free_kernel_run(&run);
}

/* The side of a branch with fewer lanes runs first; if both have equally many lanes, the side that
 * does not jump. */
static void the_smaller_side_of_a_branch_runs_first(void **state)
{
    (void)state;
    expect_sides(BRANCH_WITH_TICKETS(5), 5, false);
    expect_sides(BRANCH_WITH_TICKETS(16), 16, false);
    expect_sides(BRANCH_WITH_TICKETS(24), 24, true);
}

/* if (tid < 24) { if (tid & 1) { a; return; } b; } c: lanes at c wait for the lanes that return. */
static void lanes_wait_for_lanes_that_return_early(void **state)
{
    (void)state;
    kernel_run run;
    run_kernel(&run,
               KERNEL_HEAD
               "setp.ge.u32 %p1, %r1, 24;\n@%p1 bra JOIN;\n"
               "and.b32 %r2, %r1, 1;\nsetp.eq.u32 %p2, %r2, 0;\n@%p2 bra EVEN;\n" TAKE_TICKET(
                   0) "ret;\nEVEN:\n" TAKE_TICKET(0) "JOIN:\n" TAKE_TICKET(1024) "ret;\n}\n",
               32, 0, NULL, 0, false);
    expect_ok(&run);
    for (uint32_t t = 0; t < 32; t++) {
        if (t < 24)
            assert_int_equal(words(&run)[t], t & 1 ? t / 2 : 12 + t / 2);
        if (t >= 24 || !(t & 1))
            assert_int_equal(words(&run)[256 + t], t < 24 ? 24 + t / 2 : 36 + t - 24);
    }
    free_kernel_run(&run);
}

/* for (i = 0; i < 6; i++) if (tid == i) { a; break; } b: lanes execute `a` one by one, and `b`
 * together. */
static void lanes_that_break_out_reconverge_after_the_loop(void **state)
{
    (void)state;
    kernel_run run;
    run_kernel(&run,
               KERNEL_HEAD
               "mov.u32 %r2, 0;\nLOOP:\nsetp.eq.u32 %p1, %r2, %r1;\n@%p1 bra FOUND;\n"
               "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, 6;\n@%p2 bra LOOP;\nbra JOIN;\n"
               "FOUND:\nactivemask.b32 %r3;\nst.global.u32 [%rd3], %r3;\n"
               "JOIN:\nactivemask.b32 %r3;\nst.global.u32 [%rd3+1024], %r3;\nret;\n}\n",
               32, 0, NULL, 0, false);
    expect_ok(&run);
    for (uint32_t t = 0; t < 32; t++) {
        if (t < 6)
            assert_int_equal(words(&run)[t], 1u << t);
        assert_int_equal(words(&run)[256 + t], UINT32_MAX);
    }
    free_kernel_run(&run);
}

/* All lanes, or those in LANES, store their number to one word of WIDTH; expects the number of LANE
 * to remain. */
static void expect_remaining_value(const char *store, uint32_t lanes, uint32_t lane)
{
    char text[1600];
    snprintf(text, sizeof text,
             "%scvt.u64.u32 %%rd4, %%r1;\nshr.u32 %%r2, %u, %%r1;\nand.b32 %%r2, %%r2, 1;\n"
             "setp.eq.u32 %%p1, %%r2, 0;\n@%%p1 bra END;\n%s\nEND:\nret;\n}\n",
             KERNEL_HEAD, lanes, store);
    kernel_run run;
    run_kernel(&run, text, 32, 0, NULL, 0, false);
    expect_ok(&run);
    assert_int_equal(words(&run)[0] & 0xff, lane);
    free_kernel_run(&run);
}

/* A store handles 32 lanes at a time (16 lanes with 8 bytes, 8 lanes with 16 bytes): the value of
 * the lowest lane in the last group remains. */
static void the_store_of_the_lowest_lane_of_the_last_group_remains(void **state)
{
    (void)state;
    static const char *const narrow[] = {
        "st.global.u8 [%rd1], %r1;", "st.global.u16 [%rd1], %r1;", "st.global.u32 [%rd1], %r1;",
        "st.volatile.global.u32 [%rd1], %r1;", "st.u32 [%rd1], %r1;"};
    for (size_t k = 0; k < sizeof narrow / sizeof *narrow; k++) {
        expect_remaining_value(narrow[k], UINT32_MAX, 0);
        expect_remaining_value(narrow[k], 0x12345678, 3);
    }
    static const char *const wide[] = {"st.global.u64 [%rd1], %rd4;",
                                       "st.global.v2.u32 [%rd1], {%r1, %r1};"};
    for (size_t k = 0; k < sizeof wide / sizeof *wide; k++) {
        expect_remaining_value(wide[k], UINT32_MAX, 16);
        expect_remaining_value(wide[k], 0x12345678, 18);
        expect_remaining_value(wide[k], 0xffff, 0);
    }
    expect_remaining_value("st.global.v4.u32 [%rd1], {%r1, %r1, %r1, %r1};", UINT32_MAX, 24);
    expect_remaining_value("st.global.v4.u32 [%rd1], {%r1, %r1, %r1, %r1};", 0x345678, 18);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_smaller_side_of_a_branch_runs_first),
        cmocka_unit_test(lanes_wait_for_lanes_that_return_early),
        cmocka_unit_test(lanes_that_break_out_reconverge_after_the_loop),
        cmocka_unit_test(the_store_of_the_lowest_lane_of_the_last_group_remains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
