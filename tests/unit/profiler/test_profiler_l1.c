/* Tests the modelled L1 (profiler/l1) against one that keeps whole numbers of lines: its lines hold
 * only a part of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "emulator/profiler/l1.h"

enum {
    LAUNCHES = 3 * L1_GENERATIONS, /* so that generations begin anew */
    ACCESSES = 3000,               /* of a launch */
    SETS = 4                       /* sets of L1 that are accessed: so few that lines leave them */
};

static uint64_t random_state = 34;

static uint32_t random_below(uint32_t n)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 33) % n;
}

/* [set][way] the whole number of a line, and its sectors (0: none); most recently used first */
typedef struct whole_lines {
    uint64_t line[L1_SETS][L1_WAYS];
    uint32_t sectors[L1_SETS][L1_WAYS];
} whole_lines;

/* Load SECTORS of LINE; returns those that were missing. */
static uint32_t load_whole_line(whole_lines *l, uint32_t ways, uint64_t line, uint32_t sectors)
{
    uint64_t *at = l->line[l1_set_of_line(line)];
    uint32_t *had = l->sectors[l1_set_of_line(line)], way = 0;
    while (way < ways - 1 && !(had[way] && at[way] == line))
        way++;
    const uint32_t old = had[way] && at[way] == line ? had[way] : 0;
    memmove(at + 1, at, way * sizeof *at);
    memmove(had + 1, had, way * sizeof *had);
    at[0] = line;
    had[0] = old | sectors;
    return sectors & ~old;
}

/* A line of one of four sets, in the same places of several regions of 4 GB. */
static uint64_t random_line(void)
{
    static const uint64_t regions[] = {0, 1, 2, 0x3800, 0x7fff};
    const uint64_t line = regions[random_below(5)] << L1_REGION_SHIFT | (uint64_t)random_below(6)
                                                                            << 8;
    const uint32_t set = random_below(SETS) * 64;
    return line ^ l1_set_of_line(line) ^ set;
}

static void test_lines_are_told_apart(void **state)
{
    (void)state;
    for (uint32_t launch = 0; launch < LAUNCHES; launch++) {
        const uint32_t ways = 1 + random_below(L1_WAYS);
        struct l1_sms *sms = l1_sms_create(1 + launch % 2, 2, ways * (uint64_t)L1_WAY_BYTES);
        assert_non_null(sms);
        struct l1_model *l1 = l1_model_of(l1_slot_for_block(sms, launch % 2));
        static whole_lines expected; /* a launch begins with empty caches */
        memset(&expected, 0, sizeof expected);
        for (uint32_t n = 0; n < ACCESSES; n++) {
            const uint64_t line = random_line();
            const uint32_t sectors = 1 + random_below(15),
                           missing = load_whole_line(&expected, ways, line, sectors);
            assert_int_equal(l1_would_miss(l1, line, sectors), missing);
            assert_int_equal(l1_missing_sectors(l1, line, sectors), missing);
        }
        l1_sms_release(sms);
    }
}

/* Look up N random lines of region 1 together: as many as a warp's request may begin in. */
static void look_up_together(struct l1_model *l1, whole_lines *expected, uint32_t ways, uint32_t n)
{
    uint32_t set[32], first[32];
    uint8_t sectors[32], missing[32];
    for (uint32_t k = 0; k < n; k++) {
        const uint64_t line = UINT64_C(1) << L1_REGION_SHIFT | random_below(SETS * 16) % 64 * 257;
        sectors[k] = (uint8_t)(1 + random_below(15));
        missing[k] = (uint8_t)load_whole_line(expected, ways, line, sectors[k]);
        set[k] = l1_set_of_line(line);
        first[k] = l1_line_key(l1, line) | sectors[k];
    }
    l1_look_up_lines(l1, n, set, first, sectors);
    assert_memory_equal(sectors, missing, n);
}

static void test_lines_are_looked_up_together(void **state)
{
    (void)state;
    for (uint32_t launch = 0; launch < LAUNCHES; launch++) {
        const uint32_t ways = 1 + random_below(L1_WAYS);
        struct l1_sms *sms = l1_sms_create(1, 1, ways * (uint64_t)L1_WAY_BYTES);
        assert_non_null(sms);
        struct l1_model *l1 = l1_model_of(l1_slot_for_block(sms, 0));
        static whole_lines expected;
        memset(&expected, 0, sizeof expected);
        for (uint32_t n = 0; n < ACCESSES; n += 32)
            look_up_together(l1, &expected, ways, 1 + random_below(32));
        l1_sms_release(sms);
    }
}

static void test_line_is_forgotten_however_many_launches_follow(void **state)
{
    (void)state;
    for (uint32_t launch = 0; launch < LAUNCHES; launch++) {
        struct l1_sms *sms = l1_sms_create(1, 1, L1_WAY_BYTES);
        assert_non_null(sms);
        struct l1_model *l1 = l1_model_of(l1_slot_for_block(sms, 0));
        /* a set for each number of launches between two that look at it */
        for (uint64_t every = 1; every < LAUNCHES; every++)
            if (launch % every == 0)
                assert_int_equal(l1_missing_sectors(l1, every, 3), 3);
        l1_sms_release(sms);
    }
}

static void test_block_of_its_own_begins_empty(void **state)
{
    (void)state;
    struct l1_model *l1 = profiler_l1_new();
    assert_non_null(l1);
    for (uint32_t block = 0; block < LAUNCHES; block++) {
        assert_int_equal(l1_missing_sectors(l1, 77, 6), 6);
        assert_int_equal(l1_missing_sectors(l1, 77, 15), 9);
        assert_int_equal(l1_const_miss(l1, 64), 2);
        assert_int_equal(l1_const_miss(l1, 64), 0);
        profiler_l1_empty(l1);
    }
    profiler_l1_free(l1);
}

static void test_more_regions_than_have_numbers(void **state)
{
    (void)state;
    struct l1_model *l1 = profiler_l1_new();
    assert_non_null(l1);
    for (uint64_t region = 0; region < 3 * L1_REGIONS; region++) {
        const uint64_t line = region << L1_REGION_SHIFT | region % L1_REGIONS;
        assert_int_equal(l1_missing_sectors(l1, line, 15), 15);
        assert_int_equal(l1_missing_sectors(l1, line, 15), 0);
    }
    profiler_l1_free(l1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_are_told_apart),
        cmocka_unit_test(test_lines_are_looked_up_together),
        cmocka_unit_test(test_line_is_forgotten_however_many_launches_follow),
        cmocka_unit_test(test_block_of_its_own_begins_empty),
        cmocka_unit_test(test_more_regions_than_have_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
