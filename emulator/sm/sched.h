/* How lanes, warps and blocks take turns. Inside the SM: only sched.c, block.c, grid.c, fault.c and
 * the handlers of control, calls and synchronisation include it.
 *
 * A warp's lanes are spread over fragments: one runs, the others lie in sched->frag. Instructions
 * of one function lie in one array, so a pc is an instruction's address.
 *
 * Who runs. Where a branch parts lanes the smaller side runs first, and of two alike the one that
 * does not jump; the other waits, and the last that began to wait goes on first. So does an H200.
 * Where ways meet again (joins.h) lanes wait for all that may still come. Merging is tested where
 * basic blocks begin, by comparing pc with a limit that is above or below all of them. */
#ifndef WARPBOOK_SCHED_H
#define WARPBOOK_SCHED_H

#include "../core/code.h"
#include "../core/warp.h"

#include <pthread.h>
#include <stdatomic.h>

/* A warp's clock, in cycles: warp_clock.h. */
/* Instructions that wait for memory which a load may be brought in front of; cycles of a warp's
 * accesses that may wait on the way to memory before the warp does. */
enum { SM_STALLS = 4, SM_SPECIAL_STALLS = 2, SM_BACKLOG = 64 };
/* The loop on a clock that runs: clock/pass.c. */
typedef struct sm_clock_watch {
    const sm_insn *branch; /* its end, when the warp last came there; NULL: none runs */
    uint32_t mask;         /* the lanes that did */
    uint64_t turn;         /* sm_sched.turn, */
    uint64_t came;         /* the warp's clock, */
    uint64_t read;         /* and the clock that was read last */
    uint64_t cycles;       /* of an iteration; 0: not known yet */
    uint64_t until;        /* nothing is skipped before this cycle */
} sm_clock_watch;

typedef struct sm_warp_clock {
    uint64_t floor;               /* nothing issues before */
    uint64_t now;                 /* all so far has issued before */
    uint64_t loads[2], stores[2]; /* the last ones to shared memory and to all other have issued */
    uint64_t written;             /* all stores are where others see them */
    uint64_t read;                /* all loads from shared memory are there */
    uint64_t way;                 /* the way to memory has taken all so far */
    uint64_t stall[SM_STALLS];    /* when those issued that waited for memory last */
    uint32_t stalls;
    uint64_t special_stall[SM_SPECIAL_STALLS]; /* likewise for the special unit */
    uint32_t special_stalls;
    uint32_t last_unit;          /* of the last instruction that only one unit can do */
    const struct sm_step *fetch; /* the last texture fetch, and when it issued */
    uint64_t fetched;
    sm_clock_watch watch;
} sm_warp_clock;

/* An activation of a function by some lanes of a warp. */
typedef struct sm_frame {
    const sm_code *code;
    uint8_t *window;
    uint64_t *ready; /* [registers]: when they are, by the warp's clock; NULL: without one */
    struct sm_frame *caller; /* NULL: the kernel */
    const sm_insn *site;     /* the call in the caller */
    uint32_t lanes;          /* lanes still inside, those in deeper frames included */
    uint32_t depth;
    uint64_t local_base;      /* its local variables begin here */
    bool allocates;           /* lanes have taken[] */
    uint64_t taken[SM_LANES]; /* bytes that alloca took behind the local variables */
    struct sm_frame *next_free;
    struct sm_frame *next_made; /* of one worker: a fault leaves frames in use */
} sm_frame;

typedef enum { SM_READY, SM_AT_SYNC, SM_AT_BARRIER } sm_park;

typedef struct sm_fragment {
    const sm_insn *pc;
    sm_frame *frame;
    uint32_t mask;
    sm_park park;
    uint32_t member;     /* SM_AT_SYNC: its member mask */
    uint32_t barrier;    /* SM_AT_BARRIER: 0..15 */
    bool waits;          /* SM_READY: at a join, for others that may come there */
    uint64_t order;      /* the highest runs first */
    uint64_t turn;       /* when it last ran: the longest waiting gets the turn at a yield */
    const sm_insn *loop; /* the branch at which it gave way; NULL: at none */
    uint64_t print;      /* its registers then */
} sm_fragment;

/* Backward branches until another fragment, or another warp, gets its turn. */
#define SM_PATIENCE_LANES 64
#define SM_PATIENCE_WARP  4096
/* Turns of a warp in which none but one fragment ran, until those get a turn that wait for it at a
 * join: a loop may wait for them although nothing in the code says so. */
#define SM_PATIENCE_JOIN 64

struct sm_sched {
    const sm_insn
        *limit[2];  /* first of all: entries of blocks compare with it, of joins with [1] */
    int32_t budget; /* backward branches left until sm_yield */
    int32_t left;   /* what sm_yield may add to that before the warp must stop */
    bool aside;     /* a fragment that is not the first runs, because of a yield */
    bool done;      /* no lane is left */
    bool runnable;  /* a fragment is ready */
    bool yielded;   /* stopped because the budget was used up, not because it must wait */
    bool late;      /* has let others go first since the last barrier: late.c */
    uint8_t steps;  /* how often it has before loads of steps since then: late.c */
    const sm_insn
        *let_look;   /* before this instruction the others have had a turn: exec/async/mbarrier.c */
    bool idle;       /* ... and its registers are as they were at the last yield: it polls */
    uint64_t print;  /* fingerprint of pc and registers at the last yield */
    sm_frame *frame; /* of the running fragment */
    uint64_t order;  /* likewise */
    uint64_t last_order;    /* the highest that was given */
    const sm_insn *through; /* the running fragment need not wait at this join */
    uint32_t alone;         /* turns of the warp that ended in one fragment's loop */
    uint32_t count;
    sm_fragment frag[SM_LANES];
    uint64_t turn;
    uint64_t effort[WORK_FIELDS]; /* effort.h: what sm_warp.effort has handed over */
    uint64_t slept;               /* modelled ns spent in nanosleep */
    bool sliced;                  /* stopped because its clock is ahead of the other warps' */
    uint64_t slice;               /* where that is */
    sm_warp_clock clock;
    sm_frame base; /* the kernel's own frame */
};

/* sm_insn.mode of a branch that the translator made for a guard: it counts as no branch. */
#define SM_BRA_HIDDEN 1
/* sm_insn.mode of a block entry where lanes meet again; its extra is the sm_join. */
#define SM_ENTRY_JOIN 1

#define SM_NO_LIMIT   ((const sm_insn *)UINTPTR_MAX)

/* --- sched.c: fragments of a warp ---------------------------------------------------------------
 */

/* Every lane of the warp at the kernel's first instruction. */
void sm_sched_start(sm_warp *w, const sm_insn *entry);
/* Run until the warp must wait, is done or has used up its budget. */
void sm_sched_run(sm_warp *w);

/* These return the instruction to run next, NULL when the warp must stop; handlers return it. */

/* The running fragment parts: TAKEN goes on at TARGET, the rest at NEXT, which is the instruction
 * that a GUARD is on: then it runs first. */
const sm_insn *sm_diverge(sm_warp *w, uint32_t taken, const sm_insn *target, const sm_insn *next,
                          bool guard);
/* The running fragment enters the block at PC, past the limit: wait there, meet others, or go on.
 */
const sm_insn *sm_meet(sm_warp *w, const sm_insn *pc);
/* The budget is used up at PC: another fragment's turn, or another warp's. ALL: also of those that
 * wait at a join for the running one. */
const sm_insn *sm_yield(sm_warp *w, const sm_insn *pc, bool all);
/* The running fragment sleeps at I: others get their turn, now or where its loop goes round. */
const sm_insn *sm_sleep(sm_warp *w, const sm_insn *i);
/* The running fragment waits in a loop that goes on at PC, and branch LOOP ends: another's turn. */
const sm_insn *sm_give_way(sm_warp *w, const sm_insn *loop, const sm_insn *pc);
/* The running fragment is gone (exited, parked): the next one. */
const sm_insn *sm_next(sm_warp *w);
/* The lanes of the running fragment that are in MASK go to PC of FRAME and wait for their turn. */
void sm_put(sm_warp *w, uint32_t mask, sm_frame *frame, const sm_insn *pc);
/* Lay the running fragment down as parked at PC. */
sm_fragment *sm_lay_down(sm_warp *w, const sm_insn *pc, sm_park park);
/* The lanes of the running fragment leave the kernel. */
const sm_insn *sm_exit(sm_warp *w);
/* What the translator puts before a late store and before the load of a step (late.c): other warps
 * get their turn. */
const sm_insn *sm_late_store(sm_warp *w, const sm_insn *i);
const sm_insn *sm_step_load(sm_warp *w, const sm_insn *i);
/* Where to test for others, after fragments changed. */
void sm_set_limit(sm_warp *w);
/* The running fragment goes before all that wait now. */
void sm_go_first(sm_warp *w);
void sm_set_frame(sm_warp *w, sm_frame *f);

/* --- sync.c, exec/control/sync.c
 * -----------------------------------------------------------------------
 */

/* What an operand is, for lanes that meet here from different instructions. */
typedef enum { SM_NO_OPERAND, SM_PREDICATE, SM_LANE4 = 4, SM_LANE8 = 8 } sm_operand_form;

/* extra of every handler here. */
typedef struct sm_sync_form {
    /* Compute for the lanes of w->mask; member[l] is lane l's member mask. False after a fault. */
    bool (*compute)(sm_warp *w, const sm_insn *i, const uint32_t *member);
    uint8_t d, q, a, b, c; /* sm_operand_form */
    const char *name;
    bool aligned; /* every lane comes to this very instruction; operands are not moved */
} sm_sync_form;

/* The running fragment is not its whole member mask: its lanes wait, those with one mask (lane l's
 * is member[l]) together. Returns what runs next. */
const sm_insn *sm_sync_park(sm_warp *w, const sm_insn *i, const uint32_t *member);
/* Lanes have arrived or exited: which parked lanes can go on? */
void sm_sync_recheck(sm_warp *w);
/* "0-15, 31" */
void sm_lanes_text(uint32_t mask, char *buf, size_t size);

static inline uint32_t sm_alive(const sm_warp *w)
{
    return w->lanes & ~w->exited;
}

/* --- block.c -----------------------------------------------------------------------------------
 */

/* sm_insn.mode of barriers. */
enum { SM_BAR_SYNC, SM_BAR_ARRIVE, SM_BAR_POPC, SM_BAR_AND, SM_BAR_OR };

/* Barriers 0 to 15 have numbers. The cluster's is none of the block's own: cluster.h. */
enum { SM_BAR_COUNT = 16, SM_BAR_CLUSTER = SM_BAR_COUNT };

typedef struct sm_barrier {
    uint32_t arrived;  /* threads, those of dead lanes of whole warps included where counted */
    uint32_t expected; /* 0: every thread that has not exited */
    uint32_t ones;     /* threads that arrived with a true predicate */
    uint32_t voters;   /* threads that arrived with a predicate */
    uint32_t waiting;  /* threads that wait */
} sm_barrier;

struct sm_barriers {
    uint32_t live; /* threads that have not exited */
    uint32_t open; /* bit k: threads have arrived at b[k] */
    sm_barrier b[SM_BAR_COUNT];
};

/* --- barrier.c --- */

/* The running fragment of W arrives at barrier ID with instruction I; release it when that
 * completes it. ONES of its VOTERS threads brought a true predicate. With WAIT the fragment is
 * parked. */
void sm_barrier_arrive(sm_warp *w, const sm_insn *i, uint32_t id, uint32_t expected, uint32_t ones,
                       uint32_t voters, bool wait);
/* Threads have exited. */
void sm_barrier_exit(sm_warp *w, uint32_t lanes);

/* Frames with their windows, for calls. NULL when the host is out of memory. */
sm_frame *sm_frame_get(sm_warp *w, const sm_code *code, uint64_t local_base);
void sm_frame_put(sm_warp *w, sm_frame *f);

/* Where local memory is free in frame F for all lanes of MASK, a multiple of 16. */
static inline uint64_t sm_frame_end(const sm_frame *f, uint32_t mask)
{
    uint64_t most = 0;
    for (; f->allocates && mask; mask &= mask - 1) {
        const uint64_t taken = f->taken[__builtin_ctz(mask)];
        most = taken > most ? taken : most;
    }
    return (f->local_base + f->code->local_bytes + most + 15) / 16 * 16;
}

/* Fill the slots of a window that depend on thread, block or frame; only those that differ from
 * block to block unless FRESH. */
void sm_fill_window(sm_warp *w, sm_frame *f, bool fresh);
/* --- resident.c --- */

typedef enum { SM_BLOCK_DONE, SM_BLOCK_SPINS, SM_BLOCK_FAULT } sm_block_state;

/* The blocks of a cluster in a worker, with all that they need; used for one cluster after another.
 * A grid that is launched without clusters has one block in each. */
typedef struct sm_resident sm_resident;
sm_resident *sm_resident_new(sm_worker *k); /* NULL: the host is out of memory */
void sm_resident_free(sm_resident *r);
/* CLUSTER: its index in the grid, x fastest. */
void sm_resident_begin(sm_resident *r, uint64_t cluster);
/* Run until the blocks are done, or all that they do is poll. */
sm_block_state sm_resident_run(sm_resident *r);
uint32_t sm_resident_count(const sm_resident *r);
const sm_block *sm_resident_block(const sm_resident *r, uint32_t rank);
/* H with all that decides what the blocks do next, other than global memory: registers,
 * fragments and their order, barriers, shared memory; not local memory. */
uint64_t sm_resident_print(const sm_resident *r, uint64_t h);
/* H with what stays as it is while threads do nothing but wait, whatever is in their registers:
 * shared memory, barriers, who has exited. *slept: the longest that one of their warps, or of those
 * asked before, has slept, in modelled ns. */
uint64_t sm_resident_still(const sm_resident *r, uint64_t h, uint64_t *slept);
/* Has the last turn shown none of its threads anything that it had not seen before? */
bool sm_resident_polls(const sm_resident *r);

/* Bytes of shared memory that a block has behind the program's own, for cooperative groups of
 * several warps (PTX ISA 10.30, %reserved_smem_offset): none where no code asks for them. */
#define SM_RESERVED_SHARED 1024
uint64_t sm_reserved_shared(const sm_unit *u);

/* windows.c: all frames that K made. */
void sm_frames_free(sm_worker *k);

/* --- fault.c -----------------------------------------------------------------------------------
 */

struct sm_fault_box {
    pthread_mutex_t lock;
    atomic_bool set;
    sm_fault fault;
};

static inline bool sm_faulted(const sm_grid *g)
{
    return atomic_load_explicit(&g->fault->set, memory_order_relaxed);
}

/* A fault that has no instruction: deadlock, out of memory. TEXT is the whole message. */
void sm_stop_grid(const sm_grid *g, const sm_block *b, sm_fault_kind kind, const char *text);

/* --- syscalls.c --------------------------------------------------------------------------------
 */

/* Text that a block printed, kept until all before it are done. */
struct sm_output;
struct sm_output *sm_output_new(void); /* NULL: the host is out of memory */
void sm_output_add(struct sm_output *o, uint64_t block, const char *text, size_t length);
/* Write all to stdout in block order and release. */
void sm_output_flush(struct sm_output *o, bool heard);

/* Functions that the device runtime provides: vprintf, __assertfail, malloc, free; as
 * sm_call.system. NULL when NAME with ARGS arguments is none of them. */
typedef const sm_insn *(*sm_syscall)(sm_warp *w, const sm_insn *i, const sm_call *c);
sm_syscall sm_syscall_find(const char *name, uint32_t args);
#define SM_ANY_ARGUMENTS UINT32_MAX
/* runtime.c: likewise of the functions that launch kernels and the like, runtime.def. */
sm_syscall sm_runtime_find(const char *name, uint32_t args);

/* Argument K of a call for one lane: up to 8 bytes. */
uint64_t sm_arg_get(const uint8_t *window, const sm_arg *arg, uint32_t lane);
void sm_arg_set(uint8_t *window, const sm_arg *arg, uint32_t lane, uint64_t value);

#endif
