/* Tests whether a launch goes on with one host thread where that is as fast as all (launch/trial),
 * with threads whose clocks are made up, and that real ones change no result. */
#include "emulator/compile/program.h"
#include "emulator/exec/level.h"
#include "emulator/launch/launch.h"
#include "emulator/launch/trial.h"
#include "emulator/memory/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { THREADS = 3, CLUSTERS = 20000, CLUSTER_WORK = 100, CLUSTER_NS = 10000 };

/* A launch in which each cluster takes CLUSTER_NS on a thread that runs alone. */
typedef struct story {
    uint32_t threads;               /* number of threads */
    uint64_t clusters;              /* of the grid */
    uint64_t together_ns, later_ns; /* CPU time of a cluster beside other threads, in the first half
                                       of the grid and in the second one */
    uint64_t crowded, crowded_ns; /* number of clusters at the beginning that take this time beside
                                     other threads */
    uint64_t slow_at, slow_ns;    /* this cluster takes this time; 0: none */
    uint64_t taken[THREADS], looked; /* clusters that each thread has taken; times it looked */
    uint64_t first_half[THREADS];    /* clusters that each has taken in the first half */
} story;

typedef struct made_up_thread {
    uint64_t now, work; /* its time, and its work */
    uint32_t epoch;     /* the phase in which it pauses */
    bool pauses;
} made_up_thread;

static int next_thread(const story *s, const made_up_thread *of, const launch_trial *t)
{
    int next = -1;
    for (uint32_t k = 0; k < s->threads; k++) {
        const bool waits = of[k].pauses && of[k].epoch == t->epoch;
        if (!waits && (next < 0 || of[k].now < of[next].now))
            next = (int)k;
    }
    return next;
}

static uint64_t cluster_ns(const story *s, const made_up_thread *of, uint64_t cluster)
{
    uint32_t run = 0;
    for (uint32_t k = 0; k < s->threads; k++)
        run += !of[k].pauses;
    if (s->slow_at && cluster == s->slow_at)
        return s->slow_ns;
    return run == 1                    ? CLUSTER_NS
           : cluster < s->crowded      ? s->crowded_ns
           : cluster < s->clusters / 2 ? s->together_ns
                                       : s->later_ns;
}

static void tell(story *s, sm_threads_habit *habit)
{
    launch_trial t;
    made_up_thread of[THREADS] = {0};
    s->later_ns = s->later_ns ? s->later_ns : s->together_ns;
    launch_trial_begin(&t, habit, s->threads, s->clusters);
    for (uint64_t cluster = 0; cluster < s->clusters; cluster++) {
        int k;
        do {
            k = next_thread(s, of, &t);
            assert_true(k >= 0);
            of[k].pauses = false;
            if (!launch_trial_looks(&t, (uint32_t)k, s->taken[k]))
                break;
            s->looked++;
            of[k].pauses = !launch_trial_pass(&t, (uint32_t)k, of[k].work, of[k].now);
            of[k].epoch = t.epoch;
            /* a thread that wakes later is at the time of those that ran */
            for (uint32_t n = 0; n < s->threads; n++)
                if (of[n].pauses && of[n].now < of[0].now)
                    of[n].now = of[0].now;
        } while (of[k].pauses);
        s->taken[k]++;
        s->first_half[k] += cluster < s->clusters / 2;
        of[k].now += cluster_ns(s, of, cluster);
        of[k].work += CLUSTER_WORK;
    }
    launch_trial_stop(&t);
    assert_int_equal(t.phase, LAUNCH_TRIAL_OFF);
    launch_trial_end(&t);
}

static uint64_t taken_by_others(const story *s)
{
    return s->taken[1] + s->taken[2];
}

static void all_go_on_where_they_gain(void **state)
{
    (void)state;
    for (uint32_t threads = 2; threads <= THREADS; threads++) {
        sm_threads_habit habit = {0};
        story s = {.threads = threads, .clusters = CLUSTERS, .together_ns = CLUSTER_NS * 3 / 2};
        tell(&s, &habit);
        assert_false(habit.alone);
        assert_int_equal(habit.left, habit.skipped);
        assert_true(habit.left > 0);
        assert_true(taken_by_others(&s) > (CLUSTERS - CLUSTERS / threads) * 95 / 100);
        assert_true(s.looked < CLUSTERS / 20);
    }
}

static void one_goes_on_where_it_is_as_fast(void **state)
{
    (void)state;
    for (uint32_t threads = 2; threads <= THREADS; threads++) {
        for (uint32_t times = threads; times <= threads + 3; times++) {
            sm_threads_habit habit = {0};
            story s = {.threads = threads, .clusters = CLUSTERS, .together_ns = times * CLUSTER_NS};
            tell(&s, &habit);
            assert_true(habit.alone);
            assert_true(taken_by_others(&s) < CLUSTERS / 20);
            assert_true(taken_by_others(&s) > 0);
        }
    }
}

/* A launch does what the last one has found, and every few launches it is tried again. */
static void later_launches_know(void **state)
{
    (void)state;
    sm_threads_habit habit = {0};
    uint32_t launches[LAUNCH_TRIAL_MOST_LAUNCHES * 4] = {0}, tried = 0, total = 0;
    for (; total < sizeof launches / sizeof *launches; total++) {
        story s = {.threads = 2, .clusters = 400, .together_ns = 3 * CLUSTER_NS};
        tell(&s, &habit);
        assert_true(habit.alone);
        if (s.taken[1])
            launches[tried++] = total;
    }
    const uint32_t expected[] = {0, 2, 6, 14, 30, 62, 126, 190};
    assert_int_equal(tried, sizeof expected / sizeof *expected);
    assert_memory_equal(launches, expected, sizeof expected);
    for (uint32_t k = 0; k <= LAUNCH_TRIAL_MOST_LAUNCHES; k++) {
        story s = {.threads = 2, .clusters = 400, .together_ns = CLUSTER_NS};
        tell(&s, &habit);
    }
    assert_false(habit.alone);
}

/* Half of a long launch's grid updates few words, the other half many. */
static void a_long_launch_is_tried_again(void **state)
{
    (void)state;
    sm_threads_habit habit = {0};
    story s = {.threads = 2,
               .clusters = 10 * CLUSTERS,
               .together_ns = 3 * CLUSTER_NS,
               .later_ns = CLUSTER_NS};
    tell(&s, &habit);
    assert_false(habit.alone);
    assert_true(s.first_half[1] < s.clusters / 20);
    assert_true(s.taken[1] - s.first_half[1] > s.clusters / 10);
    s = (story){.threads = 2,
                .clusters = 10 * CLUSTERS,
                .together_ns = CLUSTER_NS,
                .later_ns = 3 * CLUSTER_NS};
    habit = (sm_threads_habit){0};
    tell(&s, &habit);
    assert_true(habit.alone);
    assert_true(s.first_half[1] > s.clusters / 5);
    assert_true(s.taken[1] - s.first_half[1] < s.clusters / 4);
}

/* A cluster that something else has made slow decides nothing, wherever it comes. */
static void one_slow_cluster_decides_nothing(void **state)
{
    (void)state;
    for (uint64_t slow_at = 1; slow_at < 60; slow_at++) {
        sm_threads_habit habit = {0};
        story s = {.threads = 2,
                   .clusters = 4000,
                   .together_ns = 3 * CLUSTER_NS,
                   .slow_at = slow_at,
                   .slow_ns = 20 * CLUSTER_NS};
        tell(&s, &habit);
        assert_true(habit.alone);
        assert_true(s.taken[1] < 400);
        habit = (sm_threads_habit){0};
        s = (story){.threads = 2,
                    .clusters = 4000,
                    .together_ns = CLUSTER_NS,
                    .slow_at = slow_at,
                    .slow_ns = 20 * CLUSTER_NS};
        tell(&s, &habit);
        assert_false(habit.alone);
        assert_true(s.taken[1] > 1600);
        habit = (sm_threads_habit){.alone = true}; /* of launches before */
        s = (story){.threads = 2,
                    .clusters = 400,
                    .together_ns = 3 * CLUSTER_NS,
                    .slow_at = slow_at,
                    .slow_ns = 8 * CLUSTER_NS};
        tell(&s, &habit);
        assert_true(habit.alone);
    }
}

/* The first clusters update the same words, the others do not: one trial that all threads lose is
 * not enough. */
static void a_crowded_beginning_decides_nothing(void **state)
{
    (void)state;
    for (uint64_t crowded = 4; crowded < 12; crowded++) {
        sm_threads_habit habit = {0};
        story s = {.threads = 2,
                   .clusters = 400,
                   .crowded = crowded,
                   .crowded_ns = 6 * CLUSTER_NS,
                   .together_ns = CLUSTER_NS};
        tell(&s, &habit);
        assert_false(habit.alone);
        assert_true(s.taken[1] > 150);
    }
}

/* Small grids are not tried, and in a grid that ends soon no thread pauses. */
static void short_launches_run_on_all(void **state)
{
    (void)state;
    for (uint64_t clusters = 1; clusters < 90; clusters++) {
        sm_threads_habit habit = {0};
        const bool tried = clusters >= LAUNCH_TRIAL_LEAST_CLUSTERS;
        story s = {.threads = 2, .clusters = clusters, .together_ns = tried ? 9999 : 30000};
        tell(&s, &habit);
        assert_int_equal(s.looked > 0, tried);
        assert_true(s.taken[1] >= clusters / 2);
    }
    story s = {.threads = 2, .clusters = CLUSTERS, .together_ns = 3 * CLUSTER_NS};
    tell(&s, NULL);
    assert_true(s.looked == 0 && s.taken[1] == CLUSTERS / 2);
}

/* A thread that never comes is not waited for, and the trial is not made for ever. */
static void a_missing_thread_ends_the_trial(void **state)
{
    (void)state;
    sm_threads_habit habit = {0};
    launch_trial t;
    launch_trial_begin(&t, &habit, 2, 1000000);
    uint64_t looked = 0;
    for (uint64_t taken = 0; taken < 100000; taken++) {
        if (launch_trial_looks(&t, 0, taken)) {
            looked++;
            assert_true(launch_trial_pass(&t, 0, taken * CLUSTER_WORK, taken * 20));
        }
    }
    assert_int_equal(t.phase, LAUNCH_TRIAL_REST);
    assert_true(looked < 5000);
    launch_trial_end(&t);
}

static void *pause_and_run(void *trial)
{
    while (!launch_trial_pass(trial, 1, 0, 0))
        launch_trial_pause(trial, 1);
    return NULL;
}

/* A thread that pauses goes on when the first one waits or ends, or takes no cluster. */
static void pauses_end(void **state)
{
    (void)state;
    alarm(300); /* a pause without end would hang the test */
    for (int stops = 0; stops < 2; stops++) {
        sm_threads_habit habit = {.alone = true, .left = 1};
        launch_trial t;
        pthread_t other;
        launch_trial_begin(&t, &habit, 2, 1000);
        assert_true(launch_trial_pass(&t, 0, 0, 0));
        assert_int_equal(pthread_create(&other, NULL, pause_and_run, &t), 0);
        if (stops)
            launch_trial_stop(&t);
        pthread_join(other, NULL);
        assert_int_equal(t.phase, LAUNCH_TRIAL_OFF);
        launch_trial_end(&t);
    }
    alarm(0);
}

/* All threads of all blocks add to 32 words. */
static const char ADD_KERNEL[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                                 ".visible .entry k(.param .u64 p) {\n"
                                 ".reg .b64 %d<3>; .reg .b32 %r<3>;\n"
                                 "ld.param.u64 %d0, [p];\n"
                                 "mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 31;\n"
                                 "mul.wide.u32 %d1, %r1, 64; add.u64 %d0, %d0, %d1;\n"
                                 "red.global.add.u32 [%d0], %r0;\n"
                                 "red.global.max.u32 [%d0+4], %r0;\n"
                                 "ret; }\n";

static counters count_additions(sm_program *p, const ptx_func *kernel, uint32_t workers)
{
    enum { BLOCKS = 6000, BYTES = 32 * 64 };
    const uint64_t words = mem_alloc(BYTES, 256, MEM_DEVICE, NULL);
    uint8_t *at = mem_host_pointer(words, BYTES);
    memset(at, 0, BYTES);
    const sm_launch launch = {.kernel = kernel,
                              .params = &words,
                              .grid = {BLOCKS, 1, 1},
                              .block = {64, 1, 1},
                              .workers = workers,
                              .sm_count = 13,
                              .l1_bytes = 64 << 10,
                              .l2_slices = 4,
                              .clock_mhz = 1000};
    sm_result result;
    assert_true(launch_run(p, &launch, &result));
    for (uint32_t l = 0; l < 32; l++) {
        const uint32_t *word = (const uint32_t *)(at + (size_t)64 * l);
        assert_int_equal(word[0], BLOCKS * (2 * l + 32));
        assert_int_equal(word[1], l + 32);
    }
    const counters c = result.total;
    launch_result_clear(&result);
    mem_free_range(words);
    return c;
}

/* Whatever launches have found, and if they begin with one thread or with all. */
static void threads_change_no_result(void **state)
{
    (void)state;
    ptx_error error;
    ptx_module *m = ptx_parse(ADD_KERNEL, sizeof ADD_KERNEL - 1, &error);
    assert_non_null(m);
    assert_true(mem_reserve_window(UINT64_C(1) << 34));
    static const uint64_t none[1];
    sm_program *p = compile_load_program(m, none, NULL, exec_handlers());
    assert_non_null(p);
    const ptx_func *kernel = ptx_find_func(m, "k");
    sm_fault fault;
    sm_threads_habit *habit = compile_kernel_unit(p, kernel, &fault)->habit;
    const counters one = count_additions(p, kernel, 1);
    for (uint32_t workers = 2; workers <= 4; workers++) {
        for (uint32_t left = 0; left < 2; left++) {
            for (int alone = 0; alone < 2; alone++) {
                for (int turn = 0; turn < 3; turn++) {
                    habit[1] = (sm_threads_habit){.alone = alone, .left = left};
                    const counters many = count_additions(p, kernel, workers);
                    assert_memory_equal(&one, &many, sizeof one);
                    assert_int_equal(habit[0].skipped, 0);
                }
            }
        }
    }
    compile_unload_program(p);
    ptx_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_go_on_where_they_gain),
                                       cmocka_unit_test(one_goes_on_where_it_is_as_fast),
                                       cmocka_unit_test(later_launches_know),
                                       cmocka_unit_test(a_long_launch_is_tried_again),
                                       cmocka_unit_test(one_slow_cluster_decides_nothing),
                                       cmocka_unit_test(a_crowded_beginning_decides_nothing),
                                       cmocka_unit_test(short_launches_run_on_all),
                                       cmocka_unit_test(a_missing_thread_ends_the_trial),
                                       cmocka_unit_test(pauses_end),
                                       cmocka_unit_test(threads_change_no_result)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
