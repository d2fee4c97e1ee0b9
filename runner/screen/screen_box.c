/* Pop-up boxes over the main pane: help, hints, and the confirmation of a reset. */
#include "../book/lesson.h"
#include "../book/pristine.h"
#include "../judge/hints.h"
#include "screen_state.h"

#include <curses.h>
#include <stdlib.h>
#include <string.h>

static void open_box(screen *s, box_kind kind, const char *title)
{
    page_free(&s->box_page);
    s->box = kind;
    s->box_title = title;
    s->box_top = 0;
}

void box_close(screen *s)
{
    page_free(&s->box_page);
    s->box = BOX_NONE;
}

static size_t box_width(const screen *s)
{
    return s->columns > 84 ? 76 : (size_t)s->columns - 10;
}

void box_show_help(screen *s)
{
    open_box(s, BOX_HELP, "Keys");
    for (size_t i = 0, next; i < screen_key_count; i = next) {
        CLEANUP(sb_free) sb names = {0};
        sb_puts(&names, screen_keys[i].name);
        for (next = i + 1; next < screen_key_count && screen_keys[next].help &&
                           strcmp(screen_keys[next].help, KEY_HELP_ABOVE) == 0;
             next++)
            sb_printf(&names, " %s", screen_keys[next].name);
        if (screen_keys[i].help) {
            styled t = {0};
            styled_printf(&t, STYLE_NOTE, "%10s", names.s);
            styled_printf(&t, STYLE_NORMAL, "  %s", screen_keys[i].help);
            page_add_line(&s->box_page, &t);
        }
    }
}

void box_show_hint(screen *s, int of)
{
    chapter *c = screen_chapter(s);
    todo_region *t = of ? chapter_find_todo(c, of) : todo_for_hint(&s->d->state, c);
    size_t number = of && t ? state_shown_hint_count(&s->d->state, c, of) : 0;
    if (!t || t->hint_count == 0 || (!number && !take_next_hint(&s->d->state, c, t, &number))) {
        message_set(&s->message, STYLE_NOTE, "This chapter has no hints.");
        return;
    }
    open_box(s, BOX_HINT, "Hint");
    s->hinted = t->number;
    styled head = {0};
    styled_printf(&head, STYLE_STRONG, "TODO %d: %s", t->number, t->text);
    page_wrap(&s->box_page, &head, box_width(s), "", "");
    /* Show the earlier hints as well: they lead up to the newest hint. */
    for (size_t i = 0; i < number; i++) {
        page_add_blank_line(&s->box_page);
        CLEANUP(page_free) page hinted = {0};
        lesson_render_hint(&hinted, t->hints[i], box_width(s) - 4);
        for (size_t l = 0; l < hinted.count; l++) {
            styled line = {0};
            char mark[32];
            snprintf(mark, sizeof mark, "%zu. ", i + 1);
            styled_puts(&line, STYLE_DIM, l ? "   " : mark);
            sb_add(&line.text, hinted.lines[l].s, hinted.lines[l].len);
            sb_add(&line.styles, (const char *)hinted.lines[l].styles, hinted.lines[l].len);
            page_add_line(&s->box_page, &line);
        }
    }
    page_add_blank_line(&s->box_page);
    styled foot = {0};
    styled_printf(&foot, STYLE_NOTE,
                  number < t->hint_count ? "h: the next of %zu hints; "
                                         : "That was the last of %zu; ",
                  t->hint_count);
    if (c->todo_count > 1)
        styled_printf(&foot, STYLE_NOTE, "1 to %zu: another TODO; ", c->todo_count);
    styled_puts(&foot, STYLE_NOTE,
                number < t->hint_count || c->todo_count > 1 ? "any other key closes"
                                                            : "any key closes");
    page_wrap(&s->box_page, &foot, box_width(s), "", "");
    s->box_top =
        s->box_page.count; /* scrolls to the newest hint, at the end; drawing limits the value */
}

/* Key h in an open hint box: show the TODO's next hint, or after its last hint the next TODO's. */
static void show_next_hint(screen *s)
{
    chapter *c = screen_chapter(s);
    todo_region *t = chapter_find_todo(c, s->hinted);
    size_t number;
    if (!t || state_shown_hint_count(&s->d->state, c, t->number) >= t->hint_count) {
        box_show_hint(s, 0);
        return;
    }
    take_next_hint(&s->d->state, c, t, &number);
    box_show_hint(s, t->number);
}

void box_ask_reset(screen *s)
{
    chapter *c = screen_chapter(s);
    if (s->run.active && s->run.chapter == s->chosen) {
        message_set(&s->message, STYLE_NOTE, "The lab is running: x cancels it.");
        return;
    }
    open_box(s, BOX_RESET, "Reset");
    page_line_add(&s->box_page, STYLE_STRONG, "Bring %s back as it was?",
                  installation_short_path(&s->d->installation, c->lab));
    page_line_add(&s->box_page, STYLE_NORMAL, "Your text is kept in .warpbook/backup.");
    page_add_blank_line(&s->box_page);
    page_line_add(&s->box_page, STYLE_NOTE, "y: yes, reset it; any other key: no");
}

static void reset_lab(screen *s)
{
    chapter *c = screen_chapter(s);
    char err[512], *backup;
    if (!reset_lab_to_original(&s->d->installation, c, &backup, err, sizeof err)) {
        message_set(&s->message, STYLE_BAD, "%s", err);
        return;
    }
    state_forget_result(&s->d->state, c);
    watch_accept_saved(s);
    chapter_view *v = screen_view(s);
    view_forget_verdict(v);
    v->recalled = true; /* the last run belongs to the text before the reset */
    view_update_record(s, v);
    v->show_solution = false;
    s->tab = TAB_CODE;
    s->dirty = true;
    if (backup)
        message_set(&s->message, STYLE_GOOD, "Reset; yours is kept as %s",
                    installation_short_path(&s->d->installation, backup));
    else
        message_set(&s->message, STYLE_GOOD, "The lab already has its original text.");
    free(backup);
}

/* The lines by which KEY scrolls a box; 0: it does not scroll. */
static long lines_of_key(const screen *s, int key)
{
    const long half = s->rows / 2;
    return key == KEY_UP || key == 'k'      ? -1
           : key == KEY_DOWN || key == 'j'  ? 1
           : key == KEY_PPAGE || key == 'b' ? -half
           : key == KEY_NPAGE || key == ' ' ? half
           : key == KEY_HOME                ? -(long)s->box_page.count
           : key == KEY_END                 ? (long)s->box_page.count
                                            : 0;
}

void box_handle_key(screen *s, int key)
{
    long by = lines_of_key(s, key), top = (long)s->box_top + by;
    if (s->box == BOX_RESET) {
        box_close(s);
        if (key == 'y' || key == 'Y')
            reset_lab(s);
        else
            message_set(&s->message, STYLE_NOTE, "The lab was not reset.");
    } else if (by) {
        s->box_top = top > 0 ? (size_t)top : 0; /* drawing limits the value */
    } else if (s->box == BOX_HINT && key == 'h') {
        show_next_hint(s);
    } else if (s->box == BOX_HINT && key >= '1' && key <= '9' &&
               chapter_find_todo(screen_chapter(s), key - '0')) {
        box_show_hint(s, key - '0');
    } else {
        box_close(s);
    }
}
