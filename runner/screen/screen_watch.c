/* Runs the current chapter's lab whenever its file is saved. */
#include "screen_state.h"

#include <curses.h>
#include <poll.h>
#include <unistd.h>

/* Start to watch the lab of the chosen chapter. */
static void watch_chosen_lab(screen *s)
{
    const chapter *c = screen_chapter(s);
    if (s->watch.lab.path && s->watch.chapter == s->chosen)
        return;
    file_watch_end(&s->watch.lab);
    s->watch.chapter = s->chosen;
    s->watch.due = false;
    if (c && c->has_lab)
        file_watch_begin(&s->watch.lab, c->lab);
}

/* The lab was saved while it runs: cancel the run, whose verdict on the old text is useless. False:
 * another lab is running. */
static bool cancel_outdated_run(screen *s)
{
    if (s->run.active && (s->run.solution || s->run.chapter != s->chosen))
        return false;
    runs_stop(s);
    return true;
}

void watch_check_lab(screen *s)
{
    watch_chosen_lab(s);
    if (s->watch.lab.path && file_watch_poll(&s->watch.lab)) {
        s->dirty = true; /* the code pane shows the new text */
        s->watch.due = !s->watch.off && !s->no_device;
    }
    if (!s->watch.due || s->box || !cancel_outdated_run(s))
        return;
    screen_tab shown = s->tab;
    s->watch.due = false;
    screen_start_run(s, false, screen_view(s)->brief);
    if (shown == TAB_COUNTERS ||
        shown == TAB_PLOT) /* the output and plot tabs update during a run anyway */
        s->tab = shown;
}

void watch_accept_saved(screen *s)
{
    if (s->watch.lab.path)
        file_watch_accept(&s->watch.lab);
}

void watch_toggle(screen *s)
{
    s->watch.off = !s->watch.off;
    s->watch.due = false;
    message_set(&s->message, STYLE_NOTE, "%s",
                s->watch.off ? "Saving the lab no longer runs it; r does. w switches it on again."
                             : "From now on saving the lab runs it.");
}

void watch_stop(screen *s)
{
    file_watch_end(&s->watch.lab);
}

int watch_wait_for_key(screen *s, int wait_ms)
{
    timeout(0); /* first return keys that curses has already read */
    int key = getch();
    if (key != ERR)
        return key;
    struct pollfd fds[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                           {.fd = s->watch.lab.path ? s->watch.lab.fd : -1, .events = POLLIN},
                           {.fd = runs_output_fd(s), .events = POLLIN}};
    poll(fds, sizeof fds / sizeof *fds, wait_ms);
    return getch();
}
