/* What the files of the slides share. */
#ifndef WARPBOOK_DEMO_STATE_H
#define WARPBOOK_DEMO_STATE_H

#include "../book/slides.h"
#include "../screen/screen_state.h"
#include "wrong.h"

/* The program that runs live. */
typedef enum demo_program { DEMO_LAB, DEMO_SOLUTION, DEMO_WRONG } demo_program;

enum { VOTE_MOST = 9 };

/* What the class said of a prediction. */
typedef struct ballot {
    unsigned votes[VOTE_MOST];
    bool revealed, counted; /* revealed: the answer is shown; counted: VALUE is known, and OF_LAB
                               says whose it is */
    bool of_lab;
    double value;
} ballot;

typedef enum demo_box { DEMO_BOX_NONE, DEMO_BOX_HELP, DEMO_BOX_SLIDES, DEMO_BOX_PROGRAMS } demo_box;

typedef struct demo {
    screen s; /* the terminal; the chapters in it are not used */
    slides deck;
    size_t at; /* the slide shown */
    size_t part,
        parts;    /* part of a slide that is longer than the terminal, from 0; number of parts */
    bool follow;  /* show the last part while a run continues */
    attempt *a;   /* the attempt in progress, or NULL */
    chapter *ran; /* the chapter that runs, or ran last */
    demo_program program;
    char *wrong; /* DEMO_WRONG: name of the wrong version */
    bool has_verdict;
    verdict v;
    char *refused;   /* why the run did not begin; or NULL */
    ballot *ballots; /* one ballot per slide */
    /* The picture shown, and how large it was drawn. */
    job *drawing;
    size_t drawn;
    int width, height;
    page picture;
    char *error;
    /* The list that is shown over the slide. */
    demo_box box;
    page box_page;
    const char *box_title;
    size_t chosen, box_top;
    wrong_list versions;
    char number[8]; /* number of a slide while it is being typed; "": none */
    bool typing, blank;
    double timer; /* time at which the timer began, by monotonic_s; 0: it is not shown */
} demo;

static inline slide *demo_slide(demo *m)
{
    return &m->deck.list[m->at];
}

/* demo.c: go to slide number AT (from 0). */
void demo_go_to(demo *m, size_t at);
/* To the live slide of the chapter shown, and run this there; NAME: of DEMO_WRONG. */
void demo_show_run(demo *m, demo_program program, const char *name);
/* The breadth of text, in columns. */
int demo_breadth(const demo *m);
/* The rows between heading and foot. */
int demo_room(const demo *m);
/* A row of the table of keys; its help may be NULL. */
typedef struct demo_key {
    const char *name;
    int codes[2];
    void (*handler)(demo *m);
    const char *foot, *help;
} demo_key;
extern const demo_key demo_keys[];
extern const size_t demo_key_count;

/* demo_text.c: contents of a slide of text, code or a vote. */
void demo_text_page(demo *m, page *p);
void demo_code_page(demo *m, page *p);
/* A line for the list of slides, to be freed. */
char *demo_label(demo *m, size_t at);
void demo_put_spaced(demo *m, int y, int x, chtype how, const char *text);

/* demo_vote.c: slides with a vote. */
void demo_vote_page(demo *m, page *p);
/* Count a vote for answer number WHICH (from 0); false: there is no such answer. */
bool demo_vote(demo *m, size_t which);
/* Show the answer, or hide it; the program that counts it runs if need be. */
void demo_reveal(demo *m);
/* A run ended: what its predictions were counted to be. */
void demo_take_counted(demo *m);

/* demo_live.c: slides on which a program runs. */
void demo_run_program(demo *m, chapter *c, demo_program program, const char *wrong);
void demo_drop_run(demo *m);
void demo_pump(demo *m);
void demo_live_page(demo *m, page *p);
void demo_draw_picture(demo *m);

/* demo_box.c: lists that are shown over the slide. */
void demo_box_open(demo *m, demo_box which);
void demo_box_close(demo *m);
void demo_box_key(demo *m, int key);
void demo_box_draw(demo *m);

#endif
