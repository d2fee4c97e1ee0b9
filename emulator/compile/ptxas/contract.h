/* Arithmetic simplifications that ptxas makes
 * (PTX ISA 9.7.3). They change the instructions of a function in place. */
#pragma once

#include "../../ptx/arena.h"
#include "../../ptx/ptx.h"

/* Simplify approximations. Call it before contraction, because it creates products. Returns false
 * if out of memory. */
bool compile_fold_constants(ptx_func *f, ptx_arena *arena);

/* Contract multiplications and additions to fma as ptxas does. Call it once,
 * before any function is checked or translated. False: out of memory; the module must then be
 * freed. */
bool compile_contract_to_fma(ptx_module *m);
