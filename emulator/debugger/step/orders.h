/* The messages between the debugger's controller and its worker, a process that runs the kernels:
 * orders and their results. */
#pragma once

#include "../../core/sm.h"

/* A moment is a position in the run. Its number, here called tick, grows by one with each
 * instruction of a warp, and by one between two launches. */

typedef enum step_type {
    STEP_ANY_TYPE,  /* no type is given */
    STEP_U8,        /* unsigned integer of 8 bits */
    STEP_S8,        /* signed integer of 8 bits */
    STEP_U16,       /* unsigned integer of 16 bits */
    STEP_S16,       /* signed integer of 16 bits */
    STEP_U32,       /* unsigned integer of 32 bits */
    STEP_S32,       /* signed integer of 32 bits */
    STEP_U64,       /* unsigned integer of 64 bits */
    STEP_S64,       /* signed integer of 64 bits */
    STEP_F32,       /* float */
    STEP_F64,       /* double */
    STEP_TYPE_COUNT /* number of types */
} step_type;

extern const char *const step_type_name[STEP_TYPE_COUNT]; /* names as users write them */
uint32_t step_type_bytes(step_type t);

typedef struct step_place {
    enum {
        STEP_NO_PLACE, /* no place is given */
        STEP_REGISTER, /* a register */
        STEP_SHARED,   /* shared memory of the block */
        STEP_GLOBAL,   /* device memory */
        STEP_ARRAY     /* an array by its name: where it is, is still to be asked */
    } kind;            /* register, or shared or global memory */
    char name[80];     /* name of the register; of an array, the place as it was written */
    int32_t lane;      /* lane of the register; -1: any active lane */
    uint64_t address;  /* device address, or offset in the block's shared memory, or in the array */
    step_type type;    /* type of the value */
} step_place;

/* Relations between a value and a number, for the condition on which a run stops. */
typedef enum step_relation {
    STEP_EQ,     /* equal */
    STEP_NE,     /* not equal */
    STEP_LT,     /* less */
    STEP_LE,     /* less or equal */
    STEP_GT,     /* greater */
    STEP_GE,     /* greater or equal */
    STEP_CHANGES /* the value differs from the previous one */
} step_relation;

typedef enum step_goal_kind {
    STEP_NOWHERE,   /* no condition: stop at the moment that the order states */
    STEP_INSN,      /* every instruction */
    STEP_LINE,      /* an instruction of another source line */
    STEP_BARRIER,   /* a barrier of the block */
    STEP_ITERATION, /* the next iteration of a loop */
    STEP_WARP,      /* the next instruction of the current warp */
    STEP_BLOCK,     /* the first instruction of another block */
    STEP_LAUNCH,    /* the first instruction of a launch */
    STEP_TO,        /* line `line` of `file` */
    STEP_THREAD,    /* an instruction of thread `thread` */
    STEP_IF,        /* `place` meets `relation` and `number` */
    STEP_FAULT,     /* an error that stops the launch */
    STEP_REPORT,    /* a mistake found by a sanitizer */
    STEP_WRITES,    /* `place` is written */
    STEP_ACCESSES   /* `place` is accessed from line `line` of `file` */
} step_goal_kind;

/* Identifies a warp, or a block, of a launch. */
typedef struct step_warp_id {
    uint64_t launch; /* number of the launch in the order of execution, from 1 */
    uint64_t block;  /* index of the block in the grid */
    uint32_t warp;   /* index of the warp in the block */
} step_warp_id;

/* The condition that ends a run forward or backward. */
typedef struct step_goal {
    step_goal_kind kind;    /* kind of condition; it says which fields are used */
    char file[512];         /* end of the path of a source file; "": any file */
    uint32_t line;          /* line in `file` */
    uint32_t thread;        /* linear index of the thread in its block */
    step_place place;       /* register or memory that the condition is about */
    step_relation relation; /* how `place` is compared with `number` */
    double number;          /* number to compare with */
    int64_t whole;          /* number to compare with, if it is an integer */
    bool is_whole;          /* `whole` is valid */
    step_warp_id of;        /* the warp or block that the goal refers to */
} step_goal;

/* The user's choice of the warp that runs next at a moment. */
typedef struct step_choice {
    uint64_t tick; /* number of the moment at which the warp was chosen */
    uint32_t warp; /* index of that warp in its block */
} step_choice;

enum {
    STEP_MAX_CHOICES = 512, /* most choices of warps by the user */
    STEP_MAX_TIMES = 4096,  /* most moments that meet a goal and are remembered */
    STEP_EXTRA_BYTES = 4200 /* longest text of more fields for the answer `where` */
};

/* An order of the controller to the worker process. */
typedef struct step_order {
    enum {
        STEP_RUN,   /* run, then answer with a step_result */
        STEP_QUERY, /* answer a command: text, then a step_result */
        STEP_WAKE,  /* to a snapshot: fork a new worker, which uses the attached socket */
        STEP_QUIT   /* end the process */
    } kind;
    step_goal goal; /* when to stop */
    uint64_t after; /* only moments after this one may meet the goal; UINT64_MAX: all may */
    uint64_t until; /* number of the moment at which to stop at the latest */
    uint32_t times; /* stop when the goal has been met so often; with `last`: how many of the latest
                       moments that met it are kept */
    bool last;      /* do not stop when the goal is met, but go on to the moment `until` */
    uint32_t choices, used;               /* number of choices; how many were made already */
    step_choice choice[STEP_MAX_CHOICES]; /* the user's choices of warps, sorted by moment */
    char query[1024];                     /* text of the question */
    char reason[24];                      /* why the run stopped, for the question `where` */
    char extra[STEP_EXTRA_BYTES];         /* more fields for `where`, each after a comma */
} step_order;

/* The worker's answer to an order: where the run stands, and how often the goal was met. */
typedef struct step_result {
    uint64_t tick;      /* number of the moment at which the run stands */
    bool ended;         /* the run has ended */
    bool stopped;       /* the user stopped the run before the goal (step_interrupt_requested) */
    uint32_t hits;      /* moments that met the goal; with `last` at most `times` of the order */
    uint64_t hit;       /* the moment that met the goal the `times`-th time; `last`: the oldest
                           kept */
    uint32_t hit_lanes; /* lanes that met the goal, for STEP_WRITES and STEP_ACCESSES */
    char wrote[64];     /* value written at the last moment that met the goal; "": not known */
    char by[160];       /* who wrote it, if not the instruction of that moment but, for instance, an
                           asynchronous copy; else "" */
    uint64_t last_hit;  /* number of the last moment that met the goal */
    step_warp_id at;    /* the current warp */
    uint64_t launch;    /* number of the launch in the order of issue, from 0 */
    uint64_t insn_count; /* instructions of that launch so far, of all warps */
} step_result;

/* A mistake that a sanitizer has found. */
typedef struct step_mistake {
    uint64_t tick;   /* moment at which the mistake was found, perhaps the end of the launch */
    bool exact;      /* `tick` is the moment of the access, not of the end of the launch */
    uint64_t launch; /* number of the launch in the order of execution, from 1 */
    bool fault;      /* the mistake stops the launch */
    char kind[24];   /* kind of mistake, such as "race" */
    char path[512], other_path[512]; /* source files of the access and of the other access */
    char who[80], other_who[80];     /* threads that made the two accesses */
    char did[32], other_did[32];     /* what the two accesses did, such as "wrote" */
    char missing[80], fix[400];      /* the missing synchronization; how to fix the mistake */
    uint32_t line, other_line;       /* source lines of the access and of the other access */
    uint64_t block;                  /* index of the block in the grid */
    uint64_t address;                /* address in global memory; 0: shared memory */
    uint32_t offset;                 /* offset in shared memory */
    char text[3000];                 /* message of the report */
} step_mistake;

/* A wrong value that the program itself has found in device memory. */
typedef struct step_wrong_value {
    uint64_t tick;           /* moment at which it was found */
    uint64_t address;        /* address of the value */
    char text[512];          /* what it is called, is and should be */
    bool is_written_by_host; /* a write while no kernel ran is known: */
    uint64_t host_tick;      /* the moment after it */
    char by[200];            /* the writer; "": the memory has been allocated since */
} step_wrong_value;

/* A launch that the worker has begun or ended. */
typedef struct step_launch_note {
    uint64_t order;      /* number in the order of execution, from 1 */
    uint64_t number;     /* number in the order of issue, from 0 */
    uint64_t base;       /* number of the moment at which it began */
    uint64_t insn_count; /* instructions of all warps; UINT64_MAX: the launch has not ended */
    char kernel[128];    /* name of the kernel */
} step_launch_note;

typedef struct step_snapshot_note {
    uint64_t tick; /* number of the moment */
    int pid;       /* process ID of the snapshot */
} step_snapshot_note;

typedef enum step_message {
    STEP_MSG_TEXT,     /* bytes of an answer */
    STEP_MSG_RESULT,   /* the result of an order: step_result */
    STEP_MSG_SNAPSHOT, /* a snapshot was made: step_snapshot_note, with its socket */
    STEP_MSG_LAUNCH,   /* a launch has begun or ended: step_launch_note */
    STEP_MSG_MISTAKE,  /* a mistake was found: step_mistake */
    STEP_MSG_WRONG     /* the program found a wrong value: step_wrong_value */
} step_message;

/* --- process.c --- */

/* The user wants to stop the command that is running. The controller sets this shared flag; all
 * workers read it before each instruction. */
extern volatile bool *step_interrupt_requested; /* the user has pressed ^C */

/* --- wire.c: messages over a socket of packets, with at most one descriptor each --- */

enum { STEP_MAX_PACKET_BYTES = 1 << 16 }; /* most bytes of a message */

/* Create two connected sockets. Returns false with errno on failure. */
bool step_open_socket_pair(int end[2]);
bool step_send_message(int to, step_message kind, const void *bytes, size_t size, int descriptor);
/* Receive a message. Returns its size, or 0 if the other end is closed. *DESCRIPTOR becomes the
 * attached file descriptor, or -1. */
size_t step_receive_message(int from, step_message *kind, void *bytes, size_t cap, int *descriptor);
/* Whether the other end of the socket is closed. */
bool step_is_peer_closed(int from);
