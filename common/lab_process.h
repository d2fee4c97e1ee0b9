/* Jobs that a lab does in a process of their own: what goes wrong there does not reach the lab.
 * Include it after lab.h. */
#ifndef WARPBOOK_LAB_PROCESS_H
#define WARPBOOK_LAB_PROCESS_H

#include <fcntl.h>
#include <sys/wait.h>

#include "lab_base.h"

/* The job that this process is for, from 1; 0: it is the lab itself. To be asked before the first
 * CUDA call, for the process ends with the job. */
static inline int lab_job(void)
{
    return (int)lab_environment("WARPBOOK_JOB", 0, 1, 1000);
}

/* In the new process: become this program, with JOB alone of all variables WARPBOOK_..., so that
 * nothing is added to the lab's record and reports. */
[[noreturn]] static inline void lab_become(int job, int answer)
{
    static char number[32];
    char *env[1024] = {};
    int count = 0;
    for (char **e = environ; *e && count < 1000; e++)
        if (strncmp(*e, "WARPBOOK_", 9) != 0 || strncmp(*e, "WARPBOOK_PROFILE=", 17) == 0)
            env[count++] = *e;
    snprintf(number, sizeof number, "WARPBOOK_JOB=%d", job);
    env[count] = number;
    dup2(answer, STDOUT_FILENO);
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
    char *argv[] = {program_invocation_name, NULL};
    execve("/proc/self/exe", argv, env);
    _exit(127);
}

/* Whether processes can be started here; where not, as in a sandbox, it says that WHAT is left out. */
static inline bool lab_processes(const char *what)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    if (child > 0)
        return waitpid(child, NULL, 0) == child;
    printf("  %s is not checked: no process can be started here (%s).\n", what, strerror(errno));
    return false;
}

/* Do JOB in a process of its own: this program again, where lab_job() is JOB. What it prints comes
 * to ANSWER, of SIZE bytes, as text; its messages are lost. False: it did not end with 0. */
static inline bool lab_apart(int job, char *answer, size_t size)
{
    int ends[2], status = 1;
    size_t used = 0;
    ssize_t n;
    fflush(NULL);
    answer[0] = '\0';
    if (pipe(ends) != 0)
        return false;
    pid_t child = fork();
    if (child == 0)
        lab_become(job, ends[1]);
    close(ends[1]);
    while (child > 0 && used + 1 < size && (n = read(ends[0], answer + used, size - used - 1)) > 0)
        used += (size_t)n;
    answer[used] = '\0';
    close(ends[0]);
    if (child < 0)
        lab_fail("no process can be started: %s", strerror(errno));
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

#endif
