/* Runs a command and prints its wall-clock seconds, the CPU seconds of the command and all its
 * descendants, and the resident KiB of the largest of these processes. Processes that outlive their
 * parent are counted too, as happens in a bubblewrap sandbox.
 *
 *   cpu_seconds FILE COMMAND [ARGUMENT...]    writes the three numbers to FILE */
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double seconds_of_timeval(struct timeval t)
{
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

int main(int argc, char **argv)
{
    struct rusage all;
    int status, how = 1;
    double start = now();
    if (argc < 3) {
        fputs("usage: cpu_seconds FILE COMMAND [ARGUMENT...]\n", stderr);
        return 2;
    }
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t child = fork(), ended;
    if (child == 0) {
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    while ((ended = wait(&status)) > 0)
        if (ended == child)
            how = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    double wall = now() - start;
    getrusage(RUSAGE_CHILDREN, &all);
    FILE *f = fopen(argv[1], "w");
    if (!f ||
        fprintf(f, "%.3f %.3f %ld\n", wall,
                seconds_of_timeval(all.ru_utime) + seconds_of_timeval(all.ru_stime),
                all.ru_maxrss) < 0 ||
        fclose(f) != 0) {
        perror(argv[1]);
        return 2;
    }
    return how;
}
