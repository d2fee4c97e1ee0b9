/* Where registers are alive: for sharing slots of the window, and for the number of registers that
 * a kernel needs. */
#ifndef WARPBOOK_LIVENESS_H
#define WARPBOOK_LIVENESS_H

#include "../ptx/ptx.h"

#define SM_NEVER UINT32_MAX

/* First and last instruction at which a register holds a value, both inside; SM_NEVER: unused. */
typedef struct sm_span {
    uint32_t first, last;
} sm_span;

/* LEADER: where basic blocks begin (sm_leaders). Fills span and live_in (may be read before it is
 * written), both [reg_count], `alive` of those of the loops in FACTS that have it, and the widest
 * live set in 32-bit registers. False when the host is out of memory. */
struct sm_facts;
bool sm_liveness(const ptx_func *f, const bool *leader, const struct sm_facts *facts, sm_span *span,
                 uint32_t *registers, bool *live_in);

/* AT[reg]: the instruction that writes it where there is exactly one and no guard is on it, else
 * SM_NEVER. */
void sm_definitions(const ptx_func *f, uint32_t *at);

#endif
