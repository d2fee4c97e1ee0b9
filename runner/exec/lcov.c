#include "lcov.h"
#include "../base/table.h"
#include "outputs.h"

#include <stdlib.h>
#include <string.h>

/* An instruction in a function; sorted by file, line, function, number. */
typedef struct row {
    const char *path, *function;
    unsigned line, insn, stays;
    bool entry, conditional;
    unsigned long long lanes, taken, left;
} row;

typedef struct rows {
    arena memory;
    row *list;
    size_t count;
} rows;

static int compare_rows(const void *x, const void *y)
{
    const row *a = x, *b = y;
    int c = strcmp(a->path, b->path);
    c = c ? c : (a->line > b->line) - (a->line < b->line);
    c = c ? c : strcmp(a->function, b->function);
    return c ? c : (a->insn > b->insn) - (a->insn < b->insn);
}

/* Join the rows of an instruction: processes that a program starts write rows of their own. */
static void join_equal_rows(rows *r)
{
    size_t n = 0;
    for (size_t k = 0; k < r->count; k++) {
        row *last = n ? &r->list[n - 1] : NULL;
        if (last && compare_rows(last, &r->list[k]) == 0) {
            last->lanes += r->list[k].lanes;
            last->taken += r->list[k].taken;
            last->left += r->list[k].left;
        } else {
            r->list[n++] = r->list[k];
        }
    }
    r->count = n;
}

static rows read_rows(const char *path)
{
    rows r = {0};
    table_reader t;
    table_open(&t, path); /* it is not there if no kernel was launched */
    while (table_next(&t))
        if (table_value(&t, "line") > 0)
            *ARENA_PUSH(&r.memory, r.list, r.count) =
                (row){.path = arena_strdup(&r.memory, table_field(&t, "path")),
                      .function = arena_strdup(&r.memory, table_field(&t, "function")),
                      .line = (unsigned)table_value(&t, "line"),
                      .insn = (unsigned)table_value(&t, "insn"),
                      .stays = (unsigned)table_value(&t, "stays"),
                      .entry = table_value(&t, "entry") > 0,
                      .conditional = table_value(&t, "conditional") > 0,
                      .lanes = (unsigned long long)table_value(&t, "lanes"),
                      .taken = (unsigned long long)table_value(&t, "taken"),
                      .left = (unsigned long long)table_value(&t, "left")};
    table_close(&t);
    if (r.count)
        qsort(r.list, r.count, sizeof *r.list, compare_rows);
    join_equal_rows(&r);
    return r;
}

/* The end of the rows from FIRST on that have its file, and with LINE its line too. */
static size_t end_of_group(const rows *r, size_t first, bool line)
{
    size_t k = first;
    while (k < r->count && strcmp(r->list[k].path, r->list[first].path) == 0 &&
           (!line || r->list[k].line == r->list[first].line))
        k++;
    return k;
}

static void append_functions(sb *b, const rows *r, size_t first, size_t end)
{
    unsigned found = 0, hit = 0;
    for (size_t k = first; k < end; k++) {
        const row *f = &r->list[k];
        if (!f->entry)
            continue;
        sb_printf(b, "FN:%u,%s\nFNDA:%llu,%s\n", f->line, f->function, f->lanes, f->function);
        found++;
        hit += f->lanes > 0;
    }
    sb_printf(b, "FNF:%u\nFNH:%u\n", found, hit);
}

/* The two sides of each condition: lanes for which it was true (they jumped, or executed the
 * instruction), and others. */
static void append_branches(sb *b, const rows *r, size_t first, size_t end)
{
    unsigned found = 0, hit = 0, number = 0;
    for (size_t k = first; k < end; k++) {
        const row *i = &r->list[k];
        number = k > first && i->line == i[-1].line ? number : 0;
        if (!i->conditional)
            continue;
        if (i->lanes)
            sb_printf(b, "BRDA:%u,%u,0,%llu\nBRDA:%u,%u,1,%llu\n", i->line, number, i->taken,
                      i->line, number, i->left);
        else
            sb_printf(b, "BRDA:%u,%u,0,-\nBRDA:%u,%u,1,-\n", i->line, number, i->line, number);
        number++;
        found += 2;
        hit += (i->taken > 0) + (i->left > 0);
    }
    sb_printf(b, "BRF:%u\nBRH:%u\n", found, hit);
}

/* How many lanes came to the line of the rows from FIRST to END: in each function the instruction
 * to which most came, of those that stay most surely where the line is. */
static unsigned long long lanes_of_line(const rows *r, size_t first, size_t end)
{
    unsigned long long sum = 0, most = 0;
    unsigned stays = 0;
    for (size_t k = first; k < end; k++) {
        const row *i = &r->list[k];
        const bool same = k > first && strcmp(i->function, i[-1].function) == 0;
        if (!same || i->stays > stays) {
            sum += same ? 0 : most;
            most = 0;
            stays = i->stays;
        }
        most = i->stays == stays && i->lanes > most ? i->lanes : most;
    }
    return sum + most;
}

static void append_lines(sb *b, const rows *r, size_t first, size_t end)
{
    unsigned found = 0, hit = 0;
    for (size_t k = first, next; k < end; k = next) {
        next = end_of_group(r, k, true);
        const unsigned long long lanes = lanes_of_line(r, k, next);
        sb_printf(b, "DA:%u,%llu\n", r->list[k].line, lanes);
        found++;
        hit += lanes > 0;
    }
    sb_printf(b, "LF:%u\nLH:%u\nend_of_record\n", found, hit);
}

bool lcov_write(const char *coverage, const char *file)
{
    rows r = read_rows(coverage);
    CLEANUP(sb_free) sb b = {0};
    sb_puts(&b, "TN:device\n");
    for (size_t k = 0, end; k < r.count; k = end) {
        end = end_of_group(&r, k, false);
        sb_printf(&b, "SF:%s\n", r.list[k].path);
        append_functions(&b, &r, k, end);
        append_branches(&b, &r, k, end);
        append_lines(&b, &r, k, end);
    }
    const bool written = write_output_file(file, b.s, b.len);
    arena_free(&r.memory);
    return written;
}
