/* What a student has answered of a chapter's question bank. */
#ifndef WARPBOOK_QUIZZED_H
#define WARPBOOK_QUIZZED_H

#include "../book/quiz.h"
#include "state.h"

/* Whether the question is not to be asked again: answered rightly, or told after QUIZ_TRIES. */
bool quiz_is_settled(const state *s, const chapter *c, const question *q);
/* How many of the bank's questions were answered rightly. */
size_t quiz_right_count(const state *s, const chapter *c, const quiz *q);
/* What is to be said of the last answer, as Markdown, to be freed; NULL: none was given. */
char *quiz_news(const state *s, const chapter *c, const question *q);

#endif
