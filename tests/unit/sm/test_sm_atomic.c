/* Tests atom and red: every operation on every type, compared with a reference in this file. */
#include "counter_names.h"
#include "sm_kernel.h"

#include <math.h>

#define KERNEL_HEAD                                                                 \
    ".extern .shared .align 16 .b8 tile[];\n"                                       \
    ".visible .entry k(.param .u64 k_0, .param .u64 k_1)\n{\n"                      \
    ".reg .pred %p<8>;\n.reg .b16 %rs<16>;\n.reg .b32 %r<32>;\n.reg .f32 %f<16>;\n" \
    ".reg .b64 %rd<32>;\n.reg .f64 %fd<8>;\n"                                       \
    "ld.param.u64 %rd1, [k_0];\ncvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r1, %tid.x;\n"

typedef uint64_t (*update_fn)(uint64_t old, uint64_t b, uint64_t c, bool global);

#define U32 (uint32_t)
#define S32 (int32_t)(uint32_t)
#define S64 (int64_t)
#define UPDATE(name, expression)                                            \
    static uint64_t name(uint64_t old, uint64_t b, uint64_t c, bool global) \
    {                                                                       \
        (void)old, (void)b, (void)c, (void)global;                          \
        return expression;                                                  \
    }
static uint64_t f32_sum(uint64_t a, uint64_t b, bool flush)
{
    uint32_t u = U32 a, v = U32 b;
    float x, y;
    memcpy(&x, &u, 4);
    memcpy(&y, &v, 4);
    if (flush) {
        x = fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
        y = fabsf(y) < 0x1p-126f ? copysignf(0, y) : y;
    }
    x += y;
    if (flush)
        x = fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
    memcpy(&u, &x, 4);
    return isnan(x) ? 0x7fffffff : u;
}
static uint64_t f64_sum(uint64_t a, uint64_t b)
{
    double x, y;
    memcpy(&x, &a, 8);
    memcpy(&y, &b, 8);
    x += y;
    memcpy(&a, &x, 8);
    return a;
}
UPDATE(add32, U32(old + b))
UPDATE(add64, old + b)
UPDATE(and_, old &b)
UPDATE(or_, old | b)
UPDATE(xor_, old ^ b)
UPDATE(exch, b)
UPDATE(cas, old == b ? c : old)
UPDATE(inc, U32 old >= U32 b ? 0 : U32(old + 1))
UPDATE(dec, U32 old == 0 || U32 old > U32 b ? b : U32(old - 1))
UPDATE(minu, b < old ? b : old)
UPDATE(maxu, b > old ? b : old)
UPDATE(mins32, S32 b < S32 old ? b : old)
UPDATE(maxs32, S32 b > S32 old ? b : old)
UPDATE(mins64, S64 b < S64 old ? b : old)
UPDATE(maxs64, S64 b > S64 old ? b : old)
UPDATE(addf, f32_sum(old, b, global))
UPDATE(addd, f64_sum(old, b))

static const struct {
    const char *op;   /* operation and type, as in the mnemonic */
    uint32_t bytes;   /* bytes of an element */
    update_fn update; /* computes the expected new value */
} operations[] = {
    {"add.u32", 4, add32},  {"add.s32", 4, add32}, {"add.u64", 8, add64},  {"and.b32", 4, and_},
    {"and.b64", 8, and_},   {"or.b32", 4, or_},    {"or.b64", 8, or_},     {"xor.b32", 4, xor_},
    {"xor.b64", 8, xor_},   {"exch.b32", 4, exch}, {"exch.b64", 8, exch},  {"cas.b32", 4, cas},
    {"cas.b64", 8, cas},    {"inc.u32", 4, inc},   {"dec.u32", 4, dec},    {"min.u32", 4, minu},
    {"min.s32", 4, mins32}, {"min.u64", 8, minu},  {"min.s64", 8, mins64}, {"max.u32", 4, maxu},
    {"max.s32", 4, maxs32}, {"max.u64", 8, maxu},  {"max.s64", 8, maxs64}, {"add.f32", 4, addf},
    {"add.f64", 8, addd},
};

static const uint32_t edge_case_values[] = {
    0,          1,          2,          0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0xbf800000,
    0x00000001, 0x00800000, 0x80000001, 0x7f800000, 0xff800000, 0x42280000, 5};

static uint64_t test_operand(uint32_t k, uint32_t bytes, uint32_t salt)
{
    const uint32_t n = sizeof edge_case_values / sizeof *edge_case_values;
    uint64_t low = edge_case_values[(k * 7 + salt) % n],
             high = edge_case_values[(k * 5 + 3 * salt) % n];
    if (bytes == 8)
        return high << 32 | low;
    return low;
}

/* Lane l updates element l / 3: three lanes per element, in order. Operands b are at 8192, c at
 * 16384, results at 24576, each 8 bytes apart. SPACE is "global", "shared" or "" (generic addresses
 * of both). */
static void check_operation(size_t which, const char *space, bool reduces)
{
    const uint32_t bytes = operations[which].bytes;
    const bool is_cas = operations[which].update == cas, shared = !strcmp(space, "shared");
    const bool generic = !*space;
    char text[4000], dot[16] = "";
    snprintf(dot, sizeof dot, "%s%s", *space ? "." : "", space);
    const char *b = bytes == 8 ? "%rd10" : "%r10", *c = bytes == 8 ? "%rd11" : "%r11",
               *d = bytes == 8 ? "%rd12" : "%r12";
    char atom[200];
    snprintf(atom, sizeof atom, "%s%s.%s %s%s[%s], %s%s%s;\n", reduces ? "red" : "atom", dot,
             operations[which].op, reduces ? "" : d, reduces ? "" : ", ", shared ? "%r5" : "%rd5",
             b, is_cas ? ", " : "", is_cas ? c : "");
    snprintf(text, sizeof text,
             "%sdiv.u32 %%r2, %%r1, 3;\nmul.lo.u32 %%r3, %%r2, %u;\ncvt.u64.u32 %%rd3, %%r3;\n"
             "mul.wide.u32 %%rd6, %%r1, 8;\nadd.s64 %%rd7, %%rd2, %%rd6;\n"
             "ld.global.u%u %s, [%%rd7+8192];\nld.global.u%u %s, [%%rd7+16384];\n"
             "add.s64 %%rd4, %%rd2, %%rd3;\nmov.u32 %%r4, tile;\nadd.u32 %%r5, %%r4, %%r3;\n"
             "ld.global.u%u %s, [%%rd4];\nst.shared.u%u [%%r5], %s;\n" /* load the old value */
             "cvt.u64.u32 %%rd8, %%r5;\ncvta.shared.u64 %%rd8, %%rd8;\n"
             "and.b32 %%r6, %%r2, 1;\nsetp.eq.u32 %%p1, %%r6, 1;\n"
             "selp.b64 %%rd5, %%rd8, %%rd4, %%p1;\n%s\n" /* generic addresses: every other element
                                                            is in shared memory */
             "%s"
             "%sst.global.u%u [%%rd7+24576], %s;\n"
             "ld.shared.u%u %s, [%%r5];\nst.global.u%u [%%rd7+32768], %s;\n"
             "ret;\n}\n",
             KERNEL_HEAD, bytes, bytes * 8, b, bytes * 8, c, bytes * 8, d, bytes * 8, d,
             generic ? "" : "mov.b64 %rd5, %rd4;", atom, reduces ? "//" : "", bytes * 8, d,
             bytes * 8, d, bytes * 8, d);
    static uint8_t fill[KERNEL_BYTES];
    uint64_t mem[32], at_shared;
    memset(fill, 0, sizeof fill);
    for (uint32_t k = 0; k < 32; k++) {
        mem[k] = test_operand(k, bytes, 1);
        memcpy(fill + k * bytes, &mem[k], bytes);
        /* A third of the comparisons succeed. */
        uint64_t vb =
            is_cas && k % 3 == 0 ? test_operand(k / 3, bytes, 1) : test_operand(k, bytes, 2);
        uint64_t vc = test_operand(k, bytes, 4);
        memcpy(fill + 8192 + 8 * k, &vb, 8);
        memcpy(fill + 16384 + 8 * k, &vc, 8);
    }
    kernel_run run = {0};
    if (!run_kernel(&run, text, 32, 512, fill, 0, false))
        fail_msg("%s", run.result.fault.text);
    for (uint32_t l = 0; l < 32; l++) {
        const uint32_t e = l / 3;
        const bool global = generic ? e % 2 == 0 : !shared;
        uint64_t vb = 0, vc = 0, old = 0;
        memcpy(&vb, fill + 8192 + 8 * l, bytes);
        memcpy(&vc, fill + 16384 + 8 * l, bytes);
        memcpy(&old, run.bytes + 24576 + 8 * l, bytes);
        if (!reduces && old != mem[e]) {
            fail_msg("%s lane %u: old value %llx, not %llx", atom, l, (unsigned long long)old,
                     (unsigned long long)mem[e]);
        }
        mem[e] = operations[which].update(mem[e], vb, vc, global);
    }
    for (uint32_t e = 0; e < 11; e++) {
        const bool global = generic ? e % 2 == 0 : !shared;
        uint64_t now = 0;
        memcpy(&now, run.bytes + e * bytes, bytes);
        at_shared = 0;
        memcpy(&at_shared, run.bytes + 32768 + 8 * 3 * e, bytes);
        now = global ? now : at_shared;
        if (now != mem[e]) {
            fail_msg("%s element %u: %llx, not %llx", atom, e, (unsigned long long)now,
                     (unsigned long long)mem[e]);
        }
    }
    free_kernel_run(&run);
}

static void every_operation_updates_in_order(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof operations / sizeof *operations; k++) {
        check_operation(k, "global", false);
        check_operation(k, "shared", false);
        check_operation(k, "", false);
        if (operations[k].update != cas && operations[k].update != exch) {
            check_operation(k, "global", true);
            check_operation(k, "shared", true);
        }
    }
}

static void halves_add_with_one_rounding(void **state)
{
    (void)state;
    static uint8_t fill[KERNEL_BYTES];
    /* 1 + 2^-11 is a tie (to even: 1); 1 + 3 * 2^-11 goes up; the largest overflows. */
    static const uint16_t a[] = {0x3c00, 0x3c00, 0x7bff, 0x0001, 0x8000},
                          b[] = {0x1000, 0x1600, 0x7bff, 0x0001, 0x0000},
                          want[] = {0x3c00, 0x3c02, 0x7c00, 0x0002, 0x0000};
    for (uint32_t k = 0; k < 5; k++) {
        uint32_t two = a[k] | (uint32_t)a[k] << 16;
        memcpy(fill + 4 * k, &two, 4);
        two = b[k] | (uint32_t)b[k] << 16;
        memcpy(fill + 8192 + 4 * k, &two, 4);
        memcpy(fill + 4096 + 4 * k, &a[k], 2);
    }
    kernel_run run = {0};
    if (!run_kernel(&run,
                    KERNEL_HEAD
                    "mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd2, %rd3;\n"
                    "ld.global.u32 %r2, [%rd4+8192];\nred.global.add.noftz.f16x2 [%rd4], %r2;\n"
                    "cvt.u16.u32 %rs1, %r2;\natom.global.add.noftz.f16 %rs2, [%rd4+4096], %rs1;"
                    "\nst.global.u16 [%rd4+12288], %rs2;\nret;\n}\n",
                    5, 0, fill, 0, false))
        fail_msg("%s", run.result.fault.text);
    for (uint32_t k = 0; k < 5; k++) {
        uint16_t got[2], one, old;
        memcpy(got, run.bytes + 4 * k, 4);
        memcpy(&one, run.bytes + 4096 + 4 * k, 2);
        memcpy(&old, run.bytes + 12288 + 4 * k, 2);
        assert_int_equal(got[0], want[k]);
        assert_int_equal(got[1], want[k]);
        assert_int_equal(one, want[k]);
        assert_int_equal(old, a[k]);
    }
    free_kernel_run(&run);
}

static void an_unused_result_counts_as_a_reduction(void **state)
{
    (void)state;
    kernel_run run = {0};
    run_kernel(&run,
               KERNEL_HEAD
               "mul.wide.u32 %rd3, %r1, 32;\nadd.s64 %rd4, %rd2, %rd3;\n"
               "atom.global.add.u32 %r2, [%rd4], 1;\natom.global.add.u32 %r3, [%rd2], 1;\n"
               "red.global.add.u32 [%rd2], 1;\nst.global.u32 [%rd4+4], %r3;\nret;\n}\n",
               32, 0, NULL, 0, false);
    const uint64_t *v = run.result.total.v;
    assert_int_equal(v[CTR_atom_requests], 1);
    /* all lanes have one address: each lane is a separate request */
    assert_int_equal(v[CTR_atom_sectors], 32);
    assert_int_equal(v[CTR_red_requests], 2);
    /* Lanes of a red instruction with one address are combined into one request. */
    assert_int_equal(v[CTR_red_sectors], 32 + 1);
    uint32_t sum;
    memcpy(&sum, run.bytes, 4);
    assert_int_equal(sum, 65);
    free_kernel_run(&run);
}

/* An atomic whose result is used counts as atom, even if the result is only stored or is the second
 * of two results. */
static void a_result_that_is_used_counts_as_an_atomic(void **state)
{
    (void)state;
    kernel_run run = {0};
    run_kernel(&run,
               KERNEL_HEAD "atom.global.add.u32 %r2, [%rd2], 1;\nnanosleep.u32 %r2;\nret;\n}\n", 32,
               0, NULL, 0, false);
    expect_ok(&run);
    assert_int_equal(C(run, atom_requests), 1);
    assert_int_equal(C(run, red_requests), 0);
    free_kernel_run(&run);
    run_kernel(&run,
               KERNEL_HEAD "mov.f32 %f1, 0f3f800000;\n"
                           "atom.global.v2.f32.add {%f2, %f3}, [%rd2], {%f1, %f1};\n"
                           "st.global.f32 [%rd2+64], %f3;\nret;\n}\n",
               32, 0, NULL, 0, false);
    expect_ok(&run);
    assert_int_equal(C(run, atom_requests), 1);
    assert_int_equal(C(run, red_requests), 0);
    free_kernel_run(&run);
}

/* All lanes have one address, but the code does not show that, so the assembler does not combine
 * the lanes. */
static void lanes_with_a_computed_address_are_not_combined(void **state)
{
    (void)state;
    kernel_run run = {0};
    run_kernel(&run,
               KERNEL_HEAD
               "ld.param.u32 %r2, [k_0];\nld.param.u32 %r3, [k_0+4];\nshr.u32 %r4, %r1, 10;\n"
               "add.u32 %r3, %r3, %r4;\nmov.b64 %rd3, {%r2, %r3};\n"
               "atom.global.add.u32 %r5, [%rd3], 1;\nret;\n}\n",
               32, 0, NULL, 0, false);
    expect_ok(&run);
    assert_int_equal(C(run, red_sectors), 32);
    free_kernel_run(&run);
}

static void host_threads_lose_no_update(void **state)
{
    (void)state;
    enum { BLOCKS = 400, THREADS = 96 };
    kernel_run run = {0};
    kernel_blocks = BLOCKS;
    kernel_workers = 4;
    const bool ok = run_kernel(
        &run,
        KERNEL_HEAD
        "mov.f32 %f1, 0f3F800000;\nred.global.add.u32 [%rd2], 1;\n"
        "red.global.add.f32 [%rd2+256], %f1;\natom.global.add.u64 %rd5, [%rd2+512], %rd1;\n"
        /* a counter that only cas changes */
        "ld.volatile.global.u32 %r2, [%rd2+768];\nAGAIN:\nmov.u32 %r3, %r2;\n"
        "add.u32 %r4, %r3, 1;\natom.global.cas.b32 %r2, [%rd2+768], %r3, %r4;\n"
        "setp.ne.u32 %p1, %r2, %r3;\n@%p1 bra AGAIN;\nret;\n}\n",
        THREADS, 0, NULL, 0, false);
    kernel_blocks = kernel_workers = 1;
    if (!ok)
        fail_msg("%s", run.result.fault.text);
    const uint32_t n = BLOCKS * THREADS;
    uint32_t u;
    uint64_t wide;
    float f;
    memcpy(&u, run.bytes, 4);
    assert_int_equal(u, n);
    memcpy(&f, run.bytes + 256, 4);
    assert_int_equal((uint32_t)f, n);
    memcpy(&wide, run.bytes + 512, 8);
    assert_true(wide == n * run.buffer);
    memcpy(&u, run.bytes + 768, 4);
    assert_int_equal(u, n);
    free_kernel_run(&run);
}

static void counters_do_not_depend_on_host_threads(void **state)
{
    (void)state;
    const char *text =
        KERNEL_HEAD "mov.u32 %r2, %ctaid.x;\nmad.lo.u32 %r3, %r2, 96, %r1;\n"
                    "mul.wide.u32 %rd3, %r3, 20;\nadd.s64 %rd4, %rd2, %rd3;\n"
                    "ld.global.u32 %r4, [%rd4];\nld.global.u32 %r5, [%rd4+4];\n"
                    "mul.lo.u32 %r6, %r1, 8;\nmov.u32 %r7, tile;\nadd.u32 %r7, %r7, %r6;\n"
                    "st.shared.u32 [%r7], %r4;\nred.global.add.u32 [%rd4], %r5;\nret;\n}\n";
    kernel_run one = {0}, four = {0};
    kernel_blocks = 30;
    assert_true(run_kernel(&one, text, 96, 1024, NULL, 0, false));
    kernel_workers = 4;
    assert_true(run_kernel(&four, text, 96, 1024, NULL, 0, false));
    kernel_blocks = kernel_workers = 1;
    for (int k = 0; k < CTR_COUNT; k++) {
        if (one.result.total.v[k] != four.result.total.v[k]) {
            fail_msg("%s: %llu with one host thread, %llu with four", counter_names[k],
                     (unsigned long long)one.result.total.v[k],
                     (unsigned long long)four.result.total.v[k]);
        }
    }
    assert_int_equal(one.result.line_count, four.result.line_count);
    for (size_t k = 0; k < one.result.line_count; k++)
        assert_memory_equal(&one.result.lines[k].s, &four.result.lines[k].s, sizeof(insn_stats));
    free_kernel_run(&one);
    free_kernel_run(&four);
}

/* Counter COUNTER of ADD, an atomic on shared memory at %r2, for 32 lanes STRIDE bytes apart. */
static unsigned long long count_of_atomic(counter_id counter, const char *add, unsigned stride)
{
    char text[1024];
    snprintf(text, sizeof text,
             "%smov.u32 %%r2, tile;\nmad.lo.u32 %%r2, %%r1, %u, %%r2;\n%s\n"
             "st.global.u32 [%%rd2], %%r4;\nret;\n}\n",
             KERNEL_HEAD, stride, add);
    kernel_run run = {0};
    assert_true(run_kernel(&run, text, 32, 8192, NULL, 0, false));
    const unsigned long long passes = run.result.total.v[counter];
    free_kernel_run(&run);
    return passes;
}

static unsigned long long wavefronts_of_atomic(const char *add, unsigned stride)
{
    return count_of_atomic(CTR_shared_atom_wavefronts, add, stride);
}

/* The expected numbers are ncu's on an H200
 * (tests/hardware/counters/h200/patterns/atomics-shared.tsv). Adding one takes a pass for each
 * different word in the busiest bank, as measured with a histogram of 2^22 bytes. */
static void lanes_of_one_bank_are_served_one_by_one(void **state)
{
    (void)state;
    assert_int_equal(wavefronts_of_atomic("atom.shared.add.u32 %r3, [%r2], 3;", 0), 32);
    assert_int_equal(wavefronts_of_atomic("atom.shared.add.u32 %r3, [%r2], 3;", 4), 1);
    assert_int_equal(wavefronts_of_atomic("atom.shared.add.u32 %r3, [%r2], 3;", 64), 16);
    assert_int_equal(wavefronts_of_atomic("red.shared.max.u32 [%r2], 3;", 0), 32);
    assert_int_equal(wavefronts_of_atomic("atom.shared.cas.b32 %r3, [%r2], 0, 7;", 8), 4);
    assert_int_equal(wavefronts_of_atomic("atom.shared.add.u32 %r3, [%r2], 1;", 0), 1);
    assert_int_equal(wavefronts_of_atomic("red.shared.add.s32 [%r2], 1;", 0), 1);
    assert_int_equal(wavefronts_of_atomic("atom.shared.add.u32 %r3, [%r2], 1;", 128), 32);
    assert_int_equal(wavefronts_of_atomic("atom.shared.add.u32 %r4, [%r2], 1;", 0),
                     32); /* %r4 is stored */
}

static void polls_of_global_memory_change_nothing(void **state)
{
    (void)state;
    static uint8_t zeros[KERNEL_BYTES];
    kernel_run run = {0};
    run_kernel(&run,
               KERNEL_HEAD
               "atom.global.add.u32 %r2, [%rd2], 0;\natom.global.cas.b32 %r2, [%rd2], 5, 7;\n"
               "atom.global.exch.b32 %r2, [%rd2], 9;\natom.global.max.u32 %r2, [%rd2], 3;\n"
               "atom.global.add.u32 %r2, [%rd2], 1;\nred.global.add.f32 [%rd2], 0f00000000;\n"
               "ret;\n}\n",
               32, 0, zeros, 0, false);
    assert_int_equal(run.result.total.v[CTR_atom_lanes], 6 * 32);
    /* of the exchanges, the first lane's changes the word */
    assert_int_equal(run.result.total.v[CTR_atom_polls], 32 + 32 + 31);
    free_kernel_run(&run);
}

static void polls_of_shared_memory_change_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned stride;
        unsigned long long polls;
    } of[] = {
        {"atom.shared.add.u32 %r3, [%r2], 0;", 4, 1},
        {"atom.shared.add.u32 %r3, [%r2], 0;", 64, 16},
        {"atom.shared.add.u32 %r3, [%r2], 3;", 64, 0},
        {"st.shared.u32 [%r2], 5;\natom.shared.max.u32 %r3, [%r2], 3;", 4, 0},
        {"st.shared.u32 [%r2], 5;\natom.shared.exch.b32 %r3, [%r2], 5;", 4, 1},
        /* of a compare and swap the pass that compares, and the other one if it fails */
        {"st.shared.u32 [%r2], 5;\natom.shared.cas.b32 %r3, [%r2], 5, 7;", 8, 2},
        {"st.shared.u32 [%r2], 5;\natom.shared.cas.b32 %r3, [%r2], 4, 7;", 8, 4},
    };
    for (size_t k = 0; k < sizeof of / sizeof *of; k++)
        assert_int_equal(count_of_atomic(CTR_shared_atom_polls, of[k].text, of[k].stride),
                         of[k].polls);
    /* a generic address costs the same */
    static const char generic[] = "cvta.shared.u64 %rd5, tile;\ncvt.u64.u32 %rd6, %r1;\n"
                                  "mul.lo.u64 %rd6, %rd6, 8;\nadd.u64 %rd5, %rd5, %rd6;\n"
                                  "atom.cas.b32 %r3, [%rd5], 4, 7;";
    assert_int_equal(count_of_atomic(CTR_shared_atom_wavefronts, generic, 8), 4);
}

static void wide_exchange_and_compare(void **state)
{
    (void)state;
    static uint8_t fill[KERNEL_BYTES];
    static const uint64_t start[2] = {3, 4};
    memcpy(fill, start, 16);
    kernel_run run = {0};
    if (!run_kernel(&run,
                    KERNEL_HEAD
                    ".reg .b128 %q<4>;\nmov.u64 %rd3, 3;\nmov.u64 %rd4, 4;\n"
                    "mov.b128 %q1, {%rd3, %rd4};\nmov.u64 %rd5, 8;\nmov.u64 %rd6, 9;\n"
                    "mov.b128 %q2, {%rd5, %rd6};\n"
                    "atom.global.cas.b128 %q3, [%rd2], %q1, %q2;\nst.global.b128 [%rd2+64], "
                    "%q3;\natom.global.exch.b128 %q3, [%rd2], %q1;\n"
                    "st.global.b128 [%rd2+128], %q3;\nret;\n}\n",
                    1, 0, fill, 0, false))
        fail_msg("%s", run.result.fault.text);
    static const uint64_t swapped[2] = {8, 9};
    assert_memory_equal(run.bytes + 64, start, 16);
    assert_memory_equal(run.bytes + 128, swapped, 16);
    assert_memory_equal(run.bytes, start, 16);
    free_kernel_run(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_updates_in_order),
        cmocka_unit_test(halves_add_with_one_rounding),
        cmocka_unit_test(an_unused_result_counts_as_a_reduction),
        cmocka_unit_test(a_result_that_is_used_counts_as_an_atomic),
        cmocka_unit_test(lanes_with_a_computed_address_are_not_combined),
        cmocka_unit_test(host_threads_lose_no_update),
        cmocka_unit_test(counters_do_not_depend_on_host_threads),
        cmocka_unit_test(lanes_of_one_bank_are_served_one_by_one),
        cmocka_unit_test(polls_of_global_memory_change_nothing),
        cmocka_unit_test(polls_of_shared_memory_change_nothing),
        cmocka_unit_test(wide_exchange_and_compare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
