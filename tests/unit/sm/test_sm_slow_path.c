/* Tests which exact divisions, reciprocals and roots count as leaving their short path, and what
 * they cost. */
#include "sm_kernel.h"

#define KERNEL(body)                                                                \
    ".visible .entry k(.param .u64 k_0, .param .u64 k_1)\n{\n"                      \
    ".reg .pred %%p<2>;\n.reg .b32 %%r<4>;\n.reg .f32 %%f<4>;\n.reg .f64 %%d<4>;\n" \
    "mov.u32 %%r1, %%tid.x;\n" body "ret;\n}\n"

/* Counters of a warp that executes OP on A and B, bits of words of TYPE; lanes from ABOVE on
 * execute it on 1.5 and 3. */
static uint64_t slow_cycles(const char *op, bool wide, uint64_t a, uint64_t b, unsigned above,
                            uint64_t *chain)
{
    char text[2048], operands[256];
    const bool two = strncmp(op, "div", 3) == 0;
    if (wide)
        snprintf(operands, sizeof operands,
                 "selp.f64 %%d1, 0d%016llx, 0d3ff8000000000000, %%p1;\n"
                 "selp.f64 %%d2, 0d%016llx, 0d4008000000000000, %%p1;\n%s %%d3, %%d1%s;\n",
                 (unsigned long long)a, (unsigned long long)b, op, two ? ", %d2" : "");
    else
        snprintf(operands, sizeof operands,
                 "selp.f32 %%f1, 0f%08x, 0f3fc00000, %%p1;\n"
                 "selp.f32 %%f2, 0f%08x, 0f40400000, %%p1;\n%s %%f3, %%f1%s;\n",
                 (unsigned)a, (unsigned)b, op, two ? ", %f2" : "");
    snprintf(text, sizeof text, KERNEL("setp.lt.u32 %%p1, %%r1, %u;\n%s"), above, operands);
    kernel_run run = {0};
    run_kernel(&run, text, 32, 0, NULL, 0, false);
    expect_ok(&run);
    const uint64_t cycles = C(run, slow_path_cycles);
    *chain = C(run, slow_path_chain);
    free_kernel_run(&run);
    return cycles;
}

static bool is_slow(const char *op, bool wide, uint64_t a, uint64_t b)
{
    uint64_t chain;
    return slow_cycles(op, wide, a, b, 32, &chain) > 0;
}

/* The recorded ranges of exponents, at both ends of each. */
static void f32_division_leaves_its_short_path_as_on_an_h200(void **state)
{
    (void)state;
    FILE *f = fopen("tests/hardware/clocks/h200/quotients.tsv", "r");
    char line[64];
    unsigned dividend, first, last, rows = 0;
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    for (; fgets(line, sizeof line, f); rows++) {
        const int fields = sscanf(line, "%u %u %u", &dividend, &first, &last);
        const uint64_t a = (uint64_t)dividend << 23;
        if (fields == 1) {
            assert_true(is_slow("div.rn.f32", false, a, 127u << 23));
            continue;
        }
        assert_int_equal(fields, 3);
        const bool slow[] = {is_slow("div.rn.f32", false, a, (uint64_t)(first - 1) << 23),
                             is_slow("div.rn.f32", false, a, (uint64_t)first << 23 | 1),
                             is_slow("div.rn.f32", false, a | 0x7fffff, (uint64_t)last << 23),
                             is_slow("div.rn.f32", false, a, (uint64_t)(last + 1) << 23)};
        if (!slow[0] || slow[1] || slow[2] || !slow[3])
            fail_msg("%u by %u to %u: %d%d%d%d", dividend, first, last, slow[0], slow[1], slow[2],
                     slow[3]);
    }
    fclose(f);
    assert_int_equal(rows, 256);
}

/* The ends of the ranges, as the generated code compares them. */
static void other_operations_leave_theirs_at_the_compared_words(void **state)
{
    (void)state;
    static const struct {
        const char *op;
        bool wide;
        uint64_t a, b;
        bool slow;
    } cases[] = {
        {"rcp.rn.f32", false, 0x00800000, 0, false},
        {"rcp.rn.f32", false, 0x007fffff, 0, true},
        {"rcp.rn.f32", false, 0xfe000000, 0, false},
        {"rcp.rn.f32", false, 0x7e800000, 0, true},
        {"sqrt.rn.f32", false, 0x0d000000, 0, false},
        {"sqrt.rn.f32", false, 0x0cffffff, 0, true},
        {"sqrt.rn.f32", false, 0x7f7fffff, 0, false},
        {"sqrt.rn.f32", false, 0x7f800000, 0, true},
        {"sqrt.rn.f32", false, 0xbf800000, 0, true},
        {"div.rn.f64", true, 0x0360000000000000, 0x3ff0000000000000, false},
        {"div.rn.f64", true, 0x035fffffffffffff, 0x3ff0000000000000, true},
        {"div.rn.f64", true, 0x3ff0000000000000, 0x7f7fffffffffffff, false},
        {"div.rn.f64", true, 0x3ff0000000000000, 0x7f80000000000000, true},
        {"div.rn.f64", true, 0x7f80000000000000, 0x3ff0000000000000, false},
        {"div.rn.f64", true, 0x7f90000000000000, 0x3ff0000000000000, true},
        {"rcp.rn.f64", true, 0x0010000000000000, 0, false},
        {"rcp.rn.f64", true, 0x000fffffffffffff, 0, true},
        {"rcp.rn.f64", true, 0x7fcffbfd00000000, 0, false},
        {"rcp.rn.f64", true, 0x7fcffbfe00000000, 0, true},
        {"sqrt.rn.f64", true, 0x0350000000000000, 0, false},
        {"sqrt.rn.f64", true, 0x034fffffffffffff, 0, true},
        {"sqrt.rn.f64", true, 0x7fefffffffffffff, 0, false},
        {"sqrt.rn.f64", true, 0x7ff0000000000000, 0, true},
        /* approximations have no second path */
        {"div.full.f32", false, 0, 0x40400000, false},
        {"div.approx.f32", false, 0, 0x40400000, false},
        {"rcp.approx.f32", false, 1, 0, false},
        {"sqrt.approx.f32", false, 0, 0, false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        if (is_slow(cases[k].op, cases[k].wide, cases[k].a, cases[k].b) != cases[k].slow)
            fail_msg("%s of %llx and %llx is %sslow", cases[k].op, (unsigned long long)cases[k].a,
                     (unsigned long long)cases[k].b, cases[k].slow ? "not " : "");
}

/* One lane takes the whole warp along, and the dearest reason counts. */
static void a_warp_pays_once(void **state)
{
    (void)state;
    uint64_t chain, one, all;
    const uint64_t by_one = slow_cycles("div.rn.f32", false, 0, 0x40400000, 1, &one),
                   by_all = slow_cycles("div.rn.f32", false, 0, 0x40400000, 32, &all);
    assert_int_equal(by_one, by_all);
    assert_int_equal(one, all);
    assert_true(slow_cycles("div.rn.f32", false, 1, 0x40400000, 1, &chain) > by_one);
    assert_true(chain > one);
    assert_int_equal(slow_cycles("div.rn.f32", false, 0, 0x40400000, 0, &chain), 0);
}

/* Of a reciprocal a number near the end costs more than a subnormal one. */
static void the_dearest_lane_counts(void **state)
{
    (void)state;
    uint64_t of_huge, of_tiny;
    const uint64_t huge = slow_cycles("rcp.rn.f32", false, 0x7f000000, 0, 32, &of_huge),
                   tiny = slow_cycles("rcp.rn.f32", false, 1, 0, 32, &of_tiny);
    assert_true(huge > tiny && of_huge > of_tiny);
    char text[512];
    snprintf(text, sizeof text,
             KERNEL("setp.lt.u32 %%p1, %%r1, 16;\nselp.f32 %%f1, 0f7f000000, 0f00000001, %%p1;\n"
                    "rcp.rn.f32 %%f3, %%f1;\n"));
    kernel_run run = {0};
    run_kernel(&run, text, 32, 0, NULL, 0, false);
    expect_ok(&run);
    assert_int_equal(C(run, slow_path_cycles), huge);
    assert_int_equal(C(run, slow_path_chain), of_huge);
    free_kernel_run(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(f32_division_leaves_its_short_path_as_on_an_h200),
        cmocka_unit_test(other_operations_leave_theirs_at_the_compared_words),
        cmocka_unit_test(a_warp_pays_once),
        cmocka_unit_test(the_dearest_lane_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
