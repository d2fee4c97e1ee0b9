/* Helpers for asynchronous copies: addresses, and the operations of reductions. Used by bulk.c and
 * tensor_copy.c. */
#ifndef WARPBOOK_EXEC_BULK_H
#define WARPBOOK_EXEC_BULK_H

#include "../../compile/compile.h"
#include "../../sm/async/flight.h"
#include "../../sm/cluster.h"
#include "../lanes.h"
#include "../memory/reach_often.h"

/* An address operand: a base register or variable, and an offset. */
typedef struct exec_address_operand {
    uint32_t slot; /* window slot of the base register */
    uint64_t add;  /* constant offset that is added to the register */
    bool narrow;   /* the register holds a 32-bit address */
} exec_address_operand;

/* Parse operand K of IN as an address. False: it is not an address. */
static inline bool exec_read_address_operand(compile_translation *t, const ptx_insn *in, unsigned k,
                                             exec_address_operand *p)
{
    if (k >= in->operand_count || !in->opd[k].memory || !in->opd[k].count)
        return false;
    const ptx_value *v = &in->opd[k].v[0];
    ptx_value base = *v;
    base.offset = 0;
    *p = (exec_address_operand){.slot = compile_slot_of_value(t, &base, 8),
                                .add = (uint64_t)v->offset,
                                .narrow =
                                    v->kind == PTX_VAL_REG && compile_register_bytes(t, v) == 4};
    return true;
}

static inline uint64_t exec_operand_address(const sm_warp *w, const exec_address_operand *p,
                                            uint32_t l)
{
    return p->narrow ? (uint32_t)(SM_R(const uint32_t, w, p->slot)[l] + (uint32_t)p->add)
                     : SM_R(const uint64_t, w, p->slot)[l] + p->add;
}

/* The function that performs the reduction of IN on elements of TYPE, in global memory or, if
 * GLOBAL is false, in shared memory. NULL: the ISA has no such reduction. */
sm_combine EXEC_FOR_ISA(exec_bulk_combine)(const ptx_insn *in, ptx_type type, bool global);

/* The range that holds BYTES bytes of global memory at ADDRESS, an array's guard zones included; an
 * access of lane L to one is reported unless *REPORTED is set. NULL: no range holds the bytes. */
const mem_range *EXEC_FOR_ISA(exec_bulk_global)(const sm_warp *w, const sm_insn *i, uint32_t l,
                                                uint64_t address, uint64_t bytes, sm_effect effect,
                                                bool *reported);

/* These functions return false if a check fails, and have stopped the launch with a message. */

/* Block and offset of the BYTES bytes of shared memory at ADDRESS. OWN: in the block itself. */
bool EXEC_FOR_ISA(exec_bulk_shared)(sm_warp *w, const sm_insn *i, uint32_t l, uint64_t address,
                                    uint32_t bytes, bool own, const char *verb, sm_mbarrier *at);
bool EXEC_FOR_ISA(exec_bulk_aligned)(sm_warp *w, const sm_insn *i, uint32_t l, const char *what,
                                     uint64_t value, uint32_t by);
/* Issue copy F to its offset in the shared memory of each block of MASK. Each of these blocks has
 * an mbarrier at the offset of F's mbarrier. */
bool EXEC_FOR_ISA(exec_bulk_to_many)(sm_warp *w, const sm_insn *i, uint32_t l, uint32_t mask,
                                     sm_bulk_copy *f);
/* Report to the race detector that a thread of W reads BYTES bytes for a copy. */
void EXEC_FOR_ISA(exec_bulk_reads)(sm_warp *w, const sm_insn *i, uint32_t l, const sm_mbarrier *at,
                                   uint32_t bytes);

#endif
