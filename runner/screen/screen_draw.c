#include "../base/device.h"
#include "../base/files.h"
#include "../base/job.h"
#include "../judge/history.h"
#include "../term/paint.h"
#include "screen_state.h"

#include <curses.h>
#include <string.h>

/* --- parts --- */

/* The number and title of C, as the list and the bar show them. */
static const char *chapter_heading(const chapter *c, char *buf, size_t size)
{
    snprintf(buf, size, c->assignment ? "L%d %.80s" : "%02d %.80s", c->number % 1000, c->title);
    return buf;
}

static void draw_title_bar(screen *s)
{
    const chapter *c = screen_chapter(s);
    size_t passed = 0;
    char right[64], heading[96];
    int room = s->columns - 14;
    for (size_t i = 0; i < s->d->book.count; i++)
        passed += state_progress(&s->d->state, &s->d->book.chapters[i]) == PROGRESS_PASS;
    /* A long title takes the place of the device's name. */
    char unmeasured[48];
    snprintf(unmeasured, sizeof unmeasured, "%.16s modelled, never measured",
             file_name_of(modelled_device()));
    const bool known = is_modelled_device_measured();
    const char *const sources[] = {known ? "emulator, times modelled" : unmeasured,
                                   known ? "times modelled" : "never measured",
                                   "GPU, times measured", "times measured"};
    chapter_heading(c, heading, sizeof heading);
    size_t title = utf8_width(heading, strlen(heading));
    for (int brief = 0; brief < 2; brief++) {
        snprintf(right, sizeof right, "%s   %zu of %zu passed ",
                 s->no_device ? "no device" : sources[2 * s->gpu + brief], passed,
                 s->d->book.count);
        if (!s->zoom || title + strlen(right) <= (size_t)room)
            break;
    }
    attrset(A_REVERSE);
    paint_fill(0, 0, s->columns, ' ');
    paint_text(0, 1, A_REVERSE | A_BOLD, "warpbook", 10);
    if (s->zoom)
        paint_text(0, 12, A_REVERSE, heading, room - (int)strlen(right));
    paint_text(0, s->columns - (int)strlen(right), A_REVERSE, right, (int)strlen(right));
}

static const char *progress_sign(screen *s, size_t i, style *how)
{
    static const char *const spin[] = {"|", "/", "-", "\\"};
    const chapter *c = &s->d->book.chapters[i];
    *how = STYLE_NOTE;
    if (s->run.active && s->run.chapter == i && !s->run.solution)
        return spin[s->spin / 8 % 4];
    switch (state_progress(&s->d->state, c)) {
    case PROGRESS_PASS: *how = STYLE_GOOD; return "✓";
    case PROGRESS_FAIL: *how = STYLE_BAD; return "✗";
    default: *how = STYLE_DIM; return c->has_lab ? "·" : "?";
    }
}

static void draw_chapter(screen *s, size_t i, int y, int width)
{
    const chapter *c = &s->d->book.chapters[i];
    char number[8];
    style how;
    const char *sign = progress_sign(s, i, &how);
    bool here = i == s->chosen;
    chtype row = !here ? A_NORMAL : s->on_pane ? A_BOLD : A_REVERSE;
    attrset(row);
    paint_fill(y, 0, width, ' ');
    paint_text(y, 1, row | (here && !s->on_pane ? 0 : paint_attributes(how)), sign, 1);
    snprintf(number, sizeof number, c->assignment ? "L%d" : "%02d", c->number % 1000);
    paint_text(y, 3, row, number, 3);
    int room = width - 7;
    if (utf8_width(c->title, strlen(c->title)) > (size_t)room) {
        int used = paint_text(y, 6, row, c->title, room - 1);
        paint_text(y, 6 + used, row, "…", 1);
    } else {
        paint_text(y, 6, row, c->title, room);
    }
}

static void draw_list_row(screen *s, size_t listed, int y, int width)
{
    if (listed < LISTED_PART)
        draw_chapter(s, listed, y, width);
    else
        paint_text(y, 1, paint_attributes(STYLE_DIM),
                   s->d->book.chapters[listed - LISTED_PART].part, width - 2);
}

/* Show the last tries of the lab, one sign each, if there is more than one try. */
static void add_recent_tries(screen *s, const chapter *c, page *p, size_t width)
{
    CLEANUP(arena_free) arena a = {0};
    size_t count, room = width - strlen("tries ");
    lab_try *tries = history_tries(&s->d->state, c, &a, &count);
    styled t = {0};
    styled_puts(&t, STYLE_DIM, "tries ");
    for (size_t i = count > room ? count - room : 0; i < count; i++)
        styled_puts(&t, tries[i].kind == VERDICT_PASS ? STYLE_GOOD : STYLE_BAD,
                    tries[i].kind == VERDICT_PASS ? "✓" : "✗");
    if (count > 1)
        page_add_line(p, &t);
    else
        styled_free(&t);
}

/* Draw the summary of the chosen chapter below the list of chapters. */
static void draw_chapter_summary(screen *s, int y, int bottom, int width)
{
    chapter *c = screen_chapter(s);
    CLEANUP(page_free) page p = {0};
    styled t = {0};
    lab_progress how = state_progress(&s->d->state, c);
    const char *reason = state_last_reason(&s->d->state, c);
    if (c->problem_count) {
        styled_puts(&t, STYLE_BAD, c->problems[0]);
    } else if (how == PROGRESS_NEW) {
        styled_puts(&t, STYLE_DIM, "not tried yet");
    } else if (how == PROGRESS_PASS) {
        OWNED char *words = history_in_words(&s->d->state, c, false);
        styled_puts(&t, STYLE_GOOD, words);
    }
    if (t.text.len)
        page_wrap(&p, &t, (size_t)width - 2, "", "");
    if (how == PROGRESS_FAIL || (reason && state_last_verdict(&s->d->state, c) != VERDICT_PASS))
        styled_puts(&t, STYLE_BAD,
                    !reason                                                   ? "failed"
                    : state_last_verdict(&s->d->state, c) == VERDICT_NO_BUILD ? "does not compile"
                                                                              : reason);
    if (t.text.len)
        page_wrap(&p, &t, (size_t)width - 2, "", "");
    add_recent_tries(s, c, &p, (size_t)width - 2);
    /* All TODOs are shown: with few rows, the reason is cut first, then two TODOs share a row. */
    size_t rows = (size_t)(bottom - y), share = c->todo_count < rows ? 1 : 2;
    size_t wanted = (c->todo_count + share - 1) / share;
    bool gap = wanted && p.count + 1 + wanted <= rows;
    for (size_t i = 0; i < p.count && (i == 0 || i + wanted < rows); i++, y++)
        paint_line(&p.lines[i], y, 1, width - 2, 0);
    y += gap;
    for (size_t i = 0; i < c->todo_count && y < bottom; i++) {
        const todo_region *d = &c->todos[i];
        char line[48];
        snprintf(line, sizeof line, share == 1 ? "TODO %d   hints %zu of %zu" : "TODO %d: %zu/%zu",
                 d->number, state_shown_hint_count(&s->d->state, c, d->number), d->hint_count);
        paint_text(y, i % share ? 14 : 1, paint_attributes(STYLE_DIM), line, width - 2);
        y += (i + 1) % share == 0;
    }
}

static void draw_list(screen *s)
{
    int width = screen_pane_left(s) - 2, top = SCREEN_LIST_Y, bottom = s->rows - 2;
    int room = bottom - top;
    screen_list_chapters(s);
    size_t count = s->listed_count, here = 0;
    while (here + 1 < count && s->listed[here] != s->chosen)
        here++;
    /* A long list scrolls, and leaves room for the summary of the chosen chapter. */
    size_t most = (size_t)room - 5, shown = count < most ? count : most;
    size_t above = here > 0 && s->listed[here - 1] >= LISTED_PART ? here - 1 : here;
    if (above < s->list_top)
        s->list_top = above;
    if (here >= s->list_top + shown)
        s->list_top = here - shown + 1;
    if (s->list_top + shown > count)
        s->list_top = count - shown;
    s->list_rows = (int)shown;
    char head[64];
    const char *what = s->open_only ? "Open chapters" : "Chapters";
    snprintf(head, sizeof head, "%s", what);
    if (shown < count)
        snprintf(head, sizeof head, "%s %zu-%zu of %zu", what,
                 screen_count_listed(s, s->list_top) + 1,
                 screen_count_listed(s, s->list_top + shown), screen_count_listed(s, count));
    paint_text(1, 1, paint_attributes(STYLE_STRONG), head, width);
    for (size_t i = 0; i < shown; i++)
        draw_list_row(s, s->listed[s->list_top + i], top + (int)i, width);
    int y = top + (int)shown + 1;
    if (y + 3 <= bottom) {
        paint_horizontal_line(y - 1, 1, width - 2);
        draw_chapter_summary(s, y, bottom, width);
    }
    paint_vertical_line(1, width, s->rows - 3);
}

static const char *tab_name(const screen *s, int t)
{
    static const char *const names[TAB_BOOK] = {"Lesson", "Code", "Output", "Counters", "Plot"};
    if (t == TAB_BOOK)
        return book_page_title(s->book_page);
    return t == TAB_CODE && s->views[s->chosen].show_solution ? "Solution" : names[t];
}

static int tabs_shown(const screen *s)
{
    return s->tab == TAB_BOOK ? TAB_COUNT : TAB_BOOK;
}

/* A tab's name has a blank on either side, and there is one blank between two tabs. */
int screen_tab_at(const screen *s, int x)
{
    x -= screen_pane_left(s);
    for (int t = 0; t < tabs_shown(s) && x >= 0; t++) {
        int width = (int)strlen(tab_name(s, t)) + 2;
        if (x < width)
            return t;
        x -= width + 1;
    }
    return -1;
}

static void draw_tabs(screen *s)
{
    int x = screen_pane_left(s);
    for (int t = 0; t < tabs_shown(s); t++) {
        char name[24];
        snprintf(name, sizeof name, " %s ", tab_name(s, t));
        x += paint_text(1, x, t == (int)s->tab ? A_REVERSE | A_BOLD : A_NORMAL, name,
                        s->columns - x);
        x++;
    }
    paint_horizontal_line(2, screen_pane_left(s), s->columns - screen_pane_left(s) - 1);
}

/* Draw the page P of a tab, from line *TOP and column *ASIDE, which are limited first. */
static void draw_page(const page *p, int left, int width, int height, size_t *top, size_t *aside)
{
    size_t wide = page_width(p), over = wide > (size_t)width ? wide - (size_t)width : 0;
    size_t last = p->count > (size_t)height ? p->count - (size_t)height : 0;
    *aside = *aside > over ? over : *aside;
    *top = *top > last ? last : *top;
    for (int y = 0; y < height && *top + (size_t)y < p->count; y++)
        paint_line(&p->lines[*top + (size_t)y], SCREEN_PANE_Y + y, left, width, *aside);
}

/* Draw the code at the left of the output, or the other way round: the chosen tab is *LEFT. */
static void draw_other_page(screen *s, int *left)
{
    chapter_view *v = screen_view(s);
    const screen_tab chosen = s->tab, other = chosen == TAB_CODE ? TAB_OUTPUT : TAB_CODE;
    const int width = screen_pane_width(s), height = screen_pane_height(s);
    s->tab = other;
    const int beside = screen_pane_width(s);
    s->tab = chosen;
    const int at = chosen == TAB_CODE ? *left + width + 3 : *left;
    draw_page(&s->beside, at, beside, height, &v->top[other], &v->left[other]);
    *left += chosen == TAB_CODE ? 0 : beside + 3;
    paint_vertical_line(SCREEN_PANE_Y, (chosen == TAB_CODE ? at : *left) - 2, height);
}

static void draw_pane(screen *s)
{
    chapter_view *v = screen_view(s);
    int left = screen_pane_left(s), width = screen_pane_width(s), height = screen_pane_height(s);
    size_t *top = &v->top[s->tab], *aside = &v->left[s->tab];
    if (screen_is_split(s))
        draw_other_page(s, &left);
    draw_page(&s->page, left, width, height, top, aside);
    const size_t over = page_width(&s->page) > (size_t)width;
    const size_t last = s->page.count > (size_t)height ? s->page.count - (size_t)height : 0;
    CLEANUP(sb_free) sb where = {0};
    if (over > 0)
        sb_puts(&where, s->zoom                            ? " < > scroll "
                        : s->columns < SCREEN_WIDE_COLUMNS ? " Enter widens "
                                                           : " z widens ");
    if (last > 0)
        sb_printf(&where, " %zu%% ", *top * 100 / last);
    if (where.len)
        paint_text(2, left + width - (int)where.len - 1, paint_attributes(STYLE_DIM), where.s,
                   width);
}

static void draw_message(screen *s)
{
    int y = s->rows - 2;
    char line[256];
    const prompt_kind asked = s->prompt.kind;
    if (prompt_has_field(s) && !*s->message.text) {
        snprintf(line, sizeof line, "Type your %s. Enter takes it, Esc skips it, Tab skips all.",
                 asked == PROMPT_NUMBER   ? "number"
                 : asked == PROMPT_ANSWER ? "answer"
                                          : "sentence");
        paint_text(y, 1, paint_attributes(STYLE_NOTE), line, s->columns - 2);
    } else if (asked && !prompt_has_field(s)) {
        int used = paint_text(y, 1, paint_attributes(STYLE_NOTE), prompt_label(s), s->columns - 2);
        used += paint_text(y, 1 + used, A_BOLD, s->prompt.text, s->columns - 3 - used);
        paint_text(y, 1 + used, A_REVERSE, " ", 1);
    } else if (s->run.active && !(s->message.text && *s->message.text)) {
        static const char *const spin[] = {"|", "/", "-", "\\"};
        snprintf(line, sizeof line, "%s %s %s%s  %.0f s", spin[s->spin / 8 % 4],
                 runs_news(s, "word") ? runs_news(s, "word") : "building",
                 s->d->book.chapters[s->run.chapter].name, s->run.solution ? " (solution)" : "",
                 monotonic_s() - s->run.start);
        int used = paint_text(y, 1, paint_attributes(STYLE_NOTE), line, s->columns - 14);
        used += 4 + paint_text(y, used + 4, paint_attributes(STYLE_DIM), "x cancels", 12);
        style how;
        OWNED char *known = progress_text(s, &how);
        if (known)
            paint_text(y, used + 2, paint_attributes(how), known, s->columns - used - 3);
    } else if (s->message.text) {
        paint_text(y, 1, paint_attributes(s->message.how), s->message.text, s->columns - 2);
    }
}

/* A key in the bottom line. */
typedef struct bar_item {
    const key_row *key;
    const char *word;
    int x, end; /* first column; column behind the blank after the word */
} bar_item;
enum { MAX_BAR_ITEMS = 40 };

static const key_row *key_with_code(int code)
{
    for (size_t i = 0; i < screen_key_count; i++)
        if (screen_keys[i].codes[0] == code)
            return &screen_keys[i];
    return NULL;
}

static void add_bar_item(bar_item *items, size_t *count, const key_row *key, const char *word)
{
    int x = *count ? items[*count - 1].end : 1;
    items[(*count)++] = (bar_item){key, word, x, x + (int)(strlen(key->name) + strlen(word)) + 2};
}

/* The keys of the bottom line: those that are shown everywhere, then what the tab offers, as far as
 * there is space. */
static size_t bar_items(const screen *s, bar_item *items)
{
    size_t count = 0;
    for (size_t i = 0; i < screen_key_count && count < MAX_BAR_ITEMS; i++)
        if (screen_keys[i].bar)
            add_bar_item(items, &count, &screen_keys[i], screen_keys[i].bar);
    for (size_t i = 0; i < screen_bar_word_count && count < MAX_BAR_ITEMS; i++) {
        const bar_word *b = &screen_bar_words[i];
        const key_row *key = b->tabs & 1u << s->tab ? key_with_code(b->code) : NULL;
        if (key)
            add_bar_item(items, &count, key, b->word);
        if (key && items[count - 1].end > s->columns)
            count--;
    }
    return count;
}

const key_row *screen_bar_key(const screen *s, int column)
{
    bar_item items[MAX_BAR_ITEMS];
    for (size_t i = 0, count = bar_items(s, items); i < count; i++)
        if (column >= items[i].x && column < items[i].end - 1)
            return items[i].key;
    return NULL;
}

static void draw_keys(screen *s)
{
    bar_item items[MAX_BAR_ITEMS];
    for (size_t i = 0, count = bar_items(s, items); i < count; i++) {
        const bar_item *k = &items[i];
        int y = s->rows - 1, used;
        used = paint_text(y, k->x, A_BOLD | paint_attributes(STYLE_NOTE), k->key->name, 8);
        paint_text(y, k->x + used + 1, A_NORMAL, k->word, s->columns - k->x - used - 1);
    }
}

static void draw_dialog_box(screen *s)
{
    int width = (int)page_width(&s->box_page) + 4, height = (int)s->box_page.count + 2;
    int most = s->rows - (s->box == BOX_HELP ? 1 : 5);
    width = width < 44 ? 44 : width > s->columns - 4 ? s->columns - 4 : width;
    height = height > most ? most : height;
    int y = (s->rows - height) / 2, x = (s->columns - width) / 2;
    int rows = height - 2;
    if (s->box_top + (size_t)rows > s->box_page.count)
        s->box_top = s->box_page.count > (size_t)rows ? s->box_page.count - (size_t)rows : 0;
    paint_box(y, x, height, width, s->box_title);
    for (int i = 0; i < rows && s->box_top + (size_t)i < s->box_page.count; i++)
        paint_line(&s->box_page.lines[s->box_top + (size_t)i], y + 1 + i, x + 2, width - 4, 0);
    if (s->box_top + (size_t)rows < s->box_page.count)
        paint_text(y + height - 1, x + 2, paint_attributes(STYLE_NOTE), " down: more ", width - 4);
}

void screen_draw(screen *s)
{
    erase();
    if (s->columns < SCREEN_MIN_COLUMNS || s->rows < SCREEN_MIN_ROWS) {
        paint_too_small("warpbook",
                        "Make it larger, or press q and use the commands: ./warpbook --help",
                        s->columns, s->rows, SCREEN_MIN_COLUMNS, SCREEN_MIN_ROWS);
        refresh();
        return;
    }
    screen_refresh_page(s);
    draw_title_bar(s);
    if (!s->zoom)
        draw_list(s);
    draw_tabs(s);
    draw_pane(s);
    draw_message(s);
    draw_keys(s);
    if (s->box)
        draw_dialog_box(s);
    move(s->rows - 1, 0);
    images_hide(s);
    refresh();
    images_show(s);
}
