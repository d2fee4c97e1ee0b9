/* What the files of a worker share: where the run stands, and what it has seen on the way. */
#ifndef WARPBOOK_STEP_WORKER_H
#define WARPBOOK_STEP_WORKER_H

#include "../../core/observer.h"
#include "../trace/registers.h"
#include "orders.h"

/* A memory request of a warp. */
typedef struct step_request {
    bool made;
    uint64_t count;
    ptx_space space;
    sm_effect effect;
    uint32_t bytes, mask, site;
    uint64_t address[SM_LANES];
} step_request;

/* What a warp did last. */
typedef struct step_track {
    bool ran;      /* the warp has executed an instruction in this block */
    uint32_t site; /* site of the last instruction */
    step_request request;
} step_track;

typedef struct step_line {
    const char *path; /* owned by the module; NULL: unknown */
    uint32_t line;
} step_line;

typedef struct step_launch {
    const sm_grid *grid;
    step_line *line;  /* [site_count] source line of each instruction */
    dbg_form **forms; /* [code_count] format of each register */
} step_launch;

/* A place where one block after another is resident. */
typedef struct step_room {
    const sm_block *block;
    step_launch *launch;
    step_track *warp;      /* [warp_count] state of each warp */
    bool passed;           /* a barrier has been passed since the last instruction */
    step_type shared_type; /* type with which shared memory was last accessed */
} step_room;

typedef struct step_state {
    bool on, json;
    int fd;
    step_order order;
    uint64_t base,
        count; /* tick of the launch's first instruction; number of instructions executed so far */
    uint64_t executing;    /* tick of the instruction that is being executed */
    uint64_t launch_order; /* number of the current launch, from 1; 0: none yet */
    uint32_t grid[3];      /* grid size of the last launch */
    bool told;             /* the controller has been told that the launch has begun */
    bool ended;
    /* where the run stands */
    step_room *room;
    const sm_warp *w;
    const sm_insn *i;
    uint32_t mask;
    step_warp_id before; /* the warp that executed the last instruction */
    bool any_before;
    /* hits found since the order arrived */
    uint32_t hits, hit_lanes;
    uint64_t hit[STEP_TIMES];
    char wrote[64], by[160];
    bool stopped; /* the person wished it */
    bool if_known, if_was;
    uint64_t if_value;
    uint32_t used; /* choices */
    int64_t chosen;
} step_state;

extern step_state step_the;

static inline uint64_t step_tick(void)
{
    return step_the.base + step_the.count;
}

/* The PTX instruction at SITE of the launch in ROOM, the code it is in and its index there. */
const ptx_insn *step_insn_at(const step_room *room, uint32_t site, const sm_code **code,
                             uint32_t *pc);

/* --- goals.c --- */

/* Does the moment at which ROOM's warp W is about to execute I, for the lanes of MASK, meet the
 * goal? Called once for each moment, in order. */
bool step_goal_met(const step_goal *g, const step_room *room, const sm_warp *w, const sm_insn *i,
                   uint32_t mask);
/* Lanes of access A that the goal (STEP_WRITES, STEP_ACCESSES) speaks of. */
uint32_t step_goal_lanes(const step_goal *g, const step_room *room, const sm_access *a);
/* Is REG of CODE, written by W in lanes MASK, what the goal (STEP_WRITES) speaks of? */
bool step_goal_register(const step_goal *g, const step_room *room, const sm_warp *w,
                        const sm_code *code, uint32_t reg, uint32_t mask);
/* Does PATH end with FILE, at a slash? An empty FILE fits all. */
bool step_same_file(const char *path, const char *file);
/* Write BYTES as a value of type T. */
const char *step_value_text(step_type t, const void *bytes, char *out, size_t size);

/* --- writes.c: what wrote device memory while no kernel ran --- */

/* The latest write of the byte at ADDRESS up to now: *TICK, the moment after it (0: before the
 * first launch), and in OUT who wrote; "": the memory has been allocated since. False: none is
 * known. */
bool step_writes_find(uint64_t address, uint64_t *tick, char *out, size_t size);

/* --- answers.c --- */

/* Answer a command that the worker knows, for the moment at which the run stands. */
void step_answer(const step_order *o, FILE *to);

#endif
