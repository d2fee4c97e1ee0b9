/* A run's goals for people: a kernel's met goals on one line, each missed one with its reason. */
#include "../book/metrics.h"
#include "../judge/cost.h"
#include "report.h"

#include <math.h>
#include <string.h>

static bool is_cost(const goal_row *g)
{
    return strcmp(g->metric, COST_METRIC) == 0;
}

static bool is_goal_met(const verdict *v, size_t i, const char *kernel)
{
    return v->goals[i].state == GOAL_MET && !is_cost(&v->goals[i]) && !isnan(v->goals[i].value) &&
           strcmp(v->goals[i].kernel, kernel) == 0;
}

/* Print the costs that are no higher than they may be as one line. */
static void add_met_costs(page *p, const verdict *v, size_t width)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < v->goal_count; i++)
        if (is_cost(&v->goals[i]) && v->goals[i].state == GOAL_MET && !isnan(v->goals[i].value)) {
            least = fmin(least, v->goals[i].value);
            most = fmax(most, v->goals[i].value);
        }
    if (most == 0)
        return;
    OWNED char *text =
        most - least < 0.005
            ? xprintf("✓ %.2f times the time of the book's solution", most)
            : xprintf("✓ %.2f to %.2f times the time of the book's solution", least, most);
    page_wrap_text(p, STYLE_GOOD, text, width, "", "  ");
}

/* Append the value and unit of goal G. */
static void add_goal_value(sb *text, const goal_row *g)
{
    char value[32], words[128];
    const metric *m = metric_find(g->metric);
    nice_number(g->value, value, sizeof value);
    sb_printf(text, "%s%s", m ? metric_value_in_words(m, value, words, sizeof words) : value,
              g->emulated ? " (counted by the emulator)" : "");
}

/* Return true if a met goal from FIRST to before I has the metric of goal I, so that the value is
 * printed already: a metric may have an upper and a lower limit. */
static bool is_value_printed_before(const verdict *v, size_t first, size_t i)
{
    for (size_t k = first; k < i; k++)
        if (is_goal_met(v, k, v->goals[i].kernel) &&
            strcmp(v->goals[k].metric, v->goals[i].metric) == 0)
            return true;
    return false;
}

/* Print all met goals of the kernel of goal FIRST, unless an earlier goal has printed them. */
static void add_met_goals(page *p, const verdict *v, size_t first, size_t width)
{
    const goal_row *g = &v->goals[first];
    for (size_t i = 0; i < first; i++)
        if (is_goal_met(v, i, g->kernel))
            return;
    CLEANUP(sb_free) sb text = {0};
    sb_printf(&text, "✓ %s: ", g->kernel);
    for (size_t i = first; i < v->goal_count; i++)
        if (!is_value_printed_before(v, first, i) && is_goal_met(v, i, g->kernel)) {
            sb_puts(&text, i > first ? ", " : "");
            add_goal_value(&text, &v->goals[i]);
        }
    page_wrap_text(p, STYLE_GOOD, text.s, width, "", "  ");
}

void report_goals(page *p, const verdict *v, size_t width)
{
    for (size_t i = 0; i < v->goal_count; i++) {
        const goal_row *g = &v->goals[i];
        bool missed = g->state == GOAL_MISSED;
        if (is_goal_met(v, i, g->kernel))
            add_met_goals(p, v, i, width);
        if (g->state == GOAL_MET || g->state == GOAL_WAITING)
            continue;
        OWNED char *text = xprintf("%s %s", missed ? "✗" : "?", g->sentence);
        page_wrap_text(p, missed ? STYLE_BAD : STYLE_NOTE, text, width, "", "  ");
        if (missed && g->detail)
            page_wrap_text(p, STYLE_DIM, g->detail, width, "    ", "  ");
    }
    add_met_costs(p, v, width);
    if (v->uncompared) {
        OWNED char *text = xprintf("? %s", v->uncompared);
        page_wrap_text(p, STYLE_NOTE, text, width, "", "  ");
    }
}
