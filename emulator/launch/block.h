/* One block with all its state, reused for one block after another. Private to block.c and
 * resident.c. */
#ifndef WARPBOOK_BLOCK_H
#define WARPBOOK_BLOCK_H

#include "../sm/cluster.h"
#include "../sm/sched.h"
#include "patience.h"

typedef struct sm_room {
    sm_block block;
    sm_worker *worker;
    sm_warp *warp;
    struct sm_sched *sched;
    uint8_t *windows, *local;
    int64_t counted;      /* bytes that mem_count_working knows of */
    struct l1_slot *slot; /* the L1 of the block's SM; NULL: the block uses own_l1 */
    struct l1_model *own_l1;
    sm_sm_clock *clock, *own_clock; /* the clock in use, and the block's own; NULL: no code reads a
                                     * clock */
    struct sm_barriers barriers;
} sm_room;

/* Allocate room for the blocks with rank RANK of clusters that run in C; C->count is set. False:
 * the host is out of memory, and nothing is kept. */
bool sm_room_open(sm_room *r, sm_worker *k, sm_cluster *c, uint32_t rank);
void sm_room_close(sm_room *r);
/* Begin the block with linear index LINEAR in the grid. */
void sm_room_begin(sm_room *r, uint64_t linear);

/* sm_outlook_judge and sm_patience_report (patience.h) for the blocks of R. */
sm_outlook_verdict sm_resident_judge(sm_resident *r);
void sm_resident_report(const sm_resident *r);

#endif
