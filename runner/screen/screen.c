#include "screen.h"

#include "../base/signals.h"
#include "../term/paint.h"
#include "screen_state.h"

#include <curses.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUN_POLL_MS = 20 }; /* milliseconds between two updates while a lab runs */

int screen_pane_left(const screen *s)
{
    return s->zoom                             ? 1
           : s->columns >= SCREEN_FULL_TITLES  ? 38
           : s->columns >= SCREEN_WIDE_COLUMNS ? 32
                                               : 28;
}

static int full_pane_width(const screen *s)
{
    return s->columns - screen_pane_left(s) - 1;
}

bool screen_is_split(const screen *s)
{
    return (s->tab == TAB_CODE || s->tab == TAB_OUTPUT) && full_pane_width(s) >= SCREEN_SPLIT_PANE;
}

int screen_pane_width(const screen *s)
{
    int full = full_pane_width(s);
    return !screen_is_split(s)    ? full
           : s->tab == TAB_OUTPUT ? SCREEN_SPLIT_OUTPUT
                                  : full - SCREEN_SPLIT_OUTPUT - 3;
}

size_t screen_text_columns(const screen *s)
{
    const size_t width = (size_t)screen_pane_width(s) - 1;
    return width < SCREEN_TEXT_COLUMNS ? width : SCREEN_TEXT_COLUMNS;
}

int screen_pane_height(const screen *s)
{
    return s->rows - 5;
}

static void poll_jobs(screen *s)
{
    s->spin += s->run.active;
    runs_poll(s);
    drawing_poll(s);
    access_view_poll(s);
    watch_check_lab(s);
    s->dirty |= state_refresh(
        &s->d->state); /* a command in another window may have changed the saved state */
    view_forget_outdated_verdict(s);
    OWNED char *warning = state_take_warning(&s->d->state);
    if (warning)
        message_set(&s->message, STYLE_BAD, "%s", warning);
}

static void event_loop(screen *s)
{
    while (!s->quit && !caught_signal_number()) {
        poll_jobs(s);
        screen_draw(s);
        int key = images_handle_key(
            s, watch_wait_for_key(s, s->run.active                             ? RUN_POLL_MS
                                     : s->drawing.j || is_access_run_active(s) ? 80
                                                                               : 400));
        if (key == KEY_RESIZE) {
            getmaxyx(stdscr, s->rows, s->columns);
            drawing_discard(s);
            s->dirty = true;
            clear();
            if (s->prompt.kind)
                prompt_scroll_to_field(s);
        } else if (key != ERR) {
            s->runs_starts = 0;
            screen_handle_key(s, key);
        } else if (getppid() == 1 && !isatty(STDIN_FILENO)) {
            break; /* the terminal was closed and no signal arrived */
        }
    }
}

static void choose_device(screen *s, char *err, size_t size)
{
    device_choice choice = s->d->options.device;
    const char *last = state_chosen_device(&s->d->state);
    if (!s->d->options.device_said && last)
        device_parse(last, &choice);
    if (!device_resolve(choice, &s->d->installation, &s->gpu, err, size)) {
        if (choice == DEVICE_AUTO || s->d->options.device_said ||
            !device_resolve(choice = DEVICE_AUTO, &s->d->installation, &s->gpu, err, size))
            s->no_device = err;
    }
    s->d->options.device = choice;
}

/* Open the chapter, the tab and the line at which the student stopped reading; without such a
 * place, the first chapter that has not passed. */
static void go_to_reading_place(screen *s)
{
    char err[256];
    session *d = s->d;
    reading_place p = state_reading_place(&d->state);
    const chapter *c = p.chapter ? book_find(&d->book, p.chapter, err, sizeof err) : NULL;
    const chapter *next = c ? c : next_chapter(d);
    if (next)
        s->chosen = (size_t)(next - d->book.chapters);
    if (!c || p.tab < 0 || p.tab >= TAB_COUNT)
        return;
    s->tab = (screen_tab)p.tab;
    screen_refresh_page(s);
    if (p.thousandths > 0)
        screen_view(s)->top[s->tab] = (s->page.count * (size_t)p.thousandths + 500) / 1000;
}

static void store_reading_place(screen *s)
{
    size_t lines = s->page.count ? s->page.count : 1;
    reading_place p = {.chapter = screen_chapter(s)->name,
                       .tab = (int)s->tab,
                       .thousandths = (int)(screen_view(s)->top[s->tab] * 1000 / lines)};
    state_set_reading_place(&s->d->state, &p);
}

int screen_run(session *d)
{
    static char err[512];
    static screen s;
    s = (screen){.d = d, .dirty = true};
    if (d->book.count == 0)
        return report_failure(EXIT_FAIL, "there is no chapter in %s/chapters",
                              d->installation.root);
    s.views = xmalloc(d->book.count * sizeof *s.views);
    memset(s.views, 0, d->book.count * sizeof *s.views);
    s.listed = xmalloc(2 * d->book.count * sizeof *s.listed);
    choose_device(&s, err, sizeof err);
    paint_init();
    getmaxyx(stdscr, s.rows, s.columns);
    go_to_reading_place(&s);
    mouse_init();
    if (s.no_device)
        message_set(&s.message, STYLE_BAD, "%s", s.no_device);
    event_loop(&s);
    endwin();
    store_reading_place(&s);
    runs_end(&s);
    watch_stop(&s);
    drawing_discard(&s);
    access_view_close(&s);
    for (size_t i = 0; i < d->book.count; i++)
        view_free(&s.views[i]);
    free(s.views);
    free(s.listed);
    page_free(&s.page);
    page_free(&s.beside);
    page_free(&s.box_page);
    arena_free(&s.words.memory);
    free(s.message.text);
    return EXIT_PASS;
}
