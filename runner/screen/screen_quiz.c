/* The quiz: the student answers each question of a lesson in a line below the question. */
#include "../judge/quizzed.h"
#include "screen_state.h"

#include <curses.h>
#include <limits.h>
#include <string.h>

char *quiz_line_text(screen *s, const chapter *c, const question *q)
{
    char wants[64];
    if (s->prompt.kind == PROMPT_ANSWER && s->answering == q->number)
        return xprintf(PROMPT_FIELD "answer (%s): %s_",
                       quiz_expected_answer(q, wants, sizeof wants), s->prompt.text);
    char *said = quiz_feedback(&s->d->state, c, q);
    return said ? said : xstrdup("▸ Q takes your answer.");
}

/* Ask the first unsettled question with a number of FROM or higher; false: there is none. */
static bool ask_question_from(screen *s, int from)
{
    quiz bank;
    s->answering = 0;
    quiz_read(&bank, screen_chapter(s));
    for (size_t i = 0; i < bank.count && !s->answering; i++)
        if (bank.list[i].number >= from &&
            !quiz_is_settled(&s->d->state, screen_chapter(s), &bank.list[i]))
            s->answering = bank.list[i].number;
    if (s->answering) {
        prompt_open(s, PROMPT_ANSWER);
        prompt_scroll_to_field(s);
    } else {
        s->prompt.kind = PROMPT_NONE;
        s->dirty = true;
        if (bank.count)
            message_set(&s->message, STYLE_NOTE, "%zu of %zu questions answered correctly.",
                        quiz_right_count(&s->d->state, screen_chapter(s), &bank), bank.count);
        else
            message_set(&s->message, STYLE_NOTE, "This lesson has no questions.");
    }
    quiz_free(&bank);
    return s->answering;
}

void quiz_begin(screen *s)
{
    ask_question_from(s, 1);
}

void quiz_skip_question(screen *s, bool all)
{
    ask_question_from(s, all ? INT_MAX : s->answering + 1);
}

/* The question being asked, from BANK. */
static const question *asked_question(const screen *s, const quiz *bank)
{
    for (size_t i = 0; i < bank->count; i++)
        if (bank->list[i].number == s->answering)
            return &bank->list[i];
    return NULL;
}

static void show_expected_form(screen *s, const question *q)
{
    char wants[64];
    message_set(&s->message, STYLE_BAD, "Type %s; Esc skips the question, Tab skips all.",
                quiz_expected_answer(q, wants, sizeof wants));
}

bool quiz_accepts_key(screen *s, int key)
{
    quiz bank;
    const char letter[] = {(char)key, '\0'};
    quiz_read(&bank, screen_chapter(s));
    const question *q = asked_question(s, &bank);
    bool choice = q && q->choice_count, allowed = !choice || quiz_is_answer(q, letter);
    if (choice && allowed)
        prompt_open(s, PROMPT_ANSWER); /* a letter replaces the one typed before */
    else if (!allowed)
        show_expected_form(s, q);
    quiz_free(&bank);
    return allowed;
}

void quiz_accept_answer(screen *s)
{
    quiz bank;
    const chapter *c = screen_chapter(s);
    const char *said = strip(s->prompt.text);
    if (!*said) {
        quiz_skip_question(s, false);
        return;
    }
    quiz_read(&bank, c);
    const question *q = asked_question(s, &bank);
    if (q && quiz_is_answer(q, said)) {
        state_add_answer(&s->d->state, c, q->number, said, quiz_is_right(q, said));
        quiz_skip_question(s, false);
    } else if (q) {
        show_expected_form(s, q);
    }
    quiz_free(&bank);
}
