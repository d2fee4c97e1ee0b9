/* Goals as people read them: those of a kernel that are met in one line, a missed one with its
 * reason. */
#include "report.h"

#include <stdlib.h>
#include <string.h>

static void put(page *p, style how, const char *text, size_t width, const char *margin)
{
    styled t = {0};
    styled_puts(&t, how, text);
    page_wrap(p, &t, width, margin, "  ");
}

static bool is_met(const verdict *v, size_t i, const char *kernel)
{
    return v->goals[i].state == GOAL_MET && strcmp(v->goals[i].kernel, kernel) == 0;
}

/* All goals of the kernel of goal FIRST that are met, unless one of them stands before it. */
static void put_met(page *p, const verdict *v, size_t first, size_t width)
{
    const goal_row *g = &v->goals[first];
    const size_t name = strlen(g->kernel) + strlen(": ");
    for (size_t i = 0; i < first; i++)
        if (is_met(v, i, g->kernel))
            return;
    sb text = {0};
    sb_printf(&text, "✓ %s", g->sentence);
    for (size_t i = first + 1; i < v->goal_count; i++)
        if (is_met(v, i, g->kernel) && strlen(v->goals[i].sentence) > name)
            sb_printf(&text, "; %s", v->goals[i].sentence + name);
    put(p, STYLE_GOOD, text.s, width, "");
    sb_free(&text);
}

void report_goals(page *p, const verdict *v, size_t width)
{
    for (size_t i = 0; i < v->goal_count; i++) {
        const goal_row *g = &v->goals[i];
        bool missed = g->state == GOAL_MISSED;
        if (g->state == GOAL_MET)
            put_met(p, v, i, width);
        if (g->state == GOAL_MET || g->state == GOAL_WAITING)
            continue;
        char *text = xprintf("%s %s", missed ? "✗" : "?", g->sentence);
        put(p, missed ? STYLE_BAD : STYLE_NOTE, text, width, "");
        if (missed && g->detail)
            put(p, STYLE_DIM, g->detail, width, "    ");
        free(text);
    }
}
