#include "record.h"

#include "../base/text.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- running a program on this terminal --- */

static pid_t child_pid; /* process of the program that is profiled */

/* Forward a signal to the program, so that it ends first and its profile is still printed. */
static void forward_signal(int sig)
{
    if (child_pid > 0)
        kill(child_pid, sig);
}

int exec_child(const char *path, char **argv, bool json)
{
    int status;
    child_pid = fork();
    if (child_pid == 0) {
        if (json)
            dup2(STDERR_FILENO, STDOUT_FILENO);
        execv(path, argv);
        fprintf(stderr, "warpbook: %s does not start: %s\n", path, strerror(errno));
        _exit(127);
    }
    if (child_pid < 0) {
        fprintf(stderr, "warpbook: %s does not start: %s\n", path, strerror(errno));
        return -1;
    }
    /* ^C reaches the child from the terminal; other signals to this process are forwarded. */
    struct sigaction ignore = {.sa_handler = SIG_IGN}, forward = {.sa_handler = forward_signal};
    static const int signals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
    struct sigaction old[4];
    for (int i = 0; i < 4; i++)
        sigaction(signals[i], i < 2 ? &ignore : &forward, &old[i]);
    while (waitpid(child_pid, &status, 0) < 0 && errno == EINTR)
        ;
    for (int i = 0; i < 4; i++)
        sigaction(signals[i], &old[i], NULL);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* --- recordings --- */

/* The first bytes of a recording (emulator/debugger/recording/FORMAT.md). */
static const char recording_magic[] = "\x57\x2a\x4d\x18\x18\0\0\0warpbook record\n";

static char recording_path[4200]; /* absolute path of the recording */
static char partial_path[4210];   /* path of the recording while the program still runs */

bool is_recording_file(const char *path)
{
    char begin[sizeof recording_magic - 1] = "";
    FILE *f = fopen(path, "r");
    const bool is = f && fread(begin, 1, sizeof begin, f) == sizeof begin &&
                    memcmp(begin, recording_magic, sizeof begin) == 0;
    if (f)
        fclose(f);
    return is;
}

bool recording_begin(const char *file, bool digests)
{
    char dir[4096];
    struct stat is;
    const char *slash = strrchr(file, '/');
    snprintf(dir, sizeof dir, "%.*s", slash ? (int)(slash - file + 1) : 1, slash ? file : ".");
    OWNED char *where = realpath(dir, NULL); /* absolute, as the program may change its directory */
    if (!where || !*(slash ? slash + 1 : file) || strlen(where) + strlen(file) > 4000) {
        fprintf(stderr, "warpbook: --record %s: %s\n", file,
                where ? "give the name of a file" : strerror(errno));
        return false;
    }
    snprintf(recording_path, sizeof recording_path, "%s/%s", where, slash ? slash + 1 : file);
    snprintf(partial_path, sizeof partial_path, "%s.part", recording_path);
    if (lstat(recording_path, &is) == 0 &&
        !(S_ISREG(is.st_mode) && is_recording_file(recording_path))) {
        fprintf(stderr,
                "warpbook: --record %s: that file exists and is not a recording: give "
                "another name, or remove it\n",
                file);
        return false;
    }
    unlink(recording_path); /* so that a file found there after the run comes from this run */
    unlink(partial_path);
    setenv("WARPBOOK_RECORDING", recording_path, 1);
    if (digests)
        setenv("WARPBOOK_DIGESTS", "1", 1);
    return true;
}

void record_on_gpu(const char *interposer)
{
    const char *before = getenv("LD_PRELOAD");
    OWNED char *all =
        xprintf("%s%s%s", interposer, before && *before ? ":" : "", before ? before : "");
    setenv("LD_PRELOAD", all, 1);
    setenv("WARPBOOK_INTERPOSER_RECORDING", recording_path, 1);
    unsetenv("WARPBOOK_RECORDING");
}

void recording_finish(const char *program, int code, const char *replayer)
{
    if (access(recording_path, F_OK) == 0)
        return;
    if (access(partial_path, F_OK) != 0) {
        fprintf(stderr, "warpbook: nothing was recorded: %s did not use the device\n", program);
        return;
    }
    char *argv[] = {"warpbook-replay", "--rescue", recording_path, NULL};
    if (exec_child(replayer, argv, true) == 0)
        fprintf(stderr,
                "warpbook: %s ended early%s; %s holds what it did before it last waited "
                "for the device\n",
                program, code > 128 ? ", by a signal" : "", recording_path);
}
