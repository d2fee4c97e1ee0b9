/* Tests the pool of host threads shared by launches: each item of work is done once, calls overlap,
 * and the pool works in a child process after fork. */
#include "emulator/launch/threads.h"

#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "places.h"

enum { ITEMS = 1000, CALLS = 8 };

typedef struct pool_task {
    atomic_uint next;                  /* next item that is not taken yet */
    atomic_uint done[ITEMS];           /* how often each item was done */
    atomic_uint calls_by_index[CALLS]; /* how often each index was called */
} pool_task;

static void do_item(void *arg, uint32_t index)
{
    pool_task *t = arg;
    atomic_fetch_add(&t->calls_by_index[index], 1);
    for (uint32_t k; (k = atomic_fetch_add(&t->next, 1)) < ITEMS;)
        atomic_fetch_add(&t->done[k], 1);
}

static uint32_t count_wrong_items(uint32_t calls)
{
    static _Thread_local pool_task t;
    uint32_t bad = 0;
    t = (pool_task){0};
    launch_run_on_threads(calls, false, do_item, &t);
    for (uint32_t k = 0; k < ITEMS; k++)
        bad += t.done[k] != 1;
    for (uint32_t k = 0; k < CALLS; k++)
        bad += t.calls_by_index[k] > (k < calls);
    return bad + (t.calls_by_index[0] != 1);
}

static void each_item_is_done_once(void **state)
{
    (void)state;
    for (uint32_t calls = 1; calls <= CALLS; calls++)
        for (int turn = 0; turn < 50; turn++)
            assert_int_equal(count_wrong_items(calls), 0);
}

typedef struct sleep_task {
    bool wakes;        /* the first call wakes the threads and waits for the others */
    sem_t came;        /* posted by each other call */
    atomic_uint calls; /* number of calls */
} sleep_task;

static void wake_and_wait(void *arg, uint32_t index)
{
    sleep_task *t = arg;
    atomic_fetch_add(&t->calls, 1);
    if (index)
        sem_post(&t->came);
    if (index || !t->wakes)
        return;
    assert_int_equal(t->calls, 1);
    launch_wake_threads(t);
    for (int k = 1; k < CALLS; k++)
        while (sem_wait(&t->came)) {
        }
}

static void threads_sleep_until_they_are_woken(void **state)
{
    (void)state;
    alarm(300); /* threads that never come would hang the test */
    for (int turn = 0; turn < 100; turn++) {
        for (int wakes = 0; wakes <= 1; wakes++) {
            sleep_task t = {.wakes = wakes};
            assert_int_equal(sem_init(&t.came, 0, 0), 0);
            launch_run_on_threads(CALLS, true, wake_and_wait, &t);
            assert_int_equal(t.calls, wakes ? CALLS : 1);
            sem_destroy(&t.came);
        }
    }
    alarm(0);
}

static void *launch_thread(void *arg)
{
    uint32_t *bad = arg;
    for (int turn = 0; turn < 100; turn++)
        *bad += count_wrong_items(4);
    return NULL;
}

static void test_calls_overlap(void **state)
{
    (void)state;
    pthread_t thread[4];
    uint32_t bad[4] = {0};
    for (int k = 0; k < 4; k++)
        assert_int_equal(pthread_create(&thread[k], NULL, launch_thread, &bad[k]), 0);
    for (int k = 0; k < 4; k++) {
        pthread_join(thread[k], NULL);
        assert_int_equal(bad[k], 0);
    }
}

static void the_pool_works_in_a_child_process(void **state)
{
    (void)state;
    skip_if(under_emulated_processor()); /* qemu ends where a process with threads forks */
    assert_int_equal(count_wrong_items(4), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(30);
        _exit(count_wrong_items(4) != 0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(count_wrong_items(4), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_item_is_done_once),
                                       cmocka_unit_test(threads_sleep_until_they_are_woken),
                                       cmocka_unit_test(test_calls_overlap),
                                       cmocka_unit_test(the_pool_works_in_a_child_process)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
