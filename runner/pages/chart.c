#include "chart.h"

#include "../base/json.h"
#include "../base/plain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sizes of the chart in SVG units (pixels if the picture is not scaled). */
enum {
    CHART_WIDTH = 780,   /* width of the picture */
    BARS_LEFT = 250,     /* x position where the bars begin */
    BARS_WIDTH = 320,    /* length of the longest bar */
    ROW_HEIGHT = 30,     /* distance between two bars */
    BAR_HEIGHT = 18,     /* thickness of a bar */
    CHART_TOP = 8,       /* space above the first bar */
    VALUE_GAP = 8,       /* space between a bar and its value */
    VALUE_WIDTH = 190,   /* greatest width of the text of a value */
    MAX_CHART_ROWS = 40, /* number of bars, at most */
    LABEL_COLUMNS = 26   /* characters of a bar's label, at most */
};

typedef struct bar {
    char *label; /* label of the bar as plain text; owned */
    double gbs;  /* bandwidth that the bar shows, in GB/s */
    bool copy;   /* the bar is that of the device-to-device copy */
} bar;

typedef struct bars {
    bar of[MAX_CHART_ROWS];
    size_t count;   /* number of bars */
    double max_gbs; /* highest bandwidth in GB/s */
    double copy;    /* bandwidth of the device-to-device copy in GB/s; 0: not measured */
} bars;

static bool is_row_about(const mark_row *r, const char *name)
{
    size_t n = strlen(name);
    return strncmp(r->label, name, n) == 0 && r->label[n] == ':';
}

bool chart_is_variant_hidden(const mark *m, const char *name)
{
    bool hidden = false, shown = false;
    for (size_t i = 0; i < m->row_count; i++)
        if (is_row_about(&m->rows[i], name))
            *(m->rows[i].hidden ? &hidden : &shown) = true;
    return hidden && !shown;
}

/* The label of a bar, such as "transpose" or "copy, x = 4". The caller frees it. */
static char *label_of_measurement(json_t *one)
{
    const char *name = member_text(one, "name"), *x = member_text(one, "x");
    CLEANUP(sb_free) sb label = {0};
    append_sanitized(&label, name ? name : "", false);
    if (x) {
        sb_puts(&label, ", x = ");
        append_sanitized(&label, x, false);
    }
    size_t fits = utf8_fit(label.s, label.len, LABEL_COLUMNS);
    return fits < label.len ? xprintf("%.*s...", (int)fits, label.s) : xstrdup(label.s);
}

static bool is_name_in_list(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static bars read_bars(const mark *m)
{
    json_t *list = json_object_get(json_object_get(m->result, "result"), "measures"), *one;
    const char *curves[MAX_CHART_CURVES];
    const size_t curve_count = chart_curve_names(m, curves);
    bars b = {0};
    size_t i;
    json_array_foreach(list, i, one) {
        json_t *gbs = json_object_get(one, "gbs");
        const char *name = member_text(one, "name"), *kind = member_text(one, "kind");
        double v = json_is_number(gbs) ? json_number_value(gbs) : NAN;
        if (!(v > 0 && v < 1e9) || !name || chart_is_variant_hidden(m, name) ||
            is_name_in_list(name, curves, curve_count) || b.count == MAX_CHART_ROWS)
            continue;
        bool copy = kind && strcmp(kind, "copy") == 0;
        b.of[b.count++] = (bar){label_of_measurement(one), v, copy};
        b.max_gbs = fmax(b.max_gbs, v);
        b.copy = copy ? v : b.copy;
    }
    return b;
}

/* Append the value of a bar, such as "3571 GB/s, 99 % of a copy". */
static void add_value_of_bar(sb *out, const bars *b, const bar *one)
{
    sb_printf(out, one->gbs < 10 ? "%.2g GB/s" : "%.0f GB/s", one->gbs);
    if (b->copy > 0 && !one->copy)
        sb_printf(out, ", %.0f %% of a copy", 100 * one->gbs / b->copy);
}

const char *chart_source(const mark *m)
{
    for (size_t i = 0; i < m->row_count; i++)
        if (m->rows[i].how && strcmp(m->rows[i].how, "measured") == 0)
            return "measured";
    return "modelled";
}

static void append_text_alternative(sb *out, const mark *m, const bars *b)
{
    sb_printf(out, "<title>Bandwidths, %s", chart_source(m));
    for (size_t i = 0; i < b->count; i++) {
        sb_puts(out, i ? "; " : ": ");
        append_html_text(out, b->of[i].label);
        sb_puts(out, " ");
        add_value_of_bar(out, b, &b->of[i]);
    }
    sb_puts(out, "</title>\n");
}

/* The x position of a bar's value text: right of the bar, or right of the copy line if that line
 * would cross the text. */
static double value_text_x(const bars *b, const bar *one)
{
    const double own = BARS_LEFT + BARS_WIDTH * one->gbs / b->max_gbs,
                 line = BARS_LEFT + BARS_WIDTH * b->copy / b->max_gbs;
    return VALUE_GAP + (line > own && line < own + VALUE_WIDTH ? line : own);
}

void chart_bandwidths(sb *out, const mark *m)
{
    bars b = read_bars(m);
    const int height = 2 * CHART_TOP + ROW_HEIGHT * (int)b.count;
    if (b.count) {
        sb_printf(out, "<h3>Bandwidths, %s</h3>\n", chart_source(m));
        sb_printf(out,
                  "<svg role=\"img\" class=\"bars %s\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                  "height=\"%d\">",
                  chart_source(m), CHART_WIDTH, height, CHART_WIDTH, height);
        append_text_alternative(out, m, &b);
    }
    for (size_t i = 0; i < b.count; i++)
        sb_printf(out, "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" class=\"%s\"/>\n",
                  BARS_LEFT, CHART_TOP + ROW_HEIGHT * (int)i + (ROW_HEIGHT - BAR_HEIGHT) / 2,
                  BARS_WIDTH * b.of[i].gbs / b.max_gbs, BAR_HEIGHT, b.of[i].copy ? "copy" : "own");
    if (b.count && b.copy > 0)
        sb_printf(out, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"0\" y2=\"%d\"/>\n",
                  BARS_LEFT + BARS_WIDTH * b.copy / b.max_gbs,
                  BARS_LEFT + BARS_WIDTH * b.copy / b.max_gbs, height);
    for (size_t i = 0; i < b.count; i++) {
        const bar *one = &b.of[i];
        const int y = CHART_TOP + ROW_HEIGHT * (int)i + ROW_HEIGHT / 2 + 5;
        sb_printf(out, "<text x=\"%d\" y=\"%d\" class=\"label\">", BARS_LEFT - VALUE_GAP, y);
        append_html_text(out, one->label);
        sb_printf(out, "</text><text x=\"%.1f\" y=\"%d\">", value_text_x(&b, one), y);
        add_value_of_bar(out, &b, one);
        sb_puts(out, "</text>\n");
        free(one->label);
    }
    if (b.count)
        sb_puts(out, "</svg>\n");
}
