/* The heading of a slide, in large letters where the terminal is large or the lecturer wants it. */
#include "../show/report.h"
#include "../term/paint.h"
#include "demo_state.h"
#include "large.h"

#include <string.h>

enum {
    LARGE_LEAST_COLUMNS = 100, /* a slide has large letters if the terminal is at least so wide */
    LARGE_LEAST_ROWS = 30,     /* a slide has large letters if the terminal is at least so high */
};

bool demo_uses_large_letters(const slide_show *m)
{
    bool room = m->columns >= LARGE_LEAST_COLUMNS && m->rows >= LARGE_LEAST_ROWS;
    return locale_is_utf8() && (m->large_chosen ? m->large : room);
}

int demo_body_top(const slide_show *m)
{
    return demo_uses_large_letters(m) ? LARGE_ROWS + 3 : 4;
}

/* A heading with letters spaced apart: "T h e i d e a". The caller frees it. */
static char *spaced_heading(const char *text)
{
    sb out = {0};
    size_t len = strlen(text);
    for (size_t i = 0, n; i < len; i += n) {
        utf8_decode(text + i, len - i, &n);
        sb_add(&out, text + i, n);
        if (i + n < len)
            sb_puts(&out, text[i] == ' ' ? "  " : " ");
    }
    return sb_take(&out);
}

static void draw_spaced_heading(slide_show *m, int y, chtype how, const char *text)
{
    OWNED char *wide = spaced_heading(text);
    int x = demo_left_margin(m), columns = m->columns - 2 * x;
    bool fits = utf8_width(wide, strlen(wide)) <= (size_t)columns;
    paint_text(y, x, how, fits ? wide : text, columns);
}

/* The bytes of TEXT, up to a blank, that large letters of COLUMNS have room for; at least a word.
 */
static size_t words_that_fit(const char *text, size_t columns)
{
    size_t fits = strcspn(text, " "), next = fits;
    while (text[next] && (next + 1 + strcspn(text + next + 1, " ")) * 3 <= columns)
        fits = next += 1 + strcspn(text + next + 1, " ");
    return fits;
}

/* Draw TEXT from row Y on in large letters, which are as wide in all headings; what does not fit is
 * cut behind a word. False: letters are small. */
static bool draw_large_heading(slide_show *m, int y, style how, const char *text)
{
    CLEANUP(page_free) page p = {0};
    int x = demo_left_margin(m), columns = m->columns - x - 8; /* room for "1 of 2" at the right */
    size_t fits = words_that_fit(text, (size_t)columns);
    OWNED char *words = xprintf("%.*s", (int)fits, text);
    size_t least = large_text_width(words);
    bool good = demo_uses_large_letters(m) && least && least <= (size_t)columns &&
                add_large_text(&p, how, words, least);
    for (size_t i = 0; i < p.count; i++)
        paint_line(&p.lines[i], y + (int)i, x, columns, 0);
    return good;
}

/* The words over a slide; NULL: there are none. */
static const char *heading_of_slide(const slide *shown, char *text, size_t size)
{
    switch (shown->kind) {
    case SLIDE_TITLE: return NULL;
    case SLIDE_CODE:
    case SLIDE_ANSWER:
        snprintf(text, size, "TODO %d: the %s", shown->todo,
                 shown->kind == SLIDE_CODE ? "lab" : "solution");
        return text;
    case SLIDE_LIVE: return "Live";
    case SLIDE_ACCESS: return "How lanes access memory";
    case SLIDE_PICTURE: return "The picture";
    case SLIDE_DEBUGGER: return "Step by step";
    default: return shown->heading ? shown->heading : shown->section;
    }
}

void draw_slide_heading(slide_show *m)
{
    char text[64];
    const char *words = heading_of_slide(demo_slide(m), text, sizeof text);
    if (words && !draw_large_heading(m, 1, STYLE_NOTE, words))
        draw_spaced_heading(m, 1, paint_attributes(STYLE_HEADING), words);
}

void demo_draw_title_slide(slide_show *m)
{
    const chapter *c = demo_slide(m)->c;
    char line[64];
    int y = m->rows / 3, x = demo_left_margin(m), columns = m->columns - x - 8;
    snprintf(line, sizeof line, c->assignment ? "Assignment %d" : "Chapter %d", c->number);
    paint_text(y, x, paint_attributes(STYLE_DIM), line, demo_body_columns(m));
    y += 2;
    for (const char *rest = c->title; *rest && y + LARGE_ROWS < m->rows;) {
        size_t length = words_that_fit(rest, (size_t)columns);
        OWNED char *words = xprintf("%.*s", (int)length, rest);
        bool drawn = draw_large_heading(m, y, STYLE_TITLE, words);
        if (!drawn) {
            draw_spaced_heading(m, y, paint_attributes(STYLE_TITLE), rest);
            return;
        }
        rest += length + strspn(rest + length, " ");
        y += LARGE_ROWS + 1;
    }
}

void demo_append_large_text(slide_show *m, page *p, style how, const char *text)
{
    bool room = p->count + LARGE_ROWS + 3 <= (size_t)demo_body_rows(m);
    if (room && demo_uses_large_letters(m) &&
        add_large_text(p, how, text, (size_t)demo_body_columns(m)))
        page_add_blank_line(p);
}
