/* The processes of the step debugger: forks the controller and the worker at the start, and
 * snapshots of the worker during the run. */
#include "process.h"

#include "step.h"
#include "worker.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* CPU time between two snapshots. It limits the time that one step back takes, without the time to
 * wake a snapshot. */
#define SNAPSHOT_INTERVAL_NS INT64_C(10000000)
/* CPU time between two snapshots at launches, lest every short launch cost a fork. */
#define SNAPSHOT_LAUNCH_NS      INT64_C(2000000)
#define INSNS_PER_CLOCK_READING 64 /* number of instructions between two readings of the clock */

volatile bool *step_interrupt_requested; /* the user has pressed ^C */

static int64_t last_snapshot_ns; /* CPU time at the last snapshot, or when the process was woken */
static bool has_snapshot;        /* at least one snapshot has been made */

static int64_t cpu_time_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* Whether the process has only one thread: fork copies only the thread that calls it. */
static bool has_one_thread(void)
{
    struct stat s;
    return stat("/proc/self/task", &s) == 0 && s.st_nlink == 3;
}

/* Create the flag step_interrupt_requested in memory that all processes of the debugger share. */
static bool share_stop_flag(void)
{
    void *page = mmap(NULL, sizeof *step_interrupt_requested, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    step_interrupt_requested = page;
    return page != MAP_FAILED;
}

/* Let DESCRIPTOR refer to /dev/null, opened with FLAGS. */
static void redirect_to_null(int descriptor, int flags)
{
    const int fd = open("/dev/null", flags);
    if (fd >= 0 && fd != descriptor) {
        dup2(fd, descriptor);
        close(fd);
    }
}

/* --- messages of the worker process --- */

void step_process_send(step_message kind, const void *bytes, size_t size)
{
    if (!step_send_message(step_worker_state.fd, kind, bytes, size, -1))
        _exit(0); /* the controller has ended */
}

void step_process_receive(step_order *order)
{
    step_message kind;
    int none;
    if (!step_receive_message(step_worker_state.fd, &kind, order, sizeof *order, &none) ||
        order->kind == STEP_QUIT)
        _exit(0);
}

/* --- starting again --- */

enum {
    RESTART_STATUS = 64, /* exit status of a worker that is to be started again, less its try */
    MAX_COMMAND_BYTES = 1 << 20 /* longest command line that is repeated */
};

void step_restart_session(int number)
{
    _exit(RESTART_STATUS + number);
}

void step_process_restart_if_asked(void)
{
    int status;
    static char words[MAX_COMMAND_BYTES];
    char *argv[256], number[16];
    if (waitpid(-1, &status, 0) < 0 || !WIFEXITED(status) ||
        WEXITSTATUS(status) <= RESTART_STATUS ||
        WEXITSTATUS(status) > RESTART_STATUS + STEP_MAX_TRIES)
        return;
    const int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    const ssize_t size = fd < 0 ? 0 : read(fd, words, sizeof words - 1);
    size_t count = 0;
    for (char *at = words; at < words + size && count + 1 < sizeof argv / sizeof *argv;
         at += strlen(at) + 1)
        argv[count++] = at;
    argv[count] = NULL;
    snprintf(number, sizeof number, "%d", WEXITSTATUS(status) - RESTART_STATUS);
    setenv(STEP_TRY_VARIABLE, number, 1);
    execv("/proc/self/exe", argv);
}

/* --- snapshots --- */

/* Sleep in a snapshot until the controller wants a worker that continues from this moment. Returns
 * in that new worker. */
static void sleep_until_woken(int socket)
{
    static step_order order;
    close(step_worker_state.fd);
    step_worker_state.fd = socket;
    signal(SIGCHLD, SIG_IGN); /* let the kernel collect ended workers of this process */
    for (;;) {
        step_message kind;
        int fd;
        if (!step_receive_message(socket, &kind, &order, sizeof order, &fd) ||
            order.kind != STEP_WAKE || fd < 0)
            _exit(0);
        const pid_t pid = fork();
        if (pid == 0) {
            signal(SIGCHLD, SIG_DFL);
            close(socket);
            step_worker_state.fd = fd;
            redirect_to_null(
                STDERR_FILENO,
                O_WRONLY); /* reports have already been printed once, so discard standard error */
            last_snapshot_ns = cpu_time_ns();
            return;
        }
        close(fd);
    }
}

/* Fork a snapshot of this process. Returns true in a new worker forked from it. */
static bool make_snapshot(uint64_t tick)
{
    int end[2];
    while (waitpid(-1, NULL, WNOHANG) >
           0) { /* collect the processes of removed snapshots that have ended */
    }
    if (!has_one_thread() || !step_open_socket_pair(end)) {
        const step_snapshot_note none = {.pid = -1};
        step_process_send(STEP_MSG_SNAPSHOT, &none, sizeof none);
        return false;
    }
    const pid_t pid = fork();
    if (pid == 0) {
        close(end[0]);
        sleep_until_woken(end[1]);
        return true;
    }
    close(end[1]);
    const step_snapshot_note note = {.tick = tick, .pid = pid};
    const bool sent = pid > 0 && step_send_message(step_worker_state.fd, STEP_MSG_SNAPSHOT, &note,
                                                   sizeof note, end[0]);
    close(end[0]);
    if (pid > 0 && !sent)
        _exit(0);
    last_snapshot_ns = cpu_time_ns();
    return false;
}

bool step_process_snapshot_if_due(uint64_t tick, bool begins)
{
    if (has_snapshot && !begins && tick % INSNS_PER_CLOCK_READING)
        return false;
    const int64_t passed = cpu_time_ns() - last_snapshot_ns;
    if (has_snapshot && passed < (begins ? SNAPSHOT_LAUNCH_NS : SNAPSHOT_INTERVAL_NS))
        return false;
    if (step_is_peer_closed(step_worker_state.fd))
        _exit(0);
    has_snapshot = true;
    return make_snapshot(tick);
}

/* --- starting the debugger --- */

/* Ends the program with CODE after TEXT. */
_Noreturn static void write_and_exit(int code, const char *text)
{
    const ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written; /* if standard error cannot be written, nothing can be reported */
    _exit(code);
}

void step_start_session(void)
{
    const char *wish = getenv("WARPBOOK_STEP");
    int end[2];
    if (!wish || !*wish || step_worker_state.on)
        return;
    if (strcmp(wish, "json") != 0)
        write_and_exit(2, "warpbook: WARPBOOK_STEP is not \"json\"; for answers as text use "
                          "`warpbook step`\n");
    const pid_t pid = share_stop_flag() && step_open_socket_pair(end) ? fork() : -1;
    if (pid < 0)
        write_and_exit(3, "warpbook: cannot start the processes of the step debugger\n");
    if (pid > 0) {
        close(end[1]);
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        _exit(step_run_session(end[0]));
    }
    close(end[0]);
    signal(SIGINT, SIG_IGN);   /* ^C is handled by the controller process */
    unsetenv("WARPBOOK_STEP"); /* programs started by this one are not debugged */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    redirect_to_null(STDIN_FILENO, O_RDONLY);
    redirect_to_null(STDOUT_FILENO, O_WRONLY);
    step_worker_state.fd = end[1];
    step_worker_state.on = true;
    step_process_receive(&step_worker_state.order);
}
