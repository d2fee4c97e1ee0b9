/* Handles the mouse: a click selects the chapter, tab or key under the pointer, the wheel scrolls
 * the list or the pane. */
#include "screen_state.h"

#include <curses.h>

enum { WHEEL_LINES = 3 }; /* lines that one step of the mouse wheel scrolls */

void mouse_init(void)
{
    mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
    mouseinterval(0); /* 0: a press is a click at once, without waiting for a second one */
}

/* The index of the chapter in row Y of the list, or SIZE_MAX. */
static size_t chapter_at(const screen *s, int y)
{
    size_t row = s->list_top + (size_t)(y - SCREEN_LIST_Y);
    return y >= SCREEN_LIST_Y && y < SCREEN_LIST_Y + s->list_rows && row < s->listed_count
               ? s->listed[row] % LISTED_PART
               : SIZE_MAX;
}

static void choose_by_click(screen *s, int y, int x)
{
    bool list = !s->zoom && x < screen_pane_left(s) - 1;
    if (y == s->rows - 1) {
        const key_row *k = screen_bar_key(s, x);
        if (k)
            k->handler(s, k->argument);
    } else if (list) {
        size_t i = chapter_at(s, y);
        s->on_pane = false;
        if (i != SIZE_MAX)
            screen_choose_chapter(s, i);
    } else if (y == 1) {
        int t = screen_tab_at(s, x);
        if (t >= 0)
            screen_show_tab(s, (screen_tab)t);
    } else if (!book_click_word(s, y, x)) {
        s->on_pane = true;
    }
}

static void scroll_by_wheel(screen *s, int x, int by)
{
    if (!s->zoom && !s->prompt.kind && x < screen_pane_left(s) - 1)
        screen_choose_next(s, by);
    else
        screen_scroll(s, by * WHEEL_LINES);
}

void mouse_handle_event(screen *s)
{
    MEVENT e;
    if (getmouse(&e) != OK)
        return;
    int by = e.bstate & BUTTON4_PRESSED ? -1 : e.bstate & BUTTON5_PRESSED ? 1 : 0;
    if (s->box)
        if (by)
            s->box_top = by < 0 && s->box_top == 0 ? 0 : s->box_top + (size_t)by;
        else
            box_close(s);
    else if (s->prompt.kind && !by)
        return; /* what is being typed belongs to the chapter that is shown */
    else if (by)
        scroll_by_wheel(s, e.x, by);
    else if (e.bstate & BUTTON1_PRESSED)
        choose_by_click(s, e.y, e.x);
}
