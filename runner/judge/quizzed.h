/* The student's answers to the questions of a chapter's quiz, and on its wrong predictions. */
#pragma once

#include "../book/quiz.h"
#include "state.h"

/* Return true if the question is not asked again: the student answered it correctly, or
 * QUIZ_MAX_TRIES tries failed and the answer was shown. */
bool quiz_is_settled(const saved_state *s, const chapter *c, const question *q);
/* The number of quiz questions that the student answered correctly. */
size_t quiz_right_count(const saved_state *s, const chapter *c, const quiz *q);
/* The feedback on the student's last answer, Markdown, to be freed; NULL: no answer yet. */
char *quiz_feedback(const saved_state *s, const chapter *c, const question *q);

/* True: prediction I of chapter C was wrong, as G says, and the student was not asked why. */
bool prediction_is_unexplained(const saved_state *s, const chapter *c, const prediction_row *g,
                               size_t i);
