/* Inside an SM: code, warps, fragments, blocks. Only files of this room include it.
 *
 * A warp's registers lie in a window: for each register 32 lanes side by side, 4 bytes a lane (8
 * for 64-bit registers, 16 for b128); a predicate is one 32-bit mask. Values narrower than 32 bits
 * are kept zero-extended. Immediates and addresses of variables are registers too, filled in when
 * the window is made and never written. Operands are byte offsets into the window.
 *
 * A warp is a set of fragments (pc, mask). The lowest pc of the deepest frame runs, fragments
 * merge where they meet, and after many backward branches another gets its turn, so lanes make
 * independent progress. */
#ifndef WARPBOOK_WARP_H
#define WARPBOOK_WARP_H

#include "../memory/memory.h"
#include "sm.h"

#include <stdint.h>

#define SM_LANES 32u
#define SM_FULL  UINT32_MAX

/* Windows of the generic address space that no host or device address falls into. */
#define SM_SHARED_WINDOW UINT64_C(0x0100000000000000)
#define SM_LOCAL_WINDOW  UINT64_C(0x0200000000000000)
#define SM_PARAM_WINDOW  UINT64_C(0x0300000000000000)
#define SM_WINDOW_MASK   UINT64_C(0xff00000000000000)

typedef struct sm_insn sm_insn;
typedef struct sm_warp sm_warp;
typedef struct sm_block sm_block;
typedef struct sm_worker sm_worker;
typedef struct sm_sm_clock sm_sm_clock;   /* clock/sm_clock.h: of an SM */
typedef struct sm_sms_clock sm_sms_clock; /* and of all SMs of a launch */

/* Runs one instruction for the lanes of w->mask; returns the next one to run, or NULL when the
 * fragment must stop here (parked, exited, faulted, yielded): then w->fragment says why. */
typedef const sm_insn *(*sm_fn)(sm_warp *w, const sm_insn *i);

/* One instruction as it runs; 64 bytes. Slots hold byte offsets into the register window. Slot
 * order: d, then q of a pair, then sources as written; absent ones are 0 (a scratch register). */
struct sm_insn {
    sm_fn fn;
    uint32_t d, q, a, b, c, e;
    uint64_t imm;      /* [reg+imm]: added to the address; else the handler's own */
    uint32_t site;     /* unique in the kernel and all that it calls: statistics, sm_site_insn */
    uint16_t mode;     /* the handler's own: access bytes, comparison, ... */
    uint8_t vec;       /* elements of a vector access, from 1 */
    uint8_t flags;     /* SM_I_* */
    uint32_t memo;     /* loads and stores: SM_MEMO_* */
    const void *extra; /* vector operand slots (const uint32_t *), call or branch record */
};
_Static_assert(sizeof(struct sm_insn) == 64, "an instruction is one cache line");

enum {
    SM_I_GUARDED = 1,   /* runs under a guard; w->mask is already narrowed */
    SM_I_UNIFORM_A = 2, /* operand a is the same in every lane: an immediate or a variable */
    SM_I_UNIFORM_B = 4,
    SM_I_UNIFORM_C = 8,
    SM_I_IN_WAIT = 16 /* in a loop that may wait: its branch gives way, waits.h */
};

/* Loads and stores of one basic block often share an address register: what the first of them finds
 * out about the distances between the lanes' addresses holds for those after it, offsets apart.
 * sm_insn.memo is 0, or the number of a memo from 1, with SM_MEMO_KNOWN where an instruction before
 * this one in the block has made it and neither register nor lanes have changed since. Memos are
 * made for all lanes or not at all. */
#define SM_MEMOS 8u
enum { SM_MEMO_INDEX = 0xff, SM_MEMO_KNOWN = 0x100 };

typedef struct sm_memo {
    uint32_t low, high; /* shared memory: the lowest and the highest address, */
    int32_t distance;   /* from lane to lane, throughout or, */
    bool rows;          /* with this, within every eight lanes, */
    site_stats add;     /* and what the request counts; global: nothing but that it is
                           a run or one address */
} sm_memo;

/* What a warp sees of its surroundings while one of its fragments runs. */
struct sm_warp {
    uint8_t *r;               /* current register window, 64-byte aligned */
    uint32_t mask;            /* lanes that execute now: the fragment's, narrowed by a guard */
    uint32_t exited;          /* lanes that are gone */
    uint32_t carry;           /* CC.CF of each lane */
    uint32_t index;           /* in the block */
    uint32_t lanes;           /* mask of the lanes that exist: the last warp may be short */
    uint32_t cluster_arrived; /* lanes that have arrived at the cluster's barrier and not waited, */
    uint32_t cluster_phase;   /* and the parity of the phase that each of them did so in */
    sm_block *block;
    sm_worker *worker;
    uint32_t tid[3][SM_LANES];
    uint8_t *local; /* local memory: lane l's bytes begin at l * local_stride */
    uint64_t local_stride;
    struct sm_sched *sched;       /* fragments, frames, parked lanes: sched.c's own */
    uint32_t effort[WORK_FIELDS]; /* effort.h: since it last stopped */
    uint32_t once;                /* rounds of waiting, a bit each, since it began */
    uint32_t memo_live; /* bit k: memo[k] is of the block that runs; cleared at every switch */
    sm_memo memo[SM_MEMOS];
    /* -1 or 0 for each lane of `lane_on_mask`; sm_set_mask makes that `mask` */
    uint32_t lane_on_mask;
    int32_t lane_on[SM_LANES] __attribute__((aligned(64)));
};

/* Who watches a block or a launch, with what they keep of it: observer.h. The first without `by`
 * ends the list. */
#define SM_OBSERVERS 4
typedef struct sm_observed {
    const sm_observer *by;
    void *state;
} sm_observed;

/* A block while it is resident. */
struct sm_block {
    uint32_t id[3];
    uint64_t linear; /* index in the grid, x fastest */
    uint32_t warp_count, thread_count;
    uint8_t *shared; /* [shared_bytes], poisoned at the start of every block */
    uint64_t shared_bytes;
    sm_warp *warp;        /* [warp_count] */
    struct sm_grid *grid; /* what all blocks of the launch share */
    struct sm_barriers *barriers;
    bool observed; /* somebody watches it: observer.h */
    sm_observed observer[SM_OBSERVERS];
    struct sm_cluster *cluster;
    uint32_t rank;        /* in the cluster */
    uint32_t shared_base; /* where its own shared memory begins in that of the cluster */
};

/* What every block of one launch shares; read-only while it runs. */
typedef struct sm_grid {
    const sm_launch *launch;
    const struct sm_code *code; /* the kernel's */
    const struct sm_unit *unit; /* the kernel and every function that it may call */
    const mem_map *map;
    const uint8_t *params;
    uint64_t shared_bytes;              /* static plus dynamic plus reserved */
    uint64_t reserved_at;               /* where the reserved ones begin */
    struct sm_fault_box *fault;         /* first fault wins; workers stop when it is set */
    struct sm_output *output;           /* what device printf wrote */
    struct l1_sms *l1;                  /* modelled L1s, one an SM */
    sm_sms_clock *clocks;               /* NULL: no code reads a clock */
    const sm_cycles *cycles;            /* what warps' clocks are made of */
    double clock_mhz;                   /* of the SM */
    sm_observed observed[SM_OBSERVERS]; /* who watches the launch: observer.h */
    block_work *work;                   /* of each block, [blocks]; NULL: too many */
    bool strict;                        /* one of them is */
    uint64_t workspace;  /* device address of a cooperative launch's grid barrier, or 0 */
    uint32_t cluster[3]; /* blocks of a cluster in each direction */
    bool clusters;       /* the launch, or the kernel, says so */
} sm_grid;

/* A host thread that runs blocks. Statistics are its own and summed at the end. */
struct sm_worker {
    sm_grid *grid;
    site_stats *site; /* by sm_insn.site, memory instructions only */
    struct sm_visits {
        uint64_t times, lanes; /* times that a warp entered, its lanes summed */
    } * visits;                /* [basic blocks of the unit] */
    launch_work work;          /* effort.h; `block` is the grid's */
    counters extra;            /* counted directly rather than from sites */
    bool counting;             /* accesses are: sites, L1, footprint */
    const mem_range *hint[2];  /* ranges of the last global accesses, the latest first */
    mem_touches touched;
    struct l1_model *l1;           /* modelled, of the SM that the block runs on */
    struct sm_frame **free_frames; /* [codes of the unit]: for reuse */
    struct sm_frame *frames;       /* all that were made */
    sm_sm_clock *clock;      /* of the SM that the block runs on; NULL: no code reads a clock */
    uint64_t changes;        /* atomic operations that changed global memory */
    uint64_t shared_changes; /* likewise shared memory */
    struct sm_waits *waits;  /* waits.c's own; NULL: nothing has waited yet */
    struct sm_l2 *l2;        /* l2.c's own; NULL: no atomic operation yet */
};

static inline uint32_t sm_lane_count(uint32_t mask)
{
    return mask == SM_FULL ? SM_LANES : (uint32_t)__builtin_popcount(mask);
}

static inline void sm_set_mask(sm_warp *w, uint32_t mask)
{
    static const uint32_t bit[SM_LANES] __attribute__((aligned(64))) = {
        1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
        1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
        1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
        1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};
    w->mask = mask;
    if (w->lane_on_mask == mask) {
        return;
    }
    w->lane_on_mask = mask;
    for (uint32_t l = 0; l < SM_LANES; l++) {
        w->lane_on[l] = mask & bit[l] ? -1 : 0;
    }
}

/* Stop the launch with a fault at instruction I, of the first lane of LANES; returns NULL so that
 * a handler can `return sm_stop(...)`. FORMAT makes the first sentence; the place, thread and
 * block are added. */
const sm_insn *sm_stop(sm_warp *w, const sm_insn *i, sm_fault_kind kind, uint32_t lanes,
                       uint64_t address, uint32_t size, ptx_space space, const char *format, ...)
    __attribute__((format(printf, 8, 9)));

/* The parsed instruction behind I. */
const ptx_insn *sm_site_insn(const sm_warp *w, const sm_insn *i);

/* Host pointer for SIZE bytes that lane LANE would reach through a generic address, of shared,
 * local, parameter, global or constant memory; NULL where they are not all there. */
void *sm_generic_host(const sm_warp *w, uint32_t lane, uint64_t address, uint64_t size);

/* Which handler runs an instruction. Fills what the translator cannot know (mode, imm, extra) and
 * returns NULL when the form is not there. The translator has filled the slots already. */
typedef struct sm_translation sm_translation; /* code.h */
typedef sm_fn (*sm_selector)(sm_translation *t, const ptx_insn *in, sm_insn *out);

#endif
