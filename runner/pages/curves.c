#include "chart.h"

#include "../base/json.h"
#include "../base/plain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sizes of the chart in SVG units (pixels if the picture is not scaled). */
enum {
    CURVES_WIDTH = 780,     /* width of the picture */
    CURVES_HEIGHT = 300,    /* height of the picture */
    PLOT_LEFT = 70,         /* x position of the vertical axis */
    PLOT_RIGHT = 530,       /* x position where the curves end */
    PLOT_TOP = 14,          /* y position of the highest value */
    PLOT_BOTTOM = 250,      /* y position of the horizontal axis */
    LABEL_GAP = 8,          /* space between a curve and its name */
    LABEL_LINE_HEIGHT = 18, /* distance between the names of two curves, at least */
    AXIS_TICKS = 5,         /* marks on the vertical axis, at most */
    LABEL_COLUMNS = 24,     /* characters of a curve's name that are shown */
    MAX_CURVE_POINTS = 24,  /* points of a curve, at most */
    MIN_CURVE_POINTS = 3    /* points of a curve, at least */
};

typedef struct point {
    double x, gbs;
} point;

typedef struct series {
    const char *name; /* name of the variant */
    point of[MAX_CURVE_POINTS];
    size_t count; /* number of points */
} series;

typedef struct curves {
    series of[MAX_CHART_CURVES];
    size_t count;
    double low, high; /* smallest and largest x value of all curves */
    double max_gbs;   /* highest bandwidth of all curves, in GB/s */
} curves;

static bool read_point(json_t *one, point *p)
{
    const char *x = member_text(one, "x");
    char *end = NULL;
    p->x = x ? strtod(x, &end) : 0;
    p->gbs = json_number_value(json_object_get(one, "gbs"));
    return x && end != x && !*end && p->x > 0 && p->x < 1e15 && p->gbs > 0 && p->gbs < 1e9;
}

static series *find_or_add_series(curves *c, const char *name)
{
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->of[i].name, name) == 0)
            return &c->of[i];
    if (c->count == MAX_CHART_CURVES)
        return NULL;
    c->of[c->count] = (series){.name = name};
    return &c->of[c->count++];
}

/* Insert a point in the order of x, so that the line runs from left to right. */
static void insert_point(series *s, point p)
{
    size_t k = s->count++;
    for (; k > 0 && s->of[k - 1].x > p.x; k--)
        s->of[k] = s->of[k - 1];
    s->of[k] = p;
}

static curves read_curves(const mark *m)
{
    json_t *list = json_object_get(json_object_get(m->result, "result"), "measures"), *one;
    curves c = {.low = INFINITY};
    size_t i, kept = 0;
    json_array_foreach(list, i, one) {
        const char *name = member_text(one, "name");
        point p;
        series *s = name && read_point(one, &p) && !chart_is_variant_hidden(m, name)
                        ? find_or_add_series(&c, name)
                        : NULL;
        if (s && s->count < MAX_CURVE_POINTS)
            insert_point(s, p);
    }
    for (size_t k = 0; k < c.count; k++)
        if (c.of[k].count >= MIN_CURVE_POINTS)
            c.of[kept++] = c.of[k];
    c.count = kept;
    for (size_t k = 0; k < c.count; k++)
        for (size_t p = 0; p < c.of[k].count; p++) {
            c.low = fmin(c.low, c.of[k].of[p].x);
            c.high = fmax(c.high, c.of[k].of[p].x);
            c.max_gbs = fmax(c.max_gbs, c.of[k].of[p].gbs);
        }
    if (!(c.high > c.low))
        c.count = 0;
    return c;
}

size_t chart_curve_names(const mark *m, const char *names[MAX_CHART_CURVES])
{
    curves c = read_curves(m);
    for (size_t i = 0; i < c.count; i++)
        names[i] = c.of[i].name;
    return c.count;
}

static double x_position(const curves *c, double x)
{
    return PLOT_LEFT + (PLOT_RIGHT - PLOT_LEFT) * log(x / c->low) / log(c->high / c->low);
}

static double y_position(const curves *c, double gbs)
{
    return PLOT_BOTTOM - (PLOT_BOTTOM - PLOT_TOP) * gbs / c->max_gbs;
}

/* The distance between two horizontal grid lines: a round number of GB/s that makes at most
 * AXIS_TICKS. */
static double grid_step(double most)
{
    static const double round_numbers[] = {1, 2, 5, 10};
    double power = pow(10, floor(log10(most / AXIS_TICKS)));
    for (size_t k = 0; k < sizeof round_numbers / sizeof *round_numbers; k++)
        if (round_numbers[k] * power * AXIS_TICKS >= most)
            return round_numbers[k] * power;
    return 10 * power;
}

static void add_axes(sb *out, const curves *c)
{
    const double step = grid_step(c->max_gbs);
    for (int k = 0; k * step <= c->max_gbs; k++) {
        const double gbs = k * step;
        sb_printf(
            out,
            "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/><text class=\"label\" x=\"%d\" "
            "y=\"%.1f\">%.6g</text>\n",
            PLOT_LEFT, PLOT_RIGHT, y_position(c, gbs), y_position(c, gbs), PLOT_LEFT - LABEL_GAP,
            y_position(c, gbs) + 5, gbs);
    }
    double last = -INFINITY;
    for (size_t k = 0; k < c->of[0].count; k++) {
        const double x = c->of[0].of[k].x, at = x_position(c, x);
        if (at - last < 44) /* 44: width of a number of four digits */
            continue;
        last = at;
        sb_printf(out, "<text class=\"middle\" x=\"%.1f\" y=\"%d\">%.6g</text>\n", at,
                  PLOT_BOTTOM + LABEL_LINE_HEIGHT + 2, x);
    }
    sb_printf(out, "<text class=\"middle\" x=\"%d\" y=\"%d\">x, logarithmic</text>\n",
              (PLOT_LEFT + PLOT_RIGHT) / 2, PLOT_BOTTOM + 2 * LABEL_LINE_HEIGHT + 6);
    sb_printf(out, "<text x=\"%d\" y=\"%d\">GB/s</text>\n", PLOT_RIGHT + LABEL_GAP, PLOT_TOP + 5);
}

static void add_escaped_name(sb *out, const char *name)
{
    CLEANUP(sb_free) sb plain = {0};
    append_sanitized(&plain, name, false);
    size_t fits = utf8_fit(plain.s, plain.len, LABEL_COLUMNS);
    OWNED char *kept = fits < plain.len ? xprintf("%.*s...", (int)fits, plain.s) : xstrdup(plain.s);
    append_html_text(out, kept);
}

static void add_series(sb *out, const curves *c, size_t k)
{
    const series *s = &c->of[k];
    const int y = PLOT_TOP + 2 * LABEL_LINE_HEIGHT + LABEL_LINE_HEIGHT * (int)k;
    sb_printf(out, "<g class=\"s%zu\"><polyline points=\"", k);
    for (size_t i = 0; i < s->count; i++)
        sb_printf(out, "%s%.1f,%.1f", i ? " " : "", x_position(c, s->of[i].x),
                  y_position(c, s->of[i].gbs));
    sb_puts(out, "\"/>");
    for (size_t i = 0; i < s->count; i++)
        sb_printf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>", x_position(c, s->of[i].x),
                  y_position(c, s->of[i].gbs));
    sb_printf(out, "<circle cx=\"%d\" cy=\"%d\" r=\"4\"/></g><text x=\"%d\" y=\"%d\">",
              PLOT_RIGHT + 24, y - 5, PLOT_RIGHT + 24 + LABEL_GAP, y);
    add_escaped_name(out, s->name);
    sb_puts(out, "</text>\n");
}

static void append_text_alternative(sb *out, const curves *c, const char *source)
{
    sb_printf(out, "<title>Bandwidths in GB/s over x, %s", source);
    for (size_t k = 0; k < c->count; k++) {
        sb_puts(out, k ? "; " : ": ");
        add_escaped_name(out, c->of[k].name);
        for (size_t i = 0; i < c->of[k].count; i++)
            sb_printf(out, "%s %.4g at x = %.6g", i ? "," : "", c->of[k].of[i].gbs,
                      c->of[k].of[i].x);
    }
    sb_puts(out, "</title>\n");
}

/* Append a sentence that names the curves that the graded run did not measure. */
static void append_skipped_curves(sb *out, const mark *m)
{
    json_t *list = json_object_get(json_object_get(m->result, "result"), "left_out"), *one;
    size_t i;
    if (!json_array_size(list))
        return;
    sb_puts(out, "<p class=\"quiet\">Not measured when it was graded, because it gives no points: "
                 "the curve ");
    json_array_foreach(list, i, one) {
        sb_puts(out, i ? ", " : "");
        add_escaped_name(out, json_is_string(one) ? json_string_value(one) : "?");
    }
    sb_puts(out, ". \"warpbook plot\" draws yours.</p>\n");
}

void chart_curves(sb *out, const mark *m)
{
    curves c = read_curves(m);
    const char *source = chart_source(m);
    append_skipped_curves(out, m);
    if (!c.count)
        return;
    sb_printf(out, "<h3>Bandwidths over x, %s</h3>\n", source);
    sb_printf(out,
              "<svg role=\"img\" class=\"bars curves %s\" viewBox=\"0 0 %d %d\" width=\"%d\" "
              "height=\"%d\">",
              source, CURVES_WIDTH, CURVES_HEIGHT, CURVES_WIDTH, CURVES_HEIGHT);
    append_text_alternative(out, &c, source);
    add_axes(out, &c);
    for (size_t k = 0; k < c.count; k++)
        add_series(out, &c, k);
    sb_puts(out, "</svg>\n");
}
