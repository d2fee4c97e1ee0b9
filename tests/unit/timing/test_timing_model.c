/* Compares the modelled clock with times measured on an H200 (tests/hardware/timings/h200). The
 * counters are computed here from each algorithm, so the emulator is not involved. The numbers of
 * instructions per warp are those that nvcc 13.0 generates for the kernels in
 * tests/hardware/timings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "emulator/timing/timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static device_profile h200; /* profile of the H200 */

static int load_h200(void **state)
{
    (void)state;
    char err[400];
    if (profile_load("h200", &h200, err, sizeof err))
        return 0;
    fprintf(stderr, "%s\n", err);
    return -1;
}

/* The recorded time in ms of one row of a record measured on the H200. */
static double measured_ms(const char *record, const char *name, const char *x, uint64_t n)
{
    char path[200], line[1024];
    snprintf(path, sizeof path, "tests/hardware/timings/h200/%s.tsv", record);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    double ms = 0;
    while (fgets(line, sizeof line, f)) {
        char *field[11], *at = line;
        for (int i = 0; i < 11; i++)
            field[i] = at ? strsep(&at, "\t") : "";
        if (strcmp(field[1], name) == 0 && strcmp(field[2], x) == 0 &&
            strtoull(field[3], NULL, 10) == n)
            ms = atof(field[5]);
    }
    fclose(f);
    if (ms <= 0)
        fail_msg("%s has no row %s %s %llu", path, name, x, (unsigned long long)n);
    return ms;
}

typedef struct modelled_work {
    launch_shape shape; /* shape of the launch */
    counters c;         /* counters of the launch */
} modelled_work;

/* A launch of THREADS threads in blocks of BLOCK threads that executes INST instructions per
 * warp. */
static modelled_work work_of_launch(uint64_t threads, uint32_t block, uint64_t inst)
{
    uint64_t blocks = (threads + block - 1) / block;
    modelled_work w = {
        .shape = {.grid = {(uint32_t)blocks, 1, 1}, .block = {block, 1, 1}, .registers = 24}};
    w.c.v[CTR_blocks] = blocks;
    w.c.v[CTR_warps] = blocks * (block / 32);
    w.c.v[CTR_inst] = inst * w.c.v[CTR_warps];
    return w;
}

/* Add loads: each warp accesses SECTORS sectors in LINES cache lines with one request. The whole
 * launch accesses BYTES bytes of different sectors, and PAIRS pairs of sectors. */
static void load_traffic(modelled_work *w, uint64_t sectors, uint64_t lines, uint64_t bytes,
                         uint64_t pairs)
{
    uint64_t *v = w->c.v, warps = v[CTR_warps];
    v[CTR_ld_requests] += warps;
    v[CTR_ld_sectors] += sectors * warps;
    v[CTR_l2_read_sectors] += sectors * warps;
    v[CTR_l2_read_lines] += lines * warps;
    v[CTR_l2_read_requests] += warps;
    v[CTR_l1_rounds] += warps;
    v[CTR_l2_rounds] += warps;
    v[CTR_l1_passes] += lines * warps;
    v[CTR_dram_read_bytes] += bytes;
    v[CTR_dram_read_pairs] += pairs;
    v[CTR_footprint_bytes] += bytes;
}

static void store_traffic(modelled_work *w, uint64_t sectors, uint64_t lines, uint64_t bytes)
{
    uint64_t *v = w->c.v, warps = v[CTR_warps];
    v[CTR_st_requests] += warps;
    v[CTR_st_sectors] += sectors * warps;
    v[CTR_l2_write_sectors] += sectors * warps;
    v[CTR_l2_write_lines] += lines * warps;
    v[CTR_l1_passes] += lines * warps;
    v[CTR_dram_write_bytes] += bytes;
    v[CTR_dram_write_pairs] += bytes / 64;
    v[CTR_footprint_bytes] += bytes;
}

static modelled_work copy_float(uint64_t n, uint32_t block)
{
    modelled_work w = work_of_launch(n, block, 19);
    load_traffic(&w, 4, 1, 4 * n, 4 * n / 64);
    store_traffic(&w, 4, 1, 4 * n);
    return w;
}

static modelled_work copy_float4(uint64_t n, uint32_t block)
{
    modelled_work w = work_of_launch(n / 4, block, 19);
    load_traffic(&w, 16, 4, 4 * n, 4 * n / 64);
    store_traffic(&w, 16, 4, 4 * n);
    return w;
}

static modelled_work read_float4(uint64_t n)
{
    modelled_work w = work_of_launch(n / 4, 256, 21);
    load_traffic(&w, 16, 4, 4 * n, 4 * n / 64);
    return w;
}

static modelled_work copy_stride(uint64_t n, uint64_t stride)
{
    uint64_t sector = stride < 8 ? 4 * stride : 32, pair = stride < 16 ? 4 * stride : 64;
    modelled_work w = work_of_launch(n, 256, 23);
    load_traffic(&w, sector, stride, sector * n, pair * n / 64);
    store_traffic(&w, 4, 1, 4 * n);
    w.c.v[CTR_footprint_bytes] = 4 * (stride + 1) * n;
    return w;
}

/* A stencil with nine loads of neighbouring floats per thread: 43 sectors in 17 lines per warp. A
 * block reads its own elements and one more sector. */
static modelled_work stencil(uint64_t n, uint32_t block, bool read_only)
{
    modelled_work w = work_of_launch(n, block, read_only ? 46 : 41);
    uint64_t *v = w.c.v, warps = v[CTR_warps];
    store_traffic(&w, 4, 1, 4 * n);
    v[CTR_ld_requests] = (9 + 5 * read_only) * warps;
    v[CTR_ld_sectors] = (43 + 5 * read_only) * warps;
    v[CTR_l1_passes] += (9 + 5 * read_only) * warps;
    v[CTR_l2_read_sectors] = (block / 8 + 1 + read_only) * v[CTR_blocks];
    v[CTR_l2_read_lines] = warps + (1 + read_only) * v[CTR_blocks];
    v[CTR_l2_read_requests] = v[CTR_l2_read_lines];
    v[CTR_l2_rounds] = warps;
    v[CTR_dram_read_bytes] = 4 * n;
    v[CTR_dram_read_pairs] = 4 * n / 64;
    v[CTR_footprint_bytes] += 4 * n;
    return w;
}

/* A tree reduction in shared memory per block of BLOCK threads, after each thread has added
 * ELEMENTS of N ints. The upper half of a block only waits. */
static modelled_work work_of_tree_sum(uint64_t n, uint32_t block, uint32_t elements, uint64_t inst)
{
    modelled_work w = work_of_launch(n / elements, block, inst);
    uint64_t *v = w.c.v, warps = v[CTR_warps], busy = 0, steps = 0;
    for (uint32_t step = block / 2; step > 0; step /= 2, steps++)
        busy += (step + 31) / 32;
    v[CTR_ld_requests] = elements * warps;
    v[CTR_ld_sectors] = v[CTR_l2_read_sectors] = 4 * elements * warps;
    v[CTR_l2_read_lines] = v[CTR_l2_read_requests] = elements * warps;
    v[CTR_l2_rounds] = warps;
    v[CTR_l1_passes] = elements * warps;
    v[CTR_dram_read_bytes] = v[CTR_footprint_bytes] = 4 * n;
    v[CTR_dram_read_pairs] = 4 * n / 64;
    v[CTR_barriers] = steps * warps;
    v[CTR_near_rounds] = (busy + 1) * v[CTR_blocks];
    v[CTR_chain_cycles] = 44 * v[CTR_inst] / 10; /* the ratio counted for the trees of chapter 10 */
    v[CTR_shared_ld_requests] = v[CTR_shared_ld_wavefronts] = (2 * busy + 1) * v[CTR_blocks];
    v[CTR_shared_st_requests] = v[CTR_shared_st_wavefronts] = busy * v[CTR_blocks] + warps;
    v[CTR_st_requests] = v[CTR_st_sectors] = v[CTR_l2_write_sectors] = v[CTR_blocks];
    v[CTR_l2_write_lines] = v[CTR_blocks];
    w.shape.shared_bytes = 4 * block;
    return w;
}

/* As many threads as are resident at once process all data, 16 bytes per load. */
static modelled_work work_of_shuffle_sum(uint64_t n, uint32_t block)
{
    modelled_work w = work_of_launch(132 * 2048, block, 90);
    uint64_t *v = w.c.v, requests = n / 128;
    v[CTR_inst] += requests * 12;
    v[CTR_ld_requests] = requests;
    v[CTR_ld_sectors] = v[CTR_l2_read_sectors] = 16 * requests;
    v[CTR_l2_read_lines] = 4 * requests;
    v[CTR_l2_read_requests] = requests;
    /* The compiler unrolls the loop four times. */
    uint64_t turns = (requests + v[CTR_warps] - 1) / v[CTR_warps];
    v[CTR_l2_rounds] = v[CTR_warps] * (turns / 4 + turns % 4);
    v[CTR_l1_passes] = 4 * requests;
    v[CTR_dram_read_bytes] = v[CTR_footprint_bytes] = 4 * n;
    v[CTR_dram_read_pairs] = 4 * n / 64;
    v[CTR_barriers] = v[CTR_warps];
    v[CTR_shuffles] = 5 * (v[CTR_warps] + v[CTR_blocks]);
    return w;
}

/* 1320 blocks of 256 threads with 512 loads each, from ADDRESSES addresses per warp. */
static modelled_work constant_loads(uint64_t addresses)
{
    modelled_work w = work_of_launch(1320 * 256, 256, 3216);
    uint64_t *v = w.c.v;
    store_traffic(&w, 4, 1, 4 * 1320 * 256);
    v[CTR_const_requests] = v[CTR_const_indexed] = 512 * v[CTR_warps];
    v[CTR_const_addresses] = v[CTR_const_requests] * addresses;
    v[CTR_const_replays] = v[CTR_const_requests] * (addresses - 1);
    return w;
}

static modelled_work read_only_loads(uint64_t addresses)
{
    modelled_work w = work_of_launch(1320 * 256, 256, 3216);
    uint64_t *v = w.c.v;
    store_traffic(&w, 4, 1, 4 * 1320 * 256);
    v[CTR_ld_requests] = 512 * v[CTR_warps];
    v[CTR_ld_sectors] = v[CTR_l1_passes] = v[CTR_ld_requests] * addresses;
    return w;
}

/* The modelled time in ms of the second of two equal launches; the first launch is a warm-up that
 * fills L2. */
static double modelled_ms(const modelled_work *w)
{
    timing_state state = {0};
    timing_of_kernel(&h200, &state, &w->shape, &w->c, NULL);
    return timing_of_kernel(&h200, &state, &w->shape, &w->c, NULL).total / 1e6;
}

static size_t row_count; /* number of measured times that were compared */

static void expect_time(const char *record, const char *name, const char *x, uint64_t n,
                        modelled_work w)
{
    double have = modelled_ms(&w), want = measured_ms(record, name, x, n);
    if (!(fabs(have / want - 1) <= 0.25))
        fail_msg("%s %s n = %llu: modelled %.4f ms, measured %.4f", name, x, (unsigned long long)n,
                 have, want);
    row_count++;
}

static const char *number_as_text(uint64_t value)
{
    static char buf[4][24];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(buf[turn], sizeof buf[turn], "%llu", (unsigned long long)value);
    return buf[turn];
}

static void modelled_copies_match_measured_times(void **state)
{
    (void)state;
    row_count = 0;

    for (uint64_t log2 = 16; log2 <= 28; log2 += 2) {
        uint64_t n = UINT64_C(1) << log2;
        expect_time("parts/copy", "copy_float", "-", n, copy_float(n, 256));
        expect_time("parts/copy", "copy_float4", "-", n, copy_float4(n, 256));
        expect_time("parts/copy", "read_float4", "-", n, read_float4(n));
    }
    static const uint32_t blocks[] = {32, 64, 128, 512, 1024};
    for (size_t b = 0; b < 5; b++)
        for (uint64_t n = 1 << 24; n <= 1 << 28; n <<= 4) {
            expect_time("parts/copy", "copy_float_block", number_as_text(blocks[b]), n,
                        copy_float(n, blocks[b]));
            expect_time("parts/copy", "copy_float4_block", number_as_text(blocks[b]), n,
                        copy_float4(n, blocks[b]));
        }
    for (uint64_t log2 = 22; log2 <= 26; log2 += 2)
        for (uint64_t s = 1; s <= 32; s *= 2) {
            uint64_t n = UINT64_C(1) << log2;
            expect_time("parts/copy", "copy_stride", number_as_text(s), n, copy_stride(n, s));
        }
    assert_int_equal(row_count, 21 + 20 + 18);
}

/* Fewer resident warps hide less latency. */
static void occupancy_hides_latency(void **state)
{
    (void)state;
    static const uint32_t resident[] = {1, 2, 3, 4, 6, 8};
    double before = INFINITY;
    for (size_t i = 0; i < 6; i++) {
        modelled_work w = copy_float(1 << 24, 256);
        w.shape.shared_bytes = 200 * 1024 / resident[i];
        expect_time("parts/copy", "copy_resident_blocks", number_as_text(resident[i]), 1 << 24, w);
        assert_true(modelled_ms(&w) < before);
        before = modelled_ms(&w);
    }
}

static void modelled_stencils_match_measured_times(void **state)
{
    (void)state;
    static const uint32_t blocks[] = {32, 64, 128, 256, 512, 1024};
    for (uint64_t log2 = 20; log2 <= 28; log2 += log2 == 24 ? 4 : 2)
        for (size_t b = 0; b < 6; b++) {
            uint64_t n = UINT64_C(1) << log2;
            expect_time("kernels/stencil", "stencil_constant", number_as_text(blocks[b]), n,
                        stencil(n, blocks[b], false));
            expect_time("kernels/stencil", "stencil_read_only", number_as_text(blocks[b]), n,
                        stencil(n, blocks[b], true));
        }
    /* Small blocks are limited by block dispatch, for any source of the coefficients. */
    modelled_work small = stencil(1 << 28, 32, false), other = stencil(1 << 28, 32, true);
    modelled_work large = stencil(1 << 28, 256, false);
    assert_true(modelled_ms(&small) > 4 * modelled_ms(&large));
    assert_true(fabs(modelled_ms(&small) / modelled_ms(&other) - 1) < 0.02);
    timing_state l2 = {0};
    assert_string_equal(timing_of_kernel(&h200, &l2, &small.shape, &small.c, NULL).bound,
                        "dispatch");
}

static void modelled_times_of_summing_kernels_match_measured_ones(void **state)
{
    (void)state;
    static const uint32_t blocks[] = {64, 128, 256, 512, 1024};
    static const uint64_t shared_inst[] = {84, 82, 85, 89, 94};
    for (uint64_t log2 = 22; log2 <= 28; log2 += log2 == 24 ? 4 : 2)
        for (size_t b = 0; b < 5; b++) {
            uint64_t n = UINT64_C(1) << log2;
            const char *x = number_as_text(blocks[b]);
            modelled_work plain = work_of_tree_sum(n, blocks[b], 1, shared_inst[b]);
            modelled_work unrolled = work_of_tree_sum(n, blocks[b], 4, shared_inst[b] + 31);
            modelled_work vector = work_of_shuffle_sum(n, blocks[b]);
            expect_time("kernels/reduce", "sum_shared", x, n, plain);
            expect_time("kernels/reduce", "sum_unrolled", x, n, unrolled);
            expect_time("kernels/reduce", "sum_shuffle", x, n, vector);
            assert_true(modelled_ms(&plain) > modelled_ms(&unrolled));
            assert_true(modelled_ms(&unrolled) > modelled_ms(&vector));
        }
}

/* One block of WARPS warps; each warp executes CHAINS matrix instructions 512 times, with SUMS
 * multiply-adds per instruction. */
static modelled_work work_of_matrices(uint64_t warps, uint64_t chains, counter_id type,
                                      uint64_t sums)
{
    modelled_work w = work_of_launch(32 * warps, (uint32_t)(32 * warps), 64 + 512 * chains);
    w.c.v[CTR_tensor_inst] = 512 * chains * warps;
    w.c.v[CTR_tensor_chain] = 512 * warps;
    w.c.v[type] = w.c.v[CTR_tensor_inst] * sums;
    return w;
}

static void modelled_matrix_products_match_measured_times(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        counter_id type;
        uint64_t sums;
    } of[] = {{"f16_f32", CTR_tensor_f16, 2048}, {"bf16", CTR_tensor_f16, 2048},
              {"tf32", CTR_tensor_tf32, 1024},   {"e4m3", CTR_tensor_f8, 4096},
              {"s8", CTR_tensor_i8, 4096},       {"b1", CTR_tensor_b1, 32768},
              {"f64_k16", CTR_tensor_f64, 2048}};
    for (size_t k = 0; k < sizeof of / sizeof *of; k++)
        for (uint64_t warps = 4; warps <= 16; warps *= 2)
            for (uint64_t chains = 1; chains <= 4; chains *= 4) {
                char name[64];
                snprintf(name, sizeof name, "mma_%s_chains_%llu", of[k].name,
                         (unsigned long long)chains);
                expect_time("parts/tensor", name, number_as_text(warps), 512 * chains * warps,
                            work_of_matrices(warps, chains, of[k].type, of[k].sums));
            }
}

/* 8448 warps with eight requests each, in which LANES lanes update WORDS words of one line. */
static modelled_work work_of_atomics(uint64_t lanes, uint64_t words, bool real)
{
    const uint64_t requests = 8448 * 8, turns = lanes / words, sectors = (words + 7) / 8;
    const uint64_t packet = 4 * sectors < 5 ? 5 : 4 * sectors;
    modelled_work w = work_of_launch(8448 * 32, 256, 40);
    uint64_t *v = w.c.v;
    v[CTR_red_requests] = requests;
    v[CTR_red_sectors] = requests * turns * sectors;
    v[CTR_atom_lanes] = requests * lanes;
    v[CTR_atom_float_lanes] = real ? requests * lanes : 0;
    v[CTR_atom_slice] = requests * turns * packet;
    v[CTR_atom_hottest] = requests * turns;
    return w;
}

static void modelled_atomics_match_measured_times(void **state)
{
    (void)state;
    const uint64_t n = 8448 * 32 * 8;
    expect_time("parts/atomics", "red_add_u32_one_lane", "1", n / 32, work_of_atomics(1, 1, false));
    expect_time("parts/atomics", "red_add_f32_one_lane", "1", n / 32, work_of_atomics(1, 1, true));
    static const uint64_t words[] = {1, 2, 16, 32};
    for (size_t k = 0; k < 4; k++) {
        char name[64];
        snprintf(name, sizeof name, "red_add_u32_words_%llu", (unsigned long long)words[k]);
        expect_time("parts/atomics", name, "1", n, work_of_atomics(32, words[k], false));
        snprintf(name, sizeof name, "red_add_f32_words_%llu", (unsigned long long)words[k]);
        expect_time("parts/atomics", name, "1", n, work_of_atomics(32, words[k], true));
    }
}

static void modelled_constant_loads_match_measured_times(void **state)
{
    (void)state;
    static const uint64_t addresses[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32};
    for (size_t a = 0; a < 10; a++) {
        uint64_t n = 1320 * 256;
        expect_time("parts/constant", "constant_near", number_as_text(addresses[a]), n,
                    constant_loads(addresses[a]));
        expect_time("parts/constant", "read_only_far", number_as_text(addresses[a]), n,
                    read_only_loads(addresses[a]));
    }
}

/* With one block per SM more than can be resident, the last blocks run alone and take as long
 * again. */
static void blocks_of_the_last_round_take_as_long_as_others(void **state)
{
    (void)state;
    double ms[2];
    for (uint64_t more = 0; more < 2; more++) {
        modelled_work w = work_of_launch(0, 32, 0);
        w.shape.shared_bytes = 16 * 1024;
        const uint32_t fit =
            timing_blocks_per_sm(&h200, 32, w.shape.registers, w.shape.shared_bytes);
        w = work_of_launch((fit + more) * 132 * 32, 32, 100);
        w.shape.shared_bytes = 16 * 1024;
        w.c.v[CTR_chain_cycles] = 100000 * w.c.v[CTR_warps];
        ms[more] = modelled_ms(&w);
    }
    assert_true(ms[1] > 1.8 * ms[0] && ms[1] < 2.1 * ms[0]);
}

/* Waiting for all copy groups costs the copy's latency each time; a wait that leaves one group in
 * flight costs nothing if the work between the waits takes as long. */
static void work_hides_copies_in_flight(void **state)
{
    (void)state;
    double ms[2];
    for (uint64_t left = 0; left < 2; left++) {
        modelled_work w = work_of_launch(132 * 256, 256, 100 * 100);
        w.c.v[CTR_chain_cycles] = 100 * 1000 * w.c.v[CTR_warps];
        w.c.v[CTR_ld_requests] = w.c.v[CTR_l2_read_requests] = 100 * w.c.v[CTR_warps];
        w.c.v[CTR_copy_waits] = 100 * w.c.v[CTR_warps];
        w.c.v[CTR_copy_groups_left] = left * w.c.v[CTR_copy_waits];
        ms[left] = modelled_ms(&w);
    }
    assert_true(ms[0] > ms[1] + 100 * h200.l2_latency_ns * 0.8e-6);
}

/* ncu reports 32 KB of shared memory for every kernel that uses none. */
static void shared_memory_reduces_l1(void **state)
{
    (void)state;
    assert_int_equal(timing_l1_bytes(&h200, 1, 0), 224 << 10);
    assert_int_equal(timing_l1_bytes(&h200, 32, 0), 224 << 10);
    assert_int_equal(timing_l1_bytes(&h200, 2, 48 << 10), 156 << 10);
    assert_int_equal(timing_l1_bytes(&h200, 1, 227 << 10), 28 << 10);
    assert_int_equal(timing_l1_bytes(&h200, 2, 227 << 10), 0);
}

/* Of compute capability 8.0 an SM has 64 lanes for f32: half of what it can issue. */
static void sums_of_f32_take_their_unit(void **state)
{
    (void)state;
    device_profile a100;
    char err[400];
    assert_true(profile_load("a100", &a100, err, sizeof err));
    timing_state l2 = {0};
    modelled_work w = work_of_launch(108ull * 2048 * 40, 256, 100000);
    const double least = 100000.0 * 40 * 64 / (4 * a100.clock_mhz * 1e3), /* ms of issue */
        integers = timing_of_kernel(&a100, &l2, &w.shape, &w.c, NULL).total / 1e6;
    w.c.v[CTR_inst_fma] = w.c.v[CTR_inst];
    assert_true(integers >= least && integers < 1.1 * least);
    const double floats = timing_of_kernel(&a100, &l2, &w.shape, &w.c, NULL).total / 1e6;
    assert_true(floats > 1.8 * integers && floats < 2.2 * integers);
}

static void equal_counters_give_equal_times(void **state)
{
    (void)state;
    modelled_work w = stencil(1 << 22, 256, false);
    timing_state a = {0}, b = {0};
    for (int i = 0; i < 3; i++) {
        launch_time s = timing_of_kernel(&h200, &a, &w.shape, &w.c, NULL);
        launch_time t = timing_of_kernel(&h200, &b, &w.shape, &w.c, NULL);
        assert_memory_equal(&s, &t, sizeof s);
    }
}

static void data_that_fits_stays_in_l2(void **state)
{
    (void)state;
    timing_state l2 = {0};
    modelled_work small = copy_float4(1 << 22, 256), large = copy_float4(1 << 24, 256);
    double cold = timing_of_kernel(&h200, &l2, &small.shape, &small.c, NULL).dram;
    double warm = timing_of_kernel(&h200, &l2, &small.shape, &small.c, NULL).dram;
    assert_true(cold > 0 && warm == 0);
    cold = timing_of_kernel(&h200, &l2, &large.shape, &large.c, NULL).dram;
    warm = timing_of_kernel(&h200, &l2, &large.shape, &large.c, NULL).dram;
    assert_true(cold == warm);
    /* What hints have kept there is found, whatever else the launch before has touched. */
    large.c.v[CTR_found_bytes] = large.c.v[CTR_footprint_bytes] / 3;
    warm = timing_of_kernel(&h200, &l2, &large.shape, &large.c, NULL).dram;
    assert_true(fabs(warm / cold - 2.0 / 3) < 0.01);
    /* A fill of other memory replaces the data in L2. */
    timing_of_kernel(&h200, &l2, &small.shape, &small.c, NULL);
    timing_of_copy(&h200, &l2, COPY_MEMSET, UINT64_C(1) << 30);
    assert_true(timing_of_kernel(&h200, &l2, &small.shape, &small.c, NULL).dram > 0);
}

/* On every device, times are finite and positive: for launches without work, with one thread, and
 * without counters. */
/* A launch that touches little displaces nothing, so one after it finds as much as before. */
static void an_empty_launch_leaves_l2_as_it_is(void **state)
{
    (void)state;
    const modelled_work copy = copy_float(1 << 22, 256), empty = work_of_launch(1, 32, 1);
    timing_state l2 = {0};
    const double cold = timing_of_kernel(&h200, &l2, &copy.shape, &copy.c, NULL).total;
    const double warm = timing_of_kernel(&h200, &l2, &copy.shape, &copy.c, NULL).total;
    timing_of_kernel(&h200, &l2, &empty.shape, &empty.c, NULL);
    assert_true(warm < cold);
    assert_true(timing_of_kernel(&h200, &l2, &copy.shape, &copy.c, NULL).total == warm);
}

static void times_are_numbers(void **state)
{
    (void)state;
    for (const char *const *id = profile_ids(); *id; id++) {
        device_profile p;
        char err[400];
        assert_true(profile_load(*id, &p, err, sizeof err));
        modelled_work kinds[] = {work_of_launch(1, 32, 0), work_of_launch(1 << 20, 1024, 5),
                                 copy_float(1 << 20, 256), stencil(1 << 20, 128, true)};
        modelled_work nothing = {0};
        kinds[0].shape.shared_bytes = UINT64_MAX / 2;
        for (size_t k = 0; k < 5; k++) {
            modelled_work *w = k < 4 ? &kinds[k] : &nothing;
            timing_state l2 = {0};
            launch_time t = timing_of_kernel(&p, &l2, &w->shape, &w->c, NULL);
            assert_true(isfinite(t.total) && t.total >= p.launch_us * 1e3);
            assert_non_null(t.bound);
        }
        for (int kind = COPY_H2D_PINNED; kind <= COPY_MEMSET; kind++) {
            timing_state l2 = {0};
            double least = timing_of_copy(&p, &l2, (copy_kind)kind, 0);
            double most = timing_of_copy(&p, &l2, (copy_kind)kind, UINT64_C(1) << 30);
            assert_true(isfinite(most) && least >= 0 && most > least);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modelled_copies_match_measured_times),
        cmocka_unit_test(occupancy_hides_latency),
        cmocka_unit_test(modelled_stencils_match_measured_times),
        cmocka_unit_test(modelled_times_of_summing_kernels_match_measured_ones),
        cmocka_unit_test(modelled_matrix_products_match_measured_times),
        cmocka_unit_test(modelled_atomics_match_measured_times),
        cmocka_unit_test(modelled_constant_loads_match_measured_times),
        cmocka_unit_test(blocks_of_the_last_round_take_as_long_as_others),
        cmocka_unit_test(work_hides_copies_in_flight),
        cmocka_unit_test(shared_memory_reduces_l1),
        cmocka_unit_test(sums_of_f32_take_their_unit),
        cmocka_unit_test(equal_counters_give_equal_times),
        cmocka_unit_test(data_that_fits_stays_in_l2),
        cmocka_unit_test(an_empty_launch_leaves_l2_as_it_is),
        cmocka_unit_test(times_are_numbers),
    };
    return cmocka_run_group_tests_name("model", tests, load_h200, NULL);
}
