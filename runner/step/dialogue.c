/* Passes commands on to the replayer, each when the one before is answered, so that answers, and
 * what the replayer writes to stderr, come in the order of the commands. */
#include "dialogue.h"

#include "../base/coprocess.h"
#include "../judge/desk.h"
#include "answer.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct dialogue {
    const dialogue_choice *choice;
    coprocess *e;
    bool is_typed;   /* commands come from a terminal */
    bool is_waiting; /* a command has no answer yet */
    bool is_at_end;  /* there are no more commands to read */
    sb commands;     /* commands that were read and not sent */
} dialogue;

static volatile sig_atomic_t is_interrupted; /* SIGINT has arrived */

static void note_interrupt(int sig)
{
    (void)sig;
    is_interrupted = 1;
}

static bool is_command(const char *line)
{
    line += strspn(line, " \t\r");
    return *line && *line != '#';
}

/* Send the next command, if a whole one has been read. */
static bool send_next_command(dialogue *d)
{
    sb *c = &d->commands;
    char *end = c->len ? memchr(c->s, '\n', c->len) : NULL;
    if (!end && !d->is_at_end)
        return false;
    if (!c->len)
        sb_puts(c, "quit");
    const size_t len = end ? (size_t)(end - c->s) : c->len;
    c->s[len] = '\0';
    d->is_waiting = is_command(c->s);
    coprocess_send(d->e, c->s);
    c->len -= len + (end != NULL);
    memmove(c->s, c->s + len + (end != NULL), c->len);
    return true;
}

static void read_commands(dialogue *d)
{
    char bytes[4096];
    const ssize_t n = read(d->choice->from, bytes, sizeof bytes);
    if (n > 0)
        sb_add(&d->commands, bytes, (size_t)n);
    else if (n == 0 || errno != EINTR)
        d->is_at_end = true;
}

/* Print a line of the replayer, unless it is to be text and is no answer. */
static void print_line(dialogue *d, const char *line, size_t len, bool too_long)
{
    CLEANUP(answer_free) replayer_answer a = answer_parse(line, len, too_long);
    const bool answers = a.kind != ANSWER_NOISE && a.kind != ANSWER_EVENT;
    d->is_waiting = d->is_waiting && !answers;
    if (d->choice->json && too_long) {
        printf("{\"ok\":false,\"error\":\"%s\"}\n", a.error);
    } else if (d->choice->json) {
        printf("%.*s\n", (int)len, line);
    } else if (answers) {
        OWNED char *text = answer_text(&a);
        printf("%s\n", text);
    }
    fflush(stdout);
}

/* After SIGINT: stop the command that is under way. False: end, as nobody types the commands. */
static bool handle_interrupt(const dialogue *d)
{
    is_interrupted = 0;
    if (d->is_waiting && (d->choice->json || d->is_typed))
        coprocess_interrupt(d->e);
    else if (d->is_typed && !d->choice->json)
        fputs("\n(nothing is running; `quit` leaves)\n", stderr);
    return d->choice->json || d->is_typed;
}

/* Converse until the replayer has ended. False: ended before. */
static bool converse(dialogue *d, const sigset_t *unblocked)
{
    while (!ferror(stdout)) {
        const char *line;
        size_t len;
        bool too_long;
        while ((line = coprocess_next_line(d->e, &len, &too_long)))
            print_line(d, line, len, too_long);
        if (coprocess_ended(d->e))
            return true;
        if (!d->is_waiting && send_next_command(d))
            continue; /* perhaps the answer is already there */
        const int output = coprocess_output_fd(d->e);
        struct pollfd p[2] = {
            {.fd = output, .events = POLLIN},
            {.fd = d->is_waiting || d->is_at_end ? -1 : d->choice->from, .events = POLLIN}};
        const struct timespec limit = {.tv_nsec = output < 0 ? 2000000 : 200000000};
        const int ready = ppoll(p, 2, &limit, unblocked);
        if (is_interrupted && !handle_interrupt(d))
            return false;
        if (ready > 0 && p[1].revents)
            read_commands(d);
        coprocess_exchange(d->e);
    }
    return false;
}

int dialogue_hold(const char *const *argv, const dialogue_choice *choice)
{
    const char *const env[] = {"WARPBOOK_STEP=json", NULL};
    const struct sigaction interrupt = {.sa_handler = note_interrupt};
    sigset_t interrupts, unblocked;
    sigemptyset(&interrupts);
    sigaddset(&interrupts, SIGINT);
    sigprocmask(SIG_BLOCK, &interrupts, &unblocked); /* it arrives only during ppoll */
    sigdelset(&unblocked, SIGINT);
    sigaction(SIGINT, &interrupt, NULL);
    signal(SIGPIPE, SIG_IGN);
    dialogue d = {.choice = choice,
                  .e = coprocess_start_with_stderr("The replayer", argv, env),
                  .is_typed = isatty(choice->from),
                  .is_waiting = true}; /* it begins with an answer */
    if (choice->first)
        sb_printf(&d.commands, "%s\n", choice->first);
    int code = EXIT_FAIL, number;
    const job_end how = converse(&d, &unblocked) ? coprocess_outcome(d.e, &number) : JOB_CANCELLED;
    if (how == JOB_NO_START)
        code = report_failure(EXIT_LACKS, "%s does not start: %s; run `make`", argv[0],
                              strerror(number));
    else if (how == JOB_EXITED)
        code = number;
    coprocess_free(d.e);
    sb_free(&d.commands);
    return code;
}
