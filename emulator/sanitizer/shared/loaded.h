/* What a kernel does with a value that it loads. Reports of races need this to name the line that
 * is meant, and the usual correction. */
#pragma once

#include "../../core/code.h"

/* Does STORE write back what a load from the same address has read, changed by arithmetic, as in
 * `bins[k]++`? OTHER is the instruction that races with STORE: it must be that load or store too,
 * or that of another update on the same line, as unrolled loops have. */
bool san_is_update_in_place(const sm_unit *u, const ptx_insn *store, const ptx_insn *other);

/* LOAD has the source line of STORE or none, but its value is used on another line:
 * the compiler has moved the load in front of a branch, and threads that do not execute STORE's
 * line execute it. Returns the first instruction of the other line; NULL: there is none. */
const ptx_insn *san_use_on_another_line(const sm_unit *u, const ptx_insn *load,
                                        const ptx_insn *store);

/* Does the kernel of U use several `extern __shared__` arrays? All of them begin at one address. */
bool san_uses_several_dynamic_arrays(const sm_unit *u);
/* The `extern __shared__` array from which the address of IN is computed; NULL: not known. */
const ptx_var *san_dynamic_array_of(const sm_unit *u, const ptx_insn *in);
