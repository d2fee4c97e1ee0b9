/* The state of the debugger's worker: the run's moment, and what was observed so far. */
#pragma once

#include "../../core/observer.h"
#include "../trace/registers.h"
#include "orders.h"

/* A memory request of a warp. */
typedef struct step_request {
    bool made;                  /* the warp has made a memory request */
    uint64_t insn;              /* number of the instruction in the launch */
    ptx_space space;            /* memory space */
    sm_effect effect;           /* load, store or atomic operation */
    uint32_t bytes, mask;       /* bytes that each lane accesses; mask of the lanes */
    uint32_t site;              /* number of the instruction in the code of the launch */
    uint64_t address[SM_LANES]; /* address that each lane accesses */
} step_request;

/* The last actions of a warp. */
typedef struct step_warp_track {
    bool ran;             /* the warp has executed an instruction in this block */
    uint32_t site;        /* number, in the code, of the last instruction */
    step_request request; /* last memory request */
} step_warp_track;

/* A line of a source file. */
typedef struct step_line {
    const char *path; /* path of the file, owned by the module; NULL: unknown */
    uint32_t line;    /* line in the file; 0: unknown */
} step_line;

typedef struct step_launch {
    const sm_grid *grid; /* the launched grid */
    step_line *line;     /* [site_count] source line of each instruction of the code */
    dbg_form **forms;    /* [code_count] for each function, the format of each register */
} step_launch;

/* A slot for a resident block; it holds one block after another. */
typedef struct step_block_slot {
    const sm_block *block; /* the block that is in the slot */
    step_launch *launch;   /* the launch of the block */
    step_warp_track *warp; /* [warp_count] state of each warp */
    bool passed;           /* a barrier has been passed since the last instruction */
    step_type shared_type; /* type with which shared memory was last accessed */
} step_block_slot;

typedef struct step_state {
    bool on;               /* the process is being debugged */
    int fd;                /* socket to the controller */
    step_order order;      /* the order being executed */
    uint64_t base;         /* number of the moment at which the launch began */
    uint64_t insn_count;   /* instructions of the launch so far, of all warps */
    uint64_t executing;    /* number of the moment (instruction of a warp) that is being executed */
    uint64_t launch_order; /* number of the current launch, from 1; 0: none yet */
    uint32_t grid[3];      /* grid size of the last launch */
    bool begin_sent;       /* the controller has been informed of the launch */
    bool ended;            /* the program has ended */
    /* the current moment */
    step_block_slot *slot; /* slot of the current block */
    const sm_warp *w;      /* the warp that is about to execute an instruction */
    const sm_insn *i;      /* that instruction */
    uint32_t mask;         /* lanes that execute the instruction */
    step_warp_id before;   /* the warp that executed the last instruction */
    bool any_before;       /* `before` is valid */
    /* moments since the order arrived that meet its goal */
    uint32_t hits, hit_lanes;     /* moments that met the goal; lanes that met it last */
    uint64_t hit[STEP_MAX_TIMES]; /* numbers of the latest moments that met the goal */
    char wrote[64], by[160];      /* at the last such moment: the value written, and the writer */
    bool stopped;                 /* the user stopped the run */
    bool is_if_value_known, was_condition_true; /* `if_value` is valid; the condition (STEP_IF) was
                                                   true at the previous moment */
    uint64_t if_value;     /* value of the register or memory of STEP_IF at the previous moment */
    uint32_t choices_made; /* how many choices of warps in the order have been made */
    int64_t chosen;        /* warp that the user has chosen to run now; -1: none */
} step_state;

extern step_state step_worker_state; /* the state of this worker process */

static inline uint64_t step_current_moment(void)
{
    return step_worker_state.base + step_worker_state.insn_count;
}

/* PTX instruction SITE of the launch in SLOT. *CODE: its function; *PC: its index there. */
const ptx_insn *step_insn_at(const step_block_slot *slot, uint32_t site, const sm_code **code,
                             uint32_t *pc);

/* --- goals.c --- */

/* Whether the goal is met at the moment when warp W of the block in SLOT is about to execute I for
 * the lanes of MASK. Call it once for each moment, in order. */
bool step_is_goal_met(const step_goal *g, const step_block_slot *slot, const sm_warp *w,
                      const sm_insn *i, uint32_t mask);
/* Lanes of access A that meet the goal (STEP_WRITES or STEP_ACCESSES). */
uint32_t step_lanes_meeting_goal(const step_goal *g, const step_block_slot *slot,
                                 const sm_access *a);
/* Whether register REG of CODE, written by W in the lanes MASK, meets the goal (STEP_WRITES). */
bool step_register_meets_goal(const step_goal *g, const step_block_slot *slot, const sm_warp *w,
                              const sm_code *code, uint32_t reg, uint32_t mask);
/* Whether PATH ends with FILE, after a slash. Every path ends with an empty FILE. */
bool step_is_path_of_file(const char *path, const char *file);
/* Print BYTES as a value of type T. */
const char *step_value_text(step_type t, const void *bytes, char *out, size_t size);

/* --- memory.c: writes to device memory while no kernel ran --- */

/* Find the latest write of the byte at ADDRESS. *TICK: the moment after the write (0: before the
 * first launch); OUT: the writer, or "" if the memory has been allocated since. Returns false if no
 * write is known. */
bool step_find_write_outside_kernels(uint64_t address, uint64_t *tick, char *out, size_t size);

/* --- answers.c --- */

/* Answer question O about the current moment; the controller forwards such commands. */
void step_answer(const step_order *o, FILE *to);
