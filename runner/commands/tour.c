/* What the program shows where there is no terminal for its screen: the list of chapters, and the
 * first chapter's lab and solution as they run. */
#include "../show/report.h"
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Run the lab or the solution, and report it. False: there is no more to be seen. */
static bool show_run(desk *d, const chapter *c, bool gpu, bool solution)
{
    verdict v;
    bool was = d->options.solution;
    d->options.solution = solution;
    printf("\n--- %s, %s ---\n\n", c->title, solution ? "the solution" : "the lab");
    fflush(stdout);
    bool ended = cli_attempt(d, c, gpu, &v);
    bool good = ended && verdict_exit_code(v.kind) != EXIT_LACKS;
    if (ended) {
        report_verdict(stdout, d, c, &v, false);
        verdict_free(&v);
    }
    d->options.solution = was;
    return good;
}

static void show_first_chapter(desk *d)
{
    const chapter *c = NULL;
    char err[512];
    bool gpu;
    for (size_t i = 0; i < d->book.count && !c; i++)
        if (d->book.chapters[i].has_lab && d->book.chapters[i].has_solution)
            c = &d->book.chapters[i];
    if (!c)
        return;
    if (!device_resolve(d->options.device, &d->house, &gpu, err, sizeof err)) {
        printf("\nNothing can be run: %s\n", err);
        return;
    }
    if (!show_run(d, c, gpu, false) || !show_run(d, c, gpu, true))
        return;
    printf("\n--- %s, the pictures of the solution ---\n\n", c->title);
    fflush(stdout);
    cli_plot_chapter(d, c, gpu, true);
}

int cli_tour(desk *d)
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
        printf("  read   %s\n", house_short(&d->house, next->lesson));
        printf("  edit   %s\n", house_short(&d->house, next->lab));
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
