/* Scheduling of lanes, warps and blocks. Private to sched.c, barrier.c, sync.c, windows.c, fault.c,
 * launch/ and the handlers of control flow, calls and synchronization.
 *
 * The lanes of a warp are divided into fragments: groups of converged lanes with one pc. One
 * fragment runs; the others are in sched->frag. The instructions of a function lie in one array, so
 * a pc is an instruction's address.
 *
 * Order: at a divergent branch the side with fewer lanes runs first; if both sides are equal, the
 * side that does not jump. Waiting fragments resume in last-in, first-out order, as on an H200. At
 * a reconvergence point (compile/ptxas/joins.h) lanes wait for all lanes that can still reach it. Fragments
 * are merged at the entries of basic blocks. An entry compares its pc with a limit that is either
 * above or below all pcs, so the check costs one comparison. */
#ifndef WARPBOOK_SCHED_H
#define WARPBOOK_SCHED_H

#include "../core/code.h"
#include "../core/warp.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
    SM_RECENT_STALLS = 4,         /* a load may pass this many instructions that wait for memory */
    SM_RECENT_SPECIAL_STALLS = 2, /* a load may pass this many that wait for the special unit */
    SM_STORE_QUEUE_SLOTS = 24     /* number of a warp's stores that the queue to memory holds */
};

/* A loop that watches a clock, whose iterations clock/pass.c skips. */
typedef struct sm_clock_watch {
    const sm_insn *branch; /* branch that ends the loop; NULL: the warp is in no such loop */
    uint32_t mask;         /* lanes that took the branch */
    uint64_t time_slice;   /* number of the time slice (sm_sched.time_slice) in which the branch was
                              taken */
    uint64_t taken_at;     /* clock of the warp when the branch was taken */
    uint64_t read;         /* the clock value that the loop read last */
    uint64_t cycles;       /* cycles that an iteration takes; 0: not known yet */
    uint64_t until;        /* no iteration is skipped before this cycle */
} sm_clock_watch;

typedef struct sm_warp_clock {
    uint64_t floor; /* no later instruction issues before this cycle */
    uint64_t now;   /* all instructions so far have been issued before this cycle */
    uint64_t
        loads[2]; /* cycles of the last loads from shared memory [0] and from other memory [1] */
    uint64_t stores[2]; /* cycles of the last stores to shared memory [0] and to other memory [1] */
    uint64_t written;   /* cycle from which all stores are visible to other threads */
    uint64_t read; /* cycle from which the results of all loads from shared memory are available */
    uint64_t l1_path; /* cycle at which the last access so far leaves the queue to memory */
    uint64_t leaves[SM_STORE_QUEUE_SLOTS]; /* cycles at which the last stores leave the queue to
                                              memory */
    uint32_t stored;                       /* number of entries written to leaves[] so far */
    uint64_t next_store;                   /* the warp issues no store before this cycle */
    uint64_t
        stall[SM_RECENT_STALLS]; /* issue cycles of the last instructions that waited for memory */
    uint32_t stalls;             /* number of entries written to stall[] so far */
    uint64_t special_stall[SM_RECENT_SPECIAL_STALLS]; /* issue cycles of the last instructions that
                                                  waited for the special function unit */
    uint32_t special_stalls; /* number of entries written to special_stall[] so far */
    uint32_t last_unit;      /* unit of the last instruction that only one unit can execute */
    uint32_t line;           /* line of code in the instruction cache that the warp executes */
    uint64_t entered;        /* cycle at which the warp entered the instruction cache line `line` */
    const struct sm_step *fetch; /* the last texture fetch */
    uint64_t fetched;            /* cycle at which the last texture fetch was issued */
    sm_clock_watch watch;        /* loop that watches a clock */
} sm_warp_clock;

/* A function call in progress, for some lanes of a warp. */
typedef struct sm_frame {
    const sm_code *code; /* the running function */
    uint8_t *window;     /* register window: the registers of the lanes */
    uint64_t *
        ready; /* [registers]: cycle at which each register is ready; NULL: no code reads a clock */
    struct sm_frame *caller; /* frame of the calling function; NULL: this is the kernel's frame */
    const sm_insn *site;     /* the call instruction in the calling function */
    uint32_t lanes; /* mask of lanes that have not returned, including those in deeper frames */
    uint32_t depth; /* number of calls that this frame is nested in */
    uint64_t local_base;        /* offset in local memory of the frame's local variables */
    bool allocates;             /* some lane has used alloca */
    uint64_t taken[SM_LANES];   /* for each lane, the bytes allocated by alloca after the local
                                   variables */
    struct sm_frame *next_free; /* next frame in the list of free frames */
    struct sm_frame *next_made; /* list of all frames of a worker, since a fault leaves frames in
                                 * use */
} sm_frame;

typedef enum {
    SM_READY,     /* the fragment (a group of converged lanes) can run */
    SM_AT_SYNC,   /* the fragment waits for other lanes of its member mask (__syncwarp and so on) */
    SM_AT_BARRIER /* the fragment waits at a barrier of the block or the cluster */
} sm_wait_state;  /* why a fragment (group of lanes) waits */

typedef struct sm_fragment {
    const sm_insn *pc;
    sm_frame *frame; /* frame of the function that the fragment executes */
    uint32_t mask;
    sm_wait_state wait_state; /* what the fragment waits for */
    uint32_t member;          /* if `wait_state` is SM_AT_SYNC: the member mask */
    uint32_t barrier; /* if `wait_state` is SM_AT_BARRIER: number of the block's barrier, 0 to 15,
                         or SM_CLUSTER_BARRIER_ID */
    bool waits;     /* if `wait_state` is SM_READY: the fragment waits at a reconvergence point for
                       other     lanes */
    uint64_t order; /* the fragment with the highest order runs first */
    uint64_t time_slice; /* time slice in which the fragment last ran; at a yield the oldest one
                            runs next */
    const sm_insn *loop; /* the loop branch at which the fragment yielded while polling; NULL: it
                            does not poll */
    uint64_t hash;       /* hash of the fragment's registers at its last yield */
} sm_fragment;

/* Backward branches that a fragment (SM_BRANCHES_PER_FRAGMENT) or a warp (SM_BRANCHES_PER_WARP) may
 * take before another one runs. */
#define SM_BRANCHES_PER_FRAGMENT 64   /* backward branches in a time slice of a fragment */
#define SM_BRANCHES_PER_WARP     4096 /* backward branches in a time slice of a warp */
/* Time slices that one fragment may use alone before the fragments that wait for it at a
 * reconvergence point run anyway: its loop may depend on them although the code does not show
 * this. */
#define SM_YIELDS_BEFORE_RECONVERGE 64 /* time slices of one fragment before others run */

struct sm_sched {
    const sm_insn *limit[2]; /* sm_reconverge runs at the entry of a basic block whose address is
                                limit[0] or more, and at a reconvergence point from limit[1] on */
    int32_t budget;          /* number of backward branches until sm_yield_to_others is called */
    int32_t left; /* further backward branches in the warp's time slice, which sm_yield_to_others
                     moves to the budget */
    bool out_of_order; /* after a yield, the running fragment is not the first in order */
    bool done;         /* all lanes have exited */
    bool runnable;     /* at least one fragment is ready to run */
    bool yielded; /* the warp stopped because its time slice is used up, not because it must wait */
    bool late; /* the warp has let other warps catch up since the last barrier (see compile/ptxas/late.c) */
    uint8_t steps; /* how often, since the last barrier, the warp let other warps run before a load
                      (see compile/ptxas/late.c) */
    const sm_insn *yielded_at; /* instruction before which other warps have just run (see
                                  exec/async/mbarrier.c) */
    bool idle;           /* the warp polls: its registers have not changed since the last yield */
    uint64_t hash;       /* hash of pc and registers at the last yield */
    sm_frame *frame;     /* frame of the running fragment */
    uint64_t order;      /* order of the running fragment */
    uint64_t last_order; /* the highest order given so far */
    const sm_insn *passing_point; /* reconvergence point that the running fragment passes without
                               waiting; NULL: none */
    uint32_t
        lone_slices; /* number of successive time slices that ended in a loop of one fragment */
    uint32_t count;  /* number of fragments (groups of converged lanes) that do not run */
    sm_fragment frag[SM_LANES]; /* [count] the fragments that do not run */
    uint64_t time_slice;        /* number of time slices so far */
    uint64_t
        effort[WORK_FIELDS]; /* work of the warp, moved here from sm_warp.effort (see effort.h) */
    uint64_t slept;          /* modelled nanoseconds spent in nanosleep */
    bool sliced;    /* the warp stopped because its clock is ahead of the other warps' clocks */
    uint64_t slice; /* clock value at which the warp stops so that other warps catch up */
    sm_warp_clock clock; /* modelled clock of the warp */
    sm_frame base;       /* the kernel's own frame */
};

/* Value of field `mode` of a branch that the translator made from a guard predicate; the counters
 * ignore such a branch. */
#define SM_BRANCH_FROM_GUARD 1 /* sm_insn.mode of a branch made from a guard predicate */
/* Value of field `mode` of the pseudo-instruction at the entry of a basic block that is a
 * reconvergence point; its field `extra` is an compile_reconvergence. */
#define SM_ENTRY_RECONVERGES 1 /* sm_insn.mode of a reconvergence point */

/* A value of sm_sched.limit that no pc reaches. */
#define SM_NO_BRANCH_LIMIT ((const sm_insn *)UINTPTR_MAX)

/* --- sched.c: the fragments (groups of converged lanes) of a warp ----------------------------- */

/* Start with all lanes of the warp at the kernel's first instruction. */
void sm_sched_start_warp(sm_warp *w, const sm_insn *entry);
/* Run the warp until it must wait, is done or has used up its time slice. */
void sm_sched_run_warp(sm_warp *w);

/* The next functions return the next instruction to run, or NULL if the warp must stop. */

/* The running lanes diverge: the lanes TAKEN continue at TARGET, the other lanes at NEXT. GUARD:
 * the branch was made from a guard predicate, and NEXT, the guarded instruction, runs first. */
const sm_insn *sm_diverge(sm_warp *w, uint32_t taken, const sm_insn *target, const sm_insn *next,
                          bool guard);
/* The running lanes have reached PC, the entry of a basic block at which other fragments may be or
 * to which they may come (sm_sched.limit): wait there, merge with other fragments, or continue. */
const sm_insn *sm_reconverge(sm_warp *w, const sm_insn *pc);
/* The running fragment has used up its budget at PC: run another fragment or another warp. ALL:
 * also fragments that wait for the running one at a reconvergence point. */
const sm_insn *sm_yield_to_others(sm_warp *w, const sm_insn *pc, bool all);
/* The running lanes execute nanosleep at I: let other fragments run now, or at the end of the
 * polling loop. */
const sm_insn *sm_nanosleep(sm_warp *w, const sm_insn *i);
/* The running lanes poll in the loop that branch LOOP ends, and continue at PC: let another
 * fragment run. */
const sm_insn *sm_yield_polling(sm_warp *w, const sm_insn *loop, const sm_insn *pc);
/* The running lanes have exited or must wait: run the next fragment. */
const sm_insn *sm_next_fragment(sm_warp *w);
/* Make a new ready fragment of the lanes MASK of the running fragment, at PC of FRAME. */
void sm_add_fragment(sm_warp *w, uint32_t mask, sm_frame *frame, const sm_insn *pc);
/* Suspend the running fragment at PC in the state WAIT_STATE. */
sm_fragment *sm_make_fragment_wait(sm_warp *w, const sm_insn *pc, sm_wait_state wait_state);
/* The lanes of the running fragment exit; runs the next fragment. */
const sm_insn *sm_exit_lanes(sm_warp *w);
/* Handlers of pseudo-instructions that let other warps run first: before a store to shared memory
 * long after the last barrier, and before the load of a reduction step (compile/ptxas/late.c). */
const sm_insn *sm_yield_before_late_store(sm_warp *w, const sm_insn *i);
const sm_insn *sm_yield_before_reduction_load(sm_warp *w, const sm_insn *i);
/* Update sm_sched.limit after the list of fragments has changed. */
void sm_update_branch_limits(sm_warp *w);
/* Give the running fragment the highest order, so that it runs before the others. */
void sm_give_highest_order(sm_warp *w);
void sm_set_frame(sm_warp *w, sm_frame *f);

/* --- sync.c and exec/control/sync.c: waiting under a member mask ------------------------------ */

/* The kind of an operand of an instruction that synchronizes lanes. Fragments that execute the
 * instruction together copy their operands into one another's registers. */
typedef enum {
    SM_NO_OPERAND,       /* there is no operand */
    SM_PREDICATE,        /* a predicate: one bit for each lane */
    SM_LANE_4_BYTES = 4, /* a register of 4 bytes for each lane */
    SM_LANE_8_BYTES = 8  /* a register of 8 bytes for each lane */
} sm_operand_form;       /* kind of an operand: its layout in the registers */

/* What field `extra` of an instruction that synchronizes under a member mask points to. */
typedef struct sm_sync_form {
    /* Execute for the lanes of w->mask; member[l] is lane l's member mask. Returns false if the
     * launch has been stopped. */
    bool (*compute)(sm_warp *w, const sm_insn *i, const uint32_t *member);
    uint8_t d, q, a, b, c; /* kind of each operand (sm_operand_form) */
    const char *name;      /* name of the instruction in messages */
    bool aligned; /* all lanes must execute the very same instruction, so operands are not copied */
} sm_sync_form;

/* Lanes of the member mask have not arrived yet: let the running lanes wait, grouped by mask
 * (member[l] for lane l). Returns the next instruction. */
const sm_insn *sm_wait_for_members(sm_warp *w, const sm_insn *i, const uint32_t *member);
/* Call after lanes have arrived or exited: wakes waiting lanes whose operation is complete. */
void sm_sync_wake_complete(sm_warp *w);
/* Write MASK as text such as "0-15, 31". */
void sm_lanes_text(uint32_t mask, char *buf, size_t size);

/* The plural ending of "lane" for the lanes of MASK: "s", or "" for a single lane. */
static inline const char *sm_lane_plural(uint32_t mask)
{
    return mask & (mask - 1) ? "s" : "";
}

/* The lanes of W that have a thread which has not exited. */
static inline uint32_t sm_live_lanes(const sm_warp *w)
{
    return w->lanes & ~w->exited;
}

/* --- barriers of a block (barrier.c) ---------------------------------------------------------- */

/* What a barrier instruction does: values of field `mode` of its sm_insn. */
enum {
    SM_BAR_SYNC,     /* bar.sync: arrive and wait */
    SM_BAR_ARRIVE,   /* bar.arrive: arrive without waiting */
    SM_BAR_RED_POPC, /* bar.red.popc: wait, and count the threads whose predicate is true */
    SM_BAR_RED_AND,  /* bar.red.and: wait; is the predicate true in all threads? */
    SM_BAR_RED_OR    /* bar.red.or: wait; is the predicate true in any thread? */
};

enum {
    SM_BAR_COUNT = 16,                   /* number of barriers of a block */
    SM_CLUSTER_BARRIER_ID = SM_BAR_COUNT /* barrier number that stands for the cluster's barrier */
};

typedef struct sm_barrier {
    uint32_t arrived;  /* number of threads that have arrived; at a barrier with a thread count,
                          exited lanes of arriving warps are included */
    uint32_t expected; /* number of threads expected; 0: all threads that have not exited */
    uint32_t ones;     /* threads that arrived with a true predicate */
    uint32_t voters;   /* threads that arrived with a predicate */
    uint32_t waiting;  /* number of threads that wait */
} sm_barrier;

struct sm_barriers {
    uint32_t live;              /* number of threads that have not exited */
    uint32_t open;              /* bit k: some threads have arrived at barrier b[k] */
    sm_barrier b[SM_BAR_COUNT]; /* the barriers, by number */
};

/* --- barrier.c -------------------------------------------------------------------------------- */

/* The running lanes of W arrive at barrier ID with instruction I. ONES of VOTERS threads have a
 * true predicate. WAIT: the lanes wait there. Releases the barrier if this arrival completes it. */
void sm_barrier_arrive(sm_warp *w, const sm_insn *i, uint32_t id, uint32_t expected, uint32_t ones,
                       uint32_t voters, bool wait);
/* Tell the barriers of the block that LANES of W have exited. */
void sm_barrier_lanes_exit(sm_warp *w, uint32_t lanes);

/* A new frame with its register window, for a call of CODE. NULL: the host is out of memory. */
sm_frame *sm_new_frame(sm_warp *w, const sm_code *code, uint64_t local_base);
void sm_recycle_frame(sm_warp *w, sm_frame *f);

/* The first offset of local memory that is free for all lanes of MASK in frame F; a multiple of
 * 16. */
static inline uint64_t sm_end_of_frame_locals(const sm_frame *f, uint32_t mask)
{
    uint64_t most = 0;
    for (; f->allocates && mask; mask &= mask - 1) {
        const uint64_t taken = f->taken[__builtin_ctz(mask)];
        most = taken > most ? taken : most;
    }
    return (f->local_base + f->code->local_bytes + most + 15) / 16 * 16;
}

/* Fill in the register slots of a window that depend on thread, block or frame. FRESH: all slots;
 * otherwise only those that change from block to block. */
void sm_fill_window(sm_warp *w, sm_frame *f, bool fresh);

/* --- launch/resident.c: the blocks resident on one host thread -------------------------------- */

typedef enum {
    LAUNCH_BLOCK_DONE,  /* all threads have exited */
    LAUNCH_BLOCK_POLLS, /* all threads only wait for memory to change */
    LAUNCH_BLOCK_FAULT  /* the launch has been stopped */
} launch_block_state;   /* why running the blocks stopped */

/* The resident blocks of one cluster on a host thread, with all their state. The object is reused
 * for one cluster after another. Without clusters a cluster is one block. */
typedef struct launch_resident launch_resident; /* the blocks of a cluster with all their state */
launch_resident *launch_resident_new(sm_worker *k); /* NULL: the host is out of memory */
void launch_resident_free(launch_resident *r);
/* Begin cluster CLUSTER, given by its linear index in the grid, x fastest. */
void launch_resident_begin(launch_resident *r, uint64_t cluster);
/* Run the blocks until they are done, or until all of their threads only poll. */
launch_block_state launch_resident_run(launch_resident *r);
uint32_t launch_resident_count(const launch_resident *r);
const sm_block *launch_resident_block(const launch_resident *r, uint32_t rank);
/* Hash the state of the blocks without global and local memory: registers, fragments and their
 * order, barriers, shared memory. H: the initial hash. */
uint64_t launch_resident_hash(const launch_resident *r, uint64_t h);
/* Hash the state of the blocks that does not change while threads only wait: shared memory,
 * barriers, exited threads. H: the initial hash. *SLEPT is raised to the longest time, in modelled
 * ns, that a warp has slept. */
uint64_t launch_resident_wait_hash(const launch_resident *r, uint64_t h, uint64_t *slept);
/* Whether no thread has seen anything new in its last time slice. */
bool launch_resident_polls(const launch_resident *r);

/* Bytes of shared memory reserved after the program's own for cooperative groups of several warps
 * (PTX ISA 10.30, %reserved_smem_offset). */
#define LAUNCH_RESERVED_SHARED_BYTES \
    1024 /* bytes for cooperative groups, after the program's own */
/* LAUNCH_RESERVED_SHARED_BYTES if code of unit U uses the reserved bytes, otherwise 0. */
uint64_t launch_reserved_shared_bytes(const sm_unit *u);

/* Release all call frames that host thread K has allocated. Defined in windows.c. */
void sm_frames_free(sm_worker *k);

/* --- fault.c ---------------------------------------------------------------------------------- */

struct sm_fault_box {
    pthread_mutex_t lock; /* protects `fault` while it is filled in */
    atomic_bool set;      /* a fault has stopped the launch */
    sm_fault fault;       /* the first fault */
};

static inline bool sm_has_faulted(const sm_grid *g)
{
    return atomic_load_explicit(&g->fault->set, memory_order_relaxed);
}

/* Stop the grid for a reason that belongs to no instruction, such as a deadlock or lack of memory.
 * TEXT is the whole message. */
void sm_stop_grid(const sm_grid *g, const sm_block *b, sm_fault_kind kind, const char *text);

/* --- output.c, syscalls.c, runtime.c: printed text and system calls --------------------------- */

/* Text printed by blocks; a block's text is kept until all earlier blocks have ended. */
struct sm_output;
struct sm_output *sm_output_new(void); /* NULL: the host is out of memory */
void sm_output_add(struct sm_output *o, uint64_t block, const char *text, size_t length);
/* Write all text to stdout in block order, and free it. PRINT: false to free it without writing. */
void sm_output_flush(struct sm_output *o, bool print);

/* The implementation, for sm_call.system, of a function that the device provides: vprintf,
 * __assertfail, malloc, free. NULL: no such function has this name and number of arguments. */
typedef const sm_insn *(*sm_syscall)(sm_warp *w, const sm_insn *i, const sm_call *c);
sm_syscall sm_syscall_find(const char *name, uint32_t args);
#define SM_ANY_ARGUMENTS UINT32_MAX /* ARGS of sm_syscall_find: any number of arguments */
/* The implementation of a function of the device runtime (core/runtime.def). NULL: no such function
 * has this name and number of arguments. */
sm_syscall sm_runtime_find(const char *name, uint32_t args);

/* Argument ARG of a call for one lane, at most 8 bytes. */
uint64_t sm_read_call_argument(const uint8_t *window, const sm_call_operand *arg, uint32_t lane);
void sm_write_call_argument(uint8_t *window, const sm_call_operand *arg, uint32_t lane,
                            uint64_t value);

#endif
