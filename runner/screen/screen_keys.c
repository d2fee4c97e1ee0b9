/* The handlers of the screen's keys. */
#include "screen_state.h"

#include <curses.h>
#include <string.h>

/* --- running --- */

void screen_start_run(screen *s, bool solution, bool brief)
{
    if (s->run.active) {
        message_set(&s->message, STYLE_NOTE, "%s is still running: x cancels it.",
                    s->d->book.chapters[s->run.chapter].name);
        return;
    }
    if (s->no_device) {
        message_set(&s->message, STYLE_BAD, "%s", s->no_device);
        return;
    }
    message_set(&s->message, STYLE_NORMAL, "%s", "");
    access_view_close(s);
    if (!runs_start(s, solution, brief))
        message_set(&s->message, STYLE_BAD, "%s", s->runs_error);
    s->tab = TAB_OUTPUT;
    screen_view(s)->top[TAB_OUTPUT] = 0;
    s->dirty = true;
}

void screen_show_attempt_result(screen *s)
{
    chapter_view *v = &s->views[s->run.chapter];
    const chapter *c = &s->d->book.chapters[s->run.chapter];
    runs_read_summary(v, json_object_get(s->run.result, "view"));
    json_t *unwritten = json_object_get(s->run.result, "entry");
    if (json_is_object(unwritten))
        state_take_entry(&s->d->state, c, unwritten);
    runs_stop(s);
    state_refresh(&s->d->state); /* the result is there */
    v->recalled = true;
    view_update_record(s, v);
    v->brief = s->run.brief;
    v->top[TAB_OUTPUT] = v->top[TAB_COUNTERS] = 0;
    const int line = view_refused_line(v), above = screen_pane_height(s) / 2;
    if (line)
        v->top[TAB_CODE] = line > above ? (size_t)(line - above) : 0;
    if (s->drawing.c == c)
        drawing_discard(s); /* the picture belongs to an older run */
    bool goes_on = v->v.kind == VERDICT_PASS && !v->of_solution && s->run.chapter == s->chosen &&
                   s->chosen + 1 < s->d->book.count;
    bool quoted = v->v.kind == VERDICT_NO_BUILD; /* the page shows the reason with its line */
    message_set(&s->message, v->v.kind == VERDICT_PASS ? STYLE_GOOD : STYLE_BAD, "%s%s %s%s%s%s",
                c->name, v->of_solution ? " (solution)" : "", verdict_word(v->v.kind),
                quoted ? ": e opens its line" : ": ", v->v.reason && !quoted ? v->v.reason : "",
                goes_on ? ".  n: the next chapter" : "");
    s->dirty = true;
    if (s->run.chapter == s->chosen)
        predict_ask_why(s);
}

/* Run the solution if it is shown, else the lab; ask for the predictions first. */
static void key_run_lab(screen *s, int brief)
{
    chapter_view *v = screen_view(s);
    bool solution = s->tab == TAB_CODE && v->show_solution;
    v->brief = brief;
    s->run.brief = brief;
    if (!solution && !s->run.active && !s->no_device && !v->asked && predict_begin(s, false))
        return; /* the run starts when all questions are answered */
    screen_start_run(s, solution, brief);
}

/* --- the other keys --- */

void screen_choose_chapter(screen *s, size_t i)
{
    if (i >= s->d->book.count || i == s->chosen)
        return;
    s->chosen = i;
    if (s->tab == TAB_BOOK)
        book_close_page(s);
    access_view_close(s);
    s->find.fresh = true;
    s->dirty = true;
    if (!s->run.active)
        message_set(&s->message, STYLE_NORMAL, "%s", "");
}

void screen_show_tab(screen *s, screen_tab t)
{
    access_view_close(s);
    s->tab = t;
    s->find.fresh = true;
    s->dirty = true;
    message_set(&s->message, STYLE_NORMAL, "%s", "");
}

static void key_show_tab(screen *s, int t)
{
    screen_show_tab(s, (screen_tab)t);
}

static void key_next_tab(screen *s, int by)
{
    key_show_tab(s, ((int)s->tab + by + TAB_BOOK) % TAB_BOOK);
}

/* Fill the list of chapters. With `open_only`, chapters that have passed are omitted, except the
 * chosen one until another is chosen. */
void screen_list_chapters(screen *s)
{
    const char *part = NULL;
    s->listed_count = 0;
    for (size_t i = 0; i < s->d->book.count; i++) {
        const chapter *c = &s->d->book.chapters[i];
        if (s->open_only && i != s->chosen && state_progress(&s->d->state, c) == PROGRESS_PASS)
            continue;
        if (c->part && c->part != part)
            s->listed[s->listed_count++] = LISTED_PART + i;
        part = c->part;
        s->listed[s->listed_count++] = i;
    }
}

size_t screen_count_listed(const screen *s, size_t rows)
{
    size_t count = 0;
    for (size_t row = 0; row < rows; row++)
        count += s->listed[row] < LISTED_PART;
    return count;
}

void screen_choose_next(screen *s, int by)
{
    screen_list_chapters(s);
    size_t row = 0, step = (size_t)by;
    while (row < s->listed_count && s->listed[row] != s->chosen)
        row++;
    for (row += step; row < s->listed_count; row += step)
        if (s->listed[row] < LISTED_PART) {
            screen_choose_chapter(s, s->listed[row]);
            return;
        }
}

/* Go to the next match during a search, else to the next chapter. */
static void key_next_chapter(screen *s, int by)
{
    if (is_search_active(s))
        go_to_match(s, by);
    else
        screen_choose_next(s, by);
}

static void key_cycle_filter(screen *s)
{
    s->open_only = !s->open_only;
    screen_list_chapters(s);
    message_set(&s->message, STYLE_NOTE,
                s->open_only ? "Chapters that have not passed yet: %zu of %zu." : "All chapters.",
                screen_count_listed(s, s->listed_count), s->d->book.count);
}

void screen_scroll(screen *s, long by)
{
    size_t *top = &screen_view(s)->top[s->tab];
    *top = by < 0 && *top < (size_t)-by ? 0 : *top + (size_t)by;
}

static void key_scroll_page(screen *s, int by)
{
    screen_scroll(s, (long)by * (screen_pane_height(s) - 2));
}

static void key_go_to_end(screen *s, int last)
{
    screen_view(s)->top[s->tab] = last ? s->page.count : 0;
}

static void key_scroll_sideways(screen *s, int by)
{
    size_t *left = &screen_view(s)->left[s->tab]; /* drawing limits this value */
    *left = by < 0 && *left < (size_t)-by ? 0 : *left + (size_t)by;
}

static void key_run_solution(screen *s)
{
    chapter *c = screen_chapter(s);
    chapter_view *v = screen_view(s);
    if (!c->has_solution) {
        message_set(&s->message, STYLE_NOTE, "This chapter has no solution here.");
        return;
    }
    if (!state_ever_passed(&s->d->state, c)) {
        message_set(&s->message, STYLE_NOTE,
                    "The solution is offered once your lab has passed; h gives hints.");
        return;
    }
    v->show_solution = !(v->show_solution && s->tab == TAB_CODE);
    key_show_tab(s, TAB_CODE);
    message_set(&s->message, STYLE_NOTE, "%s",
                v->show_solution ? "The solution: s goes back to your lab, r runs the solution."
                                 : "Your lab.");
}

static void key_change_device(screen *s)
{
    static char err[512];
    bool gpu;
    if (s->run.active) {
        message_set(&s->message, STYLE_NOTE, "Not while a lab is running: x cancels it.");
        return;
    }
    device_choice choice = s->gpu ? DEVICE_EMULATOR : DEVICE_GPU;
    if (!device_resolve(choice, &s->d->installation, &gpu, err, sizeof err)) {
        message_set(&s->message, STYLE_NOTE, "%s", err);
        return;
    }
    s->gpu = gpu;
    s->no_device = NULL;
    s->d->options.device = choice;
    state_set_chosen_device(&s->d->state, device_name(choice));
    /* Forget all results: numbers from one device must not be shown for the other. */
    for (size_t i = 0; i < s->d->book.count; i++)
        view_forget_verdict(&s->views[i]);
    drawing_discard(s);
    s->dirty = true;
    message_set(&s->message, STYLE_GOOD, "Labs now run on the %s.", gpu ? "GPU" : "emulator");
}

static void key_cancel_run(screen *s)
{
    runs_cancel(s);
    if (is_access_run_active(s))
        access_view_close(s);
}

/* Enter opens the chapter; on a narrow terminal, over the full width. */
static void key_focus_pane(screen *s, int pane)
{
    if (!pane && is_search_active(s)) {
        end_search(s);
        return;
    }
    if (!pane && s->tab == TAB_BOOK) {
        book_close_page(s);
        return;
    }
    s->on_pane = pane;
    s->zoom = pane && s->columns < SCREEN_WIDE_COLUMNS;
    s->dirty = true;
}

static void key_move_or_scroll(screen *s, int by)
{
    if (s->on_pane)
        screen_scroll(s, by);
    else
        screen_choose_next(s, by);
}

static void key_switch_pane(screen *s)
{
    s->on_pane = !s->on_pane;
}

static void key_zoom_pane(screen *s)
{
    s->zoom = !s->zoom;
    s->dirty = true;
}

static void key_show_more(screen *s)
{
    screen_view(s)->more = !screen_view(s)->more;
    s->dirty = true;
}

static void key_begin_predictions(screen *s)
{
    if (!predict_begin(s, true))
        message_set(&s->message, STYLE_NOTE, "This lesson asks for no prediction.");
}

static void key_show_hint(screen *s, int number)
{
    box_show_hint(s, number);
}

static void key_quit_screen(screen *s)
{
    s->quit = true;
}

static void key_redraw_screen(screen *s)
{
    clearok(curscr, TRUE);
    s->dirty = true;
}

#define HELP_ABOVE KEY_HELP_ABOVE /* the row above has the key's help too */
#define KEY(name, code, other, handler, argument, bar, help) \
    {name, {code, other}, NULL, handler, argument, bar, help},
#define CALL(name, code, other, handler, bar, help) \
    {name, {code, other}, handler, NULL, 0, bar, help},
#define BAR(code, tabs, word)
const key_row screen_keys[] = {
#include "keys.def"
};
const size_t screen_key_count = sizeof screen_keys / sizeof *screen_keys;

#define KEY(name, code, other, handler, argument, bar, help)
#define CALL(name, code, other, handler, bar, help)
#define BAR(code, tabs, word) {code, tabs, word},
#define ON(tab)               (1u << TAB_##tab)
const bar_word screen_bar_words[] = {
#include "keys.def"
};
const size_t screen_bar_word_count = sizeof screen_bar_words / sizeof *screen_bar_words;

void screen_handle_key(screen *s, int key)
{
    if (s->columns < SCREEN_MIN_COLUMNS || s->rows < SCREEN_MIN_ROWS) {
        s->quit |= key == 'q';
        return;
    }
    if (key == KEY_MOUSE) {
        mouse_handle_event(s);
        return;
    }
    if (s->prompt.kind) {
        prompt_handle_key(s, key);
        return;
    }
    if (s->box) {
        box_handle_key(s, key);
        return;
    }
    for (size_t i = 0; i < screen_key_count; i++)
        if (key && (screen_keys[i].codes[0] == key || screen_keys[i].codes[1] == key)) {
            if (screen_keys[i].call)
                screen_keys[i].call(s);
            else
                screen_keys[i].handler(s, screen_keys[i].argument);
            return;
        }
}
