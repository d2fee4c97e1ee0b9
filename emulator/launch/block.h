/* A resident block's memory and state, used again. Private to block.c and resident.c. */
#pragma once

#include "../sm/barrier.h"
#include "../sm/cluster.h"
#include "patience.h"
#include "resident.h"

typedef struct launch_block_storage {
    sm_block block;           /* the resident block */
    sm_worker *worker;        /* the host thread that runs the block */
    sm_warp *warp;            /* [warps of the block] its warps */
    struct sm_sched *sched;   /* scheduler state of each warp: its fragments and frames */
    uint8_t *windows, *local; /* register windows and local memory of all warps */
    int64_t counted_bytes;    /* bytes of this storage that have been counted as host memory in use
                                 (mem_count_working_memory) */
    struct l1_slot *slot;     /* the L1 of the block's SM; NULL: the block uses own_l1 */
    struct l1_model *own_l1;  /* L1 for a block that does not share the L1 of its SM */
    sm_clock *clock, *own_clock; /* the modelled clock in use; the clock that belongs to this block
                                    alone; NULL: no code reads a clock */
    struct sm_barriers barriers; /* barriers of the block */
} launch_block_storage;

/* Allocate the state of a block with rank RANK in cluster C; C->count must be set. Returns false,
 * with everything released, if the host is out of memory. */
bool launch_block_storage_open(launch_block_storage *r, sm_worker *k, sm_cluster *c, uint32_t rank);
void launch_block_storage_close(launch_block_storage *r);
/* Initialize R for the block with linear index LINEAR in the grid. */
void launch_block_storage_begin(launch_block_storage *r, uint64_t linear);

/* Decide whether the blocks of R make progress. launch_resident_report_stuck stops the launch with
 * a report that they make none. */
launch_progress_verdict launch_judge_progress(launch_resident *r);
void launch_resident_report_stuck(const launch_resident *r);

/* SM_RESERVED_SHARED_BYTES if code of unit U uses the reserved bytes, otherwise 0. */
uint64_t launch_reserved_shared_bytes(const sm_unit *u);
