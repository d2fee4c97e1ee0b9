/* Tests what orders accesses to global memory by way of an mbarrier: an arrival releases, a test
 * acquires and releases nothing. Also views of accesses, which barriers shorten. */
#include "sm_kernel.h"

#include "emulator/sanitizer/global/global.h"
#include "emulator/sanitizer/global/view.h"

#define HEAD                                                               \
    ".extern .shared .align 16 .b8 bar[];\n"                               \
    ".visible .entry k(.param .u64 k_0, .param .u64 k_1)\n{\n"             \
    ".reg .pred %p<8>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n"             \
    "mov.u32 %r1, %tid.x;\nmov.u32 %r2, bar;\nld.param.u64 %rd1, [k_0];\n" \
    "setp.eq.u32 %p1, %r1, 0;\nsetp.eq.u32 %p2, %r1, 32;\n"                \
    "@%p1 mbarrier.init.shared.b64 [%r2], 64;\nbar.sync 0;\n@%p2 st.global.u32 [%rd1], 7;\n"

#define READ "@%p1 ld.global.u32 %r3, [%rd1];\n"

/* Run a write by thread 32 (its warp runs first), then BODY, then a read by thread 0; expect a race
 * report if RACE. */
static void expect_report(const char *body, bool race)
{
    static const sm_observer *const alone[] = {&san_global_race_observer, NULL};
    char text[3000];
    kernel_run run = {0};
    snprintf(text, sizeof text, "%s%s%sret;\n}\n", HEAD, body, READ);
    if (!run_grid(&run, text,
                  &(sm_launch){.grid = {1, 1, 1},
                               .block = {64, 1, 1},
                               .dynamic_shared = 64,
                               .workers = 1,
                               .observers = alone},
                  NULL, 0))
        fail_msg("%s", run.result.fault.text);
    const char *got = reports_text(&run);
    if (race ? !strstr(got, "race on global memory") : *got != '\0')
        fail_msg("%s\nreported: %s", body, *got ? got : "nothing");
    free_kernel_run(&run);
}

static void an_mbarrier_arrival_releases(void **state)
{
    (void)state;
    expect_report("mbarrier.arrive.shared.b64 %rd2, [%r2];\n"
                  "again:\nmbarrier.test_wait.shared.b64 %p3, [%r2], %rd2;\n@!%p3 bra again;\n",
                  false);
    expect_report("mbarrier.arrive.shared.b64 %rd2, [%r2];\n"
                  "again:\nmbarrier.try_wait.parity.shared.b64 %p3, [%r2], 0;\n@!%p3 bra again;\n",
                  false);
}

static void an_mbarrier_test_releases_nothing(void **state)
{
    (void)state;
    expect_report("mbarrier.test_wait.parity.shared.b64 %p3, [%r2], 1;\n", true);
    expect_report("mbarrier.try_wait.parity.shared.b64 %p3, [%r2], 1;\n", true);
    expect_report("mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 %p3, [%r2], 1;\n", true);
    expect_report("", true);
}

/* Random views: a merged view contains an access exactly if one of its two parts contains it, also
 * where a block's entry replaces the entries of its threads. */
static void a_merged_view_contains_both_parts(void **state)
{
    (void)state;
    enum { BLOCKS = 3, THREADS = 96, TIMES = 12, VIEWS = 600, ENTRIES = 20 };
    san_view *view[VIEWS] = {NULL};
    uint64_t random = 20261124;
    for (uint32_t n = 0; n < VIEWS; n++) {
        san_view_entry entry[ENTRIES];
        const uint32_t count = 1 + n % ENTRIES;
        uint32_t used = 0;
        for (uint32_t k = 0; k < count; k++) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            const uint64_t block = (random >> 33) % BLOCKS;
            const uint32_t thread = (uint32_t)(random >> 40) % THREADS, kind = random >> 60;
            const uint64_t who = kind < 3   ? san_block_owner(block)
                                 : kind < 6 ? san_warp_owner(block, thread / SM_LANES)
                                            : san_thread_owner(block, thread);
            bool is_new = true;
            for (uint32_t i = 0; i < used; i++)
                is_new = is_new && entry[i].who != who;
            if (is_new)
                entry[used++] = (san_view_entry){who, 1 + (uint32_t)(random >> 50) % TIMES};
        }
        san_view *own = san_view_add_entries(NULL, entry, used);
        san_view *with = n ? view[(random >> 35) % n] : NULL;
        view[n] = san_view_merge(own, with);
        for (int again = 0; again < 2; again++) { /* the second time after merging a part again */
            for (uint64_t block = 0; block < BLOCKS; block++) {
                for (uint32_t t = 0; t < THREADS; t++) {
                    for (uint32_t time = 0; time <= TIMES; time++) {
                        assert_int_equal(san_view_contains(view[n], block, t, time),
                                         san_view_contains(own, block, t, time) ||
                                             san_view_contains(with, block, t, time));
                    }
                }
            }
            san_view_merge_into(&view[n], again ? own : with);
        }
        san_view_drop(own);
    }
    for (uint32_t n = 0; n < VIEWS; n++)
        san_view_drop(view[n]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_mbarrier_arrival_releases),
        cmocka_unit_test(an_mbarrier_test_releases_nothing),
        cmocka_unit_test(a_merged_view_contains_both_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
