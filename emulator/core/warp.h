/* Execution state of the emulator: instructions, warps, blocks, grids and host threads. Private to
 * the rooms that compile, run and observe code.
 *
 * A warp's registers are stored in a register window. Each register has 32 adjacent lanes of 4
 * bytes (8 for 64-bit registers, 16 for b128); a predicate takes one 32-bit mask. Values narrower
 * than 32 bits are kept zero-extended. Immediates and addresses of variables are registers too:
 * they are filled in when the window is made and never written. Instruction operands are byte
 * offsets into the window.
 *
 * A warp is a set of fragments, each a pc and a mask of lanes. sm/sched.h says which fragment runs
 * and where fragments merge. After many backward branches another fragment gets a time slice, so
 * that all lanes make progress independently. */
#pragma once

#include "../memory/memory.h"
#include "sm.h"

#include <stdint.h>

#define SM_LANES 32u        /* lanes of a warp */
#define SM_FULL  UINT32_MAX /* mask of all lanes of a warp */
/* For each lane L of MASK, from the lowest. */
#define SM_EACH_LANE(l, mask)                                                                      \
    for (uint32_t l##_rest = (mask), l; l##_rest && (l = (uint32_t)__builtin_ctz(l##_rest), true); \
         l##_rest &= l##_rest - 1)

/* Windows of the generic address space, in which no host or device address lies. */
#define SM_SHARED_WINDOW UINT64_C(0x0100000000000000) /* start of shared memory */
#define SM_LOCAL_WINDOW  UINT64_C(0x0200000000000000) /* start of local memory */
#define SM_PARAM_WINDOW  UINT64_C(0x0300000000000000) /* start of kernel parameters */
#define SM_WINDOW_MASK   UINT64_C(0xff00000000000000) /* bits that name the window */

typedef struct sm_insn sm_insn;             /* a translated instruction */
typedef struct sm_warp sm_warp;             /* a warp of a resident block */
typedef struct sm_block sm_block;           /* a resident block */
typedef struct sm_worker sm_worker;         /* a host thread that runs blocks */
typedef struct sm_clock sm_clock;           /* the modelled clock of an SM: clock/sm_clock.h */
typedef struct sm_all_clocks sm_all_clocks; /* the clocks of all SMs of a launch */

/* Execute one instruction for the lanes of w->mask. Returns the next instruction to run, or NULL if
 * the warp must stop, because it waits, is done, has a fault or has used up its time slice. */
typedef const sm_insn *(*sm_fn)(sm_warp *w, const sm_insn *i);

/* One translated instruction; 64 bytes. Operands are given as slots. Slots are byte offsets into
 * the register window, in this order: d, then q for the second of two results, then the sources as
 * written. An absent operand is slot 0, a scratch register. */
struct sm_insn {
    sm_fn fn;
    uint32_t d, q, a, b, c, e;
    uint64_t imm;  /* offset added to an address; otherwise free for the handler */
    uint32_t site; /* its number among those of the kernel and all functions that it calls */
    uint16_t mode; /* its meaning depends on the handler: for instance the size of an access, or the
                      kind of a comparison */
    uint8_t vec;   /* number of elements of a vector access; 1 for a scalar */
    uint8_t flags; /* SM_I_* bits */
    uint32_t memo; /* for loads and stores: number of the address memo (see SM_ADDRESS_MEMOS), and
                      SM_MEMO_KNOWN */
    const void *extra; /* further data, such as the slots of a vector operand or an sm_call */
};
_Static_assert(sizeof(struct sm_insn) == 64, "an instruction is one cache line");

enum {
    SM_I_GUARDED = 1,   /* has a guard predicate; w->mask has only lanes whose guard is true */
    SM_I_UNIFORM_A = 2, /* a is the same in all lanes: an immediate or a variable's address */
    SM_I_UNIFORM_B = 4, /* operand b is the same in all lanes */
    SM_I_UNIFORM_C = 8, /* operand c is the same in all lanes */
    SM_I_IN_WAIT = 16,  /* a branch in a loop that may wait for other threads: sm/waits.h */
    SM_I_PTX = 32,      /* executes a PTX instruction; without this flag, only prepares for one */
    SM_I_SKIPS = 64 /* a branch that the translator made from a guard: lanes for which it is taken
                       skip that guarded instruction */
};

/* Bits of field `mode` of loads, stores and atomics: bytes of a lane's whole access, and flags. */
enum {
    SM_M_BYTES = 0x3f,    /* bits with the size of a lane's access */
    SM_M_ADDR32 = 0x40,   /* the address register has 32-bit lanes */
    SM_M_STRONG = 0x80,   /* volatile, relaxed, acquire, ...: one host access per element */
    SM_M_BYPASS = 0x100,  /* the access bypasses L1 */
    SM_M_GENERIC = 0x200, /* generic address: the address determines the space */
    SM_M_STORE = 0x400,   /* st: its handlers have another operand layout than ld's */
    SM_M_LANE8 = 0x800,   /* st: registers have 8 bytes per lane although elements are narrower */
    SM_M_STREAM = 0x1000  /* L2 replaces the line of the access before others */
};

/* Loads and stores in one basic block often share an address register. The first instruction stores
 * the distances between the lanes' addresses in a memo; the memo is valid for the later
 * instructions too, whatever their offsets. sm_insn.memo is 0 or the number of a memo, counted
 * from 1. SM_MEMO_KNOWN says that an earlier instruction of the basic block has filled in the memo
 * and that neither the register nor the set of lanes has changed since. A memo is made only if all
 * lanes of the warp are active. */
#define SM_ADDRESS_MEMOS 8u /* number of address memos of a warp */
enum {
    SM_MEMO_INDEX_MASK = 0xff, /* bits of sm_insn.memo that hold the number of the memo */
    SM_MEMO_KNOWN = 0x100      /* bit of sm_insn.memo: an earlier instruction has filled the memo */
};

/* The addresses that a load or store used when all lanes were active, for later accesses through
 * the same address register. For global memory only sm_warp.memo_live is used. */
typedef struct sm_address_memo {
    insn_stats add;   /* for shared memory: what one such request adds to the statistics */
    uint64_t cap;     /* for shared memory: largest offset of the first byte with all in bounds */
    uint32_t low;     /* for shared memory: lowest address of all lanes */
    int32_t distance; /* distance in bytes from each lane's address to the next lane's */
    bool rows;        /* the distance holds only within each group of eight lanes */
} __attribute__((aligned(32))) sm_address_memo;

/* A warp: its lanes, its registers, and the running fragment (a group of converged lanes). */
struct sm_warp {
    uint8_t *r;      /* current register window, 64-byte aligned */
    uint32_t mask;   /* active lanes: lanes of the running fragment whose guard is true */
    uint32_t exited; /* lanes that have exited */
    uint32_t carry;  /* carry flag (CC.CF), one bit per lane */
    uint32_t index;  /* number of the warp in its block */
    uint32_t lanes;  /* mask of lanes that have a thread; the last warp may have fewer than 32 */
    uint32_t cluster_arrived;  /* lanes that arrived at the cluster barrier but have not waited */
    uint32_t cluster_phase;    /* for each lane in cluster_arrived, the parity of its phase */
    sm_block *block;           /* the block to which the warp belongs */
    sm_worker *worker;         /* the host thread that runs the warp */
    uint32_t tid[3][SM_LANES]; /* threadIdx of each lane: x, y, z */
    uint8_t *local;            /* local memory: lane l's bytes begin at l * local_stride */
    uint64_t local_stride;     /* bytes between the local memory of two lanes */
    struct sm_sched *sched;    /* fragments, frames, waiting lanes: sm/sched.h */
    struct sm_visits *visits;  /* the worker's counts of executed basic blocks */
    uint32_t effort[WORK_FIELDS]; /* work of the warp that has not been added to sm_sched.effort yet
                                     (sm/effort.h) */
    uint32_t once; /* a bit for each wait for memory (sm_block_info.once) counted for this warp */
    /* the warp's last store to global memory, if it has not loaded from there since: its first and
     * its last sector, how many sectors it wrote (0: none), and how many stores in a row wrote them
     */
    struct {
        uint64_t first, last;
        uint32_t sectors, times;
    } stored;
    uint32_t memo_live; /* bit k: address memo k is valid; cleared when another fragment runs */
    sm_address_memo memo[SM_ADDRESS_MEMOS];
    /* lane_on[k] is -1 if lane k is in lane_on_mask, else 0; sm_set_mask updates both */
    uint32_t lane_on_mask;                                  /* the mask that lane_on represents */
    int32_t lane_on[SM_LANES] __attribute__((aligned(64))); /* -1: the lane is in lane_on_mask */
};

/* Bytes of shared memory reserved after the program's own for cooperative groups of several warps
 * (PTX ISA 10.30, %reserved_smem_offset). */
#define SM_RESERVED_SHARED_BYTES 1024

/* The largest number of observers of a launch. A list of sm_observed, an observer and its object
 * for a launch or a block (observer.h), ends at the first element with by == NULL. */
#define SM_OBSERVERS      8 /* most observers of a launch */
#define SM_SEES_BIT_COUNT 4 /* number of SM_SEES_* bits */
typedef struct sm_observed {
    const sm_observer *by; /* the observer; NULL: end of the list */
    void *state;           /* the observer's object for the launch or the block */
} sm_observed;

/* A block while it is resident. */
struct sm_block {
    uint32_t id[3];                    /* blockIdx: x, y, z */
    uint64_t linear;                   /* index in the grid, x fastest */
    uint32_t warp_count, thread_count; /* warps and threads of the block */
    uint8_t *shared; /* [shared_bytes] the block's shared memory, filled with a poison value when a
                        block begins */
    uint64_t shared_bytes;        /* bytes of the block's shared memory */
    sm_warp *warp;                /* [warp_count] warps of the block */
    struct sm_grid *grid;         /* state that all blocks of the launch share */
    struct sm_barriers *barriers; /* state of the block's barriers */
    bool observed;                /* the block has at least one observer */
    bool followed; /* at least one observer receives every instruction: sm/follow.h */
    sm_observed observer[SM_OBSERVERS]; /* observers of the block, with their objects */
    /* Those of `observer` that see accesses to shared memory, global memory and so on: one list for
     * each SM_SEES_* bit. */
    sm_observed sees[SM_SEES_BIT_COUNT][SM_OBSERVERS]; /* one list for each state space */
    struct sm_cluster *cluster;                        /* cluster of the block; NULL: none */
    uint32_t rank;                                     /* rank of the block in its cluster */
    uint32_t shared_base;     /* offset of the block's shared memory in that of the cluster */
    struct sm_copies *copies; /* cp.async in flight: sm/async/copies.h; NULL: none yet */
};

/* Functions that roll back statistics when an iteration of a loop only waited (sm/waits.h): `mark`
 * begins an iteration, `undo` removes what was recorded since the last mark. */
typedef struct sm_rollback {
    void (*mark)(sm_worker *k);
    void (*undo)(sm_worker *k);
} sm_rollback;

/* State that all blocks of one launch share; constant while the grid runs. */
typedef struct sm_grid {
    const sm_launch *launch;    /* the launch, as described by its caller */
    const struct sm_code *code; /* code of the kernel */
    const struct sm_unit *unit; /* the kernel and every function that it may call */
    const mem_map *map;         /* snapshot of device memory */
    const uint8_t *params;      /* parameters of the kernel */
    uint64_t shared_bytes;      /* static, dynamic and reserved shared memory together */
    uint64_t reserved_at;       /* offset of the reserved shared memory */
    struct sm_fault_box *fault; /* the first fault of the launch; all workers stop when it is set */
    struct sm_output *output;   /* text printed by device printf */
    struct l1_sms *l1;          /* modelled L1 caches, one per SM */
    sm_all_clocks *clocks;      /* modelled clocks of all SMs; NULL: no code reads a clock */
    const sm_cycles *cycles;    /* latencies from which warps' clocks are computed */
    const sm_rollback *rollback;   /* rolls back the statistics of atomics at L2: profiler/l2.h */
    double clock_mhz;              /* clock rate of an SM */
    uint64_t blocks_without_place; /* blocks that have not begun while those that wait take all the
                                      places of the device */
    sm_observed observed[SM_OBSERVERS]; /* observers of the launch: observer.h */
    block_work *work; /* [blocks] modelled work of each block; NULL: too many blocks */
    uint32_t sees;    /* state spaces that at least one observer sees: SM_SEES_* bits */
    struct launch_time_limit *patience; /* detects launches that never end; only launch/ uses it */
    uint64_t workspace;  /* device address of a cooperative launch's grid barrier, or 0 */
    uint32_t cluster[3]; /* blocks per cluster in each direction */
    bool clusters;       /* the launch or the kernel uses clusters */
} sm_grid;

/* A host thread that runs blocks. Each has its own statistics, summed at the end. */
struct sm_worker {
    sm_grid *grid;
    insn_stats *site; /* [site_count] statistics of each memory instruction of the unit */
    struct sm_visits {
        uint64_t times, lanes; /* times that a warp entered the block; sum of its active lanes */
    } * visits;       /* [visit_count of the unit] how often each basic block was executed */
    launch_work work; /* work of the blocks (sm/effort.h); the grid owns work.block */
    counters extra;   /* counters of events that belong to no instruction */
    bool counting;    /* memory accesses are counted (statistics, L1, touched memory) */
    uint8_t sees;     /* state spaces that at least one observer sees: SM_SEES_* bits */
    const mem_range *hint[2];    /* ranges last accessed in global memory, the last one first */
    mem_pending_touches touched; /* touched sectors that are not marked in the launch's footprint
                                    yet (memory/memory.h) */
    struct l1_model *l1;         /* modelled L1 cache of the SM on which the block runs */
    struct sm_frame *
        *free_frames; /* [code_count of the unit] frames of each function that are free for reuse */
    struct sm_frame *frames; /* all frames that this worker has allocated */
    sm_clock
        *clock; /* modelled clock of the SM on which the block runs; NULL: no code reads a clock */
    uint64_t cpu_ns; /* CPU time of the host thread at its last progress check: launch/patience.h */
    uint64_t changes;         /* number of atomic operations that changed global memory */
    uint64_t shared_changes;  /* number of atomic operations that changed shared memory */
    uint32_t atom_wavefronts; /* wavefronts of the last counted atomic request to shared memory */
    struct sm_waits *waits;   /* data for finding polling loops; NULL: no warp has polled yet */
    struct profiler_passages *passages; /* waiting for words of other blocks (profiler/passages.c);
                                           NULL: the code does not */
    struct profiler_l2 *l2; /* counts of atomic operations at L2 (profiler/l2.c); NULL: none yet */
};

static inline uint32_t sm_lane_count(uint32_t mask)
{
#ifdef __POPCNT__
    return (uint32_t)__builtin_popcount(mask);
#else
    return mask == SM_FULL ? SM_LANES : (uint32_t)__builtin_popcount(mask);
#endif
}

static inline void sm_set_mask(sm_warp *w, uint32_t mask)
{
    static const uint32_t bit[SM_LANES] __attribute__((aligned(64))) = {
        1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
        1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
        1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
        1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};
    w->mask = mask;
    if (w->lane_on_mask == mask)
        return;
    w->lane_on_mask = mask;
    for (uint32_t l = 0; l < SM_LANES; l++)
        w->lane_on[l] = mask & bit[l] ? -1 : 0;
}

/* SM_R(type, w, slot): the 32 lanes of the register of warp W at SLOT, as an array of TYPE. */
#define SM_R(type, w, slot) ((type *)__builtin_assume_aligned((w)->r + (slot), 64))
/* SM_P(w, slot): the predicate register of warp W at SLOT, a mask of 32 bits. */
#define SM_P(w, slot) (*(uint32_t *)((w)->r + (slot)))
