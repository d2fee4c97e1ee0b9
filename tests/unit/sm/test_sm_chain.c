/* Tests how often warps wait for global memory, that is, which loads overlap. */
#include "sm_kernel.h"

#include "emulator/timing/timing.h"

#define KERNEL_HEAD                                                                 \
    ".visible .entry k(.param .u64 k_0, .param .u64 k_1)\n{\n"                      \
    ".reg .pred %p<4>;\n.reg .b32 %r<32>;\n.reg .f32 %f<4>;\n.reg .b64 %rd<16>;\n"  \
    "ld.param.u64 %rd1, [k_0];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\n" \
    "add.s64 %rd3, %rd1, %rd2;\n"
#define KERNEL_END "st.global.u32 [%rd3+32768], %r10;\nret;\n}\n"

/* Compute the next address from the word in %r10. */
#define FOLLOW "mul.wide.u32 %rd4, %r10, 4;\nadd.s64 %rd3, %rd3, %rd4;\nadd.s64 %rd3, %rd3, 4096;\n"

typedef struct chain_case {
    const char *what, *text; /* what the code does; the code */
    uint32_t rounds;         /* expected waits for memory */
} chain_case;

static void expect_rounds(const chain_case *cases, size_t count)
{
    for (size_t c = 0; c < count; c++) {
        kernel_run run = {0};
        run_kernel(&run, cases[c].text, 32, 128, NULL, 0, false);
        expect_ok(&run);
        if (C(run, l2_rounds) != cases[c].rounds) {
            fail_msg("%s: a warp waits %llu times, not %u", cases[c].what,
                     (unsigned long long)C(run, l2_rounds), cases[c].rounds);
        }
        free_kernel_run(&run);
    }
}

#define CASES(list) expect_rounds(list, sizeof(list) / sizeof(list)[0])

static void dependent_loads_wait_independent_loads_overlap(void **state)
{
    (void)state;
    static const chain_case cases[] = {
        {"one", KERNEL_HEAD "ld.global.u32 %r10, [%rd3];\n" KERNEL_END, 1},
        {"two side by side",
         KERNEL_HEAD "ld.global.u32 %r10, [%rd3];\nld.global.u32 %r11, [%rd3+4096];\n"
                     "add.u32 %r10, %r10, %r11;\n" KERNEL_END,
         1},
        {"one that L1 has",
         KERNEL_HEAD "ld.global.u32 %r10, [%rd3];\nld.global.u32 %r11, [%rd3];\n"
                     "add.u32 %r10, %r10, %r11;\n" KERNEL_END,
         1},
        {"the second by the first",
         KERNEL_HEAD "ld.global.u32 %r10, [%rd3];\nmul.wide.u32 %rd4, %r10, 4;\n"
                     "add.s64 %rd5, %rd3, %rd4;\nld.global.u32 %r10, [%rd5+4096];\n" KERNEL_END,
         2},
        {"a chain of three",
         KERNEL_HEAD "ld.global.u32 %r10, [%rd3];\nmul.wide.u32 %rd4, %r10, 4;\n"
                     "add.s64 %rd5, %rd3, %rd4;\nld.global.u32 %r11, [%rd5+4096];\n"
                     "mul.wide.u32 %rd6, %r11, 4;\nadd.s64 %rd7, %rd5, %rd6;\n"
                     "ld.global.u32 %r12, [%rd7+8192];\nadd.u32 %r13, %r10, %r12;\n" KERNEL_END,
         3},
        {"by one of a vector's words",
         KERNEL_HEAD "and.b64 %rd5, %rd3, -8;\nld.global.v2.u32 {%r11, %r10}, [%rd5];\n"
                     "mul.wide.u32 %rd4, %r10, 4;\nadd.s64 %rd6, %rd3, %rd4;\n"
                     "ld.global.u32 %r10, [%rd6+4096];\n" KERNEL_END,
         2},
        {"by an atomic's old value",
         KERNEL_HEAD "atom.global.add.u32 %r10, [%rd3], 0;\nmul.wide.u32 %rd4, %r10, 4;\n"
                     "add.s64 %rd6, %rd3, %rd4;\nld.global.u32 %r10, [%rd6+4096];\n" KERNEL_END,
         2},
    };
    CASES(cases);
}

static void what_separates_overlapping_loads(void **state)
{
    (void)state;
    static const chain_case cases[] = {
        {"a barrier",
         KERNEL_HEAD "ld.global.u32 %r10, [%rd3];\nbar.sync 0;\nld.global.u32 %r11, [%rd3+4096];\n"
                     "add.u32 %r10, %r10, %r11;\n" KERNEL_END,
         2},
        {"a store",
         KERNEL_HEAD "ld.global.u32 %r10, [%rd3];\nst.global.u32 [%rd3+8192], %r10;\n"
                     "ld.global.u32 %r11, [%rd3+4096];\nadd.u32 %r10, %r10, %r11;\n" KERNEL_END,
         2},
        {"not a store, where nothing is ever stored",
         KERNEL_HEAD "ld.global.u32 %r10, [%rd3];\nst.global.u32 [%rd3+8192], %r10;\n"
                     "ld.global.nc.u32 %r11, [%rd3+4096];\nadd.u32 %r10, %r10, %r11;\n" KERNEL_END,
         1},
        {"not a store to shared memory",
         KERNEL_HEAD
         "ld.global.u32 %r10, [%rd3];\nshl.b32 %r12, %r1, 2;\nst.shared.u32 [%r12], %r10;\n"
         "ld.global.u32 %r11, [%rd3+4096];\nadd.u32 %r10, %r10, %r11;\n" KERNEL_END,
         1},
    };
    CASES(cases);
}

static void loops_wait_once_per_iteration(void **state)
{
    (void)state;
    static const chain_case cases[] = {
        {"two loads a turn",
         KERNEL_HEAD
         "mov.u32 %r20, 0;\nL:\nld.global.u32 %r10, [%rd3];\nld.global.u32 %r11, "
         "[%rd3+16384];\nadd.s64 %rd3, %rd3, 128;\nadd.u32 %r20, %r20, 1;\n"
         "setp.lt.u32 %p1, %r20, 6;\n@%p1 bra L;\nadd.u32 %r10, %r10, %r11;\n" KERNEL_END,
         6},
        {"a loop in a loop",
         KERNEL_HEAD "mov.u32 %r20, 0;\nL:\nld.global.u32 %r10, [%rd3];\nmov.u32 %r21, 0;\nM:\n"
                     "ld.global.u32 %r11, [%rd3+16384];\nadd.s64 %rd3, %rd3, 128;\n"
                     "add.u32 %r21, %r21, 1;\nsetp.lt.u32 %p1, %r21, 4;\n@%p1 bra M;\n"
                     "add.u32 %r20, %r20, 1;\nsetp.lt.u32 %p1, %r20, 3;\n@%p1 bra L;\n" KERNEL_END,
         3 + 12},
        {"a list that is followed",
         KERNEL_HEAD "mov.u32 %r20, 0;\nL:\nld.global.u32 %r10, [%rd3];\n" FOLLOW
                     "add.u32 %r20, %r20, 1;\nsetp.lt.u32 %p1, %r20, 5;\n@%p1 bra L;\n" KERNEL_END,
         5},
        {"a list that is followed twice a turn",
         KERNEL_HEAD "mov.u32 %r20, 0;\nL:\nld.global.u32 %r10, [%rd3];\n" FOLLOW
                     "ld.global.u32 %r10, [%rd3];\n" FOLLOW
                     "add.u32 %r20, %r20, 1;\nsetp.lt.u32 %p1, %r20, 2;\n@%p1 bra L;\n" KERNEL_END,
         4},
    };
    CASES(cases);
}

/* Dependent loads of words in one sector: a hit waits as long as a miss only if another warp may
 * have the sector in flight. */
static void hits_on_sectors_in_flight_wait(void **state)
{
    (void)state;
    static const char text[] = KERNEL_HEAD
        "mov.u32 %r20, 0;\nL:\nld.global.u32 %r10, [%rd1];\nst.global.u32 [%rd3+32768], %r10;\n"
        "add.s64 %rd1, %rd1, 4;\nadd.u32 %r20, %r20, 1;\nsetp.lt.u32 %p1, %r20, 8;\n"
        "@%p1 bra L;\n" KERNEL_END;
    for (uint32_t warps = 1; warps <= 2; warps++) {
        kernel_run run = {0};
        run_kernel(&run, text, 32 * warps, 128, NULL, 0, false);
        expect_ok(&run);
        assert_int_equal(C(run, l1_rounds), 8 * warps);
        assert_int_equal(C(run, l2_rounds), warps);
        free_kernel_run(&run);
    }
}

/* A loop over words of shared memory, with its exit in the middle. FIRST: initial value of the
 * counter; MORE: further code in the loop body. */
#define MIDDLE_EXIT(first, more)                                                                   \
    KERNEL_HEAD "shl.b32 %r2, %r1, 2;\nst.shared.u32 [%r2], %r1;\nmov.u32 %r3, 0;\nmov.u32 %r10, " \
                "0;\n" first "bra.uni M;\nL:\nadd.u32 %r3, %r3, 4;\nadd.u32 %r20, %r20, 1;\nM:\n"  \
                "ld.shared.u32 %r4, [%r3];\nadd.u32 %r10, %r10, %r4;\n" more                       \
                "setp.eq.u32 %p1, %r20, 15;\n@%p1 bra N;\nbra.uni L;\nN:\n" KERNEL_END

static void counted_loops_are_unrolled(void **state)
{
    (void)state;
    static const struct {
        const char *what, *text;
        uint32_t rounds;
    } cases[] = {
        {"from 0 to 15", MIDDLE_EXIT("mov.u32 %r20, 0;\n", ""), 4},
        {"from a lane's number", MIDDLE_EXIT("and.b32 %r20, %r1, 0;\n", ""), 16},
        {"with a barrier", MIDDLE_EXIT("mov.u32 %r20, 0;\n", "bar.sync 0;\n"), 16},
        {"by a list",
         MIDDLE_EXIT("mov.u32 %r20, 0;\n", "and.b32 %r4, %r4, 4;\nld.shared.u32 %r5, [%r4];\n"),
         4 + 16},
        {"by a list of matrices",
         MIDDLE_EXIT("mov.u32 %r20, 0;\n",
                     "and.b32 %r4, %r4, 16;\n"
                     "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r5}, [%r4];\n"),
         4 + 16},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        kernel_run run = {0};
        run_kernel(&run, cases[c].text, 32, 128, NULL, 0, false);
        expect_ok(&run);
        if (C(run, near_rounds) != cases[c].rounds) {
            fail_msg("%s: a warp waits %llu times, not %u", cases[c].what,
                     (unsigned long long)C(run, near_rounds), cases[c].rounds);
        }
        free_kernel_run(&run);
    }
}

/* Chains of dependent results, including instructions that the assembler expands into several. */
static void chains_of_results_end_at_branches(void **state)
{
    (void)state;
    static const struct {
        const char *what, *text;
        uint64_t chain, more, special;
    } cases[] = {
        /* the head's 1 more: the second turn of an address's IMAD.WIDE */
        {"nothing but the head", KERNEL_HEAD "ret;\n}\n", 15, 1, 0},
        {"four sums in a row",
         KERNEL_HEAD "add.u32 %r2, %r3, 1;\nadd.u32 %r2, %r2, 1;\nadd.u32 %r2, %r2, 1;\n"
                     "add.u32 %r2, %r2, 1;\nret;\n}\n",
         20, 1, 0},
        {"four sums side by side",
         KERNEL_HEAD "add.u32 %r2, %r3, 1;\nadd.u32 %r4, %r3, 1;\nadd.u32 %r5, %r3, 1;\n"
                     "add.u32 %r6, %r3, 1;\nret;\n}\n",
         15, 1, 0},
        {"sums of what has no source",
         KERNEL_HEAD "activemask.b32 %r2;\nadd.u32 %r2, %r2, 1;\nadd.u32 %r2, %r2, 1;\n"
                     "add.u32 %r2, %r2, 1;\nret;\n}\n",
         20, 1, 0},
        {"a quotient", KERNEL_HEAD "div.u32 %r2, %r3, 7;\nret;\n}\n", 135, 20, 3},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        kernel_run run = {0};
        run_kernel(&run, cases[c].text, 32, 128, NULL, 0, false);
        expect_ok(&run);
        if (C(run, chain_cycles) != cases[c].chain || C(run, inst_more) != cases[c].more ||
            C(run, inst_special) != cases[c].special) {
            fail_msg("%s: %llu cycles, %llu more, %llu special", cases[c].what,
                     (unsigned long long)C(run, chain_cycles),
                     (unsigned long long)C(run, inst_more),
                     (unsigned long long)C(run, inst_special));
        }
        free_kernel_run(&run);
    }
}

static int use_device(const char *device)
{
    static sm_cycles cycles;
    device_profile p;
    char err[200];
    if (!profile_load(device, &p, err, sizeof err))
        return -1;
    cycles = sm_cycles_of(&p);
    kernel_cycles = &cycles;
    return 0;
}

static int use_h200(void **state)
{
    (void)state;
    return use_device("h200");
}

/* The same code on other devices: latencies and issue rates come from the device profile. */
static void chains_use_latencies_of_the_profile(void **state)
{
    (void)state;
#define SUM "add.f32 %f1, %f1, %f1;\n"
    static const char text[] =
        KERNEL_HEAD SUM SUM SUM SUM SUM SUM "mul.lo.u32 %r2, %r3, %r4;\nret;\n}\n";
#undef SUM
    static const struct {
        const char *device;
        uint64_t chain, products;
    } cases[] = {{"h200", 24, 6}, {"gtx1050ti", 36, 20}, {"k40", 54, 20}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        kernel_run run = {0};
        assert_int_equal(use_device(cases[c].device), 0);
        run_kernel(&run, text, 32, 0, NULL, 0, false);
        expect_ok(&run);
        assert_int_equal(C(run, chain_cycles), cases[c].chain);
        assert_int_equal(C(run, imul_cycles), cases[c].products);
        free_kernel_run(&run);
    }
    assert_int_equal(use_device("h200"), 0);
}

static void work_uses_issue_rates_of_the_profile(void **state)
{
    (void)state;
    static const char text[] =
        KERNEL_HEAD ".shared .b8 s[4];\nld.shared.u32 %r2, [s];\nadd.u32 %r2, %r2, 1;\n"
                    "add.u32 %r2, %r2, %r2;\nst.shared.u32 [s], %r2;\nret;\n}\n";
    static const struct {
        const char *device;
        uint64_t near_load; /* shared_latency_ns in cycles */
    } cases[] = {{"h200", 20}, {"gtx1050ti", 25}, {"k40", 26}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        kernel_run run = {0};
        assert_int_equal(use_device(cases[c].device), 0);
        run_kernel(&run, text, 32, 0, NULL, 0, false);
        expect_ok(&run);
        assert_int_equal(C(run, warp_work), C(run, chain_cycles) + cases[c].near_load);
        free_kernel_run(&run);
    }
    assert_int_equal(use_device("h200"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dependent_loads_wait_independent_loads_overlap),
        cmocka_unit_test(what_separates_overlapping_loads),
        cmocka_unit_test(loops_wait_once_per_iteration),
        cmocka_unit_test(hits_on_sectors_in_flight_wait),
        cmocka_unit_test(counted_loops_are_unrolled),
        cmocka_unit_test(chains_of_results_end_at_branches),
        cmocka_unit_test(chains_use_latencies_of_the_profile),
        cmocka_unit_test(work_uses_issue_rates_of_the_profile),
    };
    return cmocka_run_group_tests(tests, use_h200, NULL);
}
