/* `warpbook step`: records a run and steps through the recording forwards and backwards. It starts
 * warpbook-replay; emulator/debugger/step/PROTOCOL.md describes its commands and answers. */
#include "../../emulator/base/own_options.h"
#include "../base/files.h"
#include "../book/chapter.h"
#include "../judge/desk.h"
#include "../run/record.h"
#include "../term/terminal.h"
#include "../walk/recorded_run.h"
#include "dialogue.h"
#include "step.h"
#include "step_screen.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct step_options {
    const char *commands; /* value of --commands, the path of a file; NULL: not given */
    const char *report;   /* value of --report, the number of a report; NULL: not given */
    const char *text;     /* value of --text, a text to run in place of the lab; NULL: not given */
    const char *sanitize; /* value of --sanitize, kinds of mistakes; NULL: not given */
    bool help;            /* --help was given */
    bool json, solution;  /* print answers as JSON; step through the solution, not the lab */
    bool screen;          /* interactive: on a terminal, and no commands were given */
    char **words; /* what to step through: a chapter, a program with its arguments, or a recording;
                     NULL-terminated */
} step_options;

static int print_step_help(void)
{
    puts("usage: warpbook step [--commands FILE] [--report N] [--solution] [--sanitize=LIST] "
         "[--json]\n"
         "                     CHAPTER | PROG [ARGS] | RECORDING\n"
         "\n"
         "Records the run of a chapter's lab, or of a program built by nvcc, and\n"
         "walks through it, forwards and backwards. Of a lab the checks are run, not the "
         "measurement,\n"
         "and only where its text or its inputs (WARPBOOK_SEED) are not those of the last walk.\n"
         "On a terminal it is a screen (? lists its keys); else commands are read from standard\n"
         "input: `help` lists them. ^C stops a move that takes long.\n"
         "\n"
         "  --commands FILE  read the commands from FILE\n"
         "  --report N       begin with report N: the two moments that make the mistake\n"
         "  --solution       walk through the chapter's solution\n"
         "  --text FILE      walk through this text of the chapter's lab\n"
         "  --sanitize=LIST  look for these mistakes (race, init, sync); default: all three\n"
         "  --json           one JSON object per line instead of text\n"
         "\n"
         "emulator/debugger/step/PROTOCOL.md describes the commands and the answers.");
    return EXIT_PASS;
}

static const own_option step_option_list[] = {
    {"commands", OWN_TEXT, offsetof(step_options, commands), NULL},
    {"report", OWN_TEXT, offsetof(step_options, report), NULL},
    {"solution", OWN_FLAG, offsetof(step_options, solution), NULL},
    {"text", OWN_TEXT, offsetof(step_options, text), NULL},
    {"sanitize", OWN_TEXT, offsetof(step_options, sanitize), NULL},
    {"json", OWN_FLAG, offsetof(step_options, json), NULL},
    {0},
};

static bool parse_options(step_options *w, char **argv)
{
    *w = (step_options){.sanitize = "race,init,sync"};
    argv = own_options_read("step", step_option_list, argv, w, &w->help);
    if (!argv || w->help)
        return argv;
    /* A chapter or a recording takes no arguments, so options may follow it. */
    char **rest = *argv ? argv + 1 : argv;
    if (*argv && (!file_exists(*argv) || is_recording_file(*argv)) && (*rest && **rest == '-')) {
        if (!own_options_read("step", step_option_list, rest, w, &w->help))
            return false;
        argv[1] = NULL;
    }
    w->words = argv;
    if (w->report && (strspn(w->report, "0123456789") != strlen(w->report) || !*w->report)) {
        fprintf(stderr, "warpbook: --report is \"%s\": give the number of a report, from 1\n",
                w->report);
        return false;
    }
    if (!*argv)
        fputs(
            "usage: warpbook step [--commands FILE] [--report N] CHAPTER | PROG [ARGS] | RECORDING "
            "(warpbook step --help says more)\n",
            stderr);
    return *argv != NULL;
}

/* --- walking --- */

/* Show the screen. It starts at the report given by --report, else at the first report, else at the
 * start of the run. */
static int show_step_screen(const step_options *w, const char *const *argv)
{
    OWNED char *first = w->report ? xprintf("report %s", w->report) : xstrdup("open");
    return step_screen_run(argv, NULL, first);
}

/* Run the replayer without the screen. */
static int hold_step_dialogue(const step_options *w, const char *const *argv)
{
    OWNED char *first = w->report ? xprintf("report %s", w->report) : NULL;
    dialogue_choice choice = {.first = first, .from = STDIN_FILENO, .json = w->json};
    if (w->commands && (choice.from = open(w->commands, O_RDONLY | O_CLOEXEC)) < 0)
        return report_failure(EXIT_FAIL, "cannot read %s: %s", w->commands, strerror(errno));
    return dialogue_hold(argv, &choice);
}

static int run_step_replayer(installation *h, const step_options *w, const char *recording)
{
    const char *argv[] = {installation_tool(h, "warpbook-replay"), recording, NULL};
    setenv("WARPBOOK_SANITIZE", w->sanitize, 1);
    return w->screen ? show_step_screen(w, argv) : hold_step_dialogue(w, argv);
}

int cli_step(session *d)
{
    step_options w;
    char **argv = d->options.words;
    argv[d->options.word_count] = NULL;
    if (!parse_options(&w, argv))
        return EXIT_USAGE;
    if (w.help)
        return print_step_help();
    if (!installation_emulator_library(&d->installation))
        return report_failure(
            EXIT_LACKS, "the emulator is not built (%s/libcudart.so.*): run `make`",
            installation_short_path(&d->installation, emulator_path(&d->installation)));
    w.screen = !w.commands && !w.json && screen_can_be_shown();
    const run_choice choice = {.words = w.words, .solution = w.solution, .text = w.text};
    recorded_run r;
    int code = EXIT_FAIL;
    if (recorded_run_open(d, &choice, &r, &code))
        code = run_step_replayer(&d->installation, &w, r.path);
    recorded_run_close(d, &r);
    return code;
}
