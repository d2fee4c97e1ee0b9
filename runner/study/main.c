/* The program warpbook: builds, runs, checks, shows and plots the labs. */
#include "../base/linear.h"
#include "../base/signals.h"
#include "../book/pristine.h"
#include "../commands/commands.h"
#include "../screen/screen.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int run_command(session *d)
{
    const command *c = d->options.command ? command_find(d->options.command) : NULL;
    if (c)
        return c->handler(d);
    if (is_output_linear() && isatty(STDIN_FILENO))
        return cli_dialog(d);
    return screen_can_be_shown() ? screen_run(d) : cli_tour(d);
}

int main(int argc, char **argv)
{
    setlocale(LC_CTYPE, ""); /* LC_NUMERIC stays "C", because numbers in records have decimal
                              * points */
    /* For compilers and labs: glibc then gives large blocks in huge pages, which cost fewer page
     * faults. */
    setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1", 0);
    session d = {0};
    char err[512];
    int code = options_parse(&d.options, argc, argv);
    if (code >= 0)
        return code;
    if (d.options.plain)
        linear_output_set();
    const command *c = d.options.command ? command_find(d.options.command) : NULL;
    bool open = installation_open(&d.installation, d.options.root, err, sizeof err);
    if (!open && !(c && c->takes & TAKES_ANYWHERE)) {
        fprintf(stderr, "warpbook: %s\n", err);
        installation_close(&d.installation);
        return EXIT_USAGE;
    }
    if (c && c->takes & TAKES_OWN) {
        code = c->handler(&d);
        installation_close(&d.installation);
        return code;
    }
    install_signal_handlers();
    book_open(&d.book, &d.installation);
    state_open(&d.state, &d.installation);
    store_original_labs(&d.installation, &d.book);
    code = run_command(&d);
    print_warnings(&d);
    state_close(&d.state);
    book_close(&d.book);
    installation_close(&d.installation);
    int sig = caught_signal_number();
    if (sig)
        die_of_signal(sig);
    if (fflush(stdout) != 0 && code == EXIT_PASS) {
        perror("warpbook: standard output");
        code = EXIT_FAIL;
    }
    return code;
}
