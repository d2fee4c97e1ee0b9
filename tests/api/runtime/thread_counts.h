// Runs a test in separate processes, in which 1, 2 and 4 host threads execute kernels.
#ifndef THREAD_COUNTS_H
#define THREAD_COUNTS_H

#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

// Run TEST, which returns 0 on success, with each number of threads; return 0 if all runs succeed.
static int with_thread_counts(int (*test)())
{
    int bad = 0;
    for (const char *threads : {"1", "2", "4"}) {
        const pid_t child = fork();
        if (child == 0) {
            setenv("WARPBOOK_THREADS", threads, 1);
            alarm(100);
            exit(test());
        }
        int status = 1;
        waitpid(child, &status, 0);
        if (status) {
            fprintf(stderr, "with %s threads: status %d\n", threads, status);
            bad = 1;
        }
    }
    return bad;
}

#endif
