/* Tests which stores of a warp L1 joins on their way to L2: those one after another to the same
 * sectors, if they are few enough. */
#include "sm_kernel.h"

/* The sectors that take the path to L2 if each of 32 threads writes MEMBERS words in a row, STRIDE
 * bytes from its neighbour's, and executes BETWEEN between two stores. */
static uint64_t sectors_on_the_path(unsigned stride, unsigned members, const char *between)
{
    char text[2048];
    size_t used = (size_t)snprintf(
        text, sizeof text,
        ".visible .entry k(.param .u64 k_0, .param .u64 k_1)\n{\n.reg .b32 %%r<4>;\n"
        ".reg .b64 %%rd<4>;\nld.param.u64 %%rd1, [k_0];\nmov.u32 %%r1, %%tid.x;\n"
        "mul.wide.u32 %%rd2, %%r1, %u;\nadd.s64 %%rd2, %%rd1, %%rd2;\n",
        stride);
    for (unsigned m = 0; m < members; m++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "st.global.u32 [%%rd2+%u], %%r1;\n%s", 4 * m, between);
    snprintf(text + used, sizeof text - used, "ret;\n}\n");
    kernel_run run = {0};
    run_kernel(&run, text, 32, 0, NULL, 0, false);
    expect_ok(&run);
    const uint64_t sectors = C(run, l2_write_sectors);
    free_kernel_run(&run);
    return sectors;
}

static void stores_to_the_same_sectors_are_joined(void **state)
{
    (void)state;
    static const struct {
        unsigned stride, members, sectors;
    } cases[] = {
        {4, 1, 4},   {8, 2, 8},   {12, 3, 12},  {16, 2, 16},          {16, 4, 16 + 20},
        {20, 2, 20}, {32, 2, 32}, {128, 3, 32}, {32, 8, 32 + 5 * 40},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        if (sectors_on_the_path(cases[k].stride, cases[k].members, "") != cases[k].sectors)
            fail_msg("%u members, %u bytes apart: %llu sectors, not %u", cases[k].members,
                     cases[k].stride,
                     (unsigned long long)sectors_on_the_path(cases[k].stride, cases[k].members, ""),
                     cases[k].sectors);
}

static void what_lies_between_parts_them(void **state)
{
    (void)state;
    const char *sum = "add.u32 %r2, %r1, %r1;\n", *load = "ld.global.u32 %r2, [%rd1+32768];\n",
               *store = "st.global.u32 [%rd1+32768], %r1;\n";
    assert_int_equal(sectors_on_the_path(8, 2, sum), 8);
    assert_int_equal(sectors_on_the_path(8, 2, load), 8 + 8);
    assert_int_equal(sectors_on_the_path(8, 2, store), 2 * (8 + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stores_to_the_same_sectors_are_joined),
        cmocka_unit_test(what_lies_between_parts_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
