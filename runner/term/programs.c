/* Runs programs that take over the whole terminal, such as an editor or the stepper. */
#include "../base/job.h"
#include "../base/signals.h"
#include "../book/page.h"
#include "terminal.h"

#include <curses.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* In a forked child: restore signals and exec ARGV with ENV ("NAME=VALUE", NULL-terminated). */
_Noreturn static void exec_program(const char *const *argv, char *const *env)
{
    for (; env && *env; env++)
        putenv(*env);
    for (int sig = 1; sig < NSIG; sig++)
        signal(sig, SIG_DFL);
    execv(argv[0], (char **)(uintptr_t)argv);
    fprintf(stderr, "warpbook: %s does not start: %s\n", argv[0], strerror(errno));
    _exit(127);
}

static int wait_for_child(const terminal_program *p, pid_t pid)
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
        if (p->meanwhile)
            p->meanwhile(p->object);
        else
            usleep(50000);
    }
}

int terminal_run(const terminal_program *p)
{
    def_prog_mode();
    endwin();
    printf("%s", p->notice);
    struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
    sigaction(SIGINT, &ignore, &old); /* ^C is meant for the other program */
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        if (p->errors != STDERR_FILENO)
            dup2(p->errors, STDERR_FILENO);
        exec_program(p->argv, p->env);
    }
    int status = pid < 0 ? -1 : wait_for_child(p, pid);
    sigaction(SIGINT, &old, NULL);
    reset_prog_mode();
    clearok(curscr, TRUE);
    flushinp();
    return status;
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
    CLEANUP(page_free)
    page p = {0}; /* removes escape sequences: the line may quote a student's text */
    char *line = xprintf("%.*s", n > 0 ? (int)(n - begin) : 0, bytes + begin);
    page_add_terminal_text(&p, STYLE_NORMAL, line);
    free(line);
    line = xstrdup(p.count ? p.lines[0].s : "");
    return line;
}

char *terminal_step(installation *h, const chapter *c, bool solution, const char *text,
                    const char *of_seed, void (*meanwhile)(void *object), void *object)
{
    /* It runs the lab again with the inputs of the last run, and records the new run. */
    const char *argv[] = {
        installation_program(h, "warpbook-step"), "step", c->name, NULL, NULL, NULL};
    if (solution || text)
        argv[3] = solution ? "--solution" : "--text";
    if (text && !solution)
        argv[4] = text;
    int errors = memfd_create("errors", MFD_CLOEXEC);
    OWNED char *root = xprintf("WARPBOOK_ROOT=%s", h->root);
    OWNED char *seed = of_seed ? xprintf("WARPBOOK_SEED=%s", of_seed) : NULL;
    char *env[] = {root, seed, NULL};
    OWNED char *notice =
        xprintf("Recording a run of %s, to walk through it. Ctrl-C gives up.\n", c->name);
    int status = terminal_run(&(terminal_program){.notice = notice,
                                                  .argv = argv,
                                                  .env = env,
                                                  .errors = errors >= 0 ? errors : STDERR_FILENO,
                                                  .meanwhile = meanwhile,
                                                  .object = object});
    char *why = status && errors >= 0 ? last_line(errors) : NULL;
    if (errors >= 0)
        close(errors);
    if (status && !(why && *why)) {
        free(why);
        why = xstrdup("Stepping through the run failed without a message.");
    }
    return why;
}
