/* Predictions of counters: the student answers a question in the lesson, which is compared with the
 * counters after the run. If it was wrong, the student says why, then sees the book's reason. */
#include "../book/metrics.h"
#include "../book/quiz.h"
#include "../judge/quizzed.h"
#include "screen_state.h"

#include <curses.h>
#include <stdlib.h>
#include <string.h>

char *prediction_line_text(screen *s, const chapter *c, size_t i)
{
    double said;
    char a[32], b[32];
    const chapter_view *v = screen_view(s);
    const metric *m = metric_find(c->predictions[i].metric);
    if (s->prompt.kind == PROMPT_NUMBER && s->asking == i)
        return xprintf(PROMPT_FIELD "number (%s): %s_", m ? m->unit : c->predictions[i].metric,
                       s->prompt.text);
    if (!state_get_prediction(&s->d->state, c, &c->predictions[i], &said))
        return xstrdup("▸ P takes your prediction:");
    nice_number(said, a, sizeof a);
    if (!v->has_verdict || i >= v->v.guess_count || !v->v.guesses[i].known || !m)
        return xprintf("▸ You predicted %s; run the lab to compare.", a);
    const prediction_row *g = &v->v.guesses[i];
    OWNED char *why = g->right ? xstrdup("right") : metric_difference(m, said, g->counted);
    return xprintf("▸ You predicted %s; counted: %s, %s.", a, nice_number(g->counted, b, sizeof b),
                   why);
}

static void ask_prediction(screen *s)
{
    double said;
    prompt_open(s, PROMPT_NUMBER);
    if (state_get_prediction(&s->d->state, screen_chapter(s),
                             &screen_chapter(s)->predictions[s->asking], &said))
        nice_number(said, s->prompt.text, sizeof s->prompt.text);
    s->prompt.len = strlen(s->prompt.text);
    prompt_scroll_to_field(s);
}

static bool ask_next_question(screen *s)
{
    chapter *c = screen_chapter(s);
    double said;
    while (s->asking < c->prediction_count && !s->ask_again &&
           state_get_prediction(&s->d->state, c, &c->predictions[s->asking], &said))
        s->asking++;
    if (s->asking >= c->prediction_count)
        return false;
    ask_prediction(s);
    return true;
}

bool predict_begin(screen *s, bool again)
{
    s->asking = 0;
    s->ask_again = again;
    return ask_next_question(s);
}

static void finish_question(screen *s)
{
    s->asking++;
    s->dirty = true;
    if (ask_next_question(s))
        return;
    s->prompt.kind = PROMPT_NONE;
    if (s->ask_again) {
        message_set(&s->message, STYLE_NOTE,
                    "r runs the lab; the counted values are then shown beside your numbers.");
        return;
    }
    screen_view(s)->asked = true;
    screen_start_run(s, false, s->run.brief);
}

void predict_accept_number(screen *s)
{
    chapter *c = screen_chapter(s);
    double said;
    if (s->prompt.len == 0) {
        finish_question(s);
    } else if (parse_number(s->prompt.text, &said)) {
        state_set_prediction(&s->d->state, c, &c->predictions[s->asking], said);
        finish_question(s);
    } else {
        message_set(&s->message, STYLE_BAD, "%s is not a number.", s->prompt.text);
        s->prompt.text[s->prompt.len = 0] = '\0';
    }
}

void predict_skip_question(screen *s, bool all)
{
    if (all)
        s->asking = screen_chapter(s)->prediction_count;
    finish_question(s);
}

bool predict_accepts_key(screen *s, int key)
{
    if (key < 256 && strchr("0123456789.-+e", key))
        return true;
    message_set(&s->message, STYLE_BAD,
                "Type a number, such as 4 or 2.5; Esc skips it, Tab skips all.");
    return false;
}

/* --- why a prediction was wrong --- */

void predict_ask_why(screen *s)
{
    const chapter *c = screen_chapter(s);
    const chapter_view *v = screen_view(s);
    if (s->prompt.kind == PROMPT_WHY)
        s->prompt.kind = PROMPT_NONE; /* of an older run */
    if (s->prompt.kind || s->box || !v->has_verdict || v->of_solution)
        return;
    for (s->asking = 0; s->asking < v->v.guess_count; s->asking++) {
        if (!prediction_is_unexplained(&s->d->state, c, &v->v.guesses[s->asking], s->asking))
            continue;
        char *because = prediction_reason(c, &c->predictions[s->asking]);
        free(because);
        if (!because)
            continue;
        prompt_open(s, PROMPT_WHY);
        prompt_scroll_to_field(s);
        return;
    }
}

static void keep_why(screen *s, const char *said)
{
    const chapter *c = screen_chapter(s);
    state_set_prediction_why(&s->d->state, c, &c->predictions[s->asking], said);
    s->prompt.kind = PROMPT_NONE;
    s->dirty = true;
}

void predict_accept_why(screen *s)
{
    keep_why(s, strip(s->prompt.text));
    predict_ask_why(s);
}

void predict_skip_why(screen *s, bool all)
{
    do {
        keep_why(s, "");
        predict_ask_why(s);
    } while (all && s->prompt.kind == PROMPT_WHY);
}
