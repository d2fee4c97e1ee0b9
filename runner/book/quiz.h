/* A chapter's questions, read from the section `## Check yourself` of its lesson and from
 * answers.tsv, and the reasons for its predictions, from reasons.tsv. docs/FORMATS.md, describes
 * the format of both. */
#pragma once

#include "chapter.h"

/* Heading of the lesson's section with questions. */
#define QUIZ_SECTION "Check yourself"

/* Number of wrong answers after which the right answer is shown. */
enum { QUIZ_MAX_TRIES = 3 }; /* answers to a question, at most */

typedef struct question {
    int number;           /* number of the question, from 1 */
    const char *text;     /* the question as Markdown, without the choices */
    const char **choices; /* the choices as Markdown, without their letters */
    size_t choice_count;  /* number of choices; 0: the answer is a number */
    const char *answer;   /* the right answer: a letter, number or range: "b", "4", "0.9..1.1" */
    const char *because;  /* why the answer is right, as Markdown */
} question;

typedef struct quiz {
    arena memory;        /* arena that holds the questions */
    question *list;      /* questions by number; only those that have an answer */
    size_t count;        /* number of questions */
    const char *problem; /* the first problem of the questions or answers, as a sentence; or NULL */
} quiz;

/* Read a chapter's questions; *Q has none if the chapter has none. Release it with quiz_free. */
void quiz_read(quiz *q, const chapter *c);
void quiz_free(quiz *q);

/* True: GIVEN is the letter of a choice, or a number if the question has no choices. */
bool quiz_is_answer(const question *q, const char *given);
/* True: GIVEN is the right answer; a number must be within 1 %, or in the answer's range. */
bool quiz_is_right(const question *q, const char *given);
/* What an answer may be, such as "a, b or c" or "a number". Written to BUF, which is returned. */
const char *quiz_expected_answer(const question *q, char *buf, size_t size);

/* The book's reason for the value that prediction P of chapter C asks for, as Markdown that the
 * caller frees; NULL: reasons.tsv next to the lesson has none. */
char *prediction_reason(const chapter *c, const prediction *p);
