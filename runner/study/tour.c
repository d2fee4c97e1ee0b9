/* Text output for terminals without a screen: a tour (the list of chapters, then runs of the first
 * chapter's lab and solution), and with --plain a dialog of lines. */
#include "../base/signals.h"
#include "../commands/cli.h"
#include "../run/record.h"
#include "../show/draw.h"
#include "../show/report.h"
#include "study.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Run the lab or the solution, and print a report. False: the tour cannot continue. */
static bool show_run(session *d, const chapter *c, bool gpu, bool solution)
{
    verdict v;
    bool was = d->options.solution;
    d->options.solution = solution;
    printf("\n--- %s, %s ---\n\n", c->title, solution ? "the solution" : "the lab");
    fflush(stdout);
    bool ended = run_attempt(d, c, gpu, &v);
    bool good = ended && verdict_exit_code(v.kind) != EXIT_LACKS;
    if (ended) {
        report_verdict(stdout, d, c, &v, false);
        verdict_free(&v);
    }
    d->options.solution = was;
    return good;
}

static void show_first_chapter(session *d)
{
    const chapter *c = NULL;
    char err[512];
    bool gpu;
    for (size_t i = 0; i < d->book.count && !c; i++)
        if (d->book.chapters[i].has_lab && d->book.chapters[i].has_solution)
            c = &d->book.chapters[i];
    if (!c)
        return;
    if (!device_resolve(d->options.device, &d->installation, &gpu, err, sizeof err)) {
        printf("\nNothing can be run: %s\n", err);
        return;
    }
    if (!show_run(d, c, gpu, false) || !show_run(d, c, gpu, true))
        return;
    printf("\n--- %s, the plots of the solution ---\n\n", c->title);
    fflush(stdout);
    plot_chapter(d, c, gpu, true);
}

int cli_tour(session *d)
{
    const char *term = getenv("TERM");
    if (isatty(STDOUT_FILENO) && (!term || !*term || strcmp(term, "dumb") == 0))
        printf("This terminal (TERM=%s) cannot show a screen: here is the tour as text.\n\n",
               term ? term : "");
    puts("warpbook: how a CUDA program moves data\n");
    cli_list(d);
    const chapter *next = next_chapter(d);
    const char *number = next ? strrchr(next->name, '/') ? next->name : NULL : NULL;
    char digits[16];
    if (next && !number) {
        snprintf(digits, sizeof digits, "%d", next->number);
        number = digits;
    }
    if (next) {
        printf("\nNext: %s\n\n", next->title);
        printf("  read   %s\n", installation_short_path(&d->installation, next->lesson));
        printf("  edit   %s\n", installation_short_path(&d->installation, next->lab));
        printf("  then   ./warpbook run %-6s its output, its bandwidth, and why\n", number);
        printf("         ./warpbook check %-4s what is right, what is wrong\n", number);
        printf("         ./warpbook hint %-5s if you are stuck\n", number);
        printf("         ./warpbook plot %-5s the picture\n", number);
    } else if (d->book.count) {
        puts("\nAll chapters pass.");
    }
    show_first_chapter(d);
    puts("\n`./warpbook --help` lists all commands; on a terminal, `./warpbook` opens the screen.");
    return EXIT_PASS;
}

/* --- the dialog --- A line is a command of commands.def, or a chapter's number or name, which
 * selects the chapter. Commands that need a chapter use the selected one. */

enum { MAX_WORDS = 32 }; /* words of a line, at most */

static void print_tour_help(void)
{
    puts("A number or a name chooses a chapter: 4, or L2 for an assignment. Then:");
    for (size_t i = 0; i < command_row_count; i++) {
        const command *row = &command_rows[i];
        if (row->name && starts_with(row->arguments, "CHAPTER") && !(row->takes & TAKES_OWN))
            printf("%s: %s.\n", row->name, row->help);
    }
    puts("list: all chapters. next: the next chapter that does not pass. help: this. quit: the "
         "end.");
}

static void print_chapter_line(session *d, const chapter *c)
{
    const char *reason = state_last_reason(&d->state, c);
    printf("%s %d, %s. ", c->assignment ? "Assignment" : "Chapter", c->number, c->title);
    printf("%s\n", state_ever_passed(&d->state, c) ? "It has passed."
                   : reason                        ? reason
                                                   : "Not tried yet.");
    printf("The lab is %s, with %zu TODO regions.\n",
           installation_short_path(&d->installation, c->lab), c->todo_count);
}

/* Run a command of another program in the dialog's workbook, and wait for its end. */
static void run_program(session *d, const command *row, char **line)
{
    setenv("WARPBOOK_ROOT", d->installation.root, 1);
    fflush(NULL);
    exec_child(program_path(&d->installation, row->program), line, false);
}

/* Run the command line WORDS as if typed in a shell, for chapter C if no word names one. */
static void run_dialog_command(session *d, const command_handler *handlers, const command *row,
                               char **words, int count, const chapter *c)
{
    char called[] = "warpbook", plain[] = "--plain", *name = xstrdup(c ? c->name : "");
    char *argv[MAX_WORDS + 4] = {called, words[0]};
    char err[512];
    int argc = 2, from = 1;
    options before = d->options, o;
    if (starts_with(row->arguments, "CHAPTER")) {
        /* A number may name the chapter or be an argument: it names the chapter if the command
         * takes no other argument. */
        bool only = strcmp(row->arguments, "CHAPTER") == 0;
        bool named =
            count > 1 && *words[1] != '-' && only && book_find(&d->book, words[1], err, sizeof err);
        argv[argc++] = named ? words[1] : name;
        from = named ? 2 : 1;
    }
    for (; from < count; from++)
        argv[argc++] = words[from];
    argv[argc++] = plain;
    char device[32], *line[MAX_WORDS + 6] = {NULL}; /* parsing moves the words of ARGV */
    snprintf(device, sizeof device, "--device=%s", device_name(before.device));
    memcpy(line, argv, (size_t)argc * sizeof *line);
    line[argc] = device;
    argv[argc] = NULL;
    if (options_parse(&o, argc, argv) < 0) {
        int (*handler)(session *) = command_handler_find(handlers, row->name);
        o.root = before.root;
        if (o.device_said)
            line[argc] = NULL;
        else
            o.device = before.device;
        d->options = o;
        if (handler)
            handler(d);
        else
            run_program(d, row, line);
    }
    d->options = before;
    fflush(stdout);
    free(name);
}

/* Execute one line of the dialog. False: the line ends the dialog. */
static bool run_dialog_line(session *d, const command_handler *handlers, char *line,
                            const chapter **chosen)
{
    char *words[MAX_WORDS], err[512];
    int count = 0;
    for (char *w = strtok(line, " \t\n"); w && count < MAX_WORDS; w = strtok(NULL, " \t\n"))
        words[count++] = w;
    if (count == 0)
        return true;
    if (strcmp(words[0], "quit") == 0 || strcmp(words[0], "q") == 0)
        return false;
    const command *row = command_find(words[0]);
    if (strcmp(words[0], "help") == 0 || strcmp(words[0], "?") == 0) {
        print_tour_help();
    } else if (strcmp(words[0], "next") == 0) {
        const chapter *next = next_chapter(d);
        *chosen = next ? next : *chosen;
        if (next)
            print_chapter_line(d, next);
        else
            puts("All chapters pass.");
    } else if (row && row->takes & TAKES_OWN) {
        printf("%s is a separate program: leave with quit, and type `warpbook %s` in the shell.\n",
               row->name, row->name);
    } else if (row) {
        run_dialog_command(d, handlers, row, words, count, *chosen);
    } else {
        const chapter *c = book_find(&d->book, words[0], err, sizeof err);
        *chosen = c ? c : *chosen;
        if (c)
            print_chapter_line(d, c);
        else
            printf("%s; help lists the commands\n", err);
    }
    return true;
}

int cli_dialog(session *d, const command_handler *handlers)
{
    const chapter *chosen = next_chapter(d);
    char line[1024];
    puts("warpbook: how a CUDA program moves data. Type help for the commands, quit to leave.");
    if (!chosen && d->book.count)
        chosen = &d->book.chapters[0];
    if (chosen)
        print_chapter_line(d, chosen);
    for (;;) {
        printf("Command: ");
        fflush(stdout);
        if (!fgets(line, sizeof line, stdin) || caught_signal_number())
            break;
        if (!run_dialog_line(d, handlers, line, &chosen))
            return EXIT_PASS;
        state_refresh(&d->state);
    }
    putchar('\n');
    return EXIT_PASS;
}
