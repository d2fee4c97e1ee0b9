/* Shows the last run's counters of each source line next to the code. */
#include "../base/files.h"
#include "../book/target.h"
#include "screen_state.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_LINES = 10000,     /* source lines with counters, at most */
    MAX_LAUNCHES = 100000, /* launches whose counters are read, at most */
};

static size_t launch_of_row(const table *t, size_t row)
{
    double n;
    return table_number(t, row, "launch", &n) && n >= 0 && n < MAX_LAUNCHES ? (size_t)n : SIZE_MAX;
}

/* For each launch: true if it executed the most instructions of all launches of its kernel. */
static bool *largest_launches(const table *t, arena *a)
{
    double *work = arena_alloc(a, MAX_LAUNCHES * sizeof *work), n;
    const char **kernel = arena_alloc(a, MAX_LAUNCHES * sizeof *kernel);
    bool *largest = arena_alloc(a, MAX_LAUNCHES * sizeof *largest);
    size_t count = 0;
    for (size_t row = 0; row < t->rows; row++) {
        size_t l = launch_of_row(t, row);
        if (l == SIZE_MAX || !table_number(t, row, "executed", &n) || !table_get(t, row, "kernel"))
            continue;
        kernel[l] = table_get(t, row, "kernel");
        work[l] += n;
        count = l >= count ? l + 1 : count;
    }
    for (size_t l = 0; l < count; l++) {
        size_t best = l;
        for (size_t k = 0; kernel[l] && k < count; k++)
            if (kernel[k] && work[k] > work[best] && strcmp(kernel[k], kernel[l]) == 0)
                best = k;
        largest[l] = kernel[l] && best == l;
    }
    return largest;
}

/* Add the counters in row ROW to the source line that the row belongs to. */
static void add_to_source_line(code_margin *m, const table *t, size_t row)
{
    double line;
    const char *ptx = table_get(t, row, "ptx");
    if (!table_number(t, row, "line", &line) || line < 1 || line > MAX_LINES || !ptx)
        return;
    size_t at = (size_t)line;
    if (at >= m->count) {
        m->lines = xrealloc(m->lines, (at + 1) * sizeof *m->lines);
        memset(m->lines + m->count, 0, (at + 1 - m->count) * sizeof *m->lines);
        m->count = at + 1;
    }
    line_count *l = &m->lines[at];
    l->executed += table_number_or(t, row, "executed", 0);
    l->lanes += table_number_or(t, row, "lanes", 0);
    l->conflicts += table_number_or(t, row, "conflicts", 0);
    if (strstr(ptx, ".shared") || strstr(ptx, ".const") || strstr(ptx, ".param")) {
        l->shared |= strstr(ptx, ".shared") != NULL;
        return; /* the cost of this row is passes or addresses, not sectors */
    }
    l->requests += table_number_or(t, row, "requests", 0);
    l->sectors += table_number_or(t, row, "cost", 0);
}

void margin_read(code_margin *m, screen *s, const char *path, bool solution)
{
    const build_target lab = {.c = screen_chapter(s), .solution = solution, .gpu = s->gpu};
    const char *rows = target_file_path(&s->d->installation, &lab, "source.tsv");
    const char *name = file_name_of(path);
    *m = (code_margin){0};
    if (!solution && !file_is_newer(path, target_file_path(&s->d->installation, &lab, "nvcc.txt")))
        m->refused = view_refused_line(screen_view(s));
    m->outdated = file_is_newer(path, rows);
    OWNED_TABLE table *t = m->outdated ? NULL : table_read(rows);
    if (!t)
        return;
    CLEANUP(arena_free) arena a = {0};
    const bool *largest = largest_launches(t, &a);
    for (size_t row = 0; row < t->rows; row++) {
        const char *file = table_get(t, row, "file");
        size_t l = launch_of_row(t, row);
        if (l != SIZE_MAX && largest[l] && file && strcmp(file, name) == 0)
            add_to_source_line(m, t, row);
    }
}

void margin_append_heading(page *p, size_t columns)
{
    static const char column_heads[] = " sect  conf lan  ", blank[] = "                 ";
    styled t = {0};
    styled_puts(&t, STYLE_DIM, "of the last run: sectors per request, conflicts, lanes; m hides");
    page_wrap(p, &t, columns, column_heads, blank);
}

void margin_append(styled *t, const code_margin *m, size_t line)
{
    const line_count *l = line < m->count ? &m->lines[line] : NULL;
    char sectors[16] = "", conflicts[16] = "", lanes[16] = "";
    if (l && l->requests > 0)
        snprintf(sectors, sizeof sectors, "%.1f", l->sectors / l->requests);
    if (l && l->shared)
        nice_number(l->conflicts, conflicts, sizeof conflicts);
    if (l && l->executed > 0)
        snprintf(lanes, sizeof lanes, "%.0f", l->lanes / l->executed);
    bool waste = l && (l->conflicts > 0 || (l->executed > 0 && l->lanes < 16 * l->executed));
    styled_printf(t, waste ? STYLE_NOTE : STYLE_DIM, "%5s %5s %3s ", sectors, conflicts, lanes);
}

void margin_free(code_margin *m)
{
    free(m->lines);
    *m = (code_margin){0};
}
