/* Runs part of a unit test in a child process, for state that a process has only once, such as its
 * device. Include after cmocka.h. */
#ifndef TEST_CHILD_H
#define TEST_CHILD_H

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Like assert_true, for a child process: a failing cmocka assertion in the child would continue
 * with the parent's tests. */
#define EXPECT(what)                                                    \
    do {                                                                \
        if (!(what)) {                                                  \
            fprintf(stderr, "line %d: %s is false\n", __LINE__, #what); \
            _exit(1);                                                   \
        }                                                               \
    } while (0)

/* Run TEST in a child process and fail if the child fails. */
static inline void run_test_in_child(void (*test)(void))
{
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        test();
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

#endif
