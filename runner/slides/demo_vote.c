/* Slides with predictions: the class votes on the value of a counter, then sees it. */
#include "demo_state.h"

#include <math.h>
#include <string.h>

/* Answers for a vote if the lesson names none: most counters per warp have one of these values. */
static const char default_answers[] = "0 1 2 4 8 16 32";

typedef struct vote_answers {
    char text[MAX_VOTE_ANSWERS][24]; /* answers to vote on; the last one stands for all others */
    size_t count;                    /* number of answers */
} vote_answers;

static vote_answers vote_answers_of_prediction(const prediction *p)
{
    vote_answers a = {0};
    const char *s = p->answers ? p->answers : default_answers;
    while (a.count + 1 < MAX_VOTE_ANSWERS && *(s += strspn(s, " ,"))) {
        size_t len = strcspn(s, " ,");
        snprintf(a.text[a.count++], sizeof a.text[0], "%.*s", (int)len, s);
        s += len;
    }
    snprintf(a.text[a.count++], sizeof a.text[0], "another");
    return a;
}

/* The index of the right answer; the last answer stands for all other values. */
static size_t right_answer(const vote_answers *a, double value)
{
    for (size_t i = 0; i + 1 < a->count; i++) {
        double said;
        if (parse_number(a->text[i], &said) && fabs(said - value) <= fmax(0.05, 0.02 * fabs(value)))
            return i;
    }
    return a->count - 1;
}

static const prediction *asked_prediction(slide_show *m)
{
    const slide *s = demo_slide(m);
    return s->kind == SLIDE_VOTE ? &s->c->predictions[s->prediction] : NULL;
}

static void add_vote_answers(slide_show *m, page *p, const vote_answers *a, const ballot *b)
{
    size_t right = b->revealed && b->counted ? right_answer(a, b->value) : MAX_VOTE_ANSWERS;
    unsigned most = 1;
    for (size_t i = 0; i < a->count; i++)
        most = b->votes[i] > most ? b->votes[i] : most;
    unsigned longest = (unsigned)demo_body_columns(m) - 24;
    unsigned unit = most > longest ? most : longest < 3 * most ? longest / most * most : 3 * most;
    for (size_t i = 0; i < a->count; i++) {
        styled t = {0};
        styled_printf(&t, STYLE_NOTE, "%zu", i + 1);
        styled_printf(&t, i == right ? STYLE_GOOD : STYLE_STRONG, "  %s %-9s",
                      i == right ? "✓" : " ", a->text[i]);
        unsigned bar = most > longest ? b->votes[i] * longest / most : b->votes[i] * (unit / most);
        for (unsigned n = 0; n < bar; n++)
            styled_puts(&t, i == right ? STYLE_GOOD : STYLE_CODE, "█");
        if (b->votes[i])
            styled_printf(&t, STYLE_NORMAL, " %u", b->votes[i]);
        page_add_line(p, &t);
    }
}

/* Return true if the last run, or the current one, counts the predicted metrics of chapter C. */
static bool counts_predictions(const slide_show *m, const chapter *c)
{
    return m->ran == c && m->program == (c->has_solution ? DEMO_SOLUTION : DEMO_LAB);
}

static void add_vote_result(slide_show *m, page *p, const vote_answers *a, const ballot *b)
{
    char number[32];
    unsigned all = 0;
    styled t = {0};
    for (size_t i = 0; i < a->count; i++)
        all += b->votes[i];
    page_add_blank_line(p);
    if (b->revealed && b->counted)
        demo_append_large_text(m, p, STYLE_GOOD, nice_number(b->value, number, sizeof number));
    if (!b->revealed) {
        styled_puts(&t, STYLE_DIM, "Keys 1 to 9 count votes; a shows the answer.");
    } else if (b->counted) {
        styled_printf(&t, STYLE_GOOD, "Counted in the %s's run: %s.",
                      b->of_lab ? "lab" : "solution", nice_number(b->value, number, sizeof number));
        if (all)
            styled_printf(&t, STYLE_NORMAL, " %u of %u said so.",
                          b->votes[right_answer(a, b->value)], all);
    } else if (!counts_predictions(m, demo_slide(m)->c)) {
        styled_puts(&t, STYLE_NOTE,
                    "Another run took the place of the one that counts; a starts it again.");
    } else if (m->a) {
        styled_puts(&t, STYLE_NOTE,
                    "The value is being counted: the answer is shown when the run ends.");
    } else {
        styled_printf(&t, STYLE_BAD, "The run did not count it%s%s.", m->no_device ? ": " : "",
                      m->no_device ? m->no_device : "; the live slide says why");
    }
    page_wrap(p, &t, (size_t)demo_body_columns(m), "", "");
}

void demo_make_vote_page(slide_show *m, page *p)
{
    const ballot *b = &m->ballots[m->at];
    vote_answers a = vote_answers_of_prediction(asked_prediction(m));
    demo_make_text_page(m, p);
    page_add_blank_line(p);
    add_vote_answers(m, p, &a, b);
    add_vote_result(m, p, &a, b);
}

bool demo_count_vote(slide_show *m, size_t which)
{
    const prediction *p = asked_prediction(m);
    if (!p)
        return false;
    if (which < vote_answers_of_prediction(p).count)
        m->ballots[m->at].votes[which]++;
    return true;
}

void demo_store_counted_values(slide_show *m)
{
    if (!m->has_verdict || m->program == DEMO_WRONG)
        return;
    for (size_t i = 0; i < m->deck.count; i++) {
        const slide *s = &m->deck.list[i];
        if (s->kind != SLIDE_VOTE || s->c != m->ran || s->prediction >= m->v.guess_count)
            continue;
        const prediction_row *g = &m->v.guesses[s->prediction];
        if (g->known && counts_predictions(m, s->c)) {
            m->ballots[i].counted = true;
            m->ballots[i].of_lab = m->program == DEMO_LAB;
            m->ballots[i].value = g->counted;
        }
    }
}

void demo_reveal_answer(slide_show *m)
{
    const slide *s = demo_slide(m);
    if (!asked_prediction(m))
        return;
    ballot *b = &m->ballots[m->at];
    bool missing = !b->counted && !(m->a && counts_predictions(m, s->c));
    /* If another program ran before the value was counted, the same key runs the right one. */
    b->revealed = !b->revealed || missing;
    if (b->revealed && missing)
        demo_run_program(m, s->c, s->c->has_solution ? DEMO_SOLUTION : DEMO_LAB, NULL);
}
