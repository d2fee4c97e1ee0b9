/* Runs other programs that take over the whole terminal: the student's editor, and the stepper
 * through a recorded run. A running lab continues in the background. */
#include "../base/files.h"
#include "../book/breaks.h"
#include "../term/terminal.h"
#include "screen_state.h"

#include <curses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* Does the editor in COMMAND (with path and options) take "+LINE" before the file name? */
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

/* The line at which the editor opens: that of the compiler's error, else the first TODO. */
static int line_to_edit(screen *s)
{
    const chapter_view *v = screen_view(s);
    const chapter *c = screen_chapter(s);
    int line = view_refused_line(v);
    return line > 0 ? line : c->todo_count ? c->todos[0].begin : 1;
}

/* While another program has the terminal: follow the running lab. */
static void poll_attempt(void *object)
{
    runs_poll(object);
    usleep(50000);
}

/* The terminal may have another size after another program. */
static void redraw_after_program(screen *s)
{
    getmaxyx(stdscr, s->rows, s->columns);
    s->dirty = true;
}

/* Run the editor with the lab C at line AT, and then, if it ends well, the shell command THEN,
 * whose $2 is the program warpbook; say on the screen what went wrong. True: all went well. */
static bool edit_file(screen *s, const chapter *c, int at, const char *then)
{
    char *command = editor_command();
    if (!command) {
        message_set(&s->message, STYLE_BAD, "Found no editor: set VISUAL or EDITOR. The file is %s",
                    installation_short_path(&s->d->installation, c->lab));
        return false;
    }
    char option[32] = "", *self = realpath("/proc/self/exe", NULL),
         *root = xprintf("WARPBOOK_ROOT=%s", s->d->installation.root), *env[] = {root, NULL};
    if (takes_line_option(command))
        snprintf(option, sizeof option, "+%d ", at);
    /* Run the editor by a shell, because $EDITOR may contain options. */
    OWNED char *line = xprintf("%s %s\"$1\" && { %s; }", command, option, then);
    const char *argv[] = {"/bin/sh", "-c", line, "sh", c->lab, self ? self : "warpbook", NULL};
    int status = terminal_run(&(terminal_program){.notice = "",
                                                  .argv = argv,
                                                  .env = env,
                                                  .errors = STDERR_FILENO,
                                                  .meanwhile = poll_attempt,
                                                  .object = s});
    redraw_after_program(s);
    free(root);
    free(self);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        message_set(&s->message, STYLE_BAD,
                    "There is no editor %s: set VISUAL or EDITOR. The file is %s", command,
                    installation_short_path(&s->d->installation, c->lab));
    else
        message_set(&s->message, STYLE_BAD, "The editor (%s) ended with an error.", command);
    free(command);
    return status == 0;
}

void screen_edit_lab(screen *s)
{
    if (edit_file(s, screen_chapter(s), line_to_edit(s), ":"))
        message_set(&s->message, STYLE_NOTE, "r runs it, c checks it.");
}

void screen_break_kernel(screen *s)
{
    const chapter *c = break_of_chapter(&s->d->breaks, screen_chapter(s));
    if (!c) {
        message_set(&s->message, STYLE_NOTE, "This chapter has no kernel to break.");
        return;
    }
    OWNED char *then =
        xprintf("\"$2\" break %d; printf '\\nEnter goes back. '; read -r _", c->number);
    bool ended = edit_file(s, c, c->todo_count ? c->todos[0].begin : 1, then);
    state_refresh(&s->d->state);
    if (ended)
        message_set(&s->message, STYLE_NOTE, "%s: %s. B tries again.", c->title,
                    state_ever_passed(&s->d->state, c) ? "found" : "not found");
}

void screen_step_last_run(screen *s)
{
    const chapter *c = screen_chapter(s);
    const chapter_view *v = screen_view(s);
    if (s->run.active) {
        message_set(&s->message, STYLE_NOTE, "Not while a lab is running: x cancels it.");
        return;
    }
    if (!v->has_verdict) {
        message_set(&s->message, STYLE_NOTE,
                    "There is no run to walk through yet: r runs the lab.");
        return;
    }
    OWNED char *why =
        terminal_step(&s->d->installation, c, v->of_solution, NULL, v->v.seed, poll_attempt, s);
    redraw_after_program(s);
    if (why)
        message_set(&s->message, STYLE_BAD, "%s", why);
    else
        message_set(&s->message, STYLE_NORMAL, "%s", "");
}
