#include "program.h"

#include "../base/linear.h"
#include "../base/signals.h"
#include "../book/breaks.h"
#include "../book/pristine.h"
#include "cli.h"
#include "commands.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int (*command_handler_find(const command_handler *list, const char *name))(session *d)
{
    for (; list->name; list++)
        if (strcmp(list->name, name) == 0)
            return list->handler;
    return NULL;
}

const char *program_path(installation *h, const char *name)
{
    return installation_program(h, arena_printf(&h->memory, "warpbook-%s", name));
}

/* Replace this process by the program NAME, which has the command C. Returns only if that fails. */
static int start_program(installation *h, const command *c, const char *name, char **argv)
{
    const char *path = program_path(h, name);
    fflush(NULL);
    execv(path, argv);
    return report_failure(EXIT_LACKS, "the program of %s, %s, does not start: %s; run `make`",
                          c ? c->name : "the text", path, strerror(errno));
}

/* Run the command on the open workbook. */
static int run_command(session *d, const program *p, int (*handler)(session *d))
{
    install_signal_handlers();
    book_open(&d->book, &d->installation);
    breaks_open(&d->breaks, &d->book);
    state_open(&d->state, &d->installation);
    store_original_labs(&d->installation, &d->book);
    store_original_labs(&d->installation, &d->breaks);
    int code = handler ? handler(d) : p->without_command(d);
    print_warnings(d);
    state_close(&d->state);
    book_close(&d->breaks);
    book_close(&d->book);
    return code;
}

/* Open the workbook and run the command C, or what the program does without a command. */
static int open_and_run(session *d, const program *p, const command *c)
{
    char err[512];
    int (*handler)(session *) = c ? command_handler_find(p->handlers, c->name) : NULL;
    bool open = installation_open(&d->installation, d->options.root, err, sizeof err);
    if (!open && !(c && c->takes & TAKES_ANYWHERE))
        return report_failure(EXIT_USAGE, "%s", err);
    return c && c->takes & TAKES_OWN ? handler(d) : run_command(d, p, handler);
}

/* A copy of a command line, since parsing it moves the words; to be freed. */
static char **copy_words(int argc, char **argv)
{
    char **copy = xmalloc((size_t)(argc + 1) * sizeof *copy);
    memcpy(copy, argv, (size_t)(argc + 1) * sizeof *copy);
    return copy;
}

/* Run the parsed command of D; LINE is the whole command line. */
static int run_command_line(const program *p, session *d, char **line)
{
    if (d->options.plain)
        linear_output_set();
    const command *c = d->options.command ? command_find(d->options.command) : NULL;
    const char *starts = !p->starts ? NULL : c ? c->program : p->starts();
    if (starts)
        return start_program(&d->installation, c, starts, line);
    if (c ? !command_handler_find(p->handlers, c->name) : !p->without_command) {
        fprintf(stderr, "warpbook-%s: is started by warpbook: `warpbook --help` lists commands\n",
                p->name);
        return EXIT_USAGE;
    }
    int code = open_and_run(d, p, c);
    installation_close(&d->installation);
    int sig = caught_signal_number();
    if (sig)
        die_of_signal(sig);
    if (fflush(stdout) != 0 && code == EXIT_PASS) {
        perror("warpbook: standard output");
        code = EXIT_FAIL;
    }
    return code;
}

int program_main(const program *p, int argc, char **argv)
{
    setlocale(LC_CTYPE, ""); /* LC_NUMERIC stays "C", as records have decimal points */
    /* For compilers and labs: large blocks in huge pages cost fewer page faults. */
    setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1", 0);
    session d = {0};
    OWNED char **line = copy_words(argc, argv);
    int code = options_parse(&d.options, argc, argv);
    if (code < 0)
        code = run_command_line(p, &d, line);
    return code;
}
