#include "hints.h"

todo_region *todo_for_hint(saved_state *s, chapter *c)
{
    for (size_t i = 0; i < c->todo_count; i++)
        if (state_shown_hint_count(s, c, c->todos[i].number) < c->todos[i].hint_count)
            return &c->todos[i];
    return c->todo_count ? &c->todos[c->todo_count - 1] : NULL;
}

const char *take_next_hint(saved_state *s, const chapter *c, const todo_region *t, size_t *number)
{
    size_t shown = state_shown_hint_count(s, c, t->number);
    if (t->hint_count == 0)
        return NULL;
    if (shown < t->hint_count)
        state_set_shown_hint_count(s, c, t->number, ++shown);
    *number = shown > t->hint_count ? t->hint_count : shown;
    return t->hints[*number - 1];
}
