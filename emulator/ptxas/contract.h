/* Between constants.c and contract.c: what the device's assembler does to arithmetic, function by
 * function (PTX ISA 9.7.3). Instructions are changed in place. */
#ifndef WARPBOOK_CONTRACT_H
#define WARPBOOK_CONTRACT_H

#include "../ptx/arena.h"
#include "../ptx/ptx.h"

/* Approximations first, as products come of them. False where memory is out. */
bool ptx_fold(ptx_func *f, ptx_arena *arena);

#endif
