/* A chapter's question bank: the section `## Check yourself` of its lesson, and answers.tsv beside
 * it. CONTRIBUTING.md, "Questions", says what both look like. */
#ifndef WARPBOOK_QUIZ_H
#define WARPBOOK_QUIZ_H

#include "chapter.h"

/* The heading of the section. */
#define QUIZ_SECTION "Check yourself"

/* After so many wrong answers the right one is told. */
enum { QUIZ_TRIES = 3 };

typedef struct question {
    int number;           /* from 1 */
    const char *text;     /* Markdown, without the choices */
    const char **choices; /* Markdown, without their letters */
    size_t choice_count;  /* 0: a number answers */
    const char *answer;   /* "b", "4" or "0.9..1.1" */
    const char *because;  /* Markdown */
} question;

typedef struct quiz {
    arena memory;
    question *list; /* questions by number; only those that have an answer */
    size_t count;
    const char *problem; /* the first thing that is wrong with the bank, a sentence; or NULL */
} quiz;

/* Read a chapter's bank; a chapter without one has no question. To be freed. */
void quiz_read(quiz *q, const chapter *c);
/* The same from the texts of README.md and of answers.tsv, which may be NULL. */
void quiz_parse(quiz *q, const char *lesson, const char *answers);
void quiz_free(quiz *q);

/* Whether GIVEN is a letter of the question's choices, or a number where it has none. */
bool quiz_is_answer(const question *q, const char *given);
/* Whether it is the right one: numbers within 1 %, or in the answer's range. */
bool quiz_is_right(const question *q, const char *given);
/* What an answer can be: "a, b or c", "a number". Into BUF, which it returns. */
const char *quiz_wants(const question *q, char *buf, size_t size);

#endif
