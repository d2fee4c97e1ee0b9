/* The model of `warpbook step`: the replayer, its unanswered commands, and the data of the current
 * moment of the run. Independent of the terminal. */
#pragma once

#include "../base/coprocess.h"
#include "../book/page.h"
#include "answer.h"

/* The kinds of commands to the replayer: one that moves to another moment of the run, one that the
 * user typed, or a query about the current moment. */
typedef enum query_kind {
    ASK_MOVE,      /* moves to another moment of the run */
    ASK_REPORT,    /* moves to the moments of a report and shows them */
    ASK_TEXT,      /* a command typed by the user, answered as text */
    ASK_LANES,     /* asks for the state of each lane of a warp */
    ASK_REGISTERS, /* asks for the values of registers in each lane */
    ASK_VARIABLES, /* asks for the values of variables in each lane */
    ASK_WARPS,     /* asks for the warps of the block */
    ASK_SHARED,    /* asks for the contents of shared memory */
    ASK_REQUEST,   /* asks for the last memory request of the current warp */
    ASK_SOURCE,    /* asks for source lines */
    ASK_PTX,       /* asks for PTX instructions */
    ASK_REPORTS,   /* asks for the mistakes reported so far */
    QUERY_KINDS    /* number of kinds */
} query_kind;

enum {
    SESSION_MAX_PENDING = 64,  /* commands that the replayer has not answered yet, at most */
    SESSION_MAX_CHOICES = 256, /* choices of a warp that are kept, at most */
    SOURCE_LINES_AROUND = 200, /* source lines that are loaded before and after the current one */
};

typedef struct pending_command {
    query_kind what; /* kind of the command */
    char *line;      /* text of the command, as sent to the replayer */
} pending_command;

/* A warp that the user chose to run next, and the moment of that choice. */
typedef struct warp_choice {
    long long launch, insn; /* moment: number of the launch; instructions executed in it */
    int warp;               /* number of the warp in its block */
} warp_choice;

typedef struct step_session {
    const char *const *argv; /* command line of the replayer */
    const char *const *env;  /* changes to the environment of the replayer */
    coprocess *e;
    pending_command pending[SESSION_MAX_PENDING]; /* commands that the replayer has not answered
                                                     yet, the oldest first */
    size_t pending_count;                         /* entries used in `pending` */
    double asked_at; /* time at which the oldest pending command was sent */
    bool is_over;    /* the replayer has ended by itself; `error` says how */
    char *error;     /* why the last command failed, or NULL */
    char *text;      /* the answer to a command that the user typed, until it is shown; or NULL */
    size_t noise;    /* number of lines received that were not answers */
    unsigned known;  /* a bit for each query_kind whose answer for the present moment has arrived */
    unsigned moved;  /* how often the present moment of the run has changed */
    bool is_new_report; /* `moments` was received and has not been shown yet */
    warp_choice choices[SESSION_MAX_CHOICES]; /* [choice_count] warps that the user chose */
    size_t choice_count;                      /* entries used in the list of choices */

    bool has_where;                   /* `where` is valid */
    step_position where;              /* the present moment of the run */
    step_lanes lanes;                 /* state of each lane of the shown warp */
    step_values registers, variables; /* their values in each lane of the shown warp */
    step_warps warps;                 /* the warps of the current block */
    step_shared_memory shared;        /* rows of shared memory at the present moment */
    step_shared_memory before;        /* the rows received before, to show what changed */
    step_request request;             /* the last memory request of the current warp */
    step_listing source, ptx;    /* source lines and PTX instructions around the next instruction */
    step_reports reports;        /* mistakes that were reported up to the present moment */
    step_report_moments moments; /* the report that was asked for, as its two moments */
    char *why[QUERY_KINDS];      /* why each kind of answer has nothing to show, or NULL */

    /* Settings of the queries. After a change, call session_drop_answer for its answers. */
    int other_warp;        /* warp that is shown instead of the current one; -1: the current one */
    bool all_registers;    /* show all registers, not only those of the line */
    long long shared_from; /* first byte of shared memory to show */
    int shared_rows, ptx_rows; /* rows of shared memory, and PTX instructions, to show */
} step_session;

void session_start(step_session *w, const char *const *argv, const char *const *env);
void session_free(step_session *w);

/* Send a command of kind WHAT. False: too many commands are pending, or the replayer has ended. */
bool session_ask(step_session *w, query_kind what, const char *line);
/* Send a command typed by the user; find out whether it moves to another moment. */
bool session_command(step_session *w, const char *line);
/* Send a query for each answer in WANTED (one bit per query_kind) that is not known. */
void session_request_answers(step_session *w, unsigned wanted);
void session_drop_answer(step_session *w, query_kind query);
/* Write and read without blocking; return true if something has changed. */
bool session_exchange(step_session *w);
/* Return true if a command has no answer yet. */
bool session_is_waiting(const step_session *w);
/* Seconds for which the oldest command has been pending; 0: no command is pending. */
double session_seconds_waited(const step_session *w);
/* Cancel the pending commands: restart the replayer and go to its previous position. */
void session_cancel(step_session *w);

/* Line LINE of the source, or NULL if it is not loaded. */
const step_line *session_source_line(const step_session *w, long long line);
