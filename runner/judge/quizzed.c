#include "quizzed.h"

bool quiz_is_settled(const saved_state *s, const chapter *c, const question *q)
{
    quiz_answer t = state_last_answer(s, c, q->number);
    return t.right || t.tries >= QUIZ_MAX_TRIES;
}

size_t quiz_right_count(const saved_state *s, const chapter *c, const quiz *q)
{
    size_t right = 0;
    for (size_t i = 0; i < q->count; i++)
        right += state_last_answer(s, c, q->list[i].number).right;
    return right;
}

char *quiz_feedback(const saved_state *s, const chapter *c, const question *q)
{
    quiz_answer t = state_last_answer(s, c, q->number);
    if (!t.said)
        return NULL;
    if (t.right)
        return xprintf("✓ %s is right. %s", t.said, q->because);
    if (t.tries >= QUIZ_MAX_TRIES)
        return xprintf("✗ %s is wrong: the answer is %s. %s", t.said, q->answer, q->because);
    int left = QUIZ_MAX_TRIES - t.tries;
    return xprintf("✗ %s is wrong. You have %d more %s.", t.said, left,
                   left == 1 ? "try" : "tries");
}

bool prediction_is_unexplained(const saved_state *s, const chapter *c, const prediction_row *g,
                               size_t i)
{
    return g->answered && g->known && !g->right && !state_prediction_why(s, c, &c->predictions[i]);
}
