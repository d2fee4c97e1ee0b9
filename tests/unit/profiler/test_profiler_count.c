/* Tests the cost of memory requests (profiler/count.h) on random ones: each count equals what is
 * counted from its definition, pair by pair. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "emulator/profiler/count.h"

enum { REQUESTS = 4000 };

static uint64_t random_state;

static uint32_t random_below(uint32_t n)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 33) % n;
}

/* N aligned addresses of BYTES each, of few or many words, in rising or in any order. */
static void make_addresses(uint64_t at[SM_LANES], uint32_t n, uint32_t bytes)
{
    static const uint32_t spans[] = {1, 4, 64, 1024, 16384};
    const uint32_t span = spans[random_below(5)];
    const bool rising = random_below(2);
    uint64_t last = UINT64_C(0x700000000000) + random_below(64) * 16;
    for (uint32_t k = 0; k < n; k++) {
        at[k] = last + (uint64_t)random_below(span) * bytes;
        last = rising ? at[k] : last;
    }
}

/* The number of distinct KEY[k] / UNIT. */
static uint32_t distinct(const uint64_t *key, uint32_t n, uint32_t unit)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < n; k++) {
        bool is_new = true;
        for (uint32_t j = 0; j < k; j++)
            is_new &= key[j] / unit != key[k] / unit;
        count += is_new;
    }
    return count;
}

static void test_cost_of_global_requests(void **state)
{
    (void)state;
    for (uint32_t r = 0; r < REQUESTS; r++) {
        const uint32_t bytes = 1u << random_below(5), n = 1 + random_below(SM_LANES);
        uint64_t at[SM_LANES];
        make_addresses(at, n, bytes);
        const profiler_global_request_cost c = profiler_cost_of_global_request(at, n, bytes);
        assert_int_equal(c.lines, distinct(at, n, 128));
        assert_int_equal(c.sectors, distinct(at, n, 32));
        assert_int_equal(c.words, distinct(at, n, 4));
        assert_int_equal(c.ideal, (distinct(at, n, 1) * bytes + 31) / 32);
        assert_int_equal(profiler_count_distinct(at, n), distinct(at, n, 1));
    }
}

static void test_atomic_requests_take_a_turn_per_lane_of_an_address(void **state)
{
    (void)state;
    for (uint32_t r = 0; r < REQUESTS; r++) {
        const uint32_t n = 1 + random_below(SM_LANES);
        uint64_t at[SM_LANES], of_turn[SM_LANES];
        uint8_t turn[SM_LANES];
        make_addresses(at, n, 4);
        profiler_atomic_turns(at, n, turn);
        uint32_t sectors = 0;
        for (uint32_t t = 0; t < SM_LANES; t++) {
            uint32_t lanes = 0;
            for (uint32_t k = 0; k < n; k++)
                if (turn[k] == t)
                    of_turn[lanes++] = at[k];
            assert_int_equal(distinct(of_turn, lanes, 4), lanes);
            sectors += distinct(of_turn, lanes, 32);
        }
        for (uint32_t k = 0; k < n; k++) {
            uint32_t earlier = 0;
            for (uint32_t j = 0; j < k; j++)
                earlier += at[j] == at[k];
            assert_int_equal(turn[k], earlier);
        }
        assert_int_equal(profiler_atomic_sectors(at, n), sectors);
    }
}

/* The most words of one bank among the lanes of MASK, which access WORDS words each. */
static uint32_t most_words_of_a_bank(const uint32_t *offset, uint32_t mask, uint32_t words)
{
    uint32_t most = 0;
    for (uint32_t bank = 0; bank < 32; bank++) {
        uint64_t in_bank[4 * SM_LANES];
        uint32_t count = 0;
        for (uint32_t l = 0; l < SM_LANES; l++)
            for (uint32_t j = 0; j < words && mask >> l & 1; j++)
                if ((offset[l] / 4 + j) % 32 == bank)
                    in_bank[count++] = offset[l] / 4 + j;
        count = distinct(in_bank, count, 1);
        most = count > most ? count : most;
    }
    return most;
}

/* The address of lane l is EACH * (l / LANES). */
static profiler_local_cost local_cost(uint32_t each, uint32_t lanes, uint32_t mask, uint32_t bytes)
{
    uint64_t offset[SM_LANES];
    for (uint32_t l = 0; l < SM_LANES; l++)
        offset[l] = (uint64_t)each * (l / lanes);
    return profiler_cost_of_local_request(offset, mask, bytes);
}

static void test_cost_of_local_requests(void **state)
{
    (void)state;
    static const struct {
        uint32_t each, lanes, mask, bytes;
        profiler_local_cost cost; /* sectors, lines, lines in part */
    } rows[] = {
        {4, 32, SM_FULL, 4, {4, 1, 0}},     /* one element for all lanes */
        {4, 8, SM_FULL, 4, {4, 4, 0}},      /* one element for a sector's lanes */
        {4, 4, SM_FULL, 4, {8, 8, 8}},      /* half a sector of each */
        {4, 1, SM_FULL, 4, {32, 32, 32}},   /* one lane of each */
        {4, 32, 0xffffff00u, 4, {3, 1, 0}}, /* three sectors whole */
        {4, 32, 0xfffffff0u, 4, {4, 1, 1}}, /* the first in part */
        {16, 32, SM_FULL, 16, {16, 4, 0}},  /* four words */
        {16, 16, SM_FULL, 16, {16, 8, 0}},  /* of two elements */
        {8, 1, 0x80000001u, 8, {4, 4, 4}},  /* two lanes far apart */
        {1, 32, SM_FULL, 1, {4, 1, 1}},     /* a byte of each word */
        {1, 1, SM_FULL, 1, {8, 8, 8}},      /* bytes 0 to 31: words 0 to 7 */
        {4, 32, 0, 4, {0, 0, 0}},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const profiler_local_cost got =
            local_cost(rows[k].each, rows[k].lanes, rows[k].mask, rows[k].bytes);
        assert_int_equal(got.sectors, rows[k].cost.sectors);
        assert_int_equal(got.lines, rows[k].cost.lines);
        assert_int_equal(got.part_lines, rows[k].cost.part_lines);
    }
}

static void test_wavefronts_of_shared_stores(void **state)
{
    (void)state;
    for (uint32_t r = 0; r < REQUESTS; r++) {
        const uint32_t bytes = 1u << random_below(5), words = bytes < 4 ? 1 : bytes / 4;
        const uint32_t mask = random_below(2) ? SM_FULL : random_below(UINT32_MAX) | 1;
        uint64_t at[SM_LANES];
        uint32_t offset[SM_LANES], wavefronts = 0, parts = 0;
        make_addresses(at, SM_LANES, bytes);
        for (uint32_t l = 0; l < SM_LANES; l++)
            offset[l] = (uint32_t)(at[l] % 65536);
        for (uint32_t part = 0; part < words; part++) {
            const uint32_t lanes = SM_LANES / words;
            const uint32_t in = mask & (uint32_t)(((UINT64_C(1) << lanes) - 1) << part * lanes);
            parts += in != 0;
            wavefronts += most_words_of_a_bank(offset, in, words);
        }
        const profiler_wavefront_cost p = profiler_shared_wavefronts(offset, mask, bytes, false);
        assert_int_equal(p.wavefronts, wavefronts);
        assert_int_equal(p.conflicts, wavefronts - parts);
    }
}

int main(void)
{
    random_state = 20;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cost_of_global_requests),
        cmocka_unit_test(test_atomic_requests_take_a_turn_per_lane_of_an_address),
        cmocka_unit_test(test_cost_of_local_requests),
        cmocka_unit_test(test_wavefronts_of_shared_stores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
