/* The program warpbook: builds, runs, checks, shows and plots the labs. */
#include "../base/linear.h"
#include "../base/signals.h"
#include "../book/pristine.h"
#include "../screen/screen.h"
#include "commands.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int run_command(session *d)
{
    const command *c = d->options.command ? command_find(d->options.command) : NULL;
    if (c)
        return c->handler(d);
    if (linear_output() && isatty(STDIN_FILENO))
        return cli_dialog(d);
    return screen_possible() ? screen_run(d) : cli_tour(d);
}

int main(int argc, char **argv)
{
    setlocale(LC_CTYPE, ""); /* LC_NUMERIC stays "C", because numbers in records have decimal
                              * points */
    session d = {0};
    char err[512];
    int code = options_parse(&d.options, argc, argv);
    if (code >= 0)
        return code;
    if (d.options.plain)
        linear_output_set();
    const command *c = d.options.command ? command_find(d.options.command) : NULL;
    bool open = house_open(&d.house, d.options.root, err, sizeof err);
    if (!open && !(c && c->takes & TAKES_ANYWHERE)) {
        fprintf(stderr, "warpbook: %s\n", err);
        house_close(&d.house);
        return EXIT_USAGE;
    }
    if (c && c->takes & TAKES_OWN) {
        code = c->handler(&d);
        house_close(&d.house);
        return code;
    }
    signals_install();
    book_open(&d.book, &d.house);
    state_open(&d.state, &d.house);
    pristine_keep(&d.house, &d.book);
    code = run_command(&d);
    cli_warnings(&d);
    state_close(&d.state);
    book_close(&d.book);
    house_close(&d.house);
    int sig = signals_caught();
    if (sig)
        signals_die(sig);
    if (fflush(stdout) != 0 && code == EXIT_PASS) {
        perror("warpbook: standard output");
        code = EXIT_FAIL;
    }
    return code;
}
