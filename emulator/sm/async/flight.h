/* Asynchronous copies in flight: bulk copies and reductions (PTX ISA 9.7.9.25.4), st.async and
 * red.async (9.7.9.12, 9.7.13.7).
 *
 * A GPU may execute such a copy at any time between its issue and the end of a wait for it. The
 * emulator executes it as late as possible, so that a program which forgets to wait sees the old
 * data: when a thread waits at the copy's mbarrier or for the group it was committed to. At the
 * latest it is executed when no thread of the cluster can make progress without it, or when the
 * issuing block exits. */
#ifndef WARPBOOK_FLIGHT_H
#define WARPBOOK_FLIGHT_H

#include "../../core/observer.h"
#include "box.h"
#include "mbarrier.h"

typedef struct sm_bulk_copy {
    const sm_insn *insn;   /* instruction that issued the copy */
    sm_warp *warp;         /* warp that issued the copy */
    uint32_t lane;         /* lane that issued the copy */
    uint32_t bytes;        /* number of bytes to copy */
    sm_combine combine;    /* the operation of a reduction; NULL: a plain copy */
    const uint8_t *from;   /* source bytes; NULL: they are in `value` */
    uint64_t from_address; /* device address of the source, if it is global memory; else 0 */
    uint8_t value[16];     /* source bytes, if `from` is NULL */
    uint8_t *to;
    uint64_t to_address; /* device address of the destination, if it is global memory */
    sm_block *to_block;  /* destination block; NULL: global memory */
    uint64_t to_offset;  /* offset of the destination in the shared memory of `to_block` */
    const sm_box *box; /* for tensor copies: the box (sm_bulk_copies_add makes a copy of it). It is
                          written to `to_block` or, if that is NULL, read from byte `from_offset` of
                          the shared memory at `from` */
    uint64_t from_offset; /* offset of the source in shared memory */
    sm_mbarrier bar; /* mbarrier that counts the copied bytes; its block is NULL if the copy belongs
                        to a bulk group instead */
    uint64_t group;  /* bulk group of the thread, numbered from 1; 0: not committed
                      * yet */
    void *issued[SM_OBSERVERS]; /* object that each observer made for this copy */
} sm_bulk_copy;

struct sm_bulk_copies *sm_bulk_copies_new(void); /* NULL: the host is out of memory */
void sm_bulk_copies_free(struct sm_bulk_copies *f);
/* Discard all copies and groups of F. */
void sm_bulk_copies_discard(struct sm_bulk_copies *f);

/* Add a copy. Returns false, with the launch stopped, when the host is out of memory. */
bool sm_bulk_copies_add(const sm_bulk_copy *flight);
/* Counts a copy from global memory that W is about to issue and that arrives at M: the phase that
 * it begins to fill, and the phases of other mbarriers that W has filled and not waited for.
 * Returns false, with the launch stopped, when the host is out of memory. */
bool sm_bulk_copies_count_phase(sm_warp *w, const sm_mbarrier *m);
/* W has seen the end of a phase of M. */
void sm_bulk_copies_note_wait(const sm_warp *w, const sm_mbarrier *m);
/* Make one bulk group of the thread's copies that have no mbarrier and no group yet. Returns false,
 * with the launch stopped, when the host is out of memory. */
bool sm_bulk_copies_commit(sm_warp *w, uint32_t lane);

/* The next three functions execute copies. They return false if the launch has been stopped. */

/* Execute all copies that complete on mbarrier M. */
bool sm_bulk_copies_complete_for_mbarrier(const sm_mbarrier *m);
/* Execute the copies of the thread's bulk groups, except the last KEEP groups. */
bool sm_bulk_copies_complete_groups(sm_warp *w, uint32_t lane, uint64_t keep);
/* Execute all copies that threads of block B have issued. */
bool sm_bulk_copies_complete_block(sm_block *b);

#endif
