/* Draws the last memory request, and a report as its two moments. */
#include "../show/diagram.h"
#include "stepper.h"

#include <string.h>

/* Convert a request to the form that the diagrams of `warpbook plot --access` use. Offsets count
 * from the start of the array; if it is unknown, in global memory from the start of the 128-byte
 * line of the lowest address. */
static memory_request request_for_diagram(const step_request *r, const step_position *w, arena *a)
{
    unsigned long long base = UINT64_MAX;
    memory_request out = {
        .kernel = w->kernel,
        .file = r->place.file ? r->place.file : "",
        .path = "",
        .op = arena_strndup(a, r->place.ptx ? r->place.ptx : "",
                            strcspn(r->place.ptx ? r->place.ptx : "", " ")),
        .effect = r->effect,
        .of_block = arena_printf(a, "%lld,%lld,%lld", w->block[0], w->block[1], w->block[2]),
        .memory = r->array ? r->array : "",
        .space = memory_space_of_name(r->space),
        .line = r->place.line,
        .bytes = (unsigned)r->bytes,
        .warp = (unsigned)r->warp,
        .served = r->bytes > 8   ? 8
                  : r->bytes > 4 ? 16
                                 : 32,
        .cost = r->cost > 0 ? (unsigned)r->cost : 0};
    for (int lane = 0; lane < STEP_LANE_COUNT; lane++)
        if (r->on[lane] && r->at[lane] < base)
            base = r->at[lane];
    base = base == UINT64_MAX ? 0 : base / LINE_BYTES * LINE_BYTES;
    if (r->array || out.space == SPACE_SHARED)
        base = r->begins;
    if (out.space == SPACE_SHARED)
        out.begins = (long long)r->begins;
    for (int lane = 0; lane < STEP_LANE_COUNT; lane++) {
        out.on[lane] = r->on[lane];
        out.at[lane] = r->on[lane] ? (long long)(r->at[lane] - base) : 0;
        out.lanes += r->on[lane];
    }
    return out;
}

void fill_request_pane(stepper *s, page *p, sb *title, int rows, int columns)
{
    const step_request *r = &s->w.request;
    if (s->w.where.is_ended || !r->space) {
        put_reason_for_empty_pane(p, s, ASK_REQUEST, "", columns);
        return;
    }
    CLEANUP(arena_free) arena a = {0};
    memory_request card = request_for_diagram(r, &s->w.where, &a);
    const step_line *l = session_source_line(&s->w, r->place.line);
    sb_printf(title, "instr %lld, %s", r->insn, r->space);
    CLEANUP(page_free) page all = {0};
    draw_request_diagram(&all, &card, l ? l->text : NULL, NULL,
                         columns >= DIAGRAM_WIDE_COLUMNS ? DIAGRAM_WIDE_COLUMNS
                                                         : DIAGRAM_NARROW_COLUMNS);
    size_t last = all.count > (size_t)rows ? all.count - (size_t)rows : 0;
    s->request_top = s->request_top < last ? s->request_top : last;
    for (size_t i = s->request_top; i < all.count && (int)p->count < rows; i++) {
        styled t = {0};
        for (size_t k = 0; k < all.lines[i].len; k++)
            styled_add(&t, (style)all.lines[i].styles[k], all.lines[i].s + k, 1);
        page_add_line(p, &t);
    }
}

/* --- the two moments of a report --- */

static void put_wrapped(page *p, style how, const char *first, const char *text)
{
    if (text)
        page_wrap_text(p, how, text, DIAGRAM_NARROW_COLUMNS, first, first);
}

static void put_moment(page *p, const step_moment *d)
{
    OWNED char *what = xprintf("%s %s", d->who ? d->who : "the program", d->did ? d->did : "");
    put_wrapped(p, STYLE_STRONG, "", what);
    if (d->insn >= 0)
        page_line_add(p, STYLE_DIM, "launch %lld, instr %lld, warp %d", d->launch, d->insn,
                      d->warp);
    if (d->at.file)
        page_line_add(p, STYLE_NORMAL, "%s:%d", d->at.file, d->at.line);
    put_wrapped(p, STYLE_CODE, "  ", d->source ? d->source + strspn(d->source, " ") : NULL);
    put_wrapped(p, STYLE_DIM, "  ", d->at.ptx);
}

void append_report_moments(page *p, const step_report_moments *m, int columns)
{
    styled t = {0};
    styled_add(&t, STYLE_BAD, m->text, strcspn(m->text, "\n")); /* the sides quote the lines */
    page_wrap(p, &t, (size_t)columns, "", "");
    page_add_blank_line(p);
    CLEANUP(page_free) page later = {0}, earlier = {0};
    put_moment(&later, &m->sides[0]);
    if (m->count > 1)
        put_moment(&earlier, &m->sides[1]);
    place_diagrams_side_by_side(p, m->count > 1 ? "earlier" : "", &earlier, "later", &later);
    page_add_blank_line(p);
    if (m->missing) {
        styled_printf(&t, STYLE_TODO, "Missing between the two: %s", m->missing);
        page_wrap(p, &t, (size_t)columns, "", "");
    }
    if (m->place)
        page_line_add(p, STYLE_DIM, "Its last writer: who %s", m->place);
}
