/* The model of `warpbook step`: the engine, its unanswered commands, and the data of the current
 * moment of the run. Independent of the terminal. */
#ifndef WARPBOOK_STEP_WALK_H
#define WARPBOOK_STEP_WALK_H

#include "../book/page.h"
#include "answer.h"
#include "replayer.h"

/* The kinds of commands to the engine: one that moves to another moment of the run, one that the
 * user typed, or a query about the current moment. */
typedef enum query_kind {
    ASK_MOVE,
    ASK_REPORT,    /* moves to the moments of a report and shows them */
    ASK_TEXT,      /* a command typed by the user, answered as text */
    ASK_LANES,     /* state of each lane */
    ASK_REGISTERS, /* registers */
    ASK_VARIABLES, /* variables */
    ASK_WARPS,     /* warps of the block */
    ASK_SHARED,    /* shared memory */
    ASK_REQUEST,   /* the last memory request */
    ASK_SOURCE,    /* source lines */
    ASK_PTX,       /* PTX instructions */
    ASK_REPORTS,   /* reports so far */
    QUERY_KINDS
} query_kind;

enum { WALK_MAX_PENDING = 64, WALK_MAX_CHOICES = 256, SOURCE_LINES_AROUND = 200 };

typedef struct walk_pending {
    query_kind what; /* what was asked */
    char *line;      /* text of the command */
} walk_pending;

/* A warp that the user chose to run next, and the moment of that choice. */
typedef struct walk_choice {
    long long launch, count; /* number of the launch; moment in the launch */
    int warp;
} walk_choice;

typedef struct walk {
    const char *const *argv; /* command line of the engine */
    const char *const *env;  /* changes to the environment of the engine */
    engine *e;
    walk_pending pending[WALK_MAX_PENDING]; /* questions without an answer yet */
    size_t pending_count;                   /* entries used in `pending` */
    double asked_at;                        /* time at which the oldest pending command was sent */
    bool is_over;                           /* the engine has ended by itself; `error` says how */
    char *error;                            /* why the last command failed, or NULL */
    char *text;         /* the answer to a free command that was not shown yet, or NULL */
    size_t noise;       /* number of lines received that were not answers */
    unsigned known;     /* a bit for each kind of answer known for this moment */
    unsigned moved;     /* number of answers that changed the moment, to notice a new one */
    bool is_new_report; /* `moments` has just been received */
    walk_choice
        choices[WALK_MAX_CHOICES]; /* the user's choices of warps, repeated after a restart */
    size_t choice_count;           /* entries used in the list of choices */

    bool has_where;                   /* `where` has been received */
    step_where where;                 /* where the program is */
    step_lanes lanes;                 /* state of each lane */
    step_values registers, variables; /* values in each lane */
    step_warps warps;                 /* warps of the block */
    step_shared shared, before;       /* before: the same rows at the previous moment */
    step_request request;             /* the last memory request */
    step_text source, ptx;            /* source and PTX around the next line */
    step_reports reports;             /* reports so far */
    step_moments moments;             /* moments of the chosen report */
    char *why[QUERY_KINDS];           /* why each kind of answer has nothing to show, or NULL */

    /* Settings of the queries. After a change, call walk_forget for the answers concerned. */
    int other_warp;        /* warp that is shown instead of the current one; -1: the current one */
    bool all_registers;    /* show all registers, not only those of the line */
    long long shared_from; /* first byte of shared memory to show */
    int shared_rows, ptx_rows; /* rows to show */
} walk;

void walk_start(walk *w, const char *const *argv, const char *const *env);
void walk_free(walk *w);

/* Send a command of kind WHAT. False: too many commands are pending, or the engine has ended. */
bool walk_ask(walk *w, query_kind what, const char *line);
/* Send a command typed by the user; find out whether it moves to another moment. */
bool walk_command(walk *w, const char *line);
/* Send a query for each answer in WANTED (one bit per enum ask) that is not known. */
void walk_request_answers(walk *w, unsigned wanted);
void walk_forget(walk *w, query_kind look);
/* Write and read without blocking; return true if something has changed. */
bool walk_exchange(walk *w);
/* Return true if a command has no answer yet. */
bool walk_is_waiting(const walk *w);
/* Seconds for which the oldest command has been pending; 0: no command is pending. */
double walk_seconds_waited(const walk *w);
/* Cancel the pending commands: restart the engine and go to its previous position. */
void walk_cancel(walk *w);

/* Line LINE of the source, or NULL if it is not loaded. */
const step_line *walk_source_line(const walk *w, long long line);

#endif
