/* Parses the answers of the replayer (emulator/debugger/step/PROTOCOL.md), one JSON object per
 * line. An answer may repeat data from an untrusted recording, so nothing in it is trusted: all
 * sizes are limited, and characters that control a terminal are removed from text. */
#pragma once

#include "../base/text.h"

#include <jansson.h>
#include <stdint.h>

enum {
    STEP_LANE_COUNT = 32,  /* lanes of a warp */
    ANSWER_TEXT = 2000,    /* texts are cut after this many bytes */
    SCREEN_TEXT = 100000,  /* an answer as text is cut after this many bytes on the screen */
    ANSWER_VALUE = 40,     /* longest text of a value of a register, in bytes */
    ANSWER_ENTRIES = 4096, /* largest number of entries read from a list of an answer */
};

typedef enum answer_kind {
    ANSWER_OK,      /* the command was executed */
    ANSWER_REFUSED, /* the replayer refused: `error` says why */
    ANSWER_EVENT,   /* something that happened, such as a stop at a breakpoint */
    ANSWER_NOISE,   /* not an object: something else wrote to the replayer's output */
    ANSWER_DAMAGED, /* damaged: `error` says how */
} answer_kind;

typedef struct replayer_answer {
    answer_kind kind; /* how the replayer reacted to the command */
    json_t *object;   /* the answer as JSON; NULL: the line is not a JSON object */
    char name[24];    /* name of the answer, such as "where"; for ANSWER_OK */
    char *error;      /* a sentence that says why the command failed, or NULL */
} replayer_answer;

/* Parse a line of LEN bytes, or the beginning of one that is TOO_LONG. Free the answer with
 * answer_free. */
replayer_answer answer_parse(const char *line, size_t len, bool too_long);
void answer_free(replayer_answer *a);
/* The first MOST bytes of S without characters that control a terminal or have no width, on one
 * line or, if LINES, on as many as it has. The caller frees it. */
char *clean_text(const char *s, size_t most, bool lines);

/* answer_text.c: any answer as lines of text for people, without control characters. The caller
 * frees it. */
char *answer_text(const replayer_answer *a);
/* Add the lanes of a mask as "0-3", "8" and so on, with COMMA between them. */
void append_lane_ranges(sb *out, uint32_t lanes, const char *comma);

/* A place in the code: a source line and a PTX instruction. NULL and 0: unknown. */
typedef struct step_location {
    const char *path, *file; /* path and name of the source file */
    const char *ptx;         /* text of the PTX instruction */
    long long pc;            /* number of the PTX instruction in its function */
    int line;                /* number of the source line */
} step_location;

/* Each struct below has its own arena; reading it again frees the old data. A *_read function
 * returns false and leaves the struct empty if a required field is missing. */

typedef struct step_position {
    arena memory;       /* arena that holds the strings */
    bool is_ended;      /* the recorded run has ended */
    const char *reason; /* why the replayer stopped here; never NULL after position_read */
    const char *kernel, *function; /* name of the kernel; name of the function that is executed */
    const char *source;            /* text of the source line */
    const char *fault;      /* what is wrong, if the next instruction stops the launch; else NULL */
    long long launch, insn; /* moment: number of the launch; instructions that its warps executed */
    long long grid[3], block_dim[3]; /* size of the grid in blocks, and of a block in threads */
    long long block[3];              /* index of the current block */
    int warp;                        /* number of the current warp in its block */
    uint32_t mask;                   /* mask of the lanes that execute the next instruction */
    step_location at;                /* the next instruction of the current warp */
    /* The write that the command `who` found: the place, the value, and the writer; else NULL. */
    const char *wrote, *wrote_value, *wrote_by;
    uint32_t wrote_lanes; /* mask of the lanes that wrote the value */
    const char *wrong;    /* why it is wrong, as the lab's check said; else NULL */
} step_position;
bool position_read(step_position *w, const json_t *o);

/* The state of a lane; answer.c has the names that the protocol uses. */
typedef enum lane_state {
    LANE_ACTIVE,     /* executes the current instruction */
    LANE_GUARDED,    /* active, but the instruction's guard predicate is false */
    LANE_DIVERGED,   /* is at another instruction than the active lanes */
    LANE_REJOINS,    /* waits at the reconvergence point */
    LANE_SYNCS,      /* waits in a shuffle, vote or __syncwarp */
    LANE_BARRIER,    /* waits at a barrier of the block */
    LANE_EXITED,     /* has finished the kernel */
    LANE_ABSENT,     /* does not exist: the block has fewer threads */
    LANE_UNKNOWN,    /* a state that this program does not know */
    LANE_STATE_COUNT /* number of states */
} lane_state;

typedef struct lane_group {
    uint32_t lanes;   /* mask of the lanes in the group */
    lane_state state; /* what the lanes of the group do */
    step_location at; /* the instruction at which the lanes of the group are */
} lane_group;

typedef struct step_lanes {
    arena memory;
    int warp;           /* number of the warp in its block */
    lane_group *groups; /* [count] groups of lanes in the same state at the same instruction */
    size_t count;       /* number of groups */
    lane_state of[STEP_LANE_COUNT]; /* state of each lane */
} step_lanes;
bool lanes_read(step_lanes *l, const json_t *o);

typedef struct step_value {
    const char *name, *type;            /* name and type of a register or variable */
    const char *lanes[STEP_LANE_COUNT]; /* value in each lane; NULL: the lane does not exist */
} step_value;

/* A list of registers or variables with their values in every lane. */
typedef struct step_values {
    arena memory;
    int warp;         /* number of the warp in its block */
    step_value *rows; /* [count] registers or variables */
    size_t count;
} step_values;
bool values_read(step_values *v, const json_t *o);

typedef struct step_warp {
    int warp;          /* number of the warp in its block */
    const char *state; /* what the warp does, in a word */
    uint32_t lanes;    /* mask of the lanes that have not exited */
    step_location at;  /* the next instruction of the warp */
} step_warp;

typedef struct step_warps {
    arena memory;
    step_warp *rows; /* [count] the warps of the block */
    size_t count;
} step_warps;
bool warps_read(step_warps *w, const json_t *o);

typedef struct shared_row {
    long long offset;                    /* byte offset of the row in shared memory */
    const char *values[STEP_LANE_COUNT]; /* values of the row, one per bank */
    size_t count;                        /* number of values */
} shared_row;

typedef struct shared_variable {
    const char *name;        /* name of a __shared__ variable */
    long long offset, bytes; /* byte offset in shared memory; size in bytes */
} shared_variable;

typedef struct step_shared_memory {
    arena memory;
    long long bytes;            /* size of the block's shared memory in bytes */
    const char *type;           /* PTX type of the values, such as "f32" */
    shared_row *rows;           /* [count] rows of 128 bytes */
    size_t count;               /* number of rows */
    shared_variable *variables; /* [variable_count] the kernel's __shared__ variables */
    size_t variable_count;      /* number of variables */
} step_shared_memory;
bool shared_memory_read(step_shared_memory *s, const json_t *o);

typedef struct step_request {
    arena memory;
    long long launch, insn;     /* number of the launch; instructions of it before the request */
    int warp, bytes;            /* number of the warp in its block; bytes that each lane accesses */
    const char *space, *effect; /* memory space; "read", "write" or "update" */
    const char *array;          /* array that is accessed; NULL: none, or unknown */
    unsigned long long begins;  /* its address; of shared memory its offset in the block's */
    bool on[STEP_LANE_COUNT];   /* the lane accesses memory */
    unsigned long long at[STEP_LANE_COUNT]; /* address of each active lane */
    long long cost, ideal; /* passes (shared memory) or sectors; fewest possible; -1: unknown */
    step_location place;   /* the instruction that made the request */
} step_request;
bool request_read(step_request *r, const json_t *o);

/* A line of the source, or a PTX instruction. */
typedef struct step_line {
    long long number; /* number of the source line, or of the PTX instruction in its function */
    const char *text; /* text of the source line or of the instruction */
    int line;         /* number of the source line, also of an instruction; 0: unknown */
} step_line;

typedef struct step_listing {
    arena memory;
    const char *path, *function; /* path of the source file; name of the function */
    step_line *rows;             /* [count] lines or instructions, in order */
    size_t count;
} step_listing;
bool source_read(step_listing *t, const json_t *o);
bool ptx_read(step_listing *t, const json_t *o);

typedef struct step_report {
    int number;              /* number of the report, from 1 */
    const char *kind, *text; /* kind of mistake, such as "race"; the report's text */
    long long launch, insn;  /* number of the launch; instructions of it before the mistake */
    step_location at;        /* where the mistake was reported */
} step_report;

typedef struct step_reports {
    arena memory;
    step_report *rows; /* [count] reports so far */
    size_t count;
} step_reports;
bool reports_read(step_reports *r, const json_t *o);

/* One of the two moments of a report, such as the two accesses of a race. */
typedef struct step_moment {
    const char *who, *did, *source; /* thread, what it did, and the source line */
    long long launch, insn; /* number of the launch; instructions of it before this moment; -1: not
                               an instruction */
    int warp;               /* number of the warp in its block */
    step_location at;       /* the instruction that is this moment */
} step_moment;

typedef struct step_report_moments {
    arena memory;
    int number;                  /* number of the report, from 1 */
    const char *kind, *text;     /* kind of mistake; text of the report */
    const char *place, *missing; /* memory that both moments access; missing call, such as
                                    "__syncthreads()"; or NULL */
    step_moment sides[2];        /* the two moments, the later one first */
    size_t count;
} step_report_moments;
bool report_moments_read(step_report_moments *m, const json_t *o);
