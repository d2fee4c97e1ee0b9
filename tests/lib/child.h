/* Part of a unit test in a process of its own, for what a process has once, such as its device.
 * After cmocka.h. */
#ifndef TEST_CHILD_H
#define TEST_CHILD_H

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* assert_true for a child, in which cmocka's would go on with the parent's tests. */
#define EXPECT(what)                                                     \
    do {                                                                 \
        if (!(what)) {                                                   \
            fprintf(stderr, "line %d: %s is not so\n", __LINE__, #what); \
            _exit(1);                                                    \
        }                                                                \
    } while (0)

/* Run TEST in a child, which must not fail. */
static inline void in_child(void (*test)(void))
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
