/* Tests the distribution of blocks to host threads: each block runs once, blocks of one SM run in
 * order and one at a time, and no thread spins while it waits for another. */
#include "emulator/profiler/handout.h"
#include "sm_kernel.h"

#include <sched.h>
#include <stdatomic.h>

/* Counts the emulator's calls of sched_yield, which this file replaces. */
static atomic_uint yield_count;

int sched_yield(void)
{
    atomic_fetch_add(&yield_count, 1);
    return 0;
}

/* Each block reads 32 words of a common table and writes its own byte: ThreadSanitizer would report
 * two blocks that write to the same address. */
static const char LOAD_KERNEL[] =
    ".visible .entry k(.param .u64 p, .param .u64 n) {\n"
    ".reg .b64 %d<4>; .reg .b32 %r<6>;\n"
    "ld.param.u64 %d0, [p];\n"
    "mov.u32 %r0, %ctaid.x; mov.u32 %r1, %tid.x;\n"
    "and.b32 %r2, %r0, 255; shl.b32 %r2, %r2, 7; mad.lo.u32 %r2, %r1, 4, %r2;\n"
    "cvt.u64.u32 %d1, %r2; add.u64 %d1, %d0, %d1;\n"
    "ld.global.u32 %r3, [%d1];\n"
    "cvt.u64.u32 %d2, %r0; add.u64 %d2, %d0, %d2;\n"
    "st.global.u8 [%d2+32768], %r3;\n"
    "ret; }\n";

static counters count_run(uint32_t workers, uint32_t blocks)
{
    kernel_run run = {0};
    const sm_launch shape = {.grid = {blocks, 1, 1},
                             .block = {32, 1, 1},
                             .workers = workers,
                             .sm_count = 12,
                             .l1_bytes = 64 << 10};
    assert_true(run_grid(&run, LOAD_KERNEL, &shape, NULL, 0));
    const counters c = run.result.total;
    free_kernel_run(&run);
    return c;
}

/* If host threads waited for blocks of other threads by spinning, they would call sched_yield
 * thousands of times here. */
static void test_no_thread_spins(void **state)
{
    (void)state;
    const counters one = count_run(1, 20000);
    for (uint32_t workers = 2; workers <= 8; workers++) {
        const counters many = count_run(workers, 20000);
        assert_memory_equal(&one, &many, sizeof one);
    }
    assert_int_equal(atomic_load(&yield_count), 0);
}

enum { CLUSTERS = 5000, SMS = 12, HOST_THREADS = 8 };

typedef struct distribution_test {
    profiler_block_distribution h; /* hands out the clusters to the threads */
    atomic_uint times[CLUSTERS];   /* how often each cluster was handed out */
    atomic_uint ended[SMS];        /* number of clusters of each SM that have ended */
    uint64_t
        give_back_each; /* threads give back the rest of a piece after each of so many clusters */
    atomic_uint wrong;  /* clusters handed out before an earlier one of their SM had ended */
} distribution_test;

static void *run_all_clusters(void *arg)
{
    distribution_test *a = arg;
    profiler_grid_piece bite = {0};
    for (uint64_t c; profiler_next_cluster(&a->h, &bite, &c);) {
        atomic_fetch_add(&a->times[c], 1);
        atomic_fetch_add(&a->wrong, atomic_load(&a->ended[c % SMS]) != c / SMS);
        atomic_fetch_add(&a->ended[c % SMS], 1);
        if (a->give_back_each && c % a->give_back_each == 0)
            profiler_give_back(&a->h, &bite);
    }
    return NULL;
}

/* For any scheduling of the threads, each cluster begins once, after all earlier clusters of its SM
 * have ended. */
static void each_once_and_in_order(void **state)
{
    (void)state;
    static distribution_test a;
    for (uint32_t count = 1; count <= HOST_THREADS; count++) {
        for (uint64_t way = 0; way < 6; way++) {
            memset(&a, 0, sizeof a);
            a.give_back_each = way / 2 * 7;
            assert_true(profiler_open_distribution(&a.h, CLUSTERS, SMS, count, way % 2));
            pthread_t thread[HOST_THREADS];
            for (uint32_t k = 0; k < count; k++)
                assert_int_equal(pthread_create(&thread[k], NULL, run_all_clusters, &a), 0);
            for (uint32_t k = 0; k < count; k++)
                pthread_join(thread[k], NULL);
            profiler_close_distribution(&a.h);
            assert_int_equal(atomic_load(&a.wrong), 0);
            for (uint32_t c = 0; c < CLUSTERS; c++)
                assert_int_equal(atomic_load(&a.times[c]), 1);
        }
    }
}

/* A single thread takes the clusters in the order of the grid. */
static void one_thread_keeps_the_order(void **state)
{
    (void)state;
    profiler_block_distribution h;
    profiler_grid_piece bite = {0};
    uint64_t c, expected = 0;
    assert_true(profiler_open_distribution(&h, CLUSTERS, SMS, 1, false));
    while (profiler_next_cluster(&h, &bite, &c))
        assert_int_equal(c, expected++);
    assert_int_equal(expected, CLUSTERS);
    profiler_close_distribution(&h);
}

/* A thread that gets no processor core delays only the SMs that it has taken. */
static void a_slow_thread_delays_few_sms(void **state)
{
    (void)state;
    profiler_block_distribution h;
    profiler_grid_piece slow = {0}, fast = {0};
    uint64_t c, taken = 0;
    assert_true(profiler_open_distribution(&h, CLUSTERS, SMS, 2, false));
    assert_true(profiler_next_cluster(&h, &slow, &c));
    while (profiler_next_cluster(&h, &fast, &c))
        taken++;
    assert_true(taken >= CLUSTERS / 8 * 7);
    profiler_close_distribution(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_thread_spins),
                                       cmocka_unit_test(each_once_and_in_order),
                                       cmocka_unit_test(one_thread_keeps_the_order),
                                       cmocka_unit_test(a_slow_thread_delays_few_sms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
