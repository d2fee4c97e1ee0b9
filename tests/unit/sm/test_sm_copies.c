/* Tests when the data of a cp.async becomes visible: at the wait for its group, or at a test of its
 * mbarrier. */
#include "sm_kernel.h"

/* Each of 32 threads copies its word of the buffer, 1000 + tid, to its shared word m[tid], which
 * was 7. STORE_COPIED_WORD then stores the shared word to the buffer. */
#define KERNEL_HEAD                                                                           \
    ".visible .entry k(.param .u64 a, .param .u64 b)\n{\n"                                    \
    ".reg .pred p, odd;\n.reg .b32 r<8>;\n.reg .b64 d<4>;\n"                                  \
    ".shared .align 16 .b32 m[64];\n.shared .align 8 .b64 bar;\n.shared .align 8 .b64 two;\n" \
    "ld.param.u64 d0, [a]; mov.u32 r0, %tid.x; mul.wide.u32 d1, r0, 4;\n"                     \
    "add.u64 d0, d0, d1; mov.u32 r1, m; shl.b32 r2, r0, 2; add.u32 r1, r1, r2;\n"             \
    "mov.u32 r3, 7; st.shared.u32 [r1], r3; st.shared.u32 [r1+128], r3;\n"                    \
    "and.b32 r4, r0, 1; setp.eq.u32 odd, r4, 1; setp.eq.u32 p, r0, 0;\n"                      \
    "@p mbarrier.init.shared.b64 [bar], 32; @p mbarrier.init.shared.b64 [two], 1; bar.sync 0;\n"
#define COPY               "cp.async.ca.shared.global [r1], [d0], 4;\n"
#define COPY_NEXT          "cp.async.ca.shared.global [r1+128], [d0], 4;\n"
#define COMMIT             "cp.async.commit_group;\n"
#define STORE_COPIED_WORD  "ld.volatile.shared.u32 r5, [r1]; st.global.u32 [d0], r5;\n"
#define STORE_NEXT_WORD    "ld.volatile.shared.u32 r5, [r1+128]; st.global.u32 [d0], r5;\n"
#define KERNEL_TAIL        "ret;\n}\n"
#define TEST_MBARRIER(bar) "mbarrier.test_wait.parity.shared.b64 p, [" bar "], 0;\n"

enum {
    SHOWS_OLD_BYTES,          /* the load reads the old word, 7, in all lanes */
    SHOWS_COPIED_BYTES,       /* the load reads the copied word in all lanes */
    SHOWS_COPIED_IN_ODD_LANES /* the load reads the copied word only in odd lanes */
};

typedef struct copy_case {
    const char *what, *text; /* what the code does; the code */
    int shows;               /* which bytes the load reads: SHOWS_* */
} copy_case;

static void expect_buffer(const copy_case *c)
{
    uint32_t fill[KERNEL_BYTES / 4] = {0};
    for (uint32_t k = 0; k < 32; k++)
        fill[k] = 1000 + k;
    kernel_run run = {0};
    run_kernel(&run, c->text, 32, 0, fill, 0, false);
    expect_ok(&run);
    const uint32_t *got = (const uint32_t *)(const void *)run.bytes;
    for (uint32_t k = 0; k < 32; k++) {
        const bool there =
            c->shows == SHOWS_COPIED_BYTES || (c->shows == SHOWS_COPIED_IN_ODD_LANES && k % 2);
        if (got[k] != (there ? 1000 + k : 7))
            fail_msg("%s: lane %u reads %u", c->what, k, got[k]);
    }
    free_kernel_run(&run);
}

#define CASES(list)                                             \
    for (size_t k = 0; k < sizeof(list) / sizeof(list)[0]; k++) \
        expect_buffer(&(list)[k]);

static void a_copy_lands_at_the_wait_for_its_group(void **state)
{
    (void)state;
    static const copy_case cases[] = {
        {"no wait", KERNEL_HEAD COPY COMMIT STORE_COPIED_WORD KERNEL_TAIL, SHOWS_OLD_BYTES},
        {"a barrier alone", KERNEL_HEAD COPY COMMIT "bar.sync 0;\n" STORE_COPIED_WORD KERNEL_TAIL,
         SHOWS_OLD_BYTES},
        {"a wait for the group",
         KERNEL_HEAD COPY COMMIT "cp.async.wait_group 0;\n" STORE_COPIED_WORD KERNEL_TAIL,
         SHOWS_COPIED_BYTES},
        {"a wait that leaves it",
         KERNEL_HEAD COPY COMMIT "cp.async.wait_group 1;\n" STORE_COPIED_WORD KERNEL_TAIL,
         SHOWS_OLD_BYTES},
        {"a wait that leaves more",
         KERNEL_HEAD COPY COMMIT "cp.async.wait_group 8;\n" STORE_COPIED_WORD KERNEL_TAIL,
         SHOWS_OLD_BYTES},
        {"no commit",
         KERNEL_HEAD COPY "cp.async.wait_group 0;\n" STORE_COPIED_WORD COMMIT KERNEL_TAIL,
         SHOWS_OLD_BYTES},
        {"no commit, but a wait for all",
         KERNEL_HEAD COPY "cp.async.wait_all;\n" STORE_COPIED_WORD KERNEL_TAIL, SHOWS_COPIED_BYTES},
        {"an older group",
         KERNEL_HEAD COPY COMMIT COPY_NEXT COMMIT
         "cp.async.wait_group 1;\n" STORE_COPIED_WORD KERNEL_TAIL,
         SHOWS_COPIED_BYTES},
        {"the newer group",
         KERNEL_HEAD COPY COMMIT COPY_NEXT COMMIT
         "cp.async.wait_group 1;\n" STORE_NEXT_WORD KERNEL_TAIL,
         SHOWS_OLD_BYTES},
        {"an empty group after it",
         KERNEL_HEAD COPY COMMIT COMMIT "cp.async.wait_group 1;\n" STORE_COPIED_WORD KERNEL_TAIL,
         SHOWS_COPIED_BYTES},
        {"two copies in a group",
         KERNEL_HEAD COPY_NEXT COPY COMMIT COMMIT
         "cp.async.wait_group 1;\n" STORE_COPIED_WORD KERNEL_TAIL,
         SHOWS_COPIED_BYTES},
        {"odd lanes wait",
         KERNEL_HEAD COPY COMMIT "@odd cp.async.wait_group 0;\n" STORE_COPIED_WORD KERNEL_TAIL,
         SHOWS_COPIED_IN_ODD_LANES},
        {"odd lanes have a newer group",
         KERNEL_HEAD COPY COMMIT
         "@odd cp.async.commit_group;\ncp.async.wait_group 1;\n" STORE_COPIED_WORD KERNEL_TAIL,
         SHOWS_COPIED_IN_ODD_LANES},
        {"odd lanes copy first",
         KERNEL_HEAD "@odd " COPY COMMIT "@!odd " COPY COMMIT
                     "cp.async.wait_group 1;\n" STORE_COPIED_WORD KERNEL_TAIL,
         SHOWS_COPIED_IN_ODD_LANES},
    };
    CASES(cases);
}

static void a_copy_lands_when_a_thread_tests_its_mbarrier(void **state)
{
    (void)state;
#define NOINC "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n"
    static const copy_case cases[] = {
        {"nobody looks", KERNEL_HEAD COPY NOINC STORE_COPIED_WORD KERNEL_TAIL, SHOWS_OLD_BYTES},
        {"at another one",
         KERNEL_HEAD COPY NOINC TEST_MBARRIER("two") STORE_COPIED_WORD KERNEL_TAIL,
         SHOWS_OLD_BYTES},
        {"each thread's copies arrive",
         KERNEL_HEAD COPY NOINC TEST_MBARRIER("bar") STORE_COPIED_WORD KERNEL_TAIL,
         SHOWS_COPIED_BYTES},
        {"a copy after the arrival",
         KERNEL_HEAD NOINC COPY TEST_MBARRIER("bar") STORE_COPIED_WORD KERNEL_TAIL,
         SHOWS_OLD_BYTES},
        {"a wait for the group",
         KERNEL_HEAD COPY COMMIT NOINC "cp.async.wait_group 0;\n" STORE_COPIED_WORD KERNEL_TAIL,
         SHOWS_COPIED_BYTES},
        {"odd lanes' copies arrive",
         KERNEL_HEAD COPY "@odd " NOINC TEST_MBARRIER("bar") STORE_COPIED_WORD KERNEL_TAIL,
         SHOWS_COPIED_IN_ODD_LANES},
    };
    CASES(cases);
}

/* A phase is complete after its 32 arrivals and the arrivals of copies that count themselves
 * (without .noinc). */
static void a_phase_ends_with_the_copies(void **state)
{
    (void)state;
    static const struct {
        const char *what, *text;
        uint32_t over;
    } cases[] = {
        {"copies arrive for the threads", KERNEL_HEAD COPY NOINC TEST_MBARRIER("bar"), 1},
        {"half of them", KERNEL_HEAD COPY "@odd " NOINC TEST_MBARRIER("bar"), 0},
        {"copies alone, which add themselves",
         KERNEL_HEAD COPY "cp.async.mbarrier.arrive.shared.b64 [bar];\n" TEST_MBARRIER("bar"), 0},
        {"and the threads",
         KERNEL_HEAD COPY "cp.async.mbarrier.arrive.shared.b64 [bar];\n"
                          "mbarrier.arrive.shared.b64 d2, [bar];\n" TEST_MBARRIER("bar"),
         1},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        char text[4000];
        kernel_run run = {0};
        snprintf(text, sizeof text, "%sselp.u32 r5, 1, 0, p; st.global.u32 [d0], r5;\n" KERNEL_TAIL,
                 cases[c].text);
        run_kernel(&run, text, 32, 0, NULL, 0, false);
        expect_ok(&run);
        if (((const uint32_t *)(const void *)run.bytes)[0] != cases[c].over) {
            fail_msg("%s: the phase of the mbarrier is%s complete", cases[c].what,
                     cases[c].over ? " not" : "");
        }
        free_kernel_run(&run);
    }
}

/* Copies that count themselves keep the phase open until their data has arrived, even if all 32
 * other arrivals came before. */
static void a_copy_keeps_its_phase_open(void **state)
{
    (void)state;
    static const copy_case c = {"the phase",
                                KERNEL_HEAD COPY
                                "cp.async.mbarrier.arrive.shared.b64 [bar];\n"
                                "mbarrier.arrive.shared.b64 d2, [bar];\n"
                                "WAIT: mbarrier.try_wait.parity.shared.b64 p, [bar], 0;\n"
                                "@!p bra WAIT;\n" STORE_COPIED_WORD KERNEL_TAIL,
                                SHOWS_COPIED_BYTES};
    expect_buffer(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_lands_at_the_wait_for_its_group),
        cmocka_unit_test(a_copy_lands_when_a_thread_tests_its_mbarrier),
        cmocka_unit_test(a_phase_ends_with_the_copies),
        cmocka_unit_test(a_copy_keeps_its_phase_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
