/* What the controller asks of a worker, a process that runs the kernels, and what it hears back. */
#ifndef WARPBOOK_STEP_ORDERS_H
#define WARPBOOK_STEP_ORDERS_H

#include "../../core/sm.h"

/* A moment is one number, `tick`: it grows by one with each instruction, and by one between two
 * launches. */

typedef enum step_type {
    STEP_ANY_TYPE,
    STEP_U8,
    STEP_S8,
    STEP_U16,
    STEP_S16,
    STEP_U32,
    STEP_S32,
    STEP_U64,
    STEP_S64,
    STEP_F32,
    STEP_F64,
    STEP_TYPES
} step_type;

extern const char *const step_type_name[STEP_TYPES];
uint32_t step_type_bytes(step_type t);

typedef struct step_place {
    enum { STEP_NO_PLACE, STEP_REGISTER, STEP_SHARED, STEP_GLOBAL } kind;
    char name[80];    /* name of the register */
    int32_t lane;     /* lane of the register; -1: any active lane */
    uint64_t address; /* device address, or offset in the block's shared memory */
    step_type type;
} step_place;

typedef enum step_relation {
    STEP_EQ,
    STEP_NE,
    STEP_LT,
    STEP_LE,
    STEP_GT,
    STEP_GE,
    STEP_CHANGES
} step_relation;

typedef enum step_goal_kind {
    STEP_NOWHERE, /* only the limit stops */
    STEP_INSN,
    STEP_LINE,
    STEP_BARRIER,
    STEP_ITERATION,
    STEP_WARP,
    STEP_BLOCK,
    STEP_LAUNCH,
    STEP_TO,
    STEP_THREAD,
    STEP_IF,
    STEP_FAULT,
    STEP_REPORT,
    STEP_WRITES,  /* `place` is written */
    STEP_ACCESSES /* `place` is accessed from line `line` of `file` */
} step_goal_kind;

/* A warp, or a block, of a launch. */
typedef struct step_warp_id {
    uint64_t launch, block; /* number of the launch in the order of issue, and index of the block */
    uint32_t warp;
} step_warp_id;

typedef struct step_goal {
    step_goal_kind kind;
    char file[512]; /* "": any */
    uint32_t line;
    uint32_t thread;
    step_place place;
    step_relation relation;
    double number;
    int64_t whole; /* the number to compare with, if it is an integer */
    bool is_whole;
    step_warp_id of; /* the warp or block that the goal speaks of */
} step_goal;

typedef struct step_choice {
    uint64_t tick;
    uint32_t warp;
} step_choice;

enum { STEP_CHOICES = 512, STEP_TIMES = 4096 };

typedef struct step_order {
    enum {
        STEP_RUN,   /* run, then answer with a step_result */
        STEP_QUERY, /* answer a command: text, then a step_result */
        STEP_WAKE,  /* a snapshot: make a worker, which uses the socket sent along */
        STEP_QUIT
    } kind;
    step_goal goal;
    uint64_t after; /* hits at or before this tick do not count; UINT64_MAX: all count */
    uint64_t until; /* stop at this tick at the latest */
    uint32_t times; /* stop at the hit with this number; or, with `last`, keep this many of the
                       latest hits */
    bool last;      /* do not stop at a hit, but go on until `until` */
    uint32_t choices, used;
    step_choice choice[STEP_CHOICES];
    char query[1024];
    char reason[24];
    char extra[2048]; /* what the answer `where` says besides: fields, each after a comma, or lines
                       */
} step_order;

typedef struct step_result {
    uint64_t tick;
    bool ended;
    bool stopped;  /* on the way, as the person wished (step_stop_wanted) */
    uint32_t hits; /* number of hits that count; with `last` at most `times` */
    uint64_t hit;  /* tick of the hit that was wanted: number `times`, or the oldest one kept */
    uint32_t hit_lanes;     /* lanes that hit, for STEP_WRITES and STEP_ACCESSES */
    char wrote[64];         /* the value written at the last hit, "": not known */
    char by[160];           /* by what, where it is not the instruction itself; else "" */
    uint64_t last_hit;      /* tick of the latest hit */
    step_warp_id at;        /* the warp that is current */
    uint64_t launch, count; /* number of the launch as the program counts */
} step_result;

typedef struct step_found {
    uint64_t
        tick; /* tick of the instruction at which the mistake was found, or of the launch's end */
    bool exact;
    uint64_t launch; /* number of the launch in the order of issue */
    bool fault;
    char kind[24], path[512], other_path[512], who[80], other_who[80], did[32], other_did[32];
    char missing[80], mend[400];
    uint32_t line, other_line;
    uint64_t block;   /* index */
    uint64_t address; /* address in global memory; 0: shared memory */
    uint32_t offset;
    char text[3000];
} step_found;

typedef struct step_launch_note {
    uint64_t order, number, base, count; /* count: instructions; UINT64_MAX: not ended yet */
    char kernel[128];
} step_launch_note;

typedef struct step_snapshot_note {
    uint64_t tick;
    int pid;
} step_snapshot_note;

typedef enum step_message {
    STEP_MSG_TEXT,     /* bytes of an answer */
    STEP_MSG_RESULT,   /* step_result */
    STEP_MSG_SNAPSHOT, /* step_snapshot_note, with its socket */
    STEP_MSG_LAUNCH,   /* step_launch_note */
    STEP_MSG_FOUND     /* step_found */
} step_message;

/* --- process.c --- */

/* Whether the person wants the move that is under way to stop: shared by the controller, which sets
 * it, and all workers, which look at it before each instruction. */
extern volatile bool *step_stop_wanted;

/* --- wire.c: messages over a socket of packets, with at most one descriptor each --- */

enum { STEP_PACKET = 1 << 16 };

/* Create two connected sockets. False: errno says why. */
bool step_pair(int end[2]);
bool step_send(int to, step_message kind, const void *bytes, size_t size, int descriptor);
/* Receive a message. Returns its size; 0: the other end is gone. *DESCRIPTOR is -1 where none came.
 */
size_t step_receive(int from, step_message *kind, void *bytes, size_t room, int *descriptor);
/* Has the other end gone? */
bool step_gone(int from);

#endif
