/* Tests which instructions of AArch64 are stores: GNU as made the words. */
#include "emulator/memory/fault.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

typedef struct instruction {
    uint32_t word;
    const char *text;
} instruction;

static const instruction stores[] = {
    {0xb9000020, "str w0, [x1]"},
    {0xf8008c20, "str x0, [x1, #8]!"},
    {0xf8008420, "str x0, [x1], #8"},
    {0xf8226820, "str x0, [x1, x2]"},
    {0xf81fd020, "stur x0, [x1, #-3]"},
    {0x39000020, "strb w0, [x1]"},
    {0x79000020, "strh w0, [x1]"},
    {0xf8000820, "sttr x0, [x1]"},
    {0x3d800020, "str q0, [x1]"},
    {0xfd000020, "str d0, [x1]"},
    {0xbc004c20, "str s0, [x1, #4]!"},
    {0x3c9f0020, "stur q0, [x1, #-16]"},
    {0xa9000440, "stp x0, x1, [x2]"},
    {0xac810440, "stp q0, q1, [x2], #32"},
    {0xa8000440, "stnp x0, x1, [x2]"},
    {0x4c007020, "st1 {v0.16b}, [x1]"},
    {0x4c9f7020, "st1 {v0.16b}, [x1], #16"},
    {0x0d20b020, "st4 {v0.s-v3.s}[1], [x1]"},
    {0x0d9f0c20, "st1 {v0.b}[3], [x1], #1"},
    {0xc8007c41, "stxr w0, x1, [x2]"},
    {0xc8208c41, "stlxp w0, x1, x3, [x2]"},
    {0xc89ffc20, "stlr x0, [x1]"},
    {0xd9000020, "stlur x0, [x1]"},
    {0xc8a07c41, "cas x0, x1, [x2]"},
    {0xc8e07c41, "casa x0, x1, [x2]"},
    {0x88e0fc41, "casal w0, w1, [x2]"},
    {0x48207c82, "casp x0, x1, x2, x3, [x4]"},
    {0x0860fc82, "caspal w0, w1, w2, w3, [x4]"},
    {0xf8208041, "swp x0, x1, [x2]"},
    {0xb8e08041, "swpal w0, w1, [x2]"},
    {0xf8200041, "ldadd x0, x1, [x2]"},
    {0xb8e06041, "ldumaxal w0, w1, [x2]"},
    {0xf820305f, "stset x0, [x2]"},
    {0xe400e020, "st1b {z0.b}, p0, [x1]"},
    {0xd50b7420, "dc zva, x0"},
};

static const instruction others[] = {
    {0xb9400020, "ldr w0, [x1]"},
    {0xf8408c20, "ldr x0, [x1, #8]!"},
    {0xf8408420, "ldr x0, [x1], #8"},
    {0xf8626820, "ldr x0, [x1, x2]"},
    {0xf85fd020, "ldur x0, [x1, #-3]"},
    {0x39400020, "ldrb w0, [x1]"},
    {0x39800020, "ldrsb x0, [x1]"},
    {0x79c00020, "ldrsh w0, [x1]"},
    {0xb9800020, "ldrsw x0, [x1]"},
    {0xb8804420, "ldrsw x0, [x1], #4"},
    {0xb89fc020, "ldursw x0, [x1, #-4]"},
    {0xb8800820, "ldtrsw x0, [x1]"},
    {0x3dc00020, "ldr q0, [x1]"},
    {0xfd400020, "ldr d0, [x1]"},
    {0x3cc10420, "ldr q0, [x1], #16"},
    {0xa9400440, "ldp x0, x1, [x2]"},
    {0x69400440, "ldpsw x0, x1, [x2]"},
    {0xacc10440, "ldp q0, q1, [x2], #32"},
    {0xa8400440, "ldnp x0, x1, [x2]"},
    {0x4c407020, "ld1 {v0.16b}, [x1]"},
    {0x4cdf7020, "ld1 {v0.16b}, [x1], #16"},
    {0x0d60b020, "ld4 {v0.s-v3.s}[1], [x1]"},
    {0x4d40c020, "ld1r {v0.16b}, [x1]"},
    {0x0ddf0c20, "ld1 {v0.b}[3], [x1], #1"},
    {0xc85f7c41, "ldxr x1, [x2]"},
    {0xc87f8c41, "ldaxp x1, x3, [x2]"},
    {0xc8dffc20, "ldar x0, [x1]"},
    {0xf8bfc020, "ldapr x0, [x1]"},
    {0xd9400020, "ldapur x0, [x1]"},
    {0x99800020, "ldapursw x0, [x1]"},
    {0xf8200420, "ldraa x0, [x1]"},
    {0x58000000, "ldr x0, 7c"},
    {0xf9800000, "prfm pldl1keep, [x0]"},
    {0xa400a020, "ld1b {z0.b}, p0/z, [x1]"},
    {0x8b020020, "add x0, x1, x2"},
    {0xd65f03c0, "ret"},
};

static void are(const instruction *list, size_t count, bool store)
{
    for (size_t k = 0; k < count; k++)
        if (mem_is_aarch64_store(list[k].word) != store)
            fail_msg("%s", list[k].text);
}

static void stores_and_atomics_write(void **state)
{
    (void)state;
    are(stores, sizeof stores / sizeof *stores, true);
}

static void loads_do_not(void **state)
{
    (void)state;
    are(others, sizeof others / sizeof *others, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stores_and_atomics_write),
        cmocka_unit_test(loads_do_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
