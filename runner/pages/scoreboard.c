#include "scoreboard.h"

#include "../base/json.h"

#include "chart.h"
#include "html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A student's best time of a kernel. */
typedef struct entry {
    const char *nickname;
    double us, gbs; /* time in microseconds; bandwidth in GB/s */
} entry;

typedef struct board {
    arena memory;   /* holds the entries */
    entry *entries; /* [count] the entries */
    size_t count;   /* number of entries */
} board;

/* Students take part with right results only. */
static bool takes_part(const mark *m)
{
    return m->nickname && strcmp(m->word, "OK") == 0;
}

/* Add the best time of KERNEL that M has. */
static void add_best_time(board *b, const mark *m, const char *kernel)
{
    json_t *list = json_object_get(json_object_get(m->result, "result"), "measures"), *one;
    entry best = {m->nickname, INFINITY, 0};
    size_t i;
    json_array_foreach(list, i, one) {
        const char *kind = member_text(one, "kind"), *name = member_text(one, "name");
        const double us = 1000 * results_number(one, "ms");
        if (kind && name && strcmp(kind, "measure") == 0 && strcmp(name, kernel) == 0 && us > 0 &&
            us < best.us)
            best = (entry){m->nickname, us, results_number(one, "gbs")};
    }
    if (isfinite(best.us))
        *ARENA_PUSH(&b->memory, b->entries, b->count) = best;
}

static int compare_entries(const void *x, const void *y)
{
    const entry *a = x, *b = y;
    return a->us != b->us ? (a->us > b->us) - (a->us < b->us) : strcmp(a->nickname, b->nickname);
}

static void append_board(sb *out, board *b, const char *kernel, const char *source)
{
    char number[32];
    if (!b->count)
        return;
    qsort(b->entries, b->count, sizeof *b->entries, compare_entries);
    page_element(out, "h3", kernel);
    sb_printf(out,
              "<table><tr><th class=\"n\">place</th><th>who</th><th class=\"n\">µs, %s</th>"
              "<th class=\"n\">GB/s</th></tr>\n",
              source);
    for (size_t i = 0, place = 1; i < b->count; i++) {
        const entry *e = &b->entries[i];
        place = i && e->us > e[-1].us ? i + 1 : place;
        sb_printf(out, "<tr><td class=\"n\">%zu</td>", place);
        page_element(out, "td", e->nickname);
        page_element(out, "td class=\"n\"", nice_number(e->us, number, sizeof number));
        page_number(out, "td class=\"n\"", e->gbs);
        sb_puts(out, "</tr>\n");
    }
    sb_puts(out, "</table>\n");
}

/* Append the times of LAB's KERNEL: measured and modelled times are never compared. */
static void append_boards(sb *out, const marks *m, const char *lab, const char *kernel)
{
    static const char *const sources[] = {"measured", "modelled"};
    for (size_t s = 0; s < 2; s++) {
        board b = {0};
        for (size_t i = 0; i < m->count; i++)
            if (strcmp(m->list[i].lab, lab) == 0 && takes_part(&m->list[i]) &&
                strcmp(chart_source(&m->list[i]), sources[s]) == 0)
                add_best_time(&b, &m->list[i], kernel);
        append_board(out, &b, kernel, sources[s]);
        arena_free(&b.memory);
    }
}

static bool is_in_list(const char *text, const char **list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], text) == 0)
            return true;
    return false;
}

/* Append the boards of all kernels of the lab that mark number FIRST is about. */
static void append_lab(sb *out, const marks *m, size_t first)
{
    CLEANUP(arena_free) arena a = {0};
    const char **kernels = NULL;
    size_t count = 0;
    const mark *of = &m->list[first];
    page_element(out, "h2", *of->title ? of->title : of->lab);
    for (size_t i = first; i < m->count; i++)
        for (size_t r = 0; strcmp(m->list[i].lab, of->lab) == 0 && r < m->list[i].row_count; r++) {
            const char *kernel = m->list[i].rows[r].hidden ? NULL : m->list[i].rows[r].timed;
            if (!kernel || is_in_list(kernel, kernels, count))
                continue;
            *ARENA_PUSH(&a, kernels, count) = kernel;
            append_boards(out, m, of->lab, kernel);
        }
}

bool scoreboard_write(const marks *m, const char *dir, char *err, size_t err_size)
{
    sb page = {0};
    arena a = {0};
    const char **labs = NULL;
    size_t lab_count = 0, nicknames = 0;
    for (size_t i = 0; i < m->count; i++)
        nicknames += m->list[i].nickname != NULL;
    if (!nicknames)
        return true;
    page_begin(&page, "Best times");
    page_element(&page, "h1", "Best times");
    page_element(&page, "p class=\"quiet\"",
                 "Of right submissions whose authors have chosen a nickname.");
    for (size_t i = 0; i < m->count; i++)
        if (takes_part(&m->list[i]) && !is_in_list(m->list[i].lab, labs, lab_count)) {
            *ARENA_PUSH(&a, labs, lab_count) = m->list[i].lab;
            append_lab(&page, m, i);
        }
    page_end(&page);
    arena_free(&a);
    return page_write(dir, "scoreboard", &page, err, err_size);
}
