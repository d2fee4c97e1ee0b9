#include "words.h"

#include "../base/table.h"

#include <math.h>
#include <string.h>

enum { MAX_SPANS = 12 }; /* operations of a timeline that are described */

static bool is_measurement(const table *t, size_t row)
{
    return table_is(t, row, "kind", "measure") || table_is(t, row, "kind", "copy");
}

static const char *text_field(const table *t, size_t row, const char *column)
{
    const char *text = table_get(t, row, column);
    return text ? text : "?";
}

/* The value of the setting NAME= of a picture; OTHER if it is not set. */
static const char *plot_setting_or(const lesson_plot *p, const char *name, const char *other)
{
    for (size_t i = 0; i < p->arg_count; i++)
        if (starts_with(p->args[i], name))
            return p->args[i] + strlen(name);
    return other;
}

/* Append how the numbers were obtained, such as "measured on NVIDIA H200". */
static void append_source_of_times(sb *out, const table *t, size_t row)
{
    sb_printf(out, ", %s on %s.", text_field(t, row, "source"), text_field(t, row, "device"));
}

/* Append the spans of a timeline; times are relative to the start of the first span. */
static void append_timeline(sb *out, const table *t)
{
    size_t count = 0;
    double first = INFINITY, begin, ms;
    for (size_t i = 0; i < t->rows; i++)
        if (table_is(t, i, "kind", "span") && table_number(t, i, "n", &begin) && begin < first)
            first = begin;
    for (size_t i = 0; i < t->rows; i++) {
        if (!table_is(t, i, "kind", "span") || !table_number(t, i, "n", &begin) ||
            !table_number(t, i, "ms", &ms))
            continue;
        if (count == 0) {
            sb_puts(out, "Time line");
            append_source_of_times(out, t, i);
        }
        if (count++ < MAX_SPANS)
            sb_printf(out, " Stream %s, %s: %.3f to %.3f ms.", text_field(t, i, "x"),
                      text_field(t, i, "name"), (begin - first) / 1e6, (begin - first) / 1e6 + ms);
    }
    if (count > MAX_SPANS)
        sb_printf(out, " And %zu more.", count - MAX_SPANS);
}

/* The kind of a plot: bars; curves over a sweep; or a roofline, whose roofs are the device's copy
 * and the variant "peak". */
typedef enum plot_kind { PLOT_BARS, PLOT_SWEEP, PLOT_ROOFLINE } plot_kind;

static bool is_row_drawn(const table *t, size_t row, plot_kind d)
{
    bool swept = table_get(t, row, "x") != NULL;
    if (d == PLOT_ROOFLINE)
        return table_is(t, row, "kind", "measure") && swept &&
               strcmp(text_field(t, row, "name"), "peak") != 0;
    return is_measurement(t, row) &&
           (table_is(t, row, "kind", "copy") || swept == (d == PLOT_SWEEP));
}

/* Compute the GFLOP/s of a row of a roofline, whose sweep value is its flops per byte. */
static bool row_gflops(const table *t, size_t row, double *gflops)
{
    double x;
    return table_number(t, row, "gbs", gflops) && table_number(t, row, "x", &x) &&
           (*gflops *= x, true);
}

static void append_plotted_value(sb *out, const table *t, size_t row, plot_kind d,
                                 const char *column)
{
    double value;
    char digits[32];
    if (d == PLOT_ROOFLINE ? !row_gflops(t, row, &value) : !table_number(t, row, column, &value))
        sb_puts(out, "?");
    else if (strcmp(column, "ms") == 0)
        sb_puts(out, nice_number(value, digits, sizeof digits));
    else
        sb_printf(out, "%.0f", value);
    if (table_get(t, row, "x"))
        sb_printf(out, " at %s", table_get(t, row, "x"));
}

/* Append each variant's measured values, in the order of the record's rows. */
static void append_figures(sb *out, const table *t, plot_kind d, const char *column)
{
    for (size_t i = 0; i < t->rows; i++) {
        bool fresh = is_row_drawn(t, i, d);
        for (size_t k = 0; k < i && fresh; k++)
            fresh = !is_row_drawn(t, k, d) ||
                    strcmp(text_field(t, k, "name"), text_field(t, i, "name")) != 0;
        if (!fresh)
            continue;
        sb_printf(out, " %s: ",
                  table_is(t, i, "kind", "copy") ? "the device's copy" : text_field(t, i, "name"));
        for (size_t k = i; k < t->rows; k++)
            if (is_row_drawn(t, k, d) &&
                strcmp(text_field(t, k, "name"), text_field(t, i, "name")) == 0) {
                sb_puts(out, k == i ? "" : ", ");
                append_plotted_value(out, t, k, d, column);
            }
        sb_puts(out, ".");
    }
}

/* Describe a roofline; append nothing if the record has no copy or no peak. */
static void append_roofline(sb *out, const table *t)
{
    double gbs = 0, gflops = 0;
    size_t peak = 0;
    for (size_t i = 0; i < t->rows; i++)
        if (table_is(t, i, "kind", "copy"))
            table_number(t, i, "gbs", &gbs);
        else if (table_is(t, i, "kind", "measure") &&
                 strcmp(text_field(t, i, "name"), "peak") == 0 && row_gflops(t, i, &gflops))
            peak = i;
    if (!(gbs > 0 && gflops > 0))
        return;
    sb_puts(out, "Roofline: GFLOP/s by flops per byte");
    append_source_of_times(out, t, peak);
    sb_printf(out,
              " The slanted roof is the copy, %.0f GB/s; the flat one is peak, %.0f GFLOP/s; they "
              "meet at %.1f flops per byte.",
              gbs, gflops, gflops / gbs);
    append_figures(out, t, PLOT_ROOFLINE, "gbs");
}

static void append_curves(sb *out, const table *t, const lesson_plot *p)
{
    bool sweep = strcmp(p->script, "sweep") == 0, some = false;
    const char *column = plot_setting_or(p, "y=", "gbs");
    const char *unit = strcmp(column, "ms") == 0 ? "ms" : "GB/s";
    for (size_t i = 0; i < t->rows && !some; i++) {
        some = table_is(t, i, "kind", "measure");
        if (some && sweep)
            sb_printf(out, "Curves of %s by %s", unit, plot_setting_or(p, "x=", "x"));
        else if (some)
            sb_printf(out, "Bars of %s", unit);
        if (some)
            append_source_of_times(out, t, i);
    }
    if (some)
        append_figures(out, t, sweep ? PLOT_SWEEP : PLOT_BARS, column);
}

char *plot_as_words(const char *path, const lesson_plot *p)
{
    OWNED_TABLE table *t = table_read(path);
    sb out = {0};
    if (t && strcmp(p->script, "timeline") == 0)
        append_timeline(&out, t);
    else if (t && strcmp(p->script, "roofline") == 0)
        append_roofline(&out, t);
    else if (t)
        append_curves(&out, t, p);
    return out.len ? sb_take(&out) : NULL;
}
