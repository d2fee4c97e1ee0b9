#include "lesson_table.h"

#include "../base/linear.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_COLUMNS = 16 };

static bool is_delimiter(const char *line, size_t len)
{
    bool bar = false, dash = false;
    for (size_t i = 0; i < len; i++) {
        if (!strchr("|-: \t", line[i]))
            return false;
        bar |= line[i] == '|';
        dash |= line[i] == '-';
    }
    return bar && dash;
}

size_t table_begins(const char *source)
{
    const char *p = source, *line, *before = NULL;
    size_t len;
    while ((line = next_line(&p, &len))) {
        if (before && is_delimiter(line, len) && memchr(before, '|', (size_t)(line - before)))
            return (size_t)(before - source);
        before = line;
    }
    return SIZE_MAX;
}

typedef struct cells {
    char *text[MAX_COLUMNS]; /* text of each cell, in an arena */
    size_t count;
} cells;

static cells split_row(arena *a, const char *line, size_t len)
{
    cells row = {0};
    while (len > 0 && strchr(" \t", *line))
        line++, len--;
    while (len > 0 && strchr(" \t", line[len - 1]))
        len--;
    if (len > 0 && *line == '|')
        line++, len--;
    if (len > 0 && line[len - 1] == '|' && !(len > 1 && line[len - 2] == '\\'))
        len--;
    sb cell = {0};
    for (size_t i = 0; i <= len && row.count < MAX_COLUMNS; i++) {
        if (i == len || line[i] == '|') {
            char *kept = arena_strndup(a, cell.s ? cell.s : "", cell.len);
            row.text[row.count++] = strip(kept);
            sb_free(&cell);
        } else if (line[i] == '\\' && i + 1 < len && line[i + 1] == '|') {
            sb_add(&cell, "|", 1);
            i++;
        } else {
            sb_add(&cell, line + i, 1);
        }
    }
    sb_free(&cell);
    return row;
}

/* A cell, rendered and wrapped to WIDTH. */
static page cell_page(const char *markdown, size_t width, bool head)
{
    page p = {0};
    styled t = {0};
    lesson_inline(&t, markdown);
    if (head)
        for (size_t i = 0; i < t.styles.len; i++)
            t.styles.s[i] = STYLE_STRONG;
    page_wrap(&p, &t, width, "", "");
    return p;
}

static void render_row(page *p, const cells *row, const size_t *width, const bool *right,
                       size_t columns, bool head, const char *prefix)
{
    page cell[MAX_COLUMNS];
    size_t height = 1;
    for (size_t c = 0; c < columns; c++) {
        cell[c] = cell_page(c < row->count ? row->text[c] : "", width[c], head);
        height = cell[c].count > height ? cell[c].count : height;
    }
    for (size_t y = 0; y < height; y++) {
        styled t = {0};
        styled_puts(&t, STYLE_DIM, prefix);
        for (size_t c = 0; c < columns; c++) {
            const page_line none = {.s = "", .len = 0};
            const page_line *l = y < cell[c].count ? &cell[c].lines[y] : &none;
            size_t used = utf8_width(l->s, l->len), pad = width[c] > used ? width[c] - used : 0;
            if (c)
                styled_puts(&t, STYLE_DIM, "  ");
            for (size_t i = 0; right[c] && i < pad; i++)
                styled_puts(&t, STYLE_NORMAL, " ");
            sb_add(&t.text, l->s, l->len);
            sb_add(&t.styles, (const char *)l->styles, l->len);
            for (size_t i = 0; !right[c] && c + 1 < columns && i < pad; i++)
                styled_puts(&t, STYLE_NORMAL, " ");
        }
        page_push(p, &t);
    }
    for (size_t c = 0; c < columns; c++)
        page_free(&cell[c]);
}

static size_t longest_word(const char *s)
{
    size_t most = 0;
    while (*s) {
        size_t n = strcspn(s, " \n"), w = utf8_width(s, n);
        most = w > most ? w : most;
        s += n + strspn(s + n, " \n");
    }
    return most;
}

/* Natural widths, the widest made narrower until all fit. False where that would break words. */
static bool fit_columns(const cells *rows, size_t count, size_t columns, size_t room, size_t *width)
{
    size_t total = 2 * (columns - 1), least[MAX_COLUMNS];
    for (size_t c = 0; c < columns; c++) {
        width[c] = least[c] = 3;
        for (size_t r = 0; r < count; r++) {
            styled t = {0};
            lesson_inline(&t, c < rows[r].count ? rows[r].text[c] : "");
            const char *s = t.text.s ? t.text.s : "";
            size_t w = utf8_width(s, t.text.len), l = longest_word(s);
            width[c] = w > width[c] ? w : width[c];
            least[c] = l > least[c] ? l : least[c];
            styled_free(&t);
        }
        total += width[c];
    }
    while (total > room) {
        size_t widest = MAX_COLUMNS;
        for (size_t c = 0; c < columns; c++)
            if (width[c] > least[c] && (widest == MAX_COLUMNS || width[c] > width[widest]))
                widest = c;
        if (widest == MAX_COLUMNS)
            return false;
        width[widest]--;
        total--;
    }
    return true;
}

static void render_grid(page *p, const cells *rows, size_t count, size_t columns,
                        const size_t *widths, const bool *right, const char *first,
                        const char *rest)
{
    for (size_t r = 0; r < count; r++) {
        render_row(p, &rows[r], widths, right, columns, r == 0, r == 0 ? first : rest);
        if (r > 0)
            continue;
        styled rule = {0};
        styled_puts(&rule, STYLE_DIM, rest);
        for (size_t c = 0; c < columns; c++) {
            for (size_t i = 0; i < widths[c]; i++)
                styled_puts(&rule, STYLE_DIM, "─");
            styled_puts(&rule, STYLE_DIM, c + 1 < columns ? "  " : "");
        }
        page_push(p, &rule);
    }
}

/* A table that does not fit: each row by itself, a line a cell, named by its heading. */
static void render_stacked(page *p, const cells *rows, size_t count, size_t width,
                           const char *first, const char *rest)
{
    char *inner = xprintf("%s  ", rest), *hanging = xprintf("%s    ", rest);
    size_t room = width + utf8_width(rest, strlen(rest));
    for (size_t r = 1; r < count; r++) {
        const char *prefix = r == 1 ? first : rest;
        bool named = false;
        for (size_t c = 0; c < rows[r].count; c++) {
            styled t = {0};
            if (!*rows[r].text[c])
                continue;
            if (c == 0) {
                lesson_inline(&t, rows[r].text[c]);
                memset(t.styles.s, STYLE_STRONG, t.styles.len);
                page_wrap(p, &t, room, prefix, hanging);
                named = true;
                continue;
            }
            if (c < rows[0].count && *rows[0].text[c]) {
                lesson_inline(&t, rows[0].text[c]);
                styled_puts(&t, STYLE_NORMAL, ": ");
            }
            lesson_inline(&t, rows[r].text[c]);
            page_wrap(p, &t, room, named || c > 1 ? inner : prefix, hanging);
        }
    }
    free(inner);
    free(hanging);
}

void table_render(page *p, const char *source, size_t width, const char *first, const char *rest)
{
    arena a = {0};
    cells *rows = NULL;
    size_t count = 0, columns = 0, len, number = 0, widths[MAX_COLUMNS];
    bool right[MAX_COLUMNS] = {0};
    const char *line;
    while ((line = next_line(&source, &len))) {
        cells row = split_row(&a, line, len);
        if (number++ == 1) {
            for (size_t c = 0; c < row.count; c++)
                right[c] = row.text[c][0] && row.text[c][0] != ':' && ends_with(row.text[c], ":");
            continue;
        }
        *ARENA_PUSH(&a, rows, count) = row;
        columns = row.count > columns ? row.count : columns;
    }
    if (count && columns && !linear_output() && fit_columns(rows, count, columns, width, widths))
        render_grid(p, rows, count, columns, widths, right, first, rest);
    else if (count)
        render_stacked(p, rows, count, width, first, rest);
    arena_free(&a);
}
