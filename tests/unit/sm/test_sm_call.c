/* Tests device function calls: parameters of every size, results, recursion, lanes that call
 * different functions. */
#include "sm_kernel.h"

#define KERNEL_HEAD                                                                 \
    ".visible .entry k(.param .u64 k_0, .param .u64 k_1)\n{\n"                      \
    ".reg .pred %p<8>;\n.reg .b16 %rs<8>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<16>;\n" \
    "ld.param.u64 %rd1, [k_0];\nmov.u32 %r1, %tid.x;\n"                             \
    "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"

#define FIB_FUNCTION                                                                           \
    ".func (.param .b32 out) fib(.param .b32 fib_0)\n{\n.reg .pred %p<2>;\n.reg .b32 %r<9>;\n" \
    "ld.param.u32 %r8, [fib_0];\nsetp.lt.s32 %p1, %r8, 2;\n@%p1 bra L;\n"                      \
    "add.s32 %r4, %r8, -1;\n{\n.param .b32 p0;\nst.param.b32 [p0+0], %r4;\n.param .b32 q0;\n"  \
    "call.uni (q0), fib, (p0);\nld.param.b32 %r5, [q0+0];\n}\n"                                \
    "add.s32 %r6, %r8, -2;\n{\n.param .b32 p0;\nst.param.b32 [p0+0], %r6;\n.param .b32 q0;\n"  \
    "call.uni (q0), fib, (p0);\nld.param.b32 %r7, [q0+0];\n}\n"                                \
    "add.s32 %r8, %r7, %r5;\nL:\nst.param.b32 [out+0], %r8;\nret;\n}\n"

/* Lane t computes fib(t % 16): every lane recurses to another depth. */
static void recursion_with_a_depth_of_its_own_for_each_lane(void **state)
{
    (void)state;
    static const uint32_t fib[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610};
    kernel_run run;
    run_kernel(&run,
               FIB_FUNCTION KERNEL_HEAD
               "and.b32 %r2, %r1, 15;\n{\n.param .b32 a;\nst.param.b32 [a], %r2;\n"
               ".param .b32 b;\ncall.uni (b), fib, (a);\nld.param.b32 %r3, [b];\n}\n"
               "st.global.u32 [%rd3], %r3;\nret;\n}\n",
               64, 0, NULL, 0, false);
    expect_ok(&run);
    for (uint32_t t = 0; t < 64; t++)
        assert_int_equal(words(&run)[t], fib[t % 16]);
    free_kernel_run(&run);
}

/* Pass a structure with members of one to eight bytes by value, and return it. */
static void parameters_of_every_size(void **state)
{
    (void)state;
    kernel_run run;
    run_kernel(
        &run,
        ".func (.param .align 8 .b8 o[24]) f(.param .align 8 .b8 i[24], .param .b64 j)\n{\n"
        ".reg .b16 %rs<8>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n"
        "ld.param.s8 %rs1, [i+1];\nld.param.u16 %rs2, [i+2];\nld.param.v2.b32 {%r1, %r2}, [i+8];\n"
        "ld.param.b64 %rd1, [i+16];\nld.param.b64 %rd2, [j];\n"
        "add.s16 %rs1, %rs1, 1;\nadd.s64 %rd1, %rd1, %rd2;\n"
        "st.param.b8 [o+0], 7;\nst.param.b8 [o+1], %rs1;\nst.param.b16 [o+2], %rs2;\n"
        "st.param.b32 [o+4], -5;\nst.param.v2.b32 [o+8], {%r2, %r1};\nst.param.b64 [o+16], %rd1;\n"
        "ret;\n}\n" KERNEL_HEAD "{\n.param .align 8 .b8 a[24];\n.param .b64 c;\n"
        "add.s32 %r2, %r1, -128;\ncvt.u16.u32 %rs1, %r2;\nst.param.b8 [a+1], %rs1;\n"
        "mov.u16 %rs2, 0x8001;\nst.param.b16 [a+2], %rs2;\n"
        "add.s32 %r3, %r1, 1000;\nst.param.b32 [a+8], %r3;\nst.param.b32 [a+12], %r1;\n"
        "cvt.u64.u32 %rd5, %r1;\nshl.b64 %rd5, %rd5, 33;\nst.param.b64 [a+16], %rd5;\n"
        "st.param.b64 [c], 0x100000001;\n.param .align 8 .b8 b[24];\n"
        "call.uni (b), f, (a, c);\n"
        "ld.param.u8 %r4, [b+0];\nld.param.s8 %r5, [b+1];\nld.param.s16 %r6, [b+2];\n"
        "ld.param.b32 %r7, [b+4];\nld.param.b32 %r8, [b+8];\nld.param.b32 %r9, [b+12];\n"
        "ld.param.b32 %r10, [b+16];\nld.param.b32 %r11, [b+20];\n}\n"
        "st.global.u32 [%rd3], %r4;\nst.global.u32 [%rd3+128], %r5;\nst.global.u32 [%rd3+256], "
        "%r6;\n"
        "st.global.u32 [%rd3+384], %r7;\nst.global.u32 [%rd3+512], %r8;\n"
        "st.global.u32 [%rd3+640], %r9;\nst.global.u32 [%rd3+768], %r10;\n"
        "st.global.u32 [%rd3+896], %r11;\nret;\n}\n",
        32, 0, NULL, 0, false);
    expect_ok(&run);
    for (uint32_t t = 0; t < 32; t++) {
        const uint32_t *w = words(&run) + t;
        assert_int_equal(w[0], 7);
        assert_int_equal((int32_t)w[32], (int32_t)t - 127);
        assert_int_equal(w[64], 0xffff8001);
        assert_int_equal((int32_t)w[96], -5);
        assert_int_equal(w[128], t);
        assert_int_equal(w[160], t + 1000);
        assert_int_equal(w[192], 1);
        assert_int_equal(w[224], 2 * t + 1);
    }
    free_kernel_run(&run);
}

#define INC_AND_DBL_FUNCTIONS                                                                 \
    ".func (.param .b32 o) inc(.param .b32 i)\n{\n.reg .b32 %r<4>;\nld.param.u32 %r1, [i];\n" \
    "add.s32 %r1, %r1, 1;\nst.param.b32 [o], %r1;\nret;\n}\n"                                 \
    ".func (.param .b32 o) dbl(.param .b32 i)\n{\n.reg .b32 %r<4>;\nld.param.u32 %r1, [i];\n" \
    "shl.b32 %r1, %r1, 1;\nst.param.b32 [o], %r1;\nret;\n}\n"                                 \
    ".global .align 8 .u64 table[2] = {inc, dbl};\n"
#define INDIRECT_CALL                                             \
    "{\n.param .b32 a;\nst.param.b32 [a], %r1;\n.param .b32 b;\n" \
    "P : .callprototype (.param .b32 _) _ (.param .b32 _);\n"     \
    "call (b), %rd6, (a), P;\nld.param.b32 %r4, [b];\n}\n"

/* After the call each group continues separately, as on an H200: its assembler lets lanes
 * reconverge after branches, not after calls. */
static void lanes_call_different_functions_by_address(void **state)
{
    (void)state;
    kernel_run run;
    run_kernel(&run,
               INC_AND_DBL_FUNCTIONS KERNEL_HEAD
               "and.b32 %r2, %r1, 1;\nmul.wide.u32 %rd4, %r2, 8;\nmov.u64 %rd5, table;\n"
               "add.s64 %rd5, %rd5, %rd4;\nld.global.u64 %rd6, [%rd5];\n" INDIRECT_CALL
               "activemask.b32 %r5;\nst.global.u32 [%rd3], %r4;\n"
               "st.global.u32 [%rd3+1024], %r5;\nret;\n}\n",
               32, 0, NULL, 0, false);
    expect_ok(&run);
    for (uint32_t t = 0; t < 32; t++) {
        assert_int_equal(words(&run)[t], t & 1 ? 2 * t : t + 1);
        assert_int_equal(words(&run)[256 + t], t & 1 ? 0xaaaaaaaa : 0x55555555);
    }
    free_kernel_run(&run);
}

static void a_pointer_to_no_function_is_reported(void **state)
{
    (void)state;
    kernel_run run;
    run_kernel(&run,
               INC_AND_DBL_FUNCTIONS KERNEL_HEAD "mov.u64 %rd6, 4660;\n" INDIRECT_CALL "ret;\n}\n",
               32, 0, NULL, 0, false);
    assert_int_equal(run.result.fault.kind, SM_FAULT_PC);
    assert_non_null(strstr(run.result.fault.text, "0x1234"));
    free_kernel_run(&run);
}

/* f(n) = f(n + 1) stops with a message, without overflowing the host's stack. */
static void recursion_without_end_is_reported(void **state)
{
    (void)state;
    kernel_run run;
    run_kernel(&run,
               ".func forever(.param .b32 i)\n{\n.reg .b32 %r<4>;\n.local .align 8 .b8 d[64];\n"
               ".reg .b64 %rd<3>;\nmov.u64 %rd1, d;\nld.param.u32 %r1, [i];\n"
               "st.local.u32 [%rd1], %r1;\n{\n.param .b32 a;\nst.param.b32 [a], %r1;\n"
               "call.uni forever, (a);\n}\nret;\n}\n" KERNEL_HEAD
               "{\n.param .b32 a;\nst.param.b32 [a], %r1;\ncall.uni forever, (a);\n}\nret;\n}\n",
               32, 0, NULL, 0, false);
    assert_int_equal(run.result.fault.kind, SM_FAULT_STACK);
    assert_non_null(strstr(run.result.fault.text, "forever"));
    assert_non_null(strstr(run.result.fault.text, "cudaLimitStackSize"));
    free_kernel_run(&run);
}

/* Each activation has its own local variables, addressed through a register. */
static void local_variables_belong_to_an_activation(void **state)
{
    (void)state;
    kernel_run run;
    run_kernel(
        &run,
        ".func (.param .b32 o) down(.param .b32 i)\n{\n.reg .pred %p<2>;\n.reg .b32 %r<8>;\n"
        ".reg .b64 %rd<3>;\n.local .align 8 .b8 d[8];\nmov.u64 %rd1, d;\n"
        "cvta.local.u64 %rd2, %rd1;\nld.param.u32 %r1, [i];\nst.u32 [%rd2+4], %r1;\n"
        "mov.u32 %r3, 0;\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 bra L;\nadd.s32 %r2, %r1, -1;\n"
        "{\n.param .b32 a;\nst.param.b32 [a], %r2;\n.param .b32 b;\ncall.uni (b), down, (a);\n"
        "ld.param.b32 %r3, [b];\n}\nL:\nld.local.u32 %r4, [%rd1+4];\nadd.s32 %r3, %r3, %r4;\n"
        "st.param.b32 [o], %r3;\nret;\n}\n" KERNEL_HEAD
        "{\n.param .b32 a;\nst.param.b32 [a], %r1;\n.param .b32 b;\ncall.uni (b), down, (a);\n"
        "ld.param.b32 %r3, [b];\n}\nst.global.u32 [%rd3], %r3;\nret;\n}\n",
        16, 0, NULL, 0, false);
    expect_ok(&run);
    for (uint32_t t = 0; t < 16; t++)
        assert_int_equal(words(&run)[t], t * (t + 1) / 2);
    free_kernel_run(&run);
}

/* exit inside a function ends the thread; the others return. */
static void exit_inside_a_function(void **state)
{
    (void)state;
    kernel_run run;
    run_kernel(
        &run,
        ".func leave(.param .b32 i)\n{\n.reg .pred %p<2>;\n.reg .b32 %r<2>;\n"
        "ld.param.u32 %r1, [i];\nsetp.lt.u32 %p1, %r1, 10;\n@%p1 exit;\nret;\n}\n" KERNEL_HEAD
        "{\n.param .b32 a;\nst.param.b32 [a], %r1;\ncall.uni leave, (a);\n}\n"
        "activemask.b32 %r2;\nst.global.u32 [%rd3], %r2;\nbar.sync 0;\nret;\n}\n",
        32, 0, NULL, 0, false);
    expect_ok(&run);
    for (uint32_t t = 0; t < 32; t++)
        assert_int_equal(words(&run)[t], t < 10 ? 0 : 0xfffffc00);
    free_kernel_run(&run);
}

#define MALLOC_AND_FREE                                      \
    ".extern .func (.param .b64 r) malloc(.param .b64 n);\n" \
    ".extern .func free(.param .b64 p);\n"
#define FREE_CALL "{\n.param .b64 a;\nst.param.b64 [a], %rd5;\ncall.uni free, (a);\n}\n"

/* Memory from malloc in device code can be written, read, and freed once. */
static void the_device_heap(void **state)
{
    (void)state;
    for (uint32_t twice = 0; twice < 2; twice++) {
        kernel_run run;
        run_kernel(&run,
                   MALLOC_AND_FREE KERNEL_HEAD
                   "{\n.param .b64 a;\nst.param.b64 [a], 100;\n.param .b64 b;\n"
                   "call.uni (b), malloc, (a);\nld.param.b64 %rd5, [b];\n}\n"
                   "st.u32 [%rd5+96], %r1;\nbar.sync 0;\nld.u32 %r2, [%rd5+96];\n"
                   "st.global.u32 [%rd3], %r2;\n" FREE_CALL
                   "ld.param.u64 %rd7, [k_1];\nsetp.eq.s64 %p2, %rd7, 0;\n"
                   "@%p2 bra F;\n" FREE_CALL "F:\nret;\n}\n",
                   96, 0, NULL, twice, false);
        if (twice) {
            assert_int_equal(run.result.fault.kind, SM_FAULT_ADDRESS);
            assert_non_null(strstr(run.result.fault.text, "freed already"));
        } else {
            expect_ok(&run);
        }
        for (uint32_t t = 0; !twice && t < 96; t++)
            assert_int_equal(words(&run)[t], t);
        free_kernel_run(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recursion_with_a_depth_of_its_own_for_each_lane),
        cmocka_unit_test(parameters_of_every_size),
        cmocka_unit_test(lanes_call_different_functions_by_address),
        cmocka_unit_test(a_pointer_to_no_function_is_reported),
        cmocka_unit_test(recursion_without_end_is_reported),
        cmocka_unit_test(local_variables_belong_to_an_activation),
        cmocka_unit_test(exit_inside_a_function),
        cmocka_unit_test(the_device_heap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
