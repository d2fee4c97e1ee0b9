/* Talks to warpbook-runs (runner/runs/serve.c), which runs the labs and makes the pages about their
 * runs: what goes wrong there cannot end the screen. */
#include "../base/job.h"
#include "../base/json.h"
#include "../commands/program.h"
#include "screen_state.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

enum {
    ANSWER_S = 10,  /* seconds in which a question must be answered */
    CANCEL_S = 5,   /* seconds in which a cancelled lab must have ended */
    END_S = 3,      /* seconds in which the program ends */
    MAX_STARTS = 2, /* starts of the program until a key is pressed */
};

/* The program has ended, or must: say WHY (freed here), and what it was doing. */
static void lose_runs(screen *s, char *why)
{
    free(s->runs_error);
    s->runs_error = why;
    coprocess_free(s->runs);
    s->runs = NULL;
    for (size_t i = 0; i < s->d->book.count; i++)
        if (s->views[i].has_verdict)
            view_forget_verdict(&s->views[i]);
    if (s->run.active) {
        runs_stop(s);
        message_set(&s->message, STYLE_BAD, "r runs it again: %s", why);
    } else if (s->runs_starts == MAX_STARTS) {
        message_set(&s->message, STYLE_BAD, "A key starts it again: %s", why);
    }
}

/* Start the program unless it runs already. False: it does not start, or ends again and again. */
static bool start_runs(screen *s)
{
    if (s->runs || s->runs_starts >= MAX_STARTS)
        return s->runs;
    OWNED char *root = xprintf("WARPBOOK_ROOT=%s", s->d->installation.root);
    const char *argv[] = {program_path(&s->d->installation, "runs"), NULL}, *env[] = {root, NULL};
    s->runs = coprocess_start("warpbook-runs", argv, env);
    coprocess_exchange(s->runs);
    if (coprocess_ended(s->runs))
        lose_runs(s, coprocess_end_sentence(s->runs));
    s->runs_starts += s->runs != NULL;
    return s->runs;
}

/* Send MESSAGE, which is released, about chapter C. */
static void send_request(screen *s, json_t *message, const chapter *c)
{
    json_object_set_new(message, "chapter", json_string(c->name));
    json_object_set_new(message, "gpu", json_boolean(s->gpu));
    json_object_set_new(message, "columns", json_integer(screen_pane_width(s) - 1));
    if (s->d->state.read_only) /* what the student said is known to this process only */
        json_object_set(message, "entry", state_chapter_entry(&s->d->state, c));
    OWNED char *text = json_dumps(message, JSON_COMPACT);
    coprocess_send(s->runs, text ? text : "{}");
    json_decref(message);
}

/* Take the event M. False: it is an answer. */
static bool take_event(screen *s, json_t *m)
{
    const char *event = member_text(m, "event");
    const bool of_run = json_integer_value(json_object_get(m, "run")) == s->run.number;
    if (!event)
        return false;
    if (strcmp(event, "warning") == 0) {
        const char *text = member_text(m, "text");
        if (text && !s->d->state.warning)
            s->d->state.warning = xstrdup(text); /* shown after the result */
    } else if (s->run.active && of_run) {
        json_t **kept = strcmp(event, "done") == 0 ? &s->run.result : &s->run.news;
        json_decref(*kept);
        *kept = json_incref(m);
        s->dirty |= (s->tab == TAB_OUTPUT || screen_is_split(s)) && s->chosen == s->run.chapter;
    }
    return true;
}

/* Read what was said, up to the next answer, which is returned; NULL: none. */
static json_t *next_answer(screen *s)
{
    const char *line;
    size_t len;
    bool too_long;
    coprocess_exchange(s->runs);
    while ((line = coprocess_next_line(s->runs, &len, &too_long))) {
        json_t *m = json_loadb(line, len, 0, NULL);
        if (m && !take_event(s, m))
            return m;
        json_decref(m);
    }
    return NULL;
}

/* The answer to the request sent last; NULL: the program ended instead, or was ended. *HUNG: it did
 * not answer. */
static json_t *wait_for_answer(screen *s, bool *hung)
{
    const double until = monotonic_s() + ANSWER_S;
    for (;;) {
        json_t *answer = next_answer(s);
        *hung = !answer && monotonic_s() > until;
        if (answer)
            return answer;
        if (*hung || coprocess_ended(s->runs)) {
            lose_runs(
                s, *hung ? xprintf("warpbook-runs gave no answer in %d s and was ended.", ANSWER_S)
                         : coprocess_end_sentence(s->runs));
            return NULL;
        }
        poll(&(struct pollfd){.fd = runs_output_fd(s), .events = POLLIN}, 1, 50);
    }
}

json_t *runs_ask(screen *s, json_t *request)
{
    json_t *answer = NULL;
    bool hung = false;
    /* One that was killed since the last question is started again. */
    for (int tries = s->runs ? 2 : 1; tries && !answer && !hung && start_runs(s); tries--) {
        send_request(s, json_incref(request), screen_chapter(s));
        answer = wait_for_answer(s, &hung);
    }
    json_decref(request);
    return answer;
}

void runs_add_page(screen *s, json_t *request)
{
    json_auto_t *answer = runs_ask(s, request);
    const char *error = answer ? member_text(answer, "error") : s->runs_error;
    if (error)
        page_wrap_text(&s->page, STYLE_BAD, error, (size_t)screen_pane_width(s) - 1, "", "");
    page_add_json(&s->page, json_object_get(answer, "page"));
}

bool runs_start(screen *s, bool solution, bool brief)
{
    const json_int_t number = s->run.number + 1;
    s->runs_starts = 0; /* the lab may have been saved: no key was pressed */
    if (!start_runs(s))
        return false;
    s->run = (lab_run){.active = true,
                       .chapter = s->chosen,
                       .solution = solution,
                       .brief = brief,
                       .number = number,
                       .start = monotonic_s()};
    send_request(s,
                 json_pack("{s:s, s:b, s:I, s:f}", "do", "run", "solution", solution, "run", number,
                           "timeout", s->d->options.timeout_s),
                 screen_chapter(s));
    return true;
}

void runs_poll(screen *s)
{
    json_auto_t *answer = s->runs ? next_answer(s) : NULL;
    if (answer && s->run.active) { /* the run was refused */
        message_set(&s->message, STYLE_BAD, "%s", member_text(answer, "error"));
        runs_stop(s);
    }
    if (s->run.result)
        screen_show_attempt_result(s);
    else if (s->runs && coprocess_ended(s->runs))
        lose_runs(s, coprocess_end_sentence(s->runs));
    else if (s->run.end_by > 0 && monotonic_s() > s->run.end_by)
        lose_runs(s, xstrdup("warpbook-runs did not cancel it and was ended."));
    else
        return;
    s->dirty = true;
}

void runs_cancel(screen *s)
{
    if (!s->run.active || s->run.end_by > 0)
        return;
    coprocess_send(s->runs, "{\"do\":\"cancel\"}");
    s->run.end_by = monotonic_s() + CANCEL_S;
}

void runs_stop(screen *s)
{
    if (s->run.active && !s->run.result && s->runs)
        coprocess_send(s->runs, "{\"do\":\"stop\"}");
    json_decref(s->run.news);
    json_decref(s->run.result);
    s->run = (lab_run){.chapter = s->run.chapter,
                       .solution = s->run.solution,
                       .brief = s->run.brief,
                       .number = s->run.number};
}

void runs_end(screen *s)
{
    const double until = monotonic_s() + END_S;
    if (s->runs)
        coprocess_send(s->runs, "{\"do\":\"quit\"}");
    while (s->runs && !coprocess_ended(s->runs) && monotonic_s() < until) {
        json_decref(next_answer(s));
        poll(&(struct pollfd){.fd = runs_output_fd(s), .events = POLLIN}, 1, 10);
    }
    runs_stop(s);
    coprocess_free(s->runs);
    s->runs = NULL;
    free(s->runs_error);
}

void runs_read_summary(chapter_view *v, const json_t *view)
{
    const json_t *guesses = json_object_get(view, "guesses");
    const char *kind = member_text(view, "kind");
    const char *reason = member_text(view, "reason");
    const char *seed = member_text(view, "seed");
    view_forget_verdict(v);
    v->has_verdict = kind;
    v->of_solution = json_is_true(json_object_get(view, "solution"));
    if (!kind)
        return;
    v->v.kind = verdict_from_id(kind);
    v->v.reason = reason ? arena_strdup(&v->v.memory, reason) : NULL;
    v->v.seed = seed ? arena_strdup(&v->v.memory, seed) : NULL;
    for (size_t i = 0; i < json_array_size(guesses); i++) {
        const json_t *g = json_array_get(guesses, i), *counted = json_object_get(g, "counted");
        *ARENA_PUSH(&v->v.memory, v->v.guesses, v->v.guess_count) =
            (prediction_row){.known = json_is_number(counted),
                             .counted = json_number_value(counted),
                             .answered = json_is_true(json_object_get(g, "answered")),
                             .right = json_is_true(json_object_get(g, "right"))};
    }
}

int runs_output_fd(const screen *s)
{
    return s->runs ? coprocess_output_fd(s->runs) : -1;
}

const char *runs_news(const screen *s, const char *key)
{
    return member_text(s->run.news, key);
}

char *progress_text(const screen *s, style *how)
{
    const char *wrong = runs_news(s, "mistake");
    *how = wrong ? STYLE_BAD : STYLE_GOOD;
    return wrong                                                 ? xprintf("✗ %s", wrong)
           : json_is_true(json_object_get(s->run.news, "right")) ? xstrdup("✓ right so far")
                                                                 : NULL;
}
