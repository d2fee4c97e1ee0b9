/* Recordings of runs: `exec --record FILE PROG` and `warpbook replay FILE`. The emulator's library
 * writes a recording; the program warpbook-replay repeats it. */
#include "../base/files.h"
#include "../base/job.h"
#include "../commands/cli.h"
#include "exec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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
    char *where = realpath(dir, NULL); /* use an absolute path, because the program may change its
                                        * directory */
    if (!where || !*(slash ? slash + 1 : file) || strlen(where) + strlen(file) > 4000) {
        fprintf(stderr, "warpbook: --record %s: %s\n", file,
                where ? "give the name of a file" : strerror(errno));
        free(where);
        return false;
    }
    snprintf(recording_path, sizeof recording_path, "%s/%s", where, slash ? slash + 1 : file);
    snprintf(partial_path, sizeof partial_path, "%s.part", recording_path);
    free(where);
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

void record_on_gpu(const char *front)
{
    const char *before = getenv("LD_PRELOAD");
    char *all = xprintf("%s%s%s", front, before && *before ? ":" : "", before ? before : "");
    setenv("LD_PRELOAD", all, 1);
    setenv("WARPBOOK_FRONT_RECORDING", recording_path, 1);
    unsetenv("WARPBOOK_RECORDING");
    free(all);
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

int cli_replay(session *d)
{
    installation *h = &d->installation;
    char **argv = d->options.words;
    argv[d->options.word_count] = NULL;
    bool profiled = false, json = false, named = false;
    size_t n = 1;
    char **words = arena_alloc(&h->memory, (d->options.word_count + 2) * sizeof *words);
    words[0] = "warpbook-replay";
    for (; *argv; argv++)
        if (strcmp(*argv, "--profile") == 0)
            profiled = true;
        else if (strcmp(*argv, "--json") == 0)
            json = true;
        else {
            words[n++] = *argv;
            named = named || **argv != '-' || !strcmp(*argv, "--help") || !strcmp(*argv, "-h");
        }
    if (!named) {
        fputs("warpbook: replay needs a recording; warpbook replay --help says more\n", stderr);
        return EXIT_USAGE;
    }
    if (json && !profiled) {
        fputs("warpbook: replay --json goes with --profile\n", stderr);
        return EXIT_USAGE;
    }
    const char *replayer = installation_tool(h, "warpbook-replay");
    int code = EXIT_LACKS;
    if (access(replayer, X_OK) != 0)
        fprintf(stderr, "warpbook: the replayer is not built (%s): run `make`\n",
                installation_short_path(h, replayer));
    else if (profiled)
        code = exec_profiled(replayer, n > 1 ? words[n - 1] : "a recording", words,
                             &(profile_options){.json = json});
    else {
        fflush(NULL);
        execv(replayer, words);
        fprintf(stderr, "warpbook: %s does not start: %s\n", replayer, strerror(errno));
    }
    return code;
}
