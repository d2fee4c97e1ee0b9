/* Chapters and assignments, read from chapters/NN-topic and labs/NN-topic. docs/FORMATS.md
 * describes the format of a lesson and a lab. */
#pragma once

#include "../base/installation.h"
#include "../base/text.h"
#include "rubric.h"

typedef struct todo_region {
    int number;         /* number of the TODO, from 1 */
    int lines;          /* approximate number of lines that the student writes; 0: not stated */
    const char *text;   /* what the student has to do */
    int begin, end;     /* line numbers of the region's two markers, from 1 */
    const char **hints; /* hints, from vague to nearly the answer */
    size_t hint_count;  /* number of hints */
} todo_region;

typedef struct prediction {
    const char *kernel, *metric; /* kernel, and its metric whose value the student predicts */
    const char *question; /* the question: the paragraph after the predict comment, on one line */
    const char *answers;  /* answers for a vote of the class, such as "4 8 32", or NULL */
} prediction;

typedef struct lesson_plot {
    const char *script; /* name of a script in plots/, without .gp */
    const char **args;  /* arguments of the script, such as "x=stride (floats)" */
    size_t arg_count;   /* number of arguments */
} lesson_plot;

/* What makes an exercise to break a kernel (breaks.h) of a chapter. */
typedef struct break_task {
    const char *fault;  /* what must be shown: "wrong", "slow", or a kind of judge/mistakes.def */
    const char *kernel; /* the kernel that must show it */
    const char *text;   /* what to do, as Markdown */
    const char *why;    /* why the reference answer breaks the kernel, as Markdown */
} break_task;

enum { CHAPTER_MAX_PROGRAMS = 8 }; /* programs that an assignment offers for choice, at most */

typedef struct chapter {
    int number;
    const char *name;     /* "06-constant-memory", its directory; "labs/01-..." for an assignment */
    const char *title;    /* title without its number: "Constant memory" */
    const char *part;     /* part of the book that it belongs to: "First steps"; NULL: none */
    bool assignment;      /* this is a graded assignment in labs/, not a chapter of the book */
    const char *dir;      /* absolute path of the chapter's directory */
    const char *lesson;   /* path of README.md, whether or not it exists */
    const char *lab;      /* path of lab.cu */
    const char *solution; /* path of solution.cu */
    bool has_lesson, has_lab, has_solution; /* the files README.md, lab.cu, solution.cu exist */
    bool has_jobs;       /* the lab starts itself again in new processes: common/lab_process.h */
    todo_region *todos;  /* the TODO regions of the lab */
    size_t todo_count;   /* number of TODO regions */
    todo_region helpers; /* the block HELPERS for functions that the student adds; only begin and
                          * end are set; begin 0: there is no such block */
    prediction *predictions; /* predictions that the lesson asks for */
    size_t prediction_count; /* number of predictions */
    lesson_plot *pictures;   /* plots that the lesson shows */
    size_t picture_count;    /* number of pictures */
    const rubric *rubric;    /* an assignment's rubric.tsv; NULL: it is missing or malformed */
    /* Rubrics of an assignment with several programs, used instead of `rubric`: rubric.K.tsv, for
     * program K, is element K - 1; NULL after the last one. */
    const rubric *program_rubrics[CHAPTER_MAX_PROGRAMS]; /* by number of the program, minus 1 */
    const char *rubric_fault;   /* what is wrong with the rubric (also in `problems`), or NULL */
    const break_task *to_break; /* this is an exercise to break a kernel; NULL: a lab */
    const char **problems;      /* sentences that say what is wrong with the chapter's directory */
    size_t problem_count;       /* number of problems */
} chapter;

typedef struct book {
    arena memory;      /* arena that holds the chapters */
    chapter *chapters; /* chapters sorted by number, assignments last */
    size_t count;      /* number of chapters and assignments */
} book;

/* Read all chapters and assignments. Never fails: a directory with mistakes becomes a chapter with
 * a list of problems. */
void book_open(book *b, installation *h);
void book_close(book *b);

/* Find a chapter by its number, its name, its topic, or an unambiguous prefix of its name. NULL
 * with a sentence in ERR: there is none, or more than one. */
chapter *book_find(const book *b, const char *word, char *err, size_t err_size);

/* For tests: read the TODO regions from a lab's text; read title, hints, predictions and plots from
 * a lesson's text. */
void chapter_read_lab(chapter *c, arena *a, const char *text);
void chapter_read_lesson(chapter *c, arena *a, const char *text);

/* Read the files that `lab`, `lesson` and `solution` name. */
void chapter_read(chapter *c, arena *a);

/* Number (from 1) of the program that a lab's text chooses on its line `CHOICE = ... // yours to
 * choose`; 0: nothing is chosen yet, or the chapter has one program only. */
int chapter_choice(const chapter *c, const char *text);
/* The rubric of program CHOICE, or of the first program if CHOICE has none; NULL: none. */
const rubric *chapter_rubric(const chapter *c, int choice);

/* The TODO region with this number; NULL: there is none. */
todo_region *chapter_find_todo(chapter *c, int number);

/* Region I of a lab that the student fills in: first the TODO regions, then the block for helper
 * functions if there is one. NULL: I is too large. */
const todo_region *chapter_region_at(const chapter *c, size_t i);
/* True: LINE of the lab's text lies in a region that the student fills in, between its marks. */
bool is_line_in_region(const chapter *c, int line);
