#include "heat.h"

#include "../base/linear.h"

#include "profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- reading ---------------------------------------------------------------------------------- */

static heat_map *find_or_add_map(heat_table *h, const char *kernel, double launch, double number)
{
    for (size_t i = h->count; i > 0; i--) {
        heat_map *m = &h->maps[i - 1];
        if (m->launch == launch && m->number == number && strcmp(m->kernel, kernel) == 0)
            return m;
    }
    heat_map *m = ARENA_PUSH(&h->memory, h->maps, h->count);
    *m = (heat_map){.kernel = arena_strdup(&h->memory, kernel), .launch = launch, .number = number};
    return m;
}

static double sectors_of_launch(const heat_table *h, const heat_map *like)
{
    double sum = 0;
    for (size_t i = 0; i < h->count; i++)
        if (h->maps[i].launch == like->launch && strcmp(h->maps[i].kernel, like->kernel) == 0)
            sum += h->maps[i].all.fetched + h->maps[i].all.written;
    return sum;
}

/* Keep only one launch of each kernel: the first launch with the most sectors. */
static void keep_largest_launches(heat_table *h)
{
    bool *stays = arena_alloc(&h->memory, h->count + 1);
    for (size_t i = 0; i < h->count; i++) {
        double mine = sectors_of_launch(h, &h->maps[i]);
        stays[i] = true;
        for (size_t k = 0; k < h->count && stays[i]; k++) {
            double other = strcmp(h->maps[k].kernel, h->maps[i].kernel) == 0
                               ? sectors_of_launch(h, &h->maps[k])
                               : -1;
            stays[i] = other < mine || (other == mine && h->maps[k].launch >= h->maps[i].launch);
        }
    }
    size_t kept = 0;
    for (size_t i = 0; i < h->count; i++)
        if (stays[i])
            h->maps[kept++] = h->maps[i];
    h->count = kept;
}

bool heat_read(heat_table *h, const char *path)
{
    *h = (heat_table){0};
    OWNED_TABLE table *t = table_read(path);
    if (!t)
        return false;
    for (size_t row = 0; row < t->rows; row++) {
        const char *kernel = table_get(t, row, "kernel"), *name = table_get(t, row, "memory");
        heat_piece p = {.offset = table_number_or(t, row, "offset", 0),
                        .sectors = table_number_or(t, row, "sectors", 0),
                        .fetched = table_number_or(t, row, "fetched", 0),
                        .written = table_number_or(t, row, "written", 0),
                        .used = table_number_or(t, row, "used", 0)};
        if (!kernel || p.sectors <= 0)
            continue;
        heat_map *m = find_or_add_map(h, kernel, table_number_or(t, row, "launch", 0),
                                      table_number_or(t, row, "number", 0));
        m->memory = m->memory ? m->memory : arena_strdup(&h->memory, name ? name : "");
        m->size = table_number_or(t, row, "size", 0);
        m->piece = table_number_or(t, row, "piece", 0);
        m->all.sectors += p.sectors;
        m->all.fetched += p.fetched;
        m->all.written += p.written;
        m->all.used += p.used;
        *ARENA_PUSH(&h->memory, m->pieces, m->count) = p;
    }
    keep_largest_launches(h);
    return true;
}

void heat_free(heat_table *h)
{
    arena_free(&h->memory);
    *h = (heat_table){0};
}

double requests_per_sector(const heat_piece *p)
{
    return p->sectors > 0 ? (p->fetched + p->written) / p->sectors : 0;
}

/* --- drawing ---------------------------------------------------------------------------------- */

/* The character of each range of heat. Heat: how often each sector was requested, on average. */
static const struct heat_level {
    double most;      /* the largest heat of this level */
    char mark;        /* the character that shows it */
    style how;        /* style of the character */
    const char *text; /* range of heat, as the legend shows it: "to 2" */
} levels[] = {{1.0, '.', STYLE_DIM, "1"},
              {2.0, ':', STYLE_NORMAL, "to 2"},
              {4.0, '+', STYLE_NOTE, "to 4"},
              {8.0, '#', STYLE_BAD, "to 8"},
              {1e300, '@', STYLE_BAD, "more"}};
enum {
    HEAT_LEVELS = sizeof levels / sizeof *levels, /* number of ranges of heat */
    LABEL_COLUMNS = 9                             /* columns of the byte offset left of each row */
};

static const struct heat_level *level_of_heat(double heat)
{
    size_t k = 0;
    while (k + 1 < HEAT_LEVELS && heat > levels[k].most * 1.005)
        k++;
    return &levels[k];
}

static const char *bytes_text(double bytes, char *buf, size_t size)
{
    static const char *const units[] = {"B", "KB", "MB", "GB"};
    size_t u = 0;
    for (; bytes >= 10240 && u < 3; u++)
        bytes /= 1024;
    snprintf(buf, size, "%.4g %s", bytes, units[u]);
    return buf;
}

char *describe_heat(const heat_map *m)
{
    double moved = m->all.fetched + m->all.written;
    return xprintf("%.0f sectors, each requested %.3g times on average; %.3g of its 32 bytes used "
                   "each time.",
                   m->all.sectors, requests_per_sector(&m->all),
                   moved > 0 ? m->all.used / moved : 0);
}

void heat_write_cells(FILE *f, const heat_map *m, const char *name)
{
    char *sentence = describe_heat(m), size[32];
    fprintf(f, "title\t%s: %s, %s\t%.0f\n", m->kernel, name ? name : m->memory,
            bytes_text(m->size, size, sizeof size), m->piece);
    fprintf(f, "sentence\t%s\t-\n", sentence);
    for (size_t i = 0; i < m->count; i++)
        fprintf(f, "piece\t%.0f\t%.6g\n", m->pieces[i].offset / m->piece,
                requests_per_sector(&m->pieces[i]));
    free(sentence);
}

void heat_draw(page *p, const heat_map *m, const char *name, size_t width)
{
    char size[32], row_bytes[32];
    size_t columns = width > LABEL_COLUMNS + 64 ? 64 : width > LABEL_COLUMNS + 32 ? 32 : 16;
    size_t pieces = m->piece > 0 ? (size_t)((m->size + m->piece - 1) / m->piece) : 0;
    styled t = {0};
    styled_printf(&t, STYLE_STRONG, "%s: %s, %s", m->kernel, name ? name : m->memory,
                  bytes_text(m->size, size, sizeof size));
    page_add_line(p, &t);
    for (size_t from = 0, at = 0; !is_output_linear() && from < pieces; from += columns) {
        styled_printf(&t, STYLE_DIM, "%*s ", LABEL_COLUMNS - 1,
                      bytes_text((double)from * m->piece, row_bytes, sizeof row_bytes));
        for (size_t k = from; k < from + columns && k < pieces; k++) {
            bool here = at < m->count && m->pieces[at].offset == (double)k * m->piece;
            const struct heat_level *l =
                here ? level_of_heat(requests_per_sector(&m->pieces[at])) : NULL;
            styled_add(&t, l ? l->how : STYLE_NORMAL, l ? &l->mark : " ", 1);
            at += here;
        }
        while (t.text.len && t.text.s[t.text.len - 1] == ' ') {
            t.text.len--;
            t.styles.len--;
        }
        page_add_line(p, &t);
    }
    OWNED char *sentence = describe_heat(m);
    styled_puts(&t, STYLE_NORMAL, sentence);
    page_wrap(p, &t, width, "", "");
}

void heat_draw_legend(page *p)
{
    if (is_output_linear())
        return;
    styled t = {0};
    styled_puts(&t, STYLE_DIM, "requests of a sector: ");
    for (size_t k = 0; k < HEAT_LEVELS; k++) {
        styled_add(&t, levels[k].how, &levels[k].mark, 1);
        styled_printf(&t, STYLE_DIM, " %s   ", levels[k].text);
    }
    styled_puts(&t, STYLE_DIM, "blank: none");
    page_add_line(p, &t);
}

/* --- the margin with the heat of source lines ------------------------------------------------- */

/* A source line's cost in 32-byte sectors; a pass over shared or constant memory counts as four. */
typedef struct line_cost_sum {
    double cost, ideal; /* cost of all requests of the line; lowest possible cost */
} line_cost_sum;

static line_cost_sum cost_of_line(const requests *r, const char *kernel, double launch,
                                  const char *file, int line)
{
    line_cost_sum s = {0};
    for (size_t i = 0; i < r->count; i++) {
        const memory_request *q = &r->list[i];
        double unit =
            q->space == SPACE_SHARED || q->space == SPACE_CONST ? LINE_BYTES / SECTOR_BYTES : 1;
        if (q->shape == 1 && q->launch == launch && q->line == line &&
            strcmp(q->kernel, kernel) == 0 && strcmp(q->file, file) == 0) {
            s.cost += unit * q->all_cost;
            s.ideal += unit * q->all_ideal;
        }
    }
    return s;
}

void heat_draw_line_costs(page *p, const requests *r, const char *kernel, double launch,
                          const char *file, const char *source, size_t width)
{
    enum { BAR_COLUMNS = 10 };
    arena a = {0};
    int first = 0, last = 0;
    double most = 0, sum = 0;
    for (size_t i = 0; i < r->count; i++) {
        const memory_request *q = &r->list[i];
        if (q->launch != launch || strcmp(q->kernel, kernel) != 0 || q->line == 0 ||
            strcmp(q->file, file) != 0)
            continue;
        first = !first || q->line < first ? q->line : first;
        last = q->line > last ? q->line : last;
    }
    for (int line = first; line && line <= last; line++) {
        double cost = cost_of_line(r, kernel, launch, file, line).cost;
        most = cost > most ? cost : most;
        sum += cost;
    }
    if (!first || most <= 0)
        return;
    page_line_add(p, STYLE_DIM, "share of sectors, times the least possible; a pass is 4 sectors");
    for (int line = first; line <= last; line++) {
        line_cost_sum s = cost_of_line(r, kernel, launch, file, line);
        const char *text = trimmed_source_line(&a, source, line);
        size_t bar = (size_t)(BAR_COLUMNS * s.cost / most + 0.5);
        styled t = {0};
        if (s.cost > 0)
            styled_printf(&t, STYLE_NORMAL, "%3.0f %% %5.3g x ", 100 * s.cost / sum,
                          s.ideal > 0 ? s.cost / s.ideal : 1);
        else
            styled_printf(&t, STYLE_NORMAL, "%14s", "");
        style how = s.cost > 2 * s.ideal ? STYLE_BAD : STYLE_GOOD;
        for (size_t k = 0; k < BAR_COLUMNS; k++)
            styled_puts(&t, how, k < bar || (k == 0 && s.cost > 0) ? "#" : " ");
        styled_printf(&t, STYLE_DIM, " %3d |", line);
        if (text && *text)
            styled_printf(&t, STYLE_CODE, " %.*s",
                          (int)utf8_fit(text, strlen(text), width > 32 ? width - 32 : 8), text);
        page_add_line(p, &t);
    }
    arena_free(&a);
}
