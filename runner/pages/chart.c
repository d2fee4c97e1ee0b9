#include "chart.h"

#include "../base/files.h"
#include "../base/json.h"
#include "../base/plain.h"
#include "html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_MEASURES = 400,   /* bandwidths that are looked at, at most */
    MAX_BARS = 40,        /* bars in a chart, at most */
    MAX_CURVES = 6,       /* curves in a chart, at most; other points become bars */
    MIN_CURVE_POINTS = 3, /* points of a curve, at least */
    LABEL_BYTES = 42,     /* of a name, at most: gnuplot cuts the 50th, even inside a character */
    DRAWING_LIMIT_S = 20  /* seconds that gnuplot may take for one chart */
};

typedef struct measurement {
    const char *name, *x; /* variant; sweep value, or NULL */
    double at, gbs;       /* X as a number, NAN: it is none; bandwidth in GB/s */
    bool copy;            /* it is the device-to-device copy */
} measurement;

typedef struct picture {
    const char *script; /* gnuplot script that draws it */
    int height;         /* in pixels */
    sb record;          /* rows of a record (docs/FORMATS.md) */
    sb values;          /* the same in words */
    size_t count;       /* rows besides that of the copy */
    const char *last;   /* variant of the last row */
} picture;

static void picture_free(picture *p)
{
    sb_free(&p->record);
    sb_free(&p->values);
}

void charts_open(charts *c, installation *h)
{
    *c = (charts){.scripts = installation_path(h, "plots")};
}

void charts_close(charts *c)
{
    coprocess_free(c->gnuplot);
    free(c->why);
}

static bool is_row_about(const mark_row *r, const char *name)
{
    size_t n = strlen(name);
    return strncmp(r->label, name, n) == 0 && r->label[n] == ':';
}

/* True: only hidden rows of the rubric use variant NAME. */
static bool is_variant_hidden(const mark *m, const char *name)
{
    bool hidden = false, shown = false;
    for (size_t i = 0; i < m->row_count; i++)
        if (is_row_about(&m->rows[i], name))
            *(m->rows[i].hidden ? &hidden : &shown) = true;
    return hidden && !shown;
}

const char *chart_source(const mark *m)
{
    for (size_t i = 0; i < m->row_count; i++)
        if (m->rows[i].how && strcmp(m->rows[i].how, "measured") == 0)
            return "measured";
    return "modelled";
}

static size_t read_measurements(const mark *m, measurement list[MAX_MEASURES])
{
    json_t *all = json_object_get(json_object_get(m->result, "result"), "measures"), *one;
    size_t i, count = 0;
    json_array_foreach(all, i, one) {
        const char *kind = member_text(one, "kind");
        measurement r = {.name = member_text(one, "name"), .x = member_text(one, "x"), .at = NAN};
        r.gbs = json_number_value(json_object_get(one, "gbs"));
        r.copy = kind && strcmp(kind, "copy") == 0;
        if (r.x && (!parse_number(r.x, &r.at) || r.at <= 0 || r.at >= 1e15))
            r.at = NAN;
        if (count < MAX_MEASURES && r.name && r.gbs > 1e-6 && r.gbs < 1e9 &&
            !is_variant_hidden(m, r.name))
            list[count++] = r;
    }
    return count;
}

static bool is_swept(const measurement *list, size_t count, const char *name)
{
    size_t points = 0;
    for (size_t i = 0; i < count; i++)
        points += !isnan(list[i].at) && strcmp(list[i].name, name) == 0;
    return points >= MIN_CURVE_POINTS;
}

/* Is NAME among the COUNT names of curves, or can it become another? */
static bool is_curve(const char *curves[MAX_CURVES], size_t *count, const char *name)
{
    size_t i = 0;
    while (i < *count && strcmp(curves[i], name) != 0)
        i++;
    if (i == *count && i < MAX_CURVES)
        curves[(*count)++] = name;
    return i < *count;
}

/* Append untrusted text as a field of a table, without the characters by which gnuplot quotes. */
static void append_field(sb *out, const char *text)
{
    CLEANUP(sb_free) sb plain = {0};
    append_sanitized(&plain, text, false);
    for (char *p = plain.s; *p; p++)
        *p = *p == '"' ? '\'' : *p == '\\' ? '/' : *p;
    size_t fits = 0;
    for (size_t n; fits < plain.len; fits += n) {
        utf8_decode(plain.s + fits, plain.len - fits, &n);
        if (fits + n > LABEL_BYTES)
            break;
    }
    sb_add(out, plain.s, fits);
    sb_puts(out, fits < plain.len ? "..." : "");
}

/* Add a row to the picture. ON: the end of the record's rows; COPY: bandwidth of the copy in GB/s,
 * 0: not measured. */
static void add_row(picture *p, const measurement *r, bool point, const char *on, double copy)
{
    OWNED char *name = r->x && !point ? xprintf("%s, x = %s", r->name, r->x) : xstrdup(r->name);
    CLEANUP(sb_free) sb label = {0};
    append_field(&label, name);
    sb_printf(&p->record, "%s\t%s\t", r->copy ? "copy" : "measure", label.s);
    sb_printf(&p->record, point ? "%.15g" : "-", r->at);
    sb_printf(&p->record, "\t-\t-\t-\t%.15g\t-\t%s", r->gbs, on);
    if (point && p->last && strcmp(p->last, r->name) == 0)
        sb_puts(&p->values, ",");
    else
        sb_printf(&p->values, "%s%s", p->last ? "; " : "", label.s);
    sb_printf(&p->values, " %.4g GB/s", r->gbs);
    if (point)
        sb_printf(&p->values, " at x = %.6g", r->at);
    else if (copy > 0 && !r->copy)
        sb_printf(&p->values, ", %.0f %% of a copy", 100 * r->gbs / copy);
    p->last = r->name;
    p->count += !r->copy;
}

static bool set_why(charts *c, char *sentence)
{
    free(c->why);
    c->why = sentence;
    return false;
}

static bool start_gnuplot(charts *c)
{
    OWNED char *program = find_program("gnuplot");
    OWNED char *pages = xprintf("%s/pages.gp", c->scripts);
    if (!program)
        return set_why(c, xstrdup("gnuplot is missing: install gnuplot-nox"));
    c->gnuplot = coprocess_start(
        "gnuplot", (const char *[]){program, "-d", "-c", pages, c->scripts, NULL}, NULL);
    return true;
}

/* gnuplot's picture as SVG; false: it could not be drawn, and C says why. */
static bool draw(charts *c, const picture *p, sb *svg)
{
    OWNED char *commands =
        xprintf("reset\nheight = %d\n$record << END\n%sEND\nload home . '/%s.gp'\nunset output\n"
                "print 'drawn'",
                p->height, p->record.s, p->script);
    const double limit = monotonic_s() + DRAWING_LIMIT_S;
    const char *line;
    size_t length;
    bool too_long;
    if (!c->gnuplot && !start_gnuplot(c))
        return false;
    coprocess_send(c->gnuplot, commands);
    while ((line = coprocess_wait_for_line(c->gnuplot, limit, &length, &too_long))) {
        if (length == 5 && memcmp(line, "drawn", length) == 0)
            return true;
        sb_add(svg, line, length);
        sb_puts(svg, "\n");
    }
    set_why(c, coprocess_ended(c->gnuplot) ? coprocess_end_sentence(c->gnuplot)
                                           : xstrdup("gnuplot takes too long"));
    coprocess_free(c->gnuplot);
    c->gnuplot = NULL;
    return false;
}

/* Append the picture as an image: what is in one cannot reach the page around it. */
static void append_picture(charts *c, sb *out, picture *p, const char *what, const char *source)
{
    CLEANUP(sb_free) sb svg = {0};
    OWNED char *values = xprintf("%s, %s: %s", what, source, p->values.s);
    if (draw(c, p, &svg)) {
        sb_puts(out, "<p><img class=\"plot\" alt=\"");
        append_html_text(out, values);
        sb_puts(out, "\" src=\"data:image/svg+xml;base64,");
        append_base64(out, svg.s, svg.len);
        sb_puts(out, "\"></p>\n");
    } else {
        page_element(out, "p", values);
        page_element(out, "p class=\"quiet\"",
                     "They are not drawn, because gnuplot is missing or failed where this page was "
                     "made: install gnuplot-nox there.");
        sb_puts(out, "\n");
    }
}

/* Append a sentence that names the curves that the graded run did not measure. */
static void append_skipped_curves(sb *out, const mark *m)
{
    json_t *list = json_object_get(json_object_get(m->result, "result"), "left_out"), *one;
    CLEANUP(sb_free) sb names = {0};
    size_t i;
    json_array_foreach(list, i, one) {
        sb_puts(&names, i ? ", " : "");
        append_field(&names, json_is_string(one) ? json_string_value(one) : "?");
    }
    if (!names.len)
        return;
    OWNED char *sentence =
        xprintf("Not measured when it was graded, because it gives no points: the curve %s. "
                "\"warpbook plot\" draws yours.",
                names.s);
    page_element(out, "p class=\"quiet\"", sentence);
    sb_puts(out, "\n");
}

void charts_append(charts *c, sb *out, const mark *m)
{
    measurement list[MAX_MEASURES];
    const char *curves[MAX_CURVES],
        *source = chart_source(m),
        *device = member_text(json_object_get(m->result, "result"), "device");
    const size_t count = read_measurements(m, list);
    size_t curve_count = 0;
    double copy = 0;
    CLEANUP(sb_free) sb on = {0};
    CLEANUP(picture_free) picture bars = {.script = "bandwidth"}, sweep = {.script = "sweep"};
    sb_printf(&on, "%s\t", source);
    append_field(&on, device ? device : "unknown device");
    sb_puts(&on, "\t-\n");
    for (size_t i = 0; i < count; i++)
        copy = list[i].copy ? list[i].gbs : copy;
    for (size_t i = 0; i < count; i++) {
        bool swept =
            is_swept(list, count, list[i].name) && is_curve(curves, &curve_count, list[i].name);
        if (swept && !isnan(list[i].at))
            add_row(&sweep, &list[i], true, on.s, copy);
        else if (!swept && bars.count < MAX_BARS)
            add_row(&bars, &list[i], false, on.s, copy);
    }
    bars.height = 165 + 30 * (int)bars.count;
    sweep.height = 300 + 20 * (int)curve_count;
    if (bars.count)
        append_picture(c, out, &bars, "Bandwidths", source);
    append_skipped_curves(out, m);
    if (sweep.count)
        append_picture(c, out, &sweep, "Bandwidths over x", source);
}
