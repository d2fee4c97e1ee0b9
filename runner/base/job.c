#include "job.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    DEFAULT_OUTPUT_BYTES = 1 << 20, /* bytes of a job's output that are kept */
    MAX_JOBS = 16,                  /* jobs that run at the same time, at most */
    FIRST_CLOSED_FD = 16,           /* in a job, descriptors from this one on are closed */
};

struct job {
    pid_t pid;                        /* process id of the job */
    int fd;                           /* pipe with the job's output; -1: closed */
    sb output;                        /* what the job has printed so far */
    size_t cap;                       /* longest output in bytes; a job that prints more is ended */
    double start;                     /* time of the start, by monotonic_s */
    double kill_at;                   /* time at which SIGKILL follows SIGTERM */
    double limit;                     /* time limit in seconds */
    bool reaped, done, asked_to_stop; /* waitpid returned it; the job is over; SIGTERM was sent */
    bool timed_out, flooded, cancelled; /* ended by its time limit; its output; job_cancel */
    int status;                         /* exit status of the process, as waitpid returned it */
    int start_error;                    /* errno of fork or exec */
};

/* Process groups to kill when the runner dies. Only the main program writes this array. */
static volatile sig_atomic_t job_groups[MAX_JOBS]; /* process group of each job; 0: unused */

const char *job_limit_words(int limit)
{
    switch (limit) {
    case JOB_LIMIT_MEMORY: return "more memory than a submission may use";
    case JOB_LIMIT_FILES: return "more files than a submission may create";
    case JOB_LIMIT_THREADS: return "more threads or processes than a submission may start";
    }
    return "more resources than a submission may use";
}

double monotonic_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void job_kill_all(void)
{
    for (int i = 0; i < MAX_JOBS; i++)
        if (job_groups[i] > 0)
            kill(-(pid_t)job_groups[i], SIGKILL);
}

static void replace_in_job_groups(pid_t from, pid_t to)
{
    for (int i = 0; i < MAX_JOBS; i++)
        if (job_groups[i] == (sig_atomic_t)from) {
            job_groups[i] = (sig_atomic_t)to;
            return;
        }
}

/* Exec the job's program in the child process. If that fails, write errno to the pipe ERRORS, which
 * a successful exec closes, and exit. */
static void exec_program(const job_spec *spec, int out, int errors, pid_t parent)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int null = open("/dev/null", O_RDONLY);
    if (getppid() == parent && null >= 0 && dup2(null, 0) >= 0 && dup2(out, 1) >= 0 &&
        dup2(out, 2) >= 0 && (!spec->dir || chdir(spec->dir) == 0)) {
        for (int sig = 1; sig < NSIG; sig++)
            signal(sig, SIG_DFL);
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        for (const char *const *e = spec->env; e && *e; e++)
            if (strchr(*e, '='))
                putenv(without_const(*e));
            else
                unsetenv(*e);
        if (spec->prepare) {
            errors = fcntl(errors, F_DUPFD_CLOEXEC, FIRST_CLOSED_FD);
            spec->prepare(spec->object);
        }
        execv(spec->argv[0], without_const(spec->argv));
    }
    int why = errno;
    if (write(errors, &why, sizeof why) < 0)
        _exit(126);
    _exit(127);
}

job *job_start(const job_spec *spec)
{
    job *j = xmalloc(sizeof *j);
    *j = (job){.fd = -1, .pid = -1};
    j->cap = spec->output_cap ? spec->output_cap : DEFAULT_OUTPUT_BYTES;
    j->limit = spec->limit_s;
    j->start = monotonic_s();
    int out[2], errors[2];
    if (pipe2(out, O_CLOEXEC) != 0) {
        j->start_error = errno;
        j->done = true;
        return j;
    }
    if (pipe2(errors, O_CLOEXEC) != 0) {
        j->start_error = errno;
        close(out[0]);
        close(out[1]);
        j->done = true;
        return j;
    }
    fflush(NULL);
    pid_t parent = getpid();
    j->pid = fork();
    if (j->pid == 0)
        exec_program(spec, out[1], errors[1], parent);
    int why = errno;
    close(out[1]);
    close(errors[1]);
    if (j->pid < 0) {
        j->start_error = why;
        close(out[0]);
    } else {
        setpgid(j->pid, j->pid);
        replace_in_job_groups(0, j->pid);
        ssize_t n;
        do
            n = read(errors[0], &why, sizeof why);
        while (n < 0 && errno == EINTR);
        if (n == (ssize_t)sizeof why) {
            j->start_error = why;
            waitpid(j->pid, &j->status, 0);
            replace_in_job_groups(j->pid, 0);
            close(out[0]);
        } else {
            j->fd = out[0];
            fcntl(j->fd, F_SETFL, O_NONBLOCK);
        }
    }
    close(errors[0]);
    j->done = j->start_error != 0;
    return j;
}

static void terminate_job(job *j)
{
    if (j->asked_to_stop || j->reaped)
        return;
    j->asked_to_stop = true;
    j->kill_at = monotonic_s() + 2;
    kill(-j->pid, SIGTERM);
}

static void append_output(job *j, const char *bytes, size_t n)
{
    size_t room = j->cap - j->output.len;
    size_t old = j->output.len;
    sb_add(&j->output, bytes, n < room ? n : room);
    for (size_t i = old; i < j->output.len; i++)
        if (j->output.s[i] == '\0')
            j->output.s[i] = '?';
    if (n > room && !j->flooded) {
        j->flooded = true;
        terminate_job(j);
    }
}

static void read_output(job *j)
{
    char chunk[65536];
    for (int i = 0; j->fd >= 0 && i < 16; i++) {
        ssize_t n = read(j->fd, chunk, sizeof chunk);
        if (n > 0) {
            append_output(j, chunk, (size_t)n);
        } else if (n == 0) {
            close(j->fd);
            j->fd = -1;
        } else if (errno != EINTR) {
            return;
        }
    }
}

static void finish_job(job *j)
{
    /* Kill all processes that the job left in its group. The leader is reaped, but the group's
     * number stays valid while the group has a member, so it cannot belong to another group yet. */
    kill(-j->pid, SIGKILL);
    replace_in_job_groups(j->pid, 0);
    read_output(j);
    if (j->fd >= 0)
        close(j->fd);
    j->fd = -1;
    j->done = true;
}

bool job_poll(job *j, int wait_ms)
{
    if (j->done)
        return true;
    if (wait_ms > 0) {
        struct pollfd p = {.fd = j->fd, .events = POLLIN};
        if (j->fd < 0 && wait_ms > 10)
            wait_ms = 10; /* the output is closed, so poll until the process ends */
        poll(&p, 1, wait_ms);
    }
    read_output(j);
    pid_t got = waitpid(j->pid, &j->status, WNOHANG);
    if (got == j->pid || (got < 0 && errno == ECHILD)) {
        j->reaped = true;
        finish_job(j);
        return true;
    }
    double now = monotonic_s();
    if (j->limit > 0 && now - j->start > j->limit && !j->asked_to_stop) {
        j->timed_out = true;
        terminate_job(j);
    }
    if (j->asked_to_stop && now > j->kill_at) {
        kill(-j->pid, SIGKILL);
        j->kill_at = now + 1;
    }
    return false;
}

void job_cancel(job *j)
{
    if (j->done || j->asked_to_stop)
        return;
    j->cancelled = true;
    terminate_job(j);
}

void job_interrupt(job *j)
{
    if (j->pid > 0 && !j->reaped)
        kill(j->pid, SIGINT);
}

void job_kill(job *j)
{
    job_cancel(j);
    if (!j->reaped)
        kill(-j->pid, SIGKILL);
}

const char *job_output(const job *j, size_t *len)
{
    if (len)
        *len = j->output.len;
    return j->output.s ? j->output.s : "";
}

job_end job_outcome(const job *j, int *code)
{
    *code = 0;
    if (j->start_error) {
        *code = j->start_error;
        return JOB_NO_START;
    }
    if (j->flooded)
        return JOB_FLOOD;
    if (j->timed_out)
        return JOB_TIMEOUT;
    if (j->cancelled)
        return JOB_CANCELLED;
    if (WIFSIGNALED(j->status)) {
        *code = WTERMSIG(j->status);
        return JOB_SIGNALLED;
    }
    *code = WEXITSTATUS(j->status);
    return JOB_EXITED;
}

double job_time_limit(const job *j)
{
    return j->limit;
}

void job_free(job *j)
{
    if (!j)
        return;
    if (!j->done) {
        kill(-j->pid, SIGKILL);
        waitpid(j->pid, &j->status, 0);
        finish_job(j);
    }
    sb_free(&j->output);
    free(j);
}

char *job_run_and_read(const char *const *argv, double limit_s, job_end *how, int *code)
{
    job *j = job_start(&(job_spec){.argv = argv, .limit_s = limit_s, .output_cap = 256 << 10});
    while (!job_poll(j, 50))
        ;
    *how = job_outcome(j, code);
    char *output = sb_take(&j->output);
    job_free(j);
    return output;
}

const char *signal_in_words(int sig)
{
    static char other[64];
    switch (sig) {
    case SIGSEGV: return "SIGSEGV (it accessed memory that it does not own)";
    case SIGBUS: return "SIGBUS (it accessed memory that does not exist)";
    case SIGFPE: return "SIGFPE (an integer division by zero)";
    case SIGABRT: return "SIGABRT (it aborted: a failed assertion, or damaged heap memory)";
    case SIGILL: return "SIGILL (an instruction that this processor does not have)";
    case SIGKILL: return "SIGKILL (killed from outside, perhaps for lack of memory)";
    }
    const char *name = sigabbrev_np(sig);
    if (name)
        snprintf(other, sizeof other, "SIG%s", name);
    else
        snprintf(other, sizeof other, "signal %d", sig);
    return other;
}
