/* The commands of the step debugger, as PROTOCOL.md lists them: parses a line of text. */
#pragma once

#include "orders.h"

typedef struct step_command {
    enum {
        STEP_NOTHING,        /* an empty line or a comment */
        STEP_FORWARD,        /* run forward until `goal` has been met `times` times */
        STEP_BACKWARD,       /* go back until `goal` has been met `times` times */
        STEP_TO_END,         /* go to the end of the run */
        STEP_TO_START,       /* go to the first moment of the run */
        STEP_OPEN,           /* go to the first report, or to the first moment */
        STEP_GO,             /* go to instruction `insn` of launch `number` */
        STEP_WHO,            /* find who wrote goal.place */
        STEP_SHOW,           /* show report `number` about a mistake */
        STEP_CHOOSE,         /* let warp `number` run next (a choice) */
        STEP_CHOSEN,         /* list the choices of warps so far */
        STEP_FORGET,         /* undo the choices after this moment */
        STEP_REPORTS,        /* list the reports about mistakes */
        STEP_LAUNCHES,       /* list the kernel launches */
        STEP_LIST_SNAPSHOTS, /* list the snapshots */
        STEP_HELP,           /* print the list of commands */
        STEP_LEAVE,          /* quit the debugger */
        STEP_ASK             /* a command that the worker process answers; its text is passed on */
    } kind;                  /* kind of command */
    step_goal goal;          /* when to stop */
    bool own_block;          /* STEP_THREAD: the thread is in the current block */
    uint32_t times;          /* how often `goal` must be met */
    uint64_t number;         /* number of a launch, a report or a warp */
    uint64_t insn;           /* number of an instruction in a launch */
} step_command;

/* Parse a command line. Returns false with a message in ERR if the line is no command. */
bool step_command_read(const char *line, step_command *c, char *err, size_t size);

/* The type whose name is the LENGTH characters at NAME; STEP_ANY_TYPE: no type has that name. */
step_type step_type_read(const char *name, size_t length);

/* The text of the command `help`. */
extern const char step_help[];
