/* warpbook: builds, runs, checks, shows and plots the labs. */
#include "cli.h"
#include "pristine.h"
#include "screen.h"
#include "signals.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int work(desk *d)
{
    const char *c = d->options.command;
    if (!c)
        return screen_possible() ? screen_run(d) : cli_tour(d);
    if (strcmp(c, "list") == 0)
        return cli_list(d);
    if (strcmp(c, "run") == 0 || strcmp(c, "check") == 0)
        return cli_run(d, *c == 'c');
    if (strcmp(c, "grade") == 0)
        return cli_grade(d);
    if (strcmp(c, "lesson") == 0)
        return cli_lesson(d);
    if (strcmp(c, "plot") == 0)
        return cli_plot(d);
    if (strcmp(c, "hint") == 0)
        return cli_hint(d);
    if (strcmp(c, "solution") == 0)
        return cli_solution(d);
    if (strcmp(c, "reset") == 0)
        return cli_reset(d);
    if (strcmp(c, "watch") == 0)
        return cli_watch(d);
    if (strcmp(c, "demo") == 0)
        return cli_demo(d);
    if (strcmp(c, "doctor") == 0)
        return cli_doctor(d);
    fprintf(stderr, "warpbook: there is no command %s; `warpbook --help` lists them\n", c);
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    setlocale(LC_CTYPE, ""); /* not LC_NUMERIC: records have points in their numbers */
    desk d = {0};
    char err[512];
    int code = options_parse(&d.options, argc, argv);
    if (code >= 0)
        return code;
    if (!house_open(&d.house, d.options.root, err, sizeof err)) {
        fprintf(stderr, "warpbook: %s\n", err);
        house_close(&d.house);
        return EXIT_USAGE;
    }
    if (d.options.command && strcmp(d.options.command, "exec") == 0) {
        d.options.words[d.options.word_count] = NULL;
        code = cli_exec(&d.house, d.options.words);
        house_close(&d.house);
        return code;
    }
    signals_install();
    book_open(&d.book, &d.house);
    state_open(&d.state, &d.house);
    pristine_keep(&d.house, &d.book);
    code = work(&d);
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
