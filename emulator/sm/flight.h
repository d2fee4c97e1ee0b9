/* Asynchronous copies that are under way: bulk copies and reductions (PTX ISA 9.7.9.25.4), st.async
 * and red.async (9.7.9.12, 9.7.13.7). Inside the SM.
 *
 * A GPU may make such a copy at any time from its issue until somebody has waited for it. Here it
 * is made as late as that, so that a program which forgets to wait finds what was there before:
 * when a thread waits at the mbarrier that the copy tells of its bytes, or waits for the group that
 * it was committed to; at the latest when nothing in the cluster goes on without, or when the block
 * that issued it ends. */
#ifndef WARPBOOK_FLIGHT_H
#define WARPBOOK_FLIGHT_H

#include "../core/observer.h"
#include "box.h"
#include "mbarrier.h"
#include "sched.h"

typedef struct sm_flight {
    const sm_insn *insn; /* by lane `lane` of `warp` */
    sm_warp *warp;
    uint32_t lane;
    uint32_t bytes;
    sm_combine combine;  /* NULL: copies */
    const uint8_t *from; /* NULL: `value` */
    uint8_t value[16];
    uint8_t *to;
    uint64_t to_address; /* device address of the destination, if that is global memory */
    sm_block *to_block; /* NULL: global memory */
    uint64_t to_offset;
    const sm_box *box; /* of a tensor, which comes to `to_block` or, without one, goes from `from`,
                        * byte `from_offset` of shared memory; sm_flights_add copies it */
    uint64_t from_offset;
    sm_mbarrier bar;            /* block NULL: none, but */
    uint64_t group;             /* the thread's, from 1; 0: not committed yet */
    void *issued[SM_OBSERVERS]; /* what observers keep of its issue */
} sm_flight;

struct sm_flights *sm_flights_new(void); /* NULL: the host is out of memory */
void sm_flights_free(struct sm_flights *f);
/* None is under way, no group has been committed. */
void sm_flights_forget(struct sm_flights *f);

/* False: the host is out of memory, and the launch has been stopped. */
bool sm_flights_add(const sm_flight *flight);
/* The thread's copies that tell no barrier and have no group yet become one. False likewise. */
bool sm_flights_commit(sm_warp *w, uint32_t lane);

/* These make copies. False: the launch has been stopped. */

/* All that tell M of their bytes. */
bool sm_flights_land_bar(const sm_mbarrier *m);
/* The thread's groups but for the last KEEP. */
bool sm_flights_land_groups(sm_warp *w, uint32_t lane, uint64_t keep);
/* All that B's threads issued. */
bool sm_flights_land_block(sm_block *b);

#endif
