/* The interface through which the race detector and other tools observe a launch. The caller of
 * launch_run lists the observers in sm_launch.observers; a launch without observers calls no
 * function of this file.
 *
 * An observer is a table of functions. An observer keeps one object for the launch and one for each
 * slot for a resident block; successive blocks reuse a slot. One host thread calls the launch_*
 * functions. The host thread that runs a block calls all other functions, for several blocks at the
 * same time. A function that an observer does not need is NULL, except those for the launch and
 * block_opens and block_closes. */
#pragma once

#include "warp.h"

/* What an instruction does to memory. */
typedef enum {
    SM_READS,  /* a load */
    SM_WRITES, /* a store */
    SM_UPDATES /* an atomic operation */
} sm_effect;   /* what an instruction does to memory */

/* The effect as a word of reports: "read", "wrote", "atomically updated"; "reads", "writes",
 * "updates"; "read", "write", "update". */
static inline const char *sm_effect_in_past(sm_effect e)
{
    return e == SM_READS ? "read" : e == SM_WRITES ? "wrote" : "atomically updated";
}

static inline const char *sm_effect_in_present(sm_effect e)
{
    return e == SM_READS ? "reads" : e == SM_WRITES ? "writes" : "updates";
}

static inline const char *sm_effect_name(sm_effect e)
{
    return e == SM_READS ? "read" : e == SM_WRITES ? "write" : "update";
}

/* State spaces whose accesses are reported to an observer: one bit each. Accesses to other spaces
 * use the fast paths. */
enum {
    SM_SEES_SHARED = 1, /* accesses to shared memory */
    SM_SEES_GLOBAL = 2, /* accesses to global memory */
    SM_SEES_LOCAL = 4,  /* accesses to local memory */
    SM_SEES_CONST = 8   /* accesses to constant memory */
};

/* The memory order of an access or a fence (PTX ISA 8.3). */
typedef enum {
    SM_WEAK,     /* no ordering: ld.weak, st.weak */
    SM_VOLATILE, /* ordered as SM_RELAXED, but not meant to synchronise threads */
    SM_RELAXED,  /* relaxed, such as ld.relaxed or st.relaxed */
    SM_ACQUIRE,  /* acquire, such as ld.acquire */
    SM_RELEASE,  /* release, such as st.release */
    SM_ACQ_REL   /* acquire and release: atom.acq_rel */
} sm_order;      /* memory order of an access or a fence */

/* The scope of an access or a fence (PTX ISA 8.5): the threads with which it is ordered. */
typedef enum {
    SM_SCOPE_CTA,     /* .cta: the threads of the block */
    SM_SCOPE_CLUSTER, /* .cluster: the threads of the cluster */
    SM_SCOPE_GPU,     /* .gpu: the threads of the device */
    SM_SCOPE_SYS      /* .sys: the threads of all devices and of the host */
} sm_scope;           /* threads with which an operation is ordered */

/* The known pattern of the addresses of an access: unknown; consecutive in lane order, with a mask
 * without gaps; one address for all lanes; or, of a full mask, four rows of eight lanes each, in
 * which addresses are consecutive, or one address for each row. */
typedef enum {
    SM_LAYOUT_UNKNOWN,              /* not known */
    SM_LAYOUT_CONSECUTIVE,          /* consecutive in lane order */
    SM_LAYOUT_SAME_ADDRESS,         /* one address for all lanes */
    SM_LAYOUT_ROWS,                 /* consecutive in each row of eight lanes */
    SM_LAYOUT_SAME_IN_ROWS          /* one address for each row of eight lanes */
} sm_access_layout;                 /* pattern of the addresses of an access */
#define SM_ROW  8u                  /* lanes of a row */
#define SM_ROWS (SM_LANES / SM_ROW) /* rows of a warp */

/* A memory access that is about to happen: instruction INSN of WARP accesses BYTES bytes at
 * address[lane] for each lane of MASK, in bounds and aligned. An address in shared memory is an
 * offset in the shared memory of the observed block, which in a cluster may differ from the warp's
 * block; an address in local memory is an offset in the lane's local memory; an address in global
 * or constant memory is a device address. Accesses to kernel parameters are not reported. */
typedef struct sm_access {
    const sm_warp *warp;     /* the accessing warp */
    const ptx_insn *insn;    /* the accessing instruction */
    uint32_t site;           /* number of INSN in the translated kernel (field `site` of sm_insn) */
    ptx_space space;         /* state space that is accessed */
    uint32_t mask;           /* lanes that access memory */
    const uint64_t *address; /* [SM_LANES] address of each lane */
    sm_access_layout layout; /* pattern of the addresses, if known */
    uint32_t bytes;          /* bytes that each lane accesses */
    sm_effect effect;        /* load, store or atomic */
    /* For st: the stored element k of lane l is the first bytes / elements bytes at warp->r +
     * slot[k] + l * lane_bytes. NULL: not a st; the values are unknown. */
    const uint32_t *slot; /* [elements] byte offset of each stored element in the register window */
    uint32_t elements, lane_bytes; /* elements per lane; bytes between two lanes in a slot */
} sm_access;

/* Why copies of cp.async become visible. */
typedef enum {
    SM_LANDS_AT_WAIT,     /* the lanes have waited for their groups */
    SM_LANDS_AT_MBARRIER, /* the copies arrive at an mbarrier that some thread tests */
    SM_LANDS_WITHOUT_WAIT /* more copies are in flight than a GPU could hold */
} sm_landing;             /* why copies of cp.async become visible */

struct sm_observer {
    bool serial;   /* blocks of a launch run on one host thread, in the order of their index */
    uint32_t sees; /* state spaces whose accesses the observer receives: SM_SEES_* bits */

    /* Does the observer receive events of this launch? NULL: of every launch. */
    bool (*wants)(const sm_grid *g);

    /* A launch begins; g->launch has its kernel, grid, block, parameters, number and stream.
     * Returns the launch's object; NULL: the host is out of memory. */
    void *(*launch_begins)(const sm_grid *g);
    /* The launch has been stopped; launch_ends follows. */
    void (*launch_faults)(void *launch, const sm_fault *fault);
    /* The launch ends. Releases its object and returns a malloc'd list of reports; NULL: none. */
    sm_report *(*launch_ends)(void *launch);

    /* A slot for resident blocks opens. B is the slot's sm_block; its block index changes with each
     * block. Returns the slot's object; NULL: the host is out of memory. */
    void *(*block_opens)(void *launch, const sm_block *b);
    void (*block_closes)(void *block);
    void (*block_begins)(void *block);
    void (*block_ends)(void *block); /* all threads of the block have exited */

    void (*access)(void *block, const sm_access *a);
    /* A quicker `access` for loads and stores of all lanes whose layout is known. Of A's addresses,
     * only those of the first lane of each row are filled in. False: A needs a closer look, and
     * `access` is called next, with all addresses. */
    bool (*regular_access)(void *block, const sm_access *a);
    /* All threads of the block have reached a barrier. */
    void (*block_barrier)(void *block);
    /* All threads of the cluster have reached its barrier; called for each block of the cluster. */
    void (*cluster_barrier)(void *block);
    /* A barrier ID of part of the block's threads (PTX ISA 9.7.13.1): LANES of WARP arrive; later
     * the barrier releases the warps of mask WARPS. */
    void (*barrier_arrives)(void *block, uint32_t id, uint32_t warp, uint32_t lanes);
    void (*barrier_releases)(void *block, uint32_t id, uint32_t warps);
    /* LANES of WARP have all reached bar.warp.sync (PTX ISA 9.7.13.2). */
    void (*warp_barrier)(void *block, uint32_t warp, uint32_t lanes);
    /* The running lanes of W execute membar or fence (9.7.13.4). */
    void (*fence)(void *block, const sm_warp *w, const ptx_insn *in);
    /* LANES, the active lanes of W, arrive at barrier ID of the block with instruction IN (bar or
     * barrier, PTX ISA 9.7.13.1). EXPECTED: its thread count operand; 0: it has none. */
    void (*threads_arrive)(void *block, const sm_warp *w, const ptx_insn *in, uint32_t id,
                           uint32_t expected);
    /* All threads that barrier ID expects have arrived; the next one is of the next phase. */
    void (*barrier_completes)(void *block, uint32_t id);
    /* The running lanes of W wait at IN for others of member mask MEMBER: shfl, vote, match, redux,
     * elect, bar.warp (9.7.9.6, 9.7.13). MISSING: lanes of MEMBER that have not arrived yet. */
    void (*lanes_wait)(void *block, const sm_warp *w, const ptx_insn *in, uint32_t member,
                       uint32_t missing);
    /* The lanes that waited with member mask MEMBER continue: all other lanes of MEMBER have
     * arrived or exited. */
    void (*lanes_complete)(void *block, const sm_warp *w, uint32_t member);
    /* LANE of W reads with shuffle IN from lane SOURCE, which has left the kernel or is past the
     * end of the block: the result is undefined (9.7.9.6), and zero here. */
    void (*reads_absent_lane)(void *block, const sm_warp *w, const ptx_insn *in, uint32_t lane,
                              uint32_t source);
    /* LANES of W exit. */
    void (*lanes_exit)(void *block, const sm_warp *w, uint32_t lanes);
    /* malloc() in device code returns BYTES bytes at ADDRESS to lane LANE of W. */
    void (*device_malloc)(void *block, const sm_warp *w, uint32_t lane, uint64_t address,
                          uint64_t bytes);
    /* free() in device code has freed ADDRESS, by call instruction IN of lane LANE of W. */
    void (*device_free)(void *block, const sm_warp *w, const ptx_insn *in, uint32_t lane,
                        uint64_t address);
    /* Lane LANE of W has requested work of the device runtime (sm_runtime_call.request), which may
     * begin. */
    void (*requests_work)(void *block, const sm_warp *w, uint32_t lane, uint32_t request);
    /* The running lanes of W execute a fence between the generic and the async proxy (9.7.13.4). */
    void (*proxy_fence)(void *block, const sm_warp *w);

    /* W is about to execute I, one PTX instruction (sm_site_insn), for the lanes of MASK. MASK is 0
     * if the guard is false for all lanes. If the function returns false, other warps run first,
     * and the function is called again when W runs next. Lanes that wait for other lanes at a shfl
     * or similar instruction execute it again, together, when the last lane has arrived. */
    bool (*insn_begins)(void *block, const sm_warp *w, const sm_insn *i, uint32_t mask);
    /* W has executed instruction I. WINDOW: the register window that I read and wrote. */
    void (*insn_ends)(void *block, const sm_warp *w, const sm_insn *i, uint32_t mask,
                      const uint8_t *window);
    /* Choose the warp that runs next. The result must be a runnable warp; NEXT: the scheduler's
     * choice. */
    uint32_t (*warp_chosen)(void *block, uint32_t next);
    /* Another observer has found the error R for the first time in this block. */
    void (*other_report)(void *block, const sm_report *r);

    /* An asynchronous copy (9.7.9.25.4) reads the block's shared memory, or global memory, when a
     * lane issues the copy. A's mask has one lane. */
    void (*copy_reads)(void *block, const sm_access *a);
    /* W issues an asynchronous copy. Returns a malloc'd object that records what W's block has
     * synchronized with so far, or NULL. The caller releases it with free(). */
    void *(*copy_issued)(void *block, const sm_warp *w);
    /* An asynchronous copy writes the block's shared memory, or global memory. A is the write; its
     * mask has the one lane that issued the copy. ISSUED: the object that copy_issued returned. */
    void (*copy_lands)(void *block, void *issued, const sm_access *a);
    /* The lanes of A's mask access guard zones of allocations (mem_set_guard_zones); `access`
     * reports the whole access too, to those that see global memory. */
    void (*array_overrun)(void *block, const sm_access *a);
    /* The active lanes of a warp store to a surface or reduce in it (PTX ISA 9.7.11). A is as for
     * `access`, with addresses in global memory. */
    void (*surface_writes)(void *block, const sm_access *a);
    /* A texture or surface instruction reads COUNT texels for A's only lane. TEXEL: their
     * addresses; the first one is also in A. */
    void (*texture_reads)(void *block, const sm_access *a, const uint64_t *texel, uint32_t count);
    /* Called after copy_lands for each contiguous piece of the asynchronous copy: the bytes of
     * READ, whose mask has one lane, go to address TO in SPACE. BLOCK is the object of the block
     * for which copy_lands was called, FROM the object of the block whose shared memory is read
     * (global memory: of the warp's block). REDUCES: the bytes are combined with those at TO. */
    void (*copy_transfers)(void *block, void *from, const sm_access *read, ptx_space space,
                           uint64_t to, bool reduces);
    /* Copies of cp.async (9.7.9.25.3) that A's lanes issued become visible; access() reported their
     * start. */
    void (*copies_land)(void *block, const sm_access *a, sm_landing why);
};

/* Add O to LIST, which ends with NULL. Returns false if the list is full. */
static inline bool sm_observer_append(const sm_observer *list[SM_OBSERVERS + 1],
                                      const sm_observer *o)
{
    uint32_t n = 0;
    while (list[n])
        n++;
    if (n == SM_OBSERVERS)
        return false;
    list[n] = o;
    list[n + 1] = NULL;
    return true;
}
