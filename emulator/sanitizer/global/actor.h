/* State of the race detector for global memory: of a launch, of a resident block, and of the
 * instruction that is being checked. */
#pragma once

#include "../intent.h"
#include "global_report.h"
#include "happens_before.h"
#include "lock_order.h"
#include "locks.h"
#include "readers.h"
#include "shadow.h"
#include "unfenced.h"

struct san_touched;

typedef struct san_launch {
    const sm_grid *grid;         /* the grid that the launch runs */
    uint64_t heap_from, heap_to; /* address range in which device code has allocated memory */
    uint8_t
        *insn_info; /* one entry for each memory instruction of the code: once it has executed, 1 +
                     * its sm_order and its san_intent << SAN_INTENT_SHIFT; 0: not executed yet */
    san_order *order; /* happens-before state of the launch */
    const uint32_t
        *now; /* the time on the launch's clock, which advances at events that order accesses */
    san_shadow *shadow;          /* shadow memory: the last accesses to each word */
    san_races *races;            /* races found */
    san_uses *uses;              /* the last strong operations of its blocks */
    san_lock_order *lock_order;  /* the order in which locks are taken */
    san_released_locks released; /* addresses of words that threads have released as locks */
    struct san_request {
        uint32_t number; /* number of the request for work (field request of sm_runtime_call) */
        san_view *view;  /* the accesses of the launch that are ordered before the requested work */
    } * request; /* [request_count] kernels, copies and fills that threads launched; NULL: none */
    uint32_t request_count; /* entries used in `request` */
    bool reads_read_only;   /* the launch has executed ld.global.nc */
} san_launch;

enum {
    SAN_INTENT_SHIFT = 3 /* lowest bit of the san_intent in an entry of san_launch.insn_info */
};

typedef struct san_resident_block {
    san_launch *launch; /* the block's launch */
    san_block *block;   /* happens-before state of the block */
    san_locks *locks;   /* locks held by its threads */
} san_resident_block;

/* The state of block B; NULL: races on global memory are not checked. */
const san_resident_block *san_resident_block_of(const sm_block *b);

/* The instruction that is being checked, with the lanes that execute it. */
typedef struct san_checked_insn {
    san_resident_block *at;
    const sm_access *access; /* the access that is being checked */
    san_record record;       /* the shadow's record that describes this instruction's accesses */
    uint32_t number;         /* number of `record` in the shadow memory */
    uint32_t known;          /* number of a shadow record whose accesses are all ordered before this
                                instruction; 0: none known yet */
    uint32_t own; /* number of another shadow record of the same warp; 0: none known yet */
    struct {
        uint32_t read;  /* number of the record that holds the last read of the shadow cell */
        uint32_t other; /* number of the record that holds the second reader's read */
        bool keeps; /* the second reader stays when a lane of this instruction becomes the last */
    } last; /* the readers of the shadow cell that was checked last, kept because adjacent cells
               often have the same readers */
} san_checked_insn;

static inline san_ref san_shadow_cell(const san_page *p, san_cell kind, uint32_t cell)
{
    return p->cell[kind] ? p->cell[kind][cell] : 0;
}

/* LANE reads the shadow cell number CELL of P: keep LANE as the last reader, and the previous
 * reader as the second reader if that is in another block, warp or lane. */
void san_set_last_reader(san_checked_insn *a, uint32_t lane, san_page *p, uint32_t cell);

/* --- waited.c: accesses of a lane that has waited for a word ---------------------------------- */

/* Has LANE read the shadow cell number CELL of P in a test that decides what the lane does? */
bool san_has_lane_tested_cell(const san_checked_insn *a, uint32_t lane, const san_page *p,
                              uint32_t cell);
/* LANE stores to a volatile cell. Does this hand over to the next thread: has LANE read the last
 * strong write WAS of the cell, and waited there for a value of its own? */
bool san_is_handover_store(const san_checked_insn *a, uint32_t lane, const san_page *p,
                           uint32_t cell, san_ref was);

/* Is LANE's current access a plain load from L2 (__ldcg() or __ldcv()), which cannot find an old
 * value in L1, and ordered after REF but for a fence? */
bool san_is_l2_load_after(san_checked_insn *a, uint32_t lane, san_ref ref);

/* --- requests.c: work that threads request of the device runtime ------------------------------ */

/* LANE of W launches a kernel, copy or fill from device code: request NUMBER of the launch. */
void san_add_runtime_request(san_resident_block *at, const sm_warp *w, uint32_t lane,
                             uint32_t number);
/* Is IN griddepcontrol? Then T, if it is not NULL, notes what L has done before it. */
bool san_note_grid_dependency(const san_launch *l, struct san_touched *t, const ptx_insn *in);
/* Add to T, for each request for work in L, the accesses that are not ordered before it. */
void san_add_touched_after_requests(const san_launch *l, struct san_touched *t);
void san_free_runtime_requests(san_launch *l);

/* Fill in A to check ACCESS, made by one or more lanes of a warp. False: out of memory. */
bool san_begin_access(san_checked_insn *a, san_resident_block *at, const sm_access *access,
                      bool strong, bool in_block, san_intent intent);

/* --- runs.c: lanes that access adjacent addresses --------------------------------------------- */

/* Record X, a weak access of all lanes; X holds only the addresses of the first lane of each row.
 * False: X is not recorded, and must be checked with the addresses of all lanes. */
bool san_record_regular_access(san_resident_block *at, const sm_access *x);

/* Record the reads of X in pages that no thread has written. Returns the other lanes. */
uint32_t san_record_reads_of_unwritten_pages(san_checked_insn *a, const sm_access *x);
/* Check an access of all lanes to adjacent words quickly. This requires that no other thread has
 * written the words and, if the lanes write, that none has read them. False: another thread has,
 * and nothing has been recorded. */
bool san_record_adjacent_access(san_checked_insn *a, const sm_access *x);
