/* Chapters as they lie on disk: chapters/NN-topic and labs/NN-topic. CONTRIBUTING.md, "Formats",
 * says what a lesson and a lab look like. */
#ifndef WARPBOOK_CHAPTER_H
#define WARPBOOK_CHAPTER_H

#include "../base/house.h"
#include "../base/text.h"
#include "rubric.h"

typedef struct todo {
    int number;
    int lines;          /* number of lines that the student writes, about; 0: not stated */
    const char *text;   /* what the student has to do */
    int begin, end;     /* line numbers of the region's two markers, from 1 */
    const char **hints; /* hints, from a nudge to nearly the answer */
    size_t hint_count;
} todo;

typedef struct prediction {
    const char *kernel, *metric;
    const char *question; /* the question: the paragraph after the mark, on one line */
    const char
        *answers; /* answers on which a class votes, such as "4 8 32"; NULL: none are named */
} prediction;

typedef struct picture {
    const char *script; /* name of a script in plots/, without .gp */
    const char **args;  /* arguments of the script, such as "x=stride (floats)" */
    size_t arg_count;
} picture;

enum { CHAPTER_PROGRAMS = 8 }; /* most programs that an assignment leaves the choice of */

typedef struct chapter {
    int number;
    const char *name;     /* "04-constant-memory"; "labs/01-..." for an assignment */
    const char *title;    /* "Constant memory" */
    bool assignment;      /* it is an assignment, in labs/ */
    const char *dir;      /* absolute */
    const char *lesson;   /* path of README.md, whether or not it exists */
    const char *lab;      /* path of lab.cu */
    const char *solution; /* path of solution.cu */
    bool has_lesson, has_lab, has_solution;
    todo *todos;
    size_t todo_count;
    todo helpers; /* the block for functions of the student's own, of which only begin and end are
                   * set; begin 0: there is none */
    prediction *predictions;
    size_t prediction_count;
    picture *pictures;
    size_t picture_count;
    const rubric *rubric; /* an assignment's rubric.tsv; NULL: there is none, or a bad one */
    /* The rubrics of an assignment with several programs, in place of `rubric`: rubric.K.tsv, of
     * program K, at K - 1; NULL after the last one. */
    const rubric *of_program[CHAPTER_PROGRAMS];
    const char
        *rubric_fault;     /* what is wrong with the rubric; also listed in `problems`; or NULL */
    const char **problems; /* sentences that say what is wrong with the chapter's directory */
    size_t problem_count;
} chapter;

typedef struct book {
    arena memory;
    chapter *chapters; /* chapters sorted by number, assignments last */
    size_t count;
} book;

/* Read the whole house. A directory with faults becomes a chapter with problems; never fails. */
void book_open(book *b, house *h);
void book_close(book *b);

/* The chapter meant by WORD: a number, a name, a topic, or the only one that begins so. NULL with a
 * sentence in ERR. */
chapter *book_find(const book *b, const char *word, char *err, size_t err_size);

/* The parts of reading, for tests: TODO regions of a lab's text, and title, hints, predictions and
 * pictures of a lesson's. */
void chapter_read_lab(chapter *c, arena *a, const char *text);
void chapter_read_lesson(chapter *c, arena *a, const char *text);

/* The program that a lab's text chooses, from 1: the number of its line `CHOICE = ... // yours to
 * choose`; 0: none yet, or the chapter leaves no choice. */
int chapter_choice(const chapter *c, const char *text);
/* The rubric of program CHOICE, of the first one where there is no such; NULL: there is none. */
const rubric *chapter_rubric(const chapter *c, int choice);

/* The todo with this number, or NULL. */
todo *chapter_todo(chapter *c, int number);

/* What a student writes, one after the other: the TODO regions, and after them the block for helper
 * functions, where there is one. NULL: there is no I-th. */
const todo *chapter_region(const chapter *c, size_t i);
/* Whether a line of the lab stands between the marks of one of them. */
bool chapter_in_region(const chapter *c, int line);

#endif
