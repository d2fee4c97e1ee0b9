/* The student's editor, with the terminal to itself; a lab that is running goes on meanwhile. */
#include "files.h"
#include "screen_state.h"
#include "signals.h"

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

/* Start `COMMAND +LINE FILE` through a shell, for $EDITOR may hold options. */
static pid_t start_editor(const char *command, const char *file)
{
    char *line = xprintf("%s \"$1\"", command);
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
    bool told = false;
    for (;;) {
        pid_t got = waitpid(pid, &status, WNOHANG);
        if (got == pid || (got < 0 && errno != EINTR))
            return status;
        if (signals_caught() && !told) {
            kill(pid, SIGTERM);
            told = true;
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
    pid_t pid = start_editor(command, c->lab);
    int status = pid < 0 ? -1 : wait_for(s, pid);
    sigaction(SIGINT, &old, NULL);
    reset_prog_mode();
    getmaxyx(stdscr, s->rows, s->columns);
    clearok(curscr, TRUE);
    flushinp();
    s->dirty = true;
    if (status == 0)
        screen_say(s, STYLE_NOTE, "r runs it, c checks it.");
    else
        screen_say(s, STYLE_BAD, "The editor (%s) ended with an error.", command);
    free(command);
}
