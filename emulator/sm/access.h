/* Memory accesses of a warp: how addresses become host pointers, what is counted, and what the
 * rest of the SM calls for both.
 *
 * The rest of the SM: the L1 models of a launch's SMs (l1.h); at the end of a launch the site
 * statistics of all workers are summed, field by field, and turned into counters (sm_collect) and
 * rows of source lines (sm_lines). */
#ifndef WARPBOOK_ACCESS_H
#define WARPBOOK_ACCESS_H

#include "translate.h"
#include "warp.h"

/* The modelled L1 of a block that shares none. NULL when the host is out of memory. */
struct l1_model *sm_l1_new(void);
void sm_l1_free(struct l1_model *l1);
/* A block starts: nothing is cached. */
void sm_l1_begin(struct l1_model *l1);

/* Add what the memory instructions of CODE did to OUT. SITE has an entry for each instruction of
 * code->func, by index. Accesses with generic addresses count as what they turned out to be:
 * those to shared and local memory are in sm_worker.extra already. */
void sm_collect(const struct sm_code *code, const site_stats *site, counters *out);

/* Adds to OUT how often the warps waited for loads and atomic operations of CODE: those within the
 * SM, those of global memory, and of these the ones that went past L1. Those of one turn of a loop
 * are waited for together, as far as none needs another's result and the assembler may bring them
 * together. */
void sm_rounds(const struct sm_code *code, const site_stats *site, counters *out);

/* Adds to OUT the sectors, and the bytes in them, of store instructions that wrote sectors in part.
 */
void sm_stored_in_part(const struct sm_code *code, const site_stats *site, counters *out);

/* Adds to OUT what the assembler saves by making one load of two or four neighbouring words in
 * shared memory, where it can tell that the first is aligned. */
void sm_widened(const struct sm_code *code, const site_stats *site, counters *out);

/* Add the statistics of one worker to those of another, COUNT entries. */
void sm_sites_add(site_stats *to, const site_stats *from, size_t count);

/* The rows of the source-line profile of CODE: one for each memory instruction that ran. *out is
 * one allocation that holds the strings too: free() releases it. Returns the number of rows; 0
 * with *out NULL when there are none or the host is out of memory. */
size_t sm_lines(const struct sm_code *code, const site_stats *site, line_row **out);

#endif
