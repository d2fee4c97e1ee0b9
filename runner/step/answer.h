/* Parses the answers of the replayer (emulator/debugger/step/PROTOCOL.md), one JSON object per
 * line. An answer may repeat data from an untrusted recording, so nothing in it is trusted: all
 * sizes are limited, and characters that control a terminal are removed from text. */
#ifndef WARPBOOK_STEP_ANSWER_H
#define WARPBOOK_STEP_ANSWER_H

#include "../base/text.h"

#include <jansson.h>
#include <stdint.h>

enum {
    STEP_LANE_COUNT = 32,    /* lanes of a warp */
    ANSWER_BYTES = 16 << 20, /* longest line in bytes; longer lines are not read */
    ANSWER_TEXT = 2000,      /* texts are cut after this many bytes */
    ANSWER_VALUE = 40,       /* longest value in bytes */
    ANSWER_ENTRIES = 4096,   /* largest number of entries read from a list of an answer */
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
    json_t *object;   /* the JSON object; NULL if noise or damaged */
    char name[24];    /* name of the answer, such as "where"; for ANSWER_OK */
    char *error;      /* a sentence, or NULL */
} replayer_answer;

/* Parse a line of LEN bytes. Free the answer with answer_free. */
replayer_answer answer_parse(const char *line, size_t len);
void answer_free(replayer_answer *a);
/* S on one line, without characters that control a terminal. The caller frees it. */
char *copy_without_terminal_controls(const char *s);
/* Any answer as lines of text for people. The caller frees it. */
char *answer_text(const replayer_answer *a);

/* A location in the source. NULL and 0: unknown. `file` is the base name of `path`. */
typedef struct step_location {
    const char *path, *file, *ptx; /* source file; PTX instruction */
    long long pc;                  /* number of the PTX instruction */
    int line;                      /* source line */
} step_location;

/* Each struct below has its own arena; reading it again frees the old data. A *_read function
 * returns false and leaves the struct empty if a required field is missing. */

typedef struct step_position {
    arena memory;       /* arena that holds the strings */
    bool is_ended;      /* the program has ended */
    const char *reason; /* why the program stopped; never NULL after position_read */
    const char *kernel, *function, *source,
        *fault;             /* source: text of the line; fault: its text, or NULL */
    long long launch, insn; /* moment: number of the launch; instructions that its warps executed */
    long long grid[3], block_dim[3], block[3]; /* block: index of the current block */
    int warp;                                  /* number of the current warp in its block */
    uint32_t mask;                             /* mask of the active lanes */
    step_location at;
    const char *wrote, *wrote_value,
        *wrote_by;        /* the write that the command `who` found, or NULL */
    uint32_t wrote_lanes; /* mask of the lanes that wrote the value */
} step_position;
bool position_read(step_position *w, const json_t *o);

/* The state of a lane; answer.c has the names that the protocol uses. */
typedef enum lane_state {
    LANE_ACTIVE,   /* executes the current instruction */
    LANE_GUARDED,  /* active, but the instruction's guard predicate is false */
    LANE_DIVERGED, /* at another instruction */
    LANE_REJOINS,  /* waits at the reconvergence point */
    LANE_SYNCS,    /* waits in a shuffle, vote or __syncwarp */
    LANE_BARRIER,  /* waits at a barrier of the block */
    LANE_EXITED,   /* has left the kernel */
    LANE_ABSENT,   /* does not exist */
    LANE_UNKNOWN,  /* a state that this program does not know */
    LANE_STATE_COUNT
} lane_state;

typedef struct lane_group {
    uint32_t lanes;   /* mask of the lanes */
    lane_state state; /* what the lanes do */
    step_location at; /* where the lanes are */
} lane_group;

typedef struct step_lanes {
    arena memory;
    int warp;
    lane_group *groups; /* [count] groups of lanes at the same place */
    size_t count;       /* number of groups */
    lane_state of[STEP_LANE_COUNT];
} step_lanes;
bool lanes_read(step_lanes *l, const json_t *o);

typedef struct step_value {
    const char *name, *type;            /* name and type of a register or variable */
    const char *lanes[STEP_LANE_COUNT]; /* value in each lane; NULL: the lane does not exist */
} step_value;

/* A list of registers or variables with their values in every lane. */
typedef struct step_values {
    arena memory;
    int warp;
    step_value *rows; /* [count] registers or variables */
    size_t count;
} step_values;
bool values_read(step_values *v, const json_t *o);

typedef struct step_warp {
    int warp;          /* number of the warp in its block */
    const char *state; /* what the warp does */
    uint32_t lanes;    /* mask of the lanes that have not exited */
    step_location at;  /* where the warp is */
} step_warp;

typedef struct step_warps {
    arena memory;
    step_warp *rows;
    size_t count;
} step_warps;
bool warps_read(step_warps *w, const json_t *o);

typedef struct shared_row {
    long long offset;                    /* byte offset in shared memory */
    const char *values[STEP_LANE_COUNT]; /* values of the row, one per bank */
    size_t count;                        /* number of values */
} shared_row;

typedef struct shared_variable {
    const char *name;        /* name of the variable */
    long long offset, bytes; /* byte offset in shared memory; size */
} shared_variable;

typedef struct step_shared_memory {
    arena memory;
    long long bytes;  /* size of the block's shared memory */
    const char *type; /* type of the values */
    shared_row *rows;
    size_t count;
    shared_variable *variables; /* variables in shared memory */
    size_t variable_count;      /* number of variables */
} step_shared_memory;
bool shared_memory_read(step_shared_memory *s, const json_t *o);

typedef struct step_request {
    arena memory;
    long long launch, insn; /* number of the launch; instructions of it before the request */
    int warp, bytes;
    const char *space, *effect; /* memory space; "read", "write" or "update" */
    bool on[STEP_LANE_COUNT];
    unsigned long long at[STEP_LANE_COUNT]; /* address of each active lane */
    long long cost, ideal;                  /* number of passes or of sectors; -1: unknown */
    step_location place;                    /* place in the source */
} step_request;
bool request_read(step_request *r, const json_t *o);

/* A line of the source, or a PTX instruction (`number` is then its pc). */
typedef struct step_line {
    long long number; /* number of the line */
    const char *text; /* text of the line */
    int line;         /* line of the source or of an instruction; 0: unknown */
} step_line;

typedef struct step_listing {
    arena memory;
    const char *path, *function;
    step_line *rows;
    size_t count;
} step_listing;
bool source_read(step_listing *t, const json_t *o);
bool ptx_read(step_listing *t, const json_t *o);

typedef struct step_report {
    int number;
    const char *kind, *text;
    long long launch, insn; /* number of the launch; instructions of it before the mistake */
    step_location at;       /* where the mistake was reported */
} step_report;

typedef struct step_reports {
    arena memory;
    step_report *rows;
    size_t count;
} step_reports;
bool reports_read(step_reports *r, const json_t *o);

/* One of the two moments of a report, such as the two accesses of a race. */
typedef struct step_moment {
    const char *who, *did, *source; /* thread, what it did, and the source line */
    long long launch, insn; /* insn: instructions of the launch before; -1: no instruction */
    int warp;
    step_location at;
} step_moment;

typedef struct step_report_moments {
    arena memory;
    int number;
    const char *kind, *text;     /* kind of mistake; text of the report */
    const char *place, *missing; /* memory that both access; missing call, or NULL */
    step_moment sides[2];        /* the two moments, the later one first */
    size_t count;
} step_report_moments;
bool report_moments_read(step_report_moments *m, const json_t *o);

#endif
