/* Where the values go that a kernel loads: a value that is only stored again is a copy, and decides
 * nothing. */
#ifndef WARPBOOK_SANITIZER_FLOW_H
#define WARPBOOK_SANITIZER_FLOW_H

#include "../../core/sm.h"

typedef struct san_flow {
    const ptx_func *func;
    /* [func->reg_count]: from 1 on, the number of a register that loads fill and stores alone read;
     * 0: another one. */
    uint32_t *number;
    bool *is_read;     /* [func->reg_count] some instruction reads the register */
    bool *is_selected; /* [func->reg_count] a selection reads the register and may drop its value */
    uint32_t count;
} san_flow;

/* Find the flow of values in kernel FUNC. False: the host is out of memory. san_flow_clear
 * releases it. */
bool san_flow_make(san_flow *f, const ptx_func *func);
void san_flow_clear(san_flow *f);

/* The number of the register that load or store IN fills or stores as element K; 0: a value that is
 * used in another way, or IN belongs to another function. */
uint32_t san_flow_of(const san_flow *f, const ptx_insn *in, uint32_t k);
/* Does anything read the result of IN? True also where that is not known. */
bool san_flow_is_used(const san_flow *f, const ptx_insn *in);
/* May a selection drop element K of what IN loads? */
bool san_flow_may_drop(const san_flow *f, const ptx_insn *in, uint32_t k);

#endif
