#include "judged_goals.h"

#include "../base/files.h"
#include "../book/breaks.h"
#include "../judge/broken.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void print_goal(const goal_row *g)
{
    printf("%s\t%s\t", g->kernel, g->metric);
    if (g->state <= GOAL_MISSED && !isnan(g->value))
        printf("%.9g", g->value);
    else
        putchar('-');
    printf("\t%s\t%g\t%s\t%s\n", g->relation, g->limit, g->state == GOAL_MET ? "met" : "missed",
           g->sentence);
}

int print_judged_goals(session *d, const char *name, const char *record, const char *counters)
{
    char err[512];
    CLEANUP(verdict_free) verdict v = {0};
    table *rows = table_read(record);
    book_open(&d->book, &d->installation);
    const chapter *c = book_find(&d->book, name, err, sizeof err);
    if (c && rows) {
        verdict_judge(&v, c, rows, table_read(counters), NULL, JOB_EXITED, 0, 0, NULL);
        for (size_t i = 0; i < v.goal_count; i++)
            print_goal(&v.goals[i]);
    } else {
        fprintf(stderr, "warpbook: %s\n", c ? record : err);
    }
    table_free(rows);
    book_close(&d->book);
    return c && rows ? EXIT_PASS : EXIT_USAGE;
}

int print_judged_choice(session *d, char **words)
{
    enum { NAME, RECORD, COUNTERS, REPORTS, OUTPUT, STATUS };
    char err[512];
    CLEANUP(verdict_free) verdict v = {0};
    book_open(&d->book, &d->installation);
    breaks_open(&d->breaks, &d->book);
    const chapter *of = book_find(&d->book, words[NAME], err, sizeof err),
                  *c = of ? break_of_chapter(&d->breaks, of) : NULL;
    char *output = read_whole_file(words[OUTPUT], 1 << 20, NULL);
    if (c && output) {
        OWNED_TABLE table *rows = table_read(words[RECORD]);
        v.output = output;
        verdict_judge(&v, c, rows, table_read(words[COUNTERS]), NULL, JOB_EXITED,
                      atoi(words[STATUS]), 0, NULL);
        verdict_add_findings(&v, findings_read(&v.memory, words[REPORTS]));
        judge_broken(&v, c);
        printf("%s: %s\n", v.kind == VERDICT_PASS ? "found" : verdict_id(v.kind), v.reason);
    } else {
        fprintf(stderr, "warpbook: %s\n", !of ? err : !c ? "no kernel to break" : words[OUTPUT]);
    }
    free(output);
    book_close(&d->breaks);
    book_close(&d->book);
    return c && output ? EXIT_PASS : EXIT_USAGE;
}
