/* Tests the race detector: which accesses it must report and which it must not report. */
#include "sm_kernel.h"

#define KERNEL_HEAD                                                                               \
    ".extern .shared .align 16 .b8 tile[];\n"                                                     \
    ".visible .entry k(.param .u64 k_0, .param .u64 k_1)\n{\n"                                    \
    ".reg .pred %p<8>;\n.reg .b16 %rs<8>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<16>;\n"               \
    "mov.u32 %r1, %tid.x;\nmov.u32 %r3, tile;\nmul.lo.u32 %r4, %r1, 4;\nadd.u32 %r5, %r3, %r4;\n" \
    "xor.b32 %r6, %r4, 4;\nadd.u32 %r6, %r3, %r6;\n"   /* a neighbouring lane's word */           \
    "xor.b32 %r7, %r4, 128;\nadd.u32 %r7, %r3, %r7;\n" /* a word of the other warp */

/* Run BODY on THREADS threads; the reports must contain WHAT, or be empty if it is NULL. */
static void expect_report_of(uint32_t threads, const char *body, const char *what)
{
    char text[3000];
    kernel_run run = {0};
    snprintf(text, sizeof text, "%s%s\nret;\n}\n", KERNEL_HEAD, body);
    if (!run_kernel(&run, text, threads, 4096, NULL, 0, true))
        fail_msg("%s", run.result.fault.text);
    const char *got = reports_text(&run);
    if (what ? !strstr(got, what) : *got != '\0') {
        fail_msg("%s\nreported: %s\nexpected: %s", body, *got ? got : "nothing",
                 what ? what : "nothing");
    }
    free_kernel_run(&run);
}

static void expect_report(const char *body, const char *what)
{
    expect_report_of(64, body, what);
}

static void accesses_with_no_barrier_between_race(void **state)
{
    (void)state;
    expect_report(
        "st.shared.u32 [%r5], %r1;\nld.shared.u32 %r8, [%r7];",
        "thread 32 wrote at PTX line 19 (st.shared.u32) what thread 0 read at PTX line 20 ");
    expect_report("st.shared.u32 [%r5], %r1;\nld.shared.u32 %r8, [%r6];",
                  "with no __syncthreads() between");
    expect_report_of(32, "st.shared.u32 [%r5], %r1;\nld.shared.u32 %r8, [%r6];",
                     "with no __syncwarp() or __syncthreads() between");
    expect_report("st.shared.u32 [%r5], %r1;\nbar.warp.sync -1;\nld.shared.u32 %r8, [%r7];",
                  "with no __syncthreads() between");
    expect_report(
        "ld.shared.u32 %r8, [%r5];\nst.shared.u32 [%r7], %r1;",
        "thread 32 read at PTX line 19 (ld.shared.u32) what thread 0 wrote at PTX line 20 ");
    expect_report("st.shared.u32 [%r5], %r1;\nst.shared.u32 [%r7], %r1;", " wrote at PTX line ");
    expect_report("st.shared.u32 [%r5], %r1;\nbar.sync 0;\nst.shared.u32 [%r5], %r1;\n"
                  "ld.shared.u32 %r8, [%r7];",
                  "read at PTX line ");
    expect_report("st.shared.u32 [%r5], %r1;\natom.shared.add.u32 %r8, [%r7], 1;",
                  "atomically updated at PTX line ");
    /* All lanes of two warps read a word, and then one lane writes it. */
    expect_report(
        "ld.shared.u32 %r8, [%r3];\nsetp.eq.u32 %p1, %r1, 31;\n@%p1 st.shared.u32 [%r3], %r1;",
        "thread 31 wrote at ");
    /* A lane writes a byte of a word that the neighbouring lane has read. */
    expect_report("add.u32 %r9, %r3, %r1;\nxor.b32 %r10, %r1, 1;\nadd.u32 %r10, %r3, %r10;\n"
                  "ld.shared.u8 %r8, [%r9];\nst.shared.u8 [%r10], %r1;",
                  " wrote at PTX line ");
    /* A shuffle does not order memory accesses. */
    expect_report("st.shared.u32 [%r5], %r1;\nshfl.sync.bfly.b32 %r9, %r1, 1, 31, -1;\n"
                  "ld.shared.u32 %r8, [%r6];",
                  "race on shared memory: thread ");
}

static void barriers_and_atomics_order(void **state)
{
    (void)state;
    expect_report("st.shared.u32 [%r5], %r1;\nbar.sync 0;\nld.shared.u32 %r8, [%r7];", NULL);
    expect_report("st.shared.u32 [%r5], %r1;\nbar.warp.sync -1;\nld.shared.u32 %r8, [%r6];", NULL);
    expect_report("ld.shared.u32 %r8, [%r7];\nbar.sync 0;\nst.shared.u32 [%r5], %r1;", NULL);
    expect_report("atom.shared.add.u32 %r8, [%r3], 1;\nred.shared.add.u32 [%r3], 1;", NULL);
    expect_report("st.shared.u32 [%r5], %r1;\nld.shared.u32 %r8, [%r5];\nst.shared.u32 [%r5], %r8;",
                  NULL);
    expect_report("ld.shared.u32 %r8, [%r3];\nld.shared.u32 %r8, [%r5];", NULL);
    /* Different bytes of one word belong to different threads. */
    expect_report("add.u32 %r9, %r3, %r1;\nst.shared.u8 [%r9], %r1;\nld.shared.u8 %r8, [%r9];",
                  NULL);
    expect_report("add.u32 %r9, %r3, %r1;\nld.shared.u8 %r8, [%r9];\nst.shared.u8 [%r9], %r1;",
                  NULL);
    expect_report("shl.b32 %r9, %r1, 1;\nadd.u32 %r9, %r3, %r9;\nld.shared.u16 %r8, [%r9];\n"
                  "st.shared.u16 [%r9], %r1;",
                  NULL);
    expect_report("st.relaxed.cta.shared.u32 [%r3], %r1;\nld.acquire.cta.shared.u32 %r8, [%r3];",
                  NULL);
}

/* One warp fills words and sets a flag; the other waits for the flag and reads the words. */
static void release_and_acquire_order(void **state)
{
    (void)state;
#define HAND_OVER_BY_FLAG(st, ld, after)                                        \
    "setp.ge.u32 %p1, %r1, 32;\n@%p1 bra WAIT;\nst.shared.u32 [%r5+64], %r1;\n" \
    "bar.warp.sync -1;\nsetp.ne.u32 %p2, %r1, 0;\n@%p2 bra END;\n" st           \
    ".cta.shared.u32 [%r3], 1;\n" after "bra END;\nWAIT:\n" ld                  \
    ".cta.shared.u32 %r8, [%r3];\nsetp.eq.u32 %p3, %r8, 0;\n@%p3 bra WAIT;\n"   \
    "ld.shared.u32 %r9, [%r5+-64];\nEND:\n"
    expect_report(HAND_OVER_BY_FLAG("st.release", "ld.acquire", ""), NULL);
    expect_report(HAND_OVER_BY_FLAG("st.relaxed", "ld.relaxed", ""), "race on shared memory");
    expect_report(HAND_OVER_BY_FLAG("st.release", "ld.relaxed", ""), "race on shared memory");
    /* A write after the flag has been set is not ordered. */
    expect_report(HAND_OVER_BY_FLAG("st.release", "ld.acquire", "st.shared.u32 [%r5+64], 7;\n"),
                  "race on shared memory");
#undef HAND_OVER_BY_FLAG
}

/* A barrier of some of the block's threads orders those that arrive before those that wait. */
static void partial_barriers_order(void **state)
{
    (void)state;
#define TWO_WARPS(first, second) \
    "setp.ge.u32 %p1, %r1, 32;\n@%p1 bra SECOND;\n" first "bra END;\nSECOND:\n" second "END:\n"
#define STORE_WORD "st.shared.u32 [%r5], %r1;\n"
#define LOAD_WORD  "ld.shared.u32 %r8, [%r7];\n"
    expect_report(TWO_WARPS("bar.sync 1, 64;\n" LOAD_WORD, STORE_WORD "bar.arrive 1, 64;\n"), NULL);
    expect_report(TWO_WARPS(STORE_WORD "bar.arrive 1, 64;\n", "bar.sync 1, 64;\n" LOAD_WORD), NULL);
    expect_report(TWO_WARPS(LOAD_WORD "bar.arrive 1, 64;\n", "bar.sync 1, 64;\n" STORE_WORD), NULL);
    expect_report(TWO_WARPS(STORE_WORD "bar.sync 1, 64;\n" LOAD_WORD,
                            STORE_WORD "bar.sync 1, 64;\n" LOAD_WORD),
                  NULL);
    expect_report(STORE_WORD "bar.sync 0, 64;\nbar.sync 0, 64;\nld.shared.u32 %r8, [%r6];\n", NULL);
    /* A slot of shared memory is written, read and written again. */
    expect_report(TWO_WARPS("bar.sync 1, 64;\n" STORE_WORD
                            "bar.arrive 2, 64;\nbar.sync 1, 64;\n" STORE_WORD,
                            "bar.arrive 1, 64;\nbar.sync 2, 64;\n" LOAD_WORD "bar.arrive 1, 64;\n"),
                  NULL);
    /* bar.arrive does not wait: accesses after it are not ordered after those of the other
     * threads. */
    expect_report(TWO_WARPS("bar.sync 1, 64;\n" LOAD_WORD, "bar.arrive 1, 64;\n" STORE_WORD),
                  "race on shared memory");
    expect_report(TWO_WARPS(STORE_WORD "bar.sync 1, 64;\n", "bar.arrive 1, 64;\n" LOAD_WORD),
                  "race on shared memory");
    /* Another barrier does not order the accesses, nor does a barrier in which the writer does not
     * take part. */
    expect_report(TWO_WARPS(STORE_WORD "bar.arrive 2, 64;\nbar.arrive 1, 64;\n" STORE_WORD,
                            "bar.sync 2, 64;\nbar.sync 1, 64;\n" LOAD_WORD),
                  "race on shared memory");
    expect_report(TWO_WARPS(STORE_WORD "bar.sync 1, 32;\n", "bar.sync 2, 32;\n" LOAD_WORD),
                  "race on shared memory");
#undef TWO_WARPS
#undef STORE_WORD
#undef LOAD_WORD
}

static void a_pair_is_reported_once(void **state)
{
    (void)state;
    kernel_run run = {0};
    char text[3000];
    snprintf(text, sizeof text, "%s%s\nret;\n}\n", KERNEL_HEAD,
             "st.shared.u32 [%r5], %r1;\nld.shared.u32 %r8, [%r7];");
    assert_true(run_kernel(&run, text, 64, 4096, NULL, 0, true));
    assert_non_null(run.result.reports);
    assert_null(run.result.reports->next);
    free_kernel_run(&run);
    assert_true(run_kernel(&run, text, 64, 4096, NULL, 0, false)); /* without the race detector */
    assert_null(run.result.reports);
    free_kernel_run(&run);
}

/* The reports on BODY, run by 64 threads. If END, which is never executed, contains an instruction
 * of the async proxy, the detector uses its exact check for every access. */
static char *reports_on(const char *body, const char *end)
{
    char text[3000];
    kernel_run run = {0};
    snprintf(text, sizeof text, "%s%sret;\n%s}\n", KERNEL_HEAD, body, end);
    assert_true(run_kernel(&run, text, 64, 4096, NULL, 0, true));
    char *got = strdup(reports_text(&run));
    free_kernel_run(&run);
    return got;
}

/* Random programs: the detector's fast first check must not change the reports or their wording. */
static void the_fast_first_check_changes_no_report(void **state)
{
    (void)state;
    static const char *const line[] = {
        "ld.shared.u32 %r8, [%r5];\n",
        "ld.shared.u32 %r8, [%r6];\n",
        "ld.shared.u32 %r8, [%r7];\n",
        "ld.shared.u32 %r8, [%r3];\n",
        "ld.shared.v2.u32 {%r8, %r9}, [%r10];\n",
        "ld.shared.u32 %r8, [%r13];\n",
        "ld.shared.u32 %r8, [%r14];\n",
        "ld.shared.u32 %r8, [%r15];\n",
        "ld.shared.u32 %r8, [%r16];\n",
        "st.shared.u32 [%r13], %r1;\n",
        "st.shared.u32 [%r14], %r1;\n",
        "st.shared.u32 [%r15], %r1;\n",
        "atom.shared.add.u32 %r8, [%r14], 1;\n",
        "ld.shared.u8 %r8, [%r11];\n",
        "st.shared.u32 [%r5], %r1;\n",
        "st.shared.u32 [%r6], %r1;\n",
        "st.shared.u32 [%r3], %r1;\n",
        "st.shared.u16 [%r12], %r1;\n",
        "st.shared.v2.u32 [%r10], {%r1, %r1};\n",
        "st.volatile.shared.u32 [%r5], %r1;\n",
        "atom.shared.add.u32 %r8, [%r5], 1;\n",
        "atom.shared.add.u32 %r8, [%r3], 1;\n",
        "atom.acq_rel.cta.shared.add.u32 %r8, [%r3+64], 1;\n",
        "st.relaxed.cta.shared.u32 [%r7], %r1;\n",
        "bar.sync 0;\n",
        "bar.sync 0;\n",
        "bar.sync 1, 64;\n",
        "bar.warp.sync -1;\n",
        "bar.warp.sync -1;\n",
    };
    enum { LINES = sizeof line / sizeof *line, PROGRAMS = 2000, LENGTH = 8 };
    uint64_t random = 20261123;
    uint32_t with_reports = 0;
    for (int n = 0; n < PROGRAMS; n++) {
        char body[2000];
        size_t used =
            (size_t)snprintf(body, sizeof body,
                             "and.b32 %%r10, %%r5, -8;\nadd.u32 %%r11, %%r3, %%r1;\n"
                             "add.u32 %%r12, %%r11, %%r1;\nsetp.lt.u32 %%p1, %%r1, 33;\n"
                             "setp.eq.u32 %%p2, %%r1, 40;\n"
                             /* addresses: scattered words; words that several lanes share */
                             "mul.lo.u32 %%r13, %%r4, 37;\nand.b32 %%r13, %%r13, 252;\n"
                             "add.u32 %%r13, %%r3, %%r13;\nmul.lo.u32 %%r14, %%r4, %%r1;\n"
                             "and.b32 %%r14, %%r14, 252;\nadd.u32 %%r14, %%r3, %%r14;\n"
                             /* rows of adjacent words; a word for each row */
                             "and.b32 %%r15, %%r4, 60;\nadd.u32 %%r15, %%r3, %%r15;\n"
                             "shr.u32 %%r16, %%r1, 4;\nshl.b32 %%r16, %%r16, 2;\n"
                             "add.u32 %%r16, %%r3, %%r16;\n");
        for (int k = 0; k < 2 + n % LENGTH; k++) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            const char *next = line[(random >> 33) % LINES];
            const uint32_t guard = (uint32_t)(random >> 60);
            used += (size_t)snprintf(body + used, sizeof body - used, "%s%s",
                                     strncmp(next, "bar", 3) == 0 || guard > 5 ? ""
                                     : guard > 2                               ? "@%p1 "
                                                                               : "@%p2 ",
                                     next);
        }
        char *quick = reports_on(body, "");
        char *exact = reports_on(body, "fence.proxy.async;\nret;\n");
        with_reports += *exact != '\0';
        if (strcmp(quick, exact) != 0)
            fail_msg("%s\nreported: %s\nexpected: %s", body, quick, exact);
        free(quick);
        free(exact);
    }
    assert_in_range(with_reports, PROGRAMS / 4, PROGRAMS - PROGRAMS / 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses_with_no_barrier_between_race),
        cmocka_unit_test(barriers_and_atomics_order),
        cmocka_unit_test(release_and_acquire_order),
        cmocka_unit_test(partial_barriers_order),
        cmocka_unit_test(a_pair_is_reported_once),
        cmocka_unit_test(the_fast_first_check_changes_no_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
