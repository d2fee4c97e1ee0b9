/* State and functions shared by the files of the slide show (runner/slides). */
#pragma once

#include "../book/page.h"
#include "../judge/desk.h"
#include "../run/attempt.h"
#include "../term/terminal.h"
#include "slides.h"
#include "wrong.h"

#include <curses.h>

/* The program that a slide runs: the student's lab, the solution, or a wrong version of the lab. */
typedef enum demo_program { DEMO_LAB, DEMO_SOLUTION, DEMO_WRONG } demo_program;

/* A program of a chapter; WRONG: the wrong version's name, for DEMO_WRONG. */
typedef struct demo_target {
    chapter *c;
    demo_program program;
    const char *wrong;
} demo_target;

/* The programs of the chapter shown that are built before a key asks for them. */
typedef struct demo_ahead {
    chapter *c;                  /* the chapter, or NULL */
    attempt *a;                  /* the build in progress, or NULL */
    size_t next;                 /* index of the program that is built next */
    wrong_version_list versions; /* wrong versions of its lab */
} demo_ahead;

enum { MAX_VOTE_ANSWERS = 9 }; /* answers to vote on, at most: one for each digit key */

/* The votes of the class on a prediction. */
typedef struct ballot {
    unsigned votes[MAX_VOTE_ANSWERS]; /* number of votes of the class for each answer */
    bool revealed, counted;           /* the right answer is shown; `value` is known */
    bool of_lab;  /* `value` was counted in the lab's run, not in the solution's */
    double value; /* counted value of the metric that the class predicts */
} ballot;

typedef enum demo_box { DEMO_BOX_NONE, DEMO_BOX_HELP, DEMO_BOX_SLIDES, DEMO_BOX_PROGRAMS } demo_box;

typedef struct slide_show {
    session *d;
    int rows, columns;     /* size of the terminal */
    bool quit;             /* end the show */
    bool gpu;              /* runs use a GPU instead of the emulator */
    const char *no_device; /* a sentence that says why no lab can be run, or NULL */
    int spin;              /* animation step of the busy indicator */
    slides deck;           /* all slides of the chapters that are shown */
    size_t at;             /* index of the slide shown */
    size_t part, parts;    /* part shown of a slide longer than the terminal; number of its parts */
    bool follow; /* while a program runs, show the newest results, in the last part of its slide */
    attempt *a;  /* build and run of a lab in progress, or NULL */
    demo_ahead ahead;
    chapter *ran;         /* chapter whose program runs or ran last */
    demo_program program; /* the program that runs or ran last */
    char *wrong;          /* DEMO_WRONG: name of the wrong version */
    bool has_verdict;     /* the last run has a verdict */
    verdict v;
    char *refused;     /* a sentence that says why the run did not start, or NULL */
    ballot *ballots;   /* one ballot per slide */
    job *drawing;      /* gnuplot, while it draws a picture; NULL: it does not run */
    size_t drawn;      /* index of the slide for which `picture` was drawn */
    int width, height; /* size at which the picture was drawn, in characters */
    page picture;      /* the picture as text */
    char *error;       /* a sentence that says why `picture` could not be drawn; NULL: it could */
    demo_box box;      /* the open pop-up list */
    page box_page;     /* text of the pop-up list */
    const char *box_title;       /* title of the pop-up list */
    char find[32];               /* DEMO_BOX_SLIDES: the words typed to find a slide */
    size_t chosen, box_top;      /* chosen entry and first visible line of the box */
    wrong_version_list versions; /* wrong versions of the chapter's lab */
    bool large, large_chosen;    /* large letters are on; the lecturer chose so, with a key */
    job *walk;          /* process that runs the debugger commands of a slide; NULL: none runs */
    size_t walked;      /* index of the slide whose commands ran last, plus 1; 0: none */
    page debugger_page; /* the debugger's answers to these commands */
    char number[8];     /* number of a slide while it is being typed; "": none */
    bool typing, blank; /* a slide number is being typed; the screen is blank */
    double timer;       /* time at which the timer began, by monotonic_s; 0: it is not shown */
} slide_show;

static inline slide *demo_slide(slide_show *m)
{
    return &m->deck.list[m->at];
}

/* demo.c: go to slide number AT (from 0). */
void demo_go_to(slide_show *m, size_t at);
/* Go to the chapter's live slide, and run PROGRAM there; NAME: the wrong version for DEMO_WRONG. */
void demo_show_run(slide_show *m, demo_program program, const char *name);
/* The width of a slide's text in columns, and where it begins. */
int demo_body_columns(const slide_show *m);
int demo_left_margin(const slide_show *m);
/* The row below the heading, in which the slide's contents begin. */
int demo_body_top(const slide_show *m);
/* Return true if headings and the most important numbers are drawn in large letters. */
bool demo_uses_large_letters(const slide_show *m);
/* The number of rows between the heading and the bottom line. */
int demo_body_rows(const slide_show *m);
/* A key of the slide show; its help may be NULL. */
typedef struct demo_key {
    const char *name; /* the key's name in the help */
    int codes[2];     /* key codes with this action; the second may be 0 */
    void (*handler)(slide_show *m);
    const char *foot; /* word for the key in the bottom line, or NULL */
    const char *help; /* line about the key in the help, or NULL */
} demo_key;
extern const demo_key demo_keys[];  /* [demo_key_count] the keys, in the order of the help */
extern const size_t demo_key_count; /* number of keys */

/* demo_head.c: the heading of a slide; the slide with a chapter's title. */
void draw_slide_heading(slide_show *m);
void demo_draw_title_slide(slide_show *m);
/* Append TEXT, a few words, to P in large letters, if these are switched on and fit. */
void demo_append_large_text(slide_show *m, page *p, style how, const char *text);

/* demo_walk.c: slides with a session of the debugger. */
void demo_make_debugger_page(slide_show *m, page *p);
/* demo_debugger_start runs the debugger commands of the slide shown, unless they ran last;
 * demo_debugger_poll checks whether they have ended; demo_debugger_drop discards the answers. */
void demo_debugger_start(slide_show *m);
void demo_debugger_poll(slide_show *m);
void demo_debugger_drop(slide_show *m);
/* Step through the same run by hand, on the screen of `warpbook step`. */
void demo_debugger_step(slide_show *m);
/* Step through a run of C's lab, its solution or a text (terminal_step). */
char *demo_step(slide_show *m, const chapter *c, bool solution, const char *text,
                const char *of_seed);

/* demo_text.c: contents of a slide of text, code or a vote. */
void demo_make_text_page(slide_show *m, page *p);
void demo_make_code_page(slide_show *m, page *p);
/* The line of slide AT in the list of slides; the caller frees it. */
char *label_of_slide(const slides *deck, size_t at);

/* demo_vote.c: slides on which the class votes on a prediction. */
void demo_make_vote_page(slide_show *m, page *p);
/* Count a vote for answer number WHICH (from 0); false: there is no such answer. */
bool demo_count_vote(slide_show *m, size_t which);
/* Show or hide the answer; if the answer is unknown, run the program that counts it. */
void demo_reveal_answer(slide_show *m);
/* After a run: store the counted values of the predicted metrics, for the slides with votes. */
void demo_store_counted_values(slide_show *m);

/* demo_ahead.c: while nothing runs, demo_build_ahead builds one program after the other that the
 * chapter shown may run. demo_pause_building stops the build in progress, as another is to begin;
 * demo_drop_building releases all. */
void demo_build_ahead(slide_show *m);
void demo_pause_building(slide_show *m);
void demo_drop_building(slide_show *m);

/* demo_live.c: slides on which a program runs. */
/* NULL with a sentence in ERR: the wrong version cannot be made. */
attempt *demo_start_attempt(slide_show *m, const demo_target *t, bool only_build, char *err,
                            size_t err_size);
void demo_run_program(slide_show *m, chapter *c, demo_program program, const char *wrong);
void demo_drop_run(slide_show *m);
void demo_poll_run(slide_show *m);
void demo_make_live_page(slide_show *m, page *p);
void demo_draw_picture(slide_show *m);

/* demo_box.c: pop-up lists over the slide. */
void demo_box_open(slide_show *m, demo_box which);
void demo_box_close(slide_show *m);
void demo_box_handle_key(slide_show *m, int key);
void demo_box_draw(slide_show *m);
