/* Tests the quick ways of observers for requests with a known layout: they must not change what is
 * reported. Random programs run under an observer twice, the second time without its
 * regular_access. (Races on shared memory: test_sanitizer_race.c.) */
#include "sm_kernel.h"

#include "emulator/core/observer.h"
#include "emulator/sanitizer/global/global.h"
#include "emulator/sanitizer/init/init.h"
#include "emulator/sanitizer/init/written.h"

#define HEAD                                                             \
    ".extern .shared .align 16 .b8 tile[];\n"                            \
    ".visible .entry k(.param .u64 k_0, .param .u64 k_1)\n{\n"           \
    ".reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<16>;\n"         \
    "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n"                     \
    "mad.lo.u32 %r3, %r2, 64, %r1;\nld.param.u64 %rd1, [k_0];\n"         \
    "setp.lt.u32 %p1, %r1, 33;\nsetp.eq.u32 %p2, %r1, 40;\n"             \
    "mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd2, %rd1, %rd2;\n"            \
    "mul.wide.u32 %rd3, %r3, 4;\nadd.u64 %rd3, %rd1, %rd3;\n"            \
    "and.b32 %r4, %r3, 15;\nmul.wide.u32 %rd4, %r4, 4;\n"                \
    "add.u64 %rd4, %rd1, %rd4;\nshr.u32 %r5, %r3, 4;\n"                  \
    "mul.wide.u32 %rd5, %r5, 4;\nadd.u64 %rd5, %rd1, %rd5;\n"            \
    "mul.lo.u32 %r6, %r3, 37;\nand.b32 %r6, %r6, 127;\n"                 \
    "mul.wide.u32 %rd6, %r6, 4;\nadd.u64 %rd6, %rd1, %rd6;\n"            \
    "mul.wide.u32 %rd7, %r3, 8;\nadd.u64 %rd7, %rd1, %rd7;\n"            \
    "mov.u32 %r7, tile;\nshl.b32 %r8, %r1, 2;\nadd.u32 %r8, %r7, %r8;\n" \
    "and.b32 %r9, %r1, 15;\nshl.b32 %r9, %r9, 2;\nadd.u32 %r9, %r7, %r9;\n"

static const char *const lines[] = {
    "ld.global.u32 %r20, [%rd2];\n",
    "ld.global.u32 %r20, [%rd3];\n",
    "ld.global.u32 %r21, [%rd3+4];\n",
    "ld.global.u32 %r21, [%rd3+3900];\n", /* some lanes in the next page */
    "ld.global.u32 %r22, [%rd4];\n",
    "ld.global.u32 %r22, [%rd5];\n",
    "ld.global.u32 %r23, [%rd1+64];\n",
    "ld.global.u32 %r23, [%rd6];\n",
    "ld.global.v2.u32 {%r24, %r25}, [%rd7];\n",
    "ld.global.u8 %r26, [%rd3];\n",
    "ld.volatile.global.u32 %r26, [%rd3];\n",
    "st.global.u32 [%rd2], %r1;\n",
    "st.global.u32 [%rd3], %r1;\n",
    "st.global.u32 [%rd3+3900], %r1;\n",
    "st.global.u32 [%rd3+64], %r20;\n",
    "st.global.u32 [%rd4], %r1;\n",
    "st.global.u32 [%rd6], %r22;\n",
    "st.global.v2.u32 [%rd7], {%r1, %r21};\n",
    "st.global.u16 [%rd3], %r1;\n",
    "st.volatile.global.u32 [%rd3], %r1;\n",
    "atom.global.add.u32 %r27, [%rd3], 1;\n",
    "atom.global.add.u32 %r27, [%rd1+8], 1;\n",
    "st.shared.u32 [%r8], %r1;\n",
    "st.shared.u32 [%r8], %r20;\n",
    "ld.shared.u32 %r20, [%r8];\n",
    "ld.shared.u32 %r21, [%r9];\n",
    "ld.shared.u32 %r21, [%r7+20];\n",
    "bar.sync 0;\n",
    "bar.sync 0;\n",
    "bar.warp.sync -1;\n",
    "membar.gl;\n",
};
enum { LINES = sizeof lines / sizeof *lines, PROGRAMS = 2000, LINES_OF_A_PROGRAM = 10 };

/* The observers' own launch_begins, with the buffer's first bytes written and the others not. */
static void *begin_with_unwritten_bytes(const sm_grid *g)
{
    static const san_caller nobody;
    uint64_t buffer;
    memcpy(&buffer, g->launch->params, sizeof buffer);
    san_forget_all_tracked_allocations();
    san_add_unwritten(buffer, KERNEL_BYTES, &nobody);
    san_mark_written(buffer, g->launch->number % 8 * 128);
    return san_init_observer.launch_begins(g);
}

/* The reports of observer BY on a run of BODY, as a string that the caller frees. */
static char *reports_of(const char *body, const sm_observer *by, uint64_t number)
{
    const sm_observer *const alone[] = {by, NULL};
    char text[4000];
    kernel_run run = {0};
    snprintf(text, sizeof text, "%s%sadd.u32 %%r28, %%r21, %%r23;\nret;\n}\n", HEAD, body);
    if (!run_grid(&run, text,
                  &(sm_launch){.grid = {3, 1, 1},
                               .block = {64, 1, 1},
                               .dynamic_shared = 256,
                               .number = number,
                               .workers = 1,
                               .observers = alone},
                  NULL, 0))
        fail_msg("%s\n%s", body, run.result.fault.text);
    char *got = strdup(reports_text(&run));
    free_kernel_run(&run);
    for (char *at = got; (at = strstr(at, "bytes that the ")) != NULL; at++) {
        memmove(at, at + strcspn(at, "("),
                strlen(at) - strcspn(at, "(") +
                    1); /* allocations are numbered: "the 3rd cudaMalloc" */
    }
    return got;
}

static void expect_same_reports(const sm_observer *by)
{
    sm_observer slow = *by;
    uint64_t random = 20261124;
    uint32_t with_reports = 0;
    assert_non_null(by->regular_access);
    slow.regular_access = NULL;
    for (uint64_t n = 0; n < PROGRAMS; n++) {
        char body[1000];
        size_t used = 0;
        for (uint64_t k = 0; k < 2 + n % LINES_OF_A_PROGRAM; k++) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            const char *next = lines[(random >> 33) % LINES];
            const uint32_t guard = (uint32_t)(random >> 60);
            used += (size_t)snprintf(body + used, sizeof body - used, "%s%s",
                                     strncmp(next, "bar", 3) == 0 || guard > 3 ? ""
                                     : guard > 1                               ? "@%p1 "
                                                                               : "@%p2 ",
                                     next);
        }
        char *quick = reports_of(body, by, n);
        char *exact = reports_of(body, &slow, n);
        with_reports += *exact != '\0';
        if (strcmp(quick, exact) != 0)
            fail_msg("%s\nreported: %s\nexpected: %s", body, quick, exact);
        free(quick);
        free(exact);
    }
    assert_in_range(with_reports, PROGRAMS / 8, PROGRAMS - PROGRAMS / 16);
}

static void global_races_stay_the_same(void **state)
{
    (void)state;
    expect_same_reports(&san_global_race_observer);
}

static void unwritten_bytes_stay_the_same(void **state)
{
    (void)state;
    sm_observer by = san_init_observer;
    by.launch_begins = begin_with_unwritten_bytes;
    expect_same_reports(&by);
    san_forget_all_tracked_allocations();
}

/* Bytes that count as written no longer do so after a copy stores bytes that were never written. */
static void unwritten_copies_reset_known_bytes(void **state)
{
    (void)state;
    static const san_caller nobody;
    enum { AT = 1 << 20, SIZE = 3 * SAN_WRITTEN_PIECE, FROM = 2 << 20 };
    uint32_t count;
    san_forget_all_tracked_allocations();
    san_add_unwritten(AT, SIZE, &nobody);
    san_add_unwritten(FROM, SIZE, &nobody);
    san_device_allocation **list = san_take_tracked_allocations(&count);
    assert_non_null(list);
    san_device_allocation *f = san_find_tracked_allocation(list, count, AT);
    assert_false(san_is_all_written(f, 0, 128));
    san_mark_written(AT, SIZE - 4);
    assert_true(san_is_all_written(f, 128, 128));
    assert_true(san_is_all_written(f, SAN_WRITTEN_PIECE - 64, 128));
    assert_true(san_is_all_written(f, SAN_WRITTEN_PIECE, 128));
    assert_true(san_is_all_written(f, SIZE - 128, 124));
    assert_false(san_is_all_written(f, SIZE - 128, 128));
    assert_false(san_is_all_written(f, SIZE - 4, 4));
    assert_true(san_is_all_written(f, 256, 128));
    san_copy_written_marks(AT + 260, FROM, 1);
    assert_false(san_is_all_written(f, 256, 128));
    assert_true(san_is_all_written(f, 128, 128));
    san_mark_written(AT, SIZE);
    assert_true(san_is_all_written(f, 256, 128));
    san_mark_unwritten(f, 300, 4);
    assert_false(san_is_all_written(f, 256, 128));
    san_release_tracked_allocations(list, count);
    san_forget_all_tracked_allocations();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(global_races_stay_the_same),
        cmocka_unit_test(unwritten_bytes_stay_the_same),
        cmocka_unit_test(unwritten_copies_reset_known_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
