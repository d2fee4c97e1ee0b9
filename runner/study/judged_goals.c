#include "judged_goals.h"

#include "../judge/verdict.h"

#include <math.h>
#include <stdio.h>

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
    verdict v = {0};
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
    verdict_free(&v);
    table_free(rows);
    book_close(&d->book);
    return c && rows ? EXIT_PASS : EXIT_USAGE;
}
