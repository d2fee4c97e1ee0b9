/* The machine instructions that ptxas generates for a PTX instruction, as the modelled clock of a
 * warp (clock/) executes them. */
#pragma once

#include "warp.h"

typedef enum {
    SM_STEP_PLAIN,   /* an instruction of none of the kinds below */
    SM_STEP_FREE,    /* ptxas emits no code: the result is the operand */
    SM_STEP_CLOCK,   /* reads a clock */
    SM_STEP_ENTRY,   /* entry of a basic block that a branch may jump to */
    SM_STEP_BRANCH,  /* a branch, a return, an exit */
    SM_STEP_CALL,    /* a function call */
    SM_STEP_BARRIER, /* barrier of the block or the cluster */
    SM_STEP_FENCE,   /* a memory fence */
    SM_STEP_SLEEP,   /* the instruction nanosleep */
    SM_STEP_LOAD,    /* loads from memory */
    SM_STEP_STORE,   /* stores to memory */
    SM_STEP_ATOMIC,  /* an atomic operation */
    SM_STEP_TEXTURE  /* a texture fetch or surface access */
} sm_step_kind;      /* what a PTX instruction does, for the modelled clock */

#define SM_STEP_MAX_RUNS      4   /* most runs of machine instructions for one PTX instruction */
#define SM_MACHINE_INSN_BYTES 16u /* size of a machine instruction since compute capability 7.0 */

/* A run of successive machine instructions of one class. */
typedef struct sm_class_run {
    uint8_t of,
        times;   /* instruction class (sm_insn_class) and number of instructions of that class */
    bool beside; /* no later instruction waits for the result of the run */
} sm_class_run;

/* The machine instructions that ptxas generates for one PTX instruction: up to SM_STEP_MAX_RUNS
 * runs, in order. An sm_step is the `extra` of the clock pseudo-instruction that precedes the PTX
 * instruction's own sm_insn.
 */
typedef struct sm_step {
    sm_step_kind kind;                   /* what the PTX instruction does */
    sm_class_run part[SM_STEP_MAX_RUNS]; /* the runs of machine instructions, in order */
    const ptx_insn *in;                  /* the PTX instruction */
    bool ordered;   /* a volatile, relaxed, acquire or release access: never reordered */
    bool apart;     /* ptxas expands it to code with branches, so no other overlaps with it */
    bool reduces;   /* an atomic operation whose result no instruction reads */
    uint32_t at;    /* number of machine instructions of the unit that precede this one */
    uint32_t guard; /* register of the guard predicate; PTX_NO_REGISTER: none */
    uint32_t results, sources; /* how many result registers and source registers `reg` lists */
    uint32_t reg[];            /* result registers, then source registers */
} sm_step;
