/* What instructions of asynchronous copies share: their addresses, and what reductions do on the
 * way. For bulk.c and tensor_copy.c. */
#ifndef WARPBOOK_EXEC_BULK_H
#define WARPBOOK_EXEC_BULK_H

#include "../../sm/cluster.h"
#include "../../sm/flight.h"
#include "../lanes.h"
#include "../memory/reach_often.h"

/* An address operand: register, or variable, and offset. */
typedef struct sm_place {
    uint32_t slot;
    uint64_t add;
    bool narrow; /* 32-bit addresses */
} sm_place;

/* Operand K of IN. False: it is no address. */
static inline bool sm_place_of(sm_translation *t, const ptx_insn *in, unsigned k, sm_place *p)
{
    if (k >= in->operand_count || !in->opd[k].memory || !in->opd[k].count) {
        return false;
    }
    const ptx_value *v = &in->opd[k].v[0];
    ptx_value base = *v;
    base.offset = 0;
    *p = (sm_place){.slot = sm_slot(t, &base, 8),
                    .add = (uint64_t)v->offset,
                    .narrow = v->kind == PTX_VAL_REG && sm_width(t, v) == 4};
    return true;
}

static inline uint64_t sm_address_of(const sm_warp *w, const sm_place *p, uint32_t l)
{
    return p->narrow ? (uint32_t)(SM_R(const uint32_t, w, p->slot)[l] + (uint32_t)p->add)
                     : SM_R(const uint64_t, w, p->slot)[l] + p->add;
}

/* What OP does to elements of TYPE in global memory or, with GLOBAL false, in shared memory; NULL:
 * no copy does that. */
sm_combine SM_LEVEL(sm_bulk_combine)(const ptx_insn *in, ptx_type type, bool global);

/* These stop the launch, and say why, where they return false. */

/* BYTES bytes of shared memory at ADDRESS: whose, and where in it. OWN: the block's own is meant.
 */
bool SM_LEVEL(sm_bulk_shared)(sm_warp *w, const sm_insn *i, uint32_t l, uint64_t address,
                              uint32_t bytes, bool own, const char *verb, sm_mbarrier *at);
bool SM_LEVEL(sm_bulk_aligned)(sm_warp *w, const sm_insn *i, uint32_t l, const char *what,
                               uint64_t value, uint32_t by);
/* F goes to the same place in each block of MASK, which each has a barrier in the same place. */
bool SM_LEVEL(sm_bulk_to_many)(sm_warp *w, const sm_insn *i, uint32_t l, uint32_t mask,
                               sm_flight *f);
/* A thread of W reads BYTES bytes for a copy: for racecheck. */
void SM_LEVEL(sm_bulk_reads)(sm_warp *w, const sm_insn *i, uint32_t l, const sm_mbarrier *at,
                             uint32_t bytes);

#endif
