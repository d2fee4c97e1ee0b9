// Run a test in processes of its own, with 1, 2 and 4 host threads for kernels.
#ifndef THREAD_COUNTS_H
#define THREAD_COUNTS_H

#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

// TEST returns 0 when all is well. Returns 0 if it does with every number of threads.
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
