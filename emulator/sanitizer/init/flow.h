/* Data flow of the values that a kernel loads: a value that is only stored again is a copy, and
 * no result depends on it. */
#pragma once

#include "../../core/sm.h"

typedef struct san_flow {
    const ptx_func *func; /* the kernel whose values are followed */
    /* [func->reg_count] number, from 1, of a register that only loads write and only stores
     * read; 0: any other register. */
    uint32_t *number;  /* [func->reg_count] number of each register */
    bool *is_read;     /* [func->reg_count] some instruction reads the register */
    bool *is_selected; /* [func->reg_count] a selection (selp) may drop the register's value, or
                        * all that is computed from it */
    uint32_t count;    /* registers with a number */
} san_flow;

/* Find the flow of values in kernel FUNC. False: out of memory. san_flow_clear releases it. */
bool san_flow_analyse(san_flow *f, const ptx_func *func);
void san_flow_clear(san_flow *f);

/* The number of the register that load or store IN writes or reads as element K; 0: the value is
 * used in another way, or IN belongs to another function. */
uint32_t san_flow_register_number(const san_flow *f, const ptx_insn *in, uint32_t k);
/* Does any instruction read the result of IN? True also if this is not known. */
bool san_flow_is_result_used(const san_flow *f, const ptx_insn *in);
/* May a selection (selp) drop element K of the value that IN loads? */
bool san_flow_may_drop_element(const san_flow *f, const ptx_insn *in, uint32_t k);
