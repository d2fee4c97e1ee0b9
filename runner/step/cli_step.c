/* `warpbook step`: records a run and steps through the recording forwards and backwards. It starts
 * the program warpbook-replay; emulator/debugger/step/PROTOCOL.md describes its commands and
 * answers. */
#include "../base/files.h"
#include "../base/leftovers.h"
#include "../base/signals.h"
#include "../book/chapter.h"
#include "../judge/desk.h"
#include "../run/build.h"
#include "../run/own_program.h"
#include "../run/record.h"
#include "../term/terminal.h"
#include "step.h"
#include "step_screen.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct step_options {
    const char *commands; /* value of --commands, the path of a file; NULL: not given */
    const char *report;   /* value of --report, the number of a report; NULL: not given */
    const char *text;     /* value of --text, a text to run in place of the lab; NULL: not given */
    const char *sanitize; /* value of --sanitize, kinds of mistakes; NULL: not given */
    bool json, solution;  /* print answers as JSON; step through the solution, not the lab */
    bool screen;  /* interactive: standard input and output are a terminal, and no commands were
                   * given */
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

/* The value of option NAME, given as NAME=VALUE or as two words; NULL: *ARGV is another word. */
static const char *option_value(char ***argv, const char *name)
{
    const size_t n = strlen(name);
    if (strncmp(**argv, name, n) != 0 || ((**argv)[n] && (**argv)[n] != '='))
        return NULL;
    if ((**argv)[n] == '=')
        return **argv + n + 1;
    if (!(*argv)[1])
        return NULL;
    return *++*argv;
}

/* Read the options at *AT; *AT then points to the first word that is no option. */
static bool read_options(step_options *w, char ***at)
{
    const char *value;
    char **argv = *at;
    for (; *argv && (*argv)[0] == '-'; argv++) {
        if (strcmp(*argv, "--json") == 0) {
            w->json = true;
        } else if (strcmp(*argv, "--solution") == 0) {
            w->solution = true;
        } else if (strcmp(*argv, "--") == 0) {
            argv++;
            break;
        } else if ((value = option_value(&argv, "--commands"))) {
            w->commands = value;
        } else if ((value = option_value(&argv, "--report"))) {
            w->report = value;
        } else if ((value = option_value(&argv, "--text"))) {
            w->text = value;
        } else if ((value = option_value(&argv, "--sanitize"))) {
            w->sanitize = value;
        } else {
            fprintf(stderr,
                    "warpbook: step has no option %s, or it lacks its value; warpbook step --help "
                    "lists them\n",
                    *argv);
            return false;
        }
    }
    *at = argv;
    return true;
}

static bool parse_options(step_options *w, char **argv)
{
    *w = (step_options){.sanitize = "race,init,sync"};
    if (!read_options(w, &argv))
        return false;
    /* A chapter or a recording takes no arguments, so options may follow it. */
    char **rest = *argv ? argv + 1 : argv;
    if (*argv && (!file_exists(*argv) || is_recording_file(*argv)) && (*rest && **rest == '-')) {
        if (!read_options(w, &rest))
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

/* In a child process, send the command FIRST and then the bytes of file FROM to file TO. */
static void write_commands(const char *first, int from, int to)
{
    char bytes[4096];
    ssize_t n;
    if (dprintf(to, "report %s\n", first) > 0)
        while ((n = read(from, bytes, sizeof bytes)) > 0)
            for (ssize_t at = 0, done; at < n; at += done)
                if ((done = write(to, bytes + at, (size_t)(n - at))) <= 0)
                    _exit(0);
    _exit(0);
}

/* Make the file of commands the standard input; `report N` goes before it if --report is given. */
static bool open_commands(const step_options *w)
{
    int end[2], from = STDIN_FILENO;
    if (w->screen)
        return true; /* the screen sends commands to the replayer itself */
    if (w->commands && (from = open(w->commands, O_RDONLY | O_CLOEXEC)) < 0) {
        fprintf(stderr, "warpbook: cannot read %s: %s\n", w->commands, strerror(errno));
        return false;
    }
    if (!w->report)
        return from == STDIN_FILENO || dup2(from, STDIN_FILENO) >= 0;
    if (pipe(end) != 0)
        return false;
    if (fork() == 0) {
        close(end[0]);
        write_commands(w->report, from, end[1]);
    }
    close(end[1]);
    dup2(end[0], STDIN_FILENO);
    close(end[0]);
    return true;
}

/* Show the screen. It starts at the report given by --report, else at the first report, else at the
 * start of the run. */
static int show_step_screen(const step_options *w, const char *const *argv)
{
    char *first = w->report ? xprintf("report %s", w->report) : xstrdup("open");
    const int code = step_screen_run(argv, NULL, first);
    free(first);
    return code;
}

/* Run the replayer, which reads commands from standard input to its end. */
static int run_step_replayer(installation *h, const step_options *w, const char *recording)
{
    const char *replayer = installation_tool(h, "warpbook-replay");
    const char *argv[] = {replayer, recording, NULL};
    int status = 0;
    setenv("WARPBOOK_SANITIZE", w->sanitize, 1);
    if (w->screen)
        return show_step_screen(w, argv);
    setenv("WARPBOOK_STEP", w->json ? "json" : "text", 1);
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        signal(SIGINT, SIG_DFL);
        execv(replayer, (char **)(uintptr_t)argv);
        fprintf(stderr, "warpbook: %s does not start: %s; run `make`\n", replayer, strerror(errno));
        _exit(EXIT_LACKS);
    }
    signal(SIGINT, SIG_IGN); /* ^C stops the replayer's command or ends it, but not this process */
    close(STDIN_FILENO);     /* otherwise a process that feeds the input would wait for this one */
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAIL;
}

/* The program to record: a chapter's lab, which is built first, or any program. */
typedef struct record_subject {
    char *program;                       /* path of the program */
    const char *recording, *inputs_path; /* stored recording of a lab, and the file with the inputs
                                          * of the recorded run; else NULL */
} record_subject;

static int compare_text(const void *x, const void *y)
{
    return strcmp(*(char *const *)x, *(char *const *)y);
}

/* The environment variables that influence a lab's run: those that the emulator and lab.h read. */
static char *lab_inputs(installation *h)
{
    sb text = {0};
    arena a = {0};
    char **list = NULL;
    size_t count = 0;
    for (char **v = environ; *v; v++)
        if (starts_with(*v, "WARPBOOK_") && !starts_with(*v, "WARPBOOK_ROOT="))
            *ARENA_PUSH(&a, list, count) = *v;
    if (count)
        qsort(list, count, sizeof *list, compare_text);
    for (size_t i = 0; i < count; i++)
        sb_printf(&text, "%s\n", list[i]);
    char *kept = arena_strdup(&h->memory, text.len ? text.s : "");
    sb_free(&text);
    arena_free(&a);
    return kept;
}

/* Find the program to record. False: a message was printed, and *CODE is the exit code. */
static bool find_subject(session *d, const step_options *w, record_subject *s, int *code)
{
    char err[1024];
    bool lacks = false;
    installation *h = &d->installation;
    book_open(&d->book, h);
    const chapter *c =
        file_exists(w->words[0]) ? NULL : book_find(&d->book, w->words[0], err, sizeof err);
    *s = (record_subject){0};
    *code = EXIT_USAGE;
    if (!c) {
        s->program = find_program(w->words[0]);
        if (!s->program)
            fprintf(stderr, "warpbook: %s is not a chapter, a recording or a program\n",
                    w->words[0]);
        if (s->program && own_program_can_run(h, s->program, false, err, sizeof err))
            return true;
        if (s->program)
            fprintf(stderr, "warpbook: %s\n", err);
        free(s->program);
        return false;
    }
    const build_target t = {.c = c, .solution = w->solution, .file = w->text};
    const char *runs = arena_printf(&h->memory, "%s/runs", h->build);
    if (!build_and_wait(h, &t, &lacks, err, sizeof err) || !make_directories(runs)) {
        fprintf(stderr, "warpbook: %s\n", *err ? err : runs);
        *code = lacks ? EXIT_LACKS : EXIT_FAIL;
        return false;
    }
    remove_leftovers(runs, NULL);
    setenv("WARPBOOK_ONLY", "check", 0);
    setenv("WARPBOOK_SEED", "1", 0);
    *s = (record_subject){.program = xstrdup(program_path_of(h, &t)),
                          .recording = target_file_path(h, &t, "walk.wbr"),
                          .inputs_path = target_file_path(h, &t, "walk.txt")};
    return true;
}

/* True: the stored recording of the lab belongs to a run with the same program and inputs. */
static bool stored_recording_is_current(installation *h, const record_subject *s)
{
    char *of = s->inputs_path ? read_whole_file(s->inputs_path, 1 << 16, NULL) : NULL;
    const bool same = of && strcmp(of, lab_inputs(h)) == 0 && is_recording_file(s->recording) &&
                      file_is_newer(s->recording, s->program) &&
                      file_is_newer(s->recording, installation_emulator_library(h));
    free(of);
    return same;
}

/* Record the run into FILE. True: a recording exists. */
static bool record_run(installation *h, const step_options *w, const record_subject *s,
                       const char *file)
{
    char *lab[] = {s->program, NULL};
    own_program_environment(h);
    fflush(NULL);
    if (!recording_begin(file, false))
        return false;
    const int ended = exec_child(s->program, s->inputs_path ? lab : w->words, true);
    if (ended >= 0)
        recording_finish(w->words[0], ended, installation_tool(h, "warpbook-replay"));
    unsetenv("WARPBOOK_RECORDING");
    return file_exists(file);
}

/* Step through a lab. Its recording is stored, so that stepping through an equal run needs no new
 * recording. */
static int step_lab(installation *h, const step_options *w, const record_subject *s)
{
    if (!stored_recording_is_current(h, s)) {
        const char *inputs = lab_inputs(h);
        char *growing = unfinished_name(s->recording);
        bool good = record_run(h, w, s, growing);
        unlink(s->inputs_path);
        good = good && rename(growing, s->recording) == 0 &&
               write_whole_file(s->inputs_path, inputs, strlen(inputs));
        unlink(growing);
        free(growing);
        if (!good)
            return EXIT_FAIL;
    }
    return open_commands(w) ? run_step_replayer(h, w, s->recording) : EXIT_FAIL;
}

static int step_program(installation *h, const step_options *w, const record_subject *s)
{
    scratch_dir dir;
    int code = EXIT_FAIL;
    if (!make_scratch_directory(&dir, "step")) {
        fprintf(stderr, "warpbook: cannot make the directory %s: %s; set TMPDIR\n", dir.path,
                strerror(errno));
        return EXIT_LACKS;
    }
    char *recording = xprintf("%s/recording", dir.path);
    if (record_run(h, w, s, recording) && open_commands(w))
        code = run_step_replayer(h, w, recording);
    free(recording);
    remove_scratch_directory(&dir);
    return code;
}

static int record_and_step(session *d, const step_options *w)
{
    record_subject s;
    int code;
    if (!find_subject(d, w, &s, &code))
        return code;
    code =
        s.inputs_path ? step_lab(&d->installation, w, &s) : step_program(&d->installation, w, &s);
    free(s.program);
    return code;
}

int cli_step(session *d)
{
    step_options w;
    char **argv = d->options.words;
    argv[d->options.word_count] = NULL;
    if (argv[0] && (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0))
        return print_step_help();
    if (!parse_options(&w, argv))
        return EXIT_USAGE;
    if (!installation_emulator_library(&d->installation)) {
        fprintf(stderr, "warpbook: the emulator is not built (%s/libcudart.so.*): run `make`\n",
                installation_short_path(&d->installation, emulator_path(&d->installation)));
        return EXIT_LACKS;
    }
    w.screen = !w.commands && !w.json && screen_can_be_shown();
    int code;
    if (is_recording_file(w.words[0]))
        code = open_commands(&w) ? run_step_replayer(&d->installation, &w, w.words[0]) : EXIT_FAIL;
    else
        code = record_and_step(d, &w);
    book_close(&d->book);
    return code;
}
