/* The student's editor, with the terminal to itself; a lab that is running goes on meanwhile. */
#include "../base/files.h"
#include "../base/signals.h"
#include "screen_state.h"

#include <curses.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* To be freed; NULL: none. */
static char *editor_command(void)
{
    const char *said = getenv("VISUAL");
    if (!said || !*said)
        said = getenv("EDITOR");
    if (said && *said)
        return xstrdup(said);
    static const char *const usual[] = {"nano", "vim", "vi", "emacs"};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        char *path = program_find(usual[i]);
        if (path)
            return path;
    }
    return NULL;
}

/* Whether the editor, called by any path and with any options, takes "+LINE" before a file. */
static bool takes_line(const char *command)
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

/* Where to look first: the compiler's first error, else the first TODO. */
static int first_line(screen *s)
{
    const view *v = screen_view(s);
    const chapter *c = screen_chapter(s);
    bool refused = v->has_verdict && v->v.kind == VERDICT_NO_BUILD && !v->of_solution;
    /* "lab.cu(27): error", or "lab.cu:27:5: error" where the host's compiler speaks. */
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

/* Start `COMMAND FILE` through a shell, for $EDITOR may hold options. */
static pid_t start_editor(screen *s, const char *command, const char *file)
{
    char *line = takes_line(command) ? xprintf("%s +%d \"$1\"", command, first_line(s))
                                     : xprintf("%s \"$1\"", command);
    pid_t pid = fork();
    if (pid == 0) {
        for (int sig = 1; sig < NSIG; sig++)
            signal(sig, SIG_DFL);
        execl("/bin/sh", "sh", "-c", line, "sh", file, (char *)NULL);
        _exit(127);
    }
    free(line);
    return pid;
}

static int wait_for(screen *s, pid_t pid)
{
    int status = 0;
    bool passed_on = false;
    for (;;) {
        pid_t got = waitpid(pid, &status, WNOHANG);
        if (got == pid || (got < 0 && errno != EINTR))
            return status;
        if (signals_caught() && !passed_on) {
            kill(pid, SIGTERM);
            passed_on = true;
        }
        if (s->a && !attempt_pump(s->a, 50))
            continue;
        if (s->a)
            screen_attempt_ended(s);
        usleep(50000);
    }
}

void screen_edit(screen *s)
{
    chapter *c = screen_chapter(s);
    char *command = editor_command();
    if (!command) {
        screen_say(s, STYLE_BAD, "Found no editor: set VISUAL or EDITOR. The file is %s",
                   house_short(&s->d->house, c->lab));
        return;
    }
    def_prog_mode();
    endwin();
    struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
    sigaction(SIGINT, &ignore, &old); /* ^C is the editor's */
    pid_t pid = start_editor(s, command, c->lab);
    int status = pid < 0 ? -1 : wait_for(s, pid);
    sigaction(SIGINT, &old, NULL);
    reset_prog_mode();
    getmaxyx(stdscr, s->rows, s->columns);
    clearok(curscr, TRUE);
    flushinp();
    s->dirty = true;
    if (status == 0)
        screen_say(s, STYLE_NOTE, "r runs it, c checks it.");
    else if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        screen_say(s, STYLE_BAD, "There is no editor %s: set VISUAL or EDITOR. The file is %s",
                   command, house_short(&s->d->house, c->lab));
    else
        screen_say(s, STYLE_BAD, "The editor (%s) ended with an error.", command);
    free(command);
}
