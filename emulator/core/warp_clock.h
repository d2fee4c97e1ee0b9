/* The clock of a warp, in functions of which some reads one: when each instruction may issue, by
 * the results that it needs, the units of its SM and where memory is found. Inside the SM; code
 * that reads no clock has none of this.
 *
 * The device's assembler moves instructions within a basic block so that little waits. So an
 * instruction issues as soon as its operands are there, the scheduler and its unit are free, and
 * what it may not pass has issued: a read of a clock, a barrier, a branch, stores and loads of the
 * same memory. Clocks count cycles since the device began; those of one SM are the same for all
 * warps on it. */
#ifndef WARPBOOK_WARP_CLOCK_H
#define WARPBOOK_WARP_CLOCK_H

#include "code.h"
#include "warp.h"

typedef enum {
    SM_STEP_PLAIN,
    SM_STEP_FREE,   /* the assembler makes nothing of it: its result is its operand */
    SM_STEP_CLOCK,  /* reads a clock */
    SM_STEP_ENTRY,  /* a basic block that a branch may lead to */
    SM_STEP_BRANCH, /* a branch, a return, an exit */
    SM_STEP_CALL,
    SM_STEP_BARRIER, /* of the block or the cluster */
    SM_STEP_FENCE,
    SM_STEP_SLEEP,
    SM_STEP_LOAD,
    SM_STEP_STORE,
    SM_STEP_ATOMIC,
    SM_STEP_TEXTURE
} sm_step_kind;

#define SM_STEP_PARTS 4

/* What the assembler makes of a PTX instruction: so many instructions of each class, one after the
 * other. Extra of the pseudo-instruction that stands before it. */
typedef struct sm_step {
    sm_step_kind kind;
    struct {
        uint8_t of, times; /* sm_class */
        bool beside;       /* nothing waits for its result */
    } part[SM_STEP_PARTS];
    const ptx_insn *in;
    bool ordered;   /* volatile and the like: keeps its place among its kind */
    bool apart;     /* has branches of its own: nothing beside it */
    uint32_t guard; /* its register; PTX_NOREG: none */
    uint32_t results, sources;
    uint32_t reg[]; /* results, then sources */
} sm_step;

/* clock/plan.c: what IN is made of. NULL: out of memory, and t->failed is set. */
const sm_step *sm_step_of(sm_translation *t, const ptx_insn *in);
/* Likewise of a basic block's entry. */
const sm_step *sm_step_entry(sm_translation *t);

/* Of an SM: which cycles of its units are taken, what its caches and those behind them hold. */

/* For the launch of G; NULL: the host is out of memory. */
sm_sms_clock *sm_clocks_new(const sm_grid *g);
void sm_clocks_free(sm_sms_clock *c);
/* The SM that block LINEAR runs on. */
sm_sm_clock *sm_clocks_of(sm_sms_clock *c, uint64_t linear);
/* One that no other block shares. */
sm_sm_clock *sm_clock_new(const sm_grid *g);
void sm_clock_free(sm_sm_clock *c);
/* Nothing has run there. */
void sm_clock_reset(sm_sm_clock *c);
/* A block begins on C: when; and ends. */
uint64_t sm_clock_begin(sm_sm_clock *c, uint32_t warps);
void sm_clock_end(sm_sm_clock *c, uint64_t at);

/* W is to run: how far it may get ahead of the other warps of its block. */
void sm_clock_slice(sm_warp *w);
/* Handler of the pseudo-instruction before an instruction. */
const sm_insn *sm_clock_step(sm_warp *w, const sm_insn *i);
/* All of B's warps that wait at barrier ID go on, LAST: when the last of them came. */
void sm_clock_begin_warps(sm_block *b, uint64_t start);
uint64_t sm_clock_latest(const sm_block *b);
void sm_clock_wait(sm_warp *w, uint64_t until);
/* The warp's clock jumps from HERE on by CYCLES, which may be negative to take a try back. */
void sm_clock_jump(sm_warp *w, uint64_t to);
uint64_t sm_clock_now(const sm_warp *w);
/* What a read of SREG finds, and the clock behind it. */
uint64_t sm_clock_read(sm_warp *w, ptx_sreg sreg);

/* clock/memory.c: when the result of memory instruction S, made into M, is there for lanes MASK if
 * it issues at T. */
uint64_t sm_clock_memory(sm_warp *w, const sm_step *s, const sm_insn *m, uint32_t mask, uint64_t t);

#endif
