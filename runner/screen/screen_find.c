/* Text typed in the bottom line: a search in this page and then in all, or a chapter to go to. */
#include "screen_state.h"

#include <ctype.h>
#include <string.h>

/* --- matches --- */

/* A position in the text of a page. */
typedef struct page_position {
    size_t line, byte; /* line of the page, and byte in the line */
} page_position;

/* Move AT past blanks and line ends, because a search text may be wrapped between two words. False:
 * no blanks at AT. */
static bool skip_blanks(const page *p, page_position *at)
{
    const page_line *l = &p->lines[at->line];
    bool any = false;
    while (at->byte < l->len && l->s[at->byte] == ' ')
        at->byte++, any = true;
    if (at->byte < l->len || at->line + 1 >= p->count)
        return any;
    *at = (page_position){at->line + 1, 0};
    l = &p->lines[at->line];
    while (at->byte < l->len && l->s[at->byte] == ' ')
        at->byte++;
    return true;
}

/* Return true if TEXT begins at position AT, ignoring case; END is set to the end of the match. */
static bool matches_at(const page *p, page_position at, const char *text, page_position *end)
{
    while (*text) {
        if (*text == ' ') {
            if (!skip_blanks(p, &at))
                return false;
            text += strspn(text, " ");
            continue;
        }
        const page_line *l = &p->lines[at.line];
        if (at.byte >= l->len ||
            tolower((unsigned char)l->s[at.byte]) != tolower((unsigned char)*text))
            return false;
        at.byte++;
        text++;
    }
    *end = at;
    return true;
}

static void mark_match(page *p, page_position from, page_position to)
{
    for (size_t line = from.line; line <= to.line; line++) {
        page_line *l = &p->lines[line];
        size_t begin = line == from.line ? from.byte : strspn(l->s, " ");
        size_t end = line == to.line ? to.byte : l->len;
        for (size_t i = begin; i < end; i++)
            l->styles[i] = STYLE_PICKED;
    }
}

void mark_found_text(screen *s)
{
    text_search *f = &s->find;
    f->count = 0;
    for (size_t line = 0; *f->text && line < s->page.count; line++)
        for (size_t byte = 0; byte < s->page.lines[line].len; byte++) {
            const page_position at = {line, byte};
            page_position end;
            if (s->page.lines[line].s[byte] == ' ' || !matches_at(&s->page, at, f->text, &end))
                continue;
            mark_match(&s->page, at, end);
            if (f->count < MAX_MATCHES)
                f->at[f->count++] = (match_position){line, byte};
            if (end.line > line)
                break;
            byte = end.byte > byte ? end.byte - 1 : byte;
        }
}

/* Scroll so that the match is visible. */
static void scroll_to_match(screen *s, match_position at)
{
    size_t height = (size_t)screen_pane_height(s), width = (size_t)screen_pane_width(s);
    size_t *top = &screen_view(s)->top[s->tab], *left = &screen_view(s)->left[s->tab];
    const char *line = s->page.lines[at.line].s;
    size_t from = utf8_width(line, at.byte), to = from + strlen(s->find.text);
    if (at.line < *top || at.line >= *top + height)
        *top = at.line > height / 3 ? at.line - height / 3 : 0;
    if (to <= width)
        *left = 0;
    else if (from < *left || to > *left + width)
        *left = to - width / 2;
}

bool is_search_active(const screen *s)
{
    return *s->find.text;
}

static bool is_on_page(const page *p, const char *text)
{
    page_position end;
    for (size_t line = 0; line < p->count; line++)
        for (size_t byte = 0; byte < p->lines[line].len; byte++)
            if (p->lines[line].s[byte] != ' ' &&
                matches_at(p, (page_position){line, byte}, text, &end))
                return true;
    return false;
}

/* Open the next page (BY: 1) or the previous one that has the text: of the lessons in their order,
 * then of the whole book's pages. Code and output stand before their chapter's lesson. False: no
 * page has it; the only one is open. */
static bool open_page_with_match(screen *s, int by)
{
    const size_t chapters = s->d->book.count, count = chapters + book_page_count;
    const bool in_order = s->tab == TAB_LESSON || s->tab == TAB_BOOK;
    size_t i = s->tab == TAB_BOOK ? chapters + s->book_page : s->chosen;
    if (!in_order && by > 0)
        i += count - 1;
    for (size_t tried = in_order; tried < count; tried++) {
        CLEANUP(page_free) page p = {0};
        i = (i + count + (size_t)by) % count;
        book_add_text(s, i, &p);
        const bool found = is_on_page(&p, s->find.text);
        if (!found)
            continue;
        if (i < chapters) {
            screen_choose_chapter(s, i);
            screen_show_tab(s, TAB_LESSON);
        } else {
            book_open_page(s, i - chapters);
        }
        screen_refresh_page(s);
        return s->find.count > 0;
    }
    return false;
}

void go_to_match(screen *s, int by)
{
    text_search *f = &s->find;
    const chapter_view *v = screen_view(s);
    screen_refresh_page(s);
    const bool last = !f->fresh && f->current + 1 == (by > 0 ? f->count : 1);
    if (f->count == 0 || last) {
        const bool opened = open_page_with_match(s, by);
        if (f->count == 0) {
            message_set(&s->message, STYLE_NOTE, "%s is on no page; Esc ends the search", f->text);
            return;
        }
        f->current = opened || last ? (by > 0 ? 0 : f->count - 1) : f->current;
    } else if (f->fresh) { /* a new search starts at the first visible line */
        f->current = 0;
        while (f->current + 1 < f->count && f->at[f->current].line < v->top[s->tab])
            f->current++;
    } else {
        f->current = (f->current + f->count + (size_t)by) % f->count;
    }
    f->fresh = false;
    scroll_to_match(s, f->at[f->current]);
    message_set(&s->message, STYLE_NOTE,
                "%s: %zu of %zu on this page%s; n next, N previous, Esc ends the search", f->text,
                f->current + 1, f->count, f->current + 1 == f->count ? ", then others" : "");
}

void end_search(screen *s)
{
    s->find.text[0] = '\0';
    s->dirty = true;
    message_set(&s->message, STYLE_NORMAL, "%s", "");
}

/* --- the line in which the search text is typed --- */

void prompt_open(screen *s, int kind)
{
    message_set(&s->message, STYLE_NORMAL, "%s", "");
    s->prompt.kind = (prompt_kind)kind;
    s->prompt.text[0] = '\0';
    s->prompt.len = 0;
}

const char *prompt_label(const screen *s)
{
    return s->prompt.kind == PROMPT_FIND ? "Search: " : "Chapter (7, L2 or its name): ";
}

bool prompt_has_field(const screen *s)
{
    return s->prompt.kind >= PROMPT_NUMBER;
}

void prompt_scroll_to_field(screen *s)
{
    const size_t rows = (size_t)screen_pane_height(s);
    const screen_tab tab = s->prompt.kind == PROMPT_WHY ? TAB_OUTPUT : TAB_LESSON;
    if (!prompt_has_field(s))
        return;
    s->tab = tab;
    s->dirty = true;
    screen_refresh_page(s);
    for (size_t i = 0; i < s->page.count; i++)
        if (strstr(s->page.lines[i].s, PROMPT_FIELD))
            screen_view(s)->top[tab] = i + 3 > rows ? i + 3 - rows : 0;
}

static void go_to_chapter(screen *s, const char *word)
{
    char err[256];
    const chapter *c = book_find(&s->d->book, word, err, sizeof err);
    if (c)
        screen_choose_chapter(s, (size_t)(c - s->d->book.chapters));
    else
        message_set(&s->message, STYLE_BAD, "%s", err);
}

static void accept_prompt(screen *s)
{
    const char *text = strip(s->prompt.text);
    prompt_kind kind = s->prompt.kind;
    s->prompt.kind = PROMPT_NONE;
    if (kind == PROMPT_CHAPTER) {
        if (*text)
            go_to_chapter(s, text);
        return;
    }
    if (*text) /* an empty line repeats the last search */
        snprintf(s->find.text, sizeof s->find.text, "%.*s", (int)sizeof s->find.text - 1, text);
    s->find.fresh = true;
    s->dirty = true;
    if (is_search_active(s))
        go_to_match(s, 1);
}

/* Leave out what is asked for; with ALL, what would be asked for next as well. */
static void skip_prompt(screen *s, bool all)
{
    switch (s->prompt.kind) {
    case PROMPT_NUMBER: predict_skip_question(s, all); break;
    case PROMPT_ANSWER: quiz_skip_question(s, all); break;
    case PROMPT_WHY: predict_skip_why(s, all); break;
    default: s->prompt.kind = PROMPT_NONE;
    }
}

static void enter_prompt(screen *s)
{
    switch (s->prompt.kind) {
    case PROMPT_NUMBER: predict_accept_number(s); break;
    case PROMPT_ANSWER: quiz_accept_answer(s); break;
    case PROMPT_WHY: predict_accept_why(s); break;
    default: accept_prompt(s);
    }
}

static bool prompt_accepts_key(screen *s, int key)
{
    return s->prompt.kind == PROMPT_NUMBER   ? predict_accepts_key(s, key)
           : s->prompt.kind == PROMPT_ANSWER ? quiz_accepts_key(s, key)
                                             : true;
}

void prompt_handle_key(screen *s, int key)
{
    prompt *p = &s->prompt;
    if (prompt_has_field(s)) {
        s->dirty = true; /* it is typed into the page */
        message_set(&s->message, STYLE_NORMAL, "%s", "");
    }
    if (key == 27 || (key == '\t' && prompt_has_field(s))) {
        skip_prompt(s, key == '\t');
    } else if (key == '\r' || key == '\n' || key == KEY_ENTER) {
        enter_prompt(s);
    } else if (key == KEY_BACKSPACE || key == 127 || key == 8) {
        while (p->len > 0 && ((unsigned char)p->text[--p->len] & 0xC0) == 0x80)
            ; /* skip all bytes of a character */
        p->text[p->len] = '\0';
    } else if (key >= ' ' && key < 256 && p->len + 1 < sizeof p->text &&
               prompt_accepts_key(s, key)) {
        p->text[p->len++] = (char)key;
        p->text[p->len] = '\0';
    }
}
