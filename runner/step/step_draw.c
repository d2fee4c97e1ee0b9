/* Paints the screen of `warpbook step`. */
#include "../term/paint.h"

#include "stepper.h"

#include <curses.h>

static void put_position(sb *b, const stepper *s)
{
    const step_position *w = &s->w.where;
    if (!s->w.has_where) {
        sb_puts(b, s->w.is_over ? "the replayer has ended" : "starting");
        return;
    }
    if (w->is_ended) {
        sb_printf(b, "the run has ended   %s", w->reason);
        return;
    }
    sb_printf(b, "launch %lld  block %lld,%lld,%lld  warp %d  instr %lld  %s", w->launch,
              w->block[0], w->block[1], w->block[2], w->warp, w->insn, w->reason);
}

static void draw_bar(stepper *s)
{
    static const char *const spin[] = {"|", "/", "-", "\\"};
    CLEANUP(sb_free) sb where = {0};
    put_position(&where, s);
    attrset(A_REVERSE);
    paint_fill(0, 0, s->columns, ' ');
    int width = (int)utf8_width(where.s, where.len), room = s->columns - 2;
    width = width > room ? room : width;
    paint_text(0, s->columns - 1 - width, A_REVERSE, where.s, width);
    const char *kernel =
        s->w.has_where && !s->w.where.is_ended ? s->w.where.kernel : "warpbook step";
    int name = room - width - 2;
    if (stepper_is_slow(s)) {
        paint_text(0, 1, A_REVERSE | A_BOLD, spin[s->spin / 2 % 4], 1);
        paint_text(0, 3, A_REVERSE | A_BOLD, kernel, name - 2);
    } else {
        paint_text(0, 1, A_REVERSE | A_BOLD, kernel, name);
    }
}

static void draw_pane(stepper *s, const pane_place *at)
{
    const pane_row *row = &pane_rows[at->pane];
    CLEANUP(page_free) page p = {0};
    CLEANUP(sb_free) sb title = {0};
    char name[32];
    row->draw(s, &p, &title, at->rows - 1, at->columns);
    snprintf(name, sizeof name, " %d %s ", (int)at->pane + 1, row->name);
    paint_horizontal_line(at->y, at->x, at->columns);
    int used =
        1 + paint_text(at->y, at->x + 1,
                       at->pane == s->focus ? A_REVERSE | A_BOLD : paint_attributes(STYLE_STRONG),
                       name, at->columns - 2);
    if (title.len) {
        sb_puts(&title, " ");
        paint_text(at->y, at->x + used, A_NORMAL, " ", 1);
        paint_text(at->y, at->x + used + 1, A_NORMAL, title.s, at->columns - used - 2);
    }
    for (int i = 0; i < (int)p.count && i < at->rows - 1; i++)
        paint_line(&p.lines[i], at->y + 1 + i, at->x, at->columns, 0);
}

static void draw_question(stepper *s, int y)
{
    int n =
        1 + paint_text(y, 1, paint_attributes(STYLE_NOTE), s->asking->question, s->columns - 20);
    int room = s->columns - n - 4, len = (int)s->input_len;
    n += 1 + paint_text(y, n + 1, A_BOLD, s->input + (len > room ? len - room : 0), room);
    paint_text(y, n, A_REVERSE, " ", 1);
}

/* Draw a message; a message of several rows covers the rows above. */
static void put_message(const stepper *s, style how, const char *text)
{
    enum { MOST_ROWS = 5 };
    CLEANUP(page_free) page p = {0};
    page_wrap_text(&p, how, text, (size_t)s->columns - 2, "", "");
    int count = p.count > MOST_ROWS ? MOST_ROWS : (int)p.count;
    for (int i = 0; i < count; i++) {
        int y = s->rows - 1 - count + i;
        paint_fill(y, 0, s->columns, ' ');
        paint_line(&p.lines[i], y, 1, s->columns - 2, 0);
    }
}

static void draw_message(stepper *s)
{
    const step_position *w = &s->w.where;
    int y = s->rows - 2;
    CLEANUP(sb_free) sb b = {0};
    style how = STYLE_NOTE;
    if (s->asking) {
        draw_question(s, y);
    } else if (stepper_is_slow(s)) {
        sb_printf(&b, "%s ... %.0f s   ^C stops it, x cancels",
                  s->w.has_where ? s->w.pending[0].line : "The replayer begins",
                  session_seconds_waited(&s->w));
    } else if (s->w.error) {
        how = STYLE_BAD;
        sb_puts(&b, s->w.error);
    } else if (s->message.text) {
        how = s->message.how;
        sb_puts(&b, s->message.text);
    } else if (s->w.has_where && w->fault) {
        how = STYLE_BAD;
        sb_puts(&b, w->fault);
    } else if (s->w.has_where && w->wrote) {
        if (w->wrote_by)
            sb_printf(&b, "%s %s %s.", w->wrote,
                      w->wrote_lanes ? "was written here by" : "was written before this by",
                      w->wrote_by);
        else
            sb_printf(&b, "This instruction wrote %s = %s, in lanes %08x.", w->wrote,
                      w->wrote_value ? w->wrote_value : "?", w->wrote_lanes);
        if (w->wrong)
            sb_printf(&b, " Wrong: %s", w->wrong);
    } else if (s->w.noise) {
        sb_puts(&b, "Lines in the replayer's output that are not answers were left out.");
    }
    if (b.len)
        put_message(s, how, b.s);
}

static void draw_keys(stepper *s)
{
    int x = 1, y = s->rows - 1;
    for (size_t i = 0; i < step_key_count; i++) {
        const step_key *k = &step_keys[i];
        if (!k->bar)
            continue;
        x += paint_text(y, x, A_BOLD | paint_attributes(STYLE_NOTE), k->name, 8);
        x += paint_text(y, x + 1, A_NORMAL, k->bar, s->columns - x - 1) + 2;
    }
}

static void draw_box(stepper *s)
{
    int width = (int)page_width(&s->box) + 4, height = (int)s->box.count + 2;
    width = width < 44 ? 44 : width > s->columns - 2 ? s->columns - 2 : width;
    height = height > s->rows - 2 ? s->rows - 2 : height;
    int y = (s->rows - height) / 2, x = (s->columns - width) / 2;
    size_t rows = (size_t)height - 2, last = s->box.count > rows ? s->box.count - rows : 0;
    s->box_top = s->box_top > last ? last : s->box_top;
    paint_box(y, x, height, width, s->box_title);
    if (s->box_top < last)
        paint_text(y + height - 1, x + 2, paint_attributes(STYLE_NOTE), " down: more ", width - 4);
    for (size_t i = 0; i < rows && s->box_top + i < s->box.count; i++)
        paint_line(&s->box.lines[s->box_top + i], y + 1 + (int)i, x + 2, width - 4, 0);
}

void stepper_draw(stepper *s)
{
    pane_place places[PANE_COUNT];
    erase();
    if (s->columns < STEPPER_MIN_COLUMNS || s->rows < STEPPER_MIN_ROWS) {
        paint_too_small("warpbook step",
                        "Make it larger, or press q and use warpbook step --commands.", s->columns,
                        s->rows, STEPPER_MIN_COLUMNS, STEPPER_MIN_ROWS);
        refresh();
        return;
    }
    size_t count = layout_make(s, places);
    draw_bar(s);
    for (size_t i = 0; i < count && s->w.has_where; i++)
        draw_pane(s, &places[i]);
    draw_message(s);
    draw_keys(s);
    if (s->boxed)
        draw_box(s);
    move(s->rows - 1, 0);
    refresh();
}
