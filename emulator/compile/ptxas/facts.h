/* Facts about a function's memory instructions that follow from its code alone. Computed once when
 * the function is translated; also read at the end of every launch by profiler/collect.c, widen.c
 * and chain.c. */
#pragma once

#include "../../core/code.h"
#include "../compile.h"

/* Facts about one instruction, as bits. */
enum {
    COMPILE_FACT_OLD_USED = 1, /* atom: the old value is used; otherwise ptxas emits a red, and it
                                * is counted as one */
    COMPILE_FACT_COUNTS = 2,   /* atomic that adds one, result unused: the device adds the number of
                             lanes   in one pass */
    COMPILE_FACT_COMBINED = 4, /* red at one address for all lanes: ptxas sends one request */
    COMPILE_FACT_WAITS = 8,    /* a backward branch of a loop in which threads may wait for other
                             threads    (sm/waits.h) */
    COMPILE_FACT_IN_WAIT =
        16, /* an instruction in a loop in which threads may wait for other threads */
    COMPILE_FACT_CLOCK = 32, /* a backward branch of a loop that only waits for a clock; all other
                           values in the loop are recomputed from the clock in each iteration */
    COMPILE_FACT_LATE_STORE = 64, /* a store to shared memory before which other warps may catch up
                                   * (late.c) */
    COMPILE_FACT_STEP_LOAD = 128, /* a load from shared memory before which other warps may catch up
                                   * (late.c) */
    COMPILE_FACT_UNROLLED_AWAY =
        256 /* part of the loop control that unrolling removes (unroll.c) */
};

/* A loop: from the target of a backward branch to the branch. */
typedef struct compile_loop {
    uint32_t first, last; /* first and last instruction of the loop */
    bool unrolled;        /* ptxas unrolls it COMPILE_UNROLL_FACTOR times or more (unroll.c) */
    uint64_t *alive; /* for loops in which threads may wait, otherwise NULL: a bit for each register
                      * that is live at the loop's start */
    /* For loops in which threads may wait: the bytes of the register window that hold values which
     * one iteration passes to the next. */
    struct compile_window_bytes {
        uint32_t at, bytes; /* offset in the register window; number of bytes */
    } * carried;
    uint32_t carried_count; /* number of elements of `carried` */
} compile_loop;

/* The smallest number of iterations that ptxas merges when it unrolls a loop. */
#define COMPILE_UNROLL_FACTOR 4u

/* The loads of a basic block from 16 aligned bytes of shared memory: the index of the load of each
 * word, or COMPILE_NO_WORD. ptxas merges loads of two or four adjacent words if they are aligned in
 * every lane. */
#define COMPILE_NO_WORD UINT32_MAX /* no load reads the word */
typedef struct compile_word_loads {
    uint32_t word[4]; /* index of the load instruction of each of the four words */
    bool whole; /* word[0] is aligned to 16 bytes; false: word[0] and word[2] only to 8 bytes */
} compile_word_loads;

/* A load, store or barrier that affects how often warps wait for memory. */
typedef struct compile_wait {
    enum {
        COMPILE_WAIT_LOAD,
        COMPILE_WAIT_STORE,
        COMPILE_WAIT_BARRIER
    } kind;          /* what the instruction is */
    bool near;       /* shared, local or constant memory; otherwise global */
    bool constant;   /* load: no store can change the data while the kernel runs */
    bool overlapped; /* load: every path to the load executes an earlier load that overlaps with it
                      */
    uint32_t once;   /* load of global memory in a kernel, outside all loops: a bit that overlapping
                      * loads share; a warp waits once for each bit. Otherwise 0 */
    uint8_t depth;   /* load: number of loads of the same iteration through which its address was
                      * computed, at most COMPILE_MAX_WAIT_DEPTH */
    uint32_t insn;   /* number of the instruction */
    uint32_t
        loop; /* index of the innermost loop around the instruction; compile_facts.loops: none */
} compile_wait;

#define COMPILE_MAX_WAIT_DEPTH 31 /* largest value of compile_wait.depth */

typedef struct compile_facts {
    uint16_t *of;             /* [insn_count] COMPILE_FACT_* bits of each instruction */
    compile_word_loads *quad; /* groups of adjacent loads that ptxas merges into one */
    uint32_t quads;           /* number of elements of `quad` */
    compile_loop *loop;       /* the loops of the function */
    compile_wait *wait;       /* instructions that may make a warp wait for memory */
    uint32_t loops, waits;    /* number of elements of `loop`; of `wait` */
    const struct compile_reconvergence_points *joins; /* reconvergence points: joins.h */
    bool polls;      /* a loop may wait for data that another block writes: the loop has an atomic
                        operation or a load that a compiler must not remove */
    bool updates;    /* there is an atomic operation on global memory */
    bool sees_order; /* results may depend on which blocks have run before: an atomic whose result
                      * is used or that adds floats, or a load meant to see stores of other
                      * blocks */
} compile_facts;

/* Compute t->code->facts. LEADER: true for each instruction that begins a basic block. Returns
 * false if the host is out of memory. */
bool compile_find_insn_facts(compile_translation *t, const bool *leader);

/* Add to OUT the number of waits of warps for loads and atomics of CODE: for memory within the SM,
 * for global memory, and for global data that is not in L1. Loads of one loop iteration count as
 * one wait if no load needs the result of another and ptxas may issue them together. ALONE: at most
 * one warp has waited for global memory, so it never hit a sector that another warp had in flight.
 */
void compile_count_memory_waits(const struct sm_code *code, const insn_stats *site, bool alone,
                                counters *out);

/* Add to OUT the sectors and the bytes written by stores that wrote sectors only partially. */
void compile_count_partial_stores(const struct sm_code *code, const insn_stats *site,
                                  counters *out);

/* Add to OUT the wavefronts and bank conflicts that ptxas saves by merging loads of two or four
 * adjacent words of shared memory whose alignment is known. */
void compile_count_merged_loads(const struct sm_code *code, const insn_stats *site, counters *out);

/* The index in facts.loop of the waiting loop that ends with instruction LAST; computes the loop's
 * `carried` list. Call this function after registers have slots. */
uint32_t compile_find_loop_carried(compile_translation *t, uint32_t last);

/* The steps of compile_find_insn_facts, defined in loops.c, unroll.c, widen.c, chain.c, late.c and
 * joins.c.
 */
bool compile_find_loops(compile_translation *t, const bool *leader, compile_facts *facts);
void compile_find_unrolled(const ptx_func *f, compile_facts *facts);
bool compile_find_word_loads(compile_translation *t, const bool *leader, compile_facts *facts);
bool compile_find_memory_waits(compile_translation *t, compile_facts *facts);
bool compile_find_catch_up_points(compile_translation *t, compile_facts *facts);
bool compile_find_reconvergence(compile_translation *t, const bool *leader, compile_facts *facts);
