/* WARPBOOK_COVERAGE=FILE: appends, when the process ends, a table of the PTX instructions of each
 * function of the modules from which a kernel was launched:
 *
 *     function path line insn entry conditional lanes taken left stays
 *
 * LANES is how many lanes have executed the instruction, in all launches. Of a conditional one
 * (@p), TAKEN lanes have executed it, or jumped, and LEFT lanes have not; LANES is then their sum.
 * STAYS: how certainly the instruction is executed where its line stands: 2 if others see it (a
 * store, a jump, a barrier), 1 of a load, 0 of what a compiler may compute before a condition.
 * Instructions that no source line is known of are omitted. */
#pragma once

#include "../core/observer.h"

/* Begin to count, for a table in the file PATH; NULL: do not count. PATH is not copied. */
void cov_configure(const char *path);
/* Whether instructions are counted. If so, translated programs must execute each one by itself
 * (compile_disable_optimizations). */
bool cov_is_on(void);
/* Count no further launches. */
void cov_stop(void);
/* Add the observer that counts to LIST, which ends with NULL, if instructions are counted. */
void cov_add_observer(const sm_observer *list[SM_OBSERVERS + 1]);

/* Append the table. Returns false with errno set if the file cannot be written. */
bool cov_write_table(void);
