/* At the end of a launch the site statistics of all workers are summed, field by field, and turned
 * into counters (sm_collect) and rows of source lines (sm_lines). */
#ifndef WARPBOOK_ACCESS_H
#define WARPBOOK_ACCESS_H

#include "../core/code.h"
#include "../core/warp.h"

/* Add what the memory instructions of CODE did to OUT. SITE has an entry for each instruction of
 * code->func, by index. Accesses with generic addresses count as what they turned out to be:
 * those to shared and local memory are in sm_worker.extra already. */
void sm_collect(const struct sm_code *code, const site_stats *site, counters *out);

/* Add the statistics of one worker to those of another, COUNT entries. */
void sm_sites_add(site_stats *to, const site_stats *from, size_t count);

/* The rows of the source-line profile of CODE: one for each memory instruction that ran. *out is
 * one allocation that holds the strings too: free() releases it. Returns the number of rows; 0
 * with *out NULL when there are none or the host is out of memory. */
size_t sm_lines(const struct sm_code *code, const site_stats *site, line_row **out);

#endif
