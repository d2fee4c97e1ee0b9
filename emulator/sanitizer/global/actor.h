/* The state of the race detector for global memory, in a launch and in a place for blocks, and the
 * lanes of one instruction as they are looked at. */
#ifndef WARPBOOK_SANITIZER_ACTOR_H
#define WARPBOOK_SANITIZER_ACTOR_H

#include "global_report.h"
#include "locks.h"
#include "order.h"
#include "readers.h"
#include "shadow.h"

typedef struct san_launch {
    const sm_grid *grid;
    uint64_t heap_from, heap_to; /* addresses between which device code has allocated memory */
    uint8_t *site; /* [sites] for each instruction that has been executed: 1 + sm_order, and
                      san_intent << SAN_INTENT_SHIFT */
    san_order *order;
    san_shadow *shadow;
    san_races *races;
    san_given given;
} san_launch;

enum { SAN_INTENT_SHIFT = 3 };

typedef struct san_place {
    san_launch *launch;
    san_block *block;
    san_locks *locks;
} san_place;

/* The lanes of one instruction, as they are looked at. */
typedef struct san_actor {
    san_place *at;
    const sm_access *access;
    san_record record;
    uint32_t number; /* number of the record for this instruction */
    uint32_t known;  /* a record whose accesses are all ordered before these; 0: none yet */
    uint32_t own;    /* another record of the same warp; 0: none yet */
    struct {
        uint32_t read, other; /* records of the last cell's two readers */
        bool keeps;           /* whether the second reader's record is kept */
    } last;
} san_actor;

static inline san_ref san_cell_of(const san_page *p, san_cell kind, uint32_t cell)
{
    return p->cell[kind] ? p->cell[kind][cell] : 0;
}

/* Is REF ordered before what LANE does now? */
bool san_is_before(san_actor *a, uint32_t lane, san_ref ref);
/* LANE reads a cell of P: keep the last reader, and another one of another block, warp or at least
 * lane. */
void san_note_read(san_actor *a, uint32_t lane, san_page *p, uint32_t cell);

/* --- runs.c: lanes that access adjacent addresses --------------------------------------------- */

/* Note what lanes read in pages that nobody has written. Returns those that read others. */
uint32_t san_list_reads(san_actor *a, const sm_access *x);
/* All lanes access words side by side that nobody else has written or, where they write, touched.
 * False: it is not that easy, and nothing has been done. */
bool san_touch_run(san_actor *a, const sm_access *x);

#endif
