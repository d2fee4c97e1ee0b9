/* Tests loads, stores and atomics of every state space and width: values, bounds, messages,
 * counters. */
#include "sm_kernel.h"

#define KERNEL_HEAD                                                                           \
    ".visible .entry k(.param .u64 k_0, .param .u64 k_1)\n{\n"                                \
    ".reg .pred %p<8>;\n.reg .b16 %rs<16>;\n.reg .b32 %r<32>;\n.reg .f32 %f<16>;\n"           \
    ".reg .b64 %rd<32>;\n.reg .f64 %fd<8>;\n"                                                 \
    "ld.param.u64 %rd1, [k_0];\ncvta.to.global.u64 %rd2, %rd1;\nld.param.u64 %rd20, [k_1];\n" \
    "mov.u32 %r1, %tid.x;\n"

/* Bytes 0, 1, 2 ... with the high bit set in every third. */
static const uint8_t *memory_pattern(void)
{
    static uint8_t bytes[KERNEL_BYTES];
    for (uint32_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 37 + i / 256) | (i % 3 ? 0 : 0x80);
    return bytes;
}

typedef struct width_case {
    const char *type, *reg, *store; /* type; letter of the register; type stored */
    uint32_t bytes, stored;         /* bytes of the element, and of the stored value */
    bool sign;                      /* the load extends the sign */
    uint32_t extend;                /* declared width of the register, bits */
} width_case;

/* Lane l reads the element at l * STEP + 64 and writes its register to 32768 + 8 * l. */
static void every_width_extends_as_it_should(void **state)
{
    (void)state;
    static const width_case cases[] = {
        {"u8", "%rs2", "u16", 1, 2, false, 16},  {"s8", "%rs2", "u16", 1, 2, true, 16},
        {"b8", "%r2", "u32", 1, 4, false, 32},   {"s8", "%r2", "u32", 1, 4, true, 32},
        {"u8", "%rd9", "u64", 1, 8, false, 64},  {"s8", "%rd9", "u64", 1, 8, true, 64},
        {"u16", "%rs2", "u16", 2, 2, false, 16}, {"s16", "%r2", "u32", 2, 4, true, 32},
        {"s16", "%rd9", "u64", 2, 8, true, 64},  {"b16", "%rd9", "u64", 2, 8, false, 64},
        {"f32", "%f2", "f32", 4, 4, false, 32},  {"s32", "%rd9", "u64", 4, 8, true, 64},
        {"u32", "%rd9", "u64", 4, 8, false, 64}, {"b64", "%rd9", "u64", 8, 8, false, 64},
        {"f64", "%fd2", "f64", 8, 8, false, 64},
    };
    static const char *const spaces[] = {".global",
                                         "",
                                         ".global.nc",
                                         ".volatile.global",
                                         ".relaxed.gpu.global",
                                         ".acquire.sys.global",
                                         ".global.cg"};
    static const uint32_t steps[] = {1, 2, 0, 3}; /* distances between lanes, in elements */
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        for (size_t s = 0; s < sizeof spaces / sizeof *spaces; s++) {
            for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
                for (uint32_t threads = 11; threads <= 32; threads += 21) {
                    const width_case *t = &cases[c];
                    char text[3000];
                    snprintf(text, sizeof text,
                             "%s"
                             "mul.wide.u32 %%rd3, %%r1, %u;\nadd.s64 %%rd4, %%rd2, %%rd3;\n"
                             "ld%s.%s %s, [%%rd4+64];\n"
                             "mul.wide.u32 %%rd5, %%r1, 8;\nadd.s64 %%rd6, %%rd2, %%rd5;\n"
                             "st.global.%s [%%rd6+32768], %s;\nret;\n}\n",
                             KERNEL_HEAD, steps[k] * t->bytes, spaces[s], t->type, t->reg, t->store,
                             t->reg);
                    kernel_run run = {0};
                    const uint8_t *from = memory_pattern();
                    run_kernel(&run, text, threads, 0, from, 0, false);
                    expect_ok(&run);
                    for (uint32_t l = 0; l < 32; l++) {
                        uint64_t want = 0, got = 0;
                        memcpy(&want, from + 64 + l * steps[k] * t->bytes, t->bytes);
                        if (t->sign) {
                            const unsigned up = 64 - 8 * t->bytes;
                            want = (uint64_t)((int64_t)(want << up) >> up);
                        }
                        want = t->extend == 64 ? want : want & ((UINT64_C(1) << t->extend) - 1);
                        memcpy(&got, run.bytes + 32768 + 8 * l, t->stored);
                        if (l >= threads)
                            memcpy(&want, from + 32768 + 8 * l, t->stored);
                        if (t->stored < 8)
                            want &= (UINT64_C(1) << (8 * t->stored)) - 1;
                        if (want != got) {
                            fail_msg("ld%s.%s into %s, step %u, lane %u of %u: %llx, not %llx",
                                     spaces[s], t->type, t->reg, steps[k], l, threads,
                                     (unsigned long long)got, (unsigned long long)want);
                        }
                    }
                    free_kernel_run(&run);
                }
            }
        }
    }
}

static void vectors_move_element_by_element(void **state)
{
    (void)state;
    kernel_run run = {0};
    run_kernel(&run,
               KERNEL_HEAD
               "mul.wide.u32 %rd3, %r1, 16;\nadd.s64 %rd4, %rd2, %rd3;\n"
               "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd4];\n"
               "st.global.v2.u32 [%rd4+8192], {%r5, %r2};\n"
               "ld.global.v2.u64 {%rd8, %rd4}, [%rd4];\n" /* the load overwrites its own address */
               "mul.wide.u32 %rd3, %r1, 16;\nadd.s64 %rd5, %rd2, %rd3;\n"
               "st.global.v2.u64 [%rd5+16384], {%rd4, %rd8};\n"
               "mul.wide.u32 %rd3, %r1, 48;\nadd.s64 %rd5, %rd2, %rd3;\n"
               "ld.global.v4.u8 {%rs1, %rs2, %rs3, %rs4}, [%rd5+4];\n"
               "st.global.v4.u8 [%rd5+32768], {%rs4, %rs3, %rs2, 7};\nret;\n}\n",
               32, 0, memory_pattern(), 0, false);
    expect_ok(&run);
    const uint8_t *from = memory_pattern();
    for (uint32_t l = 0; l < 32; l++) {
        assert_memory_equal(run.bytes + 8192 + 16 * l, from + 16 * l + 12, 4);
        assert_memory_equal(run.bytes + 8196 + 16 * l, from + 16 * l, 4);
        assert_memory_equal(run.bytes + 16384 + 16 * l, from + 16 * l + 8, 8);
        assert_memory_equal(run.bytes + 16392 + 16 * l, from + 16 * l, 8);
        const uint8_t *b = from + 48 * l + 4, want[4] = {b[3], b[2], b[1], 7};
        assert_memory_equal(run.bytes + 32768 + 48 * l, want, 4);
    }
    assert_int_equal(C(run, ld_requests), 3);
    assert_int_equal(C(run, ld_sectors), 16 + 16 + 32);
    assert_int_equal(C(run, st_requests), 3);
    assert_int_equal(C(run, st_sectors), 16 + 16 + 32);
    free_kernel_run(&run);
}

static void spaces_are_apart_and_generic_addresses_reach_all(void **state)
{
    (void)state;
    kernel_run run = {0};
    /* One third of the lanes points to shared memory, one third to local and one third to global
     * memory. */
    run_kernel(
        &run,
        ".const .align 4 .b8 table[16] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0};\n"
        ".visible .entry k(.param .u64 k_0, .param .u64 k_1)\n{\n"
        ".local .align 8 .b8 mine[64];\n.shared .align 8 .b8 tile[256];\n"
        ".reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<32>;\n"
        "ld.param.u64 %rd1, [k_0];\ncvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r1, %tid.x;\n"
        "mul.lo.u32 %r2, %r1, 4;\ncvt.u64.u32 %rd3, %r2;\n"
        "mov.u32 %r3, tile;\nadd.u32 %r4, %r3, %r2;\nadd.u32 %r10, %r1, 100;\n"
        "st.shared.u32 [%r4+4], %r10;\n"
        "mov.u64 %rd4, mine;\nadd.u32 %r11, %r1, 200;\nst.local.u32 [%rd4+8], %r11;\n"
        "add.s64 %rd5, %rd2, %rd3;\nadd.u32 %r12, %r1, 300;\nst.global.u32 [%rd5+1024], %r12;\n"
        "cvta.local.u64 %rd6, %rd4;\nadd.s64 %rd6, %rd6, 8;\n"
        "cvt.u64.u32 %rd7, %r4;\ncvta.shared.u64 %rd7, %rd7;\nadd.s64 %rd7, %rd7, 4;\n"
        "add.s64 %rd8, %rd1, %rd3;\nadd.s64 %rd8, %rd8, 1024;\n"
        "rem.u32 %r5, %r1, 3;\nsetp.eq.u32 %p1, %r5, 0;\nsetp.eq.u32 %p2, %r5, 1;\n"
        "selp.b64 %rd9, %rd6, %rd8, %p1;\nselp.b64 %rd9, %rd7, %rd9, %p2;\n"
        "ld.u32 %r6, [%rd9];\nadd.u32 %r6, %r6, 1000;\nst.u32 [%rd9], %r6;\n"
        "isspacep.shared %p3, %rd9;\nselp.u32 %r7, 1, 0, %p3;\n"
        "isspacep.local %p4, %rd9;\nselp.u32 %r8, 2, 0, %p4;\nadd.u32 %r7, %r7, %r8;\n"
        "isspacep.global %p5, %rd9;\nselp.u32 %r8, 4, 0, %p5;\nadd.u32 %r7, %r7, %r8;\n"
        "ld.shared.u32 %r20, [%r4+4];\nld.local.u32 %r21, [%rd4+8];\n"
        "ld.global.u32 %r22, [%rd5+1024];\n"
        "and.b32 %r23, %r1, 3;\nmul.wide.u32 %rd10, %r23, 4;\nmov.u64 %rd11, table;\n"
        "add.s64 %rd12, %rd11, %rd10;\nld.const.u32 %r24, [%rd12];\nld.const.u32 %r25, "
        "[table+8];\nadd.u32 %r24, %r24, %r25;\n"
        "mul.wide.u32 %rd13, %r1, 32;\nadd.s64 %rd14, %rd2, %rd13;\n"
        "st.global.v4.u32 [%rd14+4096], {%r20, %r21, %r22, %r7};\n"
        "st.global.u32 [%rd14+4112], %r24;\nret;\n}\n",
        32, 0, NULL, 0, false);
    expect_ok(&run);
    for (uint32_t l = 0; l < 32; l++) {
        const uint32_t *got = words(&run) + 1024 + 8 * l, third = l % 3;
        assert_int_equal(got[0], 100 + l + (third == 1 ? 1000 : 0));
        assert_int_equal(got[1], 200 + l + (third == 0 ? 1000 : 0));
        assert_int_equal(got[2], 300 + l + (third == 2 ? 1000 : 0));
        assert_int_equal(got[3], third == 1 ? 1 : third == 0 ? 2 : 4);
        assert_int_equal(got[4], l % 4 + 1 + 3);
    }
    assert_int_equal(C(run, const_requests), 2);
    assert_int_equal(C(run, const_indexed), 1);
    assert_int_equal(C(run, const_addresses), 5);
    assert_int_equal(C(run, const_replays), 3);
    assert_int_equal(C(run, shared_ld_requests),
                     /* requests of the shared load and of the shared part of the generic load */
                     2);
    assert_int_equal(C(run, shared_st_requests), 2);
    assert_int_equal(C(run, local_ld_requests), 2);
    assert_int_equal(C(run, local_st_requests), 2);
    assert_int_equal(C(run, ld_requests), 2);
    assert_int_equal(C(run, local_st_sectors), 4 + 4); /* lanes 0, 3 .. 30 touch all four sectors */
    assert_int_equal(C(run, local_st_lines), 1 + 1);
    assert_int_equal(C(run, local_st_part_lines), 1);
    free_kernel_run(&run);
}

static void kernels_write_constant_memory_through_its_address(void **state)
{
    (void)state;
    kernel_run run = {0};
    run_kernel(&run,
               ".const .align 8 .b8 limit[8] = {5, 0, 0, 0, 7, 0, 0, 0};\n" KERNEL_HEAD
               "mov.u64 %rd3, limit;\ncvta.const.u64 %rd4, %rd3;\n"
               "setp.ne.u32 %p1, %r1, 31;\n@%p1 bra next;\nst.global.u32 [%rd3], 40;\n"
               "next:\nbar.warp.sync -1;\natom.global.add.u32 %r2, [%rd3], 1;\n"
               "red.add.u32 [%rd4+4], %r1;\nld.u32 %r3, [%rd4];\nld.global.u32 %r4, [%rd3+4];\n"
               "mul.wide.u32 %rd5, %r1, 16;\nadd.s64 %rd6, %rd2, %rd5;\n"
               "st.global.v4.u32 [%rd6], {%r2, %r3, %r4, %r1};\nret;\n}\n",
               32, 0, NULL, 0, false);
    expect_ok(&run);
    for (uint32_t l = 0; l < 32; l++) {
        assert_int_equal(words(&run)[4 * l], 40 + l);
        assert_int_equal(words(&run)[4 * l + 1], 40 + 32);
        assert_int_equal(words(&run)[4 * l + 2], 7 + 31 * 16);
    }
    free_kernel_run(&run);
}

/* Run BODY and expect a fault with the given message. */
static void expect_access_fault(const char *body, uint64_t other, sm_fault_kind kind,
                                uint32_t thread, const char *what)
{
    char text[3000];
    kernel_run run = {0};
    snprintf(text, sizeof text,
             ".const .u32 limit = 5;\n"
             "%s"
             "%s\nret;\n}\n",
             KERNEL_HEAD, body);
    assert_false(run_kernel(&run, text, 64, 128, NULL, other, false));
    const sm_fault *f = &run.result.fault;
    if (f->kind != kind || f->thread[0] != thread || !strstr(f->text, what)) {
        fail_msg("kind %d thread %u: %s\nexpected kind %d thread %u: %s", f->kind, f->thread[0],
                 f->text, kind, thread, what);
    }
    free_kernel_run(&run);
}

static void faults_describe_the_wrong_address(void **state)
{
    (void)state;
    expect_access_fault(
        "mul.wide.u32 %rd3, %r1, 2048;\nadd.s64 %rd4, %rd2, %rd3;\nld.global.u32 %r2, [%rd4];", 0,
        SM_FAULT_ADDRESS, 32, "reads 4 bytes at 0x");
    expect_access_fault(
        "mul.wide.u32 %rd3, %r1, 2048;\nadd.s64 %rd4, %rd2, %rd3;\nld.global.u32 %r2, [%rd4];", 0,
        SM_FAULT_ADDRESS, 32, "0 bytes past the end of the 65536 bytes that the ");
    expect_access_fault("mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd2, %rd3;\n"
                        "st.global.u32 [%rd4+65520], %r1;",
                        0, SM_FAULT_ADDRESS, 4, "writes 4 bytes at 0x");
    expect_access_fault(
        "mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd2, %rd3;\nst.global.u64 [%rd4], %rd3;", 0,
        SM_FAULT_MISALIGNED, 1, "misaligned address: writes 8 bytes at 0x");
    expect_access_fault("st.global.u32 [%rd2+-8], %r1;", 0, SM_FAULT_ADDRESS, 0,
                        "8 bytes before the 65536");
    expect_access_fault("ld.global.u32 %r2, [%rd20];", 0, SM_FAULT_ADDRESS, 0, "a null pointer");
    expect_access_fault("ld.global.u32 %r2, [%rd20];", 0, SM_FAULT_ADDRESS, 0,
                        "Look where the pointer comes from");
    expect_access_fault("mov.u32 %r2, 0;\ncp.async.cg.shared.global [%r2], [%rd2+65528], 16;", 0,
                        SM_FAULT_ADDRESS, 0, "reads 16 bytes at 0x");
    int on_host = 5;
    expect_access_fault("ld.global.u32 %r2, [%rd20];", (uintptr_t)&on_host, SM_FAULT_ADDRESS, 0,
                        "a host address: the kernel was given a pointer that is not device memory");
    uint64_t freed = mem_alloc(1 << 20, 256, MEM_DEVICE, NULL);
    uint64_t keep = mem_alloc(1 << 20, 256, MEM_DEVICE, NULL);
    mem_free_range(freed);
    expect_access_fault("ld.global.u32 %r2, [%rd20];", freed + (1 << 19), SM_FAULT_ADDRESS, 0,
                        "which was freed before");
    mem_free_range(keep);
    expect_access_fault("ld.const.u32 %r2, [%rd2];", 0, SM_FAULT_ADDRESS, 0,
                        "which is not constant memory");
    expect_access_fault(
        "mul.lo.u32 %r2, %r1, 4;\nst.shared.u32 [%r2], %r1;", 0, SM_FAULT_ADDRESS, 32,
        "writes 4 bytes that begin 0 bytes past the end of the block's shared memory, which has "
        "128 bytes");
    expect_access_fault("mul.lo.u32 %r2, %r1, 4;\nsub.u32 %r2, %r2, 4;\nld.shared.u32 %r3, [%r2];",
                        0, SM_FAULT_ADDRESS, 0,
                        "reads 4 bytes that begin 4 bytes before the block's shared memory");
    expect_access_fault("mul.lo.u32 %r2, %r1, 2;\nst.shared.u32 [%r2], %r1;", 0,
                        SM_FAULT_MISALIGNED, 1, "of shared memory, which is no multiple of 4");
    expect_access_fault("mov.u64 %rd3, 64;\nst.local.u32 [%rd3], %r1;", 0, SM_FAULT_ADDRESS, 0,
                        "local memory");
}

static void lanes_may_access_different_allocations(void **state)
{
    (void)state;
    uint64_t other = mem_alloc(4, 256, MEM_DEVICE, NULL);
    *(uint32_t *)mem_host_pointer(other, 4) = 77;
    kernel_run run = {0};
    run_kernel(&run,
               KERNEL_HEAD
               "mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd2, %rd3;\nand.b32 %r2, %r1, 1;\n"
               "setp.eq.u32 %p1, %r2, 1;\nselp.b64 %rd5, %rd20, %rd4, %p1;\n"
               "ld.global.u32 %r3, [%rd5];\nadd.u32 %r3, %r3, 1;\nst.global.u32 [%rd4+4096], "
               "%r3;\nret;\n}\n",
               32, 0, NULL, other, false);
    expect_ok(&run);
    for (uint32_t l = 0; l < 32; l++)
        assert_int_equal(words(&run)[1024 + l], l % 2 ? 78 : 1);
    assert_int_equal(C(run, ld_sectors), 5);
    free_kernel_run(&run);
    mem_free_range(other);
}

/* Lane l reads the word with index l * STEP + START of global memory. */
static void expect_global_sectors(uint32_t step, uint32_t start, uint32_t threads, uint32_t sectors)
{
    char text[2000];
    kernel_run run = {0};
    snprintf(text, sizeof text,
             "%s"
             "mad.lo.u32 %%r2, %%r1, %u, %u;\nmul.wide.u32 %%rd3, %%r2, 4;\n"
             "add.s64 %%rd4, %%rd2, %%rd3;\nld.global.f32 %%f1, [%%rd4];\nst.global.f32 [%%rd4], "
             "%%f1;\nret;\n}\n",
             KERNEL_HEAD, step, start);
    run_kernel(&run, text, threads, 0, NULL, 0, false);
    expect_ok(&run);
    assert_int_equal(C(run, ld_requests), (threads + 31) / 32);
    assert_int_equal(C(run, ld_sectors), sectors);
    assert_int_equal(C(run, st_sectors), sectors);
    assert_int_equal(C(run, l2_write_sectors), sectors);
    free_kernel_run(&run);
}

static void sectors_follow_from_addresses(void **state)
{
    (void)state;
    expect_global_sectors(1, 0, 32, 4);
    expect_global_sectors(1, 4, 32, 5);
    expect_global_sectors(1, 8, 32, 4);
    expect_global_sectors(2, 0, 32, 8);
    expect_global_sectors(9, 0, 32, 32);
    expect_global_sectors(0, 3, 32, 1);
    expect_global_sectors(1, 0, 33, 5);
    expect_global_sectors(1, 0, 7, 1);
    expect_global_sectors(3, 1, 32, 12);
}

/* Lane l accesses element (l * MUL ^ XOR) % MOD of BYTES bytes of shared memory. */
static void expect_shared_wavefronts(const char *type, uint32_t bytes, uint32_t mul, uint32_t x,
                                     uint32_t mod, uint32_t wavefronts)
{
    char text[2000];
    kernel_run run = {0};
    snprintf(text, sizeof text,
             ".extern .shared .align 16 .b8 tile[];\n"
             "%s"
             "mul.lo.u32 %%r2, %%r1, %u;\nxor.b32 %%r2, %%r2, %u;\nrem.u32 %%r2, %%r2, %u;\n"
             "mul.lo.u32 %%r2, %%r2, %u;\nmov.u32 %%r3, tile;\nadd.u32 %%r3, %%r3, %%r2;\n"
             "st.shared.%s [%%r3], %s;\nret;\n}\n",
             KERNEL_HEAD, mul, x, mod, bytes, type,
             bytes == 16  ? "{%r4, %r5, %r6, %r7}"
             : bytes == 8 ? "%rd4"
                          : "%r4");
    run_kernel(&run, text, 32, 40960, NULL, 0, false);
    expect_ok(&run);
    if (C(run, shared_st_wavefronts) != wavefronts) {
        fail_msg("%s, lane * %u ^ %u %% %u: %llu wavefronts, not %u", type, mul, x, mod,
                 (unsigned long long)C(run, shared_st_wavefronts), wavefronts);
    }
    free_kernel_run(&run);
}

static void wavefronts_follow_from_banks(void **state)
{
    (void)state;
    for (uint32_t s = 1; s <= 33; s++) {
        uint32_t conflict = s & -s;
        expect_shared_wavefronts("u32", 4, s, 0, 4096, conflict > 32 ? 32 : conflict);
    }
    expect_shared_wavefronts("u32", 4, 0, 0, 4096, 1);
    expect_shared_wavefronts("u32", 4, 1, 5, 4096, 1);
    expect_shared_wavefronts("u32", 4, 32, 32, 64,
                             2); /* two words of one bank, each read by half the lanes */
    expect_shared_wavefronts("u32", 4, 32, 0, 1024, 32);
    expect_shared_wavefronts("u8", 1, 1, 0, 4096, 1);
    expect_shared_wavefronts("u8", 1, 128, 0, 4096, 32);
    expect_shared_wavefronts("u64", 8, 1, 0, 4096, 2);
    expect_shared_wavefronts("u64", 8, 2, 0, 4096, 4);
    expect_shared_wavefronts("u64", 8, 16, 0, 4096, 32);
    expect_shared_wavefronts("v4.u32", 16, 1, 0, 2048, 4);
    expect_shared_wavefronts("v4.u32", 16, 8, 0, 2048, 32);
}

/* Lane l loads element l >> SHIFT of BYTES bytes, so neighbouring lanes load the same element. */
static void expect_wavefronts_of_common_elements(uint32_t shift, uint32_t bytes,
                                                 uint32_t wavefronts)
{
    char text[2000];
    kernel_run run = {0};
    snprintf(text, sizeof text,
             ".extern .shared .align 16 .b8 tile[];\n%sshr.u32 %%r2, %%r1, %u;\n"
             "mul.lo.u32 %%r2, %%r2, %u;\nmov.u32 %%r3, tile;\nadd.u32 %%r3, %%r3, %%r2;\n"
             "ld.shared.%s [%%r3];\nret;\n}\n",
             KERNEL_HEAD, shift, bytes, bytes == 16 ? "v4.u32 {%r4, %r5, %r6, %r7}," : "u64 %rd4,");
    run_kernel(&run, text, 32, 4096, NULL, 0, false);
    expect_ok(&run);
    assert_int_equal(C(run, shared_ld_wavefronts), wavefronts);
    assert_int_equal(C(run, shared_ld_conflicts), 0);
    free_kernel_run(&run);
}

static void wide_loads_of_one_element_are_served_together(void **state)
{
    (void)state;
    expect_wavefronts_of_common_elements(0, 8, 2);
    expect_wavefronts_of_common_elements(1, 8, 1);
    expect_wavefronts_of_common_elements(5, 8, 1);
    expect_wavefronts_of_common_elements(0, 16, 4);
    expect_wavefronts_of_common_elements(1, 16, 2);
    expect_wavefronts_of_common_elements(5, 16, 2);
}

static void line_statistics_belong_to_instructions(void **state)
{
    (void)state;
    kernel_run run = {0};
    run_kernel(&run,
               KERNEL_HEAD "mul.wide.u32 %rd3, %r1, 36;\nadd.s64 %rd4, %rd2, %rd3;\n"
                           "ld.global.f32 %f1, [%rd4];\nst.global.f32 [%rd2], %f1;\nret;\n}\n",
               64, 0, NULL, 0, false);
    expect_ok(&run);
    assert_int_equal(run.result.line_count, 2);
    const line_row *ld = &run.result.lines[0], *st = &run.result.lines[1];
    assert_string_equal(ld->op, "ld.global.f32");
    assert_string_equal(ld->space, "global");
    assert_int_equal(ld->s.requests, 2);
    assert_int_equal(ld->s.lanes, 64);
    assert_int_equal(ld->s.sectors, 64);
    assert_int_equal(ld->s.ideal, 8);
    assert_int_equal(ld->s.stride, 36);
    assert_string_equal(st->op, "st.global.f32");
    assert_int_equal(st->s.sectors, 2);
    assert_int_equal(st->s.ideal, 2);
    assert_int_equal(st->s.stride, 0);
    free_kernel_run(&run);
}

static void l1_serves_what_the_block_has_read(void **state)
{
    (void)state;
    kernel_run run = {0};
    run_kernel(&run,
               KERNEL_HEAD
               "mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd2, %rd3;\n"
               "ld.global.u32 %r2, [%rd4];\nld.global.nc.u32 %r3, [%rd4+4];\n"
               "ld.volatile.global.u32 %r4, [%rd4];\nst.global.u32 [%rd4], %r2;\nret;\n}\n",
               32, 0, NULL, 0, false);
    expect_ok(&run);
    assert_int_equal(C(run, ld_sectors), 4 + 5 + 4);
    assert_int_equal(C(run, read_only), 1);
    assert_int_equal(C(run, l2_read_sectors), 4 + 1 + 4);
    assert_int_equal(C(run, l2_write_sectors), 4);
    free_kernel_run(&run);
}

/* Counters of cp.async: a wait records the number of groups that it may leave in flight; the copy
 * of lane 0 counts as a load. */
static void waits_record_groups_left_in_flight(void **state)
{
    (void)state;
    kernel_run run = {0};
    run_kernel(&run,
               KERNEL_HEAD
               ".shared .align 16 .b8 tile[16];\nmov.u32 %r2, tile;\n"
               "cp.async.cg.shared.global [%r2], [%rd2], 16;\ncp.async.commit_group;\n"
               "cp.async.wait_group 3;\ncp.async.wait_group 0;\ncp.async.wait_all;\nret;\n}\n",
               1, 0, NULL, 0, false);
    expect_ok(&run);
    assert_int_equal(C(run, async_copies), 1);
    assert_int_equal(C(run, ld_requests), 1);
    assert_int_equal(C(run, copy_waits), 3);
    assert_int_equal(C(run, copy_groups_left), 3);
    free_kernel_run(&run);
}

/* A group that begins between the wait and the next read of shared memory is in flight during the
 * use, too; one that begins after the read is not. */
static void groups_begun_before_the_use_are_in_flight(void **state)
{
    (void)state;
    kernel_run run = {0};
    run_kernel(&run,
               KERNEL_HEAD
               ".shared .align 16 .b8 tile[32];\nmov.u32 %r2, tile;\n"
               "cp.async.cg.shared.global [%r2], [%rd2], 16;\ncp.async.commit_group;\n"
               "cp.async.wait_group 0;\nbar.sync 0;\n"
               "cp.async.cg.shared.global [%r2+16], [%rd2], 16;\ncp.async.commit_group;\n"
               "ld.shared.u32 %r3, [%r2];\n"
               "cp.async.wait_group 0;\nld.shared.u32 %r3, [%r2+16];\n"
               "cp.async.commit_group;\ncp.async.wait_all;\nret;\n}\n",
               1, 0, NULL, 0, false);
    expect_ok(&run);
    assert_int_equal(C(run, copy_waits), 3);
    assert_int_equal(C(run, copy_groups_left), 1);
    free_kernel_run(&run);
}

/* A fence counts by its scope, and so does what releases; what only acquires is none. */
static void fences_are_counted_by_scope(void **state)
{
    (void)state;
    kernel_run run = {0};
    run_kernel(&run,
               KERNEL_HEAD
               "membar.cta;\nmembar.gl;\nmembar.sys;\nfence.sc.gpu;\nfence.acq_rel.sys;\n"
               "fence.acq_rel.cta;\nmov.u32 %r2, 1;\nst.release.gpu.global.u32 [%rd2], %r2;\n"
               "st.release.cta.global.u32 [%rd2], %r2;\nst.relaxed.gpu.global.u32 [%rd2], %r2;\n"
               "ld.acquire.gpu.global.u32 %r3, [%rd2];\n"
               "atom.global.acq_rel.gpu.add.u32 %r3, [%rd2], %r2;\n"
               "atom.global.release.sys.exch.b32 %r3, [%rd2], %r2;\n"
               "atom.global.acquire.gpu.exch.b32 %r3, [%rd2], %r2;\n"
               "red.global.add.u32 [%rd2], %r2;\nret;\n}\n",
               64, 0, NULL, 0, false);
    expect_ok(&run);
    assert_int_equal(C(run, device_fences), 2 * 4);
    assert_int_equal(C(run, system_fences), 2 * 3);
    free_kernel_run(&run);
}

/* Inactive lanes are not counted; a fused multiply-add counts as two operations. */
static void flops_of_inactive_lanes_do_not_count(void **state)
{
    (void)state;
    kernel_run run = {0};
    run_kernel(
        &run,
        KERNEL_HEAD
        "mov.f32 %f1, 0f3F800000;\nfma.rn.f32 %f2, %f1, %f1, %f1;\n"
        "add.rn.f32 %f3, %f2, %f1;\nmul.rn.f32 %f4, %f3, %f2;\n"
        "mul.f32 %f5, %f4, %f3;\nsub.f32 %f6, %f5, %f1;\nst.global.f32 [%rd2], %f6;\nret;\n}\n",
        5, 0, NULL, 0, false);
    expect_ok(&run);
    assert_int_equal(C(run, flops), 5 * (2 + 1 + 1 + 2));
    free_kernel_run(&run);
}

/* Rows of eight words in five cache lines: no bank conflict, but a pass can look up only four
 * lines. */
static void rows_on_five_lines_take_two_passes(void **state)
{
    (void)state;
    kernel_run run = {0};
    run_kernel(&run,
               KERNEL_HEAD "shr.u32 %r2, %r1, 3;\nand.b32 %r3, %r1, 7;\nmul.lo.u32 %r3, %r3, 4;\n"
                           "mad.lo.u32 %r2, %r2, 160, %r3;\ncvt.u64.u32 %rd3, %r2;\n"
                           "add.s64 %rd4, %rd2, %rd3;\nld.global.u32 %r4, [%rd4+464];\n"
                           "st.global.u32 [%rd2+8192], %r4;\nret;\n}\n",
               32, 0, NULL, 0, false);
    expect_ok(&run);
    assert_int_equal(C(run, ld_sectors), 8);
    assert_int_equal(C(run, l1_passes), 2 + 1);
    free_kernel_run(&run);
}

/* What an earlier instruction has found out about a register's addresses must not be used once the
 * register holds others, also where the accesses between are strong, which never look at it. */
static void strong_accesses_do_not_use_old_addresses(void **state)
{
    (void)state;
    kernel_run run = {0};
    run_kernel(&run,
               ".shared .align 16 .b8 s[128];\n" KERNEL_HEAD
               "mov.u32 %r2, s;\nshl.b32 %r3, %r1, 2;\nadd.u32 %r4, %r2, %r3;\n"
               "st.shared.u32 [%r4], %r1;\nbar.sync 0;\nld.shared.u32 %r5, [%r4];\n"
               "sub.u32 %r4, %r2, %r3;\nadd.u32 %r4, %r4, 124;\n"
               "ld.volatile.shared.u32 %r6, [%r4];\nld.volatile.shared.u32 %r7, [%r4];\n"
               "mul.wide.u32 %rd3, %r1, 16;\nadd.s64 %rd4, %rd2, %rd3;\n"
               "st.global.u32 [%rd4], %r5;\nst.global.u32 [%rd4+4], %r6;\n"
               "st.global.u32 [%rd4+8], %r7;\nret;\n}\n",
               32, 0, NULL, 0, false);
    expect_ok(&run);
    for (uint32_t l = 0; l < 32; l++) {
        const uint32_t want[3] = {l, 31 - l, 31 - l};
        assert_memory_equal(run.bytes + 16 * l, want, sizeof want);
    }
    free_kernel_run(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_width_extends_as_it_should),
        cmocka_unit_test(vectors_move_element_by_element),
        cmocka_unit_test(spaces_are_apart_and_generic_addresses_reach_all),
        cmocka_unit_test(kernels_write_constant_memory_through_its_address),
        cmocka_unit_test(faults_describe_the_wrong_address),
        cmocka_unit_test(lanes_may_access_different_allocations),
        cmocka_unit_test(sectors_follow_from_addresses),
        cmocka_unit_test(wavefronts_follow_from_banks),
        cmocka_unit_test(wide_loads_of_one_element_are_served_together),
        cmocka_unit_test(line_statistics_belong_to_instructions),
        cmocka_unit_test(l1_serves_what_the_block_has_read),
        cmocka_unit_test(waits_record_groups_left_in_flight),
        cmocka_unit_test(groups_begun_before_the_use_are_in_flight),
        cmocka_unit_test(fences_are_counted_by_scope),
        cmocka_unit_test(flops_of_inactive_lanes_do_not_count),
        cmocka_unit_test(rows_on_five_lines_take_two_passes),
        cmocka_unit_test(strong_accesses_do_not_use_old_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
