/* The state of a warp's lanes, frames and clock, as sm/, clock/ and launch/ share it.
 *
 * The lanes of a warp are divided into fragments: groups of converged lanes with one pc. One
 * fragment runs; the others are in sched->frag. The instructions of a function lie in one array, so
 * a pc is an instruction's address.
 *
 * Order: at a divergent branch the side with fewer lanes runs first; if both sides are equal, the
 * side that does not jump. Waiting fragments resume in last-in, first-out order, as on an H200. At
 * a reconvergence point (compile/ptxas/joins.h) lanes wait for all lanes that can still reach it.
 * Fragments are merged at the entries of basic blocks. An entry compares its pc with a limit that
 * is either above or below all pcs, so the check costs one comparison. */
#pragma once

#include "code.h"

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
                              taken; UINT64_MAX: the warp had no other fragments */
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
    uint64_t leaves[SM_STORE_QUEUE_SLOTS]; /* when the last stores leave the queue to memory */
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
    uint64_t stack_bytes;     /* bytes of the thread's stack that this frame and its callers use */
    uint64_t local_base;      /* offset in local memory of the frame's local variables */
    bool allocates;           /* some lane has used alloca */
    uint64_t taken[SM_LANES]; /* bytes that each lane's alloca took after the local variables */
    struct sm_frame *next_free; /* next frame in the list of free frames */
    struct sm_frame *next_made; /* all frames of a worker, since a fault leaves frames in use */
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
    uint64_t time_slice; /* time slice in which it last ran; at a yield the oldest is next */
    const sm_insn *loop; /* the loop branch at which it yielded while polling; NULL: it does not */
    uint64_t hash;       /* hash of the fragment's registers at its last yield */
} sm_fragment;

/* Backward branches that a fragment (SM_BRANCHES_PER_FRAGMENT) or a warp (SM_BRANCHES_PER_WARP) may
 * take before another one runs. */
#define SM_BRANCHES_PER_FRAGMENT 64   /* backward branches in a time slice of a fragment */
#define SM_BRANCHES_PER_WARP     4096 /* backward branches in a time slice of a warp */
/* Time slices that one fragment may use alone before the fragments that wait for it where they
 * reconverge run anyway: its loop may depend on them although the code does not show this. */
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
    bool late;    /* it let other warps catch up since the last barrier (compile/ptxas/late.c) */
    uint8_t steps; /* how often, since the last barrier, the warp let other warps run before a load
                      (see compile/ptxas/late.c) */
    const sm_insn *yielded_at; /* instruction before which other warps have just run (see
                                  exec/async/mbarrier.c) */
    const sm_insn *napped_at;  /* where it slept last in a loop that may wait, in this time slice */
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
