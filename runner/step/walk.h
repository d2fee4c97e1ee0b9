/* A walk through a run: the engine, what has been asked of it and not yet answered, and what is
 * known of the moment. No terminal is needed for it. */
#ifndef WARPBOOK_STEP_WALK_H
#define WARPBOOK_STEP_WALK_H

#include "../book/page.h"
#include "answer.h"
#include "engine.h"

/* What may be asked: a move, a free command, or a look at the moment. */
typedef enum ask {
    ASK_MOVE,
    ASK_REPORT, /* a move that shows the two moments of a report */
    ASK_TEXT,   /* a command that is answered as text for people */
    ASK_LANES,
    ASK_REGISTERS,
    ASK_VARIABLES,
    ASK_WARPS,
    ASK_SHARED,
    ASK_REQUEST,
    ASK_SOURCE,
    ASK_PTX,
    ASK_REPORTS,
    ASKS
} ask;

enum { WALK_PENDING = 64, WALK_CHOICES = 256, SOURCE_AROUND = 200 };

typedef struct walk_pending {
    ask what;
    char *line; /* text of the command */
} walk_pending;

/* A warp that was chosen to run next. */
typedef struct walk_choice {
    long long launch, count;
    int warp;
} walk_choice;

typedef struct walk {
    const char *const *argv; /* command line of the engine */
    const char *const *env;
    engine *e;
    walk_pending pending[WALK_PENDING];
    size_t pending_count;
    double asked_at;    /* time at which the oldest pending command was sent */
    bool is_over;       /* the engine has ended by itself; `error` says how */
    char *error;        /* why the last command was not obeyed, or NULL */
    char *text;         /* the answer of a free command, until it is taken, or NULL */
    size_t noise;       /* number of lines that were no answers */
    unsigned known;     /* a bit for each kind of answer known for this moment */
    unsigned moved;     /* number of moves answered so far, so that a new one is noticed */
    bool is_new_report; /* `moments` has just been received */
    walk_choice choices[WALK_CHOICES];
    size_t choice_count;

    bool has_where;
    step_where where;
    step_lanes lanes;
    step_values registers, variables;
    step_warps warps;
    step_shared shared, before; /* before: the same rows at the moment before */
    step_request request;
    step_text source, ptx;
    step_reports reports;
    step_moments moments;
    char *why[ASKS]; /* why each kind of answer has nothing to show, or NULL */

    /* How to look. A change of these makes the looks unknown: walk_forget. */
    int other_warp; /* warp that is shown instead of the current one; -1: the current one */
    bool all_registers;
    long long shared_from;
    int shared_rows, ptx_rows;
} walk;

void walk_start(walk *w, const char *const *argv, const char *const *env);
void walk_free(walk *w);

/* Ask for a move, or for anything. False: too much is pending, or the engine has ended. */
bool walk_ask(walk *w, ask what, const char *line);
/* A command that a person wrote: a move if it is one. */
bool walk_command(walk *w, const char *line);
/* Ask for each look of WANTED (a bit for each ask) that is not known. */
void walk_want(walk *w, unsigned wanted);
void walk_forget(walk *w, ask look);
/* Write and read what is possible now. True if something has changed. */
bool walk_pump(walk *w);
/* Whether an answer is still missing. */
bool walk_is_waiting(const walk *w);
/* Seconds for which something has been pending; 0: nothing is. */
double walk_waiting(const walk *w);
/* Give up what is pending: the engine is started again and goes to where it stood. */
void walk_cancel(walk *w);

/* Line LINE of the source, or NULL. */
const step_line *walk_source_line(const walk *w, long long line);

#endif
