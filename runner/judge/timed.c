#include "timed.h"

#include "../book/metrics.h"

#include <stdio.h>
#include <string.h>

/* The names of the record's rows with a time, in their order. */
static const char **timed_rows(const table *record, arena *a, size_t *count)
{
    const char **names = NULL;
    *count = 0;
    for (size_t row = 0; record && row < record->rows; row++) {
        const char *kind = table_get(record, row, "kind"), *name = table_get(record, row, "name");
        if (kind && (strcmp(kind, "measure") == 0 || strcmp(kind, "copy") == 0))
            *ARENA_PUSH(a, names, *count) = name ? name : kind;
    }
    return names;
}

/* The range of the launch whose counter is in ROW; 0: the row is about another counter. */
static size_t range_in_row(const table *counters, size_t row)
{
    const char *name = table_get(counters, row, "metric");
    double range;
    return name && strcmp(name, counter_names[COUNTED_profiled_range]) == 0 &&
                   table_number(counters, row, "value", &range) && range > 0
               ? (size_t)range
               : 0;
}

static bool is_same_launch(const table *t, size_t a, size_t b)
{
    const char *x = table_get(t, a, "launch"), *y = table_get(t, b, "launch");
    return x && y && strcmp(x, y) == 0;
}

/* Set the columns of all rows of the launch that has a counter in ROW. The rows of a launch are
 * written together. */
static void name_launch(table *t, size_t row, size_t variant_column, const char *variant,
                        size_t timed_column, const char *timed)
{
    size_t first = row, end = row + 1;
    while (first > 0 && is_same_launch(t, first - 1, row))
        first--;
    while (end < t->rows && is_same_launch(t, end, row))
        end++;
    for (size_t i = first; i < end; i++) {
        table_set(t, i, variant_column, variant);
        table_set(t, i, timed_column, timed);
    }
}

void name_timed_launches(table *counters, const table *record)
{
    arena a = {0};
    size_t rows, ranges = 0;
    if (!counters || !counters->columns)
        return;
    const char **names = timed_rows(record, &a, &rows);
    size_t variant = table_add_column(counters, "variant"),
           timed = table_add_column(counters, "timed");
    for (size_t row = 0; row < counters->rows; row++)
        ranges = range_in_row(counters, row) > ranges ? range_in_row(counters, row) : ranges;
    for (size_t row = 0; row < counters->rows; row++) {
        size_t range = range_in_row(counters, row);
        char number[24];
        snprintf(number, sizeof number, "%zu", range);
        if (range)
            name_launch(counters, row, variant, ranges == rows ? names[range - 1] : "?", timed,
                        number);
    }
    arena_free(&a);
}
