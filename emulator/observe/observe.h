/* Tells the observers of a launch (core/observer.h) of the events of its blocks. */
#pragma once

#include "../core/observer.h"

/* --- functions that the SM calls if sm_block.observed is set ---------------------------------- */

/* Start all observers of the NULL-terminated list BY on grid G: fills g->observed and g->sees.
 * Returns false, with everything released, if the host is out of memory. */
bool observe_launch_begins(sm_grid *g, const sm_observer *const *by);
bool observe_wants_serial(const sm_observer *const *by);
void observe_launch_faults(sm_grid *g, const sm_fault *fault);
/* End all observers of G. Returns their reports as one list; NULL: no reports. */
sm_report *observe_launch_ends(sm_grid *g);
/* Release a list of reports, which may be NULL. */
void observe_free_reports(sm_report *list);

bool observe_block_open(sm_block *b);
void observe_block_close(sm_block *b);
void observe_block_begins(const sm_block *b);
void observe_block_ends(const sm_block *b);

/* The list of B's observers that see SPACE, which is shared or global. */
static inline const sm_observed *sm_observers_of_space(const sm_block *b, ptx_space space)
{
    return b->sees[space == PTX_SPACE_SHARED ? __builtin_ctz(SM_SEES_SHARED)
                                             : __builtin_ctz(SM_SEES_GLOBAL)];
}
/* Report access A to the observers that see its state space. B is the block whose shared memory is
 * accessed; for other spaces, the warp's block. */
void observe_access(const sm_block *b, const sm_access *a);
/* Report an access of one lane to shared memory at OFFSET. */
void observe_lane_access(const sm_block *b, const sm_warp *w, const sm_insn *i, uint32_t lane,
                         uint64_t offset, uint32_t bytes, sm_effect effect);
void observe_block_barrier(const sm_block *b);
void observe_cluster_barrier(const sm_block *b);
void observe_barrier_arrival(const sm_warp *w, uint32_t id);
void observe_barrier_release(const sm_block *b, uint32_t id, uint32_t warps);
void observe_warp_barrier(const sm_warp *w, uint32_t lanes);
void observe_fence(const sm_warp *w, const sm_insn *i);
void observe_threads_arrive(const sm_warp *w, const sm_insn *i, uint32_t id, uint32_t expected);
void observe_barrier_completes(const sm_block *b, uint32_t id);
void observe_lanes_wait(const sm_warp *w, const sm_insn *i, uint32_t member, uint32_t missing);
void observe_lanes_reconverge(const sm_warp *w, uint32_t member);
void observe_absent_lane(const sm_warp *w, const sm_insn *i, uint32_t lane, uint32_t source);
void observe_lanes_exit(const sm_warp *w, uint32_t lanes);
void observe_heap_alloc(const sm_warp *w, uint32_t lane, uint64_t address, uint64_t bytes);
void observe_heap_free(const sm_warp *w, const sm_insn *i, uint32_t lane, uint64_t address);
void observe_requests_work(const sm_warp *w, uint32_t lane, uint32_t request);
void observe_proxy_fence(const sm_warp *w);

bool observe_insn_begins(const sm_warp *w, const sm_insn *i, uint32_t mask);
void observe_insn_ends(const sm_warp *w, const sm_insn *i, uint32_t mask, const uint8_t *window);
uint32_t observe_warp_chosen(const sm_block *b, uint32_t next);
void observe_report(const sm_block *b, const sm_report *r);

/* Report that an asynchronous copy reads memory. SPACE is shared, and B is the block that owns the
 * memory; or SPACE is global, and B is the warp's block. */
void observe_copy_reads(const sm_block *b, const sm_warp *w, const sm_insn *i, uint32_t lane,
                        ptx_space space, uint64_t address, uint32_t bytes);
/* Warp W issues an asynchronous copy: fill ISSUED with an object that each observer makes for the
 * copy. observe_release_copy_objects releases the objects. */
void observe_copy_issued(const sm_warp *w, void *issued[SM_OBSERVERS]);
void observe_copy_lands(const sm_block *b, void *issued[SM_OBSERVERS], const sm_warp *w,
                        const sm_insn *i, uint32_t lane, ptx_space space, uint64_t address,
                        uint32_t bytes, sm_effect effect);
/* Report that lane LANE of W reads COUNT texels of BYTES bytes each. */
void observe_texture_reads(const sm_warp *w, const sm_insn *i, uint32_t lane, const uint64_t *texel,
                           uint32_t count, uint32_t bytes);
/* Report that LANES of W access BYTES bytes each at ADDRESS[lane], in guard zones. */
void observe_array_overrun(const sm_warp *w, const sm_insn *i, uint32_t lanes,
                           const uint64_t address[SM_LANES], uint32_t bytes, sm_effect effect);
/* Report a store to a surface. */
void observe_surface_writes(const sm_access *a);
/* Report that cp.async copies of LANES of W become visible: BYTES bytes of each lane at
 * OFFSET[lane] in the block's shared memory. */
void observe_copies_land(const sm_warp *w, const sm_insn *i, uint32_t lanes,
                         const uint64_t offset[SM_LANES], uint32_t bytes, sm_landing why);
/* Does an observer of block B need the bytes that asynchronous copies transfer? */
bool observe_needs_copied_bytes(const sm_block *b);
/* A piece of an asynchronous copy by lane LANE of W: BYTES bytes at FROM in FROM_SPACE, of block
 * FROM_BLOCK, go to TO in SPACE, of block TO_BLOCK. */
typedef struct sm_copied {
    const sm_warp *warp;  /* the warp that issued the copy */
    const sm_insn *insn;  /* the instruction that issued the copy */
    uint32_t lane, bytes; /* lane that issued the copy; size of the piece in bytes */
    const sm_block *from_block, *to_block; /* blocks that own the shared memory read and written;
                                              for other memory, the warp's block */
    ptx_space from_space, space; /* state space that is read; state space that is written */
    uint64_t from, to;           /* source and destination address */
    bool reduces;                /* the bytes are combined with those at the destination */
} sm_copied;
void observe_copied_bytes(const sm_copied *c);
void observe_release_copy_objects(void *const issued[SM_OBSERVERS]);

/* The memory order and the scope that the modifiers of IN give: a load, store, atomic operation,
 * mbarrier operation or fence. */
sm_order observe_order_of(const ptx_insn *in);
sm_scope observe_scope_of(const ptx_insn *in);

/* Copy to VALUE the a->bytes bytes that lane LANE of A, a store instruction, writes to memory.
 * Returns false if they are unknown. */
bool observe_access_value(const sm_access *a, uint32_t lane, void *value);
