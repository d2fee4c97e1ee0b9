/* The counters tab: first the metrics that the chapter discusses, with their meaning and best
 * value, then counts per source line; all other counters are folded. */
#include "../base/files.h"
#include "../book/metrics.h"
#include "pages.h"

#include <math.h>
#include <string.h>

enum { MAX_LINES_SHOWN = 12 }; /* source lines in the table, at most */

/* --- metrics --- */

static bool is_metric_of_goal(const verdict *v, const char *kernel, const metric *m,
                              const goal_row **out)
{
    for (size_t i = 0; i < v->goal_count; i++)
        if (is_kernel_named(kernel, v->goals[i].kernel) &&
            strcmp(v->goals[i].metric, m->name) == 0) {
            *out = &v->goals[i];
            return true;
        }
    return false;
}

/* Return true if a goal or a prediction of the chapter names metric M, for any kernel. */
static bool is_metric_of_chapter(const page_request *r, const verdict *v, const metric *m)
{
    const chapter *c = r->c;
    for (size_t i = 0; i < v->goal_count; i++)
        if (strcmp(v->goals[i].metric, m->name) == 0)
            return true;
    for (size_t i = 0; i < c->prediction_count; i++)
        if (strcmp(c->predictions[i].metric, m->name) == 0)
            return true;
    return false;
}

static void add_metric_row(const page_request *r, const verdict *v, const char *kernel,
                           const metric *m, double value, bool emulated)
{
    size_t width = r->columns;
    char number[32], limit[32];
    const goal_row *g = NULL;
    styled t = {0};
    nice_number(round(value * 100) / 100, number, sizeof number);
    styled_printf(&t, STYLE_STRONG, "%10s", number);
    styled_printf(&t, STYLE_NORMAL, "  %s%s", m->unit, emulated ? " (by the emulator)" : "");
    if (is_metric_of_goal(v, kernel, m, &g) && g->state == GOAL_WAITING)
        styled_printf(&t, STYLE_DIM, "  goal: %s %s, once all checks pass",
                      words_for_relation(g->relation), nice_number(g->limit, limit, sizeof limit));
    else if (g)
        styled_printf(&t, holds_as_goal(g->relation, value, g->limit) ? STYLE_GOOD : STYLE_BAD,
                      "  %s goal: %s %s", holds_as_goal(g->relation, value, g->limit) ? "✓" : "✗",
                      words_for_relation(g->relation), nice_number(g->limit, limit, sizeof limit));
    page_wrap(r->page, &t, width, "", "            ");
    styled_printf(&t, STYLE_DIM, "%s; best: %s", m->meaning, m->best);
    page_wrap(r->page, &t, width, "            ", "            ");
}

/* Show the metrics of KERNEL that the chapter discusses, or with REST all other metrics that are
 * not 0. Return their number. Without SHOW, only count them. */
static size_t show_metrics(const page_request *r, const verdict *v, const char *kernel, bool rest,
                           bool show)
{
    size_t count = 0;
    for (size_t i = 0; i < metric_count; i++) {
        double value;
        bool emulated, talked = is_metric_of_chapter(r, v, &metric_table[i]);
        if (talked == rest || !verdict_metric(v, kernel, &metric_table[i], &value, &emulated) ||
            (rest && value == 0) || (!rest && count == MAX_LINES_SHOWN))
            continue;
        count++;
        if (show)
            add_metric_row(r, v, kernel, &metric_table[i], value, emulated);
    }
    return count;
}

/* --- the table of counters --- */

/* Show the counters of KERNEL that are not 0: with ncu's names, or with OWN the emulator's. */
static size_t show_counters(const page_request *r, const table *t, const char *kernel, bool own,
                            bool show)
{
    CLEANUP(arena_free) arena a = {0};
    const char **seen = NULL;
    size_t count = 0, shown = 0;
    for (size_t row = 0; t && row < t->rows; row++) {
        const char *full = table_get(t, row, "kernel"), *name = table_get(t, row, "metric");
        double value;
        bool known =
            !full || !name || strcmp(full, kernel) != 0 || starts_with(name, "ptx__") != own;
        for (size_t i = 0; i < count && !known; i++)
            known = strcmp(seen[i], name) == 0;
        if (known)
            continue;
        *ARENA_PUSH(&a, seen, count) = name;
        if (!counter_sum(t, kernel, name, false, &value) || value == 0)
            continue;
        shown++;
        /* Counter names differ at their ends, so a long name is shortened in the middle. */
        int room = (int)r->columns - 14, length = (int)strlen(name), head = room / 3;
        if (show && length <= room)
            page_line_add(r->page, STYLE_DIM, "%12.0f  %s", value, name);
        else if (show)
            page_line_add(r->page, STYLE_DIM, "%12.0f  %.*s…%s", value, head, name,
                          name + length - (room - head - 1));
    }
    return shown;
}

/* --- lines --- */

/* The counters of one source line. */
typedef struct line_counters {
    const char *kernel, *file, *line, *op; /* kernel; source file and line; PTX instruction */
    double requests, sectors, ideal;       /* requests; sectors moved; fewest sectors possible */
} line_counters;

static bool is_row_of_line(const table *t, size_t row, const line_counters *p)
{
    const char *k = table_get(t, row, "kernel"), *l = table_get(t, row, "line");
    const char *o = table_get(t, row, "op"), *f = table_get(t, row, "file");
    return k && l && o && f && strcmp(k, p->kernel) == 0 && strcmp(l, p->line) == 0 &&
           strcmp(o, p->op) == 0 && strcmp(f, p->file) == 0;
}

/* Read row ROW into P. False: the row is not a memory access, or a later launch counted the same
 * source line again. */
static bool read_line_counters(const table *t, size_t row, line_counters *p)
{
    *p = (line_counters){.kernel = table_get(t, row, "kernel"),
                         .file = table_get(t, row, "file"),
                         .line = table_get(t, row, "line"),
                         .op = table_get(t, row, "op")};
    if (!p->kernel || !p->op || !p->line || !p->file ||
        !table_number(t, row, "requests", &p->requests) ||
        !table_number(t, row, "sectors", &p->sectors) ||
        !table_number(t, row, "ideal", &p->ideal) || p->requests <= 0)
        return false;
    for (size_t later = row + 1; later < t->rows; later++)
        if (is_row_of_line(t, later, p))
            return false;
    return true;
}

static void show_source_lines(const page_request *r, const verdict *v, const char *kernel)
{
    const table *t = v->lines;
    bool head = false;
    line_counters p;
    for (size_t row = 0; t && row < t->rows; row++) {
        const char *of = table_get(t, row, "kernel");
        if (!of || strcmp(of, kernel) != 0 || !read_line_counters(t, row, &p))
            continue;
        if (!head) {
            page_ensure_blank(r->page);
            page_line_add(r->page, STYLE_DIM, "%12s  %-18s %11s %6s", "line", "instruction",
                          "per request", "best");
        }
        head = true;
        OWNED char *place = xprintf("%s:%s", file_name_of(p.file), p.line);
        page_line_add(r->page, p.sectors > p.ideal * 1.05 ? STYLE_NOTE : STYLE_NORMAL,
                      "%12s  %-18s %11.1f %6.1f", place, p.op, p.sectors / p.requests,
                      p.ideal / p.requests);
    }
}

/* --- the counters page --- */

static void show_kernel_counters(const page_request *r, const lab_view *w, const char *kernel)
{
    const verdict *v = &w->v;
    bool more = r->more;
    page_ensure_blank(r->page);
    page_line_add(r->page, STYLE_HEADING, "%s", kernel);
    show_metrics(r, v, kernel, false, true);
    show_source_lines(r, v, kernel);
    size_t rest = show_metrics(r, v, kernel, true, false), raw = 0;
    for (int own = 0; own < 2; own++)
        raw += show_counters(r, v->counters, kernel, own, false) +
               show_counters(r, v->emulated, kernel, own, false);
    if (rest + raw == 0)
        return;
    page_ensure_blank(r->page);
    page_line_add(r->page, STYLE_NOTE, more ? "▾ m folds the rest" : "▸ m shows %zu more",
                  rest + raw);
    if (!more)
        return;
    show_metrics(r, v, kernel, true, true);
    for (int own = 0; own < 2; own++) {
        if (!show_counters(r, v->counters, kernel, own, false))
            continue;
        page_ensure_blank(r->page);
        page_line_add(r->page, STYLE_DIM, "%12s  %s", "",
                      own ? "the model's own:" : "under ncu's names:");
        show_counters(r, v->counters, kernel, own, true);
    }
    if (v->emulated) {
        page_ensure_blank(r->page);
        page_line_add(r->page, STYLE_DIM, "%12s  by the emulator:", "");
        show_counters(r, v->emulated, kernel, false, true);
        show_counters(r, v->emulated, kernel, true, true);
    }
}

void make_counters_page(const page_request *r, const lab_view *w)
{
    size_t kernels = 0;
    CLEANUP(arena_free) arena a = {0};
    /* The emulator's counters also include the launches made by the checks. */
    const table *widest = w->v.emulated ? w->v.emulated : w->v.counters;
    const char **names = w->has_verdict ? kernels_in_counters(widest, &a, &kernels) : NULL;
    if (kernels == 0)
        page_line_add(r->page, STYLE_NOTE, "%s",
                      !w->has_verdict ? "No counters yet: r builds and runs the lab."
                                      : "The last run wrote no counters.");
    for (size_t i = 0; i < 2 * kernels; i++) {
        size_t k = i % kernels;
        if (kernel_is_helper(names[k]) == (i >= kernels)) /* kernels of the student come first */
            show_kernel_counters(r, w, names[k]);
    }
}
