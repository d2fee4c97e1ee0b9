#include "lesson_table.h"

#include "../base/linear.h"

#include <cmark-gfm-core-extensions.h>
#include <string.h>

enum { MAX_COLUMNS = 16 }; /* columns of a table, at most */

typedef struct table_row {
    cmark_node *cell[MAX_COLUMNS]; /* the cells of the row */
    size_t count;                  /* number of cells */
} table_row;

static table_row cells_of_row(cmark_node *row)
{
    table_row c = {0};
    cmark_node *cell = cmark_node_first_child(row);
    for (; cell && c.count < MAX_COLUMNS; cell = cmark_node_next(cell))
        c.cell[c.count++] = cell;
    return c;
}

static size_t width_of_longest_word(const char *s)
{
    size_t most = 0;
    while (*s) {
        size_t n = strcspn(s, " \n"), w = utf8_width(s, n);
        most = w > most ? w : most;
        s += n + strspn(s + n, " \n");
    }
    return most;
}

/* A cell, rendered and wrapped to WIDTH. HANG: lines after the first are indented, unless that
 * would split a word, so that they do not look like new rows. */
static page render_cell(cmark_node *cell, size_t width, bool head, bool hang)
{
    enum { INDENT = 2 };
    page p = {0};
    styled t = {0};
    lesson_add_inline_text(&t, cell);
    if (head)
        for (size_t i = 0; i < t.styles.len; i++)
            t.styles.s[i] = STYLE_STRONG;
    hang = hang && t.text.s && width_of_longest_word(t.text.s) + INDENT <= width;
    page_wrap(&p, &t, width, "", hang ? "  " : "");
    return p;
}

static void render_row(page *p, const table_row *row, const size_t *width, const bool *right,
                       size_t columns, bool head, const char *prefix)
{
    page cell[MAX_COLUMNS];
    size_t height = 1;
    for (size_t c = 0; c < columns; c++) {
        cell[c] = render_cell(row->cell[c], width[c], head, c == 0 && !head && !right[c]);
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
        page_add_line(p, &t);
    }
    for (size_t c = 0; c < columns; c++)
        page_free(&cell[c]);
}

/* Set the widths of the columns: as wide as their text, then the widest made narrower until all fit
 * into ROOM. False: words would have to be split. */
static bool fit_columns(const table_row *rows, size_t count, size_t columns, size_t room,
                        size_t *width)
{
    size_t total = 2 * (columns - 1), least[MAX_COLUMNS];
    for (size_t c = 0; c < columns; c++) {
        width[c] = least[c] = 3;
        for (size_t r = 0; r < count; r++) {
            CLEANUP(styled_free) styled t = {0};
            lesson_add_inline_text(&t, rows[r].cell[c]);
            const char *s = t.text.s ? t.text.s : "";
            size_t w = utf8_width(s, t.text.len), l = width_of_longest_word(s);
            width[c] = w > width[c] ? w : width[c];
            least[c] = l > least[c] ? l : least[c];
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

static void render_aligned_columns(page *p, const table_row *rows, size_t count, size_t columns,
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
        page_add_line(p, &rule);
    }
}

/* A table that is too wide: each cell gets a line of its own, after the heading of its column. */
static void render_cells_as_lines(page *p, const table_row *rows, size_t count, size_t width,
                                  const char *first, const char *rest)
{
    OWNED char *inner = xprintf("%s  ", rest), *hanging = xprintf("%s    ", rest);
    size_t room = width + utf8_width(rest, strlen(rest));
    for (size_t r = 1; r < count; r++) {
        const char *prefix = r == 1 ? first : rest;
        bool named = false;
        for (size_t c = 0; c < rows[r].count; c++) {
            styled t = {0};
            if (!cmark_node_first_child(rows[r].cell[c]))
                continue;
            if (c == 0) {
                lesson_add_inline_text(&t, rows[r].cell[c]);
                memset(t.styles.s, STYLE_STRONG, t.styles.len);
                page_wrap(p, &t, room, prefix, hanging);
                named = true;
                continue;
            }
            if (cmark_node_first_child(rows[0].cell[c])) {
                lesson_add_inline_text(&t, rows[0].cell[c]);
                styled_puts(&t, STYLE_NORMAL, ": ");
            }
            lesson_add_inline_text(&t, rows[r].cell[c]);
            page_wrap(p, &t, room, named || c > 1 ? inner : prefix, hanging);
        }
    }
}

void table_render(page *p, cmark_node *table, size_t width, const char *first, const char *rest)
{
    CLEANUP(arena_free) arena a = {0};
    table_row *rows = NULL;
    size_t count = 0, columns = cmark_gfm_extensions_get_table_columns(table), widths[MAX_COLUMNS];
    columns = columns > MAX_COLUMNS ? MAX_COLUMNS : columns;
    bool right[MAX_COLUMNS] = {0};
    const uint8_t *alignment = cmark_gfm_extensions_get_table_alignments(table);
    for (size_t c = 0; c < columns; c++)
        right[c] = alignment[c] == 'r';
    for (cmark_node *row = cmark_node_first_child(table); row; row = cmark_node_next(row))
        *ARENA_PUSH(&a, rows, count) = cells_of_row(row);
    if (!is_output_linear() && fit_columns(rows, count, columns, width, widths))
        render_aligned_columns(p, rows, count, columns, widths, right, first, rest);
    else
        render_cells_as_lines(p, rows, count, width, first, rest);
}
