/* What the keys do. */
#include "../judge/study.h"
#include "screen_state.h"

#include <curses.h>
#include <stdlib.h>
#include <string.h>

/* --- running --- */

void screen_start(screen *s, bool solution, bool brief)
{
    chapter *c = screen_chapter(s);
    attempt_options o = {.solution = solution, .gpu = s->gpu, .timeout_s = s->d->options.timeout_s};
    if (s->a) {
        screen_say(s, STYLE_NOTE, "%s is still running: x cancels it.",
                   s->d->book.chapters[s->a_chapter].name);
        return;
    }
    if (s->no_device) {
        screen_say(s, STYLE_BAD, "%s", s->no_device);
        return;
    }
    screen_say(s, STYLE_NORMAL, "%s", "");
    s->a_chapter = s->chosen;
    s->a_solution = solution;
    s->a_brief = brief;
    s->a_seen = 0;
    s->a = attempt_start(&s->d->house, c, &s->d->state, &o);
    s->tab = TAB_OUTPUT;
    screen_view(s)->top[TAB_OUTPUT] = 0;
    s->dirty = true;
}

void screen_attempt_ended(screen *s)
{
    view *v = &s->views[s->a_chapter];
    const chapter *c = &s->d->book.chapters[s->a_chapter];
    verdict_free(&v->v);
    attempt_take(s->a, &v->v);
    attempt_free(s->a);
    s->a = NULL;
    v->has_verdict = v->recalled = true;
    v->of_solution = s->a_solution;
    v->brief = s->a_brief;
    v->top[TAB_OUTPUT] = v->top[TAB_COUNTERS] = 0;
    if (s->drawing.c == c)
        drawing_drop(s); /* the picture is of an older run */
    screen_say(s, v->v.kind == VERDICT_PASS ? STYLE_GOOD : STYLE_BAD, "%s%s %s: %s", c->name,
               v->of_solution ? " (solution)" : "", verdict_word(v->v.kind),
               v->v.reason ? v->v.reason : "");
    s->dirty = true;
}

/* Run what the student looks at: the solution in its tab, else the lab, predictions first. */
static void run(screen *s, bool brief)
{
    view *v = screen_view(s);
    bool solution = s->tab == TAB_CODE && v->show_solution;
    v->brief = brief;
    s->a_brief = brief;
    if (!solution && !s->a && !s->no_device && !v->asked && box_predict(s, false))
        return; /* the box starts it when all is answered */
    screen_start(s, solution, brief);
}

/* --- the rest --- */

static void choose(screen *s, size_t i)
{
    if (i >= s->d->book.count || i == s->chosen)
        return;
    s->chosen = i;
    s->dirty = true;
    if (!s->a)
        screen_say(s, STYLE_NORMAL, "%s", "");
}

static void choose_tab(screen *s, int t)
{
    s->tab = (tab)((t + TAB_COUNT) % TAB_COUNT);
    s->dirty = true;
    screen_say(s, STYLE_NORMAL, "%s", "");
}

static void scroll_by(screen *s, long by)
{
    size_t *top = &screen_view(s)->top[s->tab];
    *top = by < 0 && *top < (size_t)-by ? 0 : *top + (size_t)by;
}

static void sideways(screen *s, int by)
{
    size_t *left = &screen_view(s)->left[s->tab], width = page_width(&s->page);
    size_t most = width > (size_t)screen_pane_width(s) ? width - (size_t)screen_pane_width(s) : 0;
    if (by < 0)
        *left = *left < (size_t)-by ? 0 : *left - (size_t)-by;
    else
        *left = *left + (size_t)by > most ? most : *left + (size_t)by;
}

static void solution(screen *s)
{
    chapter *c = screen_chapter(s);
    view *v = screen_view(s);
    if (!c->has_solution) {
        screen_say(s, STYLE_NOTE, "This one has no solution here.");
        return;
    }
    if (!state_ever_passed(&s->d->state, c)) {
        screen_say(s, STYLE_NOTE,
                   "The solution is offered once your lab has passed; h gives hints.");
        return;
    }
    v->show_solution = !(v->show_solution && s->tab == TAB_CODE);
    choose_tab(s, TAB_CODE);
    screen_say(s, STYLE_NOTE, "%s",
               v->show_solution ? "The solution: s goes back to your lab, r runs the solution."
                                : "Your lab.");
}

static void device(screen *s)
{
    static char err[512];
    bool gpu;
    if (s->a) {
        screen_say(s, STYLE_NOTE, "Not while a lab is running: x cancels it.");
        return;
    }
    device_choice choice = s->gpu ? DEVICE_EMULATOR : DEVICE_GPU;
    if (!device_resolve(choice, &s->d->house, &gpu, err, sizeof err)) {
        screen_say(s, STYLE_NOTE, "%s", err);
        return;
    }
    s->gpu = gpu;
    s->no_device = NULL;
    s->d->options.device = choice;
    state_set_device(&s->d->state, device_name(choice));
    for (size_t i = 0; i < s->d->book.count; i++) {
        /* Figures of one device are not shown as the other's. */
        verdict_free(&s->views[i].v);
        s->views[i].has_verdict = s->views[i].recalled = false;
    }
    drawing_drop(s);
    s->dirty = true;
    screen_say(s, STYLE_GOOD, "Labs now run on the %s.", gpu ? "GPU" : "emulator");
}

static void cancel(screen *s)
{
    if (!s->a)
        return;
    attempt_cancel(s->a);
}

/* Enter opens the chapter: where there is little room, over the whole width. */
static void focus(screen *s, bool pane)
{
    s->on_pane = pane;
    s->zoom = pane && s->columns < SCREEN_WIDE_COLUMNS;
    s->dirty = true;
}

static void arrow(screen *s, int by)
{
    if (s->on_pane)
        scroll_by(s, by);
    else
        choose(s, s->chosen + (size_t)by);
}

/* Keys that move; false for others. */
static bool move_key(screen *s, int key)
{
    int page = screen_pane_height(s) - 2;
    switch (key) {
    case KEY_UP:
    case 'k':
        arrow(s, -1);
        return true;
    case KEY_DOWN:
    case 'j':
        arrow(s, 1);
        return true;
    case KEY_PPAGE:
    case 'b':
        scroll_by(s, -page);
        return true;
    case KEY_NPAGE:
    case ' ':
        scroll_by(s, page);
        return true;
    case KEY_HOME:
    case 'g':
        screen_view(s)->top[s->tab] = 0;
        return true;
    case KEY_END:
    case 'G':
        screen_view(s)->top[s->tab] = s->page.count;
        return true;
    case KEY_LEFT:
        choose_tab(s, (int)s->tab - 1);
        return true;
    case KEY_RIGHT:
        choose_tab(s, (int)s->tab + 1);
        return true;
    case '<':
        sideways(s, -8);
        return true;
    case '>':
        sideways(s, 8);
        return true;
    case '\t':
        s->on_pane = !s->on_pane;
        return true;
    case '\r':
    case KEY_ENTER:
        focus(s, true);
        return true;
    case 27:
        focus(s, false);
        return true;
    case 'n':
        choose(s, s->chosen + 1);
        return true;
    case 'N':
        choose(s, s->chosen - 1);
        return true;
    }
    if (key >= '1' && key < '1' + TAB_COUNT) {
        choose_tab(s, key - '1');
        return true;
    }
    return false;
}

void screen_key(screen *s, int key)
{
    if (s->columns < SCREEN_MIN_COLUMNS || s->rows < SCREEN_MIN_ROWS) {
        s->quit |= key == 'q';
        return;
    }
    if (s->box) {
        box_key(s, key);
        return;
    }
    if (move_key(s, key))
        return;
    switch (key) {
    case 'r':
        run(s, false);
        break;
    case 'c':
        run(s, true);
        break;
    case 'h':
        box_hint(s, 0);
        break;
    case 'p':
        choose_tab(s, TAB_PLOT);
        break;
    case 'P':
        if (!box_predict(s, true))
            screen_say(s, STYLE_NOTE, "This lesson asks for no prediction.");
        break;
    case 's':
        solution(s);
        break;
    case 'e':
        screen_edit(s);
        break;
    case 'R':
        box_reset(s);
        break;
    case 'd':
        device(s);
        break;
    case 'x':
        cancel(s);
        break;
    case 'z':
        s->zoom = !s->zoom;
        s->dirty = true;
        break;
    case 12: /* ^L */
        clearok(curscr, TRUE);
        s->dirty = true;
        break;
    case '?':
    case KEY_F(1):
        box_help(s);
        break;
    case 'q':
        s->quit = true;
        break;
    }
}
