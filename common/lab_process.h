/* Runs parts of a lab in separate processes, so that their errors do not affect the lab. Include it
 * after lab.h: a lab with this line is graded in a sandbox that lets it start processes. */
#ifndef WARPBOOK_LAB_PROCESS_H
#define WARPBOOK_LAB_PROCESS_H

#include <fcntl.h>
#include <sys/wait.h>

#include "lab_base.h"

/* The number of the job that this process runs, from 1; 0: it runs the lab itself. Call it before
 * the first CUDA call, because the process ends with the job. */
static inline int lab_job(void)
{
    return (int)lab_env_number("WARPBOOK_JOB", 0, 1, 1000);
}

/* In the new process: execute this program again, with JOB as the only WARPBOOK_ variable except
 * WARPBOOK_PROFILE, so that nothing is added to the lab's record and reports. */
[[noreturn]] static inline void lab_restart_as_job(int job, int answer)
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

/* Run this program again in a new process in which lab_job() is JOB. Its standard output is stored
 * in ANSWER, SIZE bytes, as text; its standard error is lost. False: its exit code is not 0. */
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
        lab_restart_as_job(job, ends[1]);
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
