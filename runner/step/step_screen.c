#include "step_screen.h"

#include "../base/signals.h"
#include "../judge/desk.h"
#include "../term/paint.h"
#include "stepper.h"

#include <curses.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    POLL_BUSY_MS = 80,    /* milliseconds between two updates while the replayer works */
    POLL_IDLE_MS = 1000,  /* milliseconds between two updates while the replayer is idle */
    MAX_ENVIRONMENT = 64, /* environment variables that are changed for the replayer, at most */
    BOX_COLUMNS = 74,     /* width of a pop-up box */
};

/* ^C stops a command of the replayer but never ends the program, because the command may end just
 * before the user presses ^C. */
static volatile sig_atomic_t was_interrupted; /* ^C was pressed and is not handled yet */

static void note_interrupt(int signal)
{
    (void)signal;
    was_interrupted = 1;
}

static void handle_interrupt(stepper *s)
{
    if (!was_interrupted)
        return;
    was_interrupted = 0;
    s->key_count = 0;
    if (session_is_waiting(&s->w))
        coprocess_interrupt(s->w.e);
    else
        message_set(&s->message, STYLE_NOTE, "Nothing is under way; q leaves.");
}

/* Handle a key that acts even while the replayer is busy; return true if KEY was such a key. */
static bool handle_urgent_key(stepper *s, int key)
{
    if (key == 'q' && !s->asking && !s->boxed) {
        s->quit = true;
        return true;
    }
    if ((key != 'x' && key != 27) || !session_is_waiting(&s->w))
        return false;
    s->key_count = 0;
    session_cancel(&s->w);
    message_set(&s->message, STYLE_NOTE,
                "Cancelled: the replayer restarts and returns to its position.");
    return true;
}

/* Keys pressed while the replayer was busy are handled later in their order. */
static void handle_keys(stepper *s)
{
    int key;
    timeout(0);
    while ((key = getch()) != ERR) {
        if (key == KEY_RESIZE) {
            getmaxyx(stdscr, s->rows, s->columns);
            clear();
        } else if (s->boxed || s->asking || !session_is_waiting(&s->w) ||
                   !handle_urgent_key(s, key)) {
            if (s->key_count < STEPPER_MAX_KEYS)
                s->keys[s->key_count++] = key;
        }
    }
    while (s->key_count && (!session_is_waiting(&s->w) || s->boxed || s->asking)) {
        int first = s->keys[0];
        memmove(s->keys, s->keys + 1, --s->key_count * sizeof *s->keys);
        stepper_handle_key(s, first);
    }
}

static unsigned needed_answers(const stepper *s)
{
    pane_place places[PANE_COUNT];
    size_t count = layout_make(s, places);
    unsigned queries = 1u << ASK_REPORTS; /* the `e` key suggests a report */
    for (size_t i = 0; i < count; i++)
        queries |= pane_rows[places[i].pane].queries;
    return queries;
}

static void show_new_answers(stepper *s)
{
    if (s->moved != s->w.moved) {
        s->moved = s->w.moved;
        s->line_off = 0;
        s->request_top = 0;
        s->warp_row = (size_t)s->w.where.warp;
    }
    if (s->w.is_new_report) {
        s->w.is_new_report = false;
        stepper_open_box(s, "Report");
        append_report_moments(&s->box, &s->w.moments, BOX_COLUMNS);
    }
    if (s->w.text) {
        styled t = {0};
        styled_puts(&t, STYLE_NORMAL, s->w.text);
        stepper_open_box(s, "Answer");
        page_wrap(&s->box, &t, BOX_COLUMNS, "", "  ");
        free(s->w.text);
        s->w.text = NULL;
    }
}

static void wait_for_key_or_output(stepper *s)
{
    struct pollfd of[2] = {{.fd = STDIN_FILENO, .events = POLLIN},
                           {.fd = coprocess_output_fd(s->w.e), .events = POLLIN}};
    poll(of, of[1].fd >= 0 ? 2 : 1,
         session_is_waiting(&s->w) || of[1].fd < 0 ? POLL_BUSY_MS : POLL_IDLE_MS);
    s->spin++;
}

static void event_loop(stepper *s)
{
    getmaxyx(stdscr, s->rows, s->columns);
    while (!s->quit && !caught_signal_number()) {
        handle_interrupt(s);
        session_exchange(&s->w);
        show_new_answers(s);
        /* The replayer did not start. The caller prints the reason: drawn here as well, it would
         * invite keys that are discarded when the caller's own screen comes back. */
        if (s->w.is_over && !s->moved)
            break;
        handle_keys(s);
        session_request_answers(&s->w, needed_answers(s));
        /* Do not draw while answers are missing: parts would show the previous moment. */
        if (!session_is_waiting(&s->w) || stepper_is_slow(s) || s->asking || s->boxed)
            stepper_draw(s);
        wait_for_key_or_output(s);
        if (getppid() == 1 && !isatty(STDIN_FILENO))
            break; /* the terminal was closed and no signal arrived */
    }
}

/* Like step_screen_run, on a terminal that curses already controls. Returns NULL, or a sentence on
 * why the replayer did not start, which the caller frees. */
static char *step_screen_run_in_curses(const char *const *argv, const char *const *env,
                                       const char *command)
{
    static const char *all[MAX_ENVIRONMENT];
    size_t n = 0;
    for (; env && env[n] && n + 2 < MAX_ENVIRONMENT; n++)
        all[n] = env[n];
    all[n++] = "WARPBOOK_STEP=json";
    all[n] = NULL;
    stepper s = {.slot = PANE_VALUES};
    session_start(&s.w, argv, all);
    session_command(&s.w, command);
    event_loop(&s);
    char *why = s.w.is_over && !s.moved ? xstrdup(s.w.error ? s.w.error : "") : NULL;
    session_free(&s.w);
    page_free(&s.box);
    free(s.message.text);
    return why;
}

int step_screen_run(const char *const *argv, const char *const *env, const char *command)
{
    struct sigaction interrupt = {.sa_handler = note_interrupt}; /* the signal interrupts a wait */
    install_signal_handlers();
    sigaction(SIGINT, &interrupt, NULL);
    paint_init();
    OWNED char *why = step_screen_run_in_curses(argv, env, command);
    endwin();
    if (!why)
        return EXIT_PASS;
    fprintf(stderr, "warpbook: %s\n", why);
    return EXIT_FAIL;
}
