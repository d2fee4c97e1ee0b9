/* Tests faults that stop a launch, and their messages. */
#include "emulator/compile/program.h"
#include "emulator/exec/level.h"
#include "sm_kernel.h"

#define KERNEL_HEAD                                              \
    ".visible .entry k(.param .u64 k_0, .param .u64 k_1)\n{\n"   \
    ".reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<16>;\n" \
    "ld.param.u64 %rd1, [k_0];\nmov.u32 %r1, %tid.x;\n"

static void expect_fault_words(kernel_run *run, sm_fault_kind kind, const char *const *parts)
{
    assert_int_equal(run->result.fault.kind, kind);
    for (; *parts; parts++)
        if (!strstr(run->result.fault.text, *parts))
            fail_msg("\"%s\" is missing in the fault message: %s", *parts, run->result.fault.text);
    free_kernel_run(run);
}
#define MESSAGE_PARTS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void a_trap_names_thread_and_block(void **state)
{
    (void)state;
    kernel_run run;
    const sm_launch shape = {.grid = {3, 2, 1}, .block = {8, 4, 2}, .workers = 2};
    run_grid(
        &run,
        ".file 1 \"lab.cu\"\n" KERNEL_HEAD
        "mov.u32 %r2, %tid.y;\nmov.u32 %r3, %tid.z;\nmov.u32 %r4, %ctaid.x;\n"
        "mov.u32 %r5, %ctaid.y;\nmad.lo.s32 %r4, %r4, 10000, 0;\nmad.lo.s32 %r6, %r5, 1000, %r4;\n"
        "mad.lo.s32 %r6, %r3, 100, %r6;\nmad.lo.s32 %r6, %r2, 10, %r6;\n"
        "add.s32 %r6, %r6, %r1;\nsetp.ne.s32 %p1, %r6, 21136;\n@%p1 bra E;\n"
        ".loc 1 31 5\ntrap;\nE:\nret;\n}\n",
        &shape, NULL, 0);
    assert_int_equal(run.result.fault.thread[0], 6);
    assert_int_equal(run.result.fault.thread[1], 3);
    assert_int_equal(run.result.fault.thread[2], 1);
    assert_int_equal(run.result.fault.block[0], 2);
    assert_string_equal(run.result.fault.where, "lab.cu:31");
    expect_fault_words(&run, SM_FAULT_TRAP,
                       MESSAGE_PARTS("lab.cu:31: thread (6,3,1) of block (2,1,0)", "trap"));
}

static void an_access_out_of_bounds_gives_advice(void **state)
{
    (void)state;
    kernel_run run;
    run_kernel(&run,
               KERNEL_HEAD "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
                           "st.global.u32 [%rd3+65532], %r1;\nret;\n}\n",
               32, 0, NULL, 0, false);
    assert_int_equal(run.result.fault.address, run.buffer + 65536);
    assert_int_equal(run.result.fault.size, 4);
    expect_fault_words(&run, SM_FAULT_ADDRESS,
                       MESSAGE_PARTS("thread (1,0,0) of block (0,0,0)", "65536", "if (i < n)"));
}

static void one_fault_stops_all_blocks(void **state)
{
    (void)state;
    kernel_run run;
    const sm_launch shape = {.grid = {200, 1, 1}, .block = {64, 1, 1}, .workers = 2};
    /* Block 0 traps; the others would wait forever. */
    run_grid(&run,
             KERNEL_HEAD "mov.u32 %r2, %ctaid.x;\nsetp.ne.s32 %p1, %r2, 0;\n@%p1 bra W;\ntrap;\n"
                         "W:\nld.volatile.global.u32 %r3, [%rd1];\nsetp.eq.s32 %p2, %r3, 0;\n"
                         "@%p2 bra W;\nret;\n}\n",
             &shape, NULL, 0);
    expect_fault_words(&run, SM_FAULT_TRAP, MESSAGE_PARTS("block (0,0,0)"));
}

static void an_instruction_that_is_not_there_refuses_the_launch(void **state)
{
    (void)state;
    kernel_run run;
    run_kernel(&run, KERNEL_HEAD "st.global.u32 [%rd1], 1;\nfrobnicate.u32 %r2, %r1;\nret;\n}\n",
               32, 0, NULL, 0, false);
    assert_int_equal(*(uint32_t *)run.bytes, 0);
    expect_fault_words(&run, SM_FAULT_UNSUPPORTED, MESSAGE_PARTS("frobnicate"));
    run_kernel(&run,
               ".extern .func (.param .b32 r) cudaFancy(.param .b32 a);\n" KERNEL_HEAD
               "{\n.param .b32 a;\nst.param.b32 [a], %r1;\n.param .b32 b;\n"
               "call.uni (b), cudaFancy, (a);\n}\nret;\n}\n",
               32, 0, NULL, 0, false);
    expect_fault_words(&run, SM_FAULT_UNSUPPORTED, MESSAGE_PARTS("cudaFancy"));
}

static void shapes_that_no_device_has_are_refused(void **state)
{
    (void)state;
    static const struct {
        sm_launch shape;
        const char *why;
    } cases[] = {
        {{.grid = {1, 1, 1}, .block = {1025, 1, 1}}, "this one has 1025 x 1 x 1"},
        {{.grid = {1, 1, 1}, .block = {0, 1, 1}}, "is empty: 1 x 1 x 1 blocks of 0 x 1 x 1"},
        {{.grid = {1, 1, 1}, .block = {1, 1, 65}}, "at most 64 in z"},
        {{.grid = {0, 1, 1}, .block = {1, 1, 1}}, "is empty: 0 x 1 x 1 blocks of 1 x 1 x 1"},
        {{.grid = {1, 65536, 1}, .block = {1, 1, 1}}, "2147483647 x 65535 x 65535 blocks"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        kernel_run run;
        run_grid(&run, KERNEL_HEAD "ret;\n}\n", &cases[k].shape, NULL, 0);
        expect_fault_words(&run, SM_FAULT_RESOURCES, MESSAGE_PARTS(cases[k].why));
    }
}

static void a_kernel_is_described(void **state)
{
    (void)state;
    static const char text[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n.const .b8 table[100];\n"
        ".visible .entry k(.param .u64 a, .param .u32 b)\n.maxntid 128, 2, 1\n{\n"
        ".shared .align 16 .b8 s[40];\n.shared .align 4 .b8 t[8];\n.local .align 8 .b8 d[24];\n"
        ".reg .b32 %r<32>;\n.reg .b64 %rd<4>;\nld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\n"
        "mov.u32 %r2, s;\nmov.u32 %r3, t;\nmov.u64 %rd2, d;\nst.local.u32 [%rd2], %r1;\n"
        "st.shared.u32 [%r2], %r1;\nst.shared.u32 [%r3], %r1;\n"
        "add.s32 %r10, %r1, 1;\nadd.s32 %r11, %r1, 2;\nadd.s32 %r12, %r1, 3;\n"
        "add.s32 %r13, %r1, 4;\nadd.s32 %r14, %r1, 5;\nadd.s32 %r15, %r1, 6;\n"
        "add.s32 %r16, %r1, 7;\nadd.s32 %r17, %r1, 8;\nadd.s32 %r10, %r10, %r11;\n"
        "add.s32 %r12, %r12, %r13;\nadd.s32 %r14, %r14, %r15;\nadd.s32 %r16, %r16, %r17;\n"
        "add.s32 %r10, %r10, %r12;\nadd.s32 %r14, %r14, %r16;\nadd.s32 %r10, %r10, %r14;\n"
        "st.global.u32 [%rd1], %r10;\nret;\n}\n";
    ptx_error err;
    ptx_module *m = ptx_parse(text, sizeof text - 1, &err);
    assert_non_null(m);
    uint64_t address[16] = {0};
    sm_program *p = compile_load_program(m, address, NULL, exec_handlers());
    compile_kernel_info info;
    sm_fault fault;
    assert_true(compile_describe_kernel(p, ptx_find_func(m, "k"), &info, &fault));
    assert_int_equal(info.static_shared, 48);
    assert_int_equal(info.local_bytes, 24);
    assert_int_equal(info.param_bytes, 12);
    assert_int_equal(info.const_bytes, 100);
    assert_int_equal(info.max_threads, 256);
    assert_int_equal(info.registers, 10); /* %rd1 and %r10 to %r17 */
    compile_unload_program(p);
    ptx_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trap_names_thread_and_block),
        cmocka_unit_test(an_access_out_of_bounds_gives_advice),
        cmocka_unit_test(one_fault_stops_all_blocks),
        cmocka_unit_test(an_instruction_that_is_not_there_refuses_the_launch),
        cmocka_unit_test(shapes_that_no_device_has_are_refused),
        cmocka_unit_test(a_kernel_is_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
