/* What the code alone tells of a function's memory instructions. Found once, when the function is
 * translated; collect.c, widen.c and chain.c read it at the end of every launch, too. */
#ifndef WARPBOOK_FACTS_H
#define WARPBOOK_FACTS_H

#include "../core/code.h"

/* By instruction. */
enum {
    SM_FACT_OLD_USED = 1, /* atom: something reads the old value; else the assembler makes it a red,
                             and so it counts */
    SM_FACT_COUNTS = 2,   /* it adds one, and nobody wants the old value: the device counts lanes */
    SM_FACT_JOINED = 4,   /* no lane can have an address of its own: the lanes of a warp are joined,
                             and one goes to memory */
    SM_FACT_WAITS = 8,    /* a branch that goes back: threads may wait in its loop (waits.h) */
    SM_FACT_IN_WAIT = 16, /* in such a loop */
    SM_FACT_CLOCK = 32,   /* a branch that goes back as long as a clock is not far enough: all else
                             in the loop is made of what the clock says, anew each turn */
    SM_FACT_LATE = 64,    /* a store to shared memory before which other warps get their turn,
                             late.c */
    SM_FACT_STEP = 128    /* a load of shared memory before which they do */
};

/* From where a branch goes back to, to that branch. */
typedef struct sm_loop {
    uint32_t first, last;
    /* Where threads may wait: registers that are alive where it begins, a bit each; and where those
     * lie in the window that a turn may leave changed to the next one. */
    uint64_t *alive;
    struct sm_span_bytes {
        uint32_t at, bytes;
    } * carried;
    uint32_t carried_count;
} sm_loop;

/* 16 bytes of shared memory of which a basic block loads words: their instructions, or SM_NO_WORD.
 * Loads of two or four neighbouring words become one, where all are aligned for every lane. */
#define SM_NO_WORD UINT32_MAX
typedef struct sm_quad {
    uint32_t word[4];
    bool whole; /* the first is at a multiple of 16 bytes; else the first and the third of 8 */
} sm_quad;

/* What has to do with waiting for memory, in the order of the code. */
typedef struct sm_wait {
    enum { SM_WAIT_LOAD, SM_WAIT_STORE, SM_WAIT_BARRIER } kind;
    bool near;     /* shared, local or constant memory; else global */
    bool constant; /* of a load: nothing stores there while the kernel runs */
    bool again;    /* of a load: all ways here lead past another one that is under way with it */
    uint32_t
        once; /* of a load of global memory outside all loops of a kernel: a bit that those share
                 which are under way together, whichever of them a warp comes by; else 0 */
    uint8_t depth; /* of a load: how many loads of the same turn its address comes through, at most
                      SM_WAIT_DEEPEST */
    uint32_t insn;
    uint32_t loop; /* the innermost that it is in; sm_facts.loops: none */
} sm_wait;

#define SM_WAIT_DEEPEST 31

typedef struct sm_facts {
    uint8_t *of; /* [insn_count] SM_FACT_* */
    sm_quad *quad;
    uint32_t quads;
    sm_loop *loop;
    sm_wait *wait;
    uint32_t loops, waits;
    const struct sm_joins *joins; /* joins.h: where lanes meet again */
    bool polls; /* a loop may wait for what another block writes: a look that a compiler may not
                   take out, or an atomic operation */
    bool sees_order; /* an atomic operation whose result is used or that adds floats, or a load that
                        others' stores are meant for: what it finds or leaves can depend on which
                        blocks have run before */
} sm_facts;

/* t->code->facts. LEADER: where basic blocks begin. False: the host is out of memory. */
bool sm_facts_find(sm_translation *t, const bool *leader);

/* Adds to OUT how often the warps waited for loads and atomic operations of CODE: those within the
 * SM, those of global memory, and of these the ones that went past L1. Those of one turn of a loop
 * are waited for together, as far as none needs another's result and the assembler may bring them
 * together. */
void sm_rounds(const struct sm_code *code, const site_stats *site, counters *out);

/* Adds to OUT the sectors, and the bytes in them, of store instructions that wrote sectors in part.
 */
void sm_stored_in_part(const struct sm_code *code, const site_stats *site, counters *out);

/* Adds to OUT what the assembler saves by making one load of two or four neighbouring words in
 * shared memory, where it can tell that the first is aligned. */
void sm_widened(const struct sm_code *code, const site_stats *site, counters *out);

/* Registers have their slots: index in facts.loop of the waiting loop that instruction LAST ends,
 * its `carried` found. */
uint32_t sm_loop_carried(sm_translation *t, uint32_t last);

/* Parts of it, in loops.c, widen.c, chain.c, late.c and joins.c. */
bool sm_find_loops(sm_translation *t, const bool *leader, sm_facts *facts);
bool sm_find_quads(sm_translation *t, const bool *leader, sm_facts *facts);
bool sm_find_waits(sm_translation *t, sm_facts *facts);
bool sm_find_turns(sm_translation *t, sm_facts *facts);
bool sm_find_joins(sm_translation *t, const bool *leader, sm_facts *facts);

#endif
