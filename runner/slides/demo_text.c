/* Makes the slides with text and with code. */
#include "../base/files.h"
#include "../book/lesson.h"
#include "../book/syntax.h"
#include "../term/paint.h"
#include "demo_state.h"

enum { MAX_SOURCE_BYTES = 4 << 20 }; /* largest source file of a lab that is read */

void demo_make_text_page(slide_show *m, page *p)
{
    lesson_render(p, demo_slide(m)->markdown, (size_t)demo_body_columns(m), NULL);
}

/* --- code --- */

/* The lines of a source that a slide shows: the head of the function around a TODO region, the
 * lines near the region, and the function's end. */
typedef struct excerpt {
    int first, head; /* first and last line of the head of the function around the region */
    int near;        /* first of the lines near the region that are shown */
    int end;         /* last of the lines near the region that are shown */
    int last;        /* last line of the function, which is shown too */
} excerpt;

static bool is_at_margin(const page_line *l)
{
    return l->len > 0 && l->s[0] != ' ';
}

/* The excerpt for TODO region T, with AROUND lines on each side of the region. */
static excerpt excerpt_of(const page *text, const todo_region *t, int around)
{
    excerpt e = {.first = t->begin, .end = t->end};
    int count = (int)text->count;
    while (e.first > 1 &&
           !(is_at_margin(&text->lines[e.first - 1]) && text->lines[e.first - 2].len == 0))
        e.first--;
    while (e.first < t->begin && starts_with(text->lines[e.first - 1].s, "//"))
        e.first++;
    for (e.head = e.first; e.head < t->begin && text->lines[e.head - 1].s[0] != '{';)
        e.head++;
    e.near = t->begin - around;
    if (e.near <= e.head + 2) /* do not leave out a single line: the gap mark takes a line too */
        e.near = e.head + 1;
    e.last = t->end;
    bool whole = is_at_margin(&text->lines[t->begin - 1]); /* the region is outside any function */
    while (!whole && e.last < count && text->lines[e.last - 1].s[0] != '}')
        e.last++;
    e.end = t->end + around + 2 < e.last ? t->end + around : e.last;
    return e;
}

static void put_gap_mark(page *p, int lines)
{
    if (lines > 0)
        page_line_add(p, STYLE_DIM, "      ... %d line%s", lines, lines == 1 ? "" : "s");
}

static void put_lines(page *p, const page *text, const todo_region *t, int from, int to)
{
    bool in_comment = false;
    for (int number = from; number <= to; number++) {
        styled line = {0};
        syntax_add_margin(&line, number, number >= t->begin && number <= t->end, false);
        syntax_add_line(&line, text->lines[number - 1].s, &in_comment);
        page_add_line(p, &line);
    }
}

void demo_make_code_page(slide_show *m, page *p)
{
    const slide *shown = demo_slide(m);
    const char *path = shown->kind == SLIDE_ANSWER ? shown->c->solution : shown->c->lab;
    const char *name = installation_short_path(&m->d->installation, path);
    OWNED char *source = read_whole_file(path, MAX_SOURCE_BYTES, NULL);
    CLEANUP(arena_free) arena memory = {0};
    chapter now = {0};
    CLEANUP(page_free) page text = {0};
    chapter_read_lab(&now, &memory, source ? source : "");
    page_add_terminal_text(&text, STYLE_NORMAL, source ? source : "");
    const todo_region *t = chapter_find_todo(&now, shown->todo);
    if (t) {
        int spare = demo_body_rows(m) - 5 - (t->end - t->begin);
        excerpt e = excerpt_of(&text, t, spare > 12 ? 6 : spare > 4 ? spare / 2 : 2);
        paint_text(demo_body_top(m) - 2, demo_left_margin(m), paint_attributes(STYLE_DIM), name,
                   demo_body_columns(m));
        put_lines(p, &text, t, e.first, e.head < e.near ? e.head : e.near - 1);
        put_gap_mark(p, e.near - e.head - 1);
        put_lines(p, &text, t, e.near, e.end);
        put_gap_mark(p, e.last - e.end - 1);
        if (e.last > e.end)
            put_lines(p, &text, t, e.last, e.last);
    } else {
        page_line_add(p, STYLE_BAD, "%s has no TODO %d.", name, shown->todo);
    }
}

/* --- the list of slides --- */

char *label_of_slide(const slides *deck, size_t at)
{
    const slide *s = &deck->list[at];
    const char *section;
    page p = {0};
    char *out = NULL;
    switch (s->kind) {
    case SLIDE_TITLE: return xprintf("%s", s->c->title);
    case SLIDE_CODE: return xprintf("  TODO %d in the lab", s->todo);
    case SLIDE_ANSWER: return xprintf("  TODO %d in the solution", s->todo);
    case SLIDE_LIVE: return xstrdup("  Live");
    case SLIDE_ACCESS: return xstrdup("  How lanes access memory");
    case SLIDE_PICTURE:
        return xprintf("  The picture%s%s", s->c->picture_count ? ": " : "",
                       s->c->picture_count ? s->c->pictures[s->picture].script : "");
    default:
        lesson_render(&p, s->markdown, 200, NULL);
        section = s->kind == SLIDE_DEBUGGER ? "Step by step" : s->heading ? s->heading : s->section;
        out = xprintf("  %s%s%s", section ? section : "", section ? ": " : "",
                      p.count ? p.lines[0].s : "");
        page_free(&p);
        return out;
    }
}
