/* The modelled clock of a warp. It exists only in units in which some function reads a clock; other
 * code runs without clock overhead. The clock computes when each instruction can issue: its
 * operands must be ready, and a unit of the SM must be free.
 *
 * ptxas reorders instructions within a basic block to hide latency. The model therefore lets an
 * instruction issue as soon as its operands are ready and the scheduler and the unit are free, but
 * not before instructions that it must not pass: a read of a clock, a barrier, a branch, and stores
 * and loads of the same memory. Clocks count cycles since the device was created; all warps of an
 * SM share one time. */
#ifndef WARPBOOK_WARP_CLOCK_H
#define WARPBOOK_WARP_CLOCK_H

#include "code.h"
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
    bool ordered; /* a volatile, relaxed, acquire or release access: never reordered */
    bool apart; /* ptxas expands it to code with branches, so no other instruction overlaps with it
                 */
    bool reduces;   /* an atomic operation whose result no instruction reads */
    uint32_t at;    /* number of machine instructions of the unit that precede this one */
    uint32_t guard; /* register of the guard predicate; PTX_NO_REGISTER: none */
    uint32_t results, sources; /* how many result registers and source registers `reg` lists */
    uint32_t reg[];            /* result registers, then source registers */
} sm_step;

/* The SM_STEP_MAX_RUNS runs of machine instructions of IN. The first run is empty if ptxas emits no
 * code for IN. Sets *APART to sm_step.apart. Defined in compile/ptxas/issue_cost.c. */
const sm_class_run *compile_class_runs(const ptx_insn *in, bool *apart);

/* Create the clock step of IN. NULL: out of memory, and t->failed is set. Defined in compile/ptxas/clock_step.c.
 */
const sm_step *compile_new_step(compile_translation *t, const ptx_insn *in);
/* Create the clock step of a basic block's entry. NULL: out of memory, and t->failed is set. */
const sm_step *compile_new_entry_step(compile_translation *t);

/* The functions of clock/sm_clock.c: the reserved cycles of an SM's units, and the contents of its
 * caches. */

/* Create the SM clocks for the launch of grid G. NULL: the host is out of memory. */
sm_all_clocks *clock_new_all(const sm_grid *g);
void clock_free_all(sm_all_clocks *c);
/* The clock of the SM that block LINEAR runs on. */
sm_clock *clock_of_block(sm_all_clocks *c, uint64_t linear);
/* Create an SM clock that is shared with no other block. NULL: the host is out of memory. */
sm_clock *clock_new(const sm_grid *g);
void clock_free(sm_clock *c);
/* Reset the SM clock to the state before any block has run. */
void clock_reset(sm_clock *c);
/* Start block LINEAR with WARPS warps on clock C. Returns the cycle at which the block starts.
 * clock_end_block records that a block ends at cycle AT. */
uint64_t clock_begin_block(sm_clock *c, uint64_t linear, uint32_t warps);
void clock_end_block(sm_clock *c, uint64_t at);

/* Called before W runs: set how far its clock may run ahead of the other warps of its block. */
bool clock_set_time_slice(sm_warp *w);
/* Handler of the pseudo-instruction that precedes each instruction of a unit that reads clocks. */
const sm_insn *clock_step(sm_warp *w, const sm_insn *i);
/* All warps of B begin at cycle START. */
void clock_begin_warps(sm_block *b, uint64_t start);
/* The highest clock value of B's warps. */
uint64_t clock_latest_cycle(const sm_block *b);
/* W issues no instruction before cycle UNTIL, at which a barrier releases it. */
void clock_set_earliest(sm_warp *w, uint64_t until);
/* Defined in clock/pass.c. All lanes of W are about to repeat a loop that polls a clock and ends
   with branch I. Skips at most MOST iterations and returns how many were skipped; the branch must
   then be executed. */
uint64_t clock_skip_loop(sm_warp *w, const sm_insn *i, uint64_t most);
uint64_t clock_now(const sm_warp *w);
/* The value that a read of special register SREG returns; advances the warp's clock. */
uint64_t clock_read_sreg(sm_warp *w, ptx_sreg sreg);

/* The texture fetch that W executes now needs LINE (an address / 128), which is not in L1. */
void clock_add_texel_miss(sm_warp *w, uint64_t line);

/* The cycle at which memory instruction S, translated as M, has its result for the lanes in MASK if
 * it issues at cycle T. Defined in clock/memory.c. */
uint64_t clock_access_done_cycle(sm_warp *w, const sm_step *s, const sm_insn *m, uint32_t mask,
                                 uint64_t t);

#endif
