/* The model of `warpbook step`: the engine, its unanswered commands, and the data of the current
 * moment of the run. Independent of the terminal. */
#ifndef WARPBOOK_STEP_WALK_H
#define WARPBOOK_STEP_WALK_H

#include "../book/page.h"
#include "answer.h"
#include "engine.h"

/* The kinds of commands to the engine: a move, a free command, or a query about the current
 * moment. */
typedef enum query_kind {
    ASK_MOVE,
    ASK_REPORT, /* a move that shows the two moments of a report */
    ASK_TEXT,   /* a command typed by the user, answered as text */
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
} query_kind;

enum { WALK_PENDING = 64, WALK_CHOICES = 256, SOURCE_AROUND = 200 };

typedef struct walk_pending {
    query_kind what;
    char *line; /* text of the command */
} walk_pending;

/* A warp that the user chose to run next, and the moment of that choice. */
typedef struct walk_choice {
    long long launch, count;
    int warp;
} walk_choice;

typedef struct walk {
    const char *const *argv; /* command line of the engine */
    const char *const *env;  /* changes to the environment of the engine */
    engine *e;
    walk_pending pending[WALK_PENDING];
    size_t pending_count;
    double asked_at;    /* time at which the oldest pending command was sent */
    bool is_over;       /* the engine has ended by itself; `error` says how */
    char *error;        /* why the last command failed, or NULL */
    char *text;         /* the answer to a free command that was not shown yet, or NULL */
    size_t noise;       /* number of lines received that were not answers */
    unsigned known;     /* a bit for each kind of answer known for this moment */
    unsigned moved;     /* number of moves answered so far, to notice a new one */
    bool is_new_report; /* `moments` has just been received */
    walk_choice choices[WALK_CHOICES]; /* the user's choices of warps, repeated after a restart */
    size_t choice_count;

    bool has_where; /* `where` has been received */
    step_where where;
    step_lanes lanes;
    step_values registers, variables;
    step_warps warps;
    step_shared shared, before; /* before: the same rows at the previous moment */
    step_request request;
    step_text source, ptx;
    step_reports reports;
    step_moments moments;
    char *why[ASKS]; /* why each kind of answer has nothing to show, or NULL */

    /* Settings of the queries. After a change, call walk_forget for the answers concerned. */
    int other_warp; /* warp that is shown instead of the current one; -1: the current one */
    bool all_registers;
    long long shared_from;
    int shared_rows, ptx_rows;
} walk;

void walk_start(walk *w, const char *const *argv, const char *const *env);
void walk_free(walk *w);

/* Send a command of kind WHAT. False: too many commands are pending, or the engine has ended. */
bool walk_ask(walk *w, query_kind what, const char *line);
/* Send a command typed by the user; find out whether it is a move. */
bool walk_command(walk *w, const char *line);
/* Send a query for each answer in WANTED (one bit per enum ask) that is not known. */
void walk_want(walk *w, unsigned wanted);
void walk_forget(walk *w, query_kind look);
/* Write and read without blocking; return true if something has changed. */
bool walk_pump(walk *w);
/* Return true if a command has no answer yet. */
bool walk_is_waiting(const walk *w);
/* Seconds for which the oldest command has been pending; 0: no command is pending. */
double walk_waiting(const walk *w);
/* Cancel the pending commands: restart the engine and go to its previous position. */
void walk_cancel(walk *w);

/* Line LINE of the source, or NULL if it is not loaded. */
const step_line *walk_source_line(const walk *w, long long line);

#endif
