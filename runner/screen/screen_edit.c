/* Runs other programs that take over the whole terminal: the student's editor, and the stepper
 * through a recorded run. A running lab continues in the background. */
#include "../base/files.h"
#include "../base/signals.h"
#include "screen_state.h"

#include <curses.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* The command of the student's editor; the caller frees it. NULL: no editor was found. */
static char *editor_command(void)
{
    const char *said = getenv("VISUAL");
    if (!said || !*said)
        said = getenv("EDITOR");
    if (said && *said)
        return xstrdup(said);
    static const char *const usual[] = {"nano", "vim", "vi", "emacs"};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        char *path = find_program(usual[i]);
        if (path)
            return path;
    }
    return NULL;
}

/* Return true if the editor in COMMAND (a path and options are allowed) accepts "+LINE" before the
 * file name. */
static bool takes_line_option(const char *command)
{
    static const char *const known[] = {"nano",        "vi",    "vim", "nvim", "emacs",
                                        "emacsclient", "micro", "joe", "jed"};
    size_t n = strcspn(command, " ");
    const char *name = command + n;
    while (name > command && name[-1] != '/')
        name--;
    size_t len = (size_t)(command + n - name);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i]) == len && strncmp(name, known[i], len) == 0)
            return true;
    return false;
}

/* The line at which the editor opens: the compiler's first error, else the first TODO. */
static int line_to_edit(screen *s)
{
    const chapter_view *v = screen_view(s);
    const chapter *c = screen_chapter(s);
    bool refused = v->has_verdict && v->v.kind == VERDICT_NO_BUILD && !v->of_solution;
    /* nvcc writes "lab.cu(27): error", the host compiler "lab.cu:27:5: error". */
    static const char file[] = "lab.cu";
    const char *at = refused && v->v.output ? strstr(v->v.output, file) : NULL;
    int line = 0;
    while (at && line <= 0) {
        at += strlen(file);
        line = *at ? atoi(at + 1) : 0;
        at = strstr(at, file);
    }
    return line > 0 ? line : c->todo_count ? c->todos[0].begin : 1;
}

/* In a forked child: restore all signal handlers and exec ARGV with ENV ("NAME=VALUE",
 * NULL-terminated). */
_Noreturn static void exec_program(const char *const *argv, char *const *env)
{
    for (; env && *env; env++)
        putenv(*env);
    for (int sig = 1; sig < NSIG; sig++)
        signal(sig, SIG_DFL);
    execv(argv[0], (char **)(uintptr_t)argv);
    _exit(127);
}

static int wait_for_child(screen *s, pid_t pid)
{
    int status = 0;
    /* SIGTERM is sent again each second: only a child of PID may have received the last one. */
    double passed_on = 0;
    for (;;) {
        pid_t got = waitpid(pid, &status, WNOHANG);
        if (got == pid || (got < 0 && errno != EINTR))
            return status;
        if (caught_signal_number() && monotonic_s() - passed_on > 1) {
            kill(pid, SIGTERM);
            passed_on = monotonic_s();
        }
        if (s->a && !attempt_poll(s->a, ATTEMPT_POLL_MS))
            continue;
        if (s->a)
            screen_show_attempt_result(s);
        usleep(50000);
    }
}

/* Leave curses, print NOTICE, run ARGV with ENV and standard error ERRORS, and return to curses;
 * return the program's exit status. */
static int run_in_terminal(screen *s, const char *notice, const char *const *argv, char *const *env,
                           int errors)
{
    def_prog_mode();
    endwin();
    printf("%s", notice);
    struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
    sigaction(SIGINT, &ignore, &old); /* ^C is meant for the other program */
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        if (errors != STDERR_FILENO)
            dup2(errors, STDERR_FILENO);
        exec_program(argv, env);
    }
    int status = pid < 0 ? -1 : wait_for_child(s, pid);
    sigaction(SIGINT, &old, NULL);
    reset_prog_mode();
    getmaxyx(stdscr, s->rows, s->columns);
    clearok(curscr, TRUE);
    flushinp();
    s->dirty = true;
    return status;
}

void screen_edit_lab(screen *s)
{
    chapter *c = screen_chapter(s);
    char *command = editor_command();
    if (!command) {
        screen_set_message(s, STYLE_BAD, "Found no editor: set VISUAL or EDITOR. The file is %s",
                           installation_short_path(&s->d->installation, c->lab));
        return;
    }
    /* Run the editor by a shell, because $EDITOR may contain options. */
    char *line = takes_line_option(command) ? xprintf("%s +%d \"$1\"", command, line_to_edit(s))
                                            : xprintf("%s \"$1\"", command);
    const char *argv[] = {"/bin/sh", "-c", line, "sh", c->lab, NULL};
    int status = run_in_terminal(s, "", argv, NULL, STDERR_FILENO);
    free(line);
    if (status == 0)
        screen_set_message(s, STYLE_NOTE, "r runs it, c checks it.");
    else if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        screen_set_message(s, STYLE_BAD,
                           "There is no editor %s: set VISUAL or EDITOR. The file is %s", command,
                           installation_short_path(&s->d->installation, c->lab));
    else
        screen_set_message(s, STYLE_BAD, "The editor (%s) ended with an error.", command);
    free(command);
}

/* The last non-empty line of the file FD, or "". The caller frees it. */
static char *last_line(int fd)
{
    char bytes[4096];
    off_t size = lseek(fd, 0, SEEK_END),
          from = size > (off_t)sizeof bytes ? size - (off_t)sizeof bytes : 0;
    ssize_t n = pread(fd, bytes, sizeof bytes, from);
    while (n > 0 && (bytes[n - 1] == '\n' || bytes[n - 1] == ' '))
        n--;
    ssize_t begin = n > 0 ? n : 0;
    while (begin > 0 && bytes[begin - 1] != '\n')
        begin--;
    page p = {0}; /* removes escape sequences: the line may quote a student's text */
    char *line = xprintf("%.*s", n > 0 ? (int)(n - begin) : 0, bytes + begin);
    page_add_terminal_text(&p, STYLE_NORMAL, line);
    free(line);
    line = xstrdup(p.count ? p.lines[0].s : "");
    page_free(&p);
    return line;
}

void screen_step_last_run(screen *s)
{
    const chapter *c = screen_chapter(s);
    const chapter_view *v = screen_view(s);
    if (s->a) {
        screen_set_message(s, STYLE_NOTE, "Not while a lab is running: x cancels it.");
        return;
    }
    if (!v->has_verdict) {
        screen_set_message(s, STYLE_NOTE, "There is no run to walk through yet: r runs the lab.");
        return;
    }
    char *why = screen_step(s, c, v->of_solution, v->v.seed);
    if (why)
        screen_set_message(s, STYLE_BAD, "%s", why);
    else
        screen_set_message(s, STYLE_NORMAL, "%s", "");
    free(why);
}

char *screen_step(screen *s, const chapter *c, bool solution, const char *of_seed)
{
    /* `warpbook step` runs the lab again with the inputs of the last run, and records the new
     * run. */
    const char *argv[] = {"/proc/self/exe", "step", c->name, NULL, NULL};
    if (solution) {
        argv[2] = "--solution";
        argv[3] = c->name;
    }
    int errors = memfd_create("errors", MFD_CLOEXEC);
    char *root = xprintf("WARPBOOK_ROOT=%s", s->d->installation.root);
    char *seed = of_seed ? xprintf("WARPBOOK_SEED=%s", of_seed) : NULL;
    char *env[] = {root, seed, NULL};
    char *notice =
        xprintf("Recording a run of %s, to walk through it. Ctrl-C gives up.\n", c->name);
    int status = run_in_terminal(s, notice, argv, env, errors >= 0 ? errors : STDERR_FILENO);
    free(notice);
    free(root);
    free(seed);
    char *why = status && errors >= 0 ? last_line(errors) : NULL;
    if (errors >= 0)
        close(errors);
    if (status && !(why && *why)) {
        free(why);
        why = xstrdup("Stepping through the run failed without a message.");
    }
    return why;
}
