/* Tests what the instructions of a 64-bit Arm CPU do to memory, on every CPU; the codes are those
 * of GNU as. */
#include "emulator/memory/a64.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

typedef struct coded {
    uint32_t insn;
    const char *text;
} coded;

static void loads_read(void **state)
{
    static const coded loads[] = {
        {0xf9400020, "ldr x0, [x1]"},
        {0xb9400820, "ldr w0, [x1, #8]"},
        {0x38401420, "ldrb w0, [x1], #1"},
        {0x39800020, "ldrsb x0, [x1]"},
        {0xb8a26820, "ldrsw x0, [x1, x2]"},
        {0xf85fd020, "ldur x0, [x1, #-3]"},
        {0x3dc00020, "ldr q0, [x1]"},
        {0xfd400020, "ldr d0, [x1]"},
        {0x58000000, "ldr x0, label"},
        {0xa9400440, "ldp x0, x1, [x2]"},
        {0xacc10440, "ldp q0, q1, [x2], #32"},
        {0xa8400440, "ldnp x0, x1, [x2]"},
        {0xc85f7c20, "ldxr x0, [x1]"},
        {0x885ffc20, "ldaxr w0, [x1]"},
        {0xc87f0440, "ldxp x0, x1, [x2]"},
        {0xc8dffc20, "ldar x0, [x1]"},
        {0xf8bfc020, "ldapr x0, [x1]"},
        {0xd9401020, "ldapur x0, [x1, #1]"},
        {0xf8200420, "ldraa x0, [x1]"},
        {0x4c407000, "ld1 {v0.16b}, [x0]"},
        {0x4cdfa000, "ld1 {v0.16b, v1.16b}, [x0], #32"},
        {0x0d409000, "ld1 {v0.s}[1], [x0]"},
        {0x4d40c800, "ld1r {v0.4s}, [x0]"},
        {0xa400a000, "ld1b {z0.b}, p0/z, [x0]"},
        {0xa5414000, "ld1w {z0.s}, p0/z, [x0, x1, lsl #2]"},
        {0x85804000, "ldr z0, [x0]"},
        {0xc5c1c000, "ld1d {z0.d}, p0/z, [x0, z1.d]"},
        {0xf9400020, "ldr x0, [x1]"},
        {0xb9400820, "ldr w0, [x1, #8]"},
        {0x38401420, "ldrb w0, [x1], #1"},
        {0x39800020, "ldrsb x0, [x1]"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof loads / sizeof *loads; k++)
        if (mem_a64_writes(loads[k].insn))
            fail_msg("%s is said to write", loads[k].text);
}

static void stores_and_updates_write(void **state)
{
    static const coded stores[] = {
        {0xf9000020, "str x0, [x1]"},
        {0xb9000820, "str w0, [x1, #8]"},
        {0x38001420, "strb w0, [x1], #1"},
        {0x78226820, "strh w0, [x1, x2]"},
        {0xf81fd020, "stur x0, [x1, #-3]"},
        {0x3d800020, "str q0, [x1]"},
        {0xfd000020, "str d0, [x1]"},
        {0xa9000440, "stp x0, x1, [x2]"},
        {0xac810440, "stp q0, q1, [x2], #32"},
        {0xa8000440, "stnp x0, x1, [x2]"},
        {0xc8037c20, "stxr w3, x0, [x1]"},
        {0xc89ffc20, "stlr x0, [x1]"},
        {0xc8230440, "stxp w3, x0, x1, [x2]"},
        {0xd9001020, "stlur x0, [x1, #1]"},
        {0xc8a07c41, "cas x0, x1, [x2]"},
        {0x88e0fc41, "casal w0, w1, [x2]"},
        {0x48207c82, "casp x0, x1, x2, x3, [x4]"},
        {0xf8200041, "ldadd x0, x1, [x2]"},
        {0xb8e08041, "swpal w0, w1, [x2]"},
        {0x4c007000, "st1 {v0.16b}, [x0]"},
        {0x4c9fa000, "st1 {v0.16b, v1.16b}, [x0], #32"},
        {0x0d009000, "st1 {v0.s}[1], [x0]"},
        {0xe400e000, "st1b {z0.b}, p0, [x0]"},
        {0xe5414000, "st1w {z0.s}, p0, [x0, x1, lsl #2]"},
        {0xe5804000, "str z0, [x0]"},
        {0xe581a000, "st1d {z0.d}, p0, [x0, z1.d]"},
        {0xd50b7420, "dc zva, x0"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof stores / sizeof *stores; k++)
        if (!mem_a64_writes(stores[k].insn))
            fail_msg("%s is said to read only", stores[k].text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_read),
        cmocka_unit_test(stores_and_updates_write),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
