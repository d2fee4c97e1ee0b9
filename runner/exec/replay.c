/* `warpbook replay FILE`: repeats a recorded run by the program warpbook-replay. */
#include "exec.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
    if (!named)
        return report_failure(EXIT_USAGE,
                              "replay needs a recording; warpbook replay --help says more");
    if (json && !profiled)
        return report_failure(EXIT_USAGE, "replay --json goes with --profile");
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
