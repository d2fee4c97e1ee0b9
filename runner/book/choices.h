/* The numbers of a lab that a student may choose: constants on the lines of the book's text whose
 * comment says "yours to choose". The student may write them as `enum` or `constexpr`, on any
 * lines, in any order, with other numbers or expressions of numbers. Their values are taken. */
#pragma once

#include "../base/text.h"

/* Says in a comment at the end of a line that the line's constants may be changed. If the comment
 * names some of them before it, only these may be. */
extern const char choice_line_mark[]; /* "yours to choose" */

/* A constant of such a line. */
typedef struct free_constant {
    const char *name;
    size_t begin, end;   /* offsets, in the book's text, of the expression after its = */
    long long book, own; /* the book's value; the student's value */
    bool fixed;          /* true: the comment names other constants of its line, but not this one */
    bool given;          /* the student's text defines it, and `own` is valid */
} free_constant;

typedef struct free_constants {
    free_constant *list;
    size_t count;
} free_constants;

/* The constants of the lines of TEXT, the book's, that say "yours to choose". In A. */
free_constants choices_of_book(const char *text, arena *a);

/* Find the definitions of the constants C in CODE, a student's text without comments and without
 * regions. Sets their values, and replaces the definitions in CODE by blanks. A definition that is
 * not accepted stays in CODE. */
void choices_take(free_constants *c, char *code);

/* TEXT, the book's, with the student's values. To be freed. */
char *choices_insert(const free_constants *c, const char *text);
