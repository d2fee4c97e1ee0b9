/* Tests the table of WARPBOOK_SOURCE: the counts of all instructions add up to the launch's
 * counters, and the shares of time add up to the launch's modelled time. */
#include "sm_kernel.h"

#include "emulator/timing/timing.h"

#include <math.h>

#define KERNEL_BODY                                                                           \
    ".extern .shared .align 16 .b8 tile[];\n"                                                 \
    ".visible .entry k(.param .u64 k_0, .param .u64 k_1)\n{\n"                                \
    ".reg .pred %p<4>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<8>;\n"                               \
    "ld.param.u64 %rd1, [k_0];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\n"           \
    "add.s64 %rd3, %rd1, %rd2;\nmov.u32 %r2, tile;\nshl.b32 %r3, %r1, 3;\nadd.u32 %r4, %r2, " \
    "%r3;\nmov.u32 %r5, 3;\nLOOP:\nld.global.u32 %r6, [%rd3];\nst.shared.u32 [%r4], %r6;\n"   \
    "bar.sync 0;\nsetp.lt.u32 %p1, %r1, 8;\n@%p1 ld.shared.u32 %r7, [%r4];\n"                 \
    "add.u32 %r5, %r5, -1;\nsetp.ne.u32 %p2, %r5, 0;\n@%p2 bra LOOP;\n"                       \
    "setp.gt.u32 %p3, %r1, 15;\n@%p3 bra DONE;\nst.global.u32 [%rd3], %r7;\nDONE:\nret;\n}\n"

static void run_kernel_body(kernel_run *run)
{
    const sm_launch shape = {.grid = {3, 1, 1},
                             .block = {64, 1, 1},
                             .dynamic_shared = 512,
                             .workers = 2,
                             .want_source = true,
                             .want_lines = true};
    if (!run_grid(run, KERNEL_BODY, &shape, NULL, 0))
        fail_msg("%s", run->result.fault.text);
}

static const source_row *find_row(const kernel_run *run, const char *begins)
{
    for (size_t k = 0; k < run->result.source_count; k++)
        if (strncmp(run->result.source[k].ptx, begins, strlen(begins)) == 0)
            return &run->result.source[k];
    fail_msg("no row of the table begins with %s", begins);
    return NULL;
}

static void rows_add_up_to_the_counters(void **state)
{
    (void)state;
    kernel_run run = {0};
    run_kernel_body(&run);
    uint64_t executed = 0, conflicts = 0, sectors = 0;
    for (size_t k = 0; k < run.result.source_count; k++) {
        const source_row *r = &run.result.source[k];
        executed += r->executed;
        conflicts += r->s.conflicts;
        sectors += r->kind == SOURCE_LOAD || r->kind == SOURCE_STORE ? r->s.sectors : 0;
    }
    assert_int_equal(executed, C(run, inst));
    assert_int_equal(conflicts, C(run, shared_ld_conflicts) + C(run, shared_st_conflicts));
    assert_int_equal(sectors, C(run, ld_sectors) + C(run, st_sectors));
    assert_true(conflicts > 0);
    free_kernel_run(&run);
}

static void a_row_counts_warps_and_their_active_lanes(void **state)
{
    (void)state;
    kernel_run run = {0};
    run_kernel_body(&run);
    const uint64_t warps = 3 * 2;
    const source_row *load = find_row(&run, "ld.global.u32"),
                     *guarded = find_row(&run, "@%p1 ld.shared");
    assert_int_equal(load->executed, 3 * warps);
    assert_int_equal(load->lanes, 3 * warps * 32);
    assert_int_equal(load->kind, SOURCE_LOAD);
    /* every warp executes the guarded instruction, */
    assert_int_equal(guarded->executed, 3 * warps);
    assert_int_equal(guarded->lanes, 3 * 3 * 8); /* with 8 active lanes in every other warp */
    assert_int_equal(find_row(&run, "bar.sync")->kind, SOURCE_BARRIER);
    assert_int_equal(find_row(&run, "st.global")->executed, 3);
    assert_int_equal(find_row(&run, "st.global")->lanes, 3 * 16);
    free_kernel_run(&run);
}

static double share_of(const kernel_run *run, const char *begins)
{
    return find_row(run, begins)->share;
}

static void shares_of_time_follow_the_modelled_limit(void **state)
{
    (void)state;
    device_profile p;
    char err[512];
    assert_true(profile_load("h200", &p, err, sizeof err));
    static const char *const bounds[] = {"dram",    "l1",      "shared", "issue",
                                         "barrier", "latency", "launch", "tensor"};
    for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++) {
        kernel_run run = {0};
        run_kernel_body(&run);
        const launch_time t = {.total = 1000, .launch = 200, .bound = bounds[b]};
        timing_fill_shares(&p, &t, run.result.source, run.result.source_count);
        double sum = 0;
        for (size_t k = 0; k < run.result.source_count; k++)
            sum += run.result.source[k].share;
        const bool of_lines = strcmp(bounds[b], "launch") != 0 && strcmp(bounds[b], "tensor") != 0;
        if (of_lines)
            assert_true(fabs(sum - 0.8) < 1e-9);
        else
            assert_true(share_of(&run, "bar.sync") < 0);
        if (strcmp(bounds[b], "barrier") == 0)
            assert_true(fabs(share_of(&run, "bar.sync") - 0.8) < 1e-9);
        if (strcmp(bounds[b], "shared") == 0) {
            assert_true(share_of(&run, "st.shared") > share_of(&run, "@%p1 ld.shared"));
            assert_true(share_of(&run, "ld.global") == 0);
        }
        if (strcmp(bounds[b], "latency") == 0)
            assert_true(share_of(&run, "ld.global") > share_of(&run, "st.shared"));
        free_kernel_run(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_add_up_to_the_counters),
        cmocka_unit_test(a_row_counts_warps_and_their_active_lanes),
        cmocka_unit_test(shares_of_time_follow_the_modelled_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
