#include "ladder.h"

#include "../base/linear.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BAR_WIDTH = 20 }; /* characters of a bar of 100 percent */

/* V's percent of the variant ROOF, from a row of the rubric; NAN: the run has none. */
static double own_percent(const verdict *v, const char *roof)
{
    for (size_t i = 0; i < v->score.count; i++) {
        const point_row *p = &v->score.rows[i];
        if (strcmp(p->kind, "ratio") == 0 && strcmp(p->metric, roof) == 0 && !p->withheld)
            return p->reached;
    }
    return NAN;
}

static void add_step(sb *text, const char *mark, const char *name, const char *from, double percent,
                     char sign)
{
    char bar[BAR_WIDTH + 1], value[32] = "not measured";
    int length = isnan(percent) ? 0 : (int)lround(fmin(percent, 100) / 100 * BAR_WIDTH);
    memset(bar, sign, sizeof bar);
    bar[is_output_linear() ? 0 : length] = '\0';
    if (!isnan(percent))
        snprintf(value, sizeof value, "%.1f %%", percent);
    sb_printf(text, "%s%-14s %-11s %12s%s%s\n", mark, name, from, value, *bar ? "  " : "", bar);
}

void report_ladder(sb *text, const chapter *c, const verdict *v)
{
    OWNED char *path = xprintf("%s/ladder.tsv", c->dir);
    OWNED_TABLE table *steps = table_read(path);
    const size_t rows = steps ? steps->rows : 0;
    const char *roof = rows ? table_get(steps, 0, "roof") : NULL;
    double own = roof ? own_percent(v, roof) : NAN;
    bool measured = v->source && strcmp(v->source, "measured") == 0;
    const char *column = measured ? "measured" : "modelled";
    const char sign = measured ? '#' : ':';

    if (!isnan(own))
        sb_printf(text, "  The ladder: percent of the roof, %s\n", column);
    bool shown = isnan(own);
    for (size_t i = 0; !isnan(own) && i < rows; i++) {
        double percent = NAN;
        const char *number = table_get(steps, i, "chapter"), *name = table_get(steps, i, "step");
        bool same_roof = table_is(steps, i, "roof", roof);
        table_number(steps, i, column, &percent);
        if (!shown && (percent > own || !same_roof)) {
            add_step(text, "> ", "yours", "this run", own, sign);
            shown = true;
        }
        OWNED char *from = number ? xprintf("chapter %d", atoi(number)) : xstrdup("");
        add_step(text, "  ", name ? name : "?", from, percent, sign);
    }
    if (!shown)
        add_step(text, "> ", "yours", "this run", own, sign);
}
