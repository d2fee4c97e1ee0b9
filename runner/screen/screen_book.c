/* Pages of the whole book, in a tab of their own: the glossary, opened at a word that the lesson
 * links to, and what a search finds besides the lessons. */
#include "../base/files.h"
#include "../book/lesson.h"
#include "screen_state.h"

#include <curses.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PAGE_BYTES = 4 << 20 }; /* largest page that is shown */

static const struct {
    const char *title, *path;
} pages[] = {
    {"Words", "docs/GLOSSARY.md"}, {"Tutorial", "TUTORIAL.md"}, {"Results", "docs/RESULTS.md"}};
const size_t book_page_count = sizeof pages / sizeof *pages;
enum { PAGE_WORDS }; /* the glossary's index */

const char *book_page_title(size_t i)
{
    return pages[i].title;
}

/* --- the glossary: its table as a list --- */

/* Add the Markdown in TEXT to P; TEXT is empty afterwards. */
static void flush_text(page *p, sb *text, size_t width)
{
    if (text->len)
        lesson_render(p, text->s, width, NULL);
    sb_free(text);
}

/* Row `| word | meaning | chapters |` of the glossary as an item of a list. */
static void add_word(sb *out, const char *line, size_t len)
{
    char *row = xprintf("%.*s", (int)len, line), *rest = row, *cell[4] = {NULL};
    for (size_t i = 0; i < 4; i++)
        cell[i] = strsep(&rest, "|");
    if (cell[3])
        sb_printf(out, "- **%s**: %s (chapter%s %s)\n", strip(cell[1]), strip(cell[2]),
                  strchr(cell[3], ',') ? "s" : "", strip(cell[3]));
    free(row);
}

/* Add the glossary to P. Returns the line at which it explains the word of ANCHOR, or 0. */
static size_t add_glossary(page *p, const char *text, size_t width, const char *anchor)
{
    OWNED char *mark = xprintf("id=\"%s\"", anchor ? anchor : "");
    size_t at = 0, len;
    bool in_table = false;
    const char *line;
    sb out = {0};
    while ((line = next_line(&text, &len))) {
        const bool row = len && *line == '|';
        if (memmem(line, len, mark, strlen(mark))) {
            flush_text(p, &out, width);
            if (!row)
                page_ensure_blank(p);
            at = p->count;
        }
        if (row && in_table)
            add_word(&out, line, len);
        else if (!row)
            sb_printf(&out, "%.*s\n", (int)len, line);
        in_table = row && (in_table || starts_with(line, "| ---"));
    }
    flush_text(p, &out, width);
    return at;
}

/* --- the tab --- */

bool book_add_text(screen *s, size_t i, page *p)
{
    installation *h = &s->d->installation;
    const book *b = &s->d->book;
    const size_t width = screen_text_columns(s);
    const char *path =
        i < b->count ? b->chapters[i].lesson : installation_path(h, "%s", pages[i - b->count].path);
    OWNED char *text = read_whole_file(path, MAX_PAGE_BYTES, NULL);
    if (text && i == b->count + PAGE_WORDS)
        add_glossary(p, text, width, NULL);
    else if (text)
        lesson_render(p, text, width, NULL);
    return text != NULL;
}

void make_book_page(screen *s)
{
    const linked_words *w = &s->words;
    installation *h = &s->d->installation;
    char *text = NULL;
    if (s->book_page == PAGE_WORDS && w->count)
        text = read_whole_file(installation_path(h, "%s", pages[PAGE_WORDS].path), MAX_PAGE_BYTES,
                               NULL);
    if (!text) {
        if (!book_add_text(s, s->d->book.count + s->book_page, &s->page))
            page_line_add(&s->page, STYLE_BAD, "%s is not there.", pages[s->book_page].path);
        return;
    }
    size_t at = add_glossary(&s->page, text, screen_text_columns(s), w->anchors[w->current]);
    free(text);
    for (size_t i = 0; at < s->page.count && i < s->page.lines[at].len; i++)
        if (s->page.lines[at].styles[i] == STYLE_STRONG)
            s->page.lines[at].styles[i] = STYLE_PICKED;
    if (w->fresh)
        screen_view(s)->top[TAB_BOOK] = at > 2 ? at - 2 : 0;
    s->words.fresh = false;
}

void book_open_page(screen *s, size_t i)
{
    if (s->tab != TAB_BOOK)
        s->book_from = s->tab;
    screen_show_tab(s, TAB_BOOK);
    s->book_page = i;
}

void book_close_page(screen *s)
{
    screen_show_tab(s, s->book_from);
}

/* --- words --- */

static void forget_words(screen *s)
{
    arena_free(&s->words.memory);
    s->words = (linked_words){0};
}

/* Remember links FROM to UNTIL of the page. */
static void take_words(screen *s, size_t from, size_t until)
{
    linked_words *w = &s->words;
    forget_words(s);
    for (size_t i = from; i < until; i++)
        *ARENA_PUSH(&w->memory, w->anchors, w->count) =
            arena_strdup(&w->memory, s->page.links[i].target);
}

static void show_word(screen *s)
{
    const linked_words *w = &s->words;
    book_open_page(s, PAGE_WORDS);
    s->words.fresh = true;
    if (w->count > 1)
        message_set(&s->message, STYLE_NOTE, "Word %zu of %zu on that page: W the next, Esc back",
                    w->current + 1, w->count);
    else
        message_set(&s->message, STYLE_NOTE, "Esc goes back.");
}

void book_show_word(screen *s)
{
    linked_words *w = &s->words;
    screen_refresh_page(s);
    if (s->tab == TAB_BOOK && w->count) {
        w->current = (w->current + 1) % w->count;
    } else if (s->tab == TAB_LESSON) {
        bool on;
        const size_t top = screen_view(s)->top[TAB_LESSON];
        const size_t end = top + (size_t)screen_pane_height(s);
        take_words(s, page_link_from(&s->page, top, 0, &on), page_link_from(&s->page, end, 0, &on));
    } else {
        forget_words(s);
    }
    show_word(s);
}

bool book_click_word(screen *s, int y, int x)
{
    const chapter_view *v = screen_view(s);
    screen_refresh_page(s);
    const size_t line = v->top[TAB_LESSON] + (size_t)(y - SCREEN_PANE_Y);
    bool on = false;
    if (s->tab != TAB_LESSON || y < SCREEN_PANE_Y || line >= s->page.count)
        return false;
    const page_line *l = &s->page.lines[line];
    const size_t column = (size_t)(x - screen_pane_left(s)) + v->left[TAB_LESSON];
    const size_t link = page_link_from(&s->page, line, utf8_fit(l->s, l->len, column), &on);
    if (!on || link >= s->page.link_count)
        return false;
    take_words(s, link, link + 1);
    show_word(s);
    return true;
}
