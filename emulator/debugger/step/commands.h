/* The commands of a walk, as PROTOCOL.md lists them: from a line of text to data. */
#ifndef WARPBOOK_STEP_COMMANDS_H
#define WARPBOOK_STEP_COMMANDS_H

#include "orders.h"

typedef struct step_command {
    enum {
        STEP_NOTHING, /* an empty line or a comment */
        STEP_FORWARD, /* run forward until `goal` has been met `times` times */
        STEP_BACKWARD,
        STEP_TO_END,
        STEP_TO_START,
        STEP_OPEN,     /* go to the first report, or to the first moment */
        STEP_GO,       /* go to instruction `count` of launch `number` */
        STEP_WHO,      /* find who wrote goal.place */
        STEP_SHOW,     /* show report `number` */
        STEP_CHOOSE,   /* run warp `number` next */
        STEP_CHOSEN,   /* list the choices */
        STEP_FORGET,   /* forget later choices */
        STEP_REPORTS,  /* list */
        STEP_LAUNCHES, /* list */
        STEP_KEPT,     /* list the snapshots */
        STEP_HELP,
        STEP_LEAVE,
        STEP_ASK /* the worker answers, from the text */
    } kind;
    step_goal goal;
    bool own_block; /* STEP_THREAD: the thread is in the current block */
    uint32_t times;
    uint64_t number, count;
} step_command;

/* Take a line apart. False: ERR is a sentence that says what is wrong. */
bool step_command_read(const char *line, step_command *c, char *err, size_t size);

/* "%r5[3]", "shared[64]:f32", "global[0x7000]"; *END is what follows. */
bool step_place_read(const char *text, step_place *place, const char **end);
/* The type with this name of LENGTH characters; STEP_ANY_TYPE: there is none. */
step_type step_type_read(const char *name, size_t length);

/* What `help` says. */
extern const char step_help[];

#endif
