/* The answers of the step engine (emulator/debugger/step/PROTOCOL.md), one JSON object a line, as
 * data. An engine repeats what a stranger's recording holds, so that nothing in an answer is
 * trusted: all sizes are bounded, and text is cleaned of what a terminal would obey. */
#ifndef WARPBOOK_STEP_ANSWER_H
#define WARPBOOK_STEP_ANSWER_H

#include "../base/text.h"

#include <jansson.h>
#include <stdint.h>

enum {
    STEP_LANES = 32,
    ANSWER_BYTES = 16 << 20, /* most bytes of a line; longer lines are not read */
    ANSWER_TEXT = 2000,      /* most bytes of a text that are kept */
    ANSWER_VALUE = 40,       /* most bytes of a value */
    ANSWER_ENTRIES = 4096,   /* most entries of a list: registers, lines, reports, ... */
};

typedef enum answer_kind {
    ANSWER_OK,
    ANSWER_REFUSED, /* the engine refused: `error` says why */
    ANSWER_EVENT,
    ANSWER_NOISE,   /* not an object: something else wrote to the engine's output */
    ANSWER_DAMAGED, /* damaged: `error` says how */
} answer_kind;

typedef struct answer {
    answer_kind kind;
    json_t *object; /* the JSON object; NULL if noise or damaged */
    char name[24];  /* name of the answer, such as "where"; for ANSWER_OK */
    char *error;    /* a sentence, or NULL */
} answer;

/* LEN bytes of a line. To be freed with answer_free. */
answer answer_parse(const char *line, size_t len);
void answer_free(answer *a);
/* S without what a terminal would obey, on one line. To be freed. */
char *answer_cleaned(const char *s);
/* Any answer as lines of text, for people. To be freed. */
char *answer_text(const answer *a);

/* A place in the code. NULL and 0: unknown. FILE is PATH without directories. */
typedef struct step_place {
    const char *path, *file, *ptx;
    long long pc;
    int line;
} step_place;

/* Each of the following lives in its own arena: read again, the old one is freed. The readers
 * return false where a field is missing without which nothing can be shown; the data is then empty.
 */

typedef struct step_where {
    arena memory;
    bool is_ended;
    const char *reason; /* never NULL once read */
    const char *kernel, *function, *source, *fault;
    long long launch, count;
    long long grid[3], block_dim[3], block[3];
    int warp;
    uint32_t mask;
    step_place at;
    const char *wrote, *wrote_value, *wrote_by; /* what `who` found, or NULL */
    uint32_t wrote_lanes;
} step_where;
bool where_read(step_where *w, const json_t *o);

/* The states of lanes: their names in the protocol, and what they mean. */
typedef enum lane_state {
    LANE_ACTIVE,
    LANE_GUARDED,
    LANE_DIVERGED,
    LANE_REJOINS,
    LANE_SYNCS,
    LANE_BARRIER,
    LANE_EXITED,
    LANE_ABSENT,
    LANE_UNKNOWN, /* a state that this program does not know */
    LANE_STATES
} lane_state;

typedef struct lane_group {
    uint32_t lanes;
    lane_state state;
    step_place at;
} lane_group;

typedef struct step_lanes {
    arena memory;
    int warp;
    lane_group *groups;
    size_t count;
    lane_state of[STEP_LANES];
} step_lanes;
bool lanes_read(step_lanes *l, const json_t *o);

typedef struct step_value {
    const char *name, *type;
    const char *lanes[STEP_LANES]; /* NULL: the lane does not exist */
} step_value;

/* Registers, or variables. */
typedef struct step_values {
    arena memory;
    int warp;
    step_value *rows;
    size_t count;
} step_values;
bool values_read(step_values *v, const json_t *o);

typedef struct step_warp {
    int warp;
    const char *state;
    uint32_t lanes;
    step_place at;
} step_warp;

typedef struct step_warps {
    arena memory;
    step_warp *rows;
    size_t count;
} step_warps;
bool warps_read(step_warps *w, const json_t *o);

typedef struct shared_row {
    long long offset;
    const char *values[STEP_LANES];
    size_t count;
} shared_row;

typedef struct shared_variable {
    const char *name;
    long long offset, bytes;
} shared_variable;

typedef struct step_shared {
    arena memory;
    long long bytes;
    const char *type;
    shared_row *rows;
    size_t count;
    shared_variable *variables;
    size_t variable_count;
} step_shared;
bool shared_read(step_shared *s, const json_t *o);

typedef struct step_request {
    arena memory;
    long long launch, count;
    int warp, bytes;
    const char *space, *effect;
    bool on[STEP_LANES];
    unsigned long long at[STEP_LANES]; /* address of each active lane */
    long long cost, ideal;             /* passes, or sectors; -1: not known */
    step_place place;
} step_request;
bool request_read(step_request *r, const json_t *o);

/* Lines of the source, or instructions of PTX (`number` is then the pc). */
typedef struct step_line {
    long long number;
    const char *text;
    int line; /* line of the source or of an instruction; 0: unknown */
} step_line;

typedef struct step_text {
    arena memory;
    const char *path, *function;
    step_line *rows;
    size_t count;
} step_text;
bool source_read(step_text *t, const json_t *o);
bool ptx_read(step_text *t, const json_t *o);

typedef struct step_report {
    int number;
    const char *kind, *text;
    long long launch, count;
    step_place at;
} step_report;

typedef struct step_reports {
    arena memory;
    step_report *rows;
    size_t count;
} step_reports;
bool reports_read(step_reports *r, const json_t *o);

/* A report as two moments. */
typedef struct step_side {
    const char *who, *did, *source;
    long long launch, count; /* count 1: the moment is at no instruction */
    int warp;
    step_place at;
} step_side;

typedef struct step_moments {
    arena memory;
    int number;
    const char *kind, *text, *place, *missing;
    step_side sides[2]; /* the two moments, the later one first */
    size_t count;
} step_moments;
bool moments_read(step_moments *m, const json_t *o);

#endif
